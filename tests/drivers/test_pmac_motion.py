"""The PMAC driver through its host, against the emulator in a process of its own: moving, holding, stopping, and what breaks."""

import contextlib
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from armillary.drivers.pmac import PmacState
from armillary.drivers.registry import DriverRequest, make_driver
from armillary.emulators.pmac import Machine
from armillary.model import load_model
from armillary.motion import plan_joints
from armillary.protocols.pmac import get_response
from armillary.runtime import State
from tests.drivers.pmac_bench import (
    AWAY,
    COUPLING,
    HOME,
    MODEL,
    EmulatorProcess,
    PmacRig,
    coupling_of,
    driver_at,
    emulator_thread,
    rig_at,
    told,
)
from tests.drivers.rig import Rig, command

pytestmark = [pytest.mark.alone, pytest.mark.slow]
COUNT = 1.0 / np.abs(COUPLING.matrix).max(axis=1).min()  # rad: the coarsest count


@pytest.fixture
def emulator() -> Iterator[EmulatorProcess]:
    emulator = EmulatorProcess()
    yield emulator
    emulator.close()


@pytest.fixture
def rig(folder: Path, emulator: EmulatorProcess) -> Iterator[PmacRig]:
    rig = rig_at(folder, emulator.port).up()
    yield rig
    rig.driver.close()


def say(emulator: EmulatorProcess, command: str) -> None:
    """Another master says something."""
    with socket.create_connection(("127.0.0.1", emulator.port), 5.0) as other:
        other.sendall(get_response(command))
        other.recv(4096)


def test_a_differential_is_driven_there_and_back(folder: Path) -> None:
    """mobile6's last two joints share two motors: what the motors did is asked of the emulator itself."""
    model, coupling = load_model("mobile6", group="arm"), coupling_of("mobile6")
    home = np.array([0.0, -0.349066, 0.349066, 0.0, 0.785398, 0.0])
    away = home + np.array([0.2, 0.1, -0.1, 0.2, 0.3, 0.5])
    machine = Machine(6, positions=[*coupling.to_motors(home)])
    with emulator_thread(machine) as server:
        given = {"address": f"127.0.0.1:{server.port}", "answers": 2.0, "watchdog": 2.0}
        rig = Rig(folder, model, make_driver("pmac", DriverRequest(model, home, given, coupling=coupling))).up()
        for goal in (away, home):
            trajectory = rig.go(goal)
            rig.until(State.READY, State.FAULTED)
            assert rig.executor.fault is None, str(rig.executor.fault)
            rig.stands()
            rig.tick(0.3)
            motors = np.array([machine.motors[number].position for number in range(1, 7)])
            assert np.abs(motors - coupling.to_motors(goal)).max() <= 1.5
            assert np.abs(rig.executor.feedback.q - goal).max() <= 2.0 / np.abs(coupling.matrix).max(axis=1).min()
            assert rig.off_the_path(trajectory) < 0.02
        rig.close()


def test_there_and_back_within_a_count_on_the_path(rig: PmacRig) -> None:
    for goal in (AWAY, HOME):
        trajectory = rig.go(goal)
        rig.until(State.READY, State.FAULTED)
        assert rig.executor.fault is None
        assert rig.executor.feedback.q == pytest.approx(goal, abs=COUNT)
        assert rig.off_the_path(trajectory) < 0.01
    rig.executor.power_off()
    rig.tick(0.05)
    assert not rig.executor.feedback.enabled


def test_a_hold_and_a_stop_do_not_wait_for_the_buffer_and_are_on_the_path(rig: PmacRig) -> None:
    trajectory = rig.go(AWAY, duration=6.0)
    rig.tick(1.5)
    rig.executor.hold()
    rig.tick(0.8)
    held = rig.executor.feedback.q.copy()
    rig.tick(0.3)
    assert rig.executor.state == State.HOLDING and rig.executor.feedback.q == pytest.approx(held, abs=COUNT)
    rig.executor.resume()
    rig.tick(1.0)
    assert np.abs(rig.executor.feedback.q - held).max() > 0.01
    assert rig.host._feedback_now.left > 10, "much is written ahead"
    before = time.monotonic()
    rig.executor.stop()
    rig.until(State.READY)
    assert time.monotonic() - before < 0.9, "its buffer is 1.6 s"
    rig.tick(0.2)
    stopped = rig.executor.feedback.q.copy()
    assert rig.off_the_path(trajectory) < 0.01
    rig.tick(1.0)
    assert rig.executor.feedback.q == pytest.approx(stopped, abs=COUNT), "what was in the buffer is not played"
    rig.go(HOME)
    rig.until(State.READY, State.FAULTED)
    assert rig.executor.fault is None and rig.executor.feedback.q == pytest.approx(HOME, abs=COUNT)


def test_a_feed_override_slows_the_buffer_down(rig: PmacRig) -> None:
    rig.go(AWAY, duration=2.0)
    rig.tick(0.6)
    rig.executor.override(0.4)
    rig.tick(0.6)
    assert rig.driver._report is not None and rig.driver._report.percent == pytest.approx(40.0)
    rig.executor.override(1.0)
    rig.until(State.READY, State.FAULTED)
    assert rig.executor.fault is None and rig.executor.feedback.q == pytest.approx(AWAY, abs=COUNT)


def test_a_hard_stop_stands_and_says_where_it_is(rig: PmacRig) -> None:
    rig.go(AWAY, duration=6.0)
    rig.tick(2.0)
    rig.host.driver.stop()
    end = time.monotonic() + 5.0
    while not (rig.driver._report and rig.driver._report.stands and rig.driver._session and rig.driver._session._wire.idle):
        assert time.monotonic() < end
        rig.host.look()
    assert rig.driver.state == PmacState.STOP and rig.driver.room == 0
    report = rig.driver._report
    assert report.powered and report.waiting == 0, "powered, and the buffer is empty"
    assert np.abs(rig.driver._axes.to_joints(report.axes) - HOME).max() > 0.01


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("stuck 3", "motor 3 .joint_2, joint_3.*following"),
        ("amplifier 5", "motor 5 .joint_5.*amplifier"),
        ("plus 1", "motor 1 .joint_1.*limit"),
    ],
)
def test_a_motor_that_fails_is_named_and_a_reset_brings_it_back(
    rig: PmacRig, emulator: EmulatorProcess, fault: str, said: str
) -> None:
    rig.go(AWAY, duration=3.0)
    rig.tick(0.5)
    emulator.fault(fault)
    rig.until(State.FAULTED)
    assert re.search(said, str(rig.executor.fault)), str(rig.executor.fault)
    emulator.fault(f"well {fault.split()[1]}")
    rig.tick(0.3)
    rig.executor.reset()
    rig.executor.initialise()
    rig.until(State.READY, State.FAULTED)
    assert rig.executor.fault is None, str(rig.executor.fault)
    rig.go(HOME)
    rig.until(State.READY, State.FAULTED)
    assert rig.executor.fault is None and rig.executor.feedback.q == pytest.approx(HOME, abs=COUNT)


@pytest.mark.parametrize("said", ["&1A", "#2K", "&1A#2K"])
def test_another_master_who_interferes_is_found(rig: PmacRig, emulator: EmulatorProcess, said: str) -> None:
    rig.go(AWAY, duration=4.0)
    rig.tick(1.0)
    say(emulator, said)
    if said == "#2K":  # refused by the PMAC while its coordinate system runs
        rig.tick(0.3)
        assert rig.executor.fault is None
        return
    rig.until(State.FAULTED)
    assert "somebody else" in str(rig.executor.fault)


def test_a_link_that_breaks_in_a_motion_is_a_fault_and_nothing_is_replayed(rig: PmacRig) -> None:
    rig.go(AWAY, duration=6.0)
    rig.tick(1.0)
    session = rig.driver._session
    assert session is not None
    session._wire._socket.shutdown(socket.SHUT_RDWR)
    rig.until(State.FAULTED)
    assert "is lost" in str(rig.executor.fault)
    rig.executor.reset()
    rig.executor.initialise()
    rig.until(State.READY, State.FAULTED)
    assert rig.executor.fault is None, str(rig.executor.fault)
    stands = rig.executor.feedback.q.copy()
    assert np.abs(stands - AWAY).max() > 0.05, "it was stopped on its way"
    rig.tick(1.0)
    assert rig.executor.feedback.q == pytest.approx(stands, abs=COUNT)
    rig.go(HOME)
    rig.until(State.READY, State.FAULTED)
    assert rig.executor.fault is None and rig.executor.feedback.q == pytest.approx(HOME, abs=COUNT)


def test_without_a_driver_the_controller_holds_by_itself(folder: Path, emulator: EmulatorProcess) -> None:
    rig = rig_at(folder, emulator.port, watchdog=0.3, ahead=60).up()
    rig.go(AWAY, duration=6.0)
    rig.tick(1.0)
    time.sleep(1.5)  # nobody speaks; three seconds are in the buffer
    rig.host.look()
    rig.host.look()
    assert "has held by itself" in rig.driver._fault
    rig.driver.close()


def test_no_point_is_lost_or_sent_twice_counted_at_both_ends(folder: Path) -> None:
    with emulator_thread() as server, contextlib.ExitStack() as after:
        rig = rig_at(folder, server.port)
        after.callback(rig.driver.close)
        rig.up()
        lines = 0
        for goal in (AWAY, HOME):
            rig.go(goal, duration=2.5)
            rig.until(State.READY, State.FAULTED)
            assert rig.executor.fault is None
            lines += 1  # that sets the mode
        rotary = server.machine.systems[1].rotary
        assert rotary is not None and rotary.taken == rotary.calculated == rig.driver.lines + lines
        assert 100 <= rig.driver.lines <= 102, "50 or 51 set-points of each motion, with a lead at each end"


def test_when_no_set_points_come_it_is_held_on_the_path_and_goes_on_when_they_do() -> None:
    trajectory = plan_joints(MODEL, HOME, AWAY, duration=4.0).trajectory
    samples = trajectory.sample([0.05 * k for k in range(81)])
    with emulator_thread() as server, contextlib.closing(driver_at(server.port)) as driver:
        driver.open()
        driver.enable()

        def write(first: int, last: int) -> None:
            for k in range(first, last + 1):
                told(driver, lambda _: driver.room > 0)
                driver.write(command(k, samples[k, 0], samples[k, 1]))

        write(1, 30)
        heard = told(driver, lambda _: driver._report is not None and driver._report.percent == 0.0)
        assert heard.fault == "" and heard.left > 12 and driver.state == PmacState.MOVE
        path = trajectory.sample(np.linspace(0.0, 4.0, 4001))[:, 0]
        assert np.abs(path - heard.q).max(axis=1).min() < 1e-3
        write(31, 80)
        heard = told(driver, lambda feedback: feedback.left == 0 or bool(feedback.fault))
        assert heard.fault == "" and heard.number == 80
        told(driver, lambda feedback: bool(np.abs(feedback.q - AWAY).max() < COUNT))
