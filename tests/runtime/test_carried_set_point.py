"""Another master's set-points between two of his: carried on, so that slow ones are followed as smoothly as quick ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from armillary.motion import SetPointFilter
from armillary.runtime.carried_set_point import HORIZON, CarriedSetPoint
from armillary.runtime.source import External
from tests.runtime.executor_rig import HOME, LIMITS

Array = NDArray[np.float64]
_PERIOD = 0.001
_WAY, _PACE = 0.15, 2.0 * np.pi * 0.4  # of a slow sine [rad], [rad/s]


def sine(time: float) -> tuple[Array, Array]:
    """Where a person's arm is that waves slowly, and how fast."""
    return HOME + _WAY * np.sin(_PACE * time), np.full(6, _WAY * _PACE * np.cos(_PACE * time))


def followed(rate: float, *, late: float = 0.0, seconds: float = 6.0) -> tuple[Array, Array]:
    """Positions and accelerations of a robot that follows the sine, said so many times a second and each a little late."""
    source, rng = External(LIMITS, _PERIOD, HOME), np.random.default_rng(0)
    said = np.arange(int(seconds * rate) + 1) / rate
    came = said + rng.uniform(0.0, late, len(said))
    rows = []
    for k in range(int(seconds / _PERIOD)):
        now = k * _PERIOD
        newest = int(np.searchsorted(came, now + 1e-9, side="right")) - 1
        if newest >= 0:
            q, v = sine(said[newest])
            assert source.follow(q, v, now - came[newest], now) == ""
        rows.append(source.advance(_PERIOD).copy())
    made = np.array(rows)
    return made[2000:, 0], made[2000:, 2]


def staircase(rate: float, seconds: float = 6.0) -> Array:
    """Accelerations of a robot that takes each set-point for where it is to be until the next."""
    filtered, rows = SetPointFilter(LIMITS, HOME), []
    for k in range(int(seconds / _PERIOD)):
        filtered.ask(*sine(np.floor(k * _PERIOD * rate + 1e-6) / rate))
        rows.append(filtered.step()[2].copy())
    return np.array(rows)[2000:]


def ripple(a: Array) -> float:
    """By how much accelerations are apart from the sine's, as a share of its greatest."""
    time = 2.0 + _PERIOD * np.arange(len(a))
    greatest = _WAY * _PACE**2
    return float(np.sqrt(np.mean((a + greatest * np.sin(_PACE * time)[:, None]) ** 2)) / greatest)


def delay(q: Array) -> float:
    """By how much a motion is behind the sine [s]: the phase of its first harmonic."""
    time = 2.0 + _PERIOD * np.arange(len(q))
    turn = np.exp(-1j * _PACE * time)
    return float(np.angle((turn @ np.sin(_PACE * time)) / (turn @ (q - HOME).mean(axis=1))) / _PACE)


@pytest.mark.parametrize(("rate", "late"), [(60.0, 0.0), (60.0, 0.002), (120.0, 0.001), (1000.0, 0.0)])
def test_a_slow_sine_is_followed_with_a_few_milliseconds_of_delay_however_often_it_is_said(rate: float, late: float) -> None:
    q, a = followed(rate, late=late)
    assert abs(delay(q)) < 0.004
    assert ripple(a) < 0.2


def test_frames_of_a_person_are_followed_as_smoothly_as_set_points_of_every_millisecond() -> None:
    slow, quick, before = (ripple(a) for a in (followed(60.0)[1], followed(1000.0)[1], staircase(60.0)))
    assert slow < 2.0 * quick
    assert slow < 0.4 * before


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_whatever_is_carried_on_the_limits_are_kept(seed: int) -> None:
    rng = np.random.default_rng(seed)
    source, before, now = External(LIMITS, _PERIOD, HOME), np.zeros(6), 0.0
    for _ in range(30):
        q, v, said = HOME + rng.normal(0.0, 2.0, 6), rng.normal(0.0, 8.0, 6), now
        for _ in range(int(rng.integers(1, 70))):
            assert source.follow(q, v, now - said, now) == ""
            q_now, v_now, a_now = source.advance(_PERIOD)
            assert (q_now >= LIMITS.lower - 1e-6).all() and (q_now <= LIMITS.upper + 1e-6).all()
            assert (np.abs(v_now) <= LIMITS.velocity * (1 + 1e-6)).all()
            assert (np.abs(a_now) <= LIMITS.acceleration * (1 + 1e-6)).all()
            assert (np.abs(a_now - before) <= LIMITS.jerk * _PERIOD * (1 + 1e-6)).all(), "jerk"
            before, now = a_now.copy(), now + _PERIOD


def of(*frames: tuple[float, float, float]) -> CarriedSetPoint:
    """One joint's: time, position and velocity of each set-point."""
    carried = CarriedSetPoint(np.zeros(1), np.full(1, 10.0))
    for time, q, v in frames:
        carried.take(np.full(1, q), np.full(1, v), 0.0, time)
    return carried


def later(carried: CarriedSetPoint, frame: tuple[float, float, float], age: float) -> tuple[float, float]:
    time, q, v = frame
    carried.take(np.full(1, q), np.full(1, v), age, time + age)
    return float(carried.q[0]), float(carried.v[0])


def test_a_set_point_is_carried_on_by_its_velocity_up_to_the_horizon_and_then_stands() -> None:
    frame = (1.0, 0.2, 0.5)
    carried = of(frame)
    assert later(carried, frame, 0.02) == pytest.approx((0.21, 0.5))
    assert later(carried, frame, 0.09) == pytest.approx((0.2 + 0.5 * HORIZON, 0.0))


def test_what_the_velocity_has_changed_by_is_carried_on_too_within_the_limit() -> None:
    frames = (1.0, 0.0, 0.5), (1.02, 0.011, 0.6)
    assert later(of(*frames), frames[1], 0.01) == pytest.approx((0.011 + 0.006 + 0.5 * 5.0 * 1e-4, 0.65))
    jump = (1.0, 0.0, 0.5), (1.02, 0.011, 5.0)
    assert later(of(*jump), jump[1], 0.01)[1] == pytest.approx(5.0 + 10.0 * 0.01)


@pytest.mark.parametrize("apart", [0.001, 0.3])
def test_set_points_of_every_millisecond_and_those_long_apart_have_their_velocity_carried_on_only(apart: float) -> None:
    frames = (1.0, 0.0, 0.5), (1.0 + apart, 0.011, 0.6)
    assert later(of(*frames), frames[1], 0.004)[1] == pytest.approx(0.6)


def test_a_joint_that_is_said_to_stand_stands() -> None:
    frames = (1.0, 0.0, 0.5), (1.02, 0.011, 0.0)
    assert later(of(*frames), frames[1], 0.02) == pytest.approx((0.011, 0.0))


def test_a_set_point_that_holds_brings_it_to_rest_as_soon_as_the_limits_allow_and_the_next_one_moves_it_on() -> None:
    source, now, goal = External(LIMITS, _PERIOD, HOME), 0.0, HOME.copy()
    v = 0.1 * LIMITS.velocity

    def follow(seconds: float, *, holds: bool = False) -> Array:
        nonlocal now, goal
        for _ in range(int(seconds / _PERIOD)):
            now, goal = now + _PERIOD, goal if holds else goal + v * _PERIOD
            assert source.follow(goal, v, 0.0, now, holds=holds) == ""
            joints = source.advance(_PERIOD)
        return joints.copy()

    moving = follow(1.0)[1]
    assert moving == pytest.approx(v, rel=0.05)
    least = (v / LIMITS.acceleration + LIMITS.acceleration / LIMITS.jerk).max()
    there = follow(1.2 * least + 0.01, holds=True)
    assert np.abs(there[1]).max() < 1e-6 and source.stands and not source.at_end
    goal = there[0].copy()
    assert (np.abs(follow(0.5)[1]) > 0.05 * LIMITS.velocity).all()
