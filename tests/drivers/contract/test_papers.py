"""Paper 2's commands and paper 5's program on every motor side, as on the twin: the same cell, another line in its cell.toml."""

import re
import time
from pathlib import Path

import numpy as np
import pytest

from armillary.cell import Cell
from armillary.description.source import find_source
from tests.drivers.contract.motor_side import MotorSide, moved_by
from tests.drivers.contract.motor_sides import EVERY_SIDE, started

pytestmark = [pytest.mark.alone, pytest.mark.slow]


def opened(source: str | Path, side: MotorSide) -> Cell:
    return Cell.open(str(source), driver=side.name, options=side.options, low_power=True, record=False, patience=1.0)


def settles(cell: Cell, side: MotorSide) -> None:
    """The motors come to within a count of where they were sent; they are a little behind."""
    end = time.monotonic() + 5.0
    while np.abs(side.place() - cell.state.q).max() > side.count:
        assert time.monotonic() < end and cell.state.fault == "", str(cell.state)
        time.sleep(0.05)


@pytest.mark.parametrize("name", EVERY_SIDE)
def test_paper_5s_program(name: str, cobot: Path, paper_5: Path, tmp_path: Path) -> None:
    """The last pose is where the first round ended."""
    with started(name, tmp_path, moved_by(cobot)) as side, opened(cobot, side) as cell:
        cell.run(paper_5)
        settles(cell, side)
        assert cell.state.fault == "" and cell.state.xyz == pytest.approx([0.2, -0.45, -0.28], abs=1e-4)


@pytest.mark.parametrize("name", EVERY_SIDE)
def test_paper_2s_commands(name: str, paper_2: Path, tmp_path: Path) -> None:
    """As printed, in less time."""
    with started(name, tmp_path, moved_by("industrial6")) as side, opened("industrial6", side) as cell:
        cell.run(paper_2)
        settles(cell, side)
        assert cell.state.fault == "" and cell.state.q == pytest.approx(np.zeros(6), abs=1e-6)


def test_one_line_in_cell_toml_moves_the_same_program_from_the_twin_to_a_motor_controller(paper_2: Path, tmp_path: Path) -> None:
    """Two cells that differ in [driver] alone; the program ends at the same place on both, on every motor."""
    source = find_source("industrial6")
    text = (source.parent / "cell.toml").read_text().replace(source.name, str(source))
    assert text.count('[driver]\nname = "physics"\n') == 1
    with started("pmac", tmp_path, moved_by("industrial6")) as side:
        address = side.options["address"]
        other = f'[driver]\nname = "pmac"\noptions = {{ address = "{address}", answers = 2.0, watchdog = 2.0 }}\n'
        ends = []
        for folder, driver in (("twin", '[driver]\nname = "physics"\n'), ("controller", other)):
            own = tmp_path / folder / "cell.toml"
            own.parent.mkdir()
            own.write_text(text.replace('[driver]\nname = "physics"\n', driver))
            with Cell.open(str(own), low_power=True, record=False, patience=1.0) as cell:
                cell.run(paper_2)
                time.sleep(0.5)
                ends.append((np.array(cell.state.q), np.array(cell.state.measured), np.array(cell.state.xyz)))
                assert cell.state.fault == ""
        (q, measured, xyz), (q_too, measured_too, xyz_too) = ends
        assert q == pytest.approx(q_too, abs=1e-9) and xyz == pytest.approx(xyz_too, abs=1e-9)
        assert measured == pytest.approx(measured_too, abs=1e-3), "the twin hangs by its weight; the PMAC's loop has none"
        assert side.place() == pytest.approx(q, abs=side.count)
        changed = set(re.findall(r".+", text)) ^ set(re.findall(r".+", own.read_text()))
        assert all(line.startswith(("name", "options")) for line in changed)
