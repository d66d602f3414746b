"""Motion that somebody else brings: Python, the pendant, a ROS topic, anything that has rotations of joints."""

import threading
import time as clock

import numpy as np
from numpy.typing import ArrayLike

from armillary.imitation.arrivals import Arrivals
from armillary.imitation.errors import ImitationError
from armillary.imitation.motion_frame import MotionFrame
from armillary.imitation.motion_source import MotionStatistics
from armillary.imitation.skeleton import Skeleton

__all__ = ["GivenMotion"]

_MOST = 1e6  # degrees, and units of length: no person's motion has such a number


class GivenMotion:
    """A motion source that is fed by `put`, from any thread."""

    def __init__(self, skeleton: Skeleton, period: float, name: str = "given motion") -> None:
        """Args:
        period: Between two frames, about [s].

        Raises:
            ImitationError: There is no such period.
        """
        if not 1e-4 <= period <= 10.0:
            raise ImitationError(f"a frame every {period:g} s; give 0.0001 to 10 s")
        self._skeleton, self._period, self._name = skeleton, period, name
        self._came = threading.Condition()
        self._newest: MotionFrame | None = None
        self._closed = False
        self._frames = self._skipped = self._damaged = 0
        self._error = ""
        self._arrivals = Arrivals()

    @property
    def name(self) -> str:
        return self._name

    @property
    def skeleton(self) -> Skeleton:
        return self._skeleton

    @property
    def period(self) -> float:
        return self._period

    @property
    def statistics(self) -> MotionStatistics:
        with self._came:
            return MotionStatistics(
                self._frames, skipped=self._skipped, damaged=self._damaged, connected=not self._closed,
                rate=self._arrivals.rate, jitter=self._arrivals.jitter, error=self._error,
            )  # fmt: skip

    def put(self, values: ArrayLike, time: float | None = None) -> None:
        """A new frame.

        Args:
            values: Shape (channels,) of the skeleton: positions in its unit, rotations in degrees.
            time: When it came in, by time.monotonic() [s]; now by default.

        Raises:
            ImitationError: There are more or fewer values than channels, or one is no number; nothing else has changed.
        """
        row = _row(values)
        count = self._skeleton.channel_count
        wrong = ""
        if row is None or row.shape != (count,):
            shown = "no row of numbers" if row is None else f"{' x '.join(map(str, row.shape)) or 'one'} values"
            wrong = f"{self._name}: {shown} in a frame; the skeleton has {count} channels"
        elif not np.all(np.abs(row) <= _MOST):
            at = int(np.flatnonzero(~(np.abs(row) <= _MOST))[0])
            bone = self._skeleton.names[int(self._skeleton.channel_table[at, 0])]
            wrong = f"{self._name}: value {at} of a frame, of {bone}, is {row[at]:g}, which is nothing that a person does"
        with self._came:
            if wrong or row is None:
                self._damaged += 1
                self._error = wrong
                raise ImitationError(wrong)
            if self._newest is not None:
                self._skipped += 1
            self._newest = MotionFrame(self._frames, clock.monotonic() if time is None else time, row)
            self._arrivals.take(self._frames, self._newest.time)
            self._frames += 1
            self._came.notify_all()

    def next(self, timeout: float) -> MotionFrame | None:
        with self._came:
            self._came.wait_for(lambda: self._newest is not None or self._closed, timeout)
            frame, self._newest = self._newest, None
            return None if self._closed else frame

    def close(self) -> None:
        with self._came:
            self._closed = True
            self._came.notify_all()


def _row(values: ArrayLike) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]] | None":
    try:
        return np.array(values, dtype=float)
    except (TypeError, ValueError):
        return None
