"""Processes killed and stopped in the middle of a motion, in the physics twin.

Each time: the robot comes to rest by when the docs say, the reason is recorded, nothing is replayed, and a reset brings the same
cell back.
"""

import ast
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import armillary
from armillary.cell import Cell
from armillary.drivers import Feedback
from armillary.drivers.physics import PhysicsDriver
from armillary.model import load_model
from armillary.motion import limits_of
from armillary.runtime import Board, RuntimeProblem, State
from armillary.runtime.board_kinds import state_kind
from armillary.runtime.recording import Recording
from tests.faults.recorded_rest import begin_of, braking_time, path_stop_time, recorded_fault, recorded_past, recorded_rest

pytestmark = [pytest.mark.slow, pytest.mark.alone]
HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
WAY = np.array([2.0, -0.3, 0.4, 0.2, 0.3, 0.6])  # some four seconds
PATIENCE = 0.8  # s: a busy machine may be late by some tenths; what is injected is longer
WATCHDOG, SILENCE = PATIENCE, 2.0 * PATIENCE  # s: after which the motor side brakes, and the executor where it hears nothing
BUSY = 0.3  # s that a busy machine adds to each of them
STANDS = 8.0  # s: watchdog, braking, and the pauses of a busy machine

STEPPING_CLOCK = """
import pathlib, time
_time, _time_ns = time.time, time.time_ns
_step = lambda: float(pathlib.Path({file!r}).read_text() or 0.0)
time.time = lambda: _time() + _step()
time.time_ns = lambda: _time_ns() + int(1e9 * _step())
"""


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A file system of its own for the recordings, small enough to be filled; an ordinary folder where none can be mounted."""
    place = tmp_path_factory.mktemp("disk")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400m", "tmpfs", str(place)], capture_output=True, check=False)
    yield place
    if place.is_mount():
        subprocess.run(["umount", "-l", str(place)], check=False)


@pytest.fixture(scope="module")
def clock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """By how much the wall clock of the station is wrong [s], in a file."""
    file = tmp_path_factory.mktemp("clock") / "step"
    file.write_text("0")
    (file.parent / "sitecustomize.py").write_text(STEPPING_CLOCK.format(file=str(file)))
    return file


@pytest.fixture(scope="module")
def running(disk: Path, clock: Path) -> Iterator[Cell]:
    """One station for all: whatever is done to it, a reset brings it back."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", f"{clock.parent}:{os.environ.get('PYTHONPATH', '')}")
        opened = Cell.open("cobot6", low_power=True, recordings=str(disk / "recordings"), patience=PATIENCE)
    with opened:
        yield opened


@pytest.fixture
def cell(running: Cell) -> Iterator[Cell]:
    """Ready; its own connection, since some tests kill the front."""
    front = Cell.connect(running.station.folder.name)
    try:
        front.take_control("the test", force=True)
        bring_back(front)
        yield front
    finally:
        front.close()


def bring_back(cell: Cell) -> None:
    deadline = time.monotonic() + 10.0
    while True:
        try:
            state = cell.state.state
            if state == State.FAULTED:
                cell.reset()
            elif state in (State.OFF, State.STOPPED):
                cell.power_on()
            cell.wait(timeout=10.0)
            return
        except RuntimeProblem:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def other_end(cell: Cell) -> NDArray[np.float64]:
    """A way of some seconds from where the robot is, back or forth."""
    q = cell.state.q
    goal = max((HOME, HOME + WAY), key=lambda end: float(np.abs(q - end)[1:].max())).copy()
    goal[0] = q[0] + (WAY[0] if q[0] < HOME[0] + 0.5 * WAY[0] else -WAY[0])
    return goal


def go(cell: Cell, rng: np.random.Generator) -> NDArray[np.float64]:
    """Be somewhere in the middle of a motion of some seconds; where it leads to."""
    goal = other_end(cell)
    assert cell.move_joints(goal, wait=False).duration > 3.0
    time.sleep(rng.uniform(0.3, 1.4))
    assert cell.state.state == State.MOVING, cell.state.fault
    return goal


def process_of(cell: Cell, name: str) -> int:
    return int(cell.station.processes[name]["pid"])


def kill(cell: Cell, name: str) -> float:
    """When it was."""
    before, killed = process_of(cell, name), time.monotonic()
    os.kill(before, signal.SIGKILL)
    while process_of(cell, name) in (0, before):
        assert time.monotonic() < killed + 5.0, f"the {name} is not started again"
        time.sleep(0.01)
    return killed


def wait_until_it_rests(cell: Cell) -> None:
    """At its end, or stopped."""
    deadline = time.monotonic() + 2.0 * STANDS
    while True:
        record = cell.station.state
        fresh = time.monotonic() - float(record["time"]) < 0.2
        if fresh and not record["moves"] and record["state"] in (State.READY, State.FAULTED):
            return
        assert time.monotonic() < deadline, f"it still moves: {record}"
        time.sleep(0.01)


def fault_of(cell: Cell) -> str:
    """What it is FAULTED for, once it is."""
    deadline = time.monotonic() + STANDS
    while cell.state.state != State.FAULTED:
        assert time.monotonic() < deadline, f"no fault: {cell.state}"
        time.sleep(0.01)
    return cell.state.fault


def check_that_it_comes_back(cell: Cell, place: NDArray[np.float64], goal: NDArray[np.float64]) -> None:
    assert np.abs(place - goal).max() > 0.05, "it was on its way"
    bring_back(cell)
    time.sleep(0.3)
    assert cell.state.measured == pytest.approx(place, abs=5e-3), "nothing is replayed"
    cell.move_joints(cell.state.q + 0.02)


def test_the_executor_is_killed(cell: Cell, seed: int) -> None:
    """Where the robot stands only the twin can say then, and it is asked when the bound is over."""
    goal = go(cell, np.random.default_rng(seed))
    speed = np.abs(cell.station.state["v"]) + 0.05  # it may have become faster since it was read
    killed = kill(cell, "executor")
    fault = fault_of(cell)  # the new one tells why
    assert "signal 9" in fault
    time.sleep(max(killed + WATCHDOG + braking_time(cell.model, speed) + BUSY - time.monotonic(), 0.0))
    place = stands_at(cell)
    recorded_fault(cell, fault, killed)
    check_that_it_comes_back(cell, place, goal)


def stands_at(cell: Cell) -> NDArray[np.float64]:
    """Asked of the twin itself, while it has no executor."""
    port = json.loads((cell.station.folder / "twin.json").read_text())["port"]
    watcher = PhysicsDriver(("127.0.0.1", port), cell.model.joints, digest=cell.model.digest)
    feedback, deadline = Feedback.of(cell.model.n), time.monotonic() + 5.0
    watcher.open()
    try:
        while not (watcher.read(feedback) and np.isfinite(feedback.q).all()):
            assert time.monotonic() < deadline
        assert np.abs(feedback.v).max() < 5e-3, "it stands"
        place = feedback.q.copy()
        time.sleep(0.2)
        watcher.read(feedback)
        assert feedback.q == pytest.approx(place, abs=2e-3), "and stays there"
    finally:
        watcher.close()
    return place


def test_the_twin_is_killed(cell: Cell, seed: int) -> None:
    """The robot itself is gone: there is nothing that could move until a new one stands where it was last seen."""
    goal = go(cell, np.random.default_rng(seed))
    killed = kill(cell, "twin")
    fault = fault_of(cell)
    assert "link is lost" in fault or "nothing was heard" in fault
    place = cell.state.measured
    _, when = recorded_fault(cell, fault, killed)
    assert when - killed < SILENCE + BUSY
    recording, after = recorded_past(cell, when + 0.01)
    assert np.abs(recording.v[after]).max() == 0.0, "nothing is commanded any more"
    bring_back(cell)
    assert cell.state.measured == pytest.approx(place, abs=0.1), "the new one stands where the old one was last seen"
    assert np.abs(cell.state.q - goal).max() > 0.05
    cell.move_joints(cell.state.q + 0.02)


def test_the_front_is_killed(cell: Cell, seed: int) -> None:
    goal = go(cell, np.random.default_rng(seed))
    killed = kill(cell, "front")
    fault = fault_of(cell)
    assert "nobody watched over the motion" in fault or "no sign of life" in fault
    place = recorded_rest(cell, fault, killed, killed + SILENCE + path_stop_time(cell.model) + BUSY)
    deadline = time.monotonic() + 5.0
    while not (cell.station.folder / "front.sock").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    check_that_it_comes_back(cell, place, goal)  # the same connection finds the one that was started again


@pytest.mark.parametrize("name", ["planner", "jogger", "recorder"])
def test_a_helper_is_killed_and_the_motion_goes_on(cell: Cell, name: str, seed: int) -> None:
    goal = go(cell, np.random.default_rng(seed))
    before = cell.station.processes[name]["restarts"]
    kill(cell, name)
    cell.wait()
    assert cell.state.q == pytest.approx(goal, abs=1e-6) and not cell.state.fault
    assert cell.station.processes[name]["restarts"] == before + 1
    cell.move_joints(cell.state.q + 0.02)  # planned by the new one


def test_a_planner_that_is_killed_while_it_plans_keeps_nobody_waiting(cell: Cell) -> None:
    os.kill(process_of(cell, "planner"), signal.SIGSTOP)  # so that it is certainly busy
    said: list[str] = []

    def ask() -> None:
        try:
            cell.move_joints(other_end(cell))
        except RuntimeProblem as error:
            said.append(str(error))

    asking = threading.Thread(target=ask)
    asking.start()
    time.sleep(0.2)
    os.kill(process_of(cell, "planner"), signal.SIGKILL)
    asking.join(20.0)
    assert said and "ask again" in said[0]
    cell.move_joints(cell.state.q + 0.05)


def test_a_plan_that_comes_too_late_moves_nothing(cell: Cell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("armillary.cell.cell._PLANNING", 0.3)
    planner, before = process_of(cell, "planner"), cell.state.q
    os.kill(planner, signal.SIGSTOP)
    try:
        with pytest.raises(RuntimeProblem, match=r"longer than 0\.3 s; nothing more of this is moved"):
            cell.move_joints(other_end(cell))
    finally:
        os.kill(planner, signal.SIGCONT)
    time.sleep(1.0)
    assert np.array_equal(cell.state.q, before)
    monkeypatch.undo()
    cell.move_joints(cell.state.q + 0.05)


def pause_of(rng: np.random.Generator, seed: int) -> float:
    """From 5 ms to 5 s, each octave as often as another: short ones and long ones in turn [s]."""
    low, high = (0.005, 0.16) if seed % 2 == 0 else (0.16, 5.0)
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


@pytest.mark.parametrize("name", ["executor", "twin", "front"])
def test_a_process_is_stopped_for_a_while(cell: Cell, name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    pause, goal = pause_of(rng, seed), go(cell, rng)
    pid = process_of(cell, name)
    stopped = time.monotonic()
    os.kill(pid, signal.SIGSTOP)
    time.sleep(pause)
    os.kill(pid, signal.SIGCONT)
    borne = SILENCE if name == "front" else WATCHDOG
    wait_until_it_rests(cell)
    if not cell.state.fault:
        assert pause < borne + BUSY, f"it goes on after {pause:.2f} s"
        assert cell.state.q == pytest.approx(goal, abs=1e-6)
        return
    fault = cell.state.fault
    assert pause > 0.5 * borne, f"{pause:.3f} s are borne: {fault}"
    # What the motor side does while its executor sleeps, or the robot while it sleeps itself, is known when it is awake again.
    noticed = {"executor": WATCHDOG, "twin": max(pause, SILENCE), "front": SILENCE}[name]
    place = recorded_rest(cell, fault, stopped, stopped + noticed + path_stop_time(cell.model) + BUSY)
    check_that_it_comes_back(cell, place, goal)


def test_everything_is_stopped_for_a_while(cell: Cell, seed: int) -> None:
    rng = np.random.default_rng(seed)
    goal = go(cell, rng)
    pids = [process_of(cell, name) for name in ("front", "planner", "executor", "twin", "recorder")]
    stopped = time.monotonic()
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(rng.uniform(1.5, 5.0))
    for pid in pids:
        os.kill(pid, signal.SIGCONT)
    goes_on = time.monotonic()
    place = recorded_rest(cell, fault_of(cell), stopped, goes_on + WATCHDOG + path_stop_time(cell.model) + BUSY)
    check_that_it_comes_back(cell, place, goal)


def test_a_disk_that_fills_up_stops_nothing(cell: Cell, disk: Path) -> None:
    """The recorder meets ENOSPC in the middle of a motion: it says so, the motion goes on, and with room it records again."""
    if not disk.is_mount():
        pytest.skip("a small disk cannot be mounted here: it takes root")
    other, goal = disk / "other", other_end(cell)
    other.write_bytes(b"x" * 65536)  # so that some room can be made again, however much the recorder has taken
    try:
        cell.move_joints(goal, wait=False)
        with other.open("wb") as growing, contextlib.suppress(OSError):
            while True:  # until there is no room; the recorder takes some too
                growing.write(b"x" * 65536)
                growing.flush()
        cell.wait()
        assert cell.state.q == pytest.approx(goal, abs=1e-6) and not cell.state.fault
        deadline = time.monotonic() + 5.0
        while "No space left" not in cell.station.recording["problem"]:
            assert time.monotonic() < deadline, cell.station.recording
            time.sleep(0.05)
    finally:
        other.unlink()
    cell.move_joints(cell.state.q + 0.1)
    deadline = time.monotonic() + 12.0
    while cell.station.recording["problem"]:
        assert time.monotonic() < deadline, cell.station.recording
        time.sleep(0.05)
    assert Path(cell.station.recording["file"]).exists()


def test_a_step_of_the_clock_moves_nothing(cell: Cell, clock: Path) -> None:
    """The wall clock of every process of the station steps by an hour, forth and back, in the middle of a motion."""
    try:
        for step in (3600.0, -3600.0):
            goal = other_end(cell)
            cell.move_joints(goal, wait=False)
            time.sleep(0.3)
            clock.write_text(str(step))
            cell.wait()
            assert cell.state.q == pytest.approx(goal, abs=1e-6) and not cell.state.fault
        script = "import time; print(time.time())"
        environment = {**os.environ, "PYTHONPATH": str(clock.parent)}
        said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
        assert float(said.stdout) - time.time() == pytest.approx(step, abs=60.0), "processes of the station are told so"
        path = Path(cell.station.recording["file"])
    finally:
        clock.write_text("0")
    recorded = Recording.open(path)
    assert (np.diff(recorded.time) > 0.0).all() and recorded.time[-1] < 1800.0, "nor does it move the recording's time"


PROGRAM = """
import sys, time
from armillary.cell import Cell
cell = Cell.open("cobot6", driver={driver!r}, low_power=True, recordings={recordings!r}, patience=0.8)
cell.move_joints({home})
print(cell.station.folder, flush=True)
sys.stdin.readline()
cell.move_joints({away}, wait=False)
print("moves", flush=True)
time.sleep(60)
"""
KILLED = [(who, driver) for who in ("program", "supervisor") for driver in ("ideal", "physics")]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[tuple[str, str], "subprocess.Popen[str]"]]:
    """Programs with a cell each, all started at once: they wait until they are told to move."""
    started = {}
    for who, driver in KILLED:
        recordings = str(tmp_path_factory.getbasetemp() / f"{who}-{driver}")
        code = PROGRAM.format(driver=driver, recordings=recordings, home=HOME.tolist(), away=(HOME + WAY).tolist())
        started[who, driver] = subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
    yield started
    for each in started.values():
        each.kill()
        each.communicate()


@pytest.mark.parametrize(("who", "driver"), KILLED)
def test_who_started_the_cell_or_watches_over_it_is_killed(
    programs: dict[tuple[str, str], "subprocess.Popen[str]"], tmp_path_factory: pytest.TempPathFactory, who: str, driver: str
) -> None:
    """Everything stops on the path, powers off and ends; nothing is left behind but the folder."""
    program = programs[who, driver]
    assert program.stdout is not None and program.stdin is not None
    folder = Path(program.stdout.readline().strip())
    pids = {path.stem: int(path.read_text()) for path in folder.glob("*.pid")}
    assert len(pids) >= 5 + (driver == "physics")
    state = Board(folder / "state", state_kind(6))
    program.stdin.write("\n")
    program.stdin.flush()
    assert program.stdout.readline() == "moves\n"
    time.sleep(0.7)
    assert state.read()[1]["moves"][0]
    os.kill(program.pid if who == "program" else pids["supervisor"], signal.SIGKILL)
    killed = time.monotonic()
    while any(_lives(pid) for name, pid in pids.items() if name != "supervisor" or who == "program"):
        assert time.monotonic() < killed + STANDS + 8.0, "something still runs"
        time.sleep(0.05)
    last = state.read()[1][0]
    state.close()
    assert State(last["state"]) == State.OFF and not last["moves"] and np.abs(last["v"]).max() == 0.0
    assert np.abs(last["q"] - HOME - WAY).max() > 0.05, "it stopped on the way"
    (file,) = (tmp_path_factory.getbasetemp() / f"{who}-{driver}").glob("*.mcap")
    recording = Recording.open(file)
    begin = begin_of(recording)
    assert recording.whole and recording.events[-1].kind == "STOP_AND_POWER_OFF" and recording.events[-1].state == "OFF"
    assert who == "program" or recording.events[-1].text == "the supervisor is gone"
    stood = begin + recording.time[np.abs(recording.v).max(axis=1) > 0.0][-1]
    model = load_model("cobot6")
    assert stood - killed < path_stop_time(model) + BUSY, "at once"
    assert (np.abs(recording.a) <= 1.001 * limits_of(model).acceleration).all()
    # The motor side followed to the end: the way is as commanded, and it was not left to its watchdog.
    moving = (recording.time + begin > killed - 0.3) & (recording.time + begin < stood)
    assert np.abs(recording.q - recording.measured_q)[moving].max() < 0.05


def test_who_starts_a_cell_is_killed_before_it_runs(tmp_path: Path) -> None:
    """The supervisor may still be importing then: it ends all the same."""
    code = "from armillary.cell import Cell\nCell.open('cobot6', driver='ideal', low_power=True, record=False)"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    left = []
    for wait in (0.0, 0.3, 0.8):
        with subprocess.Popen([sys.executable, "-c", code], env=environment) as started:
            pid = 0
            while not pid:
                time.sleep(0.01)
                pid = _child(started.pid)
            time.sleep(wait)
            started.kill()
        left.append(pid)
    deadline = time.monotonic() + 60.0
    while any(map(_lives, left)):
        assert time.monotonic() < deadline, "the station of a process that was killed soon after its start still runs"
        time.sleep(0.05)


def _child(parent: int) -> int:
    """The number of a process's first child; 0 while there is none."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return int(children[0]) if children else 0


def _lives(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_a_robot_without_its_executor_stands_within_the_bound() -> None:
    """With the watchdog as it is without being asked: 20 ms, and v / a. Asked of the twin itself, which alone is left."""
    with Cell.open("cobot6", record=False) as cell:
        for attempt in range(6):
            bring_back(cell)
            goal = other_end(cell)
            cell.move_joints(goal, wait=False)
            time.sleep(0.6 + 0.1 * attempt)
            speed = np.abs(cell.station.state["v"])
            os.kill(process_of(cell, "executor"), signal.SIGKILL)
            killed = time.monotonic()
            if cell.station.state["state"] == State.MOVING and speed.max() > 0.2:
                break
            while cell.state.state != State.FAULTED:  # it had stopped before, for being late: a busy machine
                time.sleep(0.05)
        else:
            pytest.skip("this machine is too busy to be in time")
        bound = (
            0.02 + float((speed / limits_of(cell.model).acceleration).max()) + 0.1
        )  # it may have become faster since it was read
        time.sleep(max(killed + bound - time.monotonic(), 0.0))
        place = stands_at(cell)
        assert np.abs(place - goal).max() > 0.05
        bring_back(cell)


def test_a_disk_that_cannot_be_written_to_stops_nothing(tmp_path: Path) -> None:
    place = tmp_path / "full"
    place.write_text("a file where a folder should be")
    with Cell.open("cobot6", driver="ideal", low_power=True, recordings=str(place / "recordings")) as cell:
        cell.move_joints(HOME)
        assert cell.state.q == pytest.approx(HOME, abs=1e-6)
        deadline = time.monotonic() + 5.0
        while not cell.station.recording["problem"]:
            assert time.monotonic() < deadline, cell.station.recording
            time.sleep(0.05)


def test_nothing_that_moves_reads_the_wall_clock() -> None:
    """A step of the system's clock moves nothing: only the recorder may name its files after it."""
    found = []
    root = Path(armillary.__file__).parent
    for path in sorted((root / part) for part in ("runtime", "drivers", "twin", "motion")):
        for file in path.rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                named = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
                if named and node.value.id == "time" and node.attr in ("time", "time_ns"):  # type: ignore[attr-defined]
                    found.append(file.name)
    assert set(found) <= {"recorder_process.py", "recording_folder.py"}, found
