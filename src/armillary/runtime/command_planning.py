"""From commands to proven motions: each from rest to rest, or as a segment of a motion that goes on."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
from armillary.motion.winding import helix, turning_line
from armillary.programs import Move, MoveArc, MoveCircle, MoveJoints, MoveLine, MovePose, MoveSpline
from armillary.runtime.executor import Refused
from armillary.spatial import inverse, rotation_from_rpy, rpy_from_rotation, transform, transform_from_xyz_rpy

__all__ = ["CommandPlanner"]

Array = NDArray[np.float64]
_THERE = 1e-9  # rad or m from a goal that is reached already
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
            return plan_spline(
                self.model, points, duration=command.duration, profile=command.profile or "jerk", limits=self.limits,
                bounds=self.bounds, origin=str(command.source),
            )  # fmt: skip
        return plan_tool(
            self.model, start, self._path(command, start), tip=command.tip, feed=_feed(command), duration=command.duration,
            profile=command.profile or "jerk", limits=self.limits, bounds=self.bounds,
        )  # fmt: skip

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
                self.model, q, _pose(command), tip=command.tip, base=self.model.reference, limits=self.limits
            )  # fmt: skip
            return Segment(plan.trajectory.end.q, **how, share=command.speed)
        return Segment(self._path(command, q, T_world_tool), **how)

    def goes_on(self, command: Move) -> bool:
        """Whether it may be part of a motion that does not stop between commands: it has no law of its own for its time."""
        alone = command.duration is not None or command.profile or isinstance(command, MoveSpline)
        return not alone and (not command.tip or command.tip == self.model.tip)

    def is_there(self, command: Move, q: Array) -> bool:
        """Whether a robot that stands has nothing to do for it."""
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
        return tool_pose(self.model, q, tip=command.tip, base=self.model.reference)

    def _goal(self, command: MoveJoints, q: Array) -> Array:
        values = self.model.valid(np.array(command.goal, dtype=float), "goal")
        return q + values if command.relative else values

    def _to_pose(self, command: MovePose, start: Array, around: bool) -> Plan:
        return plan_to_pose(
            self.model, start, _pose(command), tip=command.tip, base=self.model.reference, limits=self.limits, bounds=self.bounds,
            scene=self.scene if around else None, profile=command.profile or "jerk", duration=command.duration,
            origin=str(command.source),
        )  # fmt: skip

    def _path(self, command: Move, q: Array, T_world_tool: Array | None = None) -> ToolPath:
        """The tool's path of a command, in the world, from where a configuration has it."""
        base = self.model.reference
        T_world_base = frame_pose(self.model, q, base) if base else None
        if T_world_tool is None:
            here = self._here(command, q)
        else:
            here = T_world_tool if T_world_base is None else inverse(T_world_base) @ T_world_tool
        path = _PATHS[type(command)](command, here)
        path = replace(path, origins=(str(command.source),) * len(path.pieces))
        return path if T_world_base is None else moved(path, T_world_base)

    def _slower(self, plan: Plan, share: float) -> Plan:
        """The same motion at a share of its speed, proven again."""
        if share >= 1.0 or not plan:
            return plan
        trajectory = plan.trajectory.slowed(1.0 / share)
        return replace(
            plan, trajectory=trajectory, certificate=certify(trajectory, self.model, limits=self.limits, bounds=self.bounds)
        )


def _feed(command: Move) -> float | None:
    """The tool's speed at most [m/s], for those that go along a path of it."""
    return getattr(command, "speed", None) if not isinstance(command, MoveJoints | MovePose) else None


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
