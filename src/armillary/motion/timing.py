"""Time along a path: as fast as limits and feed allow, slowed where they need it, the path kept.

In three steps. The fastest law under velocity and acceleration limits (`timing_kernels`). A moving average over it, which makes
acceleration continuous: the mean of a law over a window is the law of a motion on the same path. Then quintics through position,
velocity and acceleration at many times, whose exact extrema tell where jerk, or what the grid missed, is over a limit. There the
law is made slower, and the whole is done again. What is left over in the end is taken by slowing the whole, so that the limits
hold to the last digit.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from armillary.motion.errors import BadMotion, MotionError
from armillary.motion.joint_path import JointPath
from armillary.motion.limits import MotionLimits
from armillary.motion.timing_kernels import fastest
from armillary.motion.trajectory import Trajectory, hermite_coefficients, quintic_through

__all__ = ["time_path"]

Array = NDArray[np.float64]
_GRID = 120  # points of the law at least
_ROUNDS = 8
_CLOSE = 3e-7  # how far joints may leave the path between knots [rad or m]
_MOST = 20_000  # knots
_OVER = 1.0 + 1e-9
_FEED = 0.9995  # of the feed is aimed at: between knots it is not exact
_LITTLE = 1.003  # over a limit by so little, slowing the whole costs less than another round


@dataclass(frozen=True, eq=False)
class _Law:
    """s(t) as pieces of constant acceleration: knots in t, and s, ds/dt, d2s/dt2 at their starts."""

    t: Array
    s: Array
    v: Array
    a: Array

    def averaged(self, times: Array, window: float) -> tuple[Array, Array, Array]:
        """s and its first two derivatives, averaged over the window before each time."""
        s1, v1, i1 = self._at(times)
        s0, v0, i0 = self._at(times - window)
        return (i1 - i0) / window, (s1 - s0) / window, (v1 - v0) / window

    def _at(self, times: Array) -> tuple[Array, Array, Array]:
        """s, ds/dt and the integral of s; before the start it stands there, behind the end too."""
        end = self.t[-1]
        t = np.clip(times, 0.0, end)
        i = np.clip(np.searchsorted(self.t, t, side="right") - 1, 0, len(self.a) - 1)
        d = t - self.t[i]
        s = self.s[i] + d * (self.v[i] + 0.5 * d * self.a[i])
        v = np.where((times < 0.0) | (times > end), 0.0, self.v[i] + d * self.a[i])
        integral = self._integral[i] + d * (self.s[i] + d * (0.5 * self.v[i] + d * self.a[i] / 6.0))
        integral = integral + np.where(times > end, (times - end) * self.s[-1], 0.0)
        return s, v, integral

    @property
    def _integral(self) -> Array:
        d = np.diff(self.t)
        pieces = d * (self.s[:-1] + d * (0.5 * self.v[:-1] + d * self.a / 6.0))
        return np.concatenate([[0.0], np.cumsum(pieces)])


def time_path(
    path: JointPath, limits: MotionLimits, *, feed: float | None = None, duration: float | None = None, smooth: bool = True
) -> Trajectory:
    """A trajectory along a path, from rest to rest, as fast as the limits allow.

    Args:
        feed: The tool's speed at most [m/s]; for a path of the tool.
        duration: In all [s]; longer than the least time.
        smooth: Keep the jerk limits too. Otherwise acceleration may step, and the profile declares it.

    Raises:
        BadMotion: The duration is too short, the feed not above zero.
    """
    if path.joints != limits.joints:
        raise BadMotion(f"the path moves {', '.join(path.joints)}, the limits are of {', '.join(limits.joints)}")
    if feed is not None and not 0.0 < feed < np.inf:
        raise BadMotion(f"a feed of {feed} m/s is none; give a speed above zero")
    grid = _grid(path)
    at = path.sample(grid)
    ceiling = _ceiling(path, grid, at[:, 1], limits, feed)
    window = _window(limits) if smooth else 0.0
    slower = np.ones(len(grid))
    best: Trajectory | None = None
    for _ in range(_ROUNDS):
        law = _fastest(grid, at, limits, ceiling * slower)
        trajectory = _fitted(path, law, window, smooth)
        over = np.maximum(_over(trajectory, limits, smooth), _over_feed(path, law, window, trajectory, feed))
        whole = max(float(over.max()), 1.0)
        held = trajectory if whole <= _OVER else trajectory.slowed(whole * (1.0 + 1e-12))
        if best is None or held.duration < best.duration:
            best = held
        if whole <= _LITTLE:
            break
        slower = _slower(law, window, trajectory, over, grid, slower)
    assert best is not None
    best = _kept(best, limits, smooth)
    if duration is not None:
        if not np.isfinite(duration) or duration < best.duration * (1.0 - 1e-9):
            raise BadMotion(f"{duration:g} s is too short: it takes {best.duration:.4g} s at least")
        best = best.slowed(duration / best.duration)
    return best


def _grid(path: JointPath) -> Array:
    """Where the law is held to the limits: knots of the path, as dense as is needed, denser at both ends."""
    count = max(1, int(np.ceil(_GRID / len(path.spans))))
    inner = np.concatenate(
        [start + span * np.arange(count) / count for start, span in zip(path.knots[:-1], path.spans, strict=True)]
    )
    # From rest x grows with s: a few short steps at both ends keep the first of them from being coarse.
    first, last = inner[1] if len(inner) > 1 else path.length, path.length - inner[-1]
    ends = np.array([0.02, 0.1, 0.3, 0.6])
    return np.unique(np.concatenate([inner, ends * first, path.length - ends * last, [path.length]]))


def _ceiling(path: JointPath, grid: Array, dq: Array, limits: MotionLimits, feed: float | None) -> Array:
    """The largest x at each grid point by the joints' velocities and the tool's feed."""
    with np.errstate(divide="ignore"):
        x = np.min((limits.velocity / np.abs(dq)) ** 2, axis=1)
        if feed is not None and len(path.speed):
            x = np.minimum(x, (_FEED * feed / np.interp(grid, path.speed[:, 0], path.speed[:, 1])) ** 2)
    return np.minimum(x, 1e12)


def _window(limits: MotionLimits) -> float:
    """Over how long acceleration is averaged: from nothing to its limit, that is the jerk limit [s]."""
    return float(np.clip(np.max(limits.acceleration / limits.jerk), 1e-4, 5.0))


def _fastest(grid: Array, at: Array, limits: MotionLimits, ceiling: Array) -> _Law:
    x = np.empty(len(grid))
    ok = fastest(grid, np.ascontiguousarray(at[:, 1]), np.ascontiguousarray(at[:, 2]), limits.acceleration, ceiling, 0.0, 0.0, x)
    if not ok:
        raise MotionError("no law of time keeps the limits on this path")
    v = np.sqrt(x)
    step = np.diff(grid)
    pace = v[:-1] + v[1:]
    if not (pace > 0.0).all():
        raise MotionError("the path cannot be driven: it stands still on the way")
    t = np.concatenate([[0.0], np.cumsum(2.0 * step / pace)])
    return _Law(t, grid, v, np.diff(x) / (2.0 * step))


def _fitted(path: JointPath, law: _Law, window: float, smooth: bool) -> Trajectory:
    """Quintics through the path's states at times of the law, as many as keep to the path between them."""
    if not smooth:
        return _stepping(path, law)
    total = float(law.t[-1]) + window
    times = _times(law, window, total)
    while True:
        s, ds, dds = law.averaged(times, window)
        s[0], ds[0], dds[0], s[-1], ds[-1], dds[-1] = 0.0, 0.0, 0.0, path.length, 0.0, 0.0
        at = path.sample(np.clip(s, 0.0, path.length))
        a = at[:, 1] * dds[:, None] + at[:, 2] * (ds**2)[:, None]
        trajectory = quintic_through(path.joints, times, at[:, 0], at[:, 1] * ds[:, None], a, profile="path")
        middles = 0.5 * (times[:-1] + times[1:])
        wanted = path.sample(np.clip(law.averaged(middles, window)[0], 0.0, path.length))[:, 0]
        off = np.abs(trajectory.sample(middles)[:, 0] - wanted).max(axis=1)
        rough = (off > _CLOSE) & (np.diff(times) > 1e-3 * window)
        if not rough.any() or len(times) > _MOST:
            return trajectory
        times = np.sort(np.concatenate([times, middles[rough]]))


def _stepping(path: JointPath, law: _Law) -> Trajectory:
    """The law as it is, with its steps of acceleration at the grid points."""
    at = path.sample(np.clip(law.s, 0.0, path.length))
    q, v = at[:, 0], at[:, 1] * law.v[:, None]
    start = at[:-1, 1] * law.a[:, None] + at[:-1, 2] * (law.v[:-1] ** 2)[:, None]
    end = at[1:, 1] * law.a[:, None] + at[1:, 2] * (law.v[1:] ** 2)[:, None]
    T = np.diff(law.t)
    c = hermite_coefficients(T, (q[:-1], v[:-1], start), (q[1:], v[1:], end))
    return Trajectory(path.joints, T, c, continuity=1, profile="time-optimal")


def _times(law: _Law, window: float, total: float) -> Array:
    """Knots: where the averaged law's jerk changes, so that pieces of constant jerk are met exactly, and often in between."""
    step = np.abs(np.diff(law.a, prepend=0.0, append=0.0))
    changes = law.t[step > 0.02 * np.abs(law.a).max()]
    wanted = np.concatenate([[0.0, total], changes, changes + window])
    even = np.linspace(0.0, total, max(16, int(np.ceil(total / (0.4 * window)))))
    clear = np.abs(even[:, None] - wanted[None]).min(axis=1) > 0.1 * window
    times = np.unique(np.concatenate([wanted, even[clear]]))
    times = times[np.concatenate([[True], np.diff(times) > 1e-4 * window])]
    times[-1] = total
    return times


def _over(trajectory: Trajectory, limits: MotionLimits, smooth: bool) -> Array:
    """By what factor each segment would have to last longer to keep its limits. Shape (k,)."""
    values, _ = trajectory.segment_extrema
    most = np.abs(values).max(axis=3)  # (k, n, 4)
    over = np.max(most[:, :, 1] / limits.velocity, axis=1)
    over = np.maximum(over, np.sqrt(np.max(most[:, :, 2] / limits.acceleration, axis=1)))
    if smooth:
        over = np.maximum(over, np.cbrt(np.max(most[:, :, 3] / limits.jerk, axis=1)))
    return over


def _over_feed(path: JointPath, law: _Law, window: float, trajectory: Trajectory, feed: float | None) -> Array:
    """By what factor the tool is too fast in each segment: averaging takes speed from where it may be faster. Shape (k,)."""
    if feed is None or not len(path.speed):
        return np.zeros(len(trajectory.durations))
    knots = trajectory.knots
    times = np.concatenate([knots, 0.5 * (knots[:-1] + knots[1:])])
    if window > 0.0:
        s, ds, _ = law.averaged(times, window)
    else:
        s, ds, _ = law._at(times)
    fast = np.interp(s, path.speed[:, 0], path.speed[:, 1]) * ds / (feed * (1.0 - 1e-4))
    k = len(trajectory.durations)
    return np.maximum(np.maximum(fast[:k], fast[1 : k + 1]), fast[k + 1 :])


def _slower(law: _Law, window: float, trajectory: Trajectory, over: Array, grid: Array, slower: Array) -> Array:
    """The ceiling's share on the grid, lowered around what is over a limit."""
    times = trajectory.knots
    s = law.averaged(times, window)[0] if window > 0.0 else law._at(times)[0]
    lowered = slower.copy()
    for i in np.flatnonzero(over > _OVER).tolist():
        # The average reaches half a window to both sides, and so does what is to be mended.
        low, high = s[max(i - 2, 0)], s[min(i + 3, len(s) - 1)]
        near = (grid >= low) & (grid <= high)
        if not near.any():
            near = np.zeros(len(grid), dtype=bool)
            near[int(np.argmin(np.abs(grid - 0.5 * (low + high))))] = True
        lowered[near] = np.minimum(lowered[near], slower[near] / over[i] ** 2 * 0.995)
    return lowered


def _kept(trajectory: Trajectory, limits: MotionLimits, smooth: bool) -> Trajectory:
    """Slowed by what is still over, until exactly nothing is."""
    for _ in range(4):
        most = float(_over(trajectory, limits, smooth).max())
        if most <= 1.0:
            break
        trajectory = trajectory.slowed(most * (1.0 + 1e-13))
    return replace(trajectory)
