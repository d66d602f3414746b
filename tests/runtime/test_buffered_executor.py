"""The cycle on a motor side that plays a buffer: written ahead, held and stopped by its own means."""

import numpy as np
import pytest
from numpy.typing import NDArray

from armillary.drivers import IdealDriver
from armillary.model import load_model
from armillary.motion import Plan, limits_of, plan_joints
from armillary.motion.jog_stream import JointJog
from armillary.runtime import Handover, Refused, RuntimeProblem, State
from armillary.runtime.buffered_executor import BufferedExecutor
from tests.runtime.playing_driver import PlayingDriver

Array = NDArray[np.float64]
MODEL = load_model("cobot6")
HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
AWAY = HOME + np.array([3.6, -0.3, 0.4, 0.2, 0.3, 0.6])


class Rig:
    def __init__(self, own_hold: bool = True) -> None:
        self.now = 0.0
        self.driver = PlayingDriver(HOME, lambda: self.now, own_hold=own_hold)
        self.executor = BufferedExecutor(MODEL, self.driver)
        self.measured: list[Array] = []
        self.executor.power_on()
        self.executor.initialise()
        self.until(State.READY)

    def tick(self, count: int = 1) -> None:
        for _ in range(count):
            self.now += 0.001
            self.executor.tick(self.now)
            self.measured.append(self.executor.feedback.q.copy())

    def until(self, state: State, most: int = 20_000) -> None:
        for _ in range(most):
            if self.executor.state == state:
                return
            self.tick()
        raise AssertionError(f"{state.name} was not reached; it is {self.executor.state.name}, {self.executor.fault}")

    def go(self, goal: Array = AWAY) -> Plan:
        plan = plan_joints(MODEL, self.executor._queue.ends_at(self.executor._end).copy(), goal)
        self.executor.run(Handover(plan.trajectory, plan.certificate))
        return plan

    def off_the_path(self, plan: Plan, since: int) -> float:
        """How far the measured positions are from those that the trajectory passes, at any time."""
        path = plan.trajectory.sample(np.linspace(0.0, plan.trajectory.duration, 3000))[:, 0]
        return max(float(np.abs(path - q).max(axis=1).min()) for q in self.measured[since:])


@pytest.mark.parametrize("own_hold", [True, False])
def test_there_and_back(own_hold: bool) -> None:
    rig = Rig(own_hold)
    for goal in (AWAY, HOME):
        since = len(rig.measured)
        plan = rig.go(goal)
        rig.tick(20)
        assert rig.driver.room < 10, "it is written ahead"
        rig.until(State.READY)
        assert rig.executor.feedback.q == pytest.approx(goal, abs=1e-9)
        assert rig.off_the_path(plan, since) < 2e-3
    assert rig.executor.fault is None


def test_a_stop_does_not_wait_for_the_buffer() -> None:
    """A full buffer is 0.4 s of motion; the stop is there after the motor side's own ramp of 0.1 s."""
    rig = Rig()
    plan = rig.go()
    rig.tick(300)
    assert rig.driver.room < 10
    rig.executor.stop()
    rig.tick(150)
    assert rig.executor.state == State.READY and not rig.executor.moves
    assert rig.off_the_path(plan, 0) < 2e-3, "it stops on the path"
    held = rig.executor.feedback.q.copy()
    rig.tick(500)
    assert rig.executor.feedback.q == pytest.approx(held, abs=1e-12), "what was in the buffer is not played"
    assert np.abs(held - AWAY).max() > 0.1
    rig.go(HOME)
    rig.until(State.READY)
    assert rig.executor.feedback.q == pytest.approx(HOME, abs=1e-9)


def test_hold_resume_and_override() -> None:
    rig = Rig()
    plan = rig.go()
    rig.tick(200)
    rig.executor.hold()
    rig.tick(300)
    held = rig.executor.feedback.q.copy()
    rig.tick(300)
    assert rig.executor.state == State.HOLDING and rig.executor.feedback.q == pytest.approx(held, abs=1e-12)
    rig.executor.override(0.5)
    rig.executor.resume()
    before = rig.now
    rig.until(State.READY)
    assert rig.executor.feedback.q == pytest.approx(AWAY, abs=1e-9) and rig.off_the_path(plan, 0) < 2e-3
    assert rig.now - before > 1.5 * (plan.trajectory.duration - 0.3), "at half the speed"


def test_without_a_hold_of_its_own_it_stops_on_the_path_behind_its_buffer() -> None:
    rig = Rig(own_hold=False)
    plan = rig.go()
    rig.tick(300)
    rig.executor.stop()
    rig.until(State.READY)
    rig.tick(100)
    assert rig.off_the_path(plan, 0) < 2e-3 and np.abs(rig.executor.feedback.q - AWAY).max() > 0.01


def test_a_motor_side_that_does_not_play_is_found() -> None:
    rig = Rig()
    rig.go()
    rig.tick(100)
    rig.driver._q = rig.driver._q + 0.3
    rig.driver._from = rig.driver._from + 0.3
    rig.driver._to = rig.driver._to + 0.3
    rig.tick(5)
    assert rig.executor.state == State.FAULTED and "away from its command" in str(rig.executor.fault)


def test_what_cannot_be() -> None:
    rig = Rig()
    with pytest.raises(Refused, match="another master"):
        rig.executor.follow()
    with pytest.raises(RuntimeProblem, match="depth"):
        BufferedExecutor(MODEL, IdealDriver(HOME, np.ones(6)))


def test_a_stop_from_a_hold_plays_nothing_of_the_buffer() -> None:
    rig = Rig()
    rig.go()
    rig.tick(300)
    rig.executor.hold()
    rig.tick(400)
    rig.executor.stop()
    rig.tick(5)
    held = rig.executor.feedback.q.copy()
    rig.tick(500)
    assert rig.executor.state == State.READY and rig.executor.feedback.q == pytest.approx(held, abs=1e-12)


@pytest.mark.parametrize("rate", [1.0, 0.5])
def test_a_jog_goes_on_piece_by_piece_and_stops_when_it_is_let_go(rate: float) -> None:
    """Each piece ends with a stop; written as fast as there is room, all of it would be driven."""
    rig = Rig()
    rig.executor.override(rate)
    speeds, fixed, refused = np.array([0.3, 0.0, 0.0, 0.0, 0.0, 0.0]), 0.0, list[str]()
    stream = JointJog(MODEL, limits_of(MODEL), HOME)
    for _ in range(2000):
        while fixed - (rig.executor.motion[1] if fixed else 0.0) < 0.08:  # as the jogger does
            piece = stream.next(speeds)
            assert piece is not None and piece.certificate
            try:
                rig.executor.run(Handover(piece.trajectory, piece.certificate, 7, fixed, while_pressed=True))
            except Refused as error:
                refused.append(str(error))
            fixed += piece.moment
        rig.tick()
    assert not refused and rig.executor.state == State.MOVING
    assert rig.executor.feedback.v[0] == pytest.approx(0.3 * rate, abs=1e-3)
    moved = rig.executor.feedback.q[0] - HOME[0]
    assert moved == pytest.approx(0.3 * rate * 2.0, abs=0.3 * 0.4)
    rig.now += 0.001
    for _ in range(1000):
        rig.now += 0.001
        rig.executor.tick(rig.now, unpressed=1.0)
    rig.until(State.READY)
    assert rig.executor.fault is None
    assert rig.executor.feedback.q[0] - HOME[0] < moved + 0.3 * rate * 0.1, "its own hold, and nothing of the buffer"
