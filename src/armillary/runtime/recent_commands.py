"""Where the joints were commanded to be a moment ago: what a simulated robot is held against that a busy computer left behind."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["RecentCommands"]

Array = NDArray[np.float64]
_PAUSE = 1.5  # periods between two commands: more is a pause


class RecentCommands:
    """The commands of the last moment, in a ring: nothing is made in a tick.

    A motor side that hears nothing carries on as it was told last, so where that leads to counts too.
    """

    def __init__(self, n: int, seconds: float, period: float) -> None:
        """Args:
        n: Joints.
        seconds: How far back. period: Between commands [s].
        """
        rows = 2 * int(np.ceil(seconds / period)) + 2  # a command and where a pause before it led to
        self._seconds, self._pause = seconds, _PAUSE * period
        self._q, self._times, self._next = np.zeros((rows, n)), np.full(rows, -np.inf), 0
        self._v, self._last = np.zeros(n), -np.inf  # of the last command

    def note(self, q: Array, v: Array, time: float) -> None:
        """The command of now [s]."""
        gap = time - self._last
        if self._pause < gap <= self._seconds:
            self._keep(self._q[self._next - 1] + gap * self._v, time)
        self._keep(q, time)
        self._v[:], self._last = v, time

    def _keep(self, q: Array, time: float) -> None:
        self._q[self._next], self._times[self._next] = q, time
        self._next = (self._next + 1) % len(self._times)

    def apart(self, q: Array, time: float) -> Array:
        """How far each joint is from anywhere that it was commanded to be of late, shape (n,); infinity where nothing was."""
        recent = self._q[self._times >= time - self._seconds]
        if not len(recent):
            return np.full(q.shape, np.inf)
        carried = self._q[self._next - 1] + min(time - self._last, self._seconds) * self._v
        low, high = np.minimum(recent.min(axis=0), carried), np.maximum(recent.max(axis=0), carried)
        return np.asarray(np.maximum(np.maximum(low - q, q - high), 0.0))
