"""Laws of time from one configuration to another: every limit kept, arrived exactly, in the time that it should take."""

import numpy as np
import pytest
import ruckig
from numpy.typing import NDArray

from armillary.model import load_model
from armillary.motion import BadMotion, MotionLimits, NoMotion, State, certify, limits_of, plan_joints
from armillary.motion.profiles import jerk_limited_move, lspb_move, quintic_move
from armillary.motion.profiles.s_curve import jerk_limited_to

Array = NDArray[np.float64]
MOVES = {"quintic": quintic_move, "lspb": lspb_move, "jerk": jerk_limited_move}


def random_limits(rng: np.random.Generator, n: int) -> MotionLimits:
    v = 10 ** rng.uniform(-1.5, 1, n)
    a = v * 10 ** rng.uniform(-0.5, 1.5, n)
    j = a * 10 ** rng.uniform(-0.5, 1.5, n)
    wide = np.full(n, 1e3)
    return MotionLimits(tuple(f"j{i}" for i in range(n)), -wide, wide, v, a, j)


@pytest.mark.parametrize("name", MOVES)
def test_limits_hold_and_it_arrives(name: str) -> None:
    rng = np.random.default_rng(0)
    for _ in range(150):
        n = int(rng.integers(1, 8))
        limits = random_limits(rng, n)
        start, goal = rng.uniform(-3, 3, (2, n))
        trajectory = MOVES[name](limits, start, goal)
        extrema = trajectory.extrema.values
        for order in (1, 2, 3) if name != "lspb" else (1, 2):
            assert (np.abs(extrema[order]).max(axis=1) <= limits.of_order(order) * (1 + 1e-9)).all()
        assert trajectory.start.q == pytest.approx(start, abs=1e-12) and trajectory.end.q == pytest.approx(goal, abs=1e-9)
        assert np.abs(trajectory.end.v / limits.velocity).max() < 1e-9
        if trajectory.continuity >= 2:
            assert np.abs(trajectory.end.a / limits.acceleration).max() < 1e-9
        if len(trajectory.durations) > 1:
            scale = (np.ones(n), limits.velocity, limits.acceleration)
            for order in range(trajectory.continuity + 1):
                assert (np.abs(trajectory.steps[order]) / scale[order]).max() < 1e-9


@pytest.mark.parametrize("name", MOVES)
def test_no_limit_leaves_room_for_a_faster_one(name: str) -> None:
    """The least time is the least: something is at its limit."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        limits = random_limits(rng, 3)
        start, goal = rng.uniform(-3, 3, (2, 3))
        extrema = MOVES[name](limits, start, goal).extrema.values
        orders = (1, 2, 3) if name != "lspb" else (1, 2)
        assert max((np.abs(extrema[order]).max(axis=1) / limits.of_order(order)).max() for order in orders) > 0.999


@pytest.mark.parametrize("name", MOVES)
def test_a_given_time_is_taken_exactly(name: str) -> None:
    model = load_model("industrial6")
    limits = limits_of(model)
    start, goal = np.zeros(6), np.full(6, 0.5)
    least = MOVES[name](limits, start, goal).duration
    assert MOVES[name](limits, start, goal, duration=20.0).duration == pytest.approx(20.0, abs=1e-9)
    for share in (1.01, 1.3, 2.0, 5.0):
        trajectory = MOVES[name](limits, start, goal, duration=least * share)
        assert certify(trajectory, model)
    with pytest.raises(BadMotion, match="too short"):
        MOVES[name](limits, start, goal, duration=0.9 * least)


def test_moves_at_the_edge_between_two_of_ruckigs_profiles_are_planned() -> None:
    """A distance of 2 a^3 / j^2 to the last digits, beside joints that go further: ruckig itself finds nothing for some."""
    model, rng = load_model("cobot6"), np.random.default_rng(1)
    limits = limits_of(model)
    edge = 2.0 * limits.acceleration[4] ** 3 / limits.jerk[4] ** 2
    start = np.array([0.4, 1.85, -2.16, -1.9, -1.55, 0.02])
    for _ in range(200):
        near = start + rng.integers(-6, 7, 6) * 2.2e-16
        goal = start + np.array([-2.0, -0.32, 0.38, 0.18, edge, 0.58])
        plan = plan_joints(model, near, goal)
        assert plan.certificate.holds and np.allclose(plan.trajectory.end.q, goal, rtol=0.0, atol=1e-12)


def test_jerk_limited_moves_are_ruckigs_to_the_last_digit() -> None:
    rng = np.random.default_rng(2)
    for _ in range(100):
        n = int(rng.integers(1, 7))
        limits = random_limits(rng, n)
        state = State(
            rng.uniform(-2, 2, n),
            rng.uniform(-0.9, 0.9, n) * limits.velocity,
            rng.uniform(-0.3, 0.3, n) * limits.acceleration,
            np.zeros(n),
        )
        goal = rng.uniform(-3, 3, n)
        asked = ruckig.InputParameter(n)
        asked.current_position, asked.current_velocity, asked.current_acceleration = (
            state.q.tolist(),
            state.v.tolist(),
            state.a.tolist(),
        )
        asked.target_position = goal.tolist()
        asked.max_velocity, asked.max_acceleration, asked.max_jerk = (
            limits.velocity.tolist(),
            limits.acceleration.tolist(),
            limits.jerk.tolist(),
        )
        raw = ruckig.Trajectory(n)
        try:
            ruckig.Ruckig(n).calculate(asked, raw)
        except ruckig.RuckigError:
            with pytest.raises(BadMotion):
                jerk_limited_to(limits, state, goal)
            continue
        ours = jerk_limited_to(limits, state, goal)
        assert ours.duration == pytest.approx(raw.duration, rel=1e-9)
        for t in np.linspace(0, raw.duration, 60):
            q, v, _ = raw.at_time(float(t))
            there = ours.at(float(t))
            assert there.q == pytest.approx(q, abs=1e-7) and there.v == pytest.approx(v, abs=1e-6 * (1 + limits.velocity.max()))


class TestPlanJoints:
    def test_every_profile_is_proven(self) -> None:
        model, rng = load_model("cobot6"), np.random.default_rng(0)
        for profile in ("jerk", "quintic", "lspb", "time_optimal"):
            for _ in range(5):
                start, goal = model.random(rng, 2)
                plan = plan_joints(model, start, goal, profile=profile)
                assert plan, str(plan)
                assert plan.certificate.covers(plan.trajectory, model)

    @pytest.mark.parametrize(
        ("start", "goal", "error", "said"),
        [
            (np.zeros(6), np.zeros(6), BadMotion, "nothing to move"),
            (np.zeros(6), np.full(6, 9.0), NoMotion, "the goal is outside its limits: joint_1 at 9"),
            (np.full(6, -9.0), np.zeros(6), NoMotion, "the start is outside"),
        ],
    )
    def test_what_cannot_be_moved(self, start: Array, goal: Array, error: type[Exception], said: str) -> None:
        with pytest.raises(error, match=said):
            plan_joints(load_model("cobot6"), start, goal)

    def test_an_unknown_profile(self) -> None:
        with pytest.raises(BadMotion, match="jerk, quintic, lspb, time_optimal"):
            plan_joints(load_model("cobot6"), np.zeros(6), np.ones(6), profile="bang")

    def test_limits_of_zero(self) -> None:
        limits = limits_of(load_model("cobot6"))
        with pytest.raises(BadMotion, match="joint_1 has a limit of velocity of 0"):
            MotionLimits(limits.joints, limits.lower, limits.upper, np.zeros(6), limits.acceleration, limits.jerk)
        with pytest.raises(BadMotion, match="at most 1"):
            limits.scaled(velocity=2.0)


def test_a_jerk_limited_move_with_time_to_spare_takes_less_jerk_and_keeps_every_limit() -> None:
    """It is no jerkier than the one of the least time slowed down as a whole, in which jerk goes with the third power."""
    rng, gentler = np.random.default_rng(4), 0
    for _ in range(60):
        n = int(rng.integers(1, 8))
        limits = random_limits(rng, n)
        start, goal = rng.uniform(-3, 3, (2, n))
        least = jerk_limited_move(limits, start, goal)
        longer = float(rng.uniform(1.0, 3.0))
        trajectory = jerk_limited_move(limits, start, goal, duration=longer * least.duration)
        assert trajectory.duration == pytest.approx(longer * least.duration) and trajectory.end.q == pytest.approx(goal, abs=1e-9)
        extrema, slowed = trajectory.extrema.values, least.slowed(longer).extrema.values
        for order in (1, 2, 3):
            assert (np.abs(extrema[order]).max(axis=1) <= limits.of_order(order) * (1 + 1e-9)).all()
        shares = [float((np.abs(each[3]).max(axis=1) / limits.jerk).max()) for each in (extrema, slowed)]
        assert shares[0] <= shares[1] * (1 + 1e-6)
        gentler += shares[0] < 0.9 * shares[1]
    assert gentler > 10
    with pytest.raises(BadMotion, match="too short"):
        jerk_limited_move(limits, start, goal, duration=0.9 * least.duration)
