"""How steadily a browser says that something is held: late signs are counted, and a jog that was cut is not begun again."""

import time
from collections import deque

__all__ = ["HeldPace"]

_LATE = 0.12  # s between signs: the robot has begun to stop (jogs last 0.1 s, programs 0.15 s, and the way here varies)
_CUT = 0.3  # s: it stands, or nearly; that it moves again must be somebody's wish
_OFTEN, _WITHIN = 3, 5.0  # times, and in how many seconds, after which the link is said to be too slow
_QUIET = 20.0  # s after that in which it is not said again


class HeldPace:
    """Of one link. Not for many threads.

    Attributes:
        cut: A jog was interrupted: what still comes of that press moves nothing, until it is let go.
    """

    def __init__(self) -> None:
        self.cut = False
        self._last: float | None = None  # when the last sign came
        self._late: deque[float] = deque(maxlen=_OFTEN)
        self._said = float("-inf")

    def held(self, now: float | None = None, *, jogs: bool) -> bool:
        """A sign has come that something is held; whether the link has been late so often that it should be said.

        Args:
            now: [s, monotonic].
            jogs: It is a jog, which must not begin again by itself.
        """
        now = time.monotonic() if now is None else now
        gap, self._last = (now - self._last if self._last is not None else 0.0), now
        if gap > _LATE:
            self._late.append(now)
        if jogs and gap > _CUT:
            self.cut = True
        often = len(self._late) == _OFTEN and now - self._late[0] <= _WITHIN
        if not often or now - self._said < _QUIET:
            return False
        self._said = now
        return True

    def done(self, now: float | None = None) -> None:
        """What the sign asked for is done: how long that took is not the browser's affair."""
        if self._last is not None:
            self._last = time.monotonic() if now is None else now

    def let_go(self) -> None:
        """Nothing is held any more: what comes next is a new press."""
        self._last, self.cut = None, False
