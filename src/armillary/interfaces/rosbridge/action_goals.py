"""Goals that a client sends the way ROS 2's do: one op for each, over the topics of the action that ROS 1 has."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from armillary.errors import ArmillaryError
from armillary.interfaces.ros.graph import Graph, Topic, global_name
from armillary.interfaces.rosbridge.outbox import Outbox
from armillary.protocols.ros1_types import ros1_type
from armillary.protocols.ros_json import empty_message, from_json, to_json
from armillary.protocols.rosbridge import as_json

__all__ = ["ActionGoals", "GoalUnderWay", "NoAction"]

_MOST = 100  # goals under way
_UNKNOWN, _SUCCEEDED, _CANCELED, _ABORTED = 0, 4, 5, 6  # as ROS 2 counts them
_ENDS = {2: _CANCELED, 3: _SUCCEEDED, 4: _ABORTED, 5: _ABORTED, 8: _CANCELED, 9: _UNKNOWN}  # by ROS 1's


class NoAction(ArmillaryError):
    """An action that nobody serves, or a goal that is none."""


class GoalUnderWay(NoAction):
    """A goal by the name of one that is not over."""


@dataclass(frozen=True)
class _Goal:
    """key: The client's own name for it. feedback: Whether it is told how it goes."""

    key: str
    action: str
    feedback: bool


class ActionGoals:
    """Of one client. Clients count their goals from one, each for itself: here they have names that no other's has."""

    def __init__(self, graph: Graph, node: str, outbox: Outbox) -> None:
        self._graph, self._node, self._outbox = graph, node, outbox
        self._goals: dict[str, _Goal] = {}  # by their names here
        self._numbers = count(1)

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
        if self._named(key):
            raise GoalUnderWay(f"goal {key!r} is under way already")
        if len(self._goals) >= _MOST:
            raise NoAction(f"{_MOST} goals are the most at once")
        base = topic.kind.removesuffix("ActionGoal")
        message = empty_message(ros1_type(topic.kind))
        message["goal"] = from_json(ros1_type(f"{base}Goal"), values)
        message["goal_id"]["id"] = ours = f"{self._node}-{next(self._numbers)}-{time.time():.6f}"
        self._graph.advertise(self._node, topic.name, topic.kind)
        for part, kind in (("feedback", "ActionFeedback"), ("result", "ActionResult")):
            self._graph.subscribe(self._node, f"{name}/{part}", self._hear, kind=f"{base}{kind}", key=f"action {part}")
        self._goals[ours] = _Goal(key, name, feedback)
        self._graph.publish(self._node, topic.name, message)

    def refuse(self, action: str, key: str, why: str) -> None:
        """The end of a goal that was never sent, as rosbridge says it: its values are the reason."""
        self._outbox.put(as_json({
            "op": "action_result", "id": key, "action": action, "values": why, "status": _ABORTED, "result": False
        }))  # fmt: skip

    def cancel(self, action: str, key: str) -> None:
        """Raises:
        NoAction: There is no such goal.
        """
        name, ours = global_name(action), self._named(key)
        if not ours or self._goals[ours].action != name:
            raise NoAction(f"{name} has no goal {key!r} of this client")
        topic = self._graph.advertise(self._node, f"{name}/cancel", "actionlib_msgs/GoalID")
        message = empty_message(ros1_type(topic.kind))
        message["id"] = ours
        self._graph.publish(self._node, topic.name, message)

    def _named(self, key: str) -> str:
        """The name here of a goal that the client calls so; "" where there is none."""
        return next((ours for ours, goal in self._goals.items() if goal.key == key), "")

    def _hear(self, topic: Topic, message: Mapping[str, Any], _: str) -> None:
        ours, status = str(message["status"]["goal_id"]["id"]), int(message["status"]["status"])
        goal = self._goals.get(ours)
        action, _, part = topic.name.rpartition("/")
        if goal is None or goal.action != action:
            return  # of another client
        base = topic.kind.removesuffix(f"Action{part.capitalize()}")
        values = to_json(ros1_type(f"{base}{part.capitalize()}"), message[part])
        head = {"op": f"action_{part}", "id": goal.key, "action": action, "values": values}
        if part == "feedback":
            if goal.feedback:
                self._outbox.offer(f"feedback {ours}", (as_json(head),), 10)
            return
        del self._goals[ours]
        ended = _ENDS.get(status, _UNKNOWN)
        self._outbox.put(as_json({**head, "status": ended, "result": ended == _SUCCEEDED}))
