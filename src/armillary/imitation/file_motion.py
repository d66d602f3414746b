"""A file's motion, played in real time."""

import threading
import time
from collections.abc import Callable

from armillary.imitation.capture import Capture
from armillary.imitation.errors import ImitationError
from armillary.imitation.motion_frame import MotionFrame
from armillary.imitation.motion_source import MotionStatistics
from armillary.imitation.skeleton import Skeleton

__all__ = ["FileMotion"]


class FileMotion:
    """A capture as if its person moved now: a motion source. It begins when the first frame is asked for.

    Attributes:
        ended: Whether the last frame was given, or passed over.
    """

    def __init__(
        self,
        capture: Capture,
        *,
        speed: float = 1.0,
        repeat: bool = False,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[float], object] | None = None,
    ) -> None:
        """Args:
        speed: How fast it is played; 1 is as recorded.
        repeat: Begin anew behind the last frame.
        clock: The time [s]. wait: Waits for so long [s]. Both for who has a time of its own.

        Raises:
            ImitationError: There is no frame, or no such speed.
        """
        if not len(capture):
            raise ImitationError(f"{capture.source or 'the capture'} has no frame that could be played")
        if not 0.01 <= speed <= 100.0:
            raise ImitationError(f"a speed of {speed:g}; give 0.01 to 100, where 1 is as recorded")
        self.ended = False
        self._capture, self._repeat, self._clock = capture, repeat, clock
        self._period = capture.period / speed
        self._closed = threading.Event()
        self._wait = wait or self._closed.wait
        self._begin: float | None = None
        self._given = -1  # the last frame that was given
        self._frames = self._skipped = 0

    @property
    def name(self) -> str:
        return self._capture.source or "a capture"

    @property
    def skeleton(self) -> Skeleton:
        return self._capture.skeleton

    @property
    def period(self) -> float:
        return self._period

    @property
    def statistics(self) -> MotionStatistics:
        open_ = not self._closed.is_set() and not self.ended
        return MotionStatistics(self._frames, skipped=self._skipped, connected=open_, rate=1.0 / self._period if open_ else 0.0)

    def next(self, timeout: float) -> MotionFrame | None:
        """The frame whose time has come, and waits for it; those that nobody asked for in time are passed over."""
        now = self._clock()
        end = now + timeout
        if self._begin is None:
            self._begin = now
        while not self._closed.is_set():
            due = int((self._clock() - self._begin) / self._period + 1e-9)
            if not self._repeat and due >= len(self._capture):
                due = len(self._capture) - 1
            if due > self._given:
                self._skipped += due - self._given - 1
                self._frames += 1
                self._given = due
                self.ended = not self._repeat and due == len(self._capture) - 1
                return MotionFrame(due, self._begin + due * self._period, self._capture.values[due % len(self._capture)])
            now = self._clock()
            if now >= end:
                return None
            coming = end if self.ended else self._begin + (self._given + 1) * self._period
            self._wait(max(min(coming, end) - now, 1e-5))
        return None

    def close(self) -> None:
        self._closed.set()
