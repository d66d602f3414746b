"""Whole cells whose motor side is a PMAC: paper 2's robot and commands, and paper 5's program, as on the twin."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from armillary.cell import Cell
from armillary.description import open_cell
from armillary.interfaces.http.sample_programs import sample_programs
from armillary.model import coupling_from, load_model
from armillary.runtime.prepared import home_of
from tests.drivers.pmac_bench import AWAY, COUPLING, HOME, EmulatorProcess

pytestmark = [pytest.mark.alone, pytest.mark.slow]
COUNT = 1.0 / np.abs(COUPLING.matrix).max(axis=1).min()  # rad: the coarsest count

ACTUATION = """
[actuation]
joints = ["joint_1", "joint_2", "joint_3", "joint_4", "joint_5", "joint_6"]
coupling = [
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
]
counts_per_deg = [11000.0, 11000.0, 11000.0, 9000.0, 9000.0, -9000.0]
zero = [100.0, 0.0, -5000.0, 0.0, 0.0, 0.0]
"""


@pytest.fixture
def options() -> Iterator[dict[str, Any]]:
    emulator = EmulatorProcess()
    yield {"address": f"127.0.0.1:{emulator.port}", "watchdog": 2.0, "answers": 2.0}
    emulator.close()


def test_a_cell_moves_and_comes_back_within_a_count(tmp_path: Path, options: dict[str, Any]) -> None:
    with Cell.open("industrial6", driver="pmac", options=options, low_power=True, recordings=str(tmp_path), patience=1.0) as cell:
        assert cell.state.measured == pytest.approx(HOME, abs=COUNT)
        cell.move_joints(AWAY)
        assert cell.state.measured == pytest.approx(AWAY, abs=COUNT)
        cell.move_joints(HOME)
        assert cell.state.measured == pytest.approx(HOME, abs=COUNT)


def test_paper_2s_commands(tmp_path: Path, options: dict[str, Any]) -> None:
    """As printed, in less time."""
    program = tmp_path / "paper2.arm"
    program.write_text(sample_programs("industrial6")["paper2.arm"].replace("[20]", "[7]"))
    with Cell.open("industrial6", driver="pmac", options=options, low_power=True, recordings=str(tmp_path), patience=1.0) as cell:
        cell.run(program)
        assert cell.state.fault == "" and cell.state.measured == pytest.approx(np.zeros(6), abs=COUNT)


def test_paper_5s_program(cobot: Path, paper_5: Path) -> None:
    """The last pose is where the first round ended."""
    own = cobot
    own.write_text(own.read_text() + ACTUATION)
    actuation, model = open_cell(own).cell.actuation, load_model(own)
    assert actuation is not None
    coupling = coupling_from(actuation)
    emulator = EmulatorProcess(coupling.to_motors(home_of(open_cell(own).cell, model)))
    options = {"address": f"127.0.0.1:{emulator.port}", "watchdog": 2.0, "answers": 2.0}
    try:
        with Cell.open(str(own), driver="pmac", options=options, low_power=True, record=False, patience=1.0) as cell:
            cell.run(paper_5)
            state = cell.state
            assert state.fault == "" and state.measured == pytest.approx(
                state.q, abs=1.0 / np.abs(coupling.matrix).max(axis=1).min()
            )
            assert state.xyz == pytest.approx([0.2, -0.45, -0.28], abs=1e-4)
    finally:
        emulator.close()
