"""A cell that counts its own time is no node of ROS, whose time is the clock's: a half of each would be neither."""

from types import SimpleNamespace
from typing import Any

import pytest

from armillary.cell import Cell
from armillary.interfaces.ros.cell_node import CellNode
from armillary.runtime import RuntimeProblem


@pytest.mark.parametrize("pace", ["lock_step", "fast"])
def test_a_cell_that_counts_its_own_time_is_refused(pace: str) -> None:
    cell: Any = SimpleNamespace(station=SimpleNamespace(settings=SimpleNamespace(steps=True, pace=pace)))
    nothing: Any = None
    with pytest.raises(RuntimeProblem, match=f"pace '{pace}'.*run it without --lock-step"):
        CellNode(cell, nothing, nothing)
    with pytest.raises(RuntimeProblem, match=f"a rosbridge keeps the time of the clock, and the pace '{pace}' none"):
        Cell.open("cobot6", driver="ideal", pace=pace, record=False, rosbridge={"port": 0})
