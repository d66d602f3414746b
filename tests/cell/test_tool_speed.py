"""A bound on the tool's speed that is the station's: everything planned and jogged from then on keeps it."""

import time
from collections.abc import Iterator

import numpy as np
import pytest

from armillary.cell import Cell
from armillary.model import frame_jacobian
from armillary.runtime import Refused
from armillary.runtime.control_lease import NoControl

HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
ASIDE = HOME + np.array([1.2, 0.0, 0.0, 0.0, 0.0, 0.2])


@pytest.fixture(scope="module")
def cell() -> Iterator[Cell]:
    with Cell.open("cobot6", driver="ideal", low_power=True, record=False, patience=5.0) as opened:
        yield opened


def fastest(cell: Cell, seconds: float = 30.0) -> float:
    """The tool's highest speed until it stands [m/s]."""
    most, end = 0.0, time.monotonic() + seconds
    while time.monotonic() < end:
        record = cell.station.state
        J = frame_jacobian(cell.model, np.array(record["q"]), cell.model.tip)
        most = max(most, float(np.linalg.norm(J[:3] @ record["v"])))
        if most > 0.0 and not record["moves"]:
            break
        time.sleep(0.002)
    return most


def test_a_motion_keeps_the_bound_and_is_fast_without_it(cell: Cell) -> None:
    cell.move_joints(HOME)
    cell.move_joints(ASIDE, wait=False)
    free = fastest(cell)
    cell.station.ask("tool_speed", {"most": 0.1})
    cell.move_joints(HOME, wait=False)
    slow = fastest(cell)
    cell.station.ask("tool_speed", {"most": None})
    cell.move_joints(ASIDE, wait=False)
    assert free > 0.2 and 0.08 < slow <= 0.1001 and fastest(cell) > 0.2


def test_a_jog_keeps_the_bound(cell: Cell) -> None:
    cell.move_joints(HOME)
    cell.station.ask("tool_speed", {"most": 0.1})
    most, begin = 0.0, time.monotonic()
    # A busy machine lets a jog stand now and then: it is given time to become as fast as it may.
    while time.monotonic() - begin < (1.5 if most > 0.08 else 30.0):
        way = 1.0 if cell.state.q[0] < 1.0 else -1.0
        cell.jog_joints([1.5 * way, 0.0, 0.0, 0.0, 0.0, 0.0])
        record = cell.station.state
        J = frame_jacobian(cell.model, np.array(record["q"]), cell.model.tip)
        most = max(most, float(np.linalg.norm(J[:3] @ record["v"])))
        time.sleep(0.02)
    cell.release()
    cell.wait()
    cell.station.ask("tool_speed", {"most": None})
    assert 0.05 < most <= 0.1001


def test_who_has_no_control_cannot_lift_it(cell: Cell) -> None:
    other = Cell.connect(cell.station.folder.name)
    try:
        with pytest.raises(NoControl):
            other.station.ask("tool_speed", {"most": None})
    finally:
        other.close()
    with pytest.raises(Refused, match="none"):
        cell.station.ask("tool_speed", {"most": -1.0})
