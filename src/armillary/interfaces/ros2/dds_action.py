"""An action as ROS 2 makes it: three services and two topics, in place of ROS 1's five topics."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from armillary.interfaces.ros.wire import Hear, Serve
from armillary.interfaces.ros2.dds_types import from_ros2, to_ros2
from armillary.protocols.ros_types import message_type

__all__ = ["DdsAction", "ServicesAndTopics"]

Message = Mapping[str, Any]
UNKNOWN, ACCEPTED, EXECUTING, CANCELING, SUCCEEDED, CANCELED, ABORTED = range(7)
_OVER = (SUCCEEDED, CANCELED, ABORTED)
# ROS 1's: pending, active, preempted, succeeded, aborted, rejected, preempting, recalling, recalled, lost.
_STATUS = (ACCEPTED, EXECUTING, CANCELED, SUCCEEDED, ABORTED, ABORTED, CANCELING, CANCELING, CANCELED, ABORTED)
_PENDING, _REJECTED = 0, 5
_NONE, _UNKNOWN_GOAL, _TERMINATED = 0, 2, 3  # what is answered to a cancel
_MOST = 200  # goals that are remembered, with their results


class ServicesAndTopics(Protocol):
    """What an action needs of its wire."""

    def provide_as_it_is(self, name: str, asked: str, answered: str, serve: Serve) -> None: ...

    def advertise_as_it_is(self, name: str, kind: str, *, latched: bool = False) -> Callable[[Message], None]: ...


@dataclass
class _Goal:
    """Attributes:
    began: Whether it is driven, or refused.
    """

    key: str
    stamp: dict[str, int]
    status: int = ACCEPTED
    cancelled: bool = False
    began: "asyncio.Future[bool]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    result: "asyncio.Future[dict[str, Any]]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def info(self) -> dict[str, Any]:
        return {"goal_id": {"uuid": bytes.fromhex(self.key)}, "stamp": self.stamp}


class DdsAction:
    """Hears goals and cancels as ROS 2's clients say them, and passes them on as ROS 1's messages."""

    def __init__(self, wire: ServicesAndTopics, name: str, kind: str, take: Hear, cancel: Hear) -> None:
        """Args:
        kind: Its type as ROS 1 calls it: "control_msgs/FollowJointTrajectoryAction".
        """
        package, _, what = kind.removesuffix("Action").rpartition("/")
        base, below = f"{package}/action/{what}", f"{name}/_action"
        self._goal_type, self._result_type = message_type(f"{base}_Goal"), message_type(f"{base}_Result")
        self._feedback_type = message_type(f"{base}_Feedback")
        self._take, self._cancel, self._goals = take, cancel, dict[str, _Goal]()
        for service, asked, serve in (
            ("send_goal", f"{base}_SendGoal", self._send_goal), ("get_result", f"{base}_GetResult", self._get_result),
            ("cancel_goal", "action_msgs/srv/CancelGoal", self._cancel_goal),
        ):  # fmt: skip
            wire.provide_as_it_is(f"{below}/{service}", f"{asked}_Request", f"{asked}_Response", serve)
        self._tell_feedback = wire.advertise_as_it_is(f"{below}/feedback", f"{base}_FeedbackMessage")
        self._tell_status = wire.advertise_as_it_is(f"{below}/status", "action_msgs/msg/GoalStatusArray", latched=True)
        self._told: list[tuple[str, int]] = []

    async def _send_goal(self, request: dict[str, Any]) -> dict[str, Any]:
        key, now = bytes(request["goal_id"]["uuid"]).hex(), time.time()
        stamp = {"sec": int(now), "nanosec": int(now % 1.0 * 1e9)}
        if key in self._goals:
            return {"accepted": False, "stamp": stamp}
        self._goals[key] = goal = _Goal(key, stamp)
        self._forget()
        stamped = {"stamp": {"secs": stamp["sec"], "nsecs": stamp["nanosec"]}, "id": key}
        header = {"seq": 0, "stamp": stamped["stamp"], "frame_id": ""}
        self._take({"header": header, "goal_id": stamped, "goal": from_ros2(self._goal_type, request["goal"])})
        return {"accepted": await asyncio.shield(goal.began), "stamp": stamp}

    async def _get_result(self, request: dict[str, Any]) -> dict[str, Any]:
        goal = self._goals.get(bytes(request["goal_id"]["uuid"]).hex())
        if goal is None:
            return {"status": UNKNOWN, "result": {}}
        result = await asyncio.shield(goal.result)
        return {"status": goal.status, "result": result}

    async def _cancel_goal(self, request: dict[str, Any]) -> dict[str, Any]:
        """One goal by its identity, all until a time, or all."""
        key, stamp = bytes(request["goal_info"]["goal_id"]["uuid"]).hex(), request["goal_info"]["stamp"]
        until, named = (int(stamp["sec"]), int(stamp["nanosec"])), bool(key.strip("0"))
        everything = not named and until == (0, 0)
        if named and key not in self._goals and until == (0, 0):
            return {"return_code": _UNKNOWN_GOAL, "goals_canceling": []}
        hit = [
            goal for goal in self._goals.values()
            if goal.status not in _OVER
            and (everything or goal.key == key or (goal.stamp["sec"], goal.stamp["nanosec"]) <= until)
        ]  # fmt: skip
        for goal in hit:
            goal.cancelled = True
            self._cancel({"stamp": {"secs": 0, "nsecs": 0}, "id": goal.key})
        code = _NONE if hit or not named else _TERMINATED
        return {"return_code": code, "goals_canceling": [goal.info() for goal in hit]}

    def say(self, part: str, message: Message) -> None:
        """What has become of goals, as ROS 1's messages tell it."""
        if part == "status":
            for each in message["status_list"]:
                self._note(each)
            self._say_status()
        elif (goal := self._goals.get(message["status"]["goal_id"]["id"])) is None:
            return
        elif part == "feedback":
            told = to_ros2(self._feedback_type, message["feedback"])
            self._tell_feedback({"goal_id": goal.info()["goal_id"], "feedback": told})
        else:
            self._note(message["status"])
            if not goal.result.done():
                goal.result.set_result(to_ros2(self._result_type, message["result"]))
            self._say_status()

    def _note(self, told: Message) -> None:
        goal = self._goals.get(told["goal_id"]["id"])
        if goal is None or goal.status in _OVER:
            return
        status = _STATUS[told["status"]]
        goal.status = ABORTED if status == CANCELED and not goal.cancelled else status
        if told["status"] != _PENDING and not goal.began.done():
            goal.began.set_result(told["status"] != _REJECTED)

    def _say_status(self) -> None:
        """When anything is new: it is kept for who comes later."""
        now = [(goal.key, goal.status) for goal in self._goals.values()]
        if now != self._told:
            self._told = now
            self._tell_status(
                {"status_list": [{"goal_info": goal.info(), "status": goal.status} for goal in self._goals.values()]}
            )

    def _forget(self) -> None:
        over = [key for key, goal in self._goals.items() if goal.status in _OVER]
        for key in over[: max(len(self._goals) - _MOST, 0)]:
            del self._goals[key]
