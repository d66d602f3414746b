"""A cell from Python: motions, refusals, stops."""

import time
from collections.abc import Iterator

import numpy as np
import pytest

from armillary.cell import Cell
from armillary.motion import NoMotion
from armillary.runtime import Refused, RuntimeProblem, State

pytestmark = pytest.mark.slow
HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])


@pytest.fixture(scope="module")
def cell() -> Iterator[Cell]:
    with Cell.open("cobot6", low_power=True) as opened:
        yield opened


def test_moves(cell: Cell) -> None:
    cell.move_joints(HOME)
    here = cell.state
    assert here.state == State.READY and here.measured == pytest.approx(HOME, abs=1e-6)
    plan = cell.move_line(here.xyz + np.array([0.0, -0.15, 0.05]), here.rpy, speed=0.1)
    assert plan.certificate.use["tool speed"] <= 1.0
    assert cell.state.xyz == pytest.approx(here.xyz + np.array([0.0, -0.15, 0.05]), abs=1e-6)
    middle = cell.state.xyz
    cell.move_arc(middle + np.array([0.05, 0.05, 0.0]), here.xyz, here.rpy)
    assert cell.state.xyz == pytest.approx(here.xyz, abs=1e-6)
    cell.move_pose(middle, here.rpy, speed=0.5)
    assert cell.state.xyz == pytest.approx(middle, abs=1e-5)
    assert "READY" in str(cell.state)


def test_what_cannot_be_moved_is_said_and_nothing_moves(cell: Cell) -> None:
    before = cell.state.q
    with pytest.raises(NoMotion, match="% of the path"):
        cell.move_line((5.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    with pytest.raises(NoMotion, match="outside its limits"):
        cell.move_joints(before + 50.0)
    with pytest.raises(Refused, match="speed"):
        cell.move_joints(HOME, speed=2.0)
    assert cell.state.q == pytest.approx(before)


def test_stop_hold_and_override(cell: Cell) -> None:
    cell.move_joints(HOME)
    goal = HOME + np.array([-2.5, 0.0, 0.0, 0.0, 0.0, 0.5])
    cell.override(0.4)
    cell.move_joints(goal, wait=False)
    time.sleep(0.5)
    with pytest.raises(Refused, match="it moves"):
        cell.move_joints(HOME)
    cell.hold()
    cell.wait()
    assert cell.state.state == State.HOLDING
    cell.resume()
    time.sleep(0.3)
    cell.stop()
    cell.wait()
    state = cell.state
    assert state.state == State.READY and np.abs(state.q - goal).max() > 0.01
    cell.override(1.0)
    cell.move_joints(HOME)
    assert cell.state.q == pytest.approx(HOME, abs=1e-9)


def test_a_driver_that_is_not_there() -> None:
    with pytest.raises(RuntimeProblem, match="no driver 'magic'"):
        Cell.open("cobot6", driver="magic")
