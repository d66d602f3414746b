"""One contract for every driver: any order, there and back, held and stopped on the path, cut off at any moment.

Where the motors are is asked of the emulator itself: a driver's feedback may be what it was told.
"""

import itertools
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from armillary.drivers import BufferedDriver, Driver, DriverError, Feedback, Lifecycle, Stage, WrongOrder
from armillary.runtime import Refused, State
from armillary.runtime.station_channels import StationChannels
from tests.drivers import pmac_bench
from tests.drivers.contract.motor_side import MotorSide, Moved
from tests.drivers.contract.motor_sides import EVERY_SIDE, started
from tests.drivers.contract.watch import Watch
from tests.drivers.rig import Rig, command, told

pytestmark = [pytest.mark.alone, pytest.mark.slow]
SLOW = 4.0  # s of a motion that is held or stopped in its middle
STANDS = 2.0  # s for which a robot that was connected anew is seen to stand
ORDERS = ("open", "enable", "stop", "disable", "close")
MOMENTS = (
    "before it is opened", "being opened", "opened", "being enabled", "enabled", "moving", "on hold", "stopping",
    "being disabled", "closing",
)  # fmt: skip
Rigs = Callable[[], Rig[Driver]]


@pytest.fixture(params=EVERY_SIDE)
def side(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MotorSide]:
    with started(request.param, tmp_path) as made:
        yield made


@pytest.fixture
def rigs(side: MotorSide, tmp_path: Path) -> Iterator[Rigs]:
    """Makes an executor and a host for the motor side, one after another."""
    (tmp_path / "station").mkdir()
    channels = StationChannels(tmp_path / "station", side.model.n)
    made: list[Rig[Driver]] = []

    def make() -> Rig[Driver]:
        if made:
            made[-1].close()
        made.append(Rig(tmp_path / "station", side.model, side.driver()))
        return made[-1]

    yield make
    for rig in made:
        rig.close()
    channels.close()


def enabled(side: MotorSide, driver: Driver) -> Feedback:
    return told(driver, lambda feedback: feedback.enabled and bool(np.isfinite(feedback.q).all()), side.model.n)


def without_power(side: MotorSide) -> None:
    end = time.monotonic() + 10.0
    while side.powered:
        assert time.monotonic() < end, "its motors have power"
        time.sleep(0.02)


def is_at(side: MotorSide, rig: Rig[Driver], q: np.ndarray) -> None:
    """It was sent there without a fault, and its motors are there."""
    assert rig.executor.fault is None, str(rig.executor.fault)
    end, there = time.monotonic() + 3.0, 0
    while there < 3 and time.monotonic() < end:
        rig.tick(0.05)  # motors are a little behind, and may pass it
        there = there + 1 if np.abs(side.place() - q).max() <= side.count else 0
    assert side.place() == pytest.approx(q, abs=side.count)
    assert rig.executor.feedback.q == pytest.approx(q, abs=side.count) or not side.measures


def stays(side: MotorSide, rig: Rig[Driver], seconds: float) -> None:
    """Its motors stay where they are."""
    begin = side.place()
    with Watch(side) as watch:
        rig.tick(seconds)
    assert np.abs(watch.places - begin).max() <= side.count


def comes_up_again(side: MotorSide, rig: Rig[Driver]) -> None:
    """After a fault that a person has reset, or powered off: from where its motors came to rest, without anything of before."""
    rest = side.rest()
    if rig.executor.state == State.FAULTED:
        rig.executor.reset()
    if rig.executor.state == State.OFF:
        rig.executor.power_on()
    rig.tick(0.05)
    rig.executor.initialise()
    rig.until(State.READY, State.FAULTED)
    assert rig.executor.fault is None, str(rig.executor.fault)
    rig.tick(STANDS)
    assert side.place() == pytest.approx(rest, abs=side.count) or not side.measures, "nothing of before is played"
    stays(side, rig, 0.3)
    goal = side.home if np.abs(rig.executor.command.q - side.home).max() > 0.05 else side.away
    rig.go(goal)
    rig.until(State.READY, State.FAULTED)
    is_at(side, rig, goal)


def test_every_order_ends_closed_and_without_power_and_then_it_can_still_be_used(
    side: MotorSide, request: pytest.FixtureRequest
) -> None:
    """Every three of them; a part of these without --full. Whatever is asked, nothing but a refusal comes of it."""
    driver, feedback = side.driver(), Feedback.of(side.model.n)
    for orders in list(itertools.product(ORDERS, repeat=3))[:: 1 if request.config.getoption("--full") else 9]:
        life = Lifecycle(driver)
        for order in orders:
            try:
                getattr(life, order)()
            except WrongOrder:
                continue
            if life.stage != Stage.CLOSED:
                life.read(feedback)
        life.close()
        life.close()
        assert life.stage == Stage.CLOSED
        without_power(side)
    life.open()
    life.enable()
    assert enabled(side, driver).q == pytest.approx(side.home, abs=side.count) or not side.measures
    life.close()
    without_power(side)


def test_a_driver_that_is_opened_twice_begins_anew_and_one_that_was_not_can_be_closed(side: MotorSide) -> None:
    driver = side.driver()
    for verb in (driver.stop, driver.disable, driver.close, driver.close):
        verb()
    driver.open()
    driver.open()
    driver.enable()
    enabled(side, driver)
    driver.open()
    assert not told(driver, lambda feedback: bool(np.isfinite(feedback.q).all()), side.model.n).enabled
    without_power(side)
    driver.enable()
    assert enabled(side, driver).fault == ""
    driver.close()
    driver.close()
    without_power(side)


def test_there_and_back_within_a_count(side: MotorSide, rigs: Rigs) -> None:
    rig = rigs().up()
    for goal in (side.away, side.home):
        rig.go(goal)
        rig.until(State.READY, State.FAULTED)
        is_at(side, rig, goal)


def test_a_hold_is_on_the_path_at_once_and_goes_on_to_the_end(side: MotorSide, rigs: Rigs) -> None:
    """Its motors stand within its own ramp, however much is in its buffer."""
    rig = rigs().up()
    with Watch(side) as whole:
        trajectory = rig.go(side.away, SLOW)
        rig.tick(0.4 * trajectory.duration)
        with Watch(side) as halt:
            rig.executor.hold()
            begin = time.monotonic()
            rig.stands()
            rig.tick(0.5)
        held = side.place()
        assert halt.moved_until(side.count) - begin < side.halts
        stays(side, rig, 0.5)
        assert rig.executor.state == State.HOLDING and np.abs(held - side.away).max() > 0.02
        rig.executor.resume()
        rig.until(State.READY, State.FAULTED)
        is_at(side, rig, side.away)
    assert whole.off(trajectory) < side.off


def test_a_stop_is_on_the_path_at_once_and_the_rest_is_never_played(side: MotorSide, rigs: Rigs) -> None:
    rig = rigs().up()
    with Watch(side) as whole:
        trajectory = rig.go(side.away, SLOW)
        rig.tick(0.4 * trajectory.duration)
        with Watch(side) as halt:
            rig.executor.stop(2)
            begin = time.monotonic()
            rig.until(State.READY, State.FAULTED)
            assert rig.executor.fault is None, str(rig.executor.fault)
            rig.tick(0.5)
        assert halt.moved_until(side.count) - begin < side.halts
        stays(side, rig, 0.7)
        assert np.abs(side.place() - side.away).max() > 0.02
    assert whole.off(trajectory) < side.off
    rig.go(side.home)
    rig.until(State.READY, State.FAULTED)
    is_at(side, rig, side.home)


def test_half_the_rate_takes_twice_as_long(side: MotorSide, rigs: Rigs) -> None:
    """A driver that ignores the rate would be two seconds early."""
    rig, took = rigs().up(), []
    for rate, goal in ((1.0, side.away), (0.5, side.home)):
        rig.executor.override(rate)
        trajectory = rig.go(goal, 0.5 * SLOW)
        begin = time.monotonic()
        rig.until(State.READY, State.FAULTED)
        took.append(time.monotonic() - begin - trajectory.duration / rate)
        assert rig.executor.fault is None, str(rig.executor.fault)
    assert abs(took[1] - took[0]) < 1.0, "beside what the motor side takes to begin and to come to rest"


def test_a_plan_outside_the_limits_is_refused_and_nothing_moves(side: MotorSide, rigs: Rigs) -> None:
    rig = rigs().up()
    with pytest.raises(Exception, match=r"limit|outside"):
        rig.go(side.model.upper + 0.5)
    rig.tick(0.2)
    assert rig.executor.state == State.READY
    assert side.place() == pytest.approx(side.home, abs=side.count)


@pytest.mark.parametrize("name", EVERY_SIDE)
def test_set_points_that_creep_past_a_joints_limit_are_a_fault_and_the_motors_stay_within(name: str, tmp_path: Path) -> None:
    """Written straight to the driver; joint_3, whose motor joint_2 moves too, so that no motor's own limit bounds it."""
    home = pmac_bench.HOME.copy()
    edge = float(pmac_bench.MODEL.upper[2])
    home[2] = edge - 0.004
    with started(name, tmp_path, Moved(pmac_bench.MODEL, home, home, pmac_bench.COUPLING)) as side:
        driver = side.driver()
        driver.open()
        driver.enable()
        enabled(side, driver)
        feedback, speed = Feedback.of(6), np.array([0.0, 0.0, 0.01, 0.0, 0.0, 0.0])
        with Watch(side) as watch:
            for number, past in enumerate(np.arange(-0.004, 0.004, 0.0002), start=1):
                home[2], end = edge + past, time.monotonic() + 5.0
                driver.read(feedback)
                while isinstance(driver, BufferedDriver) and driver.room == 0 and not feedback.fault and time.monotonic() < end:
                    driver.read(feedback)
                driver.write(command(number, home, speed))
                time.sleep(0.01)
            feedback = told(driver, lambda feedback: bool(feedback.fault), 6)
            side.rest()
        assert "joint_3" in feedback.fault and "outside its limits" in feedback.fault
        assert watch.places[:, 2].max() <= edge + side.count
        driver.close()


@pytest.mark.parametrize("moment", MOMENTS)
def test_cut_off_at_any_moment_it_stands_and_connected_anew_nothing_is_played_again(
    side: MotorSide, rigs: Rigs, moment: str
) -> None:
    """The motor side lives on; whatever it had in its buffer when the link was cut, it does not go on with."""
    link, rig = side.link, rigs()
    if moment in ("before it is opened", "being opened", "opened", "being enabled"):
        rig.tick(0.05)
        if moment == "before it is opened":
            link.cut()
        elif moment == "being opened":
            link.cut_after(10)  # behind python-can's greeting, which leaves its socket to the garbage collector
        rig.executor.power_on()
        rig.tick(0.3)
        if moment == "opened":
            link.cut()
        elif moment == "being enabled":
            link.cut_after(4)
        rig.tick(0.05)
        if rig.executor.state == State.STOPPED:
            rig.executor.initialise()
        rig.until(State.FAULTED)
    else:
        rig.up()
        if moment in ("moving", "on hold", "stopping"):
            trajectory = rig.go(side.away, 0.5 * SLOW)
            rig.tick(0.4 * trajectory.duration)
        if moment == "on hold":
            rig.executor.hold()
            rig.tick(0.8)
        elif moment == "stopping":
            rig.executor.stop(2)
            rig.tick(0.05)
        if moment == "being disabled":
            link.cut_after(2)
            rig.executor.stop(0)
            rig.tick(0.5)
        elif moment == "closing":
            link.cut_after(2)
            rig.close()
            rig.executor.stop(0)
            rig.tick(0.1)
        else:
            link.cut()
            rig.until(State.FAULTED)
    if rig.executor.state == State.FAULTED:
        assert re.search(side.says["cut"], str(rig.executor.fault)), str(rig.executor.fault)
    else:
        assert rig.executor.state == State.OFF
    with pytest.raises(Refused):
        rig.go_from(side.home, side.away)
    link.mend()
    comes_up_again(side, rig)


def test_without_power_in_the_middle_of_a_motion_it_is_a_fault_and_begins_anew_from_where_it_stands(
    side: MotorSide, rigs: Rigs
) -> None:
    rig = rigs().up()
    trajectory = rig.go(side.away)
    rig.tick(0.4 * trajectory.duration)
    side.kill()
    rig.until(State.FAULTED)
    assert re.search(side.says["cut"], str(rig.executor.fault)), str(rig.executor.fault)
    side.start()
    again = rigs().up()  # a host that was started again: the emulator may be at another address
    stays(side, again, 0.5)
    again.go(side.away)
    again.until(State.READY, State.FAULTED)
    is_at(side, again, side.away)


def test_closed_while_it_moves_is_held_or_has_a_fault_it_stands_without_power(side: MotorSide, rigs: Rigs) -> None:
    for state in ("moving", "held", "faulted"):
        rig = rigs().up()
        trajectory = rig.go(side.away if np.abs(side.place() - side.away).max() > 0.1 else side.home, 0.5 * SLOW)
        rig.tick(0.4 * trajectory.duration)
        if state == "held":
            rig.executor.hold()
            rig.tick(0.5)
        elif state == "faulted":
            rig.driver.write(command(10**6, np.full(side.model.n, np.nan)))
            rig.until(State.FAULTED)
        rig.driver.close()
        rig.driver.close()
        without_power(side)
        rest = side.rest()
        assert np.abs(rest - trajectory.sample([trajectory.duration])[0, 0]).max() > 0.02, "it did not go on to the end"
        time.sleep(0.5)
        assert side.place() == pytest.approx(rest, abs=side.count)


def test_answers_that_do_not_come_are_a_fault_while_it_moves(side: MotorSide, rigs: Rigs) -> None:
    rig = rigs().up()
    trajectory = rig.go(side.away)
    rig.tick(0.4 * trajectory.duration)
    side.pause()
    try:
        rig.until(State.FAULTED)
    finally:
        side.go_on()
    assert re.search(side.says["silence"], str(rig.executor.fault)), str(rig.executor.fault)


@pytest.mark.parametrize("trouble", ["garbage", "late"])
def test_garbage_and_late_answers_are_borne_or_a_fault(side: MotorSide, rigs: Rigs, trouble: str) -> None:
    """The motion ends where it was sent, within a count, or in a fault that names what happened; then it can be used again."""
    link, rig = side.link, rigs().up()
    trajectory = rig.go(side.away, SLOW)
    rig.tick(0.3 * trajectory.duration)
    if trouble == "garbage":
        link.spoil = 0.05
    else:
        link.delay = 0.1
    rig.tick(1.0)
    link.spoil = link.delay = 0.0
    assert link.spoilt or link.delayed
    rig.until(State.READY, State.FAULTED)
    if rig.executor.state == State.READY:
        is_at(side, rig, side.away)
        rig.go(side.home)
        rig.until(State.READY, State.FAULTED)
        is_at(side, rig, side.home)
    else:
        assert re.search(side.says[trouble], str(rig.executor.fault)), str(rig.executor.fault)
        comes_up_again(side, rig)


def test_two_masters_are_told_apart(side: MotorSide, rigs: Rigs) -> None:
    """One of them is refused, or both are told; the robot is not moved by two."""
    rig = rigs().up()
    second, words = Lifecycle(side.driver()), ""
    feedback, begin = Feedback.of(side.model.n), side.place()
    try:
        second.open()
        second.enable()
        for _ in itertools.repeat(None, 200):
            second.read(feedback)
            rig.tick(0.01)
            if feedback.fault or rig.executor.fault is not None:
                break
        words = feedback.fault or str(rig.executor.fault or "")
    except DriverError as refused:
        words = str(refused)
    finally:
        second.close()
    assert re.search(side.says["second"], words), words
    assert np.abs(side.place() - begin).max() <= side.count
