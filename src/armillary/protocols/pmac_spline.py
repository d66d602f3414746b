"""The curve that PMAC makes of SPLINE1 moves, and the moves that make it pass a given trajectory.

The points of a program are control points, not waypoints. With equal segment times T the curve passes
W[n] = (X[n-1] + 4 X[n] + X[n+1]) / 6 with velocity (X[n+1] - X[n-1]) / (2 T), a cubic in between (PMAC User Manual, splines).
PMAC puts a segment without motion before the first point and behind the last, so a program of m points from a start takes m + 2
segments: with the start before the points, k = m + 1 points give k + 2 waypoints, the first at the start and the last at the end,
both at rest and without acceleration.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solveh_banded

__all__ = [
    "ControlPointStream", "control_points", "spline_coefficients", "spline_positions", "spline_velocities", "waypoint_velocities",
    "waypoints",
]  # fmt: skip

Array = NDArray[np.float64]
_DECAY = np.sqrt(3.0) - 2.0  # how a control point depends on samples farther and farther away: this to the power of the distance


def waypoints(points: ArrayLike) -> Array:
    """Where the curve is at the ends of its segments.

    Args:
        points: The start, and the points of the program, shape (k, n).

    Returns:
        Shape (k + 2, n), T apart in time.
    """
    X = _padded(points)
    return (X[:-2] + 4.0 * X[1:-1] + X[2:]) / 6.0


def waypoint_velocities(points: ArrayLike, T: float) -> Array:
    """How fast the curve is at the ends of its segments of T seconds, shape (k + 2, n)."""
    X = _padded(points)
    return (X[2:] - X[:-2]) / (2.0 * T)


def spline_coefficients(points: ArrayLike, T: float) -> Array:
    """The curve's cubics in segment-local time, shape (k + 1, n, 4), lowest order first."""
    W, V = waypoints(points), waypoint_velocities(points, T)
    step = W[1:] - W[:-1]
    second = (3.0 * step / T - 2.0 * V[:-1] - V[1:]) / T
    third = (V[:-1] + V[1:] - 2.0 * step / T) / T**2
    return np.stack([W[:-1], V[:-1], second, third], axis=-1)


def spline_positions(points: ArrayLike, T: float, times: ArrayLike) -> Array:
    """The curve at times from its begin [s], shape (len(times), n). It stands before and behind."""
    c, tau = _at(points, T, times)
    return c[..., 0] + tau * (c[..., 1] + tau * (c[..., 2] + tau * c[..., 3]))


def spline_velocities(points: ArrayLike, T: float, times: ArrayLike) -> Array:
    """The curve's velocity at times from its begin [s], shape (len(times), n)."""
    c, tau = _at(points, T, times)
    return c[..., 1] + tau * (2.0 * c[..., 2] + tau * 3.0 * c[..., 3])


def control_points(samples: ArrayLike, *, lead: int = 0) -> Array:
    """The points that make the curve pass samples of a trajectory that begins and ends at rest.

    The curve has no acceleration at its ends, and two waypoints more than it has points to choose. Where the trajectory begins
    with an acceleration, or with more jerk than a segment can follow, the waypoints next to its ends are a compromise (least
    squares). Segments of rest before and behind (`lead`) give the curve room: each makes the rest of the error 3.7 times smaller.

    Args:
        samples: Positions T apart from the start to the end, shape (N, n), with the leads four at least.
        lead: Segments of rest that are added at each end.

    Returns:
        The start and the points of the program, shape (N + 2 lead - 2, n): the curve is at the begin of the samples `lead`
        segments after its own begin.
    """
    s = np.asarray(samples, dtype=float)
    s = np.concatenate([s[:1].repeat(lead, axis=0), s, s[-1:].repeat(lead, axis=0)])
    if len(s) < 4:
        raise ValueError(f"{len(s)} samples are no spline's: it has three segments at least, so four samples")
    k = len(s) - 2  # points; the first and the last are held
    if k == 2:
        return s[[0, -1]]
    rest = s[1:-1].copy()  # what the waypoints of the points must be
    rest[0] -= 5.0 / 6.0 * s[0]
    rest[1] -= s[0] / 6.0
    rest[-1] -= 5.0 / 6.0 * s[-1]
    rest[-2] -= s[-1] / 6.0
    right = (rest[:-2] + 4.0 * rest[1:-1] + rest[2:]) / 6.0
    bands = np.empty((3, k - 2))
    bands[0], bands[1], bands[2] = 1.0 / 36.0, 8.0 / 36.0, 18.0 / 36.0
    inner = solveh_banded(bands[max(0, 5 - k) :], right)
    return np.concatenate([s[:1], inner, s[-1:]])


class ControlPointStream:
    """Control points of samples that come one by one.

    A control point depends on samples before and behind it, less and less with the distance: by 0.27 a segment. So each comes
    `reach` samples later than its own.
    """

    def __init__(self, start: ArrayLike, *, reach: int = 6) -> None:
        """Args:
        start: Where the trajectory begins, at rest, shape (n,).
        reach: Samples on each side that are looked at.
        """
        first = np.array(start, dtype=float)
        self._reach = reach
        kernel = np.sqrt(3.0) * _DECAY ** np.abs(np.arange(-reach, reach + 1))
        self._kernel = kernel / kernel.sum()  # a robot that stands must not be moved by what is cut off
        self._window = [first] * (2 * reach + 1)

    def push(self, sample: ArrayLike) -> Array:
        """Take the next sample, and give the control point of the one `reach` before it, shape (n,)."""
        self._window = [*self._window[1:], np.array(sample, dtype=float)]
        return self._kernel @ np.stack(self._window)

    def finish(self) -> Array:
        """The control points that are still due where the trajectory ends at its last sample, shape (2 reach, n)."""
        last = self._window[-1]
        points = [self.push(last) for _ in range(2 * self._reach)]
        return np.stack(points) if points else np.empty((0, len(last)))


def _padded(points: ArrayLike) -> Array:
    X = np.asarray(points, dtype=float)
    return np.concatenate([X[:1], X[:1], X, X[-1:], X[-1:]])


def _at(points: ArrayLike, T: float, times: ArrayLike) -> tuple[Array, Array]:
    c = spline_coefficients(points, T)
    t = np.clip(np.asarray(times, dtype=float), 0.0, len(c) * T)
    index = np.minimum((t / T).astype(int), len(c) - 1)
    return c[index], (t - index * T)[:, None]
