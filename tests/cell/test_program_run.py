"""Programs on a cell: streamed, paused, stepped, stopped; inputs, outputs; lines typed one by one; Python."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from armillary.cell import Cell, RunState
from armillary.cell.python_program import run_python
from armillary.errors import ArmillaryError
from armillary.programs import BadProgram, Command, Dwell, MoveJoints, MoveLine, Pause, Say, SetOutput, SourceLine, WaitInput
from armillary.programs.languages import language_named
from armillary.runtime import Refused, State

HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
ASIDE = HOME + np.array([0.3, 0.0, 0.0, 0.0, 0.0, 0.2])


@pytest.fixture(scope="module")
def shared() -> Iterator[Cell]:
    with Cell.open("cobot6", driver="ideal", low_power=True, record=False, patience=2.0) as opened:
        yield opened


@pytest.fixture
def cell(shared: Cell) -> Iterator[Cell]:
    if shared.state.state == State.HOLDING:
        shared.stop()
    shared.wait()
    shared.move_joints(HOME)
    yield shared
    shared.stop()
    shared.wait()


def joints(goal: np.ndarray, line: int, blend: float = 0.0) -> MoveJoints:
    return MoveJoints(goal=tuple(goal.tolist()), source=SourceLine("a.arm", line), blend=blend)


def until(what: Callable[[], object], seconds: float = 10.0) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        time.sleep(0.002)


G_CODE = """G21 G90 G64 P0.1 F6000
#1 = 0
o1 while [#1 LT 4]
G91 G1 Y-20
Z10
Y20
Z-10
#1 = [#1 + 1]
o1 endwhile
(MSG,half way)
G4 P0.05
G2 Y-20 R10 F3000
M2
"""


def test_an_offset_is_kept_when_the_robot_comes_to_its_line(cell: Cell, tmp_path: Path) -> None:
    kept = cell.options_of(language_named("gcode"))["parameters"]
    path = tmp_path / "offset.ngc"
    path.write_text("G21 G90 G10 L2 P9 X3\nG91 G1 Y-40 F600\nG10 L2 P9 X7\nG1 Y40\nM2\n")
    run = cell.start(path)
    until(lambda: cell.state.state == State.MOVING and run.shown.line >= 3)
    run.stop()
    until(lambda: run.over)
    cell.wait()
    assert kept.is_file() and float(dict(line.split() for line in kept.read_text().splitlines())["5381"]) == 3.0
    path.write_text(path.read_text().replace("F600", "F6000"))
    cell.move_joints(HOME)
    cell.run(path)
    assert float(dict(line.split() for line in kept.read_text().splitlines())["5381"]) == 7.0


def test_g_code_is_driven_without_a_stop_between_its_moves(cell: Cell, tmp_path: Path) -> None:
    path = tmp_path / "square.ngc"
    path.write_text(G_CODE)
    begin = cell.state
    said: list[str] = []
    run = cell.start(path, listen=said.append)
    stood, seen = 0, set()
    until(lambda: cell.station.state["moves"] or run.over)
    while run.shown.line < 10 and not run.over:
        seen.add(run.line)
        time.sleep(0.002)
    while cell.state.state == State.MOVING and run.state == RunState.RUNNING and ":12" not in run.line:
        stood += float(np.abs(cell.station.state["v"]).max()) < 1e-9
        seen.add(run.line)
        time.sleep(0.002)
    run.wait()
    assert run.state == RunState.ENDED and said == ["half way"]
    assert cell.state.xyz == pytest.approx(begin.xyz + np.array([0.0, -0.02, 0.0]), abs=1e-6)
    assert cell.state.rpy == pytest.approx(begin.rpy, abs=1e-6)
    assert {int(line.rpartition(":")[2]) for line in seen if line} >= {4, 5, 6, 7}
    assert stood < 5, "a few looks at the begin and the end; none at the corners"


def test_what_it_says_is_said_where_the_robot_is(cell: Cell) -> None:
    heard: list[tuple[str, float]] = []
    program: list[Command] = [Say(text="begins"), joints(ASIDE, 1), Say(text="there"), joints(HOME, 2), Say(text="back")]
    cell.run(program, listen=lambda text: heard.append((text, float(cell.state.q[0]))))
    assert [text for text, _ in heard] == ["begins", "there", "back"]
    assert [q for _, q in heard] == pytest.approx([HOME[0], ASIDE[0], HOME[0]], abs=0.05)


def test_what_is_wrong_further_on_is_met_with_what_comes_before_it_driven(cell: Cell) -> None:
    here = cell.state
    far = MoveLine(xyz=(9.0, 9.0, 9.0), rpy=(0.0, 0.0, 0.0), source=SourceLine("a.arm", 3))
    with pytest.raises(ArmillaryError, match=r"a\.arm:3"):
        cell.run([joints(ASIDE, 1), joints(HOME + 0.1, 2), far])
    assert cell.state.q == pytest.approx(HOME + 0.1, abs=1e-6) and np.abs(here.q - cell.state.q).max() > 0.05


def test_a_wrong_number_of_joints_is_answered_with_its_line(cell: Cell) -> None:
    with pytest.raises(ArmillaryError, match=r"a\.arm:7: .*6"):
        cell.run([MoveJoints(goal=(1.0, 2.0), source=SourceLine("a.arm", 7))])


def test_what_is_no_command_is_refused(cell: Cell) -> None:
    with pytest.raises(BadProgram, match="5 is no command"):
        cell.run([5])  # type: ignore[list-item]


def test_pause_and_resume(cell: Cell) -> None:
    run = cell.start([joints(ASIDE, 1), joints(HOME, 2), joints(ASIDE, 3)])
    until(lambda: cell.state.state == State.MOVING)
    time.sleep(0.1)
    run.pause()
    until(lambda: not cell.station.state["moves"])
    place = cell.state.q
    time.sleep(0.2)
    assert cell.state.q == pytest.approx(place, abs=1e-12) and run.state.value == "paused" and not run.over
    run.resume()
    run.wait(20.0)
    assert run.state.value == "ended" and cell.state.q == pytest.approx(ASIDE, abs=1e-6)


def test_one_move_at_a_time(cell: Cell) -> None:
    goals = [HOME + 0.02 * k for k in range(1, 5)]
    run = cell.start([joints(goal, k, blend=0.01) for k, goal in enumerate(goals)], step=True)
    until(lambda: run.state == RunState.PAUSED)
    done: list[np.ndarray] = []
    for goal in goals[:2]:
        run.step()
        until(lambda: run.moves == len(done) + 1)
        done.append(goal)
        until(lambda: run.state == RunState.PAUSED and not cell.station.state["moves"])
        assert cell.state.q == pytest.approx(goal, abs=1e-6)
    run.resume()
    run.wait(20.0)
    assert cell.state.q == pytest.approx(goals[-1], abs=1e-6)


def test_a_step_from_a_pause_within_a_move_goes_no_further_than_its_end(cell: Cell) -> None:
    """All of the moves are handed over by then, and flow into each other."""
    goals = [HOME + 0.15 * (k % 2) + 0.01 * k for k in range(1, 9)]
    run = cell.start([joints(goal, k, blend=0.01) for k, goal in enumerate(goals, 1)])
    until(lambda: run.line.endswith(":2"))
    run.pause()
    until(lambda: run.state == RunState.PAUSED and not cell.station.state["moves"])
    seen = [run.line]
    while len(seen) < 4:
        run.step()
        until(lambda: run.line != seen[-1] or run.over)
        until(lambda: run.state == RunState.PAUSED and not cell.station.state["moves"])
        seen.append(run.line)
    assert [int(line.rpartition(":")[2]) for line in seen] == [2, 3, 4, 5]
    run.resume()
    run.wait(20.0)
    assert run.state == RunState.ENDED and cell.state.q == pytest.approx(goals[-1], abs=1e-6)


def test_stop_ends_the_program_on_its_path(cell: Cell) -> None:
    run = cell.start([joints(ASIDE, 1), joints(HOME, 2)])
    until(lambda: cell.state.state == State.MOVING)
    run.stop()
    run.wait(10.0)
    cell.wait()
    assert run.state == RunState.STOPPED and np.abs(cell.state.q - HOME).max() < 0.29


def test_a_pause_of_the_program_and_one_that_is_left_to_the_operator(cell: Cell) -> None:
    program: list[Command] = [Pause(optional=True), joints(ASIDE, 1), Pause(), joints(HOME, 2)]
    run = cell.start(program)
    until(lambda: run.state == RunState.PAUSED)
    assert cell.state.q == pytest.approx(ASIDE, abs=1e-6)
    run.resume()
    run.wait(20.0)
    asked = cell.start(program, optional_pauses=True)
    until(lambda: asked.state == RunState.PAUSED)
    assert cell.state.q == pytest.approx(HOME, abs=1e-6)
    asked.stop()
    asked.wait(5.0)


def test_outputs_and_inputs(cell: Cell) -> None:
    """The ideal robot's outputs come back as its inputs."""
    cell.run([SetOutput(index=3, value=True), WaitInput(index=3, condition="high", timeout=5.0), Say(text="came")])
    assert cell.inputs.digital(3) and cell.inputs.came()
    late = WaitInput(index=4, condition="rise", timeout=0.1, source=SourceLine("a.arm", 9))
    with pytest.raises(BadProgram, match=r"a\.arm:9: input 4 did not become rise in 0\.1 s"):
        cell.run([late])
    cell.run([WaitInput(index=4, condition="high", timeout=0.05, required=False), SetOutput(index=3, value=False)])
    assert not cell.inputs.came()
    cell.run([SetOutput(index=1, value=2.5), WaitInput(index=1, analog=True, condition="above", value=2.0, timeout=5.0)])
    assert cell.inputs.analog(1) == 2.5


def test_a_wait_can_be_stopped(cell: Cell) -> None:
    run = cell.start([WaitInput(index=9), joints(ASIDE, 1)])
    until(lambda: run.state == RunState.WAITING)
    run.stop()
    run.wait(5.0)
    assert run.state == RunState.STOPPED
    dwell = cell.start([Dwell(seconds=1000.0)])
    time.sleep(0.1)
    dwell.stop()
    dwell.wait(5.0)
    assert dwell.state == RunState.STOPPED


def test_lines_typed_one_by_one_keep_their_modes(cell: Cell) -> None:
    begin = cell.state
    typed = cell.typed_lines("gcode")
    typed.run("G91 G21 F3000")
    typed.run("G1 Y-10")
    typed.run("Z5")
    assert cell.state.xyz == pytest.approx(begin.xyz + np.array([0.0, -0.01, 0.005]), abs=1e-6)
    with pytest.raises(ArmillaryError):
        typed.run("G1 X99999")
    typed.run("Y10")
    assert cell.state.xyz == pytest.approx(begin.xyz + np.array([0.0, 0.0, 0.005]), abs=1e-6)
    assert len(typed.lines) == 4


def test_typed_robot_commands(cell: Cell) -> None:
    typed = cell.typed_lines("script")
    typed.run("x = 2")
    typed.run("DMOVEJ x 0 0 0 0 0")
    assert cell.state.q[0] == pytest.approx(HOME[0] + np.radians(2.0), abs=1e-6)
    with pytest.raises(BadProgram):
        typed.run("DMOVEJ y 0 0 0 0 0")


def test_from_a_line_on(cell: Cell, tmp_path: Path) -> None:
    path = tmp_path / "a.arm"
    path.write_text("x = 3\nDMOVEJ 9 0 0 0 0 0\nDMOVEJ x 0 0 0 0 0\n")
    cell.run(path, start_line=3)
    assert cell.state.q[0] == pytest.approx(HOME[0] + np.radians(3.0), abs=1e-6)


def test_a_program_in_python(cell: Cell, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("q = cell.state.q\nq[0] += 0.05\ncell.move_joints(q)\n")
    run_python(cell, path)
    assert cell.state.q[0] == pytest.approx(HOME[0] + 0.05, abs=1e-6)
    path.write_text("x = 1\ncell.move_joints([1, 2])\n")
    with pytest.raises(BadProgram, match=r"a\.py:2: "):
        run_python(cell, path)
    path.write_text("x = = 1\n")
    with pytest.raises(BadProgram, match=r"a\.py:1: it is no Python"):
        run_python(cell, path)


def test_somebody_elses_stop_ends_it_with_a_word(cell: Cell) -> None:
    run = cell.start([joints(ASIDE, 1), joints(HOME, 2)])
    until(lambda: cell.state.state == State.MOVING)
    cell.stop()
    with pytest.raises(Refused, match="stopped"):
        run.wait(10.0)
    assert run.state == RunState.STOPPED


def test_a_stop_while_the_program_is_read_is_not_passed_over(cell: Cell) -> None:
    """Nothing of what it reads afterwards is moved."""

    def slowly() -> Iterator[Command]:
        yield joints(HOME + 0.05, 1)
        time.sleep(1.0)
        yield joints(ASIDE, 2)

    run = cell.start(slowly())
    until(lambda: np.abs(cell.state.q - HOME - 0.05).max() < 1e-6)
    cell.stop()
    with pytest.raises(Refused, match="stopped"):
        run.wait(10.0)
    time.sleep(0.3)
    assert cell.state.q == pytest.approx(HOME + 0.05, abs=1e-6) and not cell.station.state["moves"]


def test_a_pause_while_the_program_is_read_holds_what_comes(cell: Cell) -> None:
    def slowly() -> Iterator[Command]:
        time.sleep(0.5)
        yield joints(ASIDE, 1)

    run = cell.start(slowly())
    run.pause()
    time.sleep(1.0)
    assert cell.state.q == pytest.approx(HOME, abs=1e-6)
    run.resume()
    run.wait(20.0)
    assert cell.state.q == pytest.approx(ASIDE, abs=1e-6)


def test_a_language_that_fails_further_on_loses_nothing_before(cell: Cell) -> None:
    def fails() -> Iterator[Command]:
        for k in range(1, 6):
            yield joints(HOME + 0.02 * k, k, blend=0.005)
        raise BadProgram("a.arm:6: what is this")

    with pytest.raises(BadProgram, match=r"a\.arm:6"):
        cell.run(fails())
    assert cell.state.q == pytest.approx(HOME + 0.1, abs=1e-6)


def test_inputs_are_looked_at_where_the_robot_is(cell: Cell, tmp_path: Path) -> None:
    """The input comes while the robot is under way: what the script asks behind the move sees it."""
    path = tmp_path / "a.arm"
    path.write_text("DMOVEJ 20 0 0 0 0 0\nIF INPUT(5)\n  DMOVEJ 0 0 0 0 0 5\nEND\n")
    cell.set_output(5, False)
    run = cell.start(path)
    until(lambda: cell.state.state == State.MOVING)
    cell.set_output(5, True)
    run.wait(20.0)
    assert cell.state.q[5] == pytest.approx(HOME[5] + np.radians(5.0), abs=1e-6)
    cell.set_output(5, False)


def test_outputs_that_go_with_the_next_move_are_all_set(cell: Cell, tmp_path: Path) -> None:
    path = tmp_path / "a.ngc"
    path.write_text("G91 G21 F3000\nM62 P6\nM62 P7\nG1 Z5\nM63 P6\nG1 Z-5\nM2\n")
    cell.run(path)
    assert not cell.inputs.digital(6) and cell.inputs.digital(7)
    cell.set_output(7, False)


def test_a_typed_pause_does_not_hang_and_an_input_that_is_not_there_is_told(cell: Cell) -> None:
    typed = cell.typed_lines("gcode")
    typed.run("M0")
    typed.run("T3 M6")
    with pytest.raises(ArmillaryError, match="63 is not a digital input"):
        cell.run([WaitInput(index=63)])
