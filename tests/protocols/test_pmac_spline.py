"""The curve PMAC makes of SPLINE1 moves, and the control points that make it pass a trajectory."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from armillary.protocols.pmac_spline import (
    ControlPointStream,
    control_points,
    spline_positions,
    spline_velocities,
    waypoint_velocities,
    waypoints,
)

Array = NDArray[np.float64]
POINTS = arrays(float, st.tuples(st.integers(2, 30), st.integers(1, 4)), elements=st.floats(-180, 180))
T = 0.05


def smooth(s: Array) -> Array:
    """From 0 to 1 with velocity, acceleration and jerk zero at both ends."""
    s = np.clip(s, 0.0, 1.0)
    return s**4 * (35.0 - 84.0 * s + 70.0 * s**2 - 20.0 * s**3)


def samples_of(duration: float, distance: float) -> tuple[Array, Array]:
    times: Array = np.arange(round(duration / T) + 1) * np.float64(T)
    return times, distance * smooth(times / duration)[:, None]


@given(points=POINTS)
def test_waypoints_are_the_manuals_average_and_the_ends_are_kept(points: Array) -> None:
    W = waypoints(points)
    assert W.shape == (len(points) + 2, points.shape[1])
    inner = (points[:-2] + 4 * points[1:-1] + points[2:]) / 6
    np.testing.assert_allclose(W[2:-2], inner, atol=1e-9)
    np.testing.assert_allclose(W[[0, -1]], points[[0, -1]], atol=1e-9)
    V = waypoint_velocities(points, T)
    assert np.abs(V[[0, -1]]).max() == 0.0
    np.testing.assert_allclose(V[2:-2], (points[2:] - points[:-2]) / (2 * T), atol=1e-6)


@given(points=POINTS)
def test_the_curve_is_smooth_to_the_second_derivative(points: Array) -> None:
    ends = np.arange(1, len(points) + 1) * T
    before, behind = (spline_velocities(points, T, ends + side * 1e-7) for side in (-1, 1))
    scale = 1.0 + np.abs(points).max()
    np.testing.assert_allclose(before, behind, atol=1e-2 * scale)
    h = 1e-4

    def acceleration(side: int) -> Array:
        at = ends + side * 2 * h
        result: Array = (spline_velocities(points, T, at + h) - spline_velocities(points, T, at - h)) / (2 * h)
        return result

    jerk = 6 * np.abs(np.diff(points, axis=0)).max() / T**3 + 1.0
    assert np.abs(acceleration(1) - acceleration(-1)).max() <= 8 * jerk * 4 * h


@given(points=POINTS)
def test_control_points_of_a_curve_give_the_curve_again(points: Array) -> None:
    again = control_points(waypoints(points))
    np.testing.assert_allclose(again, points, atol=1e-6 * (1 + np.abs(points).max()))


@pytest.mark.parametrize(("duration", "bound"), [(20.0, 1e-6), (2.0, 2e-3)])
def test_a_smooth_move_of_60_degrees_is_passed_at_its_samples(duration: float, bound: float) -> None:
    _, q = samples_of(duration, 60.0)
    assert np.abs(waypoints(control_points(q)) - q).max() < bound
    assert np.abs(waypoints(control_points(q, lead=6))[6:-6] - q).max() < bound / 100


def test_without_the_correction_the_curve_cuts_the_corners() -> None:
    _, q = samples_of(2.0, 60.0)
    assert np.abs(waypoints(q)[1:-1] - q).max() > 0.04


def test_between_its_samples_a_smooth_move_is_followed_too() -> None:
    for duration, bound in ((20.0, 1e-5), (2.0, 5e-3)):
        _, q = samples_of(duration, 60.0)
        fine = np.linspace(0.0, duration, 4001)
        off = spline_positions(control_points(q, lead=4), T, fine + 4 * T)[:, 0] - 60.0 * smooth(fine / duration)
        assert np.abs(off).max() < bound


@given(q=arrays(float, st.tuples(st.integers(4, 40), st.integers(1, 3)), elements=st.floats(-10, 10)), reach=st.integers(4, 9))
def test_points_that_come_one_by_one_are_those_of_the_whole(q: Array, reach: int) -> None:
    stream = ControlPointStream(q[0], reach=reach)
    given_out = np.concatenate([np.stack([stream.push(sample) for sample in q]), stream.finish()])
    lead = reach
    # The first control point handed out belongs to the sample `reach` before the first: rest.
    on_curve = waypoints(np.concatenate([q[:1], given_out]))
    passed = on_curve[2 + lead : 2 + lead + len(q)]
    assert np.abs(passed - q).max() <= 60.0 * 0.27**reach
    np.testing.assert_allclose(given_out[-1], q[-1], atol=60.0 * 0.27**reach)


def test_a_robot_that_stands_is_not_moved() -> None:
    stream = ControlPointStream([1.0, -2.0], reach=3)
    for _ in range(10):
        np.testing.assert_allclose(stream.push([1.0, -2.0]), [1.0, -2.0], atol=1e-12)
    np.testing.assert_allclose(control_points(np.ones((9, 2))), np.ones((7, 2)), atol=1e-12)


def test_too_few_samples_are_refused() -> None:
    with pytest.raises(ValueError, match="four"):
        control_points(np.zeros((3, 2)))
