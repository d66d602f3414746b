"""Polynomials of degree five in segment-local time, compiled: values, and their exact extrema on a segment.

An extremum of a polynomial on an interval is at an end or at a root of its derivative. Roots are found without guesses: between
two neighbouring roots of the next derivative a polynomial is monotone and has at most one root, which guarded Newton steps close
in on. So the roots of all derivatives follow from the linear one, and none is missed.
"""

import numpy as np
from numpy.typing import NDArray

from armillary.model.compiled import compiled

__all__ = ["due_times", "extrema", "over", "sample", "value"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]


@compiled()
def value(c: Array, t: float, order: int) -> float:
    """A polynomial (six coefficients, lowest first) or one of its derivatives at a time."""
    if order == 0:
        return c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * (c[4] + t * c[5]))))
    if order == 1:
        return c[1] + t * (2.0 * c[2] + t * (3.0 * c[3] + t * (4.0 * c[4] + t * 5.0 * c[5])))
    if order == 2:
        return 2.0 * c[2] + t * (6.0 * c[3] + t * (12.0 * c[4] + t * 20.0 * c[5]))
    if order == 3:
        return 6.0 * c[3] + t * (24.0 * c[4] + t * 60.0 * c[5])
    if order == 4:
        return 24.0 * c[4] + t * 120.0 * c[5]
    return 120.0 * c[5]


@compiled()
def _roots(c: Array, order: int, end: float, inner: Array, count: int, out: Array) -> int:
    """Roots of a derivative in (0, end) into out, given the `count` roots of the next one in `inner`; how many there are."""
    found = 0
    low, at_low = 0.0, value(c, 0.0, order)
    for i in range(count + 1):
        high = inner[i] if i < count else end
        at_high = value(c, high, order)
        if (at_low < 0.0 < at_high) or (at_high < 0.0 < at_low):
            a, b, at_a = low, high, at_low
            x = 0.5 * (a + b)
            for _ in range(80):
                y = value(c, x, order)
                if y == 0.0 or b - a <= 4e-16 * end:
                    break
                if (y < 0.0) == (at_a < 0.0):
                    a, at_a = x, y
                else:
                    b = x
                slope = value(c, x, order + 1)
                step = x - y / slope if slope != 0.0 else a - 1.0
                x = step if a < step < b else 0.5 * (a + b)
            out[found] = x
            found += 1
        elif at_high == 0.0 and i < count:
            out[found] = high
            found += 1
        low, at_low = high, at_high
    return found


@compiled()
def extrema(durations: Array, coefficients: Array, out: Array, times: Array) -> None:
    """Least and greatest position, velocity, acceleration and jerk of each joint in each segment, and when.

    Args:
        out: Takes them, shape (k, n, 4, 2): order of the derivative, then least and greatest.
        times: Takes when, in segment-local time, of the same shape.
    """
    roots, spare = np.empty((6, 6)), np.zeros(6, dtype=np.int64)
    for i in range(durations.shape[0]):
        end = durations[i]
        for n in range(coefficients.shape[1]):
            c = coefficients[i, n]
            spare[5] = 0
            for order in range(4, 0, -1):  # roots of the fourth derivative first, of the first last
                spare[order] = _roots(c, order, end, roots[order + 1], spare[order + 1], roots[order])
            for order in range(4):
                at_start, at_end = value(c, 0.0, order), value(c, end, order)
                low, high, when_low, when_high = at_start, at_start, 0.0, 0.0
                if at_end < low:
                    low, when_low = at_end, end
                if at_end > high:
                    high, when_high = at_end, end
                for r in range(spare[order + 1]):
                    t = roots[order + 1, r]
                    y = value(c, t, order)
                    if y < low:
                        low, when_low = y, t
                    if y > high:
                        high, when_high = y, t
                out[i, n, order, 0], out[i, n, order, 1] = low, high
                times[i, n, order, 0], times[i, n, order, 1] = when_low, when_high


@compiled()
def sample(knots: Array, coefficients: Array, times: Array, out: Array) -> None:
    """Positions, velocities, accelerations and jerks at ascending or any times into out (N, 4, n); held outside the ends."""
    k, n = coefficients.shape[0], coefficients.shape[1]
    i = 0
    for row in range(times.shape[0]):
        t = min(max(times[row], knots[0]), knots[k])
        if t < knots[i]:
            i = 0
        while i < k - 1 and t >= knots[i + 1]:
            i += 1
        local = t - knots[i]
        for j in range(n):
            c = coefficients[i, j]
            for order in range(4):
                out[row, order, j] = value(c, local, order)


@compiled()
def due_times(knots: Array, way: Array, pairs: Numbers, t: float, room: Array, due: Array) -> None:
    """When each of some pairs can have used up its room at the earliest, into due; infinite where it cannot.

    Args:
        way: How far each pair can have moved by each knot at most, shape (P, k + 1).
    """
    k = knots.shape[0] - 1
    i = min(max(np.searchsorted(knots, t, side="right") - 1, 0), k - 1)
    share = (t - knots[i]) / (knots[i + 1] - knots[i])
    for p in range(pairs.shape[0]):
        row = way[pairs[p]]
        gone = row[i] + share * (row[i + 1] - row[i]) + room[p]
        if gone >= row[k]:
            due[pairs[p]] = np.inf
            continue
        m = np.searchsorted(row, gone, side="right") - 1
        due[pairs[p]] = knots[m] + (knots[m + 1] - knots[m]) * (gone - row[m]) / (row[m + 1] - row[m])


@compiled()
def over(values: Array, limits: Array, orders: int, out: Array) -> None:
    """By what factor each segment would have to last longer to keep its limits, into out (k,).

    Args:
        values: Extrema of the segments, shape (k, n, 4, 2).
        limits: Velocity, acceleration and jerk, shape (3, n).
        orders: How many of these count.
    """
    for k in range(values.shape[0]):
        most = 0.0
        for order in range(orders):
            worst = 0.0
            for j in range(values.shape[1]):
                value = values[k, j, order + 1]
                worst = max(worst, max(abs(value[0]), abs(value[1])) / limits[order, j])
            most = max(most, worst if order == 0 else (np.sqrt(worst) if order == 1 else np.cbrt(worst)))
        out[k] = most
