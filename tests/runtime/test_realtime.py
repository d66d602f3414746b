"""Ticks: on their grid, none caught up; and what of real time was given is said."""

import subprocess
import sys
import time

import pytest

from armillary.runtime.realtime import Granted, Ticker


@pytest.mark.parametrize("spin", [True, False])
def test_ticks_are_on_their_grid_and_none_is_early(spin: bool) -> None:
    ticker = Ticker(0.004, spin=spin)
    first, _ = ticker.wait()
    for i in range(1, 40):
        due, late = ticker.wait()
        assert late >= 0.0
        steps = (due - first) / 0.004
        assert steps == pytest.approx(round(steps), abs=1e-6) and round(steps) >= i


def test_ticks_that_were_missed_are_not_caught_up() -> None:
    ticker = Ticker(0.002)
    first, _ = ticker.wait()
    time.sleep(0.02)
    due, late = ticker.wait()
    assert due == pytest.approx(first + 0.002) and late > 0.015
    after, _ = ticker.wait()
    assert after - due > 0.015, "it goes on with the next of the grid"


def test_what_was_given_is_said_once_and_why_not() -> None:
    assert str(Granted(True, True, 1, ())) == "real time: SCHED_FIFO, locked memory, frozen garbage collector, core 1"
    assert (
        str(Granted(False, False, -1, ("no SCHED_FIFO: denied",), frozen=False)) == "real time: nothing (no SCHED_FIFO: denied)"
    )
    script = "from armillary.runtime.realtime import take_priority; print(take_priority())"
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert answer.stdout.startswith("real time: ")
