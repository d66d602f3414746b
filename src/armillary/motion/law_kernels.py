"""A law of time along a path, averaged, against the limits, compiled.

A law is s(t) with constant acceleration between the points of a grid. Its mean over a window before each time has a jerk that is
constant between the times at which the law's acceleration changes, and a window later. So everything that the joints do is known
there in closed form, and looked at where each such interval begins, in its middle and where it ends.
"""

import numpy as np
from numpy.typing import NDArray

from armillary.model.compiled import compiled
from armillary.motion.kernels import value

__all__ = ["averaged_at", "blame", "examine", "law_of"]

Array = NDArray[np.float64]


@compiled()
def law_of(grid: Array, x: Array, t: Array, u: Array, area: Array) -> bool:
    """Times at the grid points (N,), accelerations between them (N - 1,), integrals of s (N,). False where it stands still."""
    t[0] = area[0] = 0.0
    for i in range(len(grid) - 1):
        step, pace = grid[i + 1] - grid[i], np.sqrt(x[i]) + np.sqrt(x[i + 1])
        if pace <= 0.0:
            return False
        d = 2.0 * step / pace
        u[i] = (x[i + 1] - x[i]) / (2.0 * step)
        t[i + 1] = t[i] + d
        area[i + 1] = area[i] + d * (grid[i] + d * (0.5 * np.sqrt(x[i]) + d * u[i] / 6.0))
    return True


@compiled()
def _state(grid: Array, x: Array, t: Array, u: Array, area: Array, i: int, time: float, out: Array) -> None:
    """s, its first two derivatives and its integral at a time in interval i; outside the law it stands at its ends."""
    last = len(t) - 1
    if time < 0.0:
        out[0], out[1], out[2], out[3] = grid[0], 0.0, 0.0, area[0] + time * grid[0]
    elif time > t[last]:
        out[0], out[1], out[2], out[3] = grid[last], 0.0, 0.0, area[last] + (time - t[last]) * grid[last]
    else:
        d, v = time - t[i], np.sqrt(x[i])
        out[0] = grid[i] + d * (v + 0.5 * d * u[i])
        out[1] = v + d * u[i]
        out[2] = u[i]
        out[3] = area[i] + d * (grid[i] + d * (0.5 * v + d * u[i] / 6.0))


@compiled()
def averaged_at(grid: Array, x: Array, t: Array, u: Array, area: Array, window: float, times: Array, out: Array) -> None:
    """s and its first two derivatives, averaged over the window before each of ascending times. Shape (M, 3)."""
    one, two = np.empty(4), np.empty(4)
    i = k = 0
    for m in range(len(times)):
        while i < len(u) - 1 and t[i + 1] <= times[m]:
            i += 1
        while k < len(u) - 1 and t[k + 1] <= times[m] - window:
            k += 1
        _state(grid, x, t, u, area, i, times[m], one)
        _state(grid, x, t, u, area, k, times[m] - window, two)
        out[m, 0], out[m, 1], out[m, 2] = (one[3] - two[3]) / window, (one[0] - two[0]) / window, (one[1] - two[1]) / window


@compiled()
def examine(
    grid: Array, x: Array, t: Array, u: Array, area: Array, window: float, settled: int, knots: Array, c: Array, limits: Array,
    speed: Array, feed: float, changed: Array, need: Array,
) -> float:  # fmt: skip
    """By what factor the motion is too fast, at worst; for each grid point that has a part in it, into need (N,).

    Only what has changed since the last time is looked at.

    Args:
        settled: Grid points up to this one are driven already: what happens from its time on is looked at.
        knots, c: The path's pieces, shapes (K + 1,) and (K, n, 6).
        limits: Velocity, acceleration and jerk, shape (3, n).
        speed: The tool's way per s at grid points, shape (N,).
        feed: The tool's speed at most; 0 for none.
        changed: How many grid points before each have changed, shape (N + 1,).
    """
    N, n, last = len(grid), c.shape[1], len(u)
    worst = 1.0
    need[:] = 1.0
    one, two = np.empty(4), np.empty(4)
    i, k, place, first = settled, 0, 0, 0
    piece = 0
    at, end = t[settled], t[N - 1] + window
    rates = 1.0 / limits
    begins = t[0] + window  # from here on the law leaves the window at its far end
    while at < end - 1e-12:
        while i < last and t[i + 1] <= at + 1e-13:
            i += 1
        while k < last and t[k + 1] + window <= at + 1e-13:
            k += 1
        # Until the acceleration, now or a window ago, changes.
        to = min(t[i + 1] if i < last else end, begins if at < begins - 1e-13 else (t[k + 1] + window if k < last else end), end)
        now = u[i] if i < last else 0.0
        then = u[k] if k < last and at >= begins - 1e-13 else 0.0
        jerk = (now - then) / window
        while first < N - 1 and t[first + 1] < at - window:
            first += 1
        if changed[min(i + 2, N)] == changed[first]:
            at = max(to, at + 1e-12)
            continue
        over = fast = bent = shaken = 0.0
        for share in range(3):
            time = at + 0.5 * share * (to - at)
            _state(grid, x, t, u, area, min(i, last - 1), time, one)
            _state(grid, x, t, u, area, min(k, last - 1), time - window, two)
            s, v, a = (one[3] - two[3]) / window, (one[0] - two[0]) / window, (one[1] - two[1]) / window
            while piece < len(knots) - 2 and knots[piece + 1] <= s:
                piece += 1
            d = min(max(s - knots[piece], 0.0), knots[piece + 1] - knots[piece])
            for j in range(n):
                p1, p2, p3 = value(c[piece, j], d, 1), value(c[piece, j], d, 2), value(c[piece, j], d, 3)
                fast = max(fast, abs(p1 * v) * rates[0, j])
                bent = max(bent, abs(p1 * a + p2 * v * v) * rates[1, j])
                shaken = max(shaken, abs(p1 * jerk + 3.0 * p2 * v * a + p3 * v * v * v) * rates[2, j])
            if feed > 0.0:
                while place < N - 2 and grid[place + 1] <= s:
                    place += 1
                part = min(max((s - grid[place]) / (grid[place + 1] - grid[place]), 0.0), 1.0)
                over = max(over, (speed[place] + part * (speed[place + 1] - speed[place])) * v / feed)
        over = max(over, fast)
        if max(over, bent, shaken) > 1.0:
            over = max(over, np.sqrt(bent), np.cbrt(shaken))
            worst = max(worst, over)
            first = _spread(t, window, first, at, to, over, need)
        at = max(to, at + 1e-12)
    return worst


@compiled()
def _spread(t: Array, window: float, first: int, begin: float, end: float, over: float, need: Array) -> int:
    """A factor for all grid points that have a part in what is averaged between two times; where the next ones begin."""
    N = len(t)
    while first < N - 1 and t[first + 1] < begin - window:
        first += 1
    g = first
    while g < N and t[g] <= end:
        need[g] = max(need[g], over)
        g += 1
    if g < N:
        need[g] = max(need[g], over)
    return first


@compiled()
def blame(t: Array, window: float, times: Array, over: Array, need: Array) -> None:
    """For each grid point the largest factor of the segments between times (M + 1,) that it has a part in, into need (N,)."""
    need[:] = 1.0
    first = 0
    for m in range(len(over)):
        if over[m] > 1.0:
            first = _spread(t, window, first, times[m], times[m + 1], over[m], need)
