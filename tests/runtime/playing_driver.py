"""A motor side that plays a buffer of set-points by its own clock, with a hold and a time base of its own: for the tests."""

from collections import deque
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from armillary.drivers import Capabilities, Command, Feedback

__all__ = ["PlayingDriver"]

Array = NDArray[np.float64]


class PlayingDriver:
    """Set-points at a fixed interval, joined by straight lines. Its clock ramps up and down in `ramp` seconds."""

    def __init__(
        self, start: Array, clock: Callable[[], float], *, depth: int = 40, interval: float = 0.01, ramp: float = 0.1,
        own_hold: bool = True,
    ) -> None:  # fmt: skip
        self.capabilities = Capabilities(
            depth=depth, interval=interval, own_hold=own_hold, own_time_base=own_hold, feedback_rate=1000.0, velocity=False
        )
        self._clock, self._ramp = clock, ramp
        self._from = self._to = np.array(start, dtype=float)
        self._q, self._v = self._from.copy(), np.zeros(len(start))
        self._buffer: deque[tuple[int, Array]] = deque()
        self._share, self._rate, self._held, self._base = 1.0, 1.0, False, 1.0  # of the present interval; of its clock
        self._number, self._enabled, self._then = 0, False, clock()

    @property
    def room(self) -> int:
        self._play()
        return self.capabilities.depth - len(self._buffer)

    def open(self) -> None: ...

    def enable(self) -> None:
        self._buffer.clear()
        self._enabled, self._held, self._rate, self._number = True, False, 1.0, 0

    def write(self, command: Command) -> None:
        assert len(self._buffer) < self.capabilities.depth, "it was filled beyond its room"
        self._buffer.append((command.number, command.q.copy()))

    def read(self, feedback: Feedback) -> bool:
        self._play()
        feedback.q[:], feedback.v[:] = self._q, self._v
        feedback.number, feedback.time, feedback.enabled, feedback.left = (
            self._number, self._clock(), self._enabled, len(self._buffer) + (self._share < 1.0)
        )  # fmt: skip
        return True

    def stop(self) -> None:
        self._buffer.clear()

    def disable(self) -> None:
        self.stop()
        self._enabled = False

    def close(self) -> None:
        self._enabled = False

    def hold(self) -> None:
        self._held = True

    def resume(self) -> None:
        self._held = False

    def time_base(self, rate: float) -> None:
        self._base = rate

    def clear(self) -> None:
        self._buffer.clear()
        self._from = self._to = self._q.copy()
        self._share, self._number = 1.0, 0

    def _play(self) -> None:
        now = self._clock()
        passed, self._then = now - self._then, now
        before = self._q.copy()
        goal = 0.0 if self._held else self._base
        change = passed / self._ramp
        self._rate += float(np.clip(goal - self._rate, -change, change))
        self._share += passed * self._rate / self.capabilities.interval
        while self._share >= 1.0 and self._buffer and self._enabled:
            self._from = self._to
            self._number, self._to = self._buffer.popleft()
            self._share -= 1.0
        self._share = min(self._share, 1.0)
        self._q = self._from + self._share * (self._to - self._from)
        self._v = (self._q - before) / passed if passed > 0.0 else self._v
