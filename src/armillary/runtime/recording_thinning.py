"""Which ticks are recorded: all around a motion; few while the robot stands, and those in which something is switched."""

from collections import deque

import numpy as np

__all__ = ["Thinning"]

_AROUND = 1.0  # s before and after a motion that every tick is kept of
_SLOW = 0.05  # s between ticks that are kept while the robot stands


class Thinning:
    """Keeps the last second, until it is known whether a motion follows."""

    def __init__(self) -> None:
        self._ring: deque[tuple[float, bytes]] = deque()
        self._until = self._next = self._last = -np.inf

    def take(self, time: float, moves: bool, record: bytes, *, switched: bool = False) -> list[bytes]:
        """Of a tick and those before it, what is to be written now.

        Args:
            switched: An input or output has changed in it.
        """
        if time < self._last:  # another executor: its clock begins anew
            self._ring.clear()
            self._until = self._next = -np.inf
        self._last = time
        while self._ring and self._ring[0][0] < time - _AROUND:
            self._ring.popleft()
        if moves:
            self._until = time + _AROUND
        if time <= self._until:
            found = [old for _, old in self._ring]
            self._ring.clear()
            return [*found, record]
        if time >= self._next:
            self._next = time + _SLOW - 1e-6  # a tick of the grid is not missed by rounding
            return [record]
        if switched:
            return [record]
        self._ring.append((time, record))
        return []
