"""The pendant's own process: it answers whoever has read its link, and ends with its cell."""

import time
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from armillary.cell import Cell
from armillary.runtime import RuntimeProblem


@pytest.mark.slow
def test_who_has_read_the_link_is_answered_at_once_and_it_ends_with_the_cell() -> None:
    with Cell.open("cobot6", driver="ideal", low_power=True, record=False, patience=5.0, pendant={"port": 0}) as cell:
        address = cell.station.pendant["address"]
        with urlopen(f"{address}/api/session", timeout=30.0) as answer:
            assert answer.status == 200
    end = time.monotonic() + 20.0
    while True:
        try:
            urlopen(f"{address}/api/session", timeout=5.0).close()
        except (URLError, ConnectionError):
            break
        assert time.monotonic() < end, "it still answers"


@pytest.mark.slow
def test_beyond_this_machine_a_password_is_wanted_first() -> None:
    with pytest.raises(RuntimeProblem, match="only when somebody has a password"):
        Cell.open("cobot6", driver="ideal", low_power=True, record=False, pendant={"host": "0.0.0.0", "port": 0})
