"""How a client is told: as often as it asks for, of the newest, packed once for all."""

import asyncio
import json
from typing import Any

import numpy as np

from armillary.interfaces.ros.graph import Topic
from armillary.interfaces.rosbridge.outbox import Outbox
from armillary.interfaces.rosbridge.subscription import Asked, Packer, Subscription
from armillary.protocols.rosbridge import Fragments, as_cbor

TOPIC = Topic("/chatter", "std_msgs/String")
STATES = Topic("/joint_states", "sensor_msgs/JointState")


class Client:
    """An outbox, a subscription of it, and a clock of the test's."""

    def __init__(self, **asked: Any) -> None:
        self.now, self.outbox = 0.0, Outbox()
        self.subscription = Subscription("1", Asked(**asked), self.outbox, Packer(), lambda: self.now)

    def tell(self, *texts: str) -> None:
        for text in texts:
            self.subscription.deliver(TOPIC, {"data": text})

    async def heard(self) -> list[str]:
        """What was sent by now."""
        found: list[str] = []
        while True:
            try:
                frames = await asyncio.wait_for(self.outbox.next(), 0.05)
            except TimeoutError:
                return found
            found += [json.loads(frame)["msg"]["data"] for frame in frames]


def test_who_listens_hears_all_in_order() -> None:
    async def run() -> None:
        client = Client()
        client.tell("a", "b")
        assert await client.heard() == ["a", "b"]
        client.tell("c")
        assert await client.heard() == ["c"] and client.outbox.dropped == 0

    asyncio.run(run())


def test_of_what_a_slow_client_does_not_take_only_the_newest_wait() -> None:
    async def run() -> None:
        client = Client(queue=2)
        client.tell(*"abcdefg")
        client.outbox.put('{"msg":{"data":"an answer"}}')
        client.tell("h")
        assert await client.heard() == ["g", "an answer", "h"] and client.outbox.dropped == 6

    asyncio.run(run())


def test_throttled_without_a_queue_what_comes_between_is_left_out() -> None:
    async def run() -> None:
        client = Client(throttle=1.0)
        for text, client.now in (("a", 0.0), ("b", 0.5), ("c", 1.0), ("d", 1.2)):
            client.tell(text)
        assert await client.heard() == ["a", "c"]

    asyncio.run(run())


def test_throttled_with_a_queue_the_newest_are_told_later() -> None:
    async def run() -> None:
        client = Client(throttle=0.02, queue=2)
        client.tell("a", "b", "c", "d")
        assert await client.heard() == ["a", "c", "d"]

    asyncio.run(run())


def test_what_has_ended_is_told_no_more() -> None:
    async def run() -> None:
        client = Client(throttle=0.01, queue=5)
        client.tell("a", "b")
        client.subscription.end()
        assert await client.heard() == []

    asyncio.run(run())


def test_a_client_that_takes_no_answers_is_let_go() -> None:
    async def run() -> None:
        outbox = Outbox()
        for _ in range(5000):
            outbox.put("x")
        assert not outbox.overflowed.is_set()
        outbox.put("x")
        assert outbox.overflowed.is_set() and "5000 answers wait" in outbox.why

    asyncio.run(run())


def test_a_message_is_packed_once_for_all_who_want_it_alike() -> None:
    packer, message = Packer(), {"name": ["a"], "position": np.array([np.nan])}
    plain = packer.frames(STATES, message, Asked())
    assert packer.frames(STATES, message, Asked(queue=5)) is plain
    assert json.loads(plain[0])["msg"]["position"] == [None]
    assert packer.frames(STATES, dict(message), Asked()) is not plain
    (cbor,) = packer.frames(STATES, message, Asked(compression="cbor"))
    assert isinstance(cbor, bytes) and as_cbor(np.array([np.nan])) in cbor and b"velocity" in cbor
    (png,) = packer.frames(STATES, message, Asked(compression="png"))
    assert json.loads(png)["op"] == "png"
    fragments = Fragments()
    parts = packer.frames(STATES, message, Asked(fragment=50))
    assert len(parts) > 1 and [fragments.add(json.loads(part)) for part in parts][-1] == plain[0]
