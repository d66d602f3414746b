"""The worker that plans: requests in, proven motions out. It may be slow, it may be killed and started again."""

import os
import time
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.errors import ArmillaryError
from armillary.motion import (
    LookAhead,
    NoMotion,
    Plan,
    Segment,
    ToolPath,
    Trajectory,
    certify,
    line,
    plan_joints,
    plan_tool,
    retarget,
    tool_pose,
)
from armillary.motion.slowing import slowed_until_it_holds
from armillary.motion.trajectory import State as JointState
from armillary.programs import Move, MoveJoints
from armillary.programs.command_values import command_from_values
from armillary.programs.outputs_with_motion import MotionOutputs, last_of_each, setting_before
from armillary.runtime.blended_queue import BlendedQueue
from armillary.runtime.board_kinds import state_kind
from armillary.runtime.channel import Board, Pipe
from armillary.runtime.command_planning import CommandPlanner, going_somewhere, with_line
from armillary.runtime.errors import Refused
from armillary.runtime.handover import Handover
from armillary.runtime.inputs_outputs import TimedOutput
from armillary.runtime.message import Message, handover_messages
from armillary.runtime.motion_marks import outputs_at_begin, without_marks
from armillary.runtime.prepared import Prepared
from armillary.runtime.states import State

__all__ = ["Planner", "run", "warm_up"]

Array = NDArray[np.float64]
_IDLE = 0.002  # s between looks for a request
_SOON = 0.02  # s of a motion that are driven in lock-step before the next piece must have come, at least
_KNOWN = 2.0  # s of a motion that are ahead in lock-step when the next piece must have come, at most
_LEAD = 0.2  # s ahead of the robot: where a motion may still be changed
_FARTHEST = 1.5  # s: likewise, on a machine that is slow
_READY = (State.READY, State.MOVING, State.HOLDING)  # in which a motion may be planned


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
        # Numbers of motions: above those of a planner before. In lock-step they are the same in every run.
        self._motion = 0 if prepared.settings.pace == "lock_step" else int(time.monotonic() * 1e3) << 8
        self._end: tuple[int, int, Array] | None = None  # motion, stops before it, and where it ends
        self._driven: tuple[float, Trajectory] | None = None  # when in its motion the last handover begins, and its trajectory
        self._stream: BlendedQueue | None = None
        self._own_bounds = self.bounds = prepared.bounds
        self.planner = CommandPlanner(self.model, prepared.limits, self.bounds, prepared.scene)

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
        """Plan what a request asks for, and hand it over or say why not."""
        try:
            self._ready()
            self._bound_tool_speed(float(message.values.get("tool_speed", 0.0)))
            self._answer(message, self._asked(message))
        except ArmillaryError as error:
            self._fail(message, str(error), type(error).__name__)
        except Exception as error:  # whatever comes out of a request: it is answered, and the next one is planned
            self._stream = None
            self._fail(message, f"this motion cannot be understood: {error}", "Refused")

    def _bound_tool_speed(self, most: float) -> None:
        """Hold what is planned from now on to a speed of the tool [m/s] below the cell's own bound; 0 for that alone."""
        own = self._own_bounds.tool_speed
        bound = own if not most else most if own is None else min(most, own)
        if bound != self.bounds.tool_speed:
            self._finish()  # a queue that goes on was planned with another
            self.bounds = replace(self._own_bounds, tool_speed=bound)
            self.planner = CommandPlanner(self.model, self.prepared.limits, self.bounds, self.prepared.scene)

    def _asked(self, message: Message) -> dict[str, Any]:
        """What became of a request."""
        what = str(message.values.get("what", "commands"))
        if what == "retarget":
            return self._retarget(message)
        if what == "trajectory":
            self._finish()
            return self._hand_over(message, self._given(message))
        if what != "commands":
            raise Refused(f"there is no motion '{what}'; there are: commands, retarget, trajectory")
        moves, behind = going_somewhere([_move_from(values) for values in message.values["commands"]])
        done, waiting = self._run(message, moves)
        return {**done, "outputs": last_of_each(waiting, behind)}

    def _answer(self, message: Message, summary: dict[str, Any]) -> None:
        self._send(Message("done", 0, time.monotonic(), {"request": message.number, "summary": summary}))

    def _fail(self, message: Message, text: str, kind: str) -> None:
        values = {"request": message.number, "text": without_marks(text), "kind": kind}
        self._send(Message("failed", 0, time.monotonic(), values))

    def _run(self, message: Message, moves: list[Move]) -> tuple[dict[str, Any], MotionOutputs]:
        """Hand over one command after the other; those that go on without a stop as one motion.

        What became of it, and the outputs that wait for the next one that moves: those before have nothing to do.
        """
        waiting: MotionOutputs = ()
        done: dict[str, Any] = {"motion": 0, "duration": 0.0, "notes": ["it is there already"], "planned_in": 0.0, "motions": []}
        motions: dict[int, float] = {}  # how long each lasts that was handed over or went on, in its own time [s]
        held = bool(message.values.get("while_pressed")) and not message.values.get("resumable")
        while moves:
            first = moves[0] = setting_before(moves[0], waiting)
            waiting = ()
            try:
                if self.planner.is_there(first, self._from()):
                    if self._moves and self._end is not None:
                        done = {**done, "motion": self._end[0], "at": 0.0}  # it will be, when that is done
                    moves, waiting = moves[1:], first.outputs
                elif not held and not message.values.get("around") and self._goes_on(first):
                    taken, done = self._queue(message, moves)
                    moves = moves[taken:]
                else:
                    self._finish()
                    plan = self.planner.plan(first, self._from(), around=bool(message.values.get("around")))
                    done = self._hand_over(message, plan, outputs=outputs_at_begin(first.outputs))
                    moves = moves[1:]
            except ArmillaryError as error:
                raise with_line(error, first) from None
            if done["duration"]:
                motions[done["motion"]] = done["at"] + done["duration"]
        return {**done, "motions": list(motions.items())}, waiting

    def _given(self, message: Message) -> Plan:
        """A finished trajectory, proven here: a proof from elsewhere is not trusted."""
        values, begin = message.values, time.monotonic()
        trajectory = Trajectory(
            tuple(values["joints"]), message.arrays["durations"], message.arrays["coefficients"],
            continuity=int(values["continuity"]), origins=tuple(values["origins"]), profile=str(values["profile"]),
        )  # fmt: skip
        if trajectory.joints != self.model.joints:
            raise Refused(f"it moves {', '.join(trajectory.joints)}; this robot has {', '.join(self.model.joints)}")
        trajectory, certificate, slower = slowed_until_it_holds(
            trajectory, lambda made: certify(made, self.model, limits=self.prepared.limits, bounds=self.bounds),
            float(values.get("slower", 1.0)),
        )  # fmt: skip
        notes = (f"{slower:.4g} times slower than asked: the robot's limits",) if slower > 1.001 else ()
        return Plan(trajectory, certificate, seconds=time.monotonic() - begin, notes=notes)

    def _retarget(self, message: Message) -> dict[str, Any]:
        """From a motion that is being driven to another goal, without a stop."""
        self._look()
        goal = self.model.valid(np.array(message.arrays["goal"]), "goal")
        end = self._end
        if not self._state["moves"][0] or end is None or end[0] != int(self._state["motion"][0]) or self._driven is None:
            self._stream = None
            return self._hand_over(message, self.planner.plan(MoveJoints(goal=tuple(goal.tolist())), self._from()))
        self._finish()  # a queue does not go on from another goal
        at = float(self._state["motion_time"][0]) + self._lead
        begins, trajectory = self._driven
        if at - begins >= trajectory.duration - 1e-3:
            raise NoMotion("the motion ends before it could be changed; wait until it stands")
        here = trajectory.at(at - begins)
        state = JointState(here.q, here.v, here.a, here.j)
        plan = retarget(self.model, state, goal, limits=self.prepared.limits, bounds=self.bounds)
        return self._hand_over(message, plan, motion=end[0], at=at)

    # Blended motions: a queue that is driven as one.

    def _goes_on(self, first: Move) -> bool:
        """Whether a command is driven as part of a motion that may go on: it has a blend, or goes on from one that has."""
        stream = self._stream
        open_end = stream is not None and stream.open and (self._drives(stream.motion) or self._awaits(stream.motion))
        return self.planner.goes_on(first) and (first.rounds or open_end)

    def _queue(self, message: Message, moves: list[Move]) -> tuple[int, dict[str, Any]]:
        """Drive as many of the commands as go on from each other as one motion; how many, and what became of them."""
        stream = self._stream
        if stream is None or not stream.open or not (self._drives(stream.motion) or self._awaits(stream.motion)):
            self._finish()
            stream = None
        count = 1
        while count < len(moves) and moves[count - 1].rounds and self.planner.goes_on(moves[count]):
            count += 1
        if stream is not None and self._awaits(stream.motion):
            taken = self._add(stream, moves[:count])
            if taken:
                try:
                    return taken, self._hand_over_stream(message, stream, None)
                except Refused:  # it has just begun: from now on it can only go on; or it is over by now
                    if self._awaits(stream.motion) or self._is_stopped(message):
                        raise
                drives = self._drives(stream.motion)
                at = stream.go_on_at(float(self._state["motion_time"][0]), self._lead) if drives else None
                done = None if at is None else self._in_time(message, stream, at)
                if done is not None:
                    return taken, done
                self._no_more(stream)
                stream = None
        if stream is not None and self._drives(stream.motion):
            self._wait_until(stream)
            at = stream.go_on_at(float(self._state["motion_time"][0]), self._lead)
            begin, left = time.monotonic(), stream.look_ahead.left
            taken = 0 if at is None else self._add(stream, moves[:count])
            if at is not None and taken:
                gave, done = stream.look_ahead.left - left, self._in_time(message, stream, at)
                if not self.prepared.settings.steps:
                    took = time.monotonic() - begin
                    stream.keep_up(took, gave, left - took)
                    # Next time as far ahead as this took, and half as much again.
                    self._lead = float(np.clip(1.5 * took + 0.1, max(_LEAD, 0.9 * self._lead), _FARTHEST))
                if done is not None:
                    return taken, done
            self._no_more(stream)
            # Too late, or no way on without a stop: it begins where the one before ends.
        stream = BlendedQueue(LookAhead(self.model, self._from(), limits=self.prepared.limits))
        taken = self._add(stream, moves[:count])
        if not taken:
            raise NoMotion("a path with corners cannot be queued with a blend; give it piece by piece")
        return taken, self._hand_over_stream(message, stream, None)

    def _in_time(self, message: Message, stream: BlendedQueue, at: float) -> dict[str, Any] | None:
        """Let a motion go on from a time of its own; None where that came too late, and it ends where it would have."""
        try:
            return self._hand_over_stream(message, stream, at)
        except Refused:
            if not self._moves or self._is_stopped(message):
                raise
            return None

    def _add(self, stream: BlendedQueue, moves: list[Move]) -> int:
        """Let a stream go on with commands; how many it took before one that can only begin after a stop, or cannot be driven.

        Raises:
            NoMotion, BadMotion: The first of them cannot be driven.
        """
        segments = self._segments(stream.marks.put_on(moves), stream)
        behind = stream.look_ahead.add([segment for segment, _ in segments])
        segments = segments[: len(segments) - len(behind)]
        taken = sum(count for _, count in segments)
        if taken:
            stream.marks.take(moves[:taken])
            stream.open = moves[taken - 1].rounds
            end = segments[-1][0].to
            stream.end = end.at([end.length]) if isinstance(end, ToolPath) else None
        return taken

    def _segments(self, moves: list[Move], stream: BlendedQueue) -> list[tuple[Segment, int]]:
        """Of as many commands as are of one kind and can be understood, one at least; each with how many it stands for."""
        found: list[tuple[Segment, int]] = []
        source = self.planner.segments(moves, stream.look_ahead.q, stream.end)
        while True:
            try:
                segment, count = next(source)
            except StopIteration:
                return found
            except ArmillaryError:
                if not found:
                    raise
                return found
            if found and segment.by_tool != found[0][0].by_tool:
                return found
            if stream.slower < 1.0 and segment.feed is not None:
                segment = replace(segment, feed=segment.feed * stream.slower)
            found.append((segment, count))

    def _hand_over_stream(self, message: Message, stream: BlendedQueue, at: float | None) -> dict[str, Any]:
        plan = stream.look_ahead.all(self.bounds)
        self._stream = None  # what is not proven or not taken must not be part of what comes next
        begins = at or 0.0
        trajectory, outputs = stream.marks.split(plan.trajectory, stream.look_ahead.begins(), begins)
        plan, until = replace(plan, trajectory=trajectory), self._until(stream, plan, begins)
        done = self._hand_over(message, plan, motion=stream.motion, at=begins, until=until, outputs=outputs)
        stream.motion = int(done["motion"])
        stream.marks.handed_over(outputs)
        self._stream = stream
        if stream.slower < 1.0:
            done["notes"] = [*done["notes"], f"slowed to {100 * stream.slower:.0f} % of its feed, for planning to keep up"]
        return done

    def _until(self, stream: BlendedQueue, plan: Plan, at: float) -> float:
        """When the next piece must have come, where time can wait for it."""
        if not (stream.open and self.prepared.settings.pace == "lock_step"):
            return 0.0
        # Not before the motion ahead is short: what is known would grow with every command, and be sent again with each.
        duration = plan.trajectory.duration
        stream.until = at + max(min(_SOON, 0.25 * duration), duration - _KNOWN)
        return stream.until

    def _wait_until(self, stream: BlendedQueue) -> None:
        """In lock-step the next piece is made where time waits for it: so it is the same every time."""
        deadline = time.monotonic() + 60.0
        while stream.until and self._drives(stream.motion) and time.monotonic() < deadline:
            if float(self._state["motion_time"][0]) + 2.5 * self.prepared.settings.period >= stream.until:
                return
            time.sleep(0.001)

    def _finish(self) -> None:
        """No more comes behind what is queued."""
        if self._stream is not None:
            self._no_more(self._stream)

    def _no_more(self, stream: BlendedQueue) -> None:
        """Nothing comes behind a stream: where time waits for it, it goes on."""
        self._stream = None
        if stream.until:
            self._send(Message("no_more", 0, time.monotonic(), {"motion": stream.motion}))

    # Handing over.

    def _hand_over(
        self, message: Message, plan: Plan, *, motion: int = 0, at: float = 0.0, until: float = 0.0,
        outputs: tuple[TimedOutput, ...] = (),
    ) -> dict[str, Any]:  # fmt: skip
        """What the executor has taken.

        Raises:
            Refused: It has not; says why.
        """
        if not plan:
            raise NoMotion(f"this motion is not proven: {plan.certificate}")
        if not motion:
            self._motion += 1
            motion = self._motion
        held, resumable = (bool(message.values.get(name, False)) for name in ("while_pressed", "resumable"))
        handover = Handover(plan.trajectory, plan.certificate, motion, at, until, held, outputs, resumable)
        stops = int(message.values.get("stops", self._state["stops"][0]))
        while True:
            refused = self._offer(message, handover, stops)
            if not refused:
                break
            if State.HOLDING.name not in refused:
                raise Refused(refused)
            self._wait_while_held(stops)  # the hold may be over by now: it is offered again all the same
        self._end = (motion, stops, plan.trajectory.end.q.copy())
        self._driven = (at, plan.trajectory)
        return {
            "motion": motion, "at": at, "duration": plan.trajectory.duration, "notes": list(plan.notes),
            "planned_in": plan.seconds, "segments": len(plan.trajectory.durations),
            "end": [float(value) for value in plan.trajectory.end.q],
        }  # fmt: skip

    def _offer(self, message: Message, handover: Handover, stops: int) -> str:
        """Send a motion to the executor; why it has not taken it, or ""."""
        whose = {"request": message.number, "stops": stops}
        for part in handover_messages(handover, 1, time.monotonic(), int(message.values.get("owner", 0))):
            self._send(replace(part, values={**part.values, **whose}))
        return self._accepted(handover.motion, handover.at)

    def _wait_while_held(self, stops: int) -> None:
        """Wait until a motion that is held goes on, or is stopped."""
        while os.getppid() == self._parent:
            self._look()
            if State(int(self._state["state"][0])) != State.HOLDING or int(self._state["stops"][0]) != stops:
                return
            time.sleep(_IDLE)

    def _accepted(self, motion: int, at: float) -> str:
        """Wait until the executor has taken a motion, or says why not; other requests are kept for later."""
        deadline = time.monotonic() + 2.0
        while time.monotonic() < deadline:
            message = self._receive()
            if message is None:
                time.sleep(0.0005)
            elif message.kind != "accepted":
                self._waiting.append(message)
            elif int(message.values["motion"]) == motion and float(message.values["at"]) == at:
                return str(message.values["refused"])
        return "the executor does not answer"

    # Where the robot is.

    def _look(self) -> None:
        self.state.read(self._state)

    def _drives(self, motion: int) -> bool:
        self._look()
        return int(self._state["motion"][0]) == motion and State(int(self._state["state"][0])) == State.MOVING

    def _awaits(self, motion: int) -> bool:
        """Whether a motion waits behind the one that is being driven, as the last."""
        self._look()
        state = self._state
        last = self._end is not None and self._end[0] == motion and self._end[1] == int(state["stops"][0])
        return last and int(state["queued"][0]) > 0 and int(state["motion"][0]) != motion

    def _is_stopped(self, message: Message) -> bool:
        """Whether it was stopped since a motion was asked for, or is not ready to move."""
        state = self._state
        stops = int(state["stops"][0])
        return stops != int(message.values.get("stops", stops)) or State(int(state["state"][0])) not in _READY

    @property
    def _moves(self) -> bool:
        """Whether anything is being moved, or waits for it."""
        return bool(self._state["moves"][0]) or int(self._state["queued"][0]) > 0

    def _ready(self) -> None:
        self._look()
        state = State(int(self._state["state"][0]))
        if state not in _READY:
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


def _move_from(values: Any) -> Move:
    command = command_from_values(values)
    if not isinstance(command, Move):
        raise Refused(f"a {type(command).__name__} is no motion")
    return command


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
