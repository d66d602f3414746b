"""Whole cells whose motor side is drives on CAN: paper 2's robot and commands, and paper 5's program, as on the twin."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from armillary.cell import Cell
from armillary.interfaces.http.sample_programs import sample_programs
from armillary.runtime import StationSettings
from armillary.runtime.prepared import prepare
from tests.drivers.cia402_bench import AWAY, HOME, EmulatedDrives
from tests.drivers.pmac_bench import COUPLING

pytestmark = [pytest.mark.alone, pytest.mark.slow]
COUNT = 1.0 / np.abs(COUPLING.matrix).max(axis=1).min()  # rad: the coarsest count
FINE = 200_000.0  # counts for a radian, where each motor has a joint of its own


@contextmanager
def drives_at(counts: np.ndarray) -> Iterator[dict[str, Any]]:
    """Options for emulated drives that stand at counts."""
    drives = EmulatedDrives(np.round(counts))
    try:
        yield {"interface": "socketcand", "address": f"127.0.0.1:{drives.port}", "watchdog": 2.0, "following_error": 0.5}
    finally:
        drives.close()


def settles(cell: Cell, q: np.ndarray, count: float) -> None:
    """The motors come to within a count of where they were sent; they are a little behind."""
    end = time.monotonic() + 5.0
    while np.abs(cell.state.measured - q).max() > count:
        assert time.monotonic() < end and cell.state.fault == "", str(cell.state)
        time.sleep(0.01)


def test_a_cell_moves_and_comes_back_within_a_count() -> None:
    with (
        drives_at(COUPLING.to_motors(HOME)) as options,
        Cell.open("industrial6", driver="cia402", options=options, low_power=True, record=False, patience=1.0) as cell,
    ):
        assert cell.state.measured == pytest.approx(HOME, abs=COUNT)
        for goal in (AWAY, HOME):
            cell.move_joints(goal)
            settles(cell, goal, COUNT)


def test_paper_2s_commands(tmp_path: Path) -> None:
    """As printed, in less time."""
    program = tmp_path / "paper2.arm"
    program.write_text(sample_programs("industrial6")["paper2.arm"].replace("[20]", "[7]"))
    with (
        drives_at(COUPLING.to_motors(HOME)) as options,
        Cell.open("industrial6", driver="cia402", options=options, low_power=True, record=False, patience=1.0) as cell,
    ):
        cell.run(program)
        settles(cell, np.zeros(6), COUNT)


def test_paper_5s_program(cobot: Path, paper_5: Path) -> None:
    """The last pose is where the first round ended."""
    start = prepare(StationSettings(source="cobot6")).start
    with drives_at(FINE * start) as options:
        options["counts_per_unit"] = [FINE] * 6
        with Cell.open(str(cobot), driver="cia402", options=options, low_power=True, record=False, patience=1.0) as cell:
            cell.run(paper_5)
            settles(cell, cell.state.q, 1.0 / FINE)
            assert cell.state.xyz == pytest.approx([0.2, -0.45, -0.28], abs=1e-4)
