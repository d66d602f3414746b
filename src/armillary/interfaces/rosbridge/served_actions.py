"""Actions that a client serves itself, the way ROS 2's do: goals are passed on to it, feedback and results come back from it."""

from collections.abc import Mapping
from typing import Any

from armillary.errors import ArmillaryError
from armillary.interfaces.ros.graph import Graph, Topic, global_name
from armillary.interfaces.ros.spoken import action_topics
from armillary.interfaces.rosbridge.action_goals import NoAction
from armillary.interfaces.rosbridge.outbox import Outbox
from armillary.protocols.ros1_types import ros1_type
from armillary.protocols.ros_json import empty_message, from_json, to_json
from armillary.protocols.rosbridge import as_json

__all__ = ["ServedActions"]

_MOST = 100  # goals that wait for a client
_ABORTED, _REJECTED = 4, 5  # as ROS 1 counts
_ENDS = {4: 3, 5: 2, 6: _ABORTED}  # ROS 1's numbers of succeeded, cancelled and aborted, by ROS 2's
_KEY = "served action"


class ServedActions:
    """Of one client."""

    def __init__(self, graph: Graph, node: str, outbox: Outbox) -> None:
        self._graph, self._node, self._outbox = graph, node, outbox
        self._kinds: dict[str, str] = {}
        self._goals: dict[str, tuple[str, Mapping[str, Any]]] = {}  # the action of each that is under way, and its goal's id

    def serve(self, action: str, kind: str) -> None:
        """Args:
        kind: As ROS 1 calls it without "Action": "control_msgs/FollowJointTrajectory".

        Raises:
            BadGraph: It is no name, there is no such type, or it is served by the cell.
        """
        name = global_name(action)
        topics = action_topics(name, f"{kind}Action")
        try:
            for part in ("status", "feedback", "result"):
                self._graph.advertise(self._node, *topics[part])
            self._kinds[name] = kind  # before goals are heard: one may have been kept
            for part, hear in (("goal", self._goal), ("cancel", self._cancel)):
                self._graph.subscribe(self._node, topics[part][0], hear, kind=topics[part][1], key=_KEY)
        except ArmillaryError:
            self._kinds.pop(name, None)
            self._withdraw(name, kind)
            raise

    def end(self, action: str) -> None:
        """It is served no longer; what is under way is aborted."""
        name = global_name(action)
        kind = self._kinds.get(name)
        if kind is None:
            raise NoAction(f"this client serves no action {name}")
        for key in [key for key, (of, _) in self._goals.items() if of == name]:
            self._tell(name, self._goals.pop(key)[1], "Result", {}, _ABORTED, f"{self._node} serves {name} no longer")
        del self._kinds[name]
        self._withdraw(name, kind)

    def close(self) -> None:
        """The client is gone."""
        for name in [*self._kinds]:
            self.end(name)

    def _withdraw(self, name: str, kind: str) -> None:
        for topic, _ in action_topics(name, f"{kind}Action").values():
            self._graph.unsubscribe(self._node, topic, _KEY)
            self._graph.unadvertise(self._node, topic)

    def feedback(self, key: str, values: Any) -> None:
        """How a goal goes."""
        name, goal_id = self._of(key)
        self._tell(name, goal_id, "Feedback", values, 1)

    def result(self, key: str, values: Any, status: Any) -> None:
        """What became of it."""
        name, goal_id = self._of(key)
        ended = _ENDS.get(status, _ABORTED) if isinstance(status, int) else _ABORTED
        self._tell(name, goal_id, "Result", values, ended)
        del self._goals[key]  # only now: a wrong result may be said again

    def _of(self, key: str) -> tuple[str, Mapping[str, Any]]:
        if key not in self._goals:
            raise NoAction(f"no goal {key!r} waits for this client")
        return self._goals[key]

    def _tell(
        self, name: str, goal_id: Mapping[str, Any], part: str, values: Any, status: int, text: str = ""
    ) -> None:  # fmt: skip
        kind = f"{self._kinds[name]}Action{part}"
        message = empty_message(ros1_type(kind))
        message["status"].update(goal_id=goal_id, status=status, text=text)
        message[part.lower()] = from_json(ros1_type(f"{self._kinds[name]}{part}"), values)
        self._graph.publish(self._node, f"{name}/{part.lower()}", message)

    def _goal(self, topic: Topic, message: Mapping[str, Any], _: str) -> None:
        name = topic.name.removesuffix("/goal")
        kind, key = self._kinds[name], str(message["goal_id"]["id"])
        if key in self._goals:
            return  # actionlib's clients may say a goal twice
        if len(self._goals) >= _MOST:
            self._tell(name, message["goal_id"], "Result", {}, _REJECTED, f"{_MOST} goals wait for {self._node} already")
            return
        self._goals[key] = name, message["goal_id"]
        values = to_json(ros1_type(f"{kind}Goal"), message["goal"])
        head = {"op": "send_action_goal", "id": key, "action": name, "action_type": kind}
        self._outbox.put(as_json({**head, "args": values, "feedback": True}))

    def _cancel(self, topic: Topic, message: Mapping[str, Any], _: str) -> None:
        name, asked = topic.name.removesuffix("/cancel"), str(message["id"])
        for key, (action, _id) in self._goals.items():
            if action == name and asked in ("", key):
                self._outbox.put(as_json({"op": "cancel_action_goal", "id": key, "action": name}))
