"""A node of rosbridge's own graph: the cell's way to speak to its clients."""

from collections.abc import Callable, Mapping
from typing import Any

from armillary.interfaces.ros.graph import Graph, Topic
from armillary.interfaces.ros.wire import Hear, Say, Serve, action_by_topics
from armillary.protocols.ros1_types import service_types
from armillary.protocols.ros_json import by_name, from_json

__all__ = ["GraphWire"]

# What many nodes say in ROS: frames, states of health, logs. All else that the cell says it says alone.
_SHARED = ("/tf", "/tf_static", "/diagnostics", "/rosout")


class GraphWire:
    """A `RosWire` within this process."""

    def __init__(self, graph: Graph, node: str) -> None:
        self._graph, self._node = graph, node

    def advertise(self, name: str, kind: str, *, latched: bool = False) -> None:
        self._graph.advertise(self._node, name, kind, latched=latched, alone=name not in _SHARED)

    def publish(self, name: str, message: Mapping[str, Any]) -> None:
        self._graph.publish(self._node, name, message)

    def wanted(self, name: str) -> bool:
        return bool(self._graph.topics[name].subscribers)

    def subscribe(self, name: str, kind: str, hear: Hear) -> None:
        def deliver(_: Topic, message: Mapping[str, Any], __: str) -> None:
            hear(message)

        self._graph.subscribe(self._node, name, deliver, kind=kind)

    def provide(self, name: str, kind: str, serve: Serve) -> None:
        asked_type, _ = service_types(kind)

        async def checked(asked: dict[str, Any]) -> dict[str, Any]:
            return await serve(from_json(asked_type, by_name(asked_type, asked)))

        self._graph.provide(self._node, name, kind, checked)

    def serve_action(self, name: str, kind: str, take: Hear, cancel: Hear) -> Say:
        return action_by_topics(self, name, kind, take, cancel)

    def set_parameter(self, name: str, value: str) -> None:
        self._graph.parameters.set(name, value)

    def watch_leaving(self, gone: Callable[[str], None]) -> None:
        self._graph.gone.append(gone)
