"""What went wrong in the last minute without stopping anything: records that were lost, ticks that came late."""

import time
from collections import deque

__all__ = ["RecentTroubles"]

_WINDOW = 60.0  # s
_LATE = 0.010  # s: a tick that comes so late is worth a word


class RecentTroubles:
    """Looked at again and again.

    Lateness is seen in the ticks that are looked at, and in every one that is later than all before it.
    """

    def __init__(self) -> None:
        self._lost: deque[tuple[float, int]] = deque()  # when, and how many there were in all
        self._latest, self._late_at, self._now = float("inf"), float("-inf"), 0.0

    def look(self, *, lost: int, late: float, latest: float, now: float | None = None) -> None:
        """Args:
        lost: Records that the recorder has not got so far.
        late, latest: Of the newest tick, and the most of any so far [s].
        now: [s, monotonic].
        """
        now = time.monotonic() if now is None else now
        if late > _LATE or latest > max(self._latest, _LATE):
            self._late_at = now
        self._latest, self._now = latest, now
        if not self._lost or lost != self._lost[-1][1]:
            self._lost.append((now, lost))
        while len(self._lost) > 1 and now - self._lost[1][0] > _WINDOW:
            self._lost.popleft()

    @property
    def lost(self) -> int:
        """How many records were lost in the last minute."""
        return max(self._lost[-1][1] - self._lost[0][1], 0) if self._lost else 0

    @property
    def late(self) -> bool:
        """Whether a tick was late in the last minute."""
        return self._now - self._late_at <= _WINDOW
