"""One subscription of a client: how often it is told, how much may wait, and how it is packed."""

import asyncio
import zlib
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from armillary.interfaces.ros.graph import Topic
from armillary.interfaces.rosbridge.outbox import Frame, Outbox, size_of
from armillary.protocols.ros1_types import ros1_type
from armillary.protocols.ros_json import to_json, with_arrays
from armillary.protocols.rosbridge import as_cbor, as_json, as_png, in_fragments

__all__ = ["Asked", "Packer", "Subscription"]

_KEPT = 10  # messages that wait for a slow client where it does not say how many
_MOST_KEPT = 1000


@dataclass(frozen=True)
class Asked:
    """What a client wants of a topic.

    Attributes:
        throttle: Between two messages at least [s]. queue: Messages that wait meanwhile, the newest; 0 for none.
        fragment: Characters of a frame at most; 0 for any. compression: "none", "png" or "cbor".
    """

    throttle: float = 0.0
    queue: int = 0
    fragment: int = 0
    compression: str = "none"


class Packer:
    """Packs a message once for all who want it packed alike."""

    def __init__(self) -> None:
        self._of: tuple[int, Mapping[str, Any]] | None = None
        self._packed: dict[tuple[int, str], tuple[Frame, ...]] = {}

    def frames(self, topic: Topic, message: Mapping[str, Any], asked: Asked) -> tuple[Frame, ...]:
        if self._of is None or self._of[1] is not message:
            self._of, self._packed = (id(message), message), {}
        key = asked.fragment, asked.compression
        if key not in self._packed:
            self._packed[key] = _packed(topic, message, asked)
        return self._packed[key]


def _packed(topic: Topic, message: Mapping[str, Any], asked: Asked) -> tuple[Frame, ...]:
    head = {"op": "publish", "topic": topic.name}
    if asked.compression == "cbor":
        return (as_cbor({**head, "msg": with_arrays(ros1_type(topic.kind), message)}),)
    text = as_json({**head, "msg": to_json(ros1_type(topic.kind), message)})
    if asked.compression == "png":
        text = as_json({"op": "png", "data": as_png(text)})
    if not asked.fragment:
        return (text,)
    return tuple(in_fragments(text, asked.fragment, f"{topic.name}:{zlib.crc32(text.encode()):08x}"))


class Subscription:
    """Passes on the messages of a topic to a client, as often as it asks for."""

    def __init__(self, key: str, asked: Asked, outbox: Outbox, packer: Packer, clock: Callable[[], float]) -> None:
        self.key, self.asked = key, asked
        self._outbox, self._packer, self._clock = outbox, packer, clock
        self._last = float("-inf")
        self._keep = min(asked.queue, _MOST_KEPT)
        self._waits: deque[tuple[Frame, ...]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    def deliver(self, topic: Topic, message: Mapping[str, Any], _: str = "") -> None:
        """A message of the topic, from whoever."""
        now = self._clock()
        if self.asked.throttle and (self._waits or now - self._last < self.asked.throttle):
            if self._keep:
                self._wait(self._packer.frames(topic, message, self.asked))
                self._later(now)
            return
        self._pass_on(self._packer.frames(topic, message, self.asked), now)

    def end(self) -> None:
        while self._waits:
            self._taken()
        if self._timer is not None:
            self._timer.cancel()
        self._outbox.forget(self.key)

    def _wait(self, frames: tuple[Frame, ...]) -> None:
        """Packed: so it is known how much waits, of which a client has no more than its outbox bears."""
        size = size_of(frames)
        while self._waits and (len(self._waits) >= self._keep or not self._outbox.has_room(size)):
            self._taken()
        if self._outbox.has_room(size):
            self._waits.append(frames)
            self._outbox.waiting += size

    def _taken(self) -> tuple[Frame, ...]:
        frames = self._waits.popleft()
        self._outbox.waiting -= size_of(frames)
        return frames

    def _pass_on(self, frames: tuple[Frame, ...], now: float) -> None:
        self._last = now
        self._outbox.offer(self.key, frames, self._keep or _KEPT)

    def _later(self, now: float) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(max(self._last + self.asked.throttle - now, 0.0), self._due)

    def _due(self) -> None:
        self._timer = None
        if self._waits:
            self._pass_on(self._taken(), self._clock())
        if self._waits:
            self._later(self._clock())
