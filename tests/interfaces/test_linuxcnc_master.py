"""The real LinuxCNC moves the cobot in its twin: where to, and how both stop."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from armillary.cell import Cell
from armillary.interfaces.chapters.hil_linuxcnc import compare_with_linuxcnc
from armillary.interfaces.linuxcnc import LinuxcncMaster, LinuxcncProblem, LinuxcncProgramFailed, machine_of
from armillary.motion import limits_of
from armillary.runtime import State

pytestmark = [
    pytest.mark.alone,
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("linuxcnc") is None, reason="LinuxCNC is not installed: make peers"),
]
_PATIENCE = 0.5
_LONG = "G91\nG1 F1200 Z60\nG1 Z-60\nG1 Z60\nM2\n"  # 20 mm/s: nine seconds


@pytest.fixture
def cell() -> Iterator[Cell]:
    with Cell.open("cobot6", low_power=True, record=False, patience=_PATIENCE) as cell:
        yield cell


@pytest.fixture
def master(cell: Cell) -> Iterator[LinuxcncMaster]:
    machine = machine_of(cell.model, limits_of(cell.model), tool_speed=0.25, patience=_PATIENCE)
    with LinuxcncMaster(cell, machine, history=True) as master:
        master.on()
        yield master
    assert started_by_us() == []


def started_by_us() -> list[int]:
    """Living processes of any LinuxCNC that this user's tests have started."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            ours = entry.name.isdigit() and b"ARMILLARY_LINUXCNC=" in (entry / "environ").read_bytes()
            if ours and (entry / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX":
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def becomes(true: Callable[[], bool], seconds: float = 10.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.02)
    return False


def begins(master: LinuxcncMaster, write: Callable[..., Path], text: str = _LONG) -> np.ndarray:
    """LinuxCNC begins a long program; where the tool was, once it moves."""
    before = master.cell.state.xyz
    master.start(write(text, "long.ngc"))
    assert becomes(lambda: bool(np.linalg.norm(master.cell.state.xyz - before) > 0.004)), (
        master.robot.trouble, master.robot.stopped_for, list(master.display.messages), master.display.state
    )  # fmt: skip
    return np.asarray(before)


def stands(cell: Cell) -> bool:
    """Whether the twin does not move any more, a moment after it was told to."""

    def still() -> bool:
        q = cell.station.state["measured_q"].copy()
        time.sleep(0.2)
        return bool(np.abs(cell.station.state["measured_q"] - q).max() < 1e-4)

    return becomes(still, 3.0)


def test_a_program_moves_the_twin_to_where_it_says(master: LinuxcncMaster, cell: Cell, write: Callable[..., Path]) -> None:
    before = cell.state
    master.run(write("G91 G61.1\nG0 Z30\nG1 F3000 X-40 A5\nG0 Y30\nM2\n", "part.ngc"))
    after = cell.state
    assert 1e3 * (after.xyz - before.xyz) == pytest.approx([-40.0, 30.0, 30.0], abs=0.05)
    assert np.abs(after.measured - after.q).max() < np.deg2rad(0.1)
    turned = after.rpy[0] - before.rpy[0]
    assert np.rad2deg((turned + np.pi) % (2 * np.pi) - np.pi) == pytest.approx(5.0, abs=0.01)
    counts = master.robot.counts
    assert counts.samples > 500
    assert (counts.missing, counts.overruns) == (0, 0)
    times, q = master.robot.commands()
    assert np.allclose(np.diff(times), 0.001, atol=1e-9), "a command of every millisecond"
    assert np.abs(q[-1] - after.q).max() < 1e-4


def test_linuxcncs_emergency_stop_stops_the_robot_and_powers_it_off(
    master: LinuxcncMaster, cell: Cell, write: Callable[..., Path]
) -> None:
    begins(master, write)
    master.estop()
    assert becomes(lambda: cell.state.state == State.OFF)
    assert stands(cell)
    with pytest.raises(LinuxcncProgramFailed, match=r"long.ngc, line \d+: .*(emergency stop|off)"):
        master.finish()
    master.on()
    assert cell.state.state == State.MOVING, "it follows again"
    master.line("G91 G0 Z5")


def test_machine_off_stops_the_robot_and_leaves_it_on(master: LinuxcncMaster, cell: Cell, write: Callable[..., Path]) -> None:
    begins(master, write)
    master.off()
    assert becomes(lambda: cell.state.state == State.READY)
    assert stands(cell)
    assert "off" in master.robot.stopped_for


def test_a_stop_of_ours_is_linuxcncs_emergency_stop(master: LinuxcncMaster, cell: Cell, write: Callable[..., Path]) -> None:
    begins(master, write)
    cell.stop()
    with pytest.raises(LinuxcncProgramFailed, match="the robot is READY though LinuxCNC moves it"):
        master.finish()
    assert becomes(lambda: bool(master.display.state["estop"]))
    assert stands(cell)
    master.on()
    assert cell.state.state == State.MOVING, master.robot.trouble
    master.line("G91 G0 Z5")


def test_a_fault_of_ours_is_linuxcncs_emergency_stop_until_it_is_reset(
    master: LinuxcncMaster, cell: Cell, write: Callable[..., Path]
) -> None:
    begins(master, write)
    twin = int(cell.station.processes["twin"]["pid"])
    os.kill(twin, signal.SIGKILL)
    with pytest.raises(LinuxcncProgramFailed, match="drives"):
        master.finish()
    assert becomes(lambda: bool(master.display.state["estop"]))
    assert not master.display.state["on"]
    assert "drives" in master.robot.trouble
    assert becomes(lambda: int(cell.station.processes["twin"]["pid"]) not in (0, twin), 20.0), "it is started again"

    def is_on() -> bool:  # a twin that was just started is about to listen
        try:
            master.on()
        except LinuxcncProblem:
            return False
        return True

    assert becomes(is_on, 30.0)
    assert cell.state.state == State.MOVING, "LinuxCNC's reset is the cell's"


def test_a_program_that_linuxcnc_refuses_says_its_line_and_linuxcncs_words(
    master: LinuxcncMaster, write: Callable[..., Path]
) -> None:
    with pytest.raises(LinuxcncProblem, match=r"bad.ngc, line 2: LinuxCNC: Unknown word"):
        master.run(write("G21 G90\nG1 X Y5\nM2\n", "bad.ngc"))
    with pytest.raises(LinuxcncProblem, match=r"far.ngc, line 2: LinuxCNC: .*on line 2"):
        master.run(write("G91 G0 Z3\nG0 X9000\nM2\n", "far.ngc"))


def test_a_robot_without_a_master_stops(master: LinuxcncMaster, cell: Cell, write: Callable[..., Path]) -> None:
    begins(master, write)
    for pid in started_by_us():
        os.kill(pid, signal.SIGKILL)
    assert becomes(lambda: cell.state.state == State.READY, 3.0)
    assert stands(cell)
    with pytest.raises(LinuxcncProblem, match="ended"):
        master.finish()


def test_linuxcnc_ends_when_we_are_killed() -> None:
    arguments = [sys.executable, "-m", "armillary", "linuxcnc", "cobot6", "--headless", "--low-power", "--no-recording"]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as ours:
        assert ours.stdout is not None
        try:
            assert any("follows it" in line for line in ours.stdout)
            assert started_by_us()
        finally:
            ours.kill()
    assert becomes(lambda: not started_by_us(), 20.0)


def test_the_command_runs_a_program_and_says_how_complete_the_stream_was(write: Callable[..., Path], tmp_path: Path) -> None:
    program = write("G91 G61.1\nG0 Z20\nG0 Z-20\nM2\n", "part.ngc")
    arguments = ["linuxcnc", "cobot6", "--headless", "--low-power", "--program", str(program), "--keep", str(tmp_path / "kept")]
    done = subprocess.run(
        [sys.executable, "-m", "armillary", *arguments, "--json"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["kinematics"] == "genserkins"
    assert said["failed"] == ""
    assert (said["missing"], said["overruns"]) == (0, 0)
    assert "genserkins.A-2 436" in (tmp_path / "kept" / "machine.hal").read_text()
    assert started_by_us() == []


def test_in_joint_mode_each_letter_is_a_joint(write: Callable[..., Path]) -> None:
    with Cell.open("cobot6", low_power=True, record=False, patience=_PATIENCE) as cell:
        machine = machine_of(cell.model, limits_of(cell.model), joint_mode=True, patience=_PATIENCE)
        before = cell.state.q
        with LinuxcncMaster(cell, machine) as master:
            master.on()
            master.run(write("G91 G0 X5 C-8\nM2\n", "joints.ngc"))
        assert np.rad2deg(cell.state.q - before) == pytest.approx([5.0, 0.0, 0.0, 0.0, 0.0, -8.0], abs=0.05)


def test_the_papers_program_has_the_same_joints_as_by_our_interpreter() -> None:
    found = compare_with_linuxcnc()
    assert np.rad2deg(found.at_poses).max() < 0.001
    assert np.rad2deg(found.on_the_way).max() < 0.01
    assert np.rad2deg(found.missed).max() < 0.5, "the twin came to where LinuxCNC has left it"
    assert (found.counts.missing, found.counts.overruns) == (0, 0)
