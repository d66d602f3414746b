"""Time along a path: limits kept to the last digit, hardly slower than the optimum that ignores jerk, feed kept."""

import numpy as np
import pytest
from numpy.typing import NDArray

from armillary.model import frame_pose_batch, load_model
from armillary.motion import (
    BadMotion,
    certify,
    joint_line,
    joint_polyline,
    joint_spline,
    limits_of,
    line,
    plan_tool,
    polyline,
    time_path,
    tool_pose,
)
from armillary.motion.profiles import jerk_limited_move, lspb_move

Array = NDArray[np.float64]
HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])


def test_a_straight_line_takes_what_ruckig_takes() -> None:
    """In joint space the jerk-limited law of one line is known; ours is it, to a few thousandths."""
    model, rng = load_model("cobot6"), np.random.default_rng(0)
    limits = limits_of(model)
    for _ in range(20):
        start, goal = model.random(rng, 2)
        ours = time_path(joint_line(model.joints, start, goal), limits)
        assert certify(ours, model)
        # Straight, so all joints share one law: it cannot be faster than each joint by itself.
        assert jerk_limited_move(limits, start, goal).duration * (1 - 1e-9) <= ours.duration
        assert ours.duration < (lspb_move(limits, start, goal).duration + 0.1) * 1.02
        steps = time_path(joint_line(model.joints, start, goal), limits, profile="time_optimal")
        assert steps.continuity == 1 and certify(steps, model)
        assert steps.duration == pytest.approx(lspb_move(limits, start, goal).duration, rel=2e-3)


def test_splines_and_polylines_keep_every_limit() -> None:
    model, rng = load_model("industrial6"), np.random.default_rng(1)
    limits = limits_of(model)
    for _ in range(15):
        points = 0.5 * model.random(rng, int(rng.integers(3, 7)))
        for path in (joint_spline(model.joints, points), joint_polyline(model.joints, points)):
            smooth, steps = time_path(path, limits), time_path(path, limits, profile="time_optimal")
            for trajectory in (smooth, steps):
                certificate = certify(trajectory, model)
                bad = [violation for violation in certificate.violations if violation.kind != "position"]
                assert not bad, str(bad[0])
            assert steps.duration <= smooth.duration < 1.6 * steps.duration + 0.3
            for point in points if len(path.spans) < 8 else ():
                samples = smooth.every(0.002)[1][:, 0]
                assert np.abs(samples - point).max(axis=1).min() < 0.1


def test_the_tool_keeps_its_feed_and_reaches_it() -> None:
    model = load_model("cobot6")
    T = tool_pose(model, HOME)
    E, F = T.copy(), T.copy()
    E[1, 3] -= 0.5
    F[:3, 3] += [0.2, -0.5, 0.1]
    for path in (line(T, E), polyline([T, E, F], blend=0.05)):
        for feed in (0.02, 0.1, 0.25):
            plan = plan_tool(model, HOME, path, feed=feed)
            assert plan, str(plan)
            times, samples = plan.trajectory.every(0.004)
            p = frame_pose_batch(model, np.ascontiguousarray(samples[:, 0]), "tool")[:, :3, 3]
            speed = np.linalg.norm(np.diff(p, axis=0), axis=1) / np.diff(times)
            assert 0.95 * feed < speed.max() < feed * 1.001
            assert np.median(speed) > 0.8 * feed


def test_a_given_time_and_bad_input() -> None:
    model = load_model("cobot6")
    limits = limits_of(model)
    path = joint_line(model.joints, np.zeros(6), np.ones(6))
    assert time_path(path, limits, duration=12.0).duration == pytest.approx(12.0)
    with pytest.raises(BadMotion, match="too short"):
        time_path(path, limits, duration=0.01)
    with pytest.raises(BadMotion, match="a feed of 0"):
        time_path(path, limits, feed=0.0)
    with pytest.raises(BadMotion, match="points 0 and 1"):
        joint_polyline(model.joints, np.zeros((2, 6)))
    with pytest.raises(BadMotion, match="points 1 and 2"):
        joint_spline(model.joints, np.array([np.zeros(6), np.ones(6), np.ones(6)]))
