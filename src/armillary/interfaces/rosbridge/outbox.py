"""What waits to be sent to one client: answers whole and in order, and of each topic only the newest few."""

import asyncio
from collections import deque
from dataclasses import dataclass

__all__ = ["Frame", "Outbox", "size_of"]

Frame = str | bytes
_MOST = 5000  # answers that may wait: who asks and never listens is let go
_LARGEST = 32_000_000  # bytes of answers, and of messages of topics; a single one may be larger
_TRACES = 1000  # messages whose place was taken that may be left in the queue, or half of it


@dataclass
class _Waiting:
    """A message; without frames where a newer one has taken its place."""

    frames: tuple[Frame, ...]
    key: str
    size: int


class Outbox:
    """Not for several threads.

    Attributes:
        dropped: Messages that newer ones have taken the place of.
        waiting: Bytes of messages of topics that wait, here and (`Subscription`) for their time.
        overflowed: Whether more waits than is borne: the client takes nothing any more, and whoever sends lets it go.
        why: What is too much.
    """

    def __init__(self) -> None:
        self._queue: deque[_Waiting] = deque()
        self._of: dict[str, deque[_Waiting]] = {}
        self._answers, self._answered, self._traces, self._came = 0, 0, 0, asyncio.Event()
        self.dropped, self.waiting = 0, 0
        self.overflowed, self.why = asyncio.Event(), ""

    def __len__(self) -> int:
        return len(self._queue)

    def put(self, *frames: Frame) -> None:
        """An answer, of one frame or several. Too many are the client's own end, and never a matter of who answers."""
        size = size_of(frames)
        if self._answers >= _MOST:
            self._overflow(f"{_MOST} answers wait for this client, which takes none")
        elif self._answers and self._answered + size > _LARGEST:
            self._overflow(f"more than {_LARGEST / 1e6:.0f} MB of answers wait for this client, which takes none")
        if self.overflowed.is_set():
            return
        self._answers += 1
        self._answered += size
        self._queue.append(_Waiting(frames, "", size))
        self._came.set()

    def offer(self, key: str, frames: tuple[Frame, ...], keep: int) -> None:
        """A message of a subscription, of which no more than so many wait; the oldest gives way."""
        if self.overflowed.is_set():
            return
        size, waiting = size_of(frames), self._of.setdefault(key, deque())
        while waiting and (len(waiting) >= max(keep, 1) or not self.has_room(size)):
            self._drop(waiting)
            self.dropped += 1
        if not self.has_room(size):
            self.dropped += 1  # others fill it
            return
        made = _Waiting(frames, key, size)
        waiting.append(made)
        self._queue.append(made)
        self.waiting += size
        self._came.set()

    def has_room(self, size: int) -> bool:
        """Whether a message of so many bytes may wait; any may where nothing else does."""
        return not self.waiting or self.waiting + size <= _LARGEST

    def forget(self, key: str) -> None:
        """What waits of a subscription that has ended."""
        waiting = self._of.pop(key, deque())
        while waiting:
            self._drop(waiting)

    async def next(self) -> tuple[Frame, ...]:
        """The frames of the next message, as soon as there is one."""
        while True:
            while self._queue:
                found = self._queue.popleft()
                if not found.key:
                    self._answers -= 1
                    self._answered -= found.size
                elif found.frames:
                    self._of[found.key].popleft()
                    self.waiting -= found.size
                else:
                    self._traces -= 1
                if found.frames:
                    return found.frames
            self._came.clear()
            await self._came.wait()

    def _drop(self, waiting: deque[_Waiting]) -> None:
        """The oldest of a subscription; its place in the queue stays for a while."""
        gone = waiting.popleft()
        gone.frames = ()
        self.waiting -= gone.size
        self._traces += 1
        if self._traces > max(_TRACES, len(self._queue) // 2):
            self._queue = deque(each for each in self._queue if each.frames)
            self._traces = 0

    def _overflow(self, why: str) -> None:
        if not self.overflowed.is_set():
            self.why = why
            self.overflowed.set()
            self._queue.clear()  # nothing of it is sent any more
            self._of.clear()
            self._answers = self._answered = self._traces = 0


def size_of(frames: tuple[Frame, ...]) -> int:
    """Bytes of a message: its text is ASCII."""
    return sum(len(frame) for frame in frames)
