"""Goals that a client sends the way ROS 2's do: one op for each, over the topics of the action that ROS 1 has."""

from collections.abc import Mapping
from typing import Any

from armillary.errors import ArmillaryError
from armillary.interfaces.ros.graph import Graph, Topic, global_name
from armillary.interfaces.rosbridge.outbox import Outbox
from armillary.protocols.ros1_types import message_type
from armillary.protocols.ros_json import empty_message, from_json, to_json
from armillary.protocols.rosbridge import as_json

__all__ = ["ActionGoals", "NoAction"]

_MOST = 100  # goals under way
_UNKNOWN, _SUCCEEDED, _CANCELED, _ABORTED = 0, 4, 5, 6  # as ROS 2 counts them
_ENDS = {2: _CANCELED, 3: _SUCCEEDED, 4: _ABORTED, 5: _ABORTED, 8: _CANCELED, 9: _UNKNOWN}  # by ROS 1's


class NoAction(ArmillaryError):
    """An action that nobody serves, or a goal that is none."""


class ActionGoals:
    """Of one client."""

    def __init__(self, graph: Graph, node: str, outbox: Outbox) -> None:
        self._graph, self._node, self._outbox = graph, node, outbox
        self._goals: dict[str, tuple[str, bool]] = {}  # which action, and whether it is told how it goes

    def send(self, action: str, key: str, values: Any, *, feedback: bool) -> None:
        """A goal of an action, by a name of the client's.

        Raises:
            NoAction: Nobody serves it, or there are too many.
            BadRosMessage: The goal is none of its type.
        """
        name = global_name(action)
        topic = self._graph.topics.get(f"{name}/goal")
        if topic is None or not topic.subscribers or not topic.kind.endswith("ActionGoal"):
            raise NoAction(f"nobody serves the action {name}")
        if key in self._goals or len(self._goals) >= _MOST:
            raise NoAction(f"goal {key!r} is under way already" if key in self._goals else f"{_MOST} goals are the most at once")
        base = topic.kind.removesuffix("ActionGoal")
        message = empty_message(message_type(topic.kind))
        message["goal"] = from_json(message_type(f"{base}Goal"), values)
        message["goal_id"]["id"] = key
        self._goals[key] = name, feedback
        for part, kind in (("feedback", "ActionFeedback"), ("result", "ActionResult")):
            self._graph.subscribe(self._node, f"{name}/{part}", self._hear, kind=f"{base}{kind}", key=f"action {part}")
        self._graph.advertise(self._node, topic.name, topic.kind)
        self._graph.publish(self._node, topic.name, message)

    def cancel(self, action: str, key: str) -> None:
        """Raises:
        NoAction: There is no such goal.
        """
        name = global_name(action)
        if self._goals.get(key, ("", False))[0] != name:
            raise NoAction(f"{name} has no goal {key!r} of this client")
        topic = self._graph.advertise(self._node, f"{name}/cancel", "actionlib_msgs/GoalID")
        message = empty_message(message_type(topic.kind))
        message["id"] = key
        self._graph.publish(self._node, topic.name, message)

    def _hear(self, topic: Topic, message: Mapping[str, Any], _: str) -> None:
        key, status = str(message["status"]["goal_id"]["id"]), int(message["status"]["status"])
        name, wants = self._goals.get(key, ("", False))
        action, _, part = topic.name.rpartition("/")
        if name != action:
            return  # of another client
        base = topic.kind.removesuffix(f"Action{part.capitalize()}")
        values = to_json(message_type(f"{base}{part.capitalize()}"), message[part])
        head = {"op": f"action_{part}", "id": key, "action": name, "values": values}
        if part == "feedback":
            if wants:
                self._outbox.offer(f"feedback {key}", (as_json(head),), 10)
            return
        del self._goals[key]
        ended = _ENDS.get(status, _UNKNOWN)
        self._outbox.put(as_json({**head, "status": ended, "result": ended == _SUCCEEDED}))
