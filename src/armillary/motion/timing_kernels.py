"""The fastest way along a path under limits of velocity and acceleration, compiled.

Reachability over the square of the path's speed, x = (ds/dt)^2, with u = d2s/dt2 constant between grid points (Pham and Pham's
TOPP-RA): backwards the largest x from which the end can still be come to, forwards the largest u that stays below that.
Acceleration is held at both ends of each interval, which leaves least between them.
"""

import numpy as np
from numpy.typing import NDArray

from armillary.model.compiled import compiled

__all__ = ["braking", "fastest"]

Array = NDArray[np.float64]


@compiled()
def _range(A: Array, B: Array, limit: Array, x: float) -> tuple[float, float]:
    """The u that every |A u + B x| <= limit allows, at one x; empty where the first is above the second."""
    low, high = -1e300, 1e300
    for r in range(A.shape[0]):
        a, b = A[r], B[r] * x
        if abs(a) < 1e-12:
            if abs(b) > limit[r] * (1.0 + 1e-9):
                return 1.0, 0.0
            continue
        one, two = (-limit[r] - b) / a, (limit[r] - b) / a
        if one > two:
            one, two = two, one
        low, high = max(low, one), min(high, two)
    return low, high


@compiled()
def fastest(s: Array, dq: Array, ddq: Array, acceleration: Array, ceiling: Array, begin: float, end: float, out: Array) -> bool:
    """The largest x at each grid point into out (N,); False where no motion from `begin` to `end` keeps the limits.

    Args:
        s: Grid, shape (N,).
        dq, ddq: First and second derivative of the path by s there, shape (N, n).
        acceleration: Shape (n,).
        ceiling: The largest x that velocity limits allow at each grid point, shape (N,).
        begin, end: x at the start and at the end.
    """
    N, n = dq.shape
    A, B = np.empty((N - 1, 2 * n)), np.empty((N - 1, 2 * n))
    limit = np.empty(2 * n)
    for j in range(n):
        limit[j] = limit[n + j] = acceleration[j]
    for i in range(N - 1):
        step = s[i + 1] - s[i]
        for j in range(n):
            A[i, j], B[i, j] = dq[i, j], ddq[i, j]
            A[i, n + j], B[i, n + j] = dq[i + 1, j] + 2.0 * step * ddq[i + 1, j], ddq[i + 1, j]
    bound = np.empty(N)
    bound[N - 1] = min(end, ceiling[N - 1])
    for i in range(N - 2, -1, -1):
        step = s[i + 1] - s[i]
        good, bad = 0.0, ceiling[i]
        low, high = _range(A[i], B[i], limit, bad)
        if low <= high and max(low, -bad / (2.0 * step)) <= min(high, (bound[i + 1] - bad) / (2.0 * step)):
            good = bad
        else:
            for _ in range(60):
                x = 0.5 * (good + bad)
                low, high = _range(A[i], B[i], limit, x)
                if low <= high and max(low, -x / (2.0 * step)) <= min(high, (bound[i + 1] - x) / (2.0 * step)):
                    good = x
                else:
                    bad = x
                if bad - good <= 1e-12 * bad:
                    break
        bound[i] = good
    if begin > bound[0] * (1.0 + 1e-9) + 1e-15:
        return False
    out[0] = min(begin, bound[0])
    for i in range(N - 1):
        step = s[i + 1] - s[i]
        low, high = _range(A[i], B[i], limit, out[i])
        u = min(high, (bound[i + 1] - out[i]) / (2.0 * step))
        out[i + 1] = max(out[i] + 2.0 * step * u, 0.0)
    return True


@compiled()
def braking(s: Array, dq: Array, ddq: Array, acceleration: Array, begin: float, out: Array) -> None:
    """x at each grid point when it brakes as hard as the accelerations allow, into out (N,)."""
    N, n = dq.shape
    A, B, limit = np.empty(2 * n), np.empty(2 * n), np.empty(2 * n)
    out[0] = begin
    for i in range(N - 1):
        step = s[i + 1] - s[i]
        for j in range(n):
            A[j], B[j], limit[j] = dq[i, j], ddq[i, j], acceleration[j]
            A[n + j], B[n + j], limit[n + j] = dq[i + 1, j] + 2.0 * step * ddq[i + 1, j], ddq[i + 1, j], acceleration[j]
        low, high = _range(A, B, limit, out[i])
        u = min(low, 0.0) if low <= high else 0.0
        out[i + 1] = max(out[i] + 2.0 * step * u, 0.0)
