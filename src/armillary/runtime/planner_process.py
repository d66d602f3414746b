"""The worker that plans: requests in, proven motions out. It may be slow, it may be killed and started again."""

import os
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from armillary.errors import ArmillaryError
from armillary.model import frame_pose
from armillary.motion import (
    LookAhead,
    NoMotion,
    Plan,
    Segment,
    ToolPath,
    Trajectory,
    arc_through,
    certify,
    line,
    moved,
    plan_joints,
    plan_to_pose,
    plan_tool,
    retarget,
    tool_pose,
)
from armillary.motion.trajectory import State as JointState
from armillary.runtime.board_kinds import state_kind
from armillary.runtime.channel import Board, Pipe
from armillary.runtime.executor import Refused
from armillary.runtime.handover import Handover
from armillary.runtime.message import Message, handover_messages
from armillary.runtime.prepared import Prepared
from armillary.runtime.states import State
from armillary.spatial import transform_from_xyz_rpy

__all__ = ["Planner", "run", "warm_up"]

Array = NDArray[np.float64]
_IDLE = 0.002  # s between looks for a request
_THERE = 1e-9  # rad or m from a goal that is reached already
_SOON = 0.02  # s of a motion that are driven in lock-step before the next piece must have come
_LEAD = 0.2  # s ahead of the robot, and what planning took: where a motion may still be changed
_MOVES = frozenset({"joints", "pose", "line", "arc", "retarget", "trajectory"})


class Planner:
    """Plans what is asked for, from where the robot will be then."""

    def __init__(self, folder: Path, prepared: Prepared) -> None:
        self.prepared, self.model = prepared, prepared.model
        self.state, self._state = Board(folder / "state", state_kind(self.model.n)), np.zeros(1, dtype=state_kind(self.model.n))
        self.plans, self.planned = Pipe(folder / "plans"), Pipe(folder / "planned")
        self.plans.clear()
        self._parent = os.getppid()
        self._lead = 2.0 * prepared.settings.period if prepared.settings.pace == "lock_step" else _LEAD
        self._waiting: deque[Message] = deque()
        self._motion = int(time.monotonic() * 1e3) << 8  # numbers of motions: above those of a planner before
        self._end: tuple[int, int, Array] | None = None  # motion, stops before it, and where it ends
        self._driven: tuple[float, Trajectory] | None = None  # when in its motion the last handover begins, and its trajectory
        self._stream: _Stream | None = None
        self._plan: dict[str, Callable[[Message], Plan]] = {
            "joints": self._joints, "pose": self._pose, "line": self._along, "arc": self._along, "trajectory": self._given,
        }  # fmt: skip

    def begin(self) -> None:
        """Say that what one before was planning is not planned any more."""
        self._send(Message("started", 0, time.monotonic()))

    def serve(self) -> None:
        while os.getppid() == self._parent:
            message = self._waiting.popleft() if self._waiting else self._receive()
            if message is None:
                time.sleep(_IDLE)
            elif message.kind == "move":
                self.move(message)
            elif message.kind == "finish":
                self._finish()

    def move(self, message: Message) -> None:
        """Plan one motion, and hand it over or say why not."""
        try:
            what = str(message.values["what"])
            if what not in _MOVES:
                raise Refused(f"there is no motion '{what}'; there are: {', '.join(sorted(_MOVES))}")
            self._ready()
            if what == "retarget":
                self._retarget(message)
            elif self._is_there(message):
                summary = {"motion": 0, "duration": 0.0, "notes": ["it is there already"], "planned_in": 0.0}
                self._send(Message("nothing", 0, time.monotonic(), {"request": message.number, "summary": summary}))
            elif self._blends(message):
                self._queue(message)
            else:
                self._finish()
                plan = self._plan[what](message)
                self._hand_over(message, plan)
        except ArmillaryError as error:
            values = {"request": message.number, "text": str(error), "kind": type(error).__name__}
            self._send(Message("failed", 0, time.monotonic(), values))
        except Exception as error:  # whatever comes out of a request: it is answered, and the next one is planned
            self._stream = None
            text = f"this motion cannot be understood: {error}"
            self._send(Message("failed", 0, time.monotonic(), {"request": message.number, "text": text, "kind": "Refused"}))

    def _is_there(self, message: Message) -> bool:
        """Whether it stands already where it is to go, and nothing is being moved."""
        if self._state["moves"][0] or self._state["queued"][0] or message.values["what"] not in ("joints", "pose", "line"):
            return False
        q = np.array(self._state["q"][0])
        if message.values["what"] == "joints":
            return bool(np.abs(self.model.valid(np.array(message.arrays["goal"]), "goal") - q).max() < _THERE)
        return bool(np.abs(tool_pose(self.model, q, base=self.model.reference) - _pose(message)).max() < _THERE)

    # Kinds of motion.

    def _joints(self, message: Message) -> Plan:
        start, goal = self._from(), self.model.valid(np.array(message.arrays["goal"]), "goal")
        plan = plan_joints(
            self.model, start, goal, limits=self.prepared.limits, bounds=self.prepared.bounds, origin=_origin(message)
        )
        return self._slower(plan, message)

    def _pose(self, message: Message) -> Plan:
        prepared = self.prepared
        plan = plan_to_pose(
            self.model, self._from(), _pose(message), base=self.model.reference, limits=prepared.limits, bounds=prepared.bounds,
            scene=prepared.scene if message.values.get("around") else None, origin=_origin(message),
        )  # fmt: skip
        return self._slower(plan, message)

    def _along(self, message: Message) -> Plan:
        start = self._from()
        path, feed = self._path(message, start), message.values.get("feed")
        return plan_tool(self.model, start, path, feed=feed, limits=self.prepared.limits, bounds=self.prepared.bounds)

    def _given(self, message: Message) -> Plan:
        """A finished trajectory, proven here: a proof from elsewhere is not trusted."""
        values, begin = message.values, time.monotonic()
        trajectory = Trajectory(
            tuple(values["joints"]), message.arrays["durations"], message.arrays["coefficients"],
            continuity=int(values["continuity"]), origins=tuple(values["origins"]), profile=str(values["profile"]),
        )  # fmt: skip
        if trajectory.joints != self.model.joints:
            raise Refused(f"it moves {', '.join(trajectory.joints)}; this robot has {', '.join(self.model.joints)}")
        certificate = certify(trajectory, self.model, limits=self.prepared.limits, bounds=self.prepared.bounds)
        return Plan(trajectory, certificate, seconds=time.monotonic() - begin)

    def _path(self, message: Message, q: Array) -> ToolPath:
        """A line or an arc of the tool, in the world, from where a configuration has it."""
        base = self.model.reference
        here = tool_pose(self.model, q, base=base)
        if message.values["what"] == "line":
            path = line(here, _pose(message))
        else:
            path = arc_through(here, message.arrays["via"], _pose(message))
        path = replace(path, origins=(_origin(message),) * len(path.pieces))
        return moved(path, frame_pose(self.model, q, base)) if base else path

    def _slower(self, plan: Plan, message: Message) -> Plan:
        """The same motion at a share of its speed, proven again."""
        share = float(message.values.get("share", 1.0))
        if share >= 1.0 or not plan:
            return plan
        trajectory = plan.trajectory.slowed(1.0 / share)
        return replace(
            plan, trajectory=trajectory,
            certificate=certify(trajectory, self.model, limits=self.prepared.limits, bounds=self.prepared.bounds),
        )  # fmt: skip

    def _retarget(self, message: Message) -> None:
        """From a motion that is being driven to another goal, without a stop."""
        self._look()
        goal = self.model.valid(np.array(message.arrays["goal"]), "goal")
        end = self._end
        if not self._state["moves"][0] or end is None or end[0] != int(self._state["motion"][0]) or self._driven is None:
            self._stream = None
            self._hand_over(message, self._joints(message))
            return
        self._finish()  # a queue does not go on from another goal
        at = float(self._state["motion_time"][0]) + self._lead
        begins, trajectory = self._driven
        if at - begins >= trajectory.duration - 1e-3:
            raise NoMotion("the motion ends before it could be changed; wait until it stands")
        here = trajectory.at(at - begins)
        state = JointState(here.q, here.v, here.a, here.j)
        plan = retarget(
            self.model, state, goal, limits=self.prepared.limits, bounds=self.prepared.bounds, origin=_origin(message)
        )
        self._hand_over(message, plan, motion=end[0], at=at)

    # Blended motions: a queue that is driven as one.

    def _blends(self, message: Message) -> bool:
        open_end = self._stream is not None and self._stream.open and self._drives(self._stream.motion)
        if float(message.values.get("share", 1.0)) < 1.0 or message.values.get("while_pressed") or message.values.get("around"):
            return False  # at its own speed, held, or around obstacles: from rest to rest
        return float(message.values.get("blend", 0.0)) > 0.0 or open_end

    def _queue(self, message: Message) -> None:
        stream = self._stream
        if stream is None or not (stream.open and self._drives(stream.motion)):
            self._finish()
            stream = None
        if stream is not None:
            segment = self._segment(message, stream.look_ahead.q)
            self._wait_until(stream)
            at = stream.go_on_at(float(self._state["motion_time"][0]), self._lead)
            if at is not None and not stream.look_ahead.add([segment]):
                stream.open = segment.blend > 0.0
                plan = stream.look_ahead.all(self.prepared.bounds)
                self._stream = None  # what is not proven or not taken must not be part of what comes next
                if self._hand_over(message, plan, motion=stream.motion, at=at, until=self._until(stream, plan, at)):
                    self._stream = stream
                return
            self._finish()
            # Too late, or no way on without a stop: it begins where the one before ends.
        start = self._from()
        stream = _Stream(LookAhead(self.model, start, limits=self.prepared.limits))
        segment = self._segment(message, start)
        if stream.look_ahead.add([segment]):
            raise NoMotion("a path with corners cannot be queued with a blend; give it piece by piece")
        stream.open = segment.blend > 0.0
        plan = stream.look_ahead.all(self.prepared.bounds)
        if self._hand_over(message, plan, until=self._until(stream, plan, 0.0)):
            stream.motion = self._motion
            self._stream = stream

    def _until(self, stream: "_Stream", plan: Plan, at: float) -> float:
        """When the next piece must have come, where time can wait for it."""
        if not (stream.open and self.prepared.settings.pace == "lock_step"):
            return 0.0
        stream.until = at + min(_SOON, 0.25 * plan.trajectory.duration)
        return stream.until

    def _wait_until(self, stream: "_Stream") -> None:
        """In lock-step the next piece is made where time waits for it: so it is the same every time."""
        deadline = time.monotonic() + 10.0
        while stream.until and self._drives(stream.motion) and time.monotonic() < deadline:
            if float(self._state["motion_time"][0]) + 2.5 * self.prepared.settings.period >= stream.until:
                return
            time.sleep(0.001)

    def _finish(self) -> None:
        """No more comes behind what is queued."""
        stream, self._stream = self._stream, None
        if stream is not None and stream.until:
            self._send(Message("no_more", 0, time.monotonic(), {"motion": stream.motion}))

    def _segment(self, message: Message, q: Array) -> Segment:
        values = message.values
        blend, feed, origin = float(values.get("blend", 0.0)), values.get("feed"), _origin(message)
        most = self.prepared.bounds.tool_speed
        if most is not None:
            feed = min(feed or most, most)
        if values["what"] in ("line", "arc"):
            return Segment(self._path(message, q), blend=blend, feed=feed, origin=origin)
        if values["what"] == "pose":
            plan = plan_to_pose(self.model, q, _pose(message), base=self.model.reference, limits=self.prepared.limits)
            return Segment(plan.trajectory.end.q, blend=blend, origin=origin)
        return Segment(self.model.valid(np.array(message.arrays["goal"]), "goal"), blend=blend, origin=origin)

    # Handing over.

    def _hand_over(self, message: Message, plan: Plan, *, motion: int = 0, at: float = 0.0, until: float = 0.0) -> bool:
        """Whether the executor has taken it."""
        if not plan:
            raise NoMotion(f"this motion is not proven: {plan.certificate}")
        if not motion:
            self._motion += 1
            motion = self._motion
        handover = Handover(
            plan.trajectory, plan.certificate, motion, at, until, bool(message.values.get("while_pressed", False))
        )
        summary = {
            "motion": motion, "duration": plan.trajectory.duration, "notes": list(plan.notes), "planned_in": plan.seconds,
            "segments": len(plan.trajectory.durations), "end": [float(value) for value in plan.trajectory.end.q],
        }  # fmt: skip
        stops = int(self._state["stops"][0])
        whose = {"request": message.number, "stops": int(message.values.get("stops", stops))}
        for part in handover_messages(handover, 1, time.monotonic(), int(message.values.get("owner", 0))):
            more = {**whose, "summary": summary} if part.kind == "run" else whose
            self._send(replace(part, values={**part.values, **more}))
        taken = self._accepted(motion, at)
        if taken:
            self._end = (motion, stops, plan.trajectory.end.q.copy())
            self._driven = (at, plan.trajectory)
        return taken

    def _accepted(self, motion: int, at: float) -> bool:
        """Wait until the executor has taken a motion, or not; other requests are kept for later."""
        deadline = time.monotonic() + 2.0
        while time.monotonic() < deadline:
            message = self._receive()
            if message is None:
                time.sleep(0.0005)
            elif message.kind != "accepted":
                self._waiting.append(message)
            elif int(message.values["motion"]) == motion and float(message.values["at"]) == at:
                return not message.values["refused"]
        return False

    # Where the robot is.

    def _look(self) -> None:
        self.state.read(self._state)

    def _drives(self, motion: int) -> bool:
        self._look()
        return int(self._state["motion"][0]) == motion and State(int(self._state["state"][0])) == State.MOVING

    def _ready(self) -> None:
        self._look()
        state = State(int(self._state["state"][0]))
        if state not in (State.READY, State.MOVING, State.HOLDING):
            fault = bytes(self._state["fault"][0]).decode(errors="replace")
            raise Refused(f"it is {state.name}" + (f" ({fault}): reset it first" if fault else "; power it on and initialise it"))

    def _from(self) -> Array:
        """Where the robot stands, or will when all that was handed over is done."""
        self._look()
        state = self._state
        end = self._end
        if end is not None and end[1] == int(state["stops"][0]):
            behind = int(state["queued"][0]) > 0 or (bool(state["moves"][0]) and int(state["motion"][0]) == end[0])
            if behind:
                return end[2]
        return np.array(state["q"][0])

    def _receive(self) -> Message | None:
        data = self.plans.receive()
        return None if data is None else Message.decode(data)

    def _send(self, message: Message) -> None:
        data = message.encode()
        while not self.planned.send(data):
            time.sleep(_IDLE)


class _Stream:
    """A queue of blended segments that is driven as one motion."""

    def __init__(self, look_ahead: LookAhead) -> None:
        self.look_ahead, self.motion, self.open = look_ahead, 0, True
        self._fixed = 0.0  # the motion's time up to which it stays as it is
        self.until = 0.0  # the motion's time at which it waits for more, in lock-step

    def go_on_at(self, now: float, lead: float) -> float | None:
        """Fix what will have been driven by the time that a change arrives; from when on it may change, or None: too late."""
        need = now + lead - self._fixed
        if need > 0.0:
            passed = self.look_ahead.pass_over(need)
            if passed == 0.0:
                return None
            self._fixed += passed
        return self._fixed


def _pose(message: Message) -> Array:
    return transform_from_xyz_rpy(message.arrays["xyz"], message.arrays["rpy"])


def _origin(message: Message) -> str:
    return str(message.values.get("origin", ""))


def warm_up(prepared: Prepared) -> None:
    """Plan something, so that what is slow the first time has been done before somebody waits for it."""
    model, q = prepared.model, prepared.start
    span = np.where(np.isfinite(model.upper - model.lower), model.upper - model.lower, 1.0)
    goal = np.clip(q + 0.01 * span, model.lower, model.upper)
    try:
        plan_joints(model, q, goal, limits=prepared.limits, bounds=prepared.bounds)
        here, there = tool_pose(model, q), tool_pose(model, goal)
        plan_tool(model, q, line(here, there), limits=prepared.limits, bounds=prepared.bounds)
    except ArmillaryError:
        pass  # from there it cannot be done: it is not meant to be driven


def run(folder: Path, prepared: Prepared) -> None:
    """The planner's process."""
    planner = Planner(folder, prepared)  # from here on requests are kept for it
    planner.begin()
    (folder / "planner.ready").touch()
    warm_up(prepared)
    planner.serve()
