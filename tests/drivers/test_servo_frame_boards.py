"""The driver through its host, against the emulated boards in a process of their own: paper 1's 22 joints."""

import math
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from armillary.drivers.registry import DriverRequest, make_driver
from armillary.drivers.servo_frame import ServoFrameDriver
from armillary.model import load_model
from armillary.protocols.servo_frame import write_servo_frame
from armillary.runtime import State
from armillary.runtime.station_channels import StationChannels
from tests.drivers.rig import Rig
from tests.emulators.servo_boards_process import BoardsProcess

Array = NDArray[np.float64]
MODEL = load_model("inmoov", group="controlled")
HOME = np.clip(np.zeros(22), MODEL.lower + 0.2, MODEL.upper - 0.2)
AWAY = 0.5 * (HOME + MODEL.upper - 0.1)
# Servos whose middle is the middle of their joint's range; the neck turns by 190 degrees.
RATIOS = np.array([0.9 if joint == "head_pan_joint" else 1.0 for joint in MODEL.joints])
OFFSETS = 90.0 - RATIOS * np.degrees(0.5 * (MODEL.lower + MODEL.upper))
SERVOS: dict[str, Any] = {
    joint: {"offset": float(offset), "ratio": float(ratio)} for joint, offset, ratio in zip(MODEL.joints, OFFSETS, RATIOS)
}

pytestmark = [pytest.mark.alone, pytest.mark.slow]


def angles_of(q: Array) -> Array:
    angles: Array = RATIOS * np.degrees(q) + OFFSETS
    return angles


def stands_at(q: Array, within: float) -> Callable[[dict[str, Any]], bool]:
    """Whether the boards' servos are where joints at q want them, within so many degrees."""
    return lambda status: bool(np.abs(np.array(status["angles"]) - angles_of(q)).max() <= within)


def rig_at(folder: Path, boards: BoardsProcess, **options: Any) -> Rig[ServoFrameDriver]:
    given = {"port": str(boards.port), "servos": SERVOS, "boot": 0.1, **options}
    made = make_driver("servo_frame", DriverRequest(MODEL, HOME, given))
    assert isinstance(made, ServoFrameDriver)
    return Rig(folder, MODEL, made)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    channels = StationChannels(tmp_path, 22)
    yield tmp_path
    channels.close()


@pytest.fixture
def boards(tmp_path: Path) -> Iterator[BoardsProcess]:
    (tmp_path / "boards").mkdir()
    boards = BoardsProcess(tmp_path / "boards")
    yield boards
    boards.close()


def test_there_and_back_within_a_count_and_the_dead_band(folder: Path, boards: BoardsProcess) -> None:
    rig = rig_at(folder, boards).up()
    for goal in (AWAY, HOME):
        rig.go(goal)
        rig.until(State.READY, State.FAULTED)
        rig.tick(0.3)
        assert rig.executor.fault is None
        boards.until(stands_at(goal, 0.5 + 0.5))
    rig.executor.power_off()
    rig.tick(0.1)
    status = boards.until(lambda status: all(status["held"]))
    assert status["frames"]["stale"] == status["frames"]["out_of_range"] == status["bytes"]["bad_sums"] == 0


def test_each_frame_is_followed_once_counted_at_both_ends(folder: Path, boards: BoardsProcess) -> None:
    rig = rig_at(folder, boards).up()
    rig.go(AWAY)
    rig.until(State.READY, State.FAULTED)
    rig.tick(0.3)
    rig.driver.disable()
    sent = rig.driver.sent
    status = boards.until(lambda status: status["frames"]["taken"] >= sent)
    assert status["frames"] == {"taken": sent, "stale": 0, "ahead": 0, "out_of_range": 0} and sent > 50


def test_finer_positions_are_followed_finer(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "fine").mkdir()
    boards = BoardsProcess(tmp_path / "fine", "--fine", "--dead-band", "0")
    try:
        rig = rig_at(folder, boards, fine=True).up()
        rig.go(AWAY)
        rig.until(State.READY, State.FAULTED)
        rig.tick(0.3)
        boards.until(stands_at(AWAY, 0.006))
    finally:
        boards.close()


@pytest.mark.parametrize("how", ["stop", "hold"])
def test_it_stops_on_the_way_and_stays(folder: Path, boards: BoardsProcess, how: str) -> None:
    rig = rig_at(folder, boards).up()
    rig.go(AWAY)
    rig.tick(0.25)
    (rig.executor.stop if how == "stop" else rig.executor.hold)()
    rig.until(State.READY, State.HOLDING)
    for _ in range(200):
        rig.tick(0.05)
        if not rig.executor.command.v.any():
            break
    rig.tick(0.1)
    boards.until(stands_at(rig.executor.command.q, 1.0))
    assert np.abs(rig.executor.command.q - AWAY).max() > math.radians(3.0)


def test_when_the_host_hangs_the_boards_hold(folder: Path, boards: BoardsProcess) -> None:
    rig = rig_at(folder, boards).up()
    rig.go(AWAY)
    rig.tick(0.5)
    held = boards.until(lambda status: all(status["held"]))  # nothing is sent meanwhile
    time.sleep(0.3)
    assert boards.status()["angles"] == held["angles"]
    assert np.abs(np.array(held["angles"]) - angles_of(AWAY)).max() > 3.0


def test_boards_that_die_in_the_middle_are_a_fault_and_new_ones_are_taken_without_replay(
    folder: Path, boards: BoardsProcess, tmp_path: Path
) -> None:
    rig = rig_at(folder, boards).up()
    rig.go(AWAY)
    rig.tick(0.25)
    boards.process.kill()
    rig.until(State.FAULTED)
    boards.close()
    assert "is lost" in str(rig.executor.fault)
    rig.tick(0.1)
    left = rig.executor.feedback.q.copy()
    again = BoardsProcess(tmp_path / "boards")
    try:
        rig.driver.close()
        rig.executor.reset()
        rig.executor.power_off()
        rig.up()
        status = again.until(stands_at(left, 1.5))
        assert np.abs(np.array(status["angles"]) - angles_of(AWAY)).max() > 3.0, "where it was left, and not where it was going"
        rig.go(HOME)
        rig.until(State.READY, State.FAULTED)
        assert rig.executor.fault is None
        again.until(stands_at(HOME, 1.0))
    finally:
        again.close()


def _fill(descriptor: int) -> None:
    try:
        for _ in range(100_000):
            os.write(descriptor, bytes(29))
    except BlockingIOError:
        pass


def test_boards_that_hang_are_seen_when_the_port_is_full(folder: Path, boards: BoardsProcess) -> None:
    """Nothing ever comes back, so a board that hangs is not seen before that (16 kB, eleven seconds); then it is a fault."""
    rig = rig_at(folder, boards).up()
    other = os.open(str(boards.port), os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
    boards.pause()
    try:
        rig.tick(0.3)
        assert rig.executor.state == State.READY, "nobody can know yet"
        _fill(other)
        rig.until(State.FAULTED)
        assert "takes nothing any more" in str(rig.executor.fault)
    finally:
        os.close(other)
        boards.go_on()


def test_somebody_else_who_talks_into_the_line_disturbs_nothing_for_long(folder: Path, boards: BoardsProcess) -> None:
    rig = rig_at(folder, boards).up()
    rig.go(AWAY)
    other = os.open(str(boards.port), os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        for k in range(20):
            os.write(other, os.urandom(40) + write_servo_frame(k, [90] * 22)[:25])
            rig.tick(0.05)
    finally:
        os.close(other)
    rig.until(State.READY, State.FAULTED)
    rig.tick(0.3)
    assert rig.executor.fault is None
    status = boards.until(stands_at(AWAY, 1.0))
    assert status["bytes"]["skipped"] > 500 and status["frames"]["out_of_range"] == 0


def test_a_whole_station_moves_the_servos(boards: BoardsProcess) -> None:
    from armillary.cell import Cell

    with Cell.open(
        "inmoov", group="controlled", driver="servo_frame", start=HOME, low_power=True, record=False, patience=2.0,
        options={"port": str(boards.port), "servos": SERVOS, "boot": 0.2},
    ) as cell:  # fmt: skip
        for goal in (AWAY, HOME):
            cell.move_joints(goal, speed=0.2)  # slowly: a busy machine keeps the host waiting, and that is a following error
            boards.until(stands_at(goal, 1.0))
        boards.process.kill()
        end = time.monotonic() + 20.0
        while cell.state.fault == "" and time.monotonic() < end:
            time.sleep(0.02)
        assert "is lost" in cell.state.fault


def test_options_that_cannot_be_are_said_when_the_station_starts() -> None:
    from armillary.cell import Cell

    with pytest.raises(Exception, match=r"head_pan_joint: the joint may go where its servo would be at -10\.0 to"):
        Cell.open("inmoov", group="controlled", driver="servo_frame", options={"port": "p"}, low_power=True, record=False)
