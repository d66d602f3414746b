"""Paper 4: waypoints refined by quintics, as printed and better."""

import numpy as np
import pytest

from armillary.description.library import extra_robots_folder
from armillary.motion import BadMotion, refine
from armillary.motion.refinement_study import arc_robot, study_arc

# Table 2 of the paper [degrees]: four waypoints of seven joints, 500 ms apart.
TABLE_2 = np.deg2rad([
    [-1.7, -3.6, -1.2, 83.5, -82.4, 82.5, 0.0],
    [13.0, -3.2, 9.8, 74.4, -88.2, 82.2, 0.0],
    [19.2, -4.0, 13.2, 64.3, -85.2, 75.1, 0.0],
    [31.0, -9.2, 17.6, 46.8, -76.8, 69.2, 0.0],
])  # fmt: skip
JOINTS = tuple(f"joint_{i}" for i in range(1, 8))
TIMES = np.array([0.0, 0.5, 1.0, 1.5])


@pytest.mark.parametrize("estimate", ["backward", "central", "spline"])
def test_table_2_is_gone_through_exactly(estimate: str) -> None:
    trajectory = refine(JOINTS, TIMES, TABLE_2, estimate=estimate)
    assert trajectory.sample(TIMES)[:, 0] == pytest.approx(TABLE_2, abs=1e-12)
    assert np.abs(trajectory.steps[:3]).max() < 1e-9, "position, velocity and acceleration are continuous"
    for state in (trajectory.start, trajectory.end):
        assert np.abs(state.v).max() < 1e-12 and np.abs(state.a).max() < 1e-9
    times, samples = trajectory.every(0.05)
    assert len(times) == 31 and np.isfinite(samples).all()


def test_backward_differences_are_the_papers() -> None:
    trajectory = refine(JOINTS, TIMES, TABLE_2, estimate="backward")
    v1 = (TABLE_2[1] - TABLE_2[0]) / 0.5
    v2 = (TABLE_2[2] - TABLE_2[1]) / 0.5
    assert trajectory.at(0.5).v == pytest.approx(v1) and trajectory.at(1.0).v == pytest.approx(v2)
    assert trajectory.at(0.5).a == pytest.approx(v1 / 0.5) and trajectory.at(1.0).a == pytest.approx((v2 - v1) / 0.5)


def test_the_last_coefficient_is_the_one_of_local_time() -> None:
    """C1 (the paper's name for the fifth power's) is (12 d - 6 (v0 + v1) T - (a0 - a1) T^2) / (2 T^5)."""
    trajectory = refine(JOINTS, TIMES, TABLE_2, estimate="backward")
    one, two, T = trajectory.at(0.5), trajectory.at(1.0), 0.5
    expected = (12 * (two.q - one.q) - 6 * (one.v + two.v) * T - (one.a - two.a) * T**2) / (2 * T**5)
    assert trajectory.coefficients[1, :, 5] == pytest.approx(expected)


def test_the_spline_has_four_continuous_derivatives() -> None:
    rng = np.random.default_rng(0)
    times = np.cumsum(rng.uniform(0.2, 0.8, 9))
    trajectory = refine("abc", times, rng.normal(size=(9, 3)), estimate="spline")
    assert np.abs(trajectory.steps).max() < 1e-8
    c, T = trajectory.coefficients, trajectory.durations[:-1, None]
    assert np.abs(24 * c[1:, :, 4] - 24 * c[:-1, :, 4] - 120 * c[:-1, :, 5] * T).max() < 1e-6


def test_exact_derivatives_leave_least() -> None:
    """sin(t) from rest to rest is not its own quintic, but nearly so with the right derivatives."""
    t = np.linspace(0, 2 * np.pi, 13)
    q = np.column_stack([1 - np.cos(t)])
    errors = {}
    fine = np.linspace(0, t[-1], 2000)
    for estimate in ("backward", "central", "exact"):
        v, a = np.column_stack([np.sin(t)]), np.column_stack([np.cos(t)])
        a[[0, -1]] = np.cos(t[0])
        trajectory = refine("a", t, q, estimate=estimate, v=v, a=a)
        errors[estimate] = np.abs(trajectory.sample(fine)[:, 0, 0] - (1 - np.cos(fine))).max()
    assert errors["exact"] < 1e-5 < errors["central"] < errors["backward"]


@pytest.mark.slow
@pytest.mark.skipif(extra_robots_folder() is None, reason="the extra 'robots' is not installed")
def test_the_arc_is_kept_better_than_the_paper_keeps_it() -> None:
    """Figures of `armillary papers motion`, with room for another machine's rounding."""
    model = arc_robot()
    two, five = study_arc(model, 2.0), study_arc(model, 5.0)
    worst = {name: 1e3 * values.max() for name, values in five.deviation.items()}
    assert 1.4 < worst["linear"] < 1.7 and 0.8 < worst["backward"] < 1.1 and 0.19 < worst["central"] < 0.23
    assert worst["spline"] < 0.005 and worst["exact"] < 0.001
    assert 1e3 * two.deviation["knots added"].max() < 0.001 < 1e3 * two.deviation["exact"].max()


@pytest.mark.parametrize(
    ("times", "q", "estimate", "said"),
    [
        ([0.0, 0.0, 1.0], np.zeros((3, 1)), "spline", "each later"),
        ([0.0], np.zeros((1, 1)), "spline", "two waypoints"),
        ([0.0, 1.0], np.array([[0.0], [np.nan]]), "spline", "finite"),
        ([0.0, 1.0], np.zeros((3, 1)), "spline", "do not fit together"),
        ([0.0, 1.0], np.zeros((2, 1)), "guess", "backward, central, spline, exact"),
        ([0.0, 1.0], np.zeros((2, 1)), "exact", "needs the velocities"),
    ],
)
def test_bad_waypoints(times: list[float], q: np.ndarray, estimate: str, said: str) -> None:
    with pytest.raises(BadMotion, match=said):
        refine("a", times, q, estimate=estimate)
