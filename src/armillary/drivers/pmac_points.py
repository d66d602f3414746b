"""The points that are sent to a PMAC, from set-points that come one by one.

SPLINE1's points are control points: the curve passes (X[n-1] + 4 X[n] + X[n+1]) / 6. Which points make it pass the set-points is
a tridiagonal system. Its inverse fades by 0.268 a segment, so a point is known to seven digits as soon as the twelve set-points
behind it are. The curve begins and ends at rest and without acceleration: there it has one waypoint more than points to choose,
and what is left is spread over its neighbours by least squares. Segments of rest at each end (`lead`) give it room.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["REACH", "PointStream"]

Array = NDArray[np.float64]
REACH = 12  # set-points behind a point that it waits for: 0.268 to this power is 1e-7 of what the curve bends in a segment
_TOGETHER = 6  # points that the begin's compromise is spread over


class PointStream:
    """Control points of one motion, in order.

    Set-point k, counted from 1, is passed k + lead segments after the curve's begin.
    """

    def __init__(self, start: ArrayLike, *, lead: int = 1, reach: int = REACH) -> None:
        """Args:
        start: Where the motor side stands, shape (n,).
        lead: Segments of rest at each end.
        reach: Set-points that are looked ahead.
        """
        first = np.array(start, dtype=float)
        self._reach, self._lead = reach, lead
        self._before, self._last = first, first  # the two points before the next
        self._begins = True
        self._wanted: list[Array] = [first] * lead  # waypoints that are still to be passed

    def push(self, sample: ArrayLike) -> list[Array]:
        """Take the next set-point, shape (n,), and give the points that are known now."""
        self._wanted.append(np.array(sample, dtype=float))
        known = len(self._wanted) - self._reach - self._begins
        return self._give(known, ends=False) if known >= (_TOGETHER if self._begins else 1) else []

    def finish(self) -> list[Array]:
        """The points that are still to come, where the motion ends at its last set-point; none where there was no motion."""
        if self._begins and len(self._wanted) <= self._lead:
            return []
        end = self._wanted[-1]
        self._wanted += [end] * max(self._lead, 2 + self._begins - len(self._wanted))
        return self._give(len(self._wanted), ends=True)

    def _give(self, count: int, *, ends: bool) -> list[Array]:
        """The next points. At the end the last is the end itself, and the last waypoint is passed without being asked for."""
        wanted, begins = self._wanted, self._begins
        rows = len(wanted) - ends
        right = 6.0 * np.stack(wanted[:rows])
        right[0] -= self._before + 4.0 * self._last if begins else self._last
        if begins:
            right[1] -= self._last
        if ends:
            right[-1] -= 5.0 * wanted[-1]
            right[-2] -= wanted[-1]
        points = [*(_inverse(rows, begins, ends) @ right)] + ([wanted[-1]] if ends else [])
        points = points[:count]
        for point in points:
            self._before, self._last = self._last, point
        del wanted[: len(points) + begins]
        self._begins = False
        return points


@lru_cache(maxsize=256)
def _inverse(rows: int, begins: bool, ends: bool) -> Array:
    """From what waypoints want to the points, by least squares where there are more waypoints: shape (points, rows).

    Row i is about the points i - 1, i and i + 1; where nothing before has begun, row 0 is the start's, whose points are held.
    Behind the last row's point the curve is taken to stand: at the end it does, and otherwise it is too far away to matter.
    """
    size = rows - begins  # points in it, the one at the end included
    matrix = np.zeros((rows, size))
    for row in range(rows):
        middle = row - begins
        for column, weight in ((middle - 1, 1.0), (middle, 4.0), (middle + 1, 1.0)):
            if column >= 0:
                matrix[row, min(column, size - 1)] += weight
    inverse: Array = np.asarray(np.linalg.pinv(matrix[:, : size - 1] if ends else matrix), dtype=np.float64)
    return inverse
