"""Outputs of a motion in the executor: set as it comes past, once; held back by a hold, dropped by a stop."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from armillary.drivers import Capabilities, IdealDriver
from armillary.motion import Bounds, Plan, certify, jerk_limited_to, plan_joints
from armillary.runtime import Fault, Handover, Refused, State
from armillary.runtime.buffered_executor import BufferedExecutor
from armillary.runtime.inputs_outputs import Output, TimedOutput
from tests.runtime.executor_rig import AWAY, HOME, LIMITS, MODEL, Clock, Rig
from tests.runtime.playing_driver import PlayingDriver


class Watched(Rig):
    """Notes when outputs change, in the motion's own time: which bits there are then, and the analogue outputs."""

    def __init__(self, driver: type[IdealDriver] = IdealDriver) -> None:
        super().__init__(lambda clock: driver(HOME, LIMITS.acceleration, clock=clock))
        self.changes: list[tuple[float, int, float]] = []

    def tick(self, count: int = 1, **late: float) -> None:
        for _ in range(count):
            before = self.now
            super().tick(1, **late)
            if self.now != before:
                self.changes.append((self.executor.motion[1], *self.now))

    @property
    def now(self) -> tuple[int, float]:
        return self.executor.command.outputs, float(self.executor.command.analog[1])


def timed(*outputs: tuple[float, int, bool | float]) -> tuple[TimedOutput, ...]:
    return tuple(TimedOutput(time, Output(index, value), k + 1) for k, (time, index, value) in enumerate(outputs))


def motion(outputs: Sequence[TimedOutput], plan: Plan | None = None, number: int = 7) -> Handover:
    plan = plan or plan_joints(MODEL, HOME, AWAY)
    return Handover(plan.trajectory, plan.certificate, motion=number, outputs=tuple(outputs))


def test_they_are_set_as_the_motion_comes_past() -> None:
    rig = Watched().up()
    rig.executor.run(motion(timed((0.0, 2, True), (0.3, 1, 2.5), (0.5, 2, False), (0.5, 3, True))))
    assert rig.now == (0, 0.0), "not before it moves"
    rig.until(State.READY)
    assert [(bits, value) for _, bits, value in rig.changes] == [(4, 0.0), (4, 2.5), (8, 2.5)]
    assert [time for time, _, _ in rig.changes] == pytest.approx([0.001, 0.301, 0.501], abs=0.0011)
    rig.tick(2)
    assert rig.executor.feedback.inputs == 8, "the motor side has them"


def test_one_that_waits_sets_nothing_before_it_begins() -> None:
    rig = Watched().up()
    plan = plan_joints(MODEL, AWAY, HOME)
    rig.go()
    rig.executor.run(motion(timed((0.0, 0, True)), plan))
    while rig.executor.queued:
        assert rig.now == (0, 0.0)
        rig.tick()
    rig.tick()
    assert rig.now == (1, 0.0)


def test_at_another_rate_they_are_set_at_the_same_place() -> None:
    places = []
    for rate in (1.0, 0.25):
        rig = Watched().up()
        rig.executor.override(rate)
        rig.executor.run(motion(timed((0.4, 2, True))))
        while not rig.changes:
            rig.tick()
        places.append(rig.executor.command.q.copy())
    assert np.abs(places[0] - places[1]).max() < 0.004


def test_a_hold_leaves_them_pending() -> None:
    rig = Watched().up()
    rig.executor.run(motion(timed((0.0, 0, True), (1.2, 2, True))))
    rig.tick(300)
    rig.executor.hold()
    rig.tick(1500)
    assert rig.executor.state == State.HOLDING and rig.executor.motion[1] < 1.2 and rig.now[0] == 1
    rig.executor.resume()
    rig.until(State.READY)
    assert [bits for _, bits, _ in rig.changes] == [1, 5] and rig.changes[-1][0] == pytest.approx(1.201, abs=0.0011)


def test_a_motion_that_begins_held_sets_nothing_until_it_is_let_go() -> None:
    rig = Watched().up()
    rig.go(HOME + 0.05)
    rig.executor.run(motion(timed((0.0, 0, True)), plan_joints(MODEL, HOME + 0.05, AWAY)))
    rig.executor.hold()
    rig.executor.step()
    rig.until(State.HOLDING)
    rig.tick(200)
    assert rig.executor.queued == 0 and rig.now[0] == 0
    rig.executor.resume()
    rig.tick(50)
    assert rig.executor.moves and rig.now[0] == 1


@pytest.mark.parametrize("how", ["stop", "fault", "power off"])
def test_a_stop_drops_them_even_those_that_it_brakes_past(how: str) -> None:
    rig = Watched().up()
    rig.executor.run(motion(timed((0.5, 2, True), (0.53, 3, True), (0.9, 4, True))))
    rig.go(HOME)
    rig.tick(515)
    assert rig.now[0] == 4
    if how == "stop":
        rig.executor.stop()
    elif how == "fault":
        rig.executor.fail(Fault("test", "", 0.0, 0.0, rig.clock.now, "of the test's"))
    else:
        rig.executor.stop(1)
    rig.tick(40)
    assert rig.executor.motion[1] > 0.53, "it has come past the second"
    rig.tick(2000)
    assert rig.now[0] == 4
    if how == "fault":
        rig.executor.reset()
    elif how == "power off":
        rig.executor.power_on()
    if how != "stop":
        rig.executor.initialise()
        rig.until(State.READY)
    rig.go()
    rig.until(State.READY)
    assert rig.now[0] == 4, "nor does a later motion set them"


def piece(plan: Plan, cut: float, outputs: Sequence[TimedOutput]) -> Handover:
    state = plan.trajectory.at(cut)
    rest = jerk_limited_to(LIMITS, state, HOME + 0.2)
    return Handover(rest, certify(rest, MODEL, bounds=Bounds(start=state)), motion=7, at=cut, outputs=tuple(outputs))


def test_through_a_piece_that_replaces_the_rest_each_is_set_once() -> None:
    """The piece says again what was set, and what lies before it; what it does not say any more is not set."""
    plan = plan_joints(MODEL, HOME, AWAY)
    given = timed((0.1, 0, True), (0.45, 1, True), (0.6, 2, True), (0.8, 3, True))
    again = [replace(each, time=max(each.time, 0.5) + 0.02) for each in given[:3]]
    rig = Watched().up()
    rig.executor.run(motion(given, plan))
    rig.tick(300)
    rig.executor.set_output(0, False)  # would be seen if it were set again
    rig.executor.run(piece(plan, 0.5, again))
    rig.until(State.READY)
    assert [bits for _, bits, _ in rig.changes] == [1, 2, 6]
    assert [time for time, _, _ in rig.changes] == pytest.approx([0.101, 0.451, 0.621], abs=0.0011)


def test_a_waiting_motion_that_goes_further_sets_what_it_says_last() -> None:
    rig = Watched().up()
    rig.go()
    plan = plan_joints(MODEL, AWAY, HOME)
    rig.executor.run(motion(timed((0.0, 0, True), (0.2, 1, True)), plan))
    rig.executor.run(motion(timed((0.0, 0, True), (0.3, 2, True)), plan))
    rig.until(State.READY)
    assert [bits for _, bits, _ in rig.changes] == [1, 5]


class Few(IdealDriver):
    """One with four digital outputs and no analogue ones."""

    @property
    def capabilities(self) -> Capabilities:
        return replace(super().capabilities, outputs=4, analog_outputs=0)


@pytest.mark.parametrize(
    ("index", "value", "said"),
    [
        (4, True, r"no digital output 4: the motor side has 4"),
        (0, 1.5, "no analogue output 0"),
        (-1, True, "no digital output -1"),
    ],
)
def test_a_motion_with_an_output_that_there_is_not_is_refused_and_nothing_moves(index: int, value: float, said: str) -> None:
    rig = Watched(Few).up()
    with pytest.raises(Refused, match=said):
        rig.executor.run(motion(timed((0.0, 1, True), (0.2, index, value))))
    rig.tick(100)
    assert rig.executor.state == State.READY and rig.now == (0, 0.0) and np.abs(rig.executor.command.q - HOME).max() == 0.0


def test_a_piece_with_an_output_that_there_is_not_is_refused_and_the_motion_stays_as_it_was() -> None:
    rig = Watched(Few).up()
    plan = plan_joints(MODEL, HOME, AWAY)
    rig.executor.run(motion(timed((0.6, 2, True)), plan))
    rig.tick(100)
    with pytest.raises(Refused, match="no digital output 9"):
        rig.executor.run(piece(plan, 0.5, timed((0.7, 9, True))))
    rig.until(State.READY)
    assert [bits for _, bits, _ in rig.changes] == [4]


def test_a_motor_side_that_plays_a_buffer_refuses_them() -> None:
    clock = Clock()
    driver = PlayingDriver(HOME, clock=clock)
    driver.capabilities = replace(driver.capabilities, outputs=4)
    executor = BufferedExecutor(MODEL, driver)
    executor.power_on()
    executor.initialise()
    for _ in range(200):
        clock.now += 0.001
        executor.tick(clock.now)
    assert executor.state == State.READY
    with pytest.raises(Refused, match="plays a buffer"):
        executor.run(motion(timed((0.0, 0, True))))
