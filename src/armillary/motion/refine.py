"""Waypoints at given times, refined: velocities and accelerations for them, and one quintic between each two.

Paper 4 takes MoveIt's waypoints (every 500 ms), estimates velocity and acceleration at each by backward differences, and puts
quintics between them. The estimate is what the result is as good as, so better ones stand beside it. All go through every
waypoint exactly, are C2, and are at rest at both ends. Coefficients come from segment-local time (the printed ones are wrong:
(4) lacks the 3 of 3 C3 t^2, and Cramer's (12) to (17) do not solve it).

backward  paper 4's: v_i = (q_i - q_i-1) / h, a_i = (v_i - v_i-1) / h
central   the parabola through three neighbours
spline    the quintic spline: velocities and accelerations such that jerk and its rate are continuous too (C4)
exact     derivatives of the path itself, where it is known (`v`, `a`)
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from armillary.motion.errors import BadMotion
from armillary.motion.trajectory import Trajectory, quintic_through

__all__ = ["ESTIMATES", "refine"]

Array = NDArray[np.float64]
ESTIMATES = ("backward", "central", "spline", "exact")


def refine(
    joints: Sequence[str], times: Array | Sequence[float], q: Array, *, estimate: str = "spline", v: Array | None = None,
    a: Array | None = None,
) -> Trajectory:  # fmt: skip
    """A trajectory through waypoints.

    Args:
        times: Of the waypoints, ascending, shape (N,) [s].
        q: The waypoints, shape (N, n).
        estimate: One of `ESTIMATES`.
        v, a: Velocities and accelerations at the waypoints, shape (N, n), for "exact"; what they are at both ends is kept.

    Raises:
        BadMotion: Fewer than two waypoints, times that do not ascend, or an estimate that does not exist.
    """
    try:
        times, q = np.asarray(times, dtype=float), np.asarray(q, dtype=float)
    except (TypeError, ValueError):
        raise BadMotion("waypoints are not an array of numbers; give N times, and N rows of positions") from None
    if q.ndim != 2 or times.shape != (len(q),) or q.shape[1] != len(joints):
        raise BadMotion(f"{len(times)} times, waypoints of shape {q.shape} and {len(joints)} joints do not fit together")
    if len(q) < 2 or not (np.diff(times) > 0.0).all() or not np.isfinite(q).all():
        raise BadMotion("give two waypoints at least, finite, each later than the one before")
    if estimate == "backward":
        v, a = _backward(times, q)
    elif estimate == "central":
        v, a = _central(times, q)
    elif estimate == "spline":
        v, a = _spline(times, q)
    elif estimate != "exact":
        raise BadMotion(f"there is no estimate '{estimate}'; there are: {', '.join(ESTIMATES)}")
    if v is None or a is None or np.shape(v) != q.shape or np.shape(a) != q.shape:
        raise BadMotion("'exact' needs the velocities and accelerations of the waypoints, of their shape")
    return quintic_through(joints, times, q, np.asarray(v), np.asarray(a), profile=f"refined {estimate}")


def _backward(t: Array, q: Array) -> tuple[Array, Array]:
    v, a = np.zeros_like(q), np.zeros_like(q)
    h = np.diff(t)[:, None]
    v[1:-1] = (np.diff(q, axis=0) / h)[:-1]
    a[1:-1] = (np.diff(v, axis=0) / h)[:-1]
    return v, a


def _central(t: Array, q: Array) -> tuple[Array, Array]:
    v, a = np.zeros_like(q), np.zeros_like(q)
    h = np.diff(t)[:, None]
    slope = np.diff(q, axis=0) / h
    v[1:-1] = (slope[:-1] * h[1:] + slope[1:] * h[:-1]) / (h[:-1] + h[1:])
    a[1:-1] = 2.0 * (slope[1:] - slope[:-1]) / (h[:-1] + h[1:])
    return v, a


def _spline(t: Array, q: Array) -> tuple[Array, Array]:
    """Velocities and accelerations at the inner waypoints that make third and fourth derivative continuous; rest at the ends.

    With the quintic's coefficients written in its ends' positions, velocities and accelerations, both conditions at a waypoint
    are linear in those of its neighbours: a banded system, solved once for all joints.
    """
    N, n = q.shape
    v, a = np.zeros_like(q), np.zeros_like(q)
    m = N - 2
    if m == 0:
        return v, a
    from scipy.linalg import solve_banded

    h = np.diff(t)
    # Unknowns x = (v_1, a_1, v_2, a_2, ...) of the inner points; rows: jerk, then snap, at each of them.
    bands, rhs = np.zeros((7, 2 * m)), np.zeros((2 * m, n))

    def put(row: int, column: int, value: float) -> None:
        if 0 <= column < 2 * m:
            bands[3 + row - column, column] = value

    d = np.diff(q, axis=0)
    for i in range(1, N - 1):
        h0, h1 = h[i - 1], h[i]
        row, before, here, after = 2 * (i - 1), 2 * (i - 2), 2 * (i - 1), 2 * i
        # Jerk at the end of the piece before and at the start of the piece behind:
        # (60 d - (24 v0 + 36 v1) h - (3 a0 - 9 a1) h^2) / h^3 = (60 d - (36 v0 + 24 v1) h - (9 a0 - 3 a1) h^2) / h^3
        put(row, before, -24.0 / h0**2)
        put(row, before + 1, -3.0 / h0)
        put(row, here, -36.0 / h0**2 + 36.0 / h1**2)
        put(row, here + 1, 9.0 / h0 + 9.0 / h1)
        put(row, after, 24.0 / h1**2)
        put(row, after + 1, -3.0 / h1)
        rhs[row] = 60.0 * (d[i] / h1**3 - d[i - 1] / h0**3)
        # Snap: (360 d - (168 v0 + 192 v1) h - (24 a0 - 36 a1) h^2) / h^4 before,
        # (-360 d + (192 v0 + 168 v1) h + (36 a0 - 24 a1) h^2) / h^4 behind.
        put(row + 1, before, -168.0 / h0**3)
        put(row + 1, before + 1, -24.0 / h0**2)
        put(row + 1, here, -192.0 / h0**3 - 192.0 / h1**3)
        put(row + 1, here + 1, 36.0 / h0**2 - 36.0 / h1**2)
        put(row + 1, after, -168.0 / h1**3)
        put(row + 1, after + 1, 24.0 / h1**2)
        rhs[row + 1] = -360.0 * (d[i] / h1**4 + d[i - 1] / h0**4)
    x = solve_banded((3, 3), bands, rhs)
    v[1:-1], a[1:-1] = x[0::2], x[1::2]
    return v, a
