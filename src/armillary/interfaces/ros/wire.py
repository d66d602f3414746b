"""What a cell needs of a way to speak ROS: rosbridge's graph, rospy, DDS."""

from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from typing import Any, Protocol

from armillary.interfaces.ros.spoken import action_topics

__all__ = ["CALLER", "Hear", "RosWire", "Say", "Serve", "action_by_topics"]

Hear = Callable[[Mapping[str, Any]], None]
Say = Callable[[str, Mapping[str, Any]], None]  # a part of an action ("status", "feedback", "result") and its message
Serve = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]


# Who calls a service, while it is answered; "" where the wire does not know: ROS 1 and DDS tell nobody's name.
CALLER: ContextVar[str] = ContextVar("caller", default="")


class RosWire(Protocol):
    """Messages are dicts of their fields as `protocols.ros_json` has them: arrays of numbers, times of secs and nsecs.

    Everything is called in the event loop's thread, and what is heard is passed on there.
    """

    def advertise(self, name: str, kind: str, *, latched: bool = False) -> None: ...

    def publish(self, name: str, message: Mapping[str, Any]) -> None: ...

    def wanted(self, name: str) -> bool:
        """Whether anybody hears it: nothing is worked out for nobody."""
        ...

    def subscribe(self, name: str, kind: str, hear: Hear) -> None: ...

    def provide(self, name: str, kind: str, serve: Serve) -> None: ...

    def serve_action(self, name: str, kind: str, take: Hear, cancel: Hear) -> Say:
        """Hear goals and cancels, in ROS 1's messages; what is given back tells how they are."""
        ...

    def set_parameter(self, name: str, value: str) -> None: ...

    def watch_leaving(self, gone: Callable[[str], None]) -> None:
        """Have it said when a caller (`CALLER`) is gone, where the wire knows."""
        ...


def action_by_topics(wire: RosWire, name: str, kind: str, take: Hear, cancel: Hear) -> Say:
    """An action as ROS 1 makes it, of five topics."""
    topics = action_topics(name, kind)
    for part, hear in (("goal", take), ("cancel", cancel)):
        wire.subscribe(*topics[part], hear)
    for part in ("status", "feedback", "result"):
        wire.advertise(*topics[part])
    return lambda part, message: wire.publish(topics[part][0], message)
