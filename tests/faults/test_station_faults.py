"""Processes killed and stopped in the middle of a motion, in the physics twin.

Each time: the robot comes to rest, the reason is said, nothing is replayed, and a reset brings the cell back.
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
from armillary.motion import limits_of
from armillary.runtime import Board, RuntimeProblem, State
from armillary.runtime.board_kinds import state_kind
from armillary.runtime.recording import Recording

pytestmark = [pytest.mark.slow, pytest.mark.alone]
HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
AWAY = HOME + np.array([4.0, -0.3, 0.4, 0.2, 0.3, 0.6])
PATIENCE = 0.8  # s: a busy machine may be late by some tenths; what is injected is longer
STANDS = 8.0  # s: watchdog, braking, and the pauses of a busy machine


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cell]:
    folder = str(tmp_path_factory.mktemp("recordings"))
    with Cell.open("cobot6", low_power=True, recordings=folder, patience=PATIENCE) as opened:
        yield opened


@pytest.fixture
def cell(running: Cell) -> Iterator[Cell]:
    """Ready at home; its own connection, since some tests kill the front."""
    front = Cell.connect(running.station.folder.name)
    try:
        front.take_control("the test", force=True)
        bring_back(front)
        front.move_joints(HOME)
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


def go(cell: Cell, rng: np.random.Generator) -> None:
    """Be somewhere in the middle of a motion of some seconds."""
    cell.move_joints(AWAY, wait=False)
    time.sleep(rng.uniform(0.3, 1.5))
    assert cell.state.state == State.MOVING


def process_of(cell: Cell, name: str) -> int:
    return int(cell.station.processes[name]["pid"])


def wait_until_it_rests(cell: Cell) -> NDArray[np.float64]:
    """Where it comes to rest, as measured."""
    deadline = time.monotonic() + STANDS
    while True:
        record = cell.station.state
        fresh = time.monotonic() - float(record["time"]) < 0.5
        if fresh and not record["moves"] and np.abs(record["measured_v"]).max() < 1e-3:
            return np.array(record["measured_q"])
        assert time.monotonic() < deadline, f"it still moves: {record}"
        time.sleep(0.005)


def must_be_recorded(cell: Cell, fault: str) -> None:
    """The reason of a fault is in the newest recording, a moment later."""
    deadline = time.monotonic() + 20.0
    while True:
        newest = max(Path(cell.station.settings.recordings).glob("*.mcap"), key=lambda path: path.stat().st_mtime)
        texts = [event.text for event in Recording.open(newest).events]
        if any(fault and (fault in text or text.endswith(fault)) for text in texts):
            return
        assert time.monotonic() < deadline, f"'{fault}' is not recorded; the last: {texts[-3:]}"
        time.sleep(0.2)


def check_that_it_comes_back(cell: Cell, place: NDArray[np.float64], said: str) -> None:
    deadline = time.monotonic() + 5.0
    while cell.state.state != State.FAULTED:
        assert time.monotonic() < deadline, f"no fault: {cell.state}"
        time.sleep(0.01)
    assert said in cell.state.fault
    must_be_recorded(cell, cell.state.fault)
    time.sleep(0.3)
    assert cell.state.measured == pytest.approx(place, abs=2e-3), "it stays where it stopped"
    bring_back(cell)
    time.sleep(0.3)
    assert cell.state.measured == pytest.approx(place, abs=5e-3), "nothing is replayed"
    cell.move_joints(cell.state.q + 0.02)


def test_the_executor_is_killed(cell: Cell, seed: int) -> None:
    go(cell, np.random.default_rng(seed))
    before = process_of(cell, "executor")
    os.kill(before, signal.SIGKILL)
    deadline = time.monotonic() + 5.0
    while process_of(cell, "executor") in (0, before):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    while cell.state.state != State.FAULTED:  # the new one tells why
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert "signal 9" in cell.state.fault
    bring_back(cell)  # and only now it is in touch with the twin, and knows where it stands
    place = cell.state.measured
    time.sleep(0.3)
    assert cell.state.measured == pytest.approx(place, abs=1e-3) and np.abs(place - AWAY).max() > 0.05
    cell.move_joints(HOME)


def test_the_twin_is_killed(cell: Cell, seed: int) -> None:
    go(cell, np.random.default_rng(seed))
    os.kill(process_of(cell, "twin"), signal.SIGKILL)
    deadline = time.monotonic() + STANDS
    while cell.state.state != State.FAULTED:
        assert time.monotonic() < deadline, cell.state
        time.sleep(0.01)
    assert "link is lost" in cell.state.fault or "nothing was heard" in cell.state.fault
    place = cell.state.measured
    bring_back(cell)
    assert cell.state.measured == pytest.approx(place, abs=0.1), "the new one stands where the old one was last seen"
    cell.move_joints(HOME)


def test_the_front_is_killed(cell: Cell, seed: int) -> None:
    go(cell, np.random.default_rng(seed))
    before = process_of(cell, "front")
    os.kill(before, signal.SIGKILL)
    place = wait_until_it_rests(cell)
    assert np.abs(place - AWAY).max() > 0.05
    deadline = time.monotonic() + 5.0
    while process_of(cell, "front") in (0, before) or not (cell.station.folder / "front.sock").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    bring_back(cell)  # the same connection finds the one that was started again
    time.sleep(0.3)
    assert cell.state.measured == pytest.approx(place, abs=5e-3), "nothing is replayed"
    cell.move_joints(HOME)


@pytest.mark.parametrize("name", ["planner", "jogger", "recorder"])
def test_a_helper_is_killed_and_the_motion_goes_on(cell: Cell, name: str) -> None:
    go(cell, np.random.default_rng(1))
    before = process_of(cell, name)
    os.kill(before, signal.SIGKILL)
    cell.wait()
    assert cell.state.q == pytest.approx(AWAY, abs=1e-6)
    deadline = time.monotonic() + 5.0
    while process_of(cell, name) in (0, before):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    cell.move_joints(HOME)  # planned by the new one
    assert cell.station.processes[name]["restarts"] >= 1


def test_a_planner_that_is_killed_while_it_plans_keeps_nobody_waiting(cell: Cell) -> None:
    os.kill(process_of(cell, "planner"), signal.SIGSTOP)  # so that it is certainly busy
    said: list[str] = []

    def ask() -> None:
        try:
            cell.move_joints(AWAY)
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
            cell.move_joints(AWAY)
    finally:
        os.kill(planner, signal.SIGCONT)
    time.sleep(1.0)
    assert np.array_equal(cell.state.q, before)
    monkeypatch.undo()
    cell.move_joints(cell.state.q + 0.05)


@pytest.mark.parametrize("name", ["executor", "twin"])
@pytest.mark.parametrize("pause", [0.005, 0.15, 1.5, 3.0])
def test_a_process_is_stopped_for_a_while(cell: Cell, name: str, pause: float) -> None:
    go(cell, np.random.default_rng(int(1000 * pause)))
    pid = process_of(cell, name)
    os.kill(pid, signal.SIGSTOP)
    time.sleep(pause)
    os.kill(pid, signal.SIGCONT)
    if pause < PATIENCE:
        cell.wait()
        assert cell.state.q == pytest.approx(AWAY, abs=1e-6)
        return
    place = wait_until_it_rests(cell)
    check_that_it_comes_back(cell, place, "")
    assert np.abs(place - AWAY).max() > 0.05


def test_everything_is_stopped_for_five_seconds(cell: Cell) -> None:
    go(cell, np.random.default_rng(5))
    pids = [process_of(cell, name) for name in ("front", "planner", "executor", "twin", "recorder")]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(5.0)
    for pid in pids:
        os.kill(pid, signal.SIGCONT)
    place = wait_until_it_rests(cell)
    check_that_it_comes_back(cell, place, "")


PROGRAM = """
import sys, time
import numpy as np
from armillary.cell import Cell
cell = Cell.open("cobot6", driver={driver!r}, low_power=True, record=False, patience=0.8)
cell.move_joints({home})
cell.move_joints({away}, wait=False)
print(cell.station.folder, flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("driver", ["ideal", "physics"])
def test_who_started_the_cell_is_killed(driver: str) -> None:
    """Everything stops on the path, powers off and ends; nothing is left behind but the folder."""
    code = PROGRAM.format(driver=driver, home=HOME.tolist(), away=AWAY.tolist())
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None
        folder = Path(started.stdout.readline().strip())
        state = Board(folder / "state", state_kind(6))
        time.sleep(0.5)
        pids = [int(path.read_text()) for path in folder.glob("*.pid")]
        assert state.read()[1]["moves"][0] and len(pids) >= 5
        started.kill()
    deadline = time.monotonic() + STANDS + 8.0
    while any(_lives(pid) for pid in pids):
        assert time.monotonic() < deadline, "something still runs"
        time.sleep(0.05)
    last = state.read()[1][0]
    assert not last["moves"] and np.abs(last["v"]).max() == 0.0 and np.abs(last["q"] - AWAY).max() > 0.05
    state.close()


def test_who_starts_a_cell_is_killed_before_it_runs(tmp_path: Path) -> None:
    """The supervisor may still be importing then: it ends all the same."""
    code = "from armillary.cell import Cell\nCell.open('cobot6', driver='ideal', low_power=True, record=False)"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    for wait in (0.0, 0.3, 0.8):
        with subprocess.Popen([sys.executable, "-c", code], env=environment) as started:
            pid = 0
            while not pid:
                time.sleep(0.01)
                pid = _child(started.pid)
            time.sleep(wait)
            started.kill()
        deadline = time.monotonic() + 60.0
        while _lives(pid):
            assert time.monotonic() < deadline, f"the station of a process that was killed {wait} s after its start still runs"
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


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 24 MB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(place)], capture_output=True, check=False)
    if mounted.returncode != 0:
        pytest.skip("a small disk cannot be mounted here: it takes root")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=False)


def test_a_disk_that_fills_up_stops_nothing(small_disk: Path) -> None:
    """The recorder meets ENOSPC in the middle of a motion: it says so, the motion goes on, and with room it records again."""
    other = small_disk / "other"
    other.write_bytes(b"x" * 65536)  # so that some room can be made again, however much the recorder has taken
    with Cell.open("cobot6", low_power=True, recordings=str(small_disk / "r"), patience=PATIENCE) as cell:
        cell.move_joints(HOME)
        cell.move_joints(AWAY, wait=False)
        time.sleep(0.3)
        with other.open("wb") as growing, contextlib.suppress(OSError):
            while True:  # until there is no room; the recorder takes some too
                growing.write(b"x" * 65536)
                growing.flush()
        cell.wait()
        assert cell.state.q == pytest.approx(AWAY, abs=1e-6) and not cell.state.fault
        deadline = time.monotonic() + 5.0
        while "No space left" not in cell.station.recording["problem"]:
            assert time.monotonic() < deadline, cell.station.recording
            time.sleep(0.05)
        other.unlink()
        cell.move_joints(HOME)
        deadline = time.monotonic() + 12.0
        while cell.station.recording["problem"]:
            assert time.monotonic() < deadline, cell.station.recording
            time.sleep(0.05)
        assert Path(cell.station.recording["file"]).exists()


STEPPING_CLOCK = """
import pathlib, time
_time, _time_ns = time.time, time.time_ns
_step = lambda: float(pathlib.Path({file!r}).read_text() or 0.0)
time.time = lambda: _time() + _step()
time.time_ns = lambda: _time_ns() + int(1e9 * _step())
"""


def test_a_step_of_the_clock_moves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The wall clock of every process of a station steps by an hour, forth and back, in the middle of a motion."""
    clock = tmp_path / "clock"
    clock.write_text("0")
    (tmp_path / "sitecustomize.py").write_text(STEPPING_CLOCK.format(file=str(clock)))
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}")

    def told() -> float:
        """What a process that is started now says, beyond the time."""
        code = "import time; print(time.time())"
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        return float(said.stdout) - time.time()

    # Slow and patient: the processes that are started on the way take what a busy machine has.
    with Cell.open("cobot6", low_power=True, recordings=str(tmp_path / "r"), patience=5.0) as cell:
        cell.move_joints(HOME)
        cell.override(0.5)
        for step, goal in ((3600.0, AWAY), (-3600.0, HOME)):
            cell.move_joints(goal, wait=False)
            time.sleep(0.5)
            clock.write_text(str(step))
            assert told() == pytest.approx(step, abs=60.0)
            cell.wait()
            assert cell.state.q == pytest.approx(goal, abs=1e-6) and not cell.state.fault
        path = Path(cell.station.recording["file"])
    recorded = Recording.open(path)
    assert (np.diff(recorded.time) > 0.0).all() and recorded.time[-1] < 60.0, "nor does it move the recording's time"


def test_a_robot_without_its_executor_stands_within_the_bound() -> None:
    """With the watchdog as it is without being asked: 20 ms, and v / a. Asked of the twin itself, which alone is left."""
    with Cell.open("cobot6", record=False) as cell:
        model, limits = cell.model, limits_of(cell.model)
        for attempt in range(6):
            bring_back(cell)
            cell.move_joints(HOME)
            cell.move_joints(AWAY, wait=False)
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
        bound = 0.02 + float((speed / limits.acceleration).max()) + 0.1  # it may have become faster since it was read
        port = json.loads((cell.station.folder / "twin.json").read_text())["port"]
        watcher, feedback = PhysicsDriver(("127.0.0.1", port), model.joints, digest=model.digest), Feedback.of(model.n)
        time.sleep(max(killed + bound - time.monotonic(), 0.0))
        watcher.open()
        place = None
        while place is None:
            assert time.monotonic() < killed + 10.0
            if watcher.read(feedback) and np.isfinite(feedback.q).all():
                place = feedback.q.copy()
                assert np.abs(feedback.v).max() < 5e-3, "it stands"
        time.sleep(0.3)
        watcher.read(feedback)
        watcher.close()
        assert feedback.q == pytest.approx(place, abs=2e-3) and np.abs(place - AWAY).max() > 0.05
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
