"""One contract for every driver: any order, there and back, held and stopped on the path, cut off at any moment."""

import itertools
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from armillary.drivers import Driver, DriverError, Feedback, Lifecycle, Stage, WrongOrder
from armillary.runtime import Refused, State
from armillary.runtime.station_channels import StationChannels
from tests.drivers.contract.cia402_side import Cia402
from tests.drivers.contract.motor_side import MOTOR_SIDES, MotorSide
from tests.drivers.contract.ros1_side import Ros1
from tests.drivers.rig import Rig

SIDES: dict[str, type[MotorSide]] = {**MOTOR_SIDES, Cia402.name: Cia402, Ros1.name: Ros1}
pytestmark = [pytest.mark.alone, pytest.mark.slow]
SLOW = 4.0  # s of a motion that is held or stopped in its middle
Rigs = Callable[[], Rig[Driver]]


# rospy leaves sockets to the garbage collector.
_LEAKS = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")


@pytest.fixture(params=[pytest.param(name, marks=_LEAKS if name == Ros1.name else ()) for name in sorted(SIDES)])
def side(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MotorSide]:
    made = SIDES[request.param](tmp_path)
    made.start()
    yield made
    made.close()


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


def test_up_and_down_in_any_order(side: MotorSide) -> None:
    """Whatever is asked, nothing but a refusal comes of it; and then it can still be used."""
    life, rng, feedback = Lifecycle(side.driver()), random.Random(side.name), Feedback.of(side.model.n)
    for _ in range(40):
        order = rng.choice(["open", "enable", "stop", "disable", "close", "read"])
        try:
            if order == "read":
                life.read(feedback)
            else:
                getattr(life, order)()
        except WrongOrder:
            pass
    life.close()
    life.close()
    life.open()
    life.enable()
    end = time.monotonic() + 20.0
    while not (feedback.enabled and np.isfinite(feedback.q).all()):
        assert time.monotonic() < end, f"it is not enabled: {feedback.fault}"
        life.read(feedback)
        time.sleep(0.005)
    assert feedback.q == pytest.approx(side.home, abs=5 * side.count) or not side.measures
    life.close()
    assert life.stage == Stage.CLOSED


def test_there_and_back_within_a_count(side: MotorSide, rigs: Rigs) -> None:
    rig = rigs().up()
    for goal in (side.away, side.home):
        rig.go(goal)
        rig.until(State.READY, State.FAULTED)
        rig.tick(0.2)
        assert rig.executor.fault is None, str(rig.executor.fault)
        assert rig.executor.feedback.q == pytest.approx(goal, abs=side.count)


def test_a_hold_is_on_the_path_and_goes_on_to_the_end(side: MotorSide, rigs: Rigs) -> None:
    rig = rigs().up()
    trajectory = rig.go(side.away, SLOW)
    rig.tick(0.4 * trajectory.duration)
    rig.executor.hold()
    begin = time.monotonic()
    rig.stands()
    rig.tick(0.3)
    held = rig.executor.feedback.q.copy()
    rig.tick(0.5)
    assert rig.executor.state == State.HOLDING and np.abs(rig.executor.feedback.q - held).max() <= side.count, "it stands"
    assert np.abs(held - side.away).max() > 0.02, "it did not play its buffer to the end"
    assert time.monotonic() - begin < 5.0
    rig.executor.resume()
    rig.until(State.READY, State.FAULTED)
    rig.tick(0.2)
    assert rig.executor.fault is None, str(rig.executor.fault)
    assert rig.executor.feedback.q == pytest.approx(side.away, abs=side.count)
    assert rig.off_the_path(trajectory) < 0.02


def test_a_stop_is_on_the_path_and_the_rest_is_never_played(side: MotorSide, rigs: Rigs) -> None:
    rig = rigs().up()
    trajectory = rig.go(side.away, SLOW)
    rig.tick(0.4 * trajectory.duration)
    rig.executor.stop(2)
    rig.until(State.READY, State.FAULTED)
    assert rig.executor.fault is None, str(rig.executor.fault)
    rig.tick(0.3)
    stopped = rig.executor.feedback.q.copy()
    rig.tick(0.7)
    assert np.abs(rig.executor.feedback.q - stopped).max() <= side.count
    assert rig.off_the_path(trajectory) < 0.02 and np.abs(stopped - side.away).max() > 0.02
    rig.go(side.home)
    rig.until(State.READY, State.FAULTED)
    rig.tick(0.2)
    assert rig.executor.feedback.q == pytest.approx(side.home, abs=side.count)


def test_half_the_rate_takes_twice_as_long(side: MotorSide, rigs: Rigs) -> None:
    rig, took = rigs().up(), []
    for rate, goal in ((1.0, side.away), (0.5, side.home)):
        rig.executor.override(rate)
        trajectory = rig.go(goal)
        begin = time.monotonic()
        rig.until(State.READY, State.FAULTED)
        took.append(time.monotonic() - begin - trajectory.duration / rate)
        assert rig.executor.fault is None, str(rig.executor.fault)
    assert abs(took[1] - took[0]) < 1.0, "beside what the motor side takes to begin and to come to rest"


def test_what_is_outside_the_limits_is_refused_and_nothing_moves(side: MotorSide, rigs: Rigs) -> None:
    rig = rigs().up()
    with pytest.raises(Exception, match=r"limit|outside"):
        rig.go(side.model.upper + 0.5)
    rig.tick(0.2)
    assert rig.executor.state == State.READY
    assert rig.executor.feedback.q == pytest.approx(side.home, abs=5 * side.count) or not side.measures


@pytest.mark.parametrize("moment", ["before it is opened", "opened", "being enabled", "enabled", "moving", "on hold"])
def test_cut_off_at_any_moment_it_is_a_fault_and_nothing_is_played_again(side: MotorSide, rigs: Rigs, moment: str) -> None:
    rig = rigs()
    if moment in ("before it is opened", "opened", "being enabled"):
        if moment == "before it is opened":
            side.kill()
        rig.tick(0.05)
        rig.executor.power_on()
        if moment == "opened":
            rig.until(State.STOPPED)
            rig.tick(0.3)
            side.kill()
        elif moment == "being enabled":
            rig.executor.initialise()
            rig.tick(0.03)
            side.kill()
        rig.until(State.FAULTED, State.STOPPED)
        if rig.executor.state == State.STOPPED:
            rig.tick(0.05)
            if rig.executor.state == State.STOPPED:
                rig.executor.initialise()
            rig.until(State.FAULTED)
    else:
        rig.up()
        if moment != "enabled":
            trajectory = rig.go(side.away)
            rig.tick(0.4 * trajectory.duration)
        if moment == "on hold":
            rig.executor.hold()
            rig.tick(0.8)
        side.kill()
        rig.until(State.FAULTED)
    assert rig.executor.fault is not None and len(str(rig.executor.fault)) > 20, "it says what was wrong"
    with pytest.raises(Refused):
        rig.go_from(side.home, side.away)
    side.start()
    again = rigs().up()  # a host that was started again: the emulator may be at another address
    begun = again.executor.feedback.q.copy()
    again.tick(1.0)
    assert np.abs(again.executor.feedback.q - begun).max() <= side.count, "nothing of before is played"
    again.go(side.away)
    again.until(State.READY, State.FAULTED)
    assert again.executor.fault is None, str(again.executor.fault)


def test_answers_that_do_not_come_are_a_fault_while_it_moves(side: MotorSide, rigs: Rigs) -> None:
    rig = rigs().up()
    trajectory = rig.go(side.away)
    rig.tick(0.4 * trajectory.duration)
    side.pause()
    try:
        rig.until(State.FAULTED)
    finally:
        side.go_on()
    assert rig.executor.fault is not None


def test_garbage_is_a_fault_or_does_no_harm(side: MotorSide, rigs: Rigs) -> None:
    """A motion ends where it was sent, within a count, or in a fault that says why; then it can be used again."""
    rig = rigs().up()
    trajectory = rig.go(side.away, SLOW)
    rig.tick(0.3 * trajectory.duration)
    for _ in range(5):
        side.spoil(0.05)
        rig.tick(0.05 * trajectory.duration)
    side.spoil(0.0)
    rig.until(State.READY, State.FAULTED)
    if rig.executor.state == State.FAULTED:
        assert len(str(rig.executor.fault)) > 20, "it says what was wrong"
    else:
        rig.stands()
        rig.tick(0.5)
        assert np.abs(rig.executor.feedback.q - side.away).max() <= 1.5 * side.count
    again = rigs().up()
    away = np.abs(again.executor.feedback.q - side.home).max() > 5 * side.count
    again.go(side.home if away else side.away)
    again.until(State.READY, State.FAULTED)
    assert again.executor.fault is None, str(again.executor.fault)


def test_late_answers_are_borne_or_a_fault(side: MotorSide, rigs: Rigs) -> None:
    """A tenth of a second late: the motion ends where it was sent, or in a fault that says why."""
    rig = rigs().up()
    trajectory = rig.go(side.away, SLOW)
    rig.tick(0.3 * trajectory.duration)
    side.delay(0.1)
    rig.tick(1.0)
    side.delay(0.0)
    rig.until(State.READY, State.FAULTED)
    if rig.executor.state == State.FAULTED:
        assert len(str(rig.executor.fault)) > 20, "it says what was wrong"
    else:
        rig.stands()
        rig.tick(0.5)
        assert np.abs(rig.executor.feedback.q - side.away).max() <= 1.5 * side.count


def test_two_masters_are_told_apart(side: MotorSide, rigs: Rigs) -> None:
    """One of them is refused, or both are told; the robot is not moved by two."""
    rig = rigs().up()
    second, told = Lifecycle(side.driver()), ""
    feedback, begin = Feedback.of(side.model.n), rig.executor.feedback.q.copy()
    try:
        second.open()
        second.enable()
        for _ in itertools.repeat(None, 200):
            second.read(feedback)
            rig.tick(0.01)
            if feedback.fault or rig.executor.fault is not None:
                break
        told = feedback.fault or str(rig.executor.fault or "")
    except DriverError as refused:
        told = str(refused)
    finally:
        second.close()
    assert told
    assert np.abs(rig.executor.feedback.q - begin).max() <= side.count or not side.measures
