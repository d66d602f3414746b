"""What a cell needs of a way to speak ROS: rosbridge's graph, rospy, DDS."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

__all__ = ["Hear", "RosWire", "Serve"]

Hear = Callable[[Mapping[str, Any]], None]
Serve = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]


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

    def set_parameter(self, name: str, value: str) -> None: ...
