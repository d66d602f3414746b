"""Where to go: solutions, previews, motions and steps."""

import time
from typing import Annotated

import numpy as np
from fastapi import APIRouter, Depends
from numpy.typing import NDArray
from pydantic import BaseModel
from starlette.requests import HTTPConnection

from armillary.cell.cell_state import Moved
from armillary.interfaces.http.access import HasDesk, HasSession, needs
from armillary.interfaces.http.desk import Desk
from armillary.interfaces.http.jog_words import step_words
from armillary.interfaces.http.motion_orders import (
    FrameName,
    MoveOrder,
    PoseQuestion,
    StepOrder,
    checked_step,
    command_of,
    in_words,
    pose_in_base,
)
from armillary.interfaces.http.motion_preview import MotionPreview, frame_in_base
from armillary.interfaces.http.roles import Role
from armillary.motion import tool_pose
from armillary.programs import Move, MoveJoints, MoveLine, MovePose
from armillary.runtime import Refused
from armillary.spatial import inverse, rpy_from_rotation

__all__ = ["router"]

router = APIRouter(tags=["motion"])
Array = NDArray[np.float64]
_JOINT_SHARE, _TOOL_SPEED = 0.5, 0.1  # of the joints' speed, and of the tool [m/s], while it is done
_STANDS = 1.0  # s that what comes behind a motion waits for it


class Solution(BaseModel):
    q: list[float]
    branch: str
    reachable: bool  # inside the limits
    why: str
    collides: bool


class PoseShown(BaseModel):
    xyz: list[float]  # [m]
    rpy: list[float]  # [rad]


class Hindered(BaseModel):
    """What keeps the tool from a pose: reach (by an amount [m]), orientation (off by [rad]), or limit (of joints)."""

    kind: str
    amount: float
    joints: list[str]


class Solutions(BaseModel):
    solutions: list[Solution]
    chosen: int  # the nearest to where the robot is; -1 for none
    why: str
    hindrance: Hindered | None  # the same in parts: the page says it in its own words and units


class Preview(BaseModel):
    q: list[float]
    times: list[float]
    path: list[list[float]]
    points: list[list[float]]
    duration: float
    notes: list[str]


class Begun(BaseModel):
    motion: int
    duration: float  # at full rate [s]
    notes: list[str]


def preview_of(connection: HTTPConnection) -> MotionPreview:
    found: MotionPreview = connection.app.state.motion_preview
    return found


HasPreview = Annotated[MotionPreview, Depends(preview_of)]


@router.get("/pose", dependencies=[needs(Role.VIEWER)])
def pose(desk: HasDesk, preview: HasPreview, frame: FrameName = "") -> PoseShown:
    """Where the tool is as commanded, in a frame of the cell as that stands now; "" for what the arm stands on."""
    preview.need_tool()
    now, model = _here(desk), preview.model
    T = inverse(frame_in_base(model, now, frame)) @ tool_pose(model, now, base=model.reference)
    return PoseShown(xyz=T[:3, 3].tolist(), rpy=list(rpy_from_rotation(T[:3, :3])))


@router.post("/ik", dependencies=[needs(Role.VIEWER)])
def ik(question: PoseQuestion, desk: HasDesk, preview: HasPreview) -> Solutions:
    """Every known way to put the tool on a pose, in an order that stays."""
    preview.need_tool()
    now = _here(desk)
    found = preview.solutions(pose_in_base(question, question.frame, preview, now), now)
    held = found.hindrance
    return Solutions(
        solutions=[
            Solution(q=each.q.tolist(), branch=each.branch, reachable=each.inside, why=each.why, collides=each.collides)
            for each in found.found
        ],
        chosen=found.chosen, why=found.why,
        hindrance=Hindered(kind=held.kind, amount=held.amount, joints=list(held.joints)) if held is not None else None,
    )  # fmt: skip


@router.post("/preview", dependencies=[needs(Role.VIEWER)])
def preview_motion(order: MoveOrder, desk: HasDesk, preview: HasPreview) -> Preview:
    """What a move would be: nothing moves."""
    now = _here(desk)
    shown = preview.plan(command_of(order, preview, now), now, manual=desk.mode == "manual")
    return Preview(
        q=shown.path[-1].tolist(), times=np.round(shown.times, 4).tolist(), path=np.round(shown.path, 6).tolist(),
        points=np.round(shown.points, 6).tolist(), duration=shown.duration, notes=list(shown.notes),
    )  # fmt: skip


@router.post("/move", dependencies=[needs(Role.OPERATOR, control=True)])
def move(order: MoveOrder, desk: HasDesk, session: HasSession, preview: HasPreview) -> Begun:
    """Drive there: freely in automatic mode, and in manual mode while somebody holds (press, on the WebSocket)."""
    stops, command = desk.stops, command_of(order, preview, _here(desk))
    moved: Moved = desk.do(session, f"moves to {in_words(order)}", lambda: _drive(desk, command, stops))
    return _begun(moved)


@router.post("/jog/step", dependencies=[needs(Role.OPERATOR, control=True)])
def step(order: StepOrder, desk: HasDesk, session: HasSession, preview: HasPreview) -> Begun:
    """Move by one increment, and stand; in manual mode."""
    stops, by = desk.stops, checked_step(order, preview)
    moved: Moved = desk.do(session, step_words(order, preview.model), lambda: _step(desk, order, by, stops))
    return _begun(moved)


# What is driven, by who has control.


def _drive(desk: Desk, command: Move, stops: int) -> Moved:
    _stand(desk, stops)
    held = desk.mode == "manual"
    if isinstance(command, MoveJoints):
        return desk.cell.move_joints(command.goal, wait=False, held=held)
    if isinstance(command, MoveLine):
        return desk.cell.move_line(command.xyz, command.rpy, wait=False, held=held)
    assert isinstance(command, MovePose)
    return desk.cell.move_pose(command.xyz, command.rpy, wait=False, held=held)


def _step(desk: Desk, order: StepOrder, by: Array, stops: int) -> Moved:
    if desk.mode != "manual":
        raise Refused("jogging is for manual mode; switch to it first")
    _stand(desk, stops)
    if order.kind == "joints":
        return desk.cell.jog_joints_by(by, speed=_JOINT_SHARE, wait=False)
    if order.kind == "frame":
        R = frame_in_base(desk.prepared.model, _here(desk), order.frame)[:3, :3]
        by = np.concatenate([R @ by[:3], R @ by[3:]])
    return desk.cell.jog_tool_by(by, in_tool=order.kind == "tool", speed=_TOOL_SPEED, wait=False)


def _stand(desk: Desk, stops: int) -> None:
    """Wait a moment for a motion to end, so that steps that are pressed quickly add up; a stop meanwhile ends them all.

    Args:
        stops: How many there had been when this was asked for.

    Raises:
        Refused: It goes on, was stopped, or a program runs.
    """
    if desk.program_runs:
        raise Refused("a program runs; stop it first")
    station, deadline = desk.cell.station, time.monotonic() + _STANDS
    while bool((state := station.state)["moves"]) or int(state["queued"]):
        if time.monotonic() > deadline:
            raise Refused("the robot moves; wait until it stands, or stop it")
        time.sleep(0.005)
    if desk.stops != stops:
        raise Refused("it was stopped; nothing more is moved")


def _begun(moved: Moved) -> Begun:
    return Begun(motion=moved.motion, duration=moved.duration, notes=list(moved.notes))


def _here(desk: Desk) -> Array:
    """Where the robot stands as commanded, shape (n,): motions begin there.

    Raises:
        Refused: It is not known.
    """
    q = np.array(desk.cell.station.state["q"])
    if not np.isfinite(q).all():
        raise Refused("where the robot is is not known; power it on first")
    return q
