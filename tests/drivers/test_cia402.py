"""The driver for CiA 402 drives against emulated ones in a process of their own: lifecycle, and all that can go wrong."""

import contextlib
import time
from collections.abc import Iterator
from typing import Any, cast

import can
import numpy as np
import pytest

from armillary.drivers import DriverError
from armillary.drivers.cia402 import Cia402Driver
from armillary.protocols.cia402 import Object
from tests.drivers.cia402_bench import COUNTS, PLACES, SMALL_HOME, EmulatedDrives, other_on, told, two_at
from tests.drivers.rig import command

COUNT = 1.0 / COUNTS


@pytest.fixture(scope="module")
def drives() -> Iterator[EmulatedDrives]:
    """One process for all tests that leave the drives whole."""
    drives = EmulatedDrives(PLACES)
    yield drives
    drives.close()


@contextlib.contextmanager
def enabled(drives: EmulatedDrives, **options: object) -> Iterator[Cia402Driver]:
    for node in (1, 2):
        drives.fault(f"well {node}")
    driver = two_at(drives.port, **options)
    try:
        driver.open()
        driver.enable()
        said = told(driver, lambda feedback: feedback.enabled or bool(feedback.fault))
        assert said.fault == ""
        yield driver
    finally:
        driver.close()


def test_it_is_brought_up_where_the_robot_is_and_powers_only_when_enabled(drives: EmulatedDrives) -> None:
    driver = two_at(drives.port)
    driver.open()
    try:
        heard = told(driver, lambda feedback: bool(np.isfinite(feedback.q).all()))
        assert heard.q == pytest.approx(SMALL_HOME, abs=COUNT) and not heard.enabled and heard.fault == ""
        assert "switch on disabled" in drives.status(1)
        driver.enable()
        told(driver, lambda feedback: feedback.enabled)
        assert "operation enabled" in drives.status(1) and "operation enabled" in drives.status(2)
        driver.disable()
        assert not told(driver, lambda _: True).enabled
        drives.until(1, lambda said: "switch on disabled" in said)
        driver.enable()
        assert told(driver, lambda feedback: feedback.enabled).q == pytest.approx(SMALL_HOME, abs=COUNT)
    finally:
        driver.close()
    drives.until(2, lambda said: "switch on disabled" in said)


def test_all_that_the_drives_are_told_is_in_their_objects(drives: EmulatedDrives) -> None:
    with enabled(drives, sync=0.02, following_error=0.01) as driver:
        bus = driver._bus
        assert bus is not None

        def value(index: int, sub: int = 0) -> int:
            return int.from_bytes(bus.read(2, index, sub), "little", signed=index in (0x607D, 0x60C2))

        assert value(Object.CYCLE_PERIOD) == 20_000 and value(Object.MODE_DISPLAY) == 8
        assert (value(Object.INTERPOLATION_PERIOD, 1), value(Object.INTERPOLATION_PERIOD, 2)) == (20, -3)
        assert value(Object.HEARTBEAT_CONSUMER, 1) == 127 << 16 | 2000 and value(Object.FOLLOWING_WINDOW) == 1000
        assert value(Object.POSITION_LIMITS, 1) < value(Object.POSITION_LIMITS, 2)
        assert [value(0x1A00, sub) for sub in (1, 2, 3)] == [0x60410010, 0x60640020, 0x60770010]
        assert value(0x1801, 1) >> 31 == 1, "a PDO that is not used is off"


def test_after_a_stop_nothing_is_followed_until_it_is_enabled_anew(drives: EmulatedDrives) -> None:
    with enabled(drives) as driver:
        driver.stop()
        drives.until(1, lambda said: "quick stop active" in said)
        before = drives.position(1)
        driver.write(command(1, SMALL_HOME + 0.01))
        time.sleep(0.1)
        said = told(driver, lambda _: True)
        assert drives.position(1) == before and said.fault == "" and said.enabled
        driver.disable()
        driver.enable()
        told(driver, lambda feedback: feedback.enabled)
        drives.until(1, lambda said: "operation enabled" in said)


@pytest.mark.parametrize("bad", ["nan", "inf", "leap", "range"])
def test_commands_that_cannot_be_are_braked_for(drives: EmulatedDrives, bad: str) -> None:
    with enabled(drives) as driver:
        q = SMALL_HOME.copy()
        q[1] = {"nan": np.nan, "inf": np.inf, "leap": SMALL_HOME[1] + 1.0, "range": 1e6}[bad]
        driver.write(command(1, q))
        fault = told(driver, lambda feedback: bool(feedback.fault)).fault
        assert {"nan": "no number", "inf": "no number", "leap": "leaps by", "range": "do not fit"}[bad] in fault
        drives.until(1, lambda said: "quick stop active" in said)
        assert abs(drives.position(2) - PLACES[1]) <= 1.0


@pytest.mark.parametrize(
    ("what", "says"),
    [
        ("emcy 2 4310", "joint_2 (node 2): the drive is too hot (code 4310h)"),
        ("emcy 1 ff01", "joint_1 (node 1): an error of its maker's (code FF01h)"),
        ("reboot 2", "joint_2 (node 2) has started anew"),
    ],
)
def test_what_a_drive_complains_of_is_said_with_its_joint(drives: EmulatedDrives, what: str, says: str) -> None:
    with enabled(drives) as driver:
        drives.fault(what)
        said = told(driver, lambda feedback: bool(feedback.fault))
        assert says in said.fault and "eset" in said.fault
        other = 1 if " 2" in what else 2
        drives.until(other, lambda said: "quick stop active" in said or "switch on disabled" in said)
    with enabled(drives):
        pass  # the fault is reset on the way up


def test_a_fault_that_cannot_be_reset_away_is_said(drives: EmulatedDrives) -> None:
    with enabled(drives) as driver:
        driver.disable()
        drives.fault("emcy 2 5441")
        drives.until(2, lambda said: "fault" in said)
        driver.enable()
        told(driver, lambda feedback: feedback.enabled)  # this one can be


@pytest.mark.parametrize(
    ("what", "says"),
    [
        ("dead 2", "joint_2 (node 2) has said nothing"),
        ("mute 1", "the heartbeat of joint_1 (node 1) is lost"),
        ("bus_off", "off the bus"),
    ],
)
def test_who_is_not_heard_any_more_is_lost_and_comes_back_after_a_reset(drives: EmulatedDrives, what: str, says: str) -> None:
    with enabled(drives, watchdog=0.6) as driver:
        drives.fault(what)
        said = told(driver, lambda feedback: bool(feedback.fault))
        assert says in said.fault and not said.enabled
        drives.until(2 if what == "mute 1" else 1, lambda said: "operation enabled" not in said)
    with enabled(drives):
        pass


def test_a_drive_that_is_dead_cannot_be_opened(drives: EmulatedDrives) -> None:
    drives.fault("dead 2")
    try:
        with pytest.raises(DriverError, match=r"node 2 does not answer .*check its number"):
            two_at(drives.port).open()
    finally:
        drives.fault("well 2")


def test_frames_that_are_late_or_garbage_are_borne(drives: EmulatedDrives) -> None:
    with enabled(drives) as driver:
        drives.fault("late 2 40")
        drives.fault("garbage 1")
        until = time.monotonic() + 1.0
        while time.monotonic() < until and driver._nodes.garbage == 0:
            time.sleep(0.01)
        time.sleep(0.2)
        said = told(driver, lambda _: True)
        assert driver._nodes.garbage > 0 and said.fault == "" and said.q == pytest.approx(SMALL_HOME, abs=COUNT)


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        (can.Message(arbitration_id=0x000, data=[128, 1], is_extended_id=False), "gives orders to the network"),
        (can.Message(arbitration_id=0x080, is_extended_id=False), "sends SYNC"),
        (can.Message(arbitration_id=0x202, data=[6, 0], is_extended_id=False), "commands joint_2 (node 2)"),
        (can.Message(arbitration_id=0x601, data=[0x2B, 0x40, 0x60, 0, 6, 0, 0, 0], is_extended_id=False), "writes to joint_1"),
        (can.Message(arbitration_id=0x77F, data=[5], is_extended_id=False), "has this one's node number, 127"),
    ],
    ids=["network", "sync", "order", "object", "heartbeat"],
)
def test_a_second_master_is_a_fault(drives: EmulatedDrives, frame: can.Message, says: str) -> None:
    with enabled(drives) as driver, other_on(drives.port) as other:
        other.send(frame)
        assert says in told(driver, lambda feedback: bool(feedback.fault)).fault
        drives.until(2, lambda said: "operation enabled" not in said)


def test_one_who_only_asks_is_none(drives: EmulatedDrives) -> None:
    with enabled(drives) as driver, other_on(drives.port) as other:
        other.send(can.Message(arbitration_id=0x601, data=[0x40, 0x41, 0x60, 0, 0, 0, 0, 0], is_extended_id=False))
        other.send(can.Message(arbitration_id=0x1A5, data=[1, 2, 3], is_extended_id=False))  # a device that is not ours
        time.sleep(0.2)
        assert told(driver, lambda _: True).fault == ""


def test_who_finds_another_master_does_not_open_and_the_first_goes_on(drives: EmulatedDrives) -> None:
    with enabled(drives) as first:
        with pytest.raises(DriverError, match="another master on"):
            two_at(drives.port).open()
        assert told(first, lambda _: True).enabled and told(first, lambda _: True).fault == ""


def test_when_the_master_dies_the_drives_brake_by_themselves(drives: EmulatedDrives) -> None:
    with enabled(drives, watchdog=0.3) as driver:
        assert driver._cycle is not None
        driver._cycle.end()  # as if its process had died: neither SYNC nor heartbeat any more
        drives.until(1, lambda said: "fault" in said)
        drives.until(2, lambda said: "fault" in said)
    with enabled(drives):
        pass


def test_a_queue_that_is_full_for_a_moment_is_waited_for_and_no_longer(drives: EmulatedDrives) -> None:
    with enabled(drives) as driver:
        bus, full = driver._bus, [3]
        assert bus is not None
        send = bus._network.send_message

        def sometimes(identifier: int, data: bytes) -> None:
            full[0] -= 1
            if full[0] >= 0:
                raise can.CanOperationError("Transmit buffer full")
            send(identifier, data)

        bus._network.send_message = sometimes
        time.sleep(0.1)
        assert told(driver, lambda _: True).fault == "" and full[0] < 0
        full[0] = 1_000_000_000
        assert "buffer full" in told(driver, lambda feedback: bool(feedback.fault)).fault


def test_a_motion_without_commands_is_braked_for(drives: EmulatedDrives) -> None:
    with enabled(drives, watchdog=0.2) as driver:
        driver.write(command(1, SMALL_HOME, np.array([0.01, 0.0])))
        assert "no command for" in told(driver, lambda feedback: bool(feedback.fault)).fault


@pytest.mark.parametrize("how", ["terminate", "kill"])
@pytest.mark.parametrize("stage", ["open", "enabled"])
def test_a_bus_that_ends_is_a_fault_at_every_stage_and_a_new_one_is_taken(how: str, stage: str) -> None:
    drives = EmulatedDrives(PLACES)
    driver = two_at(drives.port, watchdog=1.0)
    try:
        driver.open()
        if stage == "enabled":
            driver.enable()
            told(driver, lambda feedback: feedback.enabled)
        getattr(drives.process, how)()
        said = told(driver, lambda feedback: bool(feedback.fault))
        assert ("is lost" in said.fault or "has said nothing" in said.fault) and not said.enabled
        driver.close()
        with pytest.raises(DriverError, match="nobody listens"):
            driver.open()
        again = EmulatedDrives(PLACES + 100.0, "--port", str(drives.port))
        try:
            driver.open()
            driver.enable()
            said = told(driver, lambda feedback: feedback.enabled or bool(feedback.fault))
            assert said.fault == "" and said.q == pytest.approx(SMALL_HOME + np.array([100.0, -100.0]) * COUNT, abs=COUNT)
            assert abs(again.position(1) - PLACES[0] - 100.0) < 0.5, "nothing from before is replayed"
        finally:
            driver.close()
            again.close()
    finally:
        driver.close()
        drives.close()


class Straight:
    """Set-points at four fifths of the joints' speed."""

    def __init__(self, speed: np.ndarray) -> None:
        self.q, self.speed = SMALL_HOME.copy(), 0.8 * speed

    def at(self, instant: float) -> tuple[np.ndarray, np.ndarray]:
        return SMALL_HOME + self.speed * instant, self.speed

    def until(self, instant: float) -> float:
        return instant


def test_behind_a_pause_of_this_computer_it_catches_up_on_a_straight_line() -> None:
    driver = two_at(1)
    driver._targets = PLACES.copy()
    begin, point = PLACES.copy(), Straight(np.asarray(driver._limits.velocity))
    ways = []
    for instant in (0.01, 0.02, 0.03, 0.13, *np.arange(0.14, 0.5, 0.01)):
        driver._aim(cast(Any, point), float(instant))
        ways.append(driver._targets - begin)
    assert driver._fault == "", "a pause is no leap"
    goal = np.array([1.0, -1.0]) * COUNTS * point.at(0.49)[0]
    assert driver._targets == pytest.approx(goal, abs=2.0), "it has caught up"
    for way in ways:
        assert way[0] / way[1] == pytest.approx(ways[-1][0] / ways[-1][1], rel=1e-2), "no joint before another"


def test_what_is_no_drive_and_no_bus_is_refused() -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(10.0)
        with pytest.raises(DriverError, match=r"nobody listens|no socketcand"):
            two_at(listener.getsockname()[1]).open()


def test_the_kernels_bus_where_there_is_one() -> None:
    try:
        can.Bus(interface="socketcan", channel="vcan0").shutdown()
    except (OSError, can.CanError) as error:
        pytest.skip(f"this kernel has no vcan0: {error}")
    drives = EmulatedDrives(PLACES, "--interface", "socketcan", "--channel", "vcan0")
    driver = two_at(1, interface="socketcan", channel="vcan0", address=None)
    try:
        driver.open()
        driver.enable()
        told(driver, lambda feedback: feedback.enabled)
    finally:
        driver.close()
        drives.close()
