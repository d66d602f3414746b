"""Set-points from elsewhere: whatever comes, the limits are kept; what is slow enough is followed closely."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armillary.model import load_model
from armillary.motion import BadMotion, SetPointFilter, limits_of

MODEL = load_model("cobot6")
LIMITS = limits_of(MODEL)
HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_whatever_comes_the_limits_are_kept(seed: int) -> None:
    rng = np.random.default_rng(seed)
    filtered, before = SetPointFilter(LIMITS, HOME), np.zeros(6)
    for _ in range(30):
        filtered.ask(HOME + rng.normal(0.0, 3.0, 6), rng.normal(0.0, 6.0, 6))
        if rng.random() < 0.2:
            filtered.stop()
        for _ in range(int(rng.integers(1, 60))):
            q, v, a = filtered.step()
            assert (q >= LIMITS.lower - 1e-6).all() and (q <= LIMITS.upper + 1e-6).all()
            assert (np.abs(v) <= LIMITS.velocity * (1 + 1e-6)).all()
            assert (np.abs(a) <= LIMITS.acceleration * (1 + 1e-6)).all()
            assert (np.abs(a - before) <= LIMITS.jerk * 1e-3 * (1 + 1e-6)).all(), "jerk"
            before = a.copy()
    filtered.stop()
    for _ in range(3000):
        filtered.step()
    assert filtered.rests


def test_a_slow_sine_is_followed() -> None:
    filtered, off = SetPointFilter(LIMITS, HOME), 0.0
    for k in range(4000):
        s = 0.001 * k
        goal = HOME + 0.3 * (1.0 - np.cos(2.0 * s)) / 2.0
        filtered.ask(goal, np.full(6, 0.3 * np.sin(2.0 * s)))
        q, _, _ = filtered.step()
        off = max(off, float(np.abs(q - goal).max()))
    assert off < 2e-3


def test_a_set_point_that_stays_is_reached_and_kept() -> None:
    filtered = SetPointFilter(LIMITS, HOME)
    filtered.ask(HOME + 0.5)
    for _ in range(3000):
        q, v, _ = filtered.step()
    assert q == pytest.approx(HOME + 0.5, abs=1e-6) and v == pytest.approx(np.zeros(6), abs=1e-6) and filtered.rests


@pytest.mark.parametrize("q", [np.zeros(5), np.full(6, np.nan), np.full(6, np.inf)])
def test_what_is_no_set_point_is_refused(q: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> None:
    filtered = SetPointFilter(LIMITS, HOME)
    with pytest.raises(BadMotion, match="finite"):
        filtered.ask(q)
