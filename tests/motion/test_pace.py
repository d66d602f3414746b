"""Override, hold and stop: on the path, within the limits, from any state."""

import numpy as np
import pytest
from numpy.typing import NDArray

from armillary.model import load_model
from armillary.motion import (
    BadMotion,
    MotionLimits,
    Pace,
    Trajectory,
    limits_of,
    line,
    plan_joints,
    plan_spline,
    plan_tool,
    tool_pose,
)  # fmt: skip

Array = NDArray[np.float64]
DT = 0.001
HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
# Ramps are checked at the lattice's steps; between them a limit may be passed by this share.
ROUNDING = 1e-3


def motion(kind: str, rng: np.random.Generator) -> tuple[Trajectory, MotionLimits]:
    model = load_model("cobot6")
    a, b, c = (0.4 * model.random(rng) for _ in range(3))
    if kind == "line":
        T = tool_pose(model, HOME)
        E = T.copy()
        E[:3, 3] += rng.uniform(-0.15, 0.15, 3)
        plan = plan_tool(model, HOME, line(T, E))
    elif kind == "spline":
        plan = plan_spline(model, [a, b, c])
    else:
        plan = plan_joints(model, a, b, profile=kind)
    assert plan
    return plan.trajectory, limits_of(model)


def drive(pace: Pace, asks: list[tuple[float, float]], seconds: float) -> tuple[float, Array]:
    """Tick by tick, with rates asked for at times; how long it took to stand, and the largest share of each limit."""
    limits, worst, now = pace.limits, np.zeros(3), 0.0
    asks = list(asks)
    before = pace.time
    while now < seconds:
        while asks and now >= asks[0][0]:
            pace.ask(asks.pop(0)[1])
        state = pace.tick(DT)
        now += DT
        assert pace.time >= before - 1e-12, "time does not run backwards"
        before = pace.time
        jerk = np.abs(state.j) / limits.jerk if pace.trajectory.continuity >= 2 else np.zeros(1)
        used = (np.abs(state.v) / limits.velocity, np.abs(state.a) / limits.acceleration, jerk)
        worst = np.maximum(worst, [share.max() for share in used])
        if pace.stands and not asks:
            break
    return now, worst


@pytest.mark.parametrize("kind", ["quintic", "jerk", "lspb", "line", "spline"])
def test_stop_from_any_moment_keeps_every_limit(kind: str) -> None:
    rng = np.random.default_rng(3)
    for _ in range(6):
        trajectory, limits = motion(kind, rng)
        asked = rng.uniform(0.05, 0.95) * trajectory.duration
        pace = Pace(trajectory, limits)
        now, worst = drive(pace, [(asked, 0.0)], 20.0)
        assert pace.stands and (worst <= 1.0 + ROUNDING).all()
        assert pace.at_end or pace.rate == pytest.approx(0.0, abs=1e-9)
        assert now - asked < 3.0


@pytest.mark.parametrize("kind", ["quintic", "jerk", "line", "spline"])
def test_rates_thrown_about_keep_every_limit_and_the_end_is_reached(kind: str) -> None:
    rng = np.random.default_rng(4)
    for _ in range(4):
        trajectory, limits = motion(kind, rng)
        asks = [(float(t), float(rng.choice([0.0, 0.2, 0.6, 1.0, 3.0]))) for t in np.sort(rng.uniform(0, trajectory.duration, 5))]
        pace = Pace(trajectory, limits)
        _, worst = drive(pace, [*asks, (trajectory.duration + 1.0, 1.0)], 60.0)
        assert (worst <= 1.0 + ROUNDING).all()
        assert pace.at_end
        assert pace.state.q == pytest.approx(trajectory.end.q, abs=1e-9)


def test_a_stop_at_full_speed_takes_hardly_more_than_the_least_time() -> None:
    """Cruising, all that braking takes is v / a + a / j, which no motion can beat; ramps aim at 95 % of the limits."""
    model = load_model("cobot6")
    limits = limits_of(model)
    goal = HOME.copy()
    goal[0] += 4.0
    trajectory = plan_joints(model, HOME, goal).trajectory
    pace = Pace(trajectory, limits)
    now, _ = drive(pace, [(0.5 * trajectory.duration, 0.0)], 5.0)
    least = float((limits.velocity / limits.acceleration + limits.acceleration / limits.jerk)[0])
    assert now - 0.5 * trajectory.duration <= 1.06 * least + 0.01


def test_a_plain_ramp_would_break_what_this_one_keeps() -> None:
    """The rate taken from 1 to 0 over 0.2 s, at the worst moment of a quintic that uses all of its acceleration."""
    model = load_model("cobot6")
    limits = limits_of(model)
    goal = HOME.copy()
    goal[0] += 1.0
    trajectory = plan_joints(model, HOME, goal, profile="quintic").trajectory
    asked = 0.78 * trajectory.duration  # it brakes hard there
    t = np.arange(0.0, 0.2, 1e-3)
    rate, slope = 1.0 - t / 0.2, -5.0
    own = asked + t - 0.5 * t**2 / 0.2
    _, v, a, _ = trajectory.sample(own).transpose(1, 0, 2)
    plain = np.abs(a * (rate**2)[:, None] + v * slope) / limits.acceleration
    assert plain.max() > 1.5
    _, worst = drive(Pace(trajectory, limits), [(asked, 0.0)], 5.0)
    assert (worst <= 1.0 + ROUNDING).all()


def test_above_one_only_as_far_as_the_limits_leave_room() -> None:
    model = load_model("cobot6")
    goal = HOME + 0.5
    limits = limits_of(model)
    fast = plan_joints(model, HOME, goal).trajectory
    assert Pace(fast, limits).ask(2.0) == pytest.approx(1.0, abs=1e-6)
    slow = fast.slowed(1.5)
    pace = Pace(slow, limits)
    assert pace.ask(10.0) == pytest.approx(1.5, rel=1e-6)
    now, worst = drive(pace, [], 10.0)
    assert now < slow.duration and (worst <= 1.0 + ROUNDING).all()


def test_held_before_it_begins_it_waits() -> None:
    trajectory, limits = motion("jerk", np.random.default_rng(0))
    pace = Pace(trajectory, limits, rate=0.0)
    for _ in range(100):
        pace.tick(DT)
    assert pace.time == 0.0 and pace.stands
    pace.ask(1.0)
    drive(pace, [], 10.0)
    assert pace.at_end


@pytest.mark.parametrize("rate", [-0.1, np.nan, np.inf])
def test_rates_that_are_none_are_refused_and_nothing_changes(rate: float) -> None:
    pace = Pace(*motion("jerk", np.random.default_rng(0)))
    with pytest.raises(BadMotion, match="rate of"):
        pace.ask(rate)
    assert pace.asked == 1.0
