"""Topics, services and parameters of nodes that find each other by name, as ROS's master has them; all within one process.

A node is anything with a name: the cell itself, and each client. What a node has brought in goes with it.
"""

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from armillary.errors import ArmillaryError
from armillary.interfaces.ros.parameters import Parameters
from armillary.interfaces.ros.wire import Serve
from armillary.protocols.ros1_types import those_like

__all__ = ["BadGraph", "Deliver", "Graph", "Service", "Topic", "global_name"]

Message = Mapping[str, Any]
Deliver = Callable[["Topic", Message, str], None]  # with the node that says it
_NAME = re.compile(r"(/[A-Za-z_][A-Za-z0-9_]*)+")
_LONGEST = 256  # characters of a name
_MOST = 2000  # topics and services, each: nobody may fill the memory


class BadGraph(ArmillaryError):
    """Something that cannot be advertised, subscribed to or called; says why."""


@dataclass
class Topic:
    """A topic.

    Attributes:
        kind: Its message type, "sensor_msgs/JointState".
        publishers, subscribers: Nodes, and what is called for each with every message.
        owner: The node that alone may publish; "" for any.
        latching, kept: Nodes of which who comes later is given the last message, and those messages.
    """

    name: str
    kind: str
    publishers: set[str] = field(default_factory=set)
    subscribers: dict[tuple[str, str], Deliver] = field(default_factory=dict)
    owner: str = ""
    latching: set[str] = field(default_factory=set)
    kept: dict[str, Message] = field(default_factory=dict)


@dataclass(frozen=True)
class Service:
    name: str
    kind: str
    node: str
    serve: Serve


class Graph:
    """Attributes:
    parameters: Values of JSON, by their names.
    gone: Called with the name of each node that has left.
    """

    def __init__(self, kinds: Iterable[str]) -> None:
        """Args:
        kinds: The message types that there are.
        """
        self._kinds = frozenset(kinds)
        self.topics: dict[str, Topic] = {}
        self.services: dict[str, Service] = {}
        self.parameters = Parameters()
        self.gone: list[Callable[[str], None]] = []
        self._failed: set[tuple[str, str]] = set()

    def advertise(self, node: str, name: str, kind: str, *, latched: bool = False, alone: bool = False) -> Topic:
        """A node will publish on a topic.

        Args:
            latched: Whether who comes later is given its last message.
            alone: Nobody else may.

        Raises:
            BadGraph: It is no name or no type, the topic has another type, or is another node's alone.
        """
        topic = self._topic(name, kind)
        if topic.owner not in ("", node):
            raise BadGraph(f"{topic.owner} alone says {topic.name}; publish on a topic of your own")
        topic.publishers.add(node)
        if alone:
            topic.owner = node
        if latched:
            topic.latching.add(node)
        return topic

    def unadvertise(self, node: str, name: str) -> None:
        if topic := self.topics.get(global_name(name)):
            _unpublished(topic, node)
            self._forget(topic)

    def publish(self, node: str, name: str, message: Message) -> None:
        """Give a message to all who have subscribed. What fails with one of them is neither the others' nor who says it.

        Raises:
            BadGraph: The node has not advertised it.
        """
        topic = self.topics.get(global_name(name))
        if topic is None or node not in topic.publishers:
            raise BadGraph(f"{node} has not advertised {global_name(name)}; advertise it with its type first")
        if node in topic.latching:
            topic.kept[node] = message
        for key, deliver in [*topic.subscribers.items()]:
            self._tell(key, deliver, topic, message, node)

    def subscribe(self, node: str, name: str, deliver: Deliver, *, kind: str = "", key: str = "") -> Topic:
        """Have the messages of a topic; one that nobody publishes yet needs its type.

        Args:
            key: Tells several subscriptions of a node apart; one of the same key is replaced.

        Raises:
            BadGraph: As `advertise`, or the type of a new topic is not known.
        """
        topic = self._topic(name, kind)
        topic.subscribers[node, key] = deliver
        for by, message in [*topic.kept.items()]:
            self._tell((node, key), deliver, topic, message, by)
        return topic

    def unsubscribe(self, node: str, name: str, key: str | None = None) -> None:
        """End a subscription, or all of a node's to a topic."""
        if topic := self.topics.get(global_name(name)):
            for each in [each for each in topic.subscribers if each[0] == node and key in (None, each[1])]:
                del topic.subscribers[each]
            self._forget(topic)

    def provide(self, node: str, name: str, kind: str, serve: Serve) -> None:
        """A node answers calls.

        Raises:
            BadGraph: It is no name, or another node provides it.
        """
        name = _checked(name)
        there = self.services.get(name)
        if there is not None and there.node != node:
            raise BadGraph(f"{there.node} provides {name} already")
        if there is None and len(self.services) >= _MOST:
            raise BadGraph(f"there are {_MOST} services already; end some first")
        self.services[name] = Service(name, kind, node, serve)

    def withdraw(self, node: str, name: str) -> None:
        there = self.services.get(global_name(name))
        if there is not None and there.node == node:
            del self.services[there.name]

    async def call(self, name: str, asked: dict[str, Any]) -> dict[str, Any]:
        """Raises:
        BadGraph: Nobody provides it.
        """
        service = self.services.get(global_name(name))
        if service is None:
            raise BadGraph(f"nobody provides the service {global_name(name)}")
        return await service.serve(asked)

    def leave(self, node: str) -> None:
        """A node is gone, and all that it has brought in."""
        for topic in [*self.topics.values()]:
            _unpublished(topic, node)
            for each in [each for each in topic.subscribers if each[0] == node]:
                del topic.subscribers[each]
            self._forget(topic)
        self._failed = {each for each in self._failed if each[0] != node}
        for service in [*self.services.values()]:
            if service.node == node:
                del self.services[service.name]
        for told in self.gone:
            told(node)

    @property
    def nodes(self) -> list[str]:
        found = {service.node for service in self.services.values()}
        for topic in self.topics.values():
            found |= topic.publishers | {node for node, _ in topic.subscribers}
        return sorted(found)

    def _topic(self, name: str, kind: str) -> Topic:
        name = _checked(name)
        topic = self.topics.get(name)
        if topic is not None:
            if kind and kind != topic.kind:
                raise BadGraph(f"{name} is a topic of {topic.kind}, not of {kind}")
            return topic
        if not kind:
            raise BadGraph(f"nobody publishes {name} yet; say which type it has")
        if kind not in self._kinds:
            raise BadGraph(f"there is no message type '{kind[:60]}' here; {those_like(kind, self._kinds)}")
        if len(self.topics) >= _MOST:
            raise BadGraph(f"there are {_MOST} topics already; end some first")
        self.topics[name] = made = Topic(name, kind)
        return made

    def _tell(self, key: tuple[str, str], deliver: Deliver, topic: Topic, message: Message, by: str) -> None:
        try:
            deliver(topic, message, by)
        except Exception as error:  # whatever it is: the cell goes on, and so do the others
            if (key[0], topic.name) not in self._failed:  # once: a topic may be said a thousand times a second
                self._failed.add((key[0], topic.name))
                print(f"armillary: {key[0]} cannot be told of {topic.name}: {error!r}", file=sys.stderr)

    def _forget(self, topic: Topic) -> None:
        """A topic that nobody publishes or hears may be of another type the next time."""
        if not topic.publishers and not topic.subscribers:
            self.topics.pop(topic.name, None)


def _unpublished(topic: Topic, node: str) -> None:
    topic.publishers.discard(node)
    topic.latching.discard(node)
    topic.kept.pop(node, None)
    if topic.owner == node:
        topic.owner = ""


def global_name(name: str) -> str:
    """A name from the root: clients write it with or without the first slash."""
    return "/" + name.strip("/")


def _checked(name: str) -> str:
    full = global_name(name)
    if len(full) > _LONGEST or not _NAME.fullmatch(full):
        raise BadGraph(f"{full[:60]!r} is no name; write letters, digits and _, in parts between slashes")
    return full
