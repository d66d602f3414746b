"""Paper 2's commands and paper 5's program on servo boards, as on the twin: the same cell, another line in its cell.toml."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from armillary.cell import Cell
from armillary.interfaces.http.sample_programs import sample_programs
from armillary.model import load_model
from tests.emulators.servo_boards_process import BoardsProcess

pytestmark = [pytest.mark.alone, pytest.mark.slow]
RATIO = 0.24  # degrees of a servo for one of its joint: a whole turn to both sides is within its range


@pytest.fixture
def boards(tmp_path: Path) -> Iterator[BoardsProcess]:
    (tmp_path / "boards").mkdir()
    boards = BoardsProcess(tmp_path / "boards", "--joints", "6", "--fine", "--dead-band", "0.05")
    yield boards
    boards.close()


def on_boards(robot: str, boards: BoardsProcess) -> dict[str, Any]:
    servos = {joint: {"ratio": RATIO} for joint in load_model(robot).joints}
    return {"port": str(boards.port), "fine": True, "boot": 0.1, "watchdog": 2.0, "servos": servos}


def ends_at(boards: BoardsProcess, q: Any) -> None:
    """The servos are where those joints want them, within a count and the dead band."""
    angles = 90.0 + RATIO * np.degrees(np.asarray(q))
    status = boards.until(lambda status: bool(np.abs(np.array(status["angles"][:6]) - angles).max() < 0.07))
    assert status["frames"]["stale"] == status["frames"]["out_of_range"] == status["bytes"]["bad_sums"] == 0


def test_paper_5s_program_on_servo_boards(cobot: Path, paper_5: Path, boards: BoardsProcess) -> None:
    options = on_boards("cobot6", boards)
    with Cell.open(str(cobot), driver="servo_frame", options=options, low_power=True, record=False, patience=1.0) as cell:
        cell.run(paper_5)
        assert cell.state.fault == "" and cell.state.xyz == pytest.approx([0.2, -0.45, -0.28], abs=1e-4)
        ends_at(boards, cell.state.q)


def test_paper_2s_commands_on_servo_boards(tmp_path: Path, boards: BoardsProcess) -> None:
    program = tmp_path / "paper2.arm"
    program.write_text(sample_programs("industrial6")["paper2.arm"].replace("[20]", "[7]"))
    options = on_boards("industrial6", boards)
    with Cell.open("industrial6", driver="servo_frame", options=options, low_power=True, record=False, patience=1.0) as cell:
        cell.run(program)
        assert cell.state.fault == "" and cell.state.q == pytest.approx(np.zeros(6), abs=1e-6)
        ends_at(boards, cell.state.q)
