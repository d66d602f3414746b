"""The one form of every motion: exact extrema, exact parts, exact scaling."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armillary.motion import BadMotion, Trajectory, join, quintic_through

JOINTS = ("a", "b", "c")


def random_trajectory(seed: int, k: int = 8) -> Trajectory:
    rng = np.random.default_rng(seed)
    times = np.concatenate([[0.0], np.cumsum(rng.uniform(0.05, 1.5, k))])
    q, v, a = rng.normal(size=(3, k + 1, 3))
    return quintic_through(JOINTS, times, q, v, a)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000))
def test_nothing_sampled_is_beyond_the_exact_extrema(seed: int) -> None:
    trajectory = random_trajectory(seed)
    samples = trajectory.sample(np.linspace(0, trajectory.duration, 4001))
    extrema = trajectory.extrema
    for order in range(4):
        least, greatest = samples[:, order].min(axis=0), samples[:, order].max(axis=0)
        scale = 1e-12 * (1 + np.abs(samples[:, order]).max())
        assert (extrema.values[order, :, 0] <= least + scale).all() and (extrema.values[order, :, 1] >= greatest - scale).all()
        # and what is said to be reached is reached when it is said to be (jerk steps at knots: either side)
        if order < 3:
            for j in range(3):
                for side in (0, 1):
                    there = trajectory.sample([extrema.times[order, j, side]])[0, order, j]
                    assert there == pytest.approx(extrema.values[order, j, side], rel=1e-9, abs=1e-9)


def test_extrema_of_known_polynomials() -> None:
    c = np.zeros((1, 1, 6))
    c[0, 0] = 1.0, -3.0, 0.0, 1.0, 0.0, 0.0  # 1 - 3 t + t^3: least at t = 1
    extrema = Trajectory(("a",), np.array([2.0]), c).extrema
    assert extrema.values[0, 0] == pytest.approx([-1.0, 3.0]) and extrema.times[0, 0] == pytest.approx([1.0, 2.0])
    assert extrema.values[1, 0] == pytest.approx([-3.0, 9.0])
    flat = Trajectory(("a",), np.array([2.0]), np.zeros((1, 1, 6))).extrema
    assert not flat.values.any()


def test_double_roots_are_not_missed() -> None:
    """(t - 1)^4 touches zero; (t - 1)^2 (t - 3)^2 does twice."""
    square = np.polynomial.polynomial.polyfromroots([1, 1, 3, 3])
    c = np.zeros((1, 1, 6))
    c[0, 0, :5] = square
    extrema = Trajectory(("a",), np.array([4.0]), c).extrema
    assert extrema.values[0, 0, 0] == pytest.approx(0.0, abs=1e-12) and extrema.values[0, 0, 1] == pytest.approx(9.0)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_a_part_is_the_same_motion(seed: int, one: float, two: float) -> None:
    whole = random_trajectory(seed)
    begin, end = sorted((one * whole.duration, two * whole.duration))
    if end - begin < 1e-3:
        return
    part = whole.part(begin, end)
    t = np.linspace(0, part.duration, 50)[1:-1]
    assert part.duration == pytest.approx(end - begin)
    assert part.sample(t)[:, :3] == pytest.approx(whole.sample(begin + t)[:, :3], rel=1e-6, abs=1e-6)


def test_backwards_slower_and_joined() -> None:
    whole = random_trajectory(3)
    back = whole.backwards()
    t = np.linspace(0, whole.duration, 200)
    assert back.sample(t)[:, 0] == pytest.approx(whole.sample(whole.duration - t)[:, 0], abs=1e-8)
    assert back.sample(t)[:, 1] == pytest.approx(-whole.sample(whole.duration - t)[:, 1], abs=1e-6)
    slow = whole.slowed(3.0)
    for order in range(4):
        assert slow.extrema.values[order] == pytest.approx(whole.extrema.values[order] / 3.0**order, rel=1e-9)
    again = join([whole.part(0, 1.0), whole.part(1.0, whole.duration)], tolerance=1e-7)
    assert again.sample(t)[:, 0] == pytest.approx(whole.sample(t)[:, 0], abs=1e-9)
    with pytest.raises(BadMotion, match="would jump by"):
        join([whole, whole])


def test_its_hash_is_of_its_numbers() -> None:
    whole = random_trajectory(1)
    assert pickle.loads(pickle.dumps(whole)).digest == whole.digest == random_trajectory(1).digest
    changed = whole.coefficients.copy()
    changed[0, 0, 0] = np.nextafter(changed[0, 0, 0], 9)
    assert Trajectory(JOINTS, whole.durations, changed).digest != whole.digest
    with pytest.raises(ValueError, match="read-only"):
        whole.coefficients[0, 0, 0] = 1.0


def test_outside_its_time_it_stands() -> None:
    whole = random_trajectory(2)
    assert np.array_equal(whole.at(-5.0).q, whole.start.q) and np.array_equal(whole.at(1e9).q, whole.end.q)


@pytest.mark.parametrize(
    ("durations", "c", "said"),
    [
        ([1.0, 0.0], np.zeros((2, 3, 6)), "segment 1 lasts 0"),
        ([1.0], np.zeros((1, 2, 6)), r"shape \(1, 3, 6\)"),
        ([1.0], np.full((1, 3, 6), np.nan), "not finite"),
        ([np.inf], np.zeros((1, 3, 6)), "not finite"),
    ],
)
def test_what_is_no_trajectory(durations: list[float], c: np.ndarray, said: str) -> None:
    with pytest.raises(BadMotion, match=said):
        Trajectory(JOINTS, np.array(durations), c)
