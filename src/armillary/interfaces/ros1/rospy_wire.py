"""rospy as a cell's way to speak ROS: its threads pass on what they hear to the event loop."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from armillary.interfaces.ros.wire import Hear, Say, Serve, action_by_topics
from armillary.protocols.ros1_types import ros1_type, service_types
from armillary.ros1 import MessagePackages, message_from, message_to

__all__ = ["RospyWire"]

_QUEUE = 50  # messages that wait for a slow subscriber
_ANSWERS = 60.0  # s


class RospyWire:
    """A `RosWire` by a node that rospy has initialised."""

    def __init__(self, rospy: Any, packages: MessagePackages, loop: asyncio.AbstractEventLoop) -> None:
        self._rospy, self._packages, self._loop = rospy, packages, loop
        self._publishers: dict[str, tuple[Any, Callable[[Mapping[str, Any]], Any]]] = {}

    def advertise(self, name: str, kind: str, *, latched: bool = False) -> None:
        of, fields = self._packages.message(kind), ros1_type(kind)
        publisher = self._rospy.Publisher(name, of, queue_size=_QUEUE, latch=latched)
        self._publishers[name] = publisher, lambda message: message_to(fields, of, message)

    def publish(self, name: str, message: Mapping[str, Any]) -> None:
        publisher, made = self._publishers[name]
        publisher.publish(made(message))

    def wanted(self, name: str) -> bool:
        return bool(self._publishers[name][0].get_num_connections() > 0)

    def subscribe(self, name: str, kind: str, hear: Hear) -> None:
        fields = ros1_type(kind)

        def came(message: Any) -> None:
            self._loop.call_soon_threadsafe(hear, message_from(fields, message))

        self._rospy.Subscriber(name, self._packages.message(kind), came, queue_size=_QUEUE, tcp_nodelay=True)

    def provide(self, name: str, kind: str, serve: Serve) -> None:
        of, (asked_type, answered_type) = self._packages.service(kind), service_types(kind)

        def answer(asked: Any) -> Any:
            work = asyncio.run_coroutine_threadsafe(serve_now(message_from(asked_type, asked)), self._loop)
            return message_to(answered_type, of._response_class, work.result(_ANSWERS))

        async def serve_now(asked: dict[str, Any]) -> dict[str, Any]:
            return await serve(asked)

        self._rospy.Service(name, of, answer)

    def serve_action(self, name: str, kind: str, take: Hear, cancel: Hear) -> Say:
        return action_by_topics(self, name, kind, take, cancel)

    def set_parameter(self, name: str, value: str) -> None:
        self._rospy.set_param(name, value)

    def watch_leaving(self, gone: Callable[[str], None]) -> None:
        """rospy does not say who calls."""
