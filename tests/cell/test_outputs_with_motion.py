"""Outputs that change with a motion (M62, M63, M67), from the program to the motor side: without a stop, at their place, once."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from armillary.cell import Cell
from armillary.errors import ArmillaryError
from armillary.motion import tool_pose
from armillary.programs import Command, Dwell, MoveJoints, MoveLine, SetOutput, SourceLine
from armillary.runtime import Refused
from armillary.runtime.recording import Recording

pytestmark = pytest.mark.slow
Array = NDArray[np.float64]
HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
WAYS = np.array([[0.0, 0.0, 0.0], [0.0, -0.06, 0.0], [0.0, 0.0, 0.04], [0.0, 0.06, 0.0], [0.0, 0.0, -0.04]])
PATH = """G21 G91 G64 P1 F6000
M62 P1
G1 Y-60
M62 P6
M67 E1 Q2.5
G1 Z40
M63 P6
M62 P5
G1 Y60
M67 E1 Q7
G1 Z-40
M62 P9
M2
"""


@pytest.fixture(scope="module")
def shared() -> Iterator[Cell]:
    with Cell.open("cobot6", driver="ideal", low_power=True, record=False, patience=2.0) as opened:
        yield opened


@pytest.fixture
def cell(shared: Cell) -> Cell:
    shared.wait()
    shared.move_joints(HOME)
    for index in range(12):
        shared.set_output(index, False)
    return shared


def driven(folder: Path, text: str, pace: str) -> tuple[Cell, Recording, bytes]:
    """What a program does from home on the ideal robot."""
    folder.mkdir()
    path = folder.parent / "a.ngc"  # recordings name it: the same one for all
    path.write_text(text)
    opened = Cell.open(
        "cobot6", driver="ideal", pace=pace, recordings=str(folder), start=HOME.tolist(), low_power=True, patience=2.0
    )
    with opened as cell:
        cell.run(path)
    (file,) = folder.glob("*.mcap")
    return cell, Recording.open(file), file.read_bytes()


def changes(cell: Cell, recording: Recording) -> list[tuple[int, float, Array, float]]:
    """Each time that an output changes: the digital ones, analogue 1, where the tool is [m], and the fastest joint [rad/s]."""
    found: list[tuple[int, float, Array, float]] = []
    before = (0, 0.0)
    for each in recording.inputs_outputs:
        now = (each.outputs, float(each.analog_outputs[1]))
        if now != before:
            k = int(np.argmin(np.abs(recording.time - each.time)))
            tool = tool_pose(cell.model, recording.q[k], base=cell.model.reference)[:3, 3]
            found.append((*now, tool, float(np.abs(recording.v[k]).max())))
        before = now
    return found


@pytest.mark.parametrize("pace", ["lock_step", pytest.param("real", marks=pytest.mark.alone)])
def test_they_change_at_the_corners_of_a_blended_path_while_it_moves(tmp_path: Path, pace: str) -> None:
    cell, recording, _ = driven(tmp_path / "a", PATH, pace)
    found = changes(cell, recording)
    assert [(bits, value) for bits, value, _, _ in found] == [(2, 0.0), (66, 2.5), (34, 2.5), (34, 7.0)], "and never P9"
    begins = tool_pose(cell.model, HOME, base=cell.model.reference)[:3, 3] + np.cumsum(WAYS, axis=0)
    for (_, _, tool, speed), corner in zip(found[1:], begins[1:], strict=False):
        # A rounding that stays within 1 mm of the corner is begun 4 mm before it.
        assert np.linalg.norm(tool - corner) < 5e-3 and speed > 0.02
    assert np.linalg.norm(found[0][2] - begins[0]) < 1e-3, "the first as it begins"
    moving = np.flatnonzero([bool(line) for line in recording.source])
    inside = np.abs(recording.v[moving[100] : moving[-100]]).max(axis=1)
    assert inside.min() > 0.005, "nowhere does it stop"


def test_the_same_program_gives_the_same_bytes(tmp_path: Path) -> None:
    _, _, one = driven(tmp_path / "one", PATH, "lock_step")
    _, _, two = driven(tmp_path / "two", PATH, "lock_step")
    assert one == two


def test_those_that_are_set_at_once_still_stop_for_it(tmp_path: Path) -> None:
    text = PATH.replace("M62", "M64").replace("M63", "M65").replace("M67", "M68")
    cell, recording, _ = driven(tmp_path / "a", text, "lock_step")
    found = changes(cell, recording)
    assert found[-1][:2] == (1 << 1 | 1 << 5 | 1 << 9, 7.0) and max(speed for *_, speed in found) < 1e-6
    begins = tool_pose(cell.model, HOME, base=cell.model.reference)[:3, 3] + np.cumsum(WAYS, axis=0)
    assert all(np.linalg.norm(begins - tool, axis=1).min() < 1e-5 for _, _, tool, _ in found)


@pytest.mark.alone
def test_many_short_lines_each_with_a_value_of_its_own_are_driven_as_one(tmp_path: Path) -> None:
    """As a laser's power along a curve: every value comes, once, in order, at its place."""
    angles = np.linspace(0.0, 2.0, 61)
    points = 30.0 * np.column_stack([np.sin(angles), np.cos(angles) - 1.0])
    steps = "".join(
        f"M67 E1 Q{k + 1}\nG1 Y{-dy:.5f} Z{-dz:.5f}\n" for k, (dy, dz) in enumerate(np.diff(points, axis=0).tolist())
    )  # fmt: skip
    cell, recording, _ = driven(tmp_path / "a", f"G21 G91 G64 P0.05 F3000\n{steps}M2\n", "real")
    found = changes(cell, recording)
    assert [value for _, value, _, _ in found] == [float(k + 1) for k in range(60)]
    ways = 1e-3 * np.column_stack([0.0 * angles, -points])
    begins = tool_pose(cell.model, HOME, base=cell.model.reference)[:3, 3] + ways
    assert max(np.linalg.norm(tool - begin) for (_, _, tool, _), begin in zip(found, begins, strict=False)) < 3e-3
    moving = [speed > 1e-3 for *_, speed in found]
    assert sum(moving) > 40, "where the first few lines are handed over alone it may stop between them"


def with_motion(index: int, value: bool | float, line: int) -> SetOutput:
    return SetOutput(index=index, value=value, with_motion=True, source=SourceLine("a.ngc", line))


def test_an_output_that_there_is_not_is_told_with_its_line_and_what_comes_behind_is_not_moved(cell: Cell) -> None:
    away = MoveJoints(goal=tuple((HOME + 0.1).tolist()), source=SourceLine("a.ngc", 2))
    with pytest.raises(Refused, match=r"a\.ngc:1: there is no digital output 40"):
        cell.run([with_motion(40, True, 1), away])
    with pytest.raises(Refused, match=r"a\.ngc:1: there is no analogue output 9"):
        cell.run([with_motion(9, 0.5, 1), away])
    assert np.abs(cell.state.q - HOME).max() < 1e-9


@pytest.mark.parametrize("blend", [0.0, 0.02])
def test_a_move_that_brings_one_that_there_is_not_is_refused_with_its_line(cell: Cell, blend: float) -> None:
    goal = tuple((HOME + 0.1).tolist())
    with pytest.raises(Refused, match=r"a\.ngc:3: there is no digital output 40"):
        cell.run([MoveJoints(goal=goal, blend=blend, outputs=((40, True),), source=SourceLine("a.ngc", 3))])
    assert np.abs(cell.state.q - HOME).max() < 1e-9


def test_an_error_behind_them_names_its_line_and_nothing_of_ours(cell: Cell, tmp_path: Path) -> None:
    path = tmp_path / "far.ngc"
    path.write_text("G21 G91 G64 P1 F6000\nM62 P1\nG1 Y-20\nG1 Z20\nM63 P1\nG1 X9000\nM2\n")
    with pytest.raises(ArmillaryError, match=r"far\.ngc:6") as told:
        cell.run(path)
    assert str(told.value).isprintable() and cell.state.outputs[1], "what comes before was driven, with its outputs"


def test_a_move_that_goes_nowhere_leaves_them_to_the_next_and_a_wait_between_too(cell: Cell) -> None:
    here = MoveJoints(goal=tuple(HOME.tolist()))
    away = MoveJoints(goal=tuple((HOME + 0.05).tolist()))
    seen: list[bool] = []

    def program() -> Iterator[Command]:
        yield with_motion(3, True, 1)
        yield here
        yield Dwell(seconds=0.01)
        seen.append(cell.state.outputs[3])
        yield with_motion(4, True, 2)
        yield away
        yield Dwell(seconds=0.01)
        seen.append(cell.state.outputs[3] and cell.state.outputs[4])
        yield with_motion(3, False, 3)
        yield away

    cell.run(program())
    assert seen == [False, True] and cell.state.outputs[3], "and what waits at the end is dropped"
    cell.run([here])
    assert cell.state.outputs[3], "also by the next program"


def test_a_stop_drops_what_was_to_come(cell: Cell) -> None:
    """Slow lines with a blend: stopped in the first, the second's output is never set, nor by a later motion."""
    T = tool_pose(cell.model, HOME, base=cell.model.reference)
    rpy = tuple(cell.state.rpy.tolist())
    first = MoveLine(xyz=tuple(np.add(T[:3, 3], (0.0, -0.05, 0.0)).tolist()), rpy=rpy, speed=0.05, blend=0.005)
    second = MoveLine(xyz=tuple(np.add(T[:3, 3], (0.0, -0.05, 0.05)).tolist()), rpy=rpy, speed=0.05)
    run = cell.start([first, with_motion(7, True, 2), second])
    while float(cell.station.state["motion_time"]) < 0.3:
        assert not run.over
    run.stop()
    run.wait(20.0)
    cell.wait()
    cell.move_joints(HOME)
    assert not cell.state.outputs[7]


def test_one_typed_line_sets_it_as_the_next_begins(cell: Cell) -> None:
    typed = cell.typed_lines("gcode")
    typed.run("M62 P8")
    assert not cell.state.outputs[8]
    typed.run("G91 G1 Z2 F3000")
    assert cell.state.outputs[8]
