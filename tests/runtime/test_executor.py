"""The executor's cycle on an ideal robot with a clock of the test's: orders, refusals, stops, faults."""

from collections.abc import Callable

import numpy as np
import pytest

from armillary.drivers import Feedback, IdealDriver, Stage
from armillary.model import Coupling
from armillary.motion import Bounds, MotionLimits, certify, plan_joints
from armillary.motion.certificate import world_hash
from armillary.runtime import Event, Executor, Handover, Refused, State
from tests.runtime.executor_rig import AWAY, HOME, LIMITS, MODEL, Clock, Rig


def test_up_there_and_down() -> None:
    rig = Rig().up()
    assert rig.executor.command.q == pytest.approx(HOME)
    plan = rig.go()
    took = rig.until(State.READY)
    assert took == pytest.approx(plan.trajectory.duration / 0.001, abs=12)
    rig.tick()
    assert rig.executor.feedback.q == pytest.approx(AWAY, abs=1e-9)
    assert (rig.worst <= 1.001).all()
    rig.executor.power_off()
    assert rig.executor.state == State.OFF
    assert [happening.event for happening in rig.executor.happenings] == [
        Event.POWER_ON, Event.INITIALISE, Event.INITIALISED, Event.MOVE, Event.ARRIVED, Event.POWER_OFF,
    ]  # fmt: skip


def test_one_after_the_other() -> None:
    rig = Rig().up()
    rig.go()
    rig.go(HOME)
    rig.until(State.READY)
    assert rig.executor.command.q == pytest.approx(HOME, abs=1e-9) and (rig.worst <= 1.001).all()


def test_hold_and_resume() -> None:
    rig = Rig().up()
    rig.go()
    rig.tick(300)
    rig.executor.hold()
    rig.tick(1500)
    assert rig.executor.state == State.HOLDING and not rig.executor.moves
    held = rig.executor.command.q.copy()
    rig.tick(100)
    assert rig.executor.command.q == pytest.approx(held, abs=1e-12)
    rig.executor.resume()
    rig.until(State.READY)
    assert rig.executor.command.q == pytest.approx(AWAY, abs=1e-9) and (rig.worst <= 1.001).all()


def test_override() -> None:
    rig = Rig().up()
    rig.executor.override(0.5)
    plan = rig.go()
    assert rig.until(State.READY) == pytest.approx(2 * plan.trajectory.duration / 0.001, rel=0.02)
    for bad in (-0.1, 3.0, float("nan")):
        with pytest.raises(Refused, match="override"):
            rig.executor.override(bad)


@pytest.mark.parametrize("category", [0, 1, 2])
@pytest.mark.parametrize("moment", [50, 400, 700])
def test_stops(category: int, moment: int) -> None:
    rig = Rig().up()
    plan = rig.go()
    rig.go(HOME)
    rig.tick(moment)
    rig.executor.stop(category)
    if category == 0:
        assert rig.executor.state == State.OFF
        return
    rig.until(State.READY if category == 2 else State.OFF, 4000)
    assert (rig.worst <= 1.001).all()
    on_path = plan.trajectory.sample(np.linspace(0, plan.trajectory.duration, 4000))[:, 0]
    assert np.abs(on_path - rig.executor.command.q).max(axis=1).min() < 2e-3
    rig.tick(100)
    assert rig.executor.state == (State.READY if category == 2 else State.OFF)


def test_what_is_refused() -> None:
    rig = Rig()
    plan = plan_joints(MODEL, HOME, AWAY)
    with pytest.raises(Refused, match="OFF"):
        rig.executor.run(Handover(plan.trajectory, plan.certificate))
    rig.up()
    with pytest.raises(Refused, match="another motion"):
        rig.executor.run(Handover(plan.trajectory.slowed(0.9), plan.certificate))
    other = plan_joints(MODEL, AWAY, HOME)
    with pytest.raises(Refused, match="begins"):
        rig.executor.run(Handover(other.trajectory, other.certificate))
    faster = plan.trajectory.slowed(0.5)
    with pytest.raises(Refused, match="not proven"):
        rig.executor.run(Handover(faster, certify(faster, MODEL)))
    narrow = MotionLimits(
        LIMITS.joints, LIMITS.lower, LIMITS.upper, 0.5 * LIMITS.velocity, LIMITS.acceleration, LIMITS.jerk
    )  # fmt: skip
    slow = plan_joints(MODEL, HOME, AWAY, limits=narrow)
    with pytest.raises(Refused, match="limits"):
        rig.executor.run(Handover(slow.trajectory, slow.certificate))
    assert rig.executor.state == State.READY and not rig.executor.moves
    with pytest.raises(Refused, match="cannot be followed"):
        rig.executor.resume()


class Spoilt(IdealDriver):
    """An ideal robot whose feedback somebody tampers with."""

    spoil: Callable[[Feedback], bool] | None = None

    def read(self, feedback: Feedback) -> bool:
        fresh = super().read(feedback)
        return self.spoil(feedback) if self.spoil is not None else fresh


def spoil_of(rig: Rig) -> Spoilt:
    assert isinstance(rig.driver, Spoilt)
    return rig.driver


def spoilt(clock: Clock) -> Spoilt:
    return Spoilt(HOME, LIMITS.acceleration, clock=clock)


def lag(feedback: Feedback) -> bool:
    feedback.q[2] += 0.3
    return True


def nan(feedback: Feedback) -> bool:
    feedback.q[1] = np.nan
    return True


def overload(feedback: Feedback) -> bool:
    feedback.torque[0] = 1e6
    return True


def complain(feedback: Feedback) -> bool:
    feedback.fault = "overcurrent in motor 3"
    return True


@pytest.mark.parametrize(
    ("spoil", "kind", "joint", "said"),
    [
        (lag, "following", "joint_3", "away from its command"),
        (nan, "number", "joint_2", "nan"),
        (overload, "torque", "joint_1", "torque"),
        (complain, "driver", "", "overcurrent in motor 3"),
    ],
)
def test_faults_of_the_drives(spoil: Callable[[Feedback], bool], kind: str, joint: str, said: str) -> None:
    rig = Rig(spoilt).up()
    rig.go()
    rig.tick(300)
    spoil_of(rig).spoil = spoil
    rig.tick(2)
    fault = rig.executor.fault
    assert rig.executor.state == State.FAULTED and fault is not None
    assert fault.kind == kind and fault.joint == joint and said in str(fault)
    rig.tick(2000)
    assert not rig.executor.moves and np.abs(rig.driver._v).max() == 0.0, "the robot stands"
    for order in (rig.executor.initialise, rig.executor.hold, lambda: rig.go(HOME - 0.1)):
        with pytest.raises(Refused):
            order()
    spoil_of(rig).spoil = None
    rig.tick(200)
    assert rig.executor.state == State.FAULTED, "a fault stays until somebody resets it"
    rig.executor.reset()
    assert rig.executor.fault is None
    rig.until(State.STOPPED, 1)
    rig.executor.initialise()
    rig.until(State.READY)
    before = rig.executor.command.q.copy()
    rig.tick(200)
    assert rig.executor.command.q == pytest.approx(before), "nothing is replayed"


def test_a_late_tick_and_a_silent_station_stop_on_the_path() -> None:
    for late in ({"late": 0.03}, {"station_quiet": 0.6}):
        rig = Rig().up()
        plan = rig.go()
        rig.tick(300)
        rig.tick(1, **late)
        assert rig.executor.state == State.FAULTED and rig.executor.moves
        rig.tick(3000)
        assert not rig.executor.moves and (rig.worst <= 1.001).all()
        on_path = plan.trajectory.sample(np.linspace(0, plan.trajectory.duration, 4000))[:, 0]
        assert np.abs(on_path - rig.executor.command.q).max(axis=1).min() < 2e-3


def test_silent_drives_are_a_fault() -> None:
    def stale(feedback: Feedback) -> bool:
        feedback.time = 0.0
        return False

    rig = Rig(spoilt).up()
    rig.tick(100)
    spoil_of(rig).spoil = stale
    rig.tick(2)
    assert rig.executor.fault is not None and "nothing was heard" in str(rig.executor.fault)


def test_left_alone_the_robot_brakes_by_itself_and_nothing_is_replayed() -> None:
    """The executor dies in the middle of a motion: watchdog and braking time later the robot stands."""
    rig = Rig().up()
    rig.go()
    rig.tick(400)
    fastest = np.abs(rig.driver._v / LIMITS.acceleration).max()
    assert fastest > 0.05
    feedback = Feedback.of(6)
    rig.clock.now += 0.02 + fastest + 0.001
    rig.driver.read(feedback)
    assert np.abs(feedback.v).max() == 0.0 and "no command for" in feedback.fault
    rig.tick(1)
    assert rig.executor.state == State.FAULTED
    stands = rig.driver._q.copy()
    rig.tick(500)
    assert rig.driver._q == pytest.approx(stands, abs=1e-12)


def test_orders_thrown_about_keep_every_limit() -> None:
    rng = np.random.default_rng(0)
    rig = Rig().up()
    for _ in range(120):
        order = rng.choice(["go", "hold", "resume", "stop", "override", "wait"])
        try:
            if order == "go":
                rig.go(HOME + rng.uniform(-0.4, 0.4, 6))
            elif order == "override":
                rig.executor.override(float(rng.uniform(0.05, 1.5)))
            elif order != "wait":
                getattr(rig.executor, order)()
        except Refused:
            pass
        rig.tick(int(rng.integers(1, 250)))
    assert rig.executor.state != State.FAULTED, str(rig.executor.fault)
    assert (rig.worst <= 1.002).all()
    assert all(rig.executor.times.of(name).total > 1000 for name in rig.executor.times.names)


def test_one_step_at_a_time() -> None:
    rig = Rig().up()
    rig.go(HOME + 0.1)
    rig.go(HOME + 0.2)
    rig.go(HOME + 0.3)
    rig.executor.hold()
    rig.tick(800)
    done = 0.1 if rig.executor.progress == 0.0 else 0.0  # so short a motion may have been let to its end
    for goal in [0.1, 0.2] if done == 0.0 else [0.2]:
        rig.executor.step()
        rig.until(State.HOLDING)
        rig.tick(50)
        assert rig.executor.command.q == pytest.approx(HOME + goal, abs=1e-9) and not rig.executor.moves
    rig.executor.resume()
    rig.until(State.READY)
    assert rig.executor.command.q == pytest.approx(HOME + 0.3, abs=1e-9)


def test_what_is_held_to_run_stops_when_it_is_let_go() -> None:
    rig = Rig().up()
    plan = plan_joints(MODEL, HOME, AWAY)
    rig.executor.run(Handover(plan.trajectory, plan.certificate, while_pressed=True))
    rig.tick(300, unpressed=0.05)
    assert rig.executor.state == State.MOVING
    rig.tick(1, unpressed=0.11)
    rig.until(State.READY)
    assert rig.executor.happenings[-1].text == "released" and np.abs(rig.executor.command.q - AWAY).max() > 0.05
    assert (rig.worst <= 1.001).all()


def test_another_master() -> None:
    """Whatever he sends: velocity and acceleration are kept, positions stay inside, and when he is silent it stops."""
    rig = Rig().up()
    rig.executor.follow()
    rng = np.random.default_rng(0)
    for _ in range(100):
        goal, v = HOME + rng.uniform(-1.0, 1.0, 6) * 3.0, rng.uniform(-9.0, 9.0, 6)
        for _ in range(int(rng.integers(1, 30))):
            rig.executor.set_point(goal, v, 0.001)
            rig.tick()
        assert rig.executor.state == State.MOVING and not rig.executor.certified, rig.executor.fault
    assert (rig.worst <= 1.001).all()
    rig.executor.set_point(HOME, np.zeros(6), 0.2)
    rig.until(State.READY)
    assert "silent" in rig.executor.happenings[-1].text and rig.executor.certified
    with pytest.raises(Refused, match="cannot be followed"):
        rig.executor.hold()


def test_another_masters_nan_stops_it() -> None:
    rig = Rig().up()
    rig.executor.follow()
    rig.tick(5)
    rig.executor.set_point(HOME * np.nan, np.zeros(6), 0.0)
    rig.until(State.READY)
    assert "no numbers" in rig.executor.happenings[-1].text and np.isfinite(rig.executor.command.q).all()


def test_motors_that_would_be_too_fast_are_a_fault() -> None:
    """A motion that was proven without its motors: the guard finds what the proof did not know of."""
    coupling = Coupling(MODEL.joints, np.eye(6), np.full(6, 1000.0), np.zeros(6))
    bounds = Bounds(coupling=coupling, motor_velocity=np.full(6, 500.0))
    clock = Clock()
    alone = world_hash(MODEL, LIMITS, None)  # proofs are taken that should not be
    executor = Executor(MODEL, IdealDriver(HOME, LIMITS.acceleration, clock=clock), bounds=bounds, world=alone)
    executor.power_on()
    executor.initialise()
    executor.tick(0.0)
    plan = plan_joints(MODEL, HOME, AWAY)
    executor.run(Handover(plan.trajectory, plan.certificate))
    for k in range(600):
        clock.now = 0.001 * k
        executor.tick(clock.now)
    assert executor.fault is not None and executor.fault.kind == "motors"
    assert "motor 6" in str(executor.fault) and executor.fault.limit == pytest.approx(500.0, rel=0.01)


def test_another_master_who_asks_too_much_of_the_motors_is_a_fault() -> None:
    """The filter of his set-points keeps the joints' limits alone. What is proven keeps the motors' too, and goes through."""
    coupling = Coupling(MODEL.joints, np.eye(6), np.full(6, 1000.0), np.zeros(6))
    bounds = Bounds(coupling=coupling, motor_acceleration=np.full(6, 3000.0))
    clock = Clock()
    executor = Executor(MODEL, IdealDriver(HOME, LIMITS.acceleration, clock=clock), bounds=bounds)
    executor.power_on()
    executor.initialise()
    executor.tick(0.0)
    plan = plan_joints(MODEL, HOME, HOME + 0.2, bounds=bounds)
    executor.run(Handover(plan.trajectory, plan.certificate))
    while executor.state == State.MOVING:
        clock.now += 0.001
        executor.tick(clock.now)
    assert executor.state == State.READY and executor.fault is None
    executor.follow()
    for _ in range(500):
        clock.now += 0.001
        executor.set_point(HOME + np.array([0.9, 0.2, 0.2, 0.2, 0.2, 0.2]), np.zeros(6), 0.0)
        executor.tick(clock.now)
        if executor.fault is not None:
            break
    fault = executor.fault
    assert fault is not None and (fault.kind, fault.joint) == ("motors", "motor 1") and fault.time == clock.now
    assert fault.value > fault.limit == pytest.approx(3000.0, rel=0.01) and "accelerated" in fault.text


def test_a_stop_is_not_weakened_by_another() -> None:
    rig = Rig().up()
    rig.go()
    rig.tick(300)
    rig.executor.stop(1)
    rig.executor.stop(2)
    rig.until(State.OFF)


def test_a_robot_that_still_slows_down_is_not_powered_off() -> None:
    rig = Rig().up()
    rig.go()
    rig.tick(300)
    rig.executor.hold()
    with pytest.raises(Refused, match="still moves"):
        rig.executor.power_off()
    rig.tick(1500)
    rig.executor.power_off()
    assert rig.executor.state == State.OFF


def test_a_start_that_would_jump_is_refused() -> None:
    """Nearer than 0.01 rad, but further than a joint may move in a tick."""
    rig = Rig().up()
    plan = plan_joints(MODEL, HOME + 0.006, AWAY)
    with pytest.raises(Refused, match="begins"):
        rig.executor.run(Handover(plan.trajectory, plan.certificate))


def test_what_goes_wrong_while_it_brakes_for_a_fault_ends_that_at_once() -> None:
    """A late tick stops it on the path; then the drives complain: nothing more is sent along the path."""
    rig = Rig(spoilt).up()
    rig.go()
    rig.tick(600)
    rig.tick(1, late=0.5)
    assert rig.executor.state == State.FAULTED and rig.executor.moves, "it brakes on the path"
    rig.tick(5)
    spoil_of(rig).spoil = complain
    rig.tick(2)
    assert not rig.executor.moves and "tick" in str(rig.executor.fault), "the first reason stays"


def test_a_stop_with_power_off_is_kept_through_a_hard_fault() -> None:
    rig = Rig(spoilt).up()
    rig.go()
    rig.tick(600)
    rig.executor.stop(1)
    rig.tick(5)
    spoil_of(rig).spoil = complain
    rig.tick(3)
    assert rig.executor.driver.stage == Stage.CLOSED and rig.executor.state == State.FAULTED, "off, and the fault is still told"
