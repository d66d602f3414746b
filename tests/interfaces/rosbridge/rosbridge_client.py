"""A client of rosbridge without a wire: what it says is received, and what it is told is taken from its outbox."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from armillary.interfaces.ros.graph import Graph
from armillary.interfaces.rosbridge.session import RosbridgeSession
from armillary.interfaces.rosbridge.subscription import Packer
from armillary.protocols.ros1_definitions import MESSAGES

__all__ = ["Client", "run"]


class Client:
    """Of a graph, by a name."""

    def __init__(self, graph: Graph, node: str, **options: Any) -> None:
        self.graph = graph
        self.session = RosbridgeSession(graph, node, Packer(), **options)

    def say(self, op: str, **rest: Any) -> None:
        self.session.receive(json.dumps({"op": op, **rest}))

    async def heard(self) -> list[dict[str, Any]]:
        """What it was told by now."""
        found: list[dict[str, Any]] = []
        while True:
            try:
                frames = await asyncio.wait_for(self.session.outbox.next(), 0.05)
            except TimeoutError:
                return found
            found += [json.loads(frame) for frame in frames if isinstance(frame, str)]


def run(work: Callable[[Client, Client], Awaitable[None]], **options: Any) -> Graph:
    """Have two clients do something; the graph when both are gone."""
    graph = Graph(MESSAGES)

    async def both() -> None:
        one, two = Client(graph, "/one", **options), Client(graph, "/two", **options)
        try:
            await work(one, two)
        finally:
            one.session.close()
            two.session.close()

    asyncio.run(both())
    return graph
