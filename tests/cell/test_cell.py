"""A cell from Python: motions, queues, jogs, refusals, stops; on an ideal robot."""

import asyncio
import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from armillary.cell import AsyncCell, Cell, CellState
from armillary.errors import ArmillaryError
from armillary.model import frame_pose
from armillary.motion import NoMotion, plan_joints
from armillary.programs import MoveJoints, MovePose
from armillary.programs.command_values import values_of
from armillary.runtime import Refused, RuntimeProblem, State
from armillary.runtime.control_lease import NoControl
from armillary.spatial import axis_angle_rotation

pytestmark = [pytest.mark.slow, pytest.mark.alone]
HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
ASIDE = HOME + np.array([-1.5, 0.0, 0.0, 0.0, 0.0, 0.5])


@pytest.fixture(scope="module")
def shared() -> Iterator[Cell]:
    # Patient: what is tried here is not how punctual a busy machine is.
    with Cell.open("cobot6", driver="ideal", low_power=True, record=False, patience=2.0) as opened:
        yield opened


@pytest.fixture
def cell(shared: Cell) -> Iterator[Cell]:
    """Ready, at home, at full rate."""
    if shared.state.state == State.FAULTED:
        shared.reset()
    if shared.state.state in (State.OFF, State.STOPPED):
        shared.power_on()
    if shared.state.state == State.HOLDING:
        shared.stop()
    shared.override(1.0)
    shared.wait()
    shared.move_joints(HOME)
    yield shared
    shared.stop()
    shared.wait()


def moves(cell: Cell, seconds: float = 0.4, *, speed: float = 1.0) -> None:
    """Begin a long motion, and be in the middle of it."""
    cell.move_joints(ASIDE, wait=False, speed=speed)
    time.sleep(seconds)
    assert cell.state.state == State.MOVING


def heard(cell: Cell, text: str) -> None:
    """What has happened is told a moment after it has."""
    deadline = time.monotonic() + 2.0
    while not any(text in happening["text"] for happening in list(cell.station.happenings)[-3:]):
        assert time.monotonic() < deadline, list(cell.station.happenings)[-3:]
        time.sleep(0.01)


def test_moves(cell: Cell) -> None:
    here = cell.state
    assert here.state == State.READY and here.measured == pytest.approx(HOME, abs=1e-6)
    cell.move_line(here.xyz + np.array([0.0, -0.15, 0.05]), here.rpy, speed=0.1)
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
    with pytest.raises(Refused, match="three finite"):
        cell.move_line((np.nan, 0.0, 0.0), (0.0, 0.0, 0.0))
    with pytest.raises(Refused, match="blend"):
        cell.move_line((0.4, 0.0, 0.3), (0.0, 0.0, 0.0), blend=-1.0)
    assert cell.state.q == pytest.approx(before)


def test_hold_resume_and_override(cell: Cell) -> None:
    cell.override(0.4)
    moves(cell, 0.5)
    cell.hold()
    deadline = time.monotonic() + 5.0
    while np.abs(cell.state.v).max() > 0.0:
        assert time.monotonic() < deadline
    assert cell.state.state == State.HOLDING and cell.state.progress < 1.0
    cell.resume()
    cell.wait()
    assert cell.state.q == pytest.approx(ASIDE, abs=1e-6)
    with pytest.raises(Refused, match="cannot be followed"):
        cell.resume()


@pytest.mark.parametrize("category", [2, 1, 0])
def test_stops(cell: Cell, category: int) -> None:
    moves(cell)
    cell.stop(category)
    cell.station.wait(State.READY if category == 2 else State.OFF, timeout=3.0)
    assert np.abs(cell.state.v).max() == 0.0 and np.abs(cell.state.q - ASIDE).max() > 0.01


def test_a_long_plan_does_not_delay_a_stop(cell: Cell) -> None:
    """The planner is busy for seconds; a stop of the motion goes past it."""
    moves(cell, 0.2, speed=0.1)  # ten seconds of motion
    answers: list[object] = []

    def ask() -> None:
        try:
            goal = MovePose(xyz=(0.35, 0.1, 0.3), rpy=(-np.pi, 0.0, 2.0))
            cell.station.ask("move", {"what": "commands", "commands": [values_of(goal)], "around": True})
        except Exception as error:
            answers.append(error)

    planner = int(cell.station.processes["planner"]["pid"])
    os.kill(planner, signal.SIGSTOP)  # so that it is certainly busy
    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(0.3)  # what is asked for behind the stop is not refused
    begin = time.monotonic()
    cell.stop()
    cell.station.wait(State.READY, timeout=4.0)
    assert time.monotonic() - begin < 2.5  # the deadline of a stop: its braking time, on a busy machine
    assert np.abs(cell.state.q - ASIDE).max() > 0.01, "it did not merely arrive"
    os.kill(planner, signal.SIGCONT)
    for thread in threads:
        thread.join(60.0)
    assert len(answers) == 4, "what was being planned then is refused"
    cell.wait()


def test_a_stop_cancels_what_is_being_planned(cell: Cell) -> None:
    said: list[str] = []

    def ask() -> None:
        try:
            cell.move_joints(ASIDE)
        except RuntimeProblem as error:
            said.append(str(error))

    for pause in (0.0, 0.003, 0.008):
        before = cell.state.q
        thread = threading.Thread(target=ask)
        thread.start()
        time.sleep(pause)
        cell.stop()
        thread.join(20.0)
        cell.wait()
        assert np.abs(cell.state.q - ASIDE).max() > 0.05 and np.abs(cell.state.q - before).max() < 1.0
    assert len(said) == 3 and all("stopped" in text for text in said)


def test_another_ones_stop_ends_a_program(cell: Cell) -> None:
    other = Cell.connect(cell.station.folder.name)
    try:
        timer = threading.Timer(0.4, other.stop)
        timer.start()
        with pytest.raises(Refused, match="the program was stopped"):
            cell.run([MoveJoints(goal=tuple(ASIDE)), MoveJoints(goal=tuple(HOME))])
        cell.wait()
        assert np.abs(cell.state.q - ASIDE).max() > 0.05
    finally:
        other.close()


def test_a_queue_is_driven_without_a_stop_between(cell: Cell) -> None:
    here = cell.state
    speeds: list[float] = []
    corner = here.xyz + np.array([0.0, -0.12, 0.0])
    cell.move_line(corner, here.rpy, speed=0.1, blend=0.02, wait=False)
    cell.move_line(corner + np.array([0.0, 0.0, 0.1]), here.rpy, speed=0.1, blend=0.02, wait=False)
    last = cell.move_line(here.xyz, here.rpy, speed=0.1, wait=False)
    while cell.state.state == State.MOVING:
        speeds.append(float(np.abs(cell.state.v).max()))
        time.sleep(0.002)
    assert cell.state.xyz == pytest.approx(here.xyz, abs=1e-6)
    middle = speeds[len(speeds) // 8 : -len(speeds) // 8]
    assert min(middle) > 0.02, "it does not stop at the corners"
    assert last.duration > 1.0


def test_a_new_target_in_the_middle_of_a_motion(cell: Cell) -> None:
    """Further in the same direction, and a little aside: it does not stop where it changes over."""
    moves(cell, 0.6)
    goal = ASIDE + np.array([-0.5, 0.1, 0.0, 0.0, 0.0, -0.2])
    speeds = []
    cell.retarget(goal, wait=False)
    while cell.state.state == State.MOVING:
        record = cell.station.state
        speeds.append((float(record["q"][0]), float(np.abs(record["v"]).max())))
        time.sleep(0.002)
    slowest = min(speed for q, speed in speeds if q > goal[0] + 0.3)
    assert cell.state.q == pytest.approx(goal, abs=1e-6)
    assert slowest > 0.1, "it is never slow until it comes near to its new end"


def test_a_new_target_behind_the_robot(cell: Cell) -> None:
    moves(cell, 0.3)
    goal = HOME + np.array([0.3, 0.0, 0.0, 0.0, 0.0, -0.2])
    cell.retarget(goal)
    assert cell.state.q == pytest.approx(goal, abs=1e-6)


def test_jogging(cell: Cell) -> None:
    start = cell.state.xyz
    for _ in range(30):
        cell.jog_tool((0.0, -0.05, 0.0, 0.0, 0.0, 0.0))
        time.sleep(0.03)
    cell.release()
    cell.wait()
    gone = cell.state.xyz - start
    assert -0.06 < gone[1] < -0.015 and np.abs(gone[[0, 2]]).max() < 2e-4, f"straight along -y: {gone}"
    q = cell.state.q
    for _ in range(20):
        cell.jog_joints([0.2, 0.0, 0.0, 0.0, 0.0, 0.0])
        time.sleep(0.03)
    cell.release()
    cell.wait()
    assert 0.04 < cell.state.q[0] - q[0] < 0.2 and cell.state.q[1:] == pytest.approx(q[1:], abs=1e-9)


@pytest.mark.parametrize(("in_tool", "frame"), [(False, ""), (True, ""), (False, "tool")])
def test_jogging_in_steps(cell: Cell, in_tool: bool, frame: str) -> None:
    q = cell.state.q
    cell.jog_joints_by([0.05, 0.0, 0.0, 0.0, 0.0, -0.1])
    assert cell.state.q - q == pytest.approx([0.05, 0.0, 0.0, 0.0, 0.0, -0.1], abs=1e-6)
    before = frame_pose(cell.model, cell.state.q, cell.model.tip)
    cell.jog_tool_by([0.0, -0.02, 0.01, 0.0, 0.0, 0.1], in_tool=in_tool, frame=frame)
    in_tool = in_tool or frame == "tool"
    after = frame_pose(cell.model, cell.state.q, cell.model.tip)
    way = before[:3, :3] @ [0.0, -0.02, 0.01] if in_tool else np.array([0.0, -0.02, 0.01])
    turn = axis_angle_rotation((0.0, 0.0, 1.0), 0.1)
    assert after[:3, 3] - before[:3, 3] == pytest.approx(way, abs=1e-5)
    expected = before[:3, :3] @ turn if in_tool else turn @ before[:3, :3]
    assert after[:3, :3] == pytest.approx(expected, abs=1e-5)


def test_a_jog_that_is_not_renewed_stops_by_itself(cell: Cell) -> None:
    for _ in range(15):
        cell.jog_joints([0.3, 0.0, 0.0, 0.0, 0.0, 0.0])
        time.sleep(0.03)
    assert cell.state.state == State.MOVING
    begin = time.monotonic()
    cell.wait()
    assert time.monotonic() - begin < 0.1 + 1.5  # a tenth of a second, and braking, on a busy machine: a stop deadline


def test_a_jog_towards_itself_stops_before_it_touches(cell: Cell) -> None:
    cell.move_joints(HOME)
    for _ in range(300):
        cell.jog_joints([0.0, 0.0, -0.8, 0.0, 0.0, 0.0])
        time.sleep(0.02)
        if "comes within" in cell.station.jog_held_by:
            break
    cell.release()
    cell.wait()
    assert "link_1 comes within" in cell.station.jog_held_by and "link_3" in cell.station.jog_held_by
    assert cell.state.state == State.READY and cell.state.q[2] > -2.95


def test_held_to_run(cell: Cell) -> None:
    cell.move_joints(ASIDE, held=True)  # a program that waits holds it itself
    assert cell.state.q == pytest.approx(ASIDE, abs=1e-6)
    cell.move_joints(HOME, held=True, wait=False)
    for _ in range(10):
        cell.press()
        time.sleep(0.03)
    cell.wait()  # nobody presses any more
    assert np.abs(cell.state.q - HOME).max() > 0.05


def test_another_masters_set_points(cell: Cell) -> None:
    cell.follow()
    begin, seen, goal = time.monotonic(), 0, HOME
    while (t := time.monotonic() - begin) < 1.0 or (seen <= 10 and t < 30.0):  # a busy machine needs longer
        goal = HOME + np.array([0.2 * np.sin(2.0 * t), 0.0, 0.0, 0.0, 0.0, 0.0])
        cell.set_point(goal, np.array([0.4 * np.cos(2.0 * t), 0.0, 0.0, 0.0, 0.0, 0.0]))
        time.sleep(0.005)
        state = cell.state
        seen += state.state == State.MOVING and not state.certified
        if state.state == State.READY:  # a busy machine may be silent for a tenth of a second
            with contextlib.suppress(Refused):  # what was read may be of before the first
                cell.follow()
    assert seen > 10 and np.abs(cell.state.q[0] - HOME[0]) > 1e-3
    cell.wait()  # he is silent: it stops
    assert cell.state.certified
    heard(cell, "silent")


def test_a_finished_trajectory_is_proven_anew(cell: Cell) -> None:
    plan = plan_joints(cell.model, cell.state.q, HOME + 0.2)
    slow = plan.trajectory.slowed(6.0)
    cell.run_trajectory(slow)
    assert cell.state.q == pytest.approx(HOME + 0.2, abs=1e-6)
    with pytest.raises(Refused, match="begins"):
        cell.run_trajectory(slow)
    with pytest.raises(NoMotion, match="not proven"):
        cell.run_trajectory(slow.backwards().slowed(0.02))


def test_one_has_control(cell: Cell) -> None:
    cell.take_control("first")
    other = Cell.connect(cell.station.folder.name)
    try:
        with pytest.raises(NoControl, match="first has control"):
            other.move_joints(ASIDE)
        moves(cell)
        other.stop()  # anybody may
        cell.wait()
        other.take_control("second", force=True)
        with pytest.raises(NoControl, match="second has control"):
            cell.move_joints(HOME)
        other.move_joints(HOME)
    finally:
        other.close()
    time.sleep(0.1)
    cell.move_joints(ASIDE)


def test_calls_that_can_be_awaited(cell: Cell) -> None:
    async def main() -> None:
        awaited = cell.asynchronous
        await awaited.move_joints(HOME + 0.1)
        task = asyncio.create_task(awaited.move_joints(ASIDE))
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    cell.wait()
    assert np.abs(cell.state.q - ASIDE).max() > 0.05, "cancelled, it stops on the path"


# What answers at once: it reads, or says something that nobody waits for.
AT_ONCE = {
    "asynchronous", "input", "analog_input", "inputs", "jog_joints", "jog_tool", "options_of", "place", "press", "program",
    "release", "set_point", "start", "state", "surroundings", "typed_lines", "where",
}  # fmt: skip


def test_every_call_that_waits_can_be_awaited() -> None:
    calls = {name for name in vars(Cell) if not name.startswith("_")}
    assert calls - AT_ONCE <= {name for name in dir(AsyncCell) if not name.startswith("_")}


def test_a_cell_is_opened_and_closed_in_an_event_loop() -> None:
    async def main() -> str:
        async with await AsyncCell.open("cobot6", driver="ideal", record=False, low_power=True, patience=5.0) as opened:
            await opened.take_control("me")
            await opened.move_joints(opened.state.q + 0.05)
            assert (await opened.statistics())["work"]["count"] > 0
            folder = opened.cell.station.folder
            other = await AsyncCell.connect(folder.name)
            assert np.allclose(other.state.q, opened.state.q)
            await other.close()
            assert folder.exists(), "it belongs to who has opened it"
        assert not folder.exists()
        return folder.name

    name = asyncio.run(main())
    with pytest.raises(RuntimeProblem, match="no cell"):
        Cell.connect(name)


def test_what_cannot_be_opened() -> None:
    with pytest.raises(RuntimeProblem, match="no driver 'hope'"):
        Cell.open("cobot6", driver="hope")
    with pytest.raises(RuntimeProblem, match="no cell 'nowhere'"):
        Cell.connect("nowhere")
    with pytest.raises(RuntimeProblem, match="outside its limits"):
        Cell.open("cobot6", driver="ideal", start=[99.0] * 6)


def test_what_is_told_without_control_is_refused_the_next_time(cell: Cell) -> None:
    other = Cell.connect(cell.station.folder.name)
    try:
        cell.take_control("first")
        other.jog_joints(np.full(6, 0.01))  # nobody waits for the answer
        time.sleep(0.3)
        with pytest.raises(NoControl, match="first"):
            other.jog_joints(np.full(6, 0.01))
    finally:
        other.close()


def test_who_gives_back_control_while_it_moves_leaves_it_standing(cell: Cell) -> None:
    cell.move_joints(HOME + 0.5, wait=False)
    time.sleep(0.1)
    cell.station.ask("give_control")
    cell.wait()
    assert np.abs(cell.state.q - HOME).max() < 0.45


def comes(cell: Cell, wanted: Callable[[CellState], bool]) -> None:
    """What goes out comes back a moment later."""
    deadline = time.monotonic() + 5.0
    while not wanted(cell.state):
        assert time.monotonic() < deadline, cell.state
        time.sleep(0.001)


def test_inputs_and_outputs(cell: Cell) -> None:
    cell.set_output(4, True)
    cell.set_output(2, 1.25)
    here = cell.state
    assert here.outputs[4] and sum(here.outputs) == 1 and here.analog_outputs.tolist() == [0.0, 0.0, 1.25, *[0.0] * 5]
    assert (len(here.inputs), len(here.outputs), len(here.analog_inputs)) == (32, 32, 8)
    comes(cell, lambda state: state.inputs[4] and state.analog_inputs[2] == 1.25)
    assert cell.input(4) and not cell.input(5) and cell.analog_input(2) == 1.25
    moves(cell)
    cell.set_output(5, True)
    comes(cell, lambda state: state.inputs[5])
    assert cell.state.state == State.MOVING, "while it moves"
    cell.stop()
    cell.wait()
    assert cell.input(4) and cell.input(5), "they stay when motion stops"
    for index in (4, 5):
        cell.set_output(index, False)
    cell.set_output(2, 0.0)
    comes(cell, lambda state: not any(state.inputs) and not state.analog_inputs.any())


def test_inputs_can_be_simulated(cell: Cell) -> None:
    cell.simulate_input(11, True)
    cell.simulate_input(3, -4.0)
    assert cell.input(11) and cell.analog_input(3) == -4.0, "at once"
    assert cell.state.forced == (11,) and cell.state.forced_analog == (3,), "everybody can see which are held"
    cell.simulate_input(11, None)
    cell.simulate_input(3, None, analog=True)
    assert not cell.input(11) and cell.analog_input(3) == 0.0
    assert not cell.state.forced and not cell.state.forced_analog


@pytest.mark.parametrize(("index", "value"), [(32, True), (8, 1.0), (-1, True), ("a", True), (0, "on"), (0, np.nan), (0, None)])
def test_outputs_that_are_none_are_refused_in_words(cell: Cell, index: Any, value: Any) -> None:
    with pytest.raises(Refused, match=r"the motor side has|is no index|is no value"):
        cell.set_output(index, value)
    assert not any(cell.state.outputs)


def test_inputs_that_are_none_are_refused_in_words(cell: Cell) -> None:
    for index in (32, -1, 1.5, "a"):
        with pytest.raises(Refused, match="is not a digital input: the motor side has 32, counted from 0"):
            cell.input(index)  # type: ignore[arg-type]
    with pytest.raises(Refused, match="8 is not an analogue input: the motor side has 8"):
        cell.analog_input(8)


def test_outputs_need_control(cell: Cell) -> None:
    other = Cell.connect(cell.station.folder.name)
    try:
        cell.take_control("first")
        for ask in (other.set_output, other.simulate_input):
            with pytest.raises(NoControl, match="first"):
                ask(0, True)
        assert not cell.input(0) and not cell.state.outputs[0] and not other.input(0), "anybody may look"
    finally:
        other.close()


def test_after_an_executor_was_killed_outputs_begin_at_zero() -> None:
    """On the twin, which lives on: its outputs stay as they were until the new executor drives it."""
    with Cell.open("cobot6", low_power=True, record=False, patience=2.0) as cell:
        cell.set_output(6, True)
        cell.set_output(1, 3.5)
        comes(cell, lambda state: state.inputs[6] and state.analog_inputs[1] == 3.5)
        os.kill(int(cell.station.processes["executor"]["pid"]), signal.SIGKILL)
        comes(cell, lambda state: state.state == State.FAULTED)
        assert not any(cell.state.outputs) and not cell.state.analog_outputs.any()
        with pytest.raises(Refused, match="while it is FAULTED"):
            cell.set_output(6, True)
        cell.reset()
        comes(cell, lambda state: not any(state.inputs) and not state.analog_inputs.any())
        cell.set_output(6, True)
        comes(cell, lambda state: state.inputs[6])


def test_a_closed_cell_says_so(cell: Cell) -> None:
    other = Cell.connect(cell.station.folder.name)
    other.close()
    with pytest.raises(RuntimeProblem, match="closed"):
        other.move_joints(HOME)
    with pytest.raises(RuntimeProblem, match="closed"):
        _ = other.state


@pytest.mark.parametrize("goal", ["abc", None, [1, "x", 3, 4, 5, 6], [[1, 2], [3]]])
def test_what_is_no_goal_is_refused_in_words(cell: Cell, goal: Any) -> None:
    with pytest.raises(ArmillaryError, match="goal"):
        cell.move_joints(goal)
