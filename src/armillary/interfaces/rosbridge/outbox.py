"""What waits to be sent to one client: answers whole and in order, and of each topic only the newest few."""

import asyncio
from collections import deque
from dataclasses import dataclass

from armillary.errors import ArmillaryError

__all__ = ["Frame", "Outbox", "Overflow"]

Frame = str | bytes
_MOST = 5000  # answers that may wait: who asks and never listens is let go


class Overflow(ArmillaryError):
    """A client that takes nothing any more."""


@dataclass
class _Waiting:
    """A message; without frames where a newer one has taken its place."""

    frames: tuple[Frame, ...]
    key: str


class Outbox:
    """Not for several threads.

    Attributes:
        dropped: Messages that newer ones have taken the place of.
    """

    def __init__(self) -> None:
        self._queue: deque[_Waiting] = deque()
        self._of: dict[str, deque[_Waiting]] = {}
        self._answers, self._came = 0, asyncio.Event()
        self.dropped = 0

    def put(self, *frames: Frame) -> None:
        """An answer, of one frame or several.

        Raises:
            Overflow: Too many wait.
        """
        if self._answers >= _MOST:
            raise Overflow(f"{_MOST} answers wait for this client, which takes none")
        self._answers += 1
        self._queue.append(_Waiting(frames, ""))
        self._came.set()

    def offer(self, key: str, frames: tuple[Frame, ...], keep: int) -> None:
        """A message of a subscription, of which no more than so many wait; the oldest gives way."""
        waiting = self._of.setdefault(key, deque())
        while len(waiting) >= max(keep, 1):
            waiting.popleft().frames = ()
            self.dropped += 1
        made = _Waiting(frames, key)
        waiting.append(made)
        self._queue.append(made)
        self._came.set()

    def forget(self, key: str) -> None:
        """What waits of a subscription that has ended."""
        for waiting in self._of.pop(key, ()):
            waiting.frames = ()

    async def next(self) -> tuple[Frame, ...]:
        """The frames of the next message, as soon as there is one."""
        while True:
            while self._queue:
                found = self._queue.popleft()
                if not found.key:
                    self._answers -= 1
                elif found.frames:
                    self._of[found.key].popleft()
                if found.frames:
                    return found.frames
            self._came.clear()
            await self._came.wait()
