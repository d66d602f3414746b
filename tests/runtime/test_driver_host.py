"""Drivers in a process of their own: the executor moves them through shared memory, and hears of what goes wrong there."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from armillary.drivers import Capabilities, Command, Driver, DriverError, IdealDriver
from armillary.model import load_model
from armillary.motion import limits_of, plan_joints
from armillary.runtime import Executor, Handover, State
from armillary.runtime.buffered_executor import BufferedExecutor
from armillary.runtime.driver_host import DriverHost
from armillary.runtime.hosted_driver import HostedDriver
from armillary.runtime.message import Message
from armillary.runtime.station_channels import StationChannels
from tests.runtime.playing_driver import PlayingDriver

Array = NDArray[np.float64]
MODEL = load_model("cobot6")
HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
AWAY = HOME + np.array([3.6, -0.3, 0.4, 0.2, 0.3, 0.6])


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    channels = StationChannels(tmp_path, 6)
    yield tmp_path
    channels.close()


class Rig:
    """An executor and a host, who take turns as their processes would; time is the test's."""

    def __init__(self, folder: Path, make: Callable[[Callable[[], float]], Driver]) -> None:
        self.now = 0.0
        driver = make(lambda: self.now)
        self.host = DriverHost(folder, driver, 6)
        kind = BufferedExecutor if driver.capabilities.depth else Executor
        self.executor = kind(MODEL, HostedDriver(folder, 6))

    def tick(self, count: int = 1, *, host: bool = True) -> None:
        for _ in range(count):
            self.now += 0.001
            self.executor.tick(self.now)
            if host:
                self.host.look()

    def until(self, *states: State, most: int = 8000) -> None:
        for _ in range(most):
            if self.executor.state in states:
                return
            self.tick()
        raise AssertionError(f"{states[0].name} was not reached; it is {self.executor.state.name}, {self.executor.fault}")

    def up(self) -> "Rig":
        self.executor.power_on()
        self.executor.initialise()
        self.until(State.READY, State.FAULTED)
        return self

    def go(self, goal: Array) -> None:
        plan = plan_joints(MODEL, self.executor._queue.ends_at(self.executor._end).copy(), goal)
        self.executor.run(Handover(plan.trajectory, plan.certificate))


def ideal(clock: Callable[[], float]) -> Driver:
    return IdealDriver(HOME, limits_of(MODEL).acceleration, clock=clock)


def playing(clock: Callable[[], float]) -> Driver:
    return PlayingDriver(HOME, clock)


@pytest.mark.parametrize("make", [ideal, playing])
def test_there_and_back(folder: Path, make: Callable[[Callable[[], float]], Driver]) -> None:
    rig = Rig(folder, make).up()
    for goal in (AWAY, HOME):
        rig.go(goal)
        rig.until(State.READY)
        rig.tick(3)
        assert rig.executor.feedback.q == pytest.approx(goal, abs=1e-9) and rig.executor.fault is None
    rig.executor.power_off()
    rig.tick(3)
    assert not rig.executor.feedback.enabled


@pytest.mark.parametrize("make", [ideal, playing])
def test_a_stop_goes_through(folder: Path, make: Callable[[Callable[[], float]], Driver]) -> None:
    rig = Rig(folder, make).up()
    rig.go(AWAY)
    rig.tick(400)
    rig.executor.stop()
    rig.until(State.READY)
    rig.tick(100)
    held = rig.executor.feedback.q.copy()
    rig.tick(300)
    assert rig.executor.feedback.q == pytest.approx(held, abs=1e-12) and np.abs(held - AWAY).max() > 0.05


def test_a_host_that_hangs_is_a_fault_and_the_motors_brake(folder: Path) -> None:
    rig = Rig(folder, ideal).up()
    rig.go(AWAY)
    rig.tick(300)
    rig.tick(80, host=False)
    assert rig.executor.state == State.FAULTED and "nothing was heard" in str(rig.executor.fault)
    for _ in range(1000):
        rig.now += 0.001
        rig.host.look()
    assert np.abs(rig.host._feedback_now.v).max() == 0.0, "its own watchdog has braked"


class Failing(IdealDriver):
    """What it is told to fail at fails."""

    fails = ""

    def open(self) -> None:
        if self.fails == "open":
            raise DriverError("the drive at address 3 does not answer")
        super().open()

    def enable(self) -> None:
        if self.fails == "enable":
            raise OSError(5, "Input/output error")
        super().enable()

    def write(self, command: Command) -> None:
        if self.fails == "write":
            raise ZeroDivisionError("a driver's own mistake")
        super().write(command)


@pytest.mark.parametrize(("fails", "said"), [("open", "address 3"), ("enable", "Input/output"), ("write", "own mistake")])
def test_what_a_driver_raises_is_a_fault_in_words(folder: Path, fails: str, said: str) -> None:
    made: list[Failing] = []

    def failing(clock: Callable[[], float]) -> Driver:
        made.append(Failing(HOME, limits_of(MODEL).acceleration, clock=clock))
        return made[0]

    rig = Rig(folder, failing)
    driver = made[0]
    driver.fails = fails
    rig.up()
    rig.tick(10)
    assert rig.executor.state == State.FAULTED and said in str(rig.executor.fault)
    driver.fails = ""
    rig.executor.reset()
    rig.executor.initialise()
    rig.until(State.READY)
    rig.go(AWAY)
    rig.until(State.READY)
    assert rig.executor.command.q == pytest.approx(AWAY, abs=1e-9), "and a reset brings it back"


def test_a_driver_that_is_never_enabled(folder: Path) -> None:
    class Never(IdealDriver):
        def enable(self) -> None: ...

    rig = Rig(folder, lambda clock: Never(HOME, np.ones(6), clock=clock))
    rig.executor.power_on()
    rig.executor.initialise()
    rig.tick(5200)
    assert rig.executor.state == State.FAULTED and "not enabled after 5 s" in str(rig.executor.fault)


def test_capabilities_are_the_drivers_own(folder: Path) -> None:
    rig = Rig(folder, playing)
    assert rig.executor.driver.driver.capabilities == replace(PlayingDriver(HOME, time.monotonic).capabilities)


def test_an_executor_that_is_started_again_takes_the_driver_over(folder: Path) -> None:
    rig = Rig(folder, ideal).up()
    rig.go(AWAY)
    rig.tick(300)
    rig.executor = Executor(MODEL, HostedDriver(folder, 6))  # the one before ended without a word
    rig.executor.power_on()
    rig.executor.initialise()
    rig.until(State.READY)
    rig.go(HOME)
    rig.until(State.READY)
    assert rig.executor.fault is None and rig.executor.feedback.q == pytest.approx(HOME, abs=1e-3)


def test_a_stop_that_is_seen_behind_the_enabling_stops_nothing(folder: Path) -> None:
    """Opening may take long: meanwhile a stop and the orders behind it have come, and orders are done first."""
    rig = Rig(folder, playing)
    stopped: list[int] = []
    rig.host.driver.stop = lambda: stopped.append(1)  # type: ignore[method-assign]
    rig.executor.power_on()  # sends a stop behind `open`
    rig.executor.initialise()
    while (data := rig.host._orders.receive()) is not None:
        rig.host._do(Message.decode(data))
    rig.until(State.READY)
    assert not stopped
    rig.executor.driver.stop()
    rig.host.look()
    assert stopped, "one behind the enabling counts"


def test_a_motor_side_that_takes_no_set_point_is_a_fault(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = Rig(folder, playing).up()
    monkeypatch.setattr(HostedDriver, "room", 0)
    rig.go(AWAY)
    rig.until(State.FAULTED, most=6000)
    assert rig.executor.fault is not None and "taken no set-point for 5 s" in rig.executor.fault.text


class Framed(IdealDriver):
    """Sends a frame for every fourth command only, as a slow wire does."""

    sent = 0

    def write(self, command: Command) -> None:
        super().write(command)
        self.sent += command.number % 4 == 0


def test_when_an_answer_went_out_is_said_with_the_frame_that_carries_it(folder: Path) -> None:
    rig = Rig(folder, lambda clock: Framed(HOME, limits_of(MODEL).acceleration, clock=clock)).up()
    said = rig.host._feedback.value
    for since in (10.0, 20.0):
        while rig.executor.command.number % 4 != 0:
            rig.tick()
        rig.executor.command.since = since
        rig.tick(3)
        assert float(said["since"][0]) < since, "no frame went out since"
        rig.tick()
        out = float(said["out"][0])
        assert float(said["since"][0]) == since and out > 0.0
        rig.tick(8)
        assert float(said["out"][0]) == out, "the first frame counts"


@pytest.mark.parametrize(("pause", "feedback_rate", "expected"), [(0.001, 0.0, 0.001), (0.0, 250.0, 0.002), (0.0, 0.0, 0.01)])
def test_a_host_looks_as_often_as_its_driver_says(folder: Path, pause: float, feedback_rate: float, expected: float) -> None:
    class Slow(IdealDriver):
        @property
        def capabilities(self) -> Capabilities:
            return replace(super().capabilities, pause=pause, feedback_rate=feedback_rate)

    host = DriverHost(folder, Slow(HOME, limits_of(MODEL).acceleration, clock=lambda: 0.0), 6)
    assert host._pause == pytest.approx(expected)
