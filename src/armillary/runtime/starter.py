"""Who started a process: when he is gone, what must end at rest is given time for it."""

import os
import time
from collections.abc import Callable

__all__ = ["Starter"]

_MOST = 10.0  # s that a process stays after who started it, however much it is needed


class Starter:
    """The process that started this one; to be made while it lives."""

    def __init__(self) -> None:
        self._pid, self._missed_since = os.getppid(), 0.0

    @property
    def gone(self) -> bool:
        return os.getppid() != self._pid

    def lets_go_on(self, needed: Callable[[], bool]) -> bool:
        """Whether to go on: while he lives, and after him while it is needed, for some seconds.

        Args:
            needed: Whether something still moves by what this process does, or is still said to it. Asked only without him.
        """
        if not self.gone:
            return True
        self._missed_since = self._missed_since or time.monotonic()
        return needed() and time.monotonic() - self._missed_since < _MOST
