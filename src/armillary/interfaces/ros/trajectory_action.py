"""The action FollowJointTrajectory: goals and cancels in; status, feedback and results out."""

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from armillary.errors import ArmillaryError
from armillary.interfaces.ros.cell_messages import CellMessages, seconds, time_message
from armillary.interfaces.ros.joint_trajectory import BadTrajectory, WrongJoints
from armillary.interfaces.ros.mover import Driven, Mover, Preempted, TooOld
from armillary.interfaces.ros.spoken import ACTION, NODE
from armillary.interfaces.ros.wire import RosWire
from armillary.protocols.ros1_types import ros1_type
from armillary.protocols.ros_json import empty_message

__all__ = ["TrajectoryAction"]

Message = Mapping[str, Any]
_KIND = "control_msgs/FollowJointTrajectoryAction"
PENDING, ACTIVE, PREEMPTED, SUCCEEDED, ABORTED, REJECTED, PREEMPTING, RECALLING, RECALLED, LOST = range(10)
_SUCCESSFUL, _INVALID_GOAL, _INVALID_JOINTS, _OLD, _PATH_VIOLATED, _GOAL_VIOLATED = 0, -1, -2, -3, -4, -5
_STATUS, _FEEDBACK = 0.2, 0.05  # s between two
_SETTLES = 0.5  # s after the commanded end in which the robot may come to its goal, where nobody says
_LOOK = 0.01  # s between looks whether it has
_REMEMBERED = 5.0  # s for which a goal that is over is still told of
_MOST = 100  # goals that are told of


class _PathViolated(ArmillaryError):
    """A joint strayed from its path by more than is borne."""


class _GoalViolated(ArmillaryError):
    """A joint did not come as near to its goal as was asked, in the time for that."""


@dataclass
class _Goal:
    """A goal and what has become of it."""

    key: str
    stamp: float
    status: int = PENDING
    text: str = ""
    ended: float = 0.0
    task: "asyncio.Task[None] | None" = None

    def message(self) -> dict[str, Any]:
        return {"goal_id": {"stamp": time_message(self.stamp), "id": self.key}, "status": self.status, "text": self.text}


class TrajectoryAction:
    """Serves it on a wire."""

    def __init__(self, wire: RosWire, mover: Mover, messages: CellMessages) -> None:
        self._wire, self._mover, self._messages = wire, mover, messages
        self._goals: dict[str, _Goal] = {}
        self._cancelled_before, self._numbers = 0.0, count(1)
        self._say = wire.serve_action(ACTION, _KIND, self._take, self._cancel)

    async def run(self) -> None:
        """Tell how the goals are, again and again."""
        while True:
            self._forget()
            self._tell_status()
            await asyncio.sleep(_STATUS)

    def _take(self, message: Message) -> None:
        asked = message["goal_id"]
        key = asked["id"] or f"/armillary-{next(self._numbers)}-{time.time():.9f}"
        known = self._goals.get(key)
        if known is not None and not known.ended:
            return  # actionlib's clients may say a goal twice
        goal = _Goal(key, seconds(asked["stamp"]) or time.time())
        if len(self._goals) >= _MOST:
            self._end(goal, REJECTED, f"{_MOST} goals are known already; wait until some are over", _INVALID_GOAL)
            return
        if known is not None:
            self._end(goal, REJECTED, f"a goal of the id {key[:60]!r} is over already; give each its own", _INVALID_GOAL)
            return
        self._goals[key] = goal
        if goal.stamp <= self._cancelled_before:
            self._end(goal, RECALLED, "it was cancelled before it came")
            return
        self._tell_status()
        goal.task = asyncio.get_running_loop().create_task(self._do(goal, message["goal"]))

    def _cancel(self, message: Message) -> None:
        key, stamp = message["id"], seconds(message["stamp"])
        everything = not key and stamp == 0.0
        if stamp:
            self._cancelled_before = max(self._cancelled_before, min(stamp, time.time()))
        hit = [
            goal
            for goal in self._goals.values()
            if goal.status in (PENDING, ACTIVE) and (everything or goal.key == key or (stamp and goal.stamp <= stamp))
        ]
        for goal in hit:
            goal.status = PREEMPTING if goal.status == ACTIVE else RECALLING
        if hit:
            self._tell_status()
            self._stopping = asyncio.get_running_loop().create_task(self._stop())

    async def _stop(self) -> None:
        with suppress(ArmillaryError):
            await self._mover.stop()

    async def _do(self, goal: _Goal, asked: Message) -> None:
        watch: list[asyncio.Task[None]] = []

        async def begun(driven: Driven) -> None:
            goal.status = ACTIVE
            goal.text = "; ".join(driven.notes)
            self._tell_status()
            watch.append(asyncio.get_running_loop().create_task(self._watch(goal, driven, asked)))

        try:
            driven = await self._mover.drive(asked["trajectory"], slack=seconds(asked["goal_time_tolerance"]), begun=begun)
            if watch and watch[0].done():
                watch[0].result()  # says whether a tolerance was not kept
            for task in watch:
                task.cancel()  # the path is over
            await self._settle(goal, driven, asked)
            self._end(goal, SUCCEEDED, goal.text)
        except WrongJoints as error:
            self._end(goal, REJECTED, str(error), _INVALID_JOINTS)
        except TooOld as error:
            self._end(goal, REJECTED, str(error), _OLD)
        except BadTrajectory as error:
            self._end(goal, REJECTED, str(error), _INVALID_GOAL)
        except Preempted as error:
            self._end_preempted(goal, watch, error)
        except _PathViolated as error:
            self._end(goal, ABORTED, str(error), _PATH_VIOLATED)
        except _GoalViolated as error:
            self._end(goal, ABORTED, str(error), _GOAL_VIOLATED)
        except ArmillaryError as error:
            began = bool(watch)
            self._end(goal, ABORTED if began else REJECTED, str(error), _PATH_VIOLATED if began else _INVALID_GOAL)
        finally:
            for task in watch:
                task.cancel()
                task.add_done_callback(lambda done: done.cancelled() or done.exception())  # nobody else may have looked

    def _end_preempted(self, goal: _Goal, watch: "list[asyncio.Task[None]]", error: Preempted) -> None:
        if watch and watch[0].done() and not watch[0].cancelled() and (violated := watch[0].exception()) is not None:
            self._end(goal, ABORTED, str(violated), _PATH_VIOLATED)
        elif goal.status == RECALLING:
            self._end(goal, RECALLED, "it was cancelled before it began")
        elif not watch and goal.status != PREEMPTING:
            self._end(goal, RECALLED, str(error))
        else:
            self._end(goal, PREEMPTED, str(error))

    async def _watch(self, goal: _Goal, driven: Driven, asked: Message) -> None:
        """Tell how far it is, and stop when it strays from its path by more than is borne."""
        borne = self._tolerances(asked["path_tolerance"])
        while True:
            record = self._mover.cell.station.state
            at = self._messages.stamp(record)
            feedback = self._messages.feedback(record, at, time.monotonic() - driven.began)
            self._say("feedback", {"header": self._messages.header(at), "status": goal.message(), "feedback": feedback})
            apart = np.abs(record["q"] - record["measured_q"])
            if (apart > borne).any():
                j = int((apart - borne).argmax())
                await self._stop()
                raise _PathViolated(f"{self._joints[j]} is {apart[j]:.4g} away from its path; {borne[j]:.4g} is borne")
            await asyncio.sleep(_FEEDBACK)

    async def _settle(self, goal: _Goal, driven: Driven, asked: Message) -> None:
        """Until the robot is as near to its goal as asked: a real one is behind what it is commanded.

        Raises:
            _GoalViolated: It is not, by the time that the trajectory says and the tolerance of it; by half a second after the
                commanded end where there is none.
        """
        borne, late = self._tolerances(asked["goal_tolerance"]), seconds(asked["goal_time_tolerance"])
        lasts = seconds(asked["trajectory"]["points"][-1]["time_from_start"])
        end = driven.began + lasts + late if late else time.monotonic() + _SETTLES
        held = np.isfinite(borne)  # of the others nobody asks, nor whether they are measured
        while not ((apart := np.abs(self._mover.cell.state.measured - driven.goal)) <= borne)[held].all():
            if goal.status == PREEMPTING or any(each.status == ACTIVE for each in self._goals.values() if each is not goal):
                raise Preempted("it was cancelled, or another goal took its place, before it came to its goal")
            if time.monotonic() >= end:
                j = int(np.where(held, np.nan_to_num(apart - borne, nan=np.inf), -np.inf).argmax())
                raise _GoalViolated(f"{self._joints[j]} is {apart[j]:.4g} away from its goal; {borne[j]:.4g} is borne")
            await asyncio.sleep(_LOOK)

    @property
    def _joints(self) -> tuple[str, ...]:
        return self._mover.cell.model.joints

    def _tolerances(self, given: Any) -> "np.ndarray[Any, np.dtype[np.float64]]":
        """How far each joint may be off; anything where nothing, zero or less is said."""
        borne = np.full(len(self._joints), np.inf)
        for each in given:
            if each["name"] in self._joints and each["position"] > 0.0:
                borne[self._joints.index(each["name"])] = each["position"]
        return borne

    def _end(self, goal: _Goal, status: int, text: str, code: int = _SUCCESSFUL) -> None:
        goal.status, goal.text, goal.ended = status, text, time.monotonic()
        result = empty_message(ros1_type("control_msgs/FollowJointTrajectoryResult"))
        result["error_code"], result["error_string"] = code, text
        if status == REJECTED:  # ROS 2's clients are told no reason
            self._wire.publish("/rosout", self._messages.log(f"{ACTION}: {text}", NODE))
        self._tell_status()  # before its result, as actionlib does: who has that looks at the status next
        header = self._messages.header(time.time())
        self._say("result", {"header": header, "status": goal.message(), "result": result})

    def _tell_status(self) -> None:
        header = self._messages.header(time.time())
        self._say("status", {"header": header, "status_list": [goal.message() for goal in self._goals.values()]})

    def _forget(self) -> None:
        now = time.monotonic()
        self._goals = {key: goal for key, goal in self._goals.items() if not goal.ended or now - goal.ended < _REMEMBERED}
