"""From commands to proven motions: each from rest to rest, or as a segment of a motion that goes on."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.errors import ArmillaryError
from armillary.model import Model, Scene, frame_pose
from armillary.motion import (
    Bounds,
    MotionLimits,
    NoMotion,
    Plan,
    Segment,
    ToolPath,
    arc_through,
    certify,
    line,
    moved,
    plan_joints,
    plan_spline,
    plan_to_pose,
    plan_tool,
    spline,
    tool_pose,
)
from armillary.motion.smoothing import STRAIGHT, smooth_through
from armillary.motion.tool_path import RADIAN, ToolStates
from armillary.motion.winding import helix, turning_line
from armillary.programs import Move, MoveArc, MoveCircle, MoveJoints, MoveLine, MovePose, MoveSpline
from armillary.programs.outputs_with_motion import MotionOutputs, last_of_each, setting_before
from armillary.runtime.errors import Refused
from armillary.spatial import inverse, rotation_from_rpy, rpy_from_rotation, transform, transform_from_xyz_rpy

__all__ = ["CommandPlanner", "goes_nowhere", "going_somewhere", "with_line"]

Array = NDArray[np.float64]
_THERE = 1e-9  # rad or m from a goal that is reached already
_SHORT = 0.005  # m: lines up to here may be parts of a curve
_CHORD = 2e-5  # m that a curve may be from its lines, where their ends are rounded by a way and not by a tolerance
_ANGLES = 1e-6  # how far a tool may be turned away from the angles that a line begins with


@dataclass(frozen=True, eq=False)
class CommandPlanner:
    """Plans commands for a robot in its cell.

    Attributes:
        model, limits: The robot. bounds: What its motions are held to. scene: It among what stands in its cell.
    """

    model: Model
    limits: MotionLimits
    bounds: Bounds
    scene: Scene | None = None

    def plan(self, command: Move, start: Array, *, around: bool = False) -> Plan:
        """A command alone, from rest to rest.

        Args:
            start: Where the robot stands, shape (n,).
            around: Obstacles, where it goes by joints to a pose.

        Raises:
            NoMotion, BadMotion: It cannot be driven; says why.
        """
        if command.extra and not isinstance(command, MoveJoints | MoveSpline):
            return self._with_extra(command, start)
        if isinstance(command, MovePose):
            return self._slower(self._to_pose(command, start, around), command.speed)
        if isinstance(command, MoveJoints):
            plan = plan_joints(
                self.model, start, self._goal(command, start), profile=command.profile or "jerk", duration=command.duration,
                limits=self.limits, bounds=self.bounds, origin=str(command.source),
            )  # fmt: skip
            return self._slower(plan, command.speed)
        if isinstance(command, MoveSpline) and not command.by_tool:
            points = [start, *(self.model.valid(np.array(point), "a point") for point in command.through)]
            plan = plan_spline(
                self.model, points, duration=command.duration, profile=command.profile or "jerk", limits=self.limits,
                bounds=self.bounds, origin=str(command.source),
            )  # fmt: skip
            return self._slower(plan, command.speed or 1.0)
        return plan_tool(
            self.model, start, self._path(command, start), tip=command.tip, feed=_feed(command), duration=command.duration,
            profile=command.profile or "jerk", limits=self.limits, bounds=self.bounds,
        )  # fmt: skip

    def _with_extra(self, command: Move, start: Array) -> Plan:
        """With joints that go their own way beside the tool."""
        goal = start.copy()
        for joint, value in command.extra:
            goal[self.model.column(joint)] = value
        alone = replace(command, extra=())
        if isinstance(command, MovePose) and not self.is_there(alone, start):
            reached = self._to_pose(command, start, False).trajectory.end.q
            goal = np.where(goal == start, reached, goal)
        elif not isinstance(command, MovePose) and not self.is_there(alone, start):
            return plan_tool(
                self.model, start, self._path(command, start), tip=command.tip, feed=_feed(command), duration=command.duration,
                profile=command.profile or "jerk", limits=self.limits, bounds=self.bounds, extra=dict(command.extra),
            )  # fmt: skip
        plan = plan_joints(
            self.model, start, goal, profile=command.profile or "jerk", duration=command.duration, limits=self.limits,
            bounds=self.bounds, origin=str(command.source),
        )  # fmt: skip
        if isinstance(command, MovePose):
            return self._slower(plan, command.speed)
        feed = _feed(command)  # where only these joints move it counts as along the tool's paths: a radian as 0.3 m
        far = RADIAN * float(np.abs(goal - start).max())
        return self._slower(plan, min(1.0, feed * plan.trajectory.duration / far)) if feed else plan

    def segment(self, command: Move, q: Array, T_world_tool: Array | None = None) -> Segment:
        """A command as the next step of a motion that comes by q.

        Args:
            T_world_tool: Where the tool is then, if q is not known so far ahead.

        Raises:
            NoMotion, BadMotion: There is no such step; says why.
        """
        feed, most, origin = _feed(command), self.bounds.tool_speed, str(command.source)
        if most is not None:
            feed = min(feed or most, most)
        how: dict[str, Any] = {"blend": command.blend, "tolerance": command.tolerance, "feed": feed, "origin": origin}
        if isinstance(command, MoveJoints):
            return Segment(self._goal(command, q), **how, share=command.speed)
        if isinstance(command, MovePose):
            plan = plan_to_pose(
                self.model, q, _frame(command) @ _pose(command), tip=command.tip, base=self.model.reference, limits=self.limits
            )  # fmt: skip
            return Segment(plan.trajectory.end.q, **how, share=command.speed)
        return Segment(self._path(command, q, T_world_tool), **how)

    def segments(self, commands: Sequence[Move], q: Array, begins: ToolStates | None = None) -> Iterator[tuple[Segment, int]]:
        """Commands as the next steps of a motion that comes by q, each with how many commands it stands for.

        Many short lines that follow a curve become one step: the curve, within their tolerance.

        Args:
            begins: How the tool comes by, where it comes along a path of its own: pose and derivatives in the world, one row.

        Raises:
            NoMotion, BadMotion: There is no such step; says why.
        """
        T = None if begins is None else begins.T[0]
        k = 0
        while k < len(commands):
            count = _curved(commands[k:])
            found = self._curve(commands[k : k + count], q, T, begins) if count > 2 else None
            if found is None:
                found, count = self.segment(commands[k], q, T), 1
            if isinstance(found.to, ToolPath):
                begins = found.to.at([found.to.length])
                T = begins.T[0]
            else:
                q, T, begins = found.to, None, None
            yield found, count
            k += count

    def _curve(self, lines: Sequence[Move], q: Array, T_world_tool: Array | None, begins: ToolStates | None) -> Segment | None:
        """Short lines as one smooth curve, or None where they are none."""
        first, base = lines[0], self.model.reference
        T_world_frame = frame_pose(self.model, q, base) @ _frame(first) if base else _frame(first)
        here = T_world_frame @ self._here(first, q) if T_world_tool is None else T_world_tool
        T = np.array([here, *(T_world_frame @ _pose(command) for command in lines)])
        ways = np.diff(T[:, :3, 3], axis=0)
        lengths = np.linalg.norm(ways, axis=1)
        if lengths.min() < 1e-6 or lengths.max() > _SHORT:
            return None
        units = ways / lengths[:, None]
        if len(units) > 1 and (units[1:] * units[:-1]).sum(axis=1).min() < np.cos(STRAIGHT):
            return None
        smooth = begins is not None and float(units[0] @ begins.dp[0]) > np.cos(STRAIGHT) * float(np.linalg.norm(begins.dp[0]))
        path = smooth_through(T, min(command.tolerance or _CHORD for command in lines), begins if smooth else None)
        if path is None:
            return None
        last, feed, most = lines[-1], _feed(first), self.bounds.tool_speed
        names = zip((0.0, *np.cumsum(lengths)[:-1].tolist()), (str(command.source) for command in lines), strict=True)
        return Segment(
            path, blend=last.blend, tolerance=last.tolerance, feed=feed if most is None else min(feed or most, most),
            origin=str(first.source), names=tuple(names),
        )  # fmt: skip

    def goes_on(self, command: Move) -> bool:
        """Whether it may be part of a motion that does not stop between commands: it has no law of its own for its time."""
        alone = command.duration is not None or command.profile or command.extra or isinstance(command, MoveSpline)
        return not alone and (not command.tip or command.tip == self.model.tip)

    def is_there(self, command: Move, q: Array) -> bool:
        """Whether a robot that stands has nothing to do for it."""
        if any(abs(q[self.model.column(joint)] - value) > _THERE for joint, value in command.extra):
            return False
        if isinstance(command, MoveJoints):
            return bool(np.abs(self._goal(command, q) - q).max(initial=0.0) < _THERE)
        if isinstance(command, MoveLine) and command.rpy_from is not None:
            turned = np.abs(np.subtract(command.rpy, command.rpy_from)).max()
            return bool(turned < _THERE and np.abs(self._here(command, q)[:3, 3] - command.xyz).max() < _THERE)
        if isinstance(command, MoveLine) and command.relative:
            return bool(np.abs(np.concatenate([command.xyz, command.rpy])).max() < _THERE)
        if isinstance(command, MovePose | MoveLine):
            return bool(np.abs(self._here(command, q) - _pose(command)).max() < _THERE)
        return False

    def _here(self, command: Move, q: Array) -> Array:
        """The tool's pose where a command's own are given."""
        T = tool_pose(self.model, q, tip=command.tip, base=self.model.reference)
        return inverse(_frame(command)) @ T if command.frame else T

    def _goal(self, command: MoveJoints, q: Array) -> Array:
        values = self.model.valid(np.array(command.goal, dtype=float), "goal")
        return q + values if command.relative else values

    def _to_pose(self, command: MovePose, start: Array, around: bool) -> Plan:
        return plan_to_pose(
            self.model, start, _frame(command) @ _pose(command), tip=command.tip, base=self.model.reference, limits=self.limits,
            bounds=self.bounds, scene=self.scene if around else None, profile=command.profile or "jerk",
            duration=command.duration, origin=str(command.source),
        )  # fmt: skip

    def _path(self, command: Move, q: Array, T_world_tool: Array | None = None) -> ToolPath:
        """The tool's path of a command, in the world, from where a configuration has it."""
        base = self.model.reference
        T_world_frame = frame_pose(self.model, q, base) @ _frame(command) if base else _frame(command)
        here = self._here(command, q) if T_world_tool is None else inverse(T_world_frame) @ T_world_tool
        path = _PATHS[type(command)](command, here)
        path = replace(path, origins=(str(command.source),) * len(path.pieces))
        return moved(path, T_world_frame) if base or command.frame else path

    def _slower(self, plan: Plan, share: float) -> Plan:
        """The same motion at a share of its speed, proven again."""
        if share >= 1.0 or not plan:
            return plan
        trajectory = plan.trajectory.slowed(1.0 / share)
        return replace(
            plan, trajectory=trajectory, certificate=certify(trajectory, self.model, limits=self.limits, bounds=self.bounds)
        )


def _curved(commands: Sequence[Move]) -> int:
    """How many of the commands, from the first on, could be lines along one curve."""
    first = commands[0]
    if not isinstance(first, MoveLine):
        return 0
    k = 0
    for command in commands:
        like = isinstance(command, MoveLine) and not command.relative and command.rounds and command.speed == first.speed
        if not like or (command.tip, command.frame) != (first.tip, first.frame):
            break
        if k and _bends(commands[k - 1], command, commands[k - 2] if k > 1 else None):
            break
        k += 1
    return k


def _bends(before: Any, command: Any, earlier: Any) -> bool:
    """Whether two lines meet at a corner, or one is long."""
    way = np.subtract(command.xyz, before.xyz)
    length = float(np.linalg.norm(way))
    if not 1e-6 < length < _SHORT:
        return True
    if earlier is None:
        return False
    other = np.subtract(before.xyz, earlier.xyz)
    return float(way @ other) < np.cos(STRAIGHT) * length * float(np.linalg.norm(other))


def goes_nowhere(command: Move, before: Move) -> bool:
    """Whether a command leads to where the one before it has led."""
    if type(command) is not type(before) or (command.tip, command.frame) != (before.tip, before.frame):
        return False
    if command.extra != before.extra:
        return False
    if isinstance(command, MoveJoints) and isinstance(before, MoveJoints):
        return command.goal == before.goal and not command.relative and not before.relative
    if isinstance(command, MoveLine) and isinstance(before, MoveLine):
        return (command.xyz, command.rpy) == (before.xyz, before.rpy) and not command.relative and not before.relative
    return (
        isinstance(command, MovePose) and isinstance(before, MovePose) and (command.xyz, command.rpy) == (before.xyz, before.rpy)
    )


def going_somewhere(commands: Sequence[Move]) -> tuple[list[Move], MotionOutputs]:
    """Those of some commands that lead elsewhere, and the outputs that are left for what comes behind them.

    What one that goes nowhere was to set the next one sets that goes on.
    """
    found, waiting = list[Move](), MotionOutputs()
    for k, command in enumerate(commands):
        if k and goes_nowhere(command, commands[k - 1]):
            waiting = last_of_each(waiting, command.outputs)
        else:
            found.append(setting_before(command, waiting))
            waiting = ()
    return found, waiting


def with_line(error: ArmillaryError, command: Move) -> ArmillaryError:
    """The same error, beginning with the line that it is about: of several that are driven as one it names its own."""
    where, text = str(command.source), str(error)
    if not where or text.startswith(command.source.file + ":"):
        return error
    named = re.search(rf"\(?({re.escape(command.source.file)}:\d+)\)?", text)
    error.args = (f"{named.group(1) if named else where}: {text}",)
    return error


def _feed(command: Move) -> float | None:
    """The tool's speed at most [m/s], for those that go along a path of it."""
    return getattr(command, "speed", None) if not isinstance(command, MoveJoints | MovePose) else None


def _frame(command: Move) -> Array:
    """T_base_frame of the frame that a command's poses are given in."""
    if not command.frame:
        return np.eye(4)
    if len(command.frame) != 6:
        raise Refused(f"the frame {command.frame} is none; give x, y, z, roll, pitch, yaw")
    return transform_from_xyz_rpy(command.frame[:3], command.frame[3:])


def _pose(command: Any) -> Array:
    return transform_from_xyz_rpy(command.xyz, command.rpy)


def _line(command: MoveLine, here: Array) -> ToolPath:
    if command.relative == "base":
        return line(here, transform(rotation_from_rpy(command.rpy) @ here[:3, :3], here[:3, 3] + command.xyz))
    if command.relative == "tool":
        return line(here, here @ _pose(command))
    if command.relative:
        raise Refused(f"a line relative to '{command.relative}' is none; give 'base' or 'tool'")
    if command.rpy_from is None:
        return line(here, _pose(command))
    return turning_line(here[:3, 3], command.xyz, _angles(here, command.rpy_from), command.rpy)


def _arc(command: MoveArc, here: Array) -> ToolPath:
    return arc_through(here, np.array(command.via), _pose(command))


def _circle(command: MoveCircle, here: Array) -> ToolPath:
    begins = command.rpy_from if command.rpy_from is not None else rpy_from_rotation(here[:3, :3])
    return helix(
        here[:3, 3], command.centre, command.axis, command.angle, command.xyz, _angles(here, begins),
        command.rpy if command.rpy_from is not None else begins,
    )  # fmt: skip


def _spline(command: MoveSpline, here: Array) -> ToolPath:
    if any(len(point) != 6 for point in command.through):
        raise Refused("a pose of a spline has six numbers: x, y, z, roll, pitch, yaw")
    return spline([here, *(transform_from_xyz_rpy(point[:3], point[3:]) for point in command.through)])


_PATHS: dict[type[Move], Callable[[Any, Array], ToolPath]] = {
    MoveLine: _line, MoveArc: _arc, MoveCircle: _circle, MoveSpline: _spline,
}  # fmt: skip


def _angles(here: Array, rpy: tuple[float, ...]) -> tuple[float, ...]:
    """Angles that a program believes the tool has, if it has them.

    Raises:
        NoMotion: It is turned otherwise.
    """
    off = float(np.abs(rotation_from_rpy(rpy) - here[:3, :3]).max())
    if off > _ANGLES:
        raise NoMotion(f"the tool is not turned as the line begins (by {np.degrees(off):.3g} degrees); move there first")
    return tuple(rpy)
