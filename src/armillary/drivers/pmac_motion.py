"""One motion on its way into a PMAC's rotary buffer: which points are to be sent, and which set-point is being played."""

from collections import deque

import numpy as np
from numpy.typing import NDArray

from armillary.drivers.pmac_points import PointStream

__all__ = ["PmacMotion"]

Array = NDArray[np.float64]
_SAME = 1e-7  # axis units
_AHEAD = 1  # a segment is calculated while the one before it is played, and leads to the waypoint of the point before the last


class PmacMotion:
    """Set-points in, points out.

    Attributes:
        taken: The number of the last set-point.
        sent: Points that were sent.
        points: Those that are still to be sent, shape (n,) each [axis units].
        ended: What was taken comes to rest, and all its points are there.
    """

    def __init__(self, lead: int) -> None:
        self._lead = lead
        self.taken = self.sent = self._made = 0
        self.points: deque[Array] = deque()
        self.ended = True
        self._stream: PointStream | None = None
        self._last: Array | None = None
        self._due: deque[tuple[int, int, Array]] = deque()  # set-points and how many points are calculated when each is played
        self._begin, self._in_stream, self._played = 0, 0, 0

    @property
    def made(self) -> int:
        """Points in all, sent or not."""
        return self._made

    def take(self, number: int, axes: Array, start: Array, *, rests: bool) -> None:
        """Take a set-point.

        Args:
            axes: Where the axes are to be, shape (n,) [units].
            start: Where they are commanded to be, for the first.
            rests: The motion is at rest there.
        """
        self.taken = number
        if self._stream is None:
            if rests and self._last is not None and np.abs(axes - self._last).max() < _SAME:
                self._due.append((number, self._made + self._lead + _AHEAD, axes))  # it stands there already
                return
            self._begin_stream(start)
        assert self._stream is not None
        self.ended = False
        self._in_stream += 1
        self._due.append((number, self._begin + self._in_stream + self._lead + _AHEAD, axes))
        self._put(self._stream.push(axes))
        if rests:
            self.rest()

    def rest(self) -> None:
        """The last set-point is the end, for now."""
        if self._stream is not None:
            self._put(self._stream.finish())
            self._stream, self.ended = None, True

    def played(self, calculated: int, goals: Array) -> int:
        """The number of the set-point that is being played when so many points have been calculated.

        Args:
            goals: Where the axes are commanded to be now: behind the last point nothing is counted any more.
        """
        while self._due and self._due[0][1] <= calculated:
            self._played = self._due.popleft()[0]
        if self.ended and calculated >= self._made and self._due:
            near = int(np.argmin([np.abs(axes - goals).max() for _, _, axes in self._due]))
            for _ in range(near):
                self._played = self._due.popleft()[0]
        return self._played

    def _begin_stream(self, start: Array) -> None:
        first = self._last
        if first is None:
            first = start
        else:
            self._put([first])  # behind a rest the curve stands: two equal points
        self._begin, self._in_stream = self._made, 0
        self._stream = PointStream(first, lead=self._lead)

    def _put(self, points: list[Array]) -> None:
        self.points.extend(points)
        self._made += len(points)
        if points:
            self._last = points[-1]
