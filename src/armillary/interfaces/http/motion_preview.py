"""Motions that are planned and proven as they would be driven, and are not: what would happen, before it does."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from armillary.errors import ArmillaryError
from armillary.interfaces.http.manual_bounds import manual_bounds
from armillary.interfaces.http.own_scene import own_scene
from armillary.interfaces.http.pose_solutions import PoseSolutions, pose_solutions
from armillary.interfaces.http.robot_page import led_frame
from armillary.model import Model, Scene, frame_pose, frame_pose_batch
from armillary.motion import NoMotion, tool_pose
from armillary.programs import Move
from armillary.runtime import Refused
from armillary.runtime.command_planning import CommandPlanner
from armillary.runtime.prepared import Prepared
from armillary.spatial import inverse

__all__ = ["MotionPreview", "Previewed", "frame_in_base"]

Array = NDArray[np.float64]
_RATE = 30.0  # samples a second
_MOST = 600  # samples
_WAITING = 8  # previews at once: more are refused, so that they do not take the threads that a stop needs


@dataclass(frozen=True, eq=False)
class Previewed:
    """A motion as it would be driven.

    Attributes:
        times: Of the samples, from zero, shape (k,) [s]. path: Joint positions at them, shape (k, n).
        points: Of the tool at them, in what the arm stands on, shape (k, 3) [m]; (0, 3) where there is no tool.
        duration: At full rate [s].
        notes: What one should know, for example why it is slowed.
    """

    times: Array
    path: Array
    points: Array
    duration: float
    notes: tuple[str, ...] = ()


class MotionPreview:
    """Plans for people to look at. One at a time: a scene has scratch of its own."""

    def __init__(self, prepared: Prepared) -> None:
        self.prepared, self.model, self.tip = prepared, prepared.model, led_frame(prepared)
        self._planning, self._room = threading.Lock(), threading.BoundedSemaphore(_WAITING)

    @cached_property
    def _scene(self) -> Scene:
        return own_scene(self.prepared)

    def need_tool(self) -> None:
        """Raises:
        Refused: These joints lead no tool: they have no pose.
        """
        if not self.tip:
            group = self.prepared.settings.group
            raise Refused(
                f"{f'the group {group}' if group else 'this robot'} leads no tool, so there is no pose to go to; "
                "give joint positions, or start the cell with a group that has a tip"
            )

    def plan(self, command: Move, start: Array, *, manual: bool) -> Previewed:
        """A command from where the robot stands, from rest to rest.

        Args:
            start: Shape (n,).
            manual: Whether the tool is held to the speed of manual mode.

        Raises:
            NoMotion, BadMotion: It cannot be driven; says why.
        """
        with self._turn():
            own = self.prepared.bounds
            bounds = replace(manual_bounds(own) if manual else own, scene=self._scene)
            planner = CommandPlanner(self.model, self.prepared.limits, bounds, self._scene)
            if planner.is_there(command, start):
                return self._shown(np.zeros(1), start[None], 0.0, ("it is there already",))
            plan = planner.plan(command, start)
        if not plan:
            raise NoMotion(f"this motion is not proven: {plan.certificate}")
        duration = plan.trajectory.duration
        times, samples = plan.trajectory.every(max(1.0 / _RATE, duration / (_MOST - 2)))
        return self._shown(times, samples[:, 0], duration, plan.notes)

    def solutions(self, T_base_tool: Array, now: Array) -> PoseSolutions:
        """All ways to put the tool on a pose, in what the arm stands on.

        Raises:
            Refused: There is no tool.
        """
        self.need_tool()
        with self._turn():
            return pose_solutions(self.model, T_base_tool, now, self._scene, tip=self.tip)

    def warm_up(self) -> None:
        """Do once what is slow the first time, before somebody waits for it. What goes wrong will be said to him."""
        with suppress(ArmillaryError):
            q = self.prepared.start
            self.solutions(tool_pose(self.model, q, tip=self.tip, base=self.model.reference), q)

    def _shown(self, times: Array, path: Array, duration: float, notes: tuple[str, ...]) -> Previewed:
        path = np.ascontiguousarray(path)
        points = _in_base(self.model, path, self.tip) if self.tip else np.zeros((0, 3))
        return Previewed(times, path, points, duration, notes)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if not self._room.acquire(blocking=False):
            raise Refused("many previews are being planned at once; ask again in a moment")
        try:
            with self._planning:
                yield
        finally:
            self._room.release()


def frame_in_base(model: Model, q: Array, frame: str) -> Array:
    """T_base_frame of a frame of the cell, as it stands at q, in what the arm stands on; "" for that itself.

    Raises:
        UnknownFrame: There is none of this name; says which there are.
    """
    if not frame:
        return np.eye(4)
    T_world_base = frame_pose(model, q, model.reference) if model.reference else np.eye(4)
    T_world_frame = np.eye(4) if frame == "world" and frame not in model.frames else frame_pose(model, q, frame)
    return inverse(T_world_base) @ T_world_frame


def _in_base(model: Model, path: Array, frame: str) -> Array:
    """Where a frame is along a path of the joints, in what the arm stands on, shape (k, 3) [m]."""
    p_world_tool = frame_pose_batch(model, path, frame)[:, :3, 3]
    if not model.reference:
        return p_world_tool
    T_world_base = frame_pose_batch(model, path, model.reference)
    return np.einsum("kji,kj->ki", T_world_base[:, :3, :3], p_world_tool - T_world_base[:, :3, 3])
