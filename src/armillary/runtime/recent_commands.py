"""Where the joints were commanded to be a moment ago: what a simulated robot is held against that a busy computer left behind."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["RecentCommands"]

Array = NDArray[np.float64]


class RecentCommands:
    """The commands of the last moment, in a ring: nothing is made in a tick."""

    def __init__(self, n: int, seconds: float, period: float) -> None:
        """Args:
        n: Joints.
        seconds: How far back. period: Between commands [s].
        """
        rows = int(np.ceil(seconds / period)) + 1
        self._seconds = seconds
        self._q, self._times, self._next = np.zeros((rows, n)), np.full(rows, -np.inf), 0

    def note(self, q: Array, time: float) -> None:
        """The command of now [s]."""
        self._q[self._next], self._times[self._next] = q, time
        self._next = (self._next + 1) % len(self._times)

    def apart(self, q: Array, time: float) -> Array:
        """How far each joint is from anywhere that it was commanded to be of late, shape (n,); infinity where nothing was."""
        recent = self._q[self._times >= time - self._seconds]
        if not len(recent):
            return np.full(q.shape, np.inf)
        return np.asarray(np.maximum(np.maximum(recent.min(axis=0) - q, q - recent.max(axis=0)), 0.0))
