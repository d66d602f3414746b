"""Time along a path: as fast as limits and feed allow, slowed where they need it, the path kept.

In three steps. The fastest law under velocity and acceleration limits (`timing_kernels`). A moving average over it, which makes
acceleration continuous: the mean of a law over a window is the law of a motion on the same path (`law`). Where the mean is over a
limit the law is lowered, for as long as the window, and made again. Then quintics through position, velocity and acceleration at
many times. Their exact extrema tell what is still over; where it is much the law is lowered once more, and what is left in the
end is taken by slowing the whole, so that the limits hold to the last digit.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from armillary.motion import kernels, law_kernels
from armillary.motion.errors import BadMotion
from armillary.motion.joint_path import JointPath
from armillary.motion.law import Law, Road
from armillary.motion.limits import MotionLimits
from armillary.motion.profiles.along import drive_along, fastest_way
from armillary.motion.profiles.unhurried import unhurried
from armillary.motion.trajectory import Trajectory, hermite_coefficients, quintic_through

__all__ = ["fit", "over_limits", "time_path"]

Array = NDArray[np.float64]
_ROUNDS = 4
_CLOSE = 3e-7  # how far joints may leave the path between knots [rad or m]
_OVER = 1.0 + 1e-9
_LITTLE = 1.004  # over a limit by so little, slowing the whole costs less than another round
_SHORTEST = 0.01  # of a window, between two knots
_PROFILES = ("jerk", "time_optimal", "lspb", "quintic")


def time_path(
    path: JointPath, limits: MotionLimits, *, feed: float | None = None, duration: float | None = None, profile: str = "jerk"
) -> Trajectory:
    """A trajectory along a path, from rest to rest, as fast as the limits allow.

    Args:
        feed: The tool's speed at most [m/s]; for a path of the tool.
        duration: In all [s]; longer than the least time.
        profile: "jerk" keeps the jerk limits too; "time_optimal" lets acceleration step, and declares it; "lspb" (a third
            each of constant acceleration, speed, deceleration; it steps, declared) and "quintic" are laws of the whole path.

    Raises:
        BadMotion: The duration is too short, the feed not above zero, the profile none of these.
    """
    if profile not in _PROFILES:
        raise BadMotion(f"there is no profile '{profile}' for a path; there are: {', '.join(_PROFILES)}")
    if path.joints != limits.joints:
        raise BadMotion(f"the path moves {', '.join(path.joints)}, the limits are of {', '.join(limits.joints)}")
    if feed is not None and not 0.0 < feed < np.inf:
        raise BadMotion(f"a feed of {feed} m/s is none; give a speed above zero")
    smooth = profile != "time_optimal"
    if profile == "jerk" and duration is not None:
        return unhurried(limits, duration, lambda lower: _fastest(path, lower, feed, smooth))
    best = _fastest(path, limits, feed, smooth) if profile in ("jerk", "time_optimal") else _simple(path, limits, feed, profile)
    if duration is not None:
        if not np.isfinite(duration) or duration < best.duration * (1.0 - 1e-9):
            raise BadMotion(f"{duration:g} s is too short: it takes {best.duration:.4g} s at least")
        best = best.slowed(duration / best.duration)
    return best


def _simple(path: JointPath, limits: MotionLimits, feed: float | None, profile: str) -> Trajectory:
    """A simple law of the whole path, in the least time that it can be driven in."""
    T = 1.0
    for _ in range(4):  # where the knots are depends on the time by rounding only
        found = drive_along(path, profile, T)
        most = float(over_limits(found, limits, found.continuity >= 2).max())
        if feed is not None and len(path.speed):
            most = max(most, fastest_way(path, profile, T) / (feed * (1.0 - 1e-4)))
        if 1.0 - 1e-9 <= most <= 1.0:
            break
        T *= most * (1.0 + 1e-12)
    return _kept(found, limits, found.continuity >= 2)


def _fastest(path: JointPath, limits: MotionLimits, feed: float | None, smooth: bool) -> Trajectory:
    """As fast as the limits allow, by a law that is lowered where it is too fast."""
    road = Road(path, limits, feed)
    best: Trajectory | None = None
    need = np.empty(len(road.grid))
    for _ in range(_ROUNDS):
        law = road.smooth() if smooth else road.stepping()
        trajectory = fit(path, law) if smooth else _stepping(path, law)
        over = over_limits(trajectory, limits, smooth)
        if road.feed:
            over = np.maximum(over, _over_feed(road, law, trajectory, smooth))
        whole = max(float(over.max()), 1.0)
        held = trajectory if whole <= _OVER else trajectory.slowed(whole * (1.0 + 1e-12))
        if best is None or held.duration < best.duration:
            best = held
        if whole <= _LITTLE:
            break
        law_kernels.blame(law.t, law.window if smooth else 0.0, trajectory.knots, over, need)
        road.lower(law, need)
    assert best is not None
    return _kept(best, limits, smooth)


def fit(path: JointPath, law: Law, *, begin: float = 0.0, end: float | None = None) -> Trajectory:
    """Quintics through the path's states at times of the averaged law, as many as keep to the path between them.

    Args:
        begin, end: The part of the law's time that is wanted; from rest to rest where left out.
    """
    times = _times(law, begin, law.duration if end is None else end)
    states = _states(path, law, times, begin <= 0.0, end is None)
    while True:
        trajectory = quintic_through(path.joints, times, states[:, 0], states[:, 1], states[:, 2], profile="path")
        middles = 0.5 * (times[:-1] + times[1:])
        wanted = _states(path, law, middles, False, False)
        off = np.abs(trajectory.sample(middles - begin)[:, 0] - wanted[:, 0]).max(axis=1)
        rough = (off > _CLOSE) & (np.diff(times) > 2.0 * _SHORTEST * law.window)
        if not rough.any():
            return trajectory
        order = np.argsort(np.concatenate([times, middles[rough]]), kind="stable")
        times = np.concatenate([times, middles[rough]])[order]
        states = np.concatenate([states, wanted[rough]])[order]


def _states(path: JointPath, law: Law, times: Array, at_rest: bool, to_rest: bool) -> Array:
    """Positions, velocities and accelerations of the joints at times. Shape (M, 3, n)."""
    mean = law.averaged(times)
    if at_rest:
        mean[0] = law.grid[0], 0.0, 0.0
    if to_rest:
        mean[-1] = law.grid[-1], 0.0, 0.0
    s, ds, dds = mean.T
    at = path.sample(np.clip(s, 0.0, path.length))
    ds, dds = ds[:, None], dds[:, None]
    return np.stack([at[:, 0], at[:, 1] * ds, at[:, 1] * dds + at[:, 2] * ds**2], axis=1)


def _stepping(path: JointPath, law: Law) -> Trajectory:
    """The law as it is, with its steps of acceleration at the grid points."""
    at = path.sample(np.clip(law.grid, 0.0, path.length))
    v = np.sqrt(law.x)
    start = at[:-1, 1] * law.u[:, None] + at[:-1, 2] * law.x[:-1, None]
    end = at[1:, 1] * law.u[:, None] + at[1:, 2] * law.x[1:, None]
    T, dq = np.diff(law.t), at[:, 1] * v[:, None]
    c = hermite_coefficients(T, (at[:-1, 0], dq[:-1], start), (at[1:, 0], dq[1:], end))
    return Trajectory(path.joints, T, c, continuity=1, profile="time-optimal")


def _times(law: Law, begin: float, end: float) -> Array:
    """Knots: where the averaged law's jerk changes, so that pieces of constant jerk are met exactly, and often in between."""
    window = law.window
    step = np.abs(np.diff(law.u, prepend=0.0, append=0.0))
    changes = law.t[step > 0.02 * np.abs(law.u).max()]
    wanted = np.sort(np.concatenate([[begin], changes, changes + window]))
    wanted = wanted[(wanted >= begin) & (wanted < end - _SHORTEST * window)]
    wanted = _apart(wanted, _SHORTEST * window)
    wanted = np.append(wanted, end)
    # In between as often as it takes to be no further apart than a share of the window.
    gaps = np.diff(wanted)
    count = np.maximum(np.ceil(gaps / (0.4 * window)).astype(int), 1)
    starts = np.repeat(wanted[:-1], count)
    inner = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    return np.append(starts + inner * np.repeat(gaps / count, count), end)


def _apart(times: Array, least: float) -> Array:
    """Of ascending times those that are at least so far from the one kept before."""
    keep = np.ones(len(times), dtype=bool)
    last = -np.inf
    for i, time in enumerate(times.tolist()):
        if time - last < least:
            keep[i] = False
        else:
            last = time
    return times[keep]


def over_limits(trajectory: Trajectory, limits: MotionLimits, smooth: bool) -> Array:
    """By what factor each segment would have to last longer to keep its limits. Shape (k,)."""
    out = np.empty(len(trajectory.durations))
    known = np.array([limits.velocity, limits.acceleration, limits.jerk])
    kernels.over(trajectory.segment_extrema[0], known, 3 if smooth else 2, out)
    return out


def _over_feed(road: Road, law: Law, trajectory: Trajectory, smooth: bool) -> Array:
    """By what factor the tool is too fast in each segment: averaging takes speed from where it may be faster. Shape (k,)."""
    knots = trajectory.knots
    times = np.sort(np.concatenate([knots, 0.5 * (knots[:-1] + knots[1:])]))
    if smooth:
        s, ds, _ = law.averaged(times).T
    else:
        s, ds = np.interp(times, law.t, law.grid), np.interp(times, law.t, np.sqrt(law.x))
    fast = np.interp(s, road.path.speed[:, 0], road.path.speed[:, 1]) * ds / (road.feed * (1.0 - 1e-4))
    return np.maximum(np.maximum(fast[:-1:2], fast[1::2]), fast[2::2])


def _kept(trajectory: Trajectory, limits: MotionLimits, smooth: bool) -> Trajectory:
    """Slowed by what is still over, until exactly nothing is."""
    for _ in range(4):
        most = float(over_limits(trajectory, limits, smooth).max())
        if most <= 1.0:
            break
        trajectory = trajectory.slowed(most * (1.0 + 1e-13))
    return replace(trajectory)
