"""Frames by the number that their sender gave them: which is new, which came before, which are missing."""

from collections import deque
from enum import Enum

__all__ = ["Came", "FrameOrder"]

_NUMBERS = 2**32  # they begin anew behind the greatest
_REORDERED = 64  # a frame that is further behind is none that was held up: its sender has begun anew
_AHEAD = 7200  # frames: a leap that is greater is no loss, but another counting (a minute at 120 Hz)
_ANEW = 8  # frames behind the newest, each behind the one before: their sender has begun anew


class Came(Enum):
    NEW = "new"
    DOUBLED = "doubled"
    LATE = "late"
    ANEW = "anew"  # its sender began to count anew


class FrameOrder:
    """Of one sender's frames.

    Attributes:
        lost: That never came. doubled: That came again. late: That came behind a newer one.
    """

    def __init__(self) -> None:
        self.lost = self.doubled = self.late = 0
        self._last: int | None = None
        self._seen: deque[int] = deque(maxlen=2 * _REORDERED)
        self._behind: list[int] = []

    def restart(self) -> None:
        """Whatever comes next is new."""
        self._last = None
        self._seen.clear()
        self._behind.clear()

    def take(self, number: int) -> Came:
        """A frame's number, 0 to 2^32 - 1; only what is new, or anew, is to be used."""
        if self._last is None:
            return self._newest(number, Came.NEW)
        ahead = (number - self._last) % _NUMBERS
        if ahead == 0 or number in self._seen:
            self.doubled += 1
            if ahead == 0:
                return Came.DOUBLED
            return self._late_or_anew(number, Came.DOUBLED)
        if ahead <= _AHEAD:
            self.lost += ahead - 1
            self._behind.clear()
            return self._newest(number, Came.NEW)
        if _NUMBERS - ahead > _REORDERED:
            self.restart()
            return self._newest(number, Came.ANEW)
        self.late += 1
        self.lost = max(self.lost - 1, 0)  # it was counted so when a newer one came
        self._seen.append(number)
        return self._late_or_anew(number, Came.LATE)

    def _late_or_anew(self, number: int, came: Came) -> Came:
        if self._behind and (number - self._behind[-1]) % _NUMBERS != 1:
            self._behind.clear()
        self._behind.append(number)
        if len(self._behind) < _ANEW:
            return came
        self.restart()
        return self._newest(number, Came.ANEW)

    def _newest(self, number: int, came: Came) -> Came:
        self._last = number
        self._seen.append(number)
        return came
