"""What a person wants moved: goals and steps as a browser sends them, and the commands that they are."""

from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from armillary.interfaces.http.motion_preview import MotionPreview, frame_in_base
from armillary.motion import tool_pose
from armillary.programs import Move, MoveJoints, MoveLine, MovePose
from armillary.programs.teach import PointStore
from armillary.programs.teach.taught_point import ordered
from armillary.runtime import Refused
from armillary.spatial import rpy_from_rotation, transform_from_xyz_rpy

__all__ = [
    "FrameName",
    "JointGoal",
    "MoveOrder",
    "PointGoal",
    "PoseGoal",
    "PoseQuestion",
    "StepOrder",
    "checked_step",
    "command_of",
    "in_words",
    "pose_in_base",
]

Array = NDArray[np.float64]
_STEP, _STEP_TURN = 0.1, 0.35  # m, rad at most of one increment

Value = Annotated[float, Field(ge=-1e4, le=1e4, allow_inf_nan=False)]
Values = Annotated[list[Value], Field(min_length=1, max_length=256)]
Three = Annotated[list[Value], Field(min_length=3, max_length=3)]
FrameName = Annotated[str, Field(max_length=64)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class JointGoal(_Strict):
    joints: Values  # [rad or m], in the robot's order


class PoseGoal(_Strict):
    xyz: Three  # [m]
    rpy: Three  # [rad]


class PointGoal(_Strict):
    point: str = Field(min_length=1, max_length=64)  # that was taught


class PoseQuestion(PoseGoal):
    frame: FrameName = ""  # of the cell, as it stands now; "" for what the arm stands on


class MoveOrder(_Strict):
    goal: JointGoal | PoseGoal | PointGoal
    kind: Literal["joints", "line"] = "joints"
    frame: FrameName = ""


class StepOrder(_Strict):
    kind: Literal["joints", "base", "tool", "frame"]
    by: Values  # [rad or m] of each joint; or three lengths [m] and three angles times an axis [rad]
    frame: FrameName = ""


def command_of(order: MoveOrder, preview: MotionPreview, now: Array) -> Move:
    """What an order asks for, in what the arm stands on."""
    model, goal = preview.model, order.goal
    if isinstance(goal, PointGoal):
        point = ordered(PointStore.of(preview.prepared.settings.source).get(goal.point), model.joints)
        q = model.valid(np.array(point.q), f"the point {goal.point}")
        taught = transform_from_xyz_rpy(point.xyz, point.rpy) if point.tool in ("", model.tip) else None
    elif isinstance(goal, JointGoal):
        q, taught = model.valid(np.array(goal.joints), "the goal"), None
    else:
        preview.need_tool()
        xyz, rpy = _six(pose_in_base(goal, order.frame, preview, now))
        return MoveLine(xyz=xyz, rpy=rpy) if order.kind == "line" else MovePose(xyz=xyz, rpy=rpy)
    if order.kind == "joints":
        return MoveJoints(goal=tuple(q.tolist()))
    preview.need_tool()
    xyz, rpy = _six(tool_pose(model, q, base=model.reference) if taught is None else taught)
    return MoveLine(xyz=xyz, rpy=rpy)


def pose_in_base(goal: PoseGoal, frame: str, preview: MotionPreview, now: Array) -> Array:
    """T_base_tool of a pose that is given in a frame of the cell."""
    return frame_in_base(preview.model, now, frame) @ transform_from_xyz_rpy(goal.xyz, goal.rpy)


def _six(T: Array) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    x, y, z = T[:3, 3].tolist()
    return (x, y, z), rpy_from_rotation(T[:3, :3])


def in_words(order: MoveOrder) -> str:
    """Where it goes, for the audit."""
    goal, way = order.goal, "straight" if order.kind == "line" else "by joints"
    if isinstance(goal, PointGoal):
        return f"the point {goal.point}, {way}"
    if isinstance(goal, JointGoal):
        return f"joints {' '.join(f'{value:.4g}' for value in goal.joints[:12])}, {way}"
    numbers = " ".join(f"{value:.4g}" for value in (*goal.xyz, *goal.rpy))
    return f"{numbers} in {order.frame or 'the base'}, {way}"


def checked_step(order: StepOrder, preview: MotionPreview) -> Array:
    """An increment that is one.

    Raises:
        Refused: It has other numbers than joints or directions, is none, or is too far.
    """
    model, by = preview.model, np.array(order.by)
    if order.kind == "joints":
        by = model.valid(by, "the step")
        slides = np.array([model.spec.robot.joint(joint).unit == "m" for joint in model.joints])
        length, angle = float(np.abs(by[slides]).max(initial=0.0)), float(np.abs(by[~slides]).max(initial=0.0))
    else:
        preview.need_tool()
        if by.shape != (6,):
            raise Refused(f"a step of the tool has {len(by)} numbers; give three lengths [m] and three angles [rad]")
        length, angle = float(np.linalg.norm(by[:3])), float(np.linalg.norm(by[3:]))
    if length > _STEP * (1.0 + 1e-9) or angle > _STEP_TURN * (1.0 + 1e-9):
        raise Refused(
            f"a step of {1e3 * length:.4g} mm and {np.degrees(angle):.4g} degrees is too far; "
            f"{1e3 * _STEP:g} mm and {np.degrees(_STEP_TURN):.0f} degrees are the most"
        )
    if length == 0.0 and angle == 0.0:
        raise Refused("a step of nothing; give one number above or below zero")
    return by
