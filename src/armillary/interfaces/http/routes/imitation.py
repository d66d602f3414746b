"""Imitation: a person's motion, from a file, live or as it is given, moves the robot while the clutch is closed."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, Field

from armillary.interfaces.http.access import HasDesk, HasSession, needs
from armillary.interfaces.http.imitation_desk import ImitationDesk
from armillary.interfaces.http.made_once import made_once
from armillary.interfaces.http.motion_library import LARGEST
from armillary.interfaces.http.roles import Role

__all__ = ["router"]

router = APIRouter(tags=["imitation"])
HasImitation = Annotated[ImitationDesk, Depends(made_once("imitation", ImitationDesk))]
Name = Annotated[str, Field(min_length=1, max_length=200)]


class MotionFile(BaseModel):
    name: str
    size: int  # bytes


class Matched(BaseModel):
    part: str
    bones: str
    how: str  # name, structure or file


class Stage(BaseModel):
    """How long a stage of a frame's way takes [s]."""

    name: str
    p50: float
    p99: float
    most: float


class PartError(BaseModel):
    part: str
    off: float  # an angle [rad]; of a place a distance [m]


class ImitationNow(BaseModel):
    kind: Literal["", "file", "live", "given"]  # "" where nobody is imitated
    name: str
    mapping: str
    mirrored: bool
    learnt: str  # from what it is known how the person stands
    matched: list[Matched]
    parents: list[int]  # of the skeleton's bones
    sides: list[str]  # of each: left, right or ""
    phase: str  # released, easing, following, frozen or waiting
    lost: str  # why the clutch opened by itself, or ""
    said: str
    held_by: str  # what holds the robot back, or ""
    errors: list[PartError]
    rate: float  # frames that come in a second
    frames: int
    refused: int
    frames_lost: int  # by the sender's counting
    speed: float
    calibrating: float  # share that is done, 0 where there is none
    recorded: int  # frames
    latency: list[Stage]


class Imitations(BaseModel):
    files: list[MotionFile]
    now: ImitationNow


class SourceOrder(BaseModel):
    kind: Literal["file", "live", "given"]
    name: str = Field(min_length=1, max_length=1 << 20)  # of the file, the address, or a skeleton as a BVH file begins
    mapping: Literal["general", "paper"] = "general"
    mirrored: bool = False
    arm: Literal["left", "right"] = "right"
    speed: Annotated[float, Field(gt=0.0, le=1.0)] = 1.0


class ClutchOrder(BaseModel):
    do: Literal["engage", "freeze", "release"]


class SpeedOrder(BaseModel):
    speed: Annotated[float, Field(gt=0.0, le=1.0)]


@router.get("/imitation", dependencies=[needs(Role.VIEWER)])
def imitations(imitation: HasImitation) -> Imitations:
    """The motions that are there, and what is imitated now."""
    files = [MotionFile(name=each.name, size=each.size) for each in imitation.library.list()]
    return Imitations(files=files, now=_now(imitation))


@router.put("/imitation/files", dependencies=[needs(Role.PROGRAMMER)])
async def bring_in(name: Name, request: Request, desk: HasDesk, session: HasSession, imitation: HasImitation) -> MotionFile:
    """Keep a BVH file, the body of the request, once it is known that it can be read."""
    data = bytearray()
    async for piece in request.stream():
        data += piece
        if len(data) > LARGEST:
            raise HTTPException(413, f"a motion has {LARGEST >> 20} MB at most; cut it")
    imitation.library.keep(name, bytes(data))
    desk.audit.note(session.user, f"brings in the motion {name}")
    return MotionFile(name=name, size=len(data))


@router.delete("/imitation/files", dependencies=[needs(Role.PROGRAMMER)])
def delete(name: Name, desk: HasDesk, session: HasSession, imitation: HasImitation) -> None:
    """Delete a motion."""
    imitation.library.delete(name)
    desk.audit.note(session.user, f"deletes the motion {name}")


@router.post("/imitation/source", dependencies=[needs(Role.OPERATOR, control=True)])
def choose(order: SourceOrder, desk: HasDesk, session: HasSession, imitation: HasImitation) -> ImitationNow:
    """Choose whose motion is imitated. Nothing moves until the clutch is closed."""
    shown = order.name if order.kind != "given" else "frames that are given"
    desk.do(
        session,
        f"chooses the motion of {shown} to be imitated",
        lambda: imitation.choose(
            order.kind, order.name, mapping=order.mapping, mirrored=order.mirrored, arm=order.arm, speed=order.speed
        ),
    )
    return _now(imitation)


@router.post("/imitation/clutch", dependencies=[needs(Role.OPERATOR, control=True)])
def clutch(order: ClutchOrder, desk: HasDesk, session: HasSession, imitation: HasImitation) -> ImitationNow:
    """Close the clutch, freeze the robot, or open it. In manual mode it opens when nobody holds to run."""
    if order.do == "engage":
        desk.do(session, "imitates a person", lambda: imitation.engage(session))
    else:  # behind nothing else that is being done
        (imitation.freeze if order.do == "freeze" else imitation.release)()
        desk.audit.note(session.user, "freezes the imitation" if order.do == "freeze" else "ends the imitation's hold")
    return _now(imitation)


@router.post("/imitation/calibrate", dependencies=[needs(Role.OPERATOR, control=True)])
def calibrate(imitation: HasImitation) -> ImitationNow:
    """Learn from the next second how the person stands: straight, arms stretched out or hanging."""
    imitation.calibrate()
    return _now(imitation)


@router.post("/imitation/speed", dependencies=[needs(Role.OPERATOR, control=True)])
def set_speed(order: SpeedOrder, imitation: HasImitation) -> ImitationNow:
    """Share of the joints' velocities that is used at most."""
    imitation.set_speed(order.speed)
    return _now(imitation)


@router.post("/imitation/record", dependencies=[needs(Role.OPERATOR, control=True)])
def record(imitation: HasImitation) -> ImitationNow:
    """Keep both sides from now on."""
    imitation.record()
    return _now(imitation)


@router.get("/imitation/recorded", dependencies=[needs(Role.OPERATOR)])
def recorded(what: Literal["person", "program"], desk: HasDesk, imitation: HasImitation) -> PlainTextResponse:
    """What was kept: the person as BVH, or the robot as a program that plays it again."""
    text, name = imitation.recorded(what, desk.cell.station.settings.source)
    return PlainTextResponse(text, headers={"content-disposition": f'attachment; filename="{name}"'})


@router.post("/imitation/end", dependencies=[needs(Role.OPERATOR, control=True)])
def end(desk: HasDesk, session: HasSession, imitation: HasImitation) -> ImitationNow:
    """Nobody is imitated any more."""
    imitation.end()
    desk.audit.note(session.user, "ends imitation")
    return _now(imitation)


def _now(imitation: ImitationDesk) -> ImitationNow:
    who, state = imitation.imitated, imitation.state
    if who is None or state is None:
        return ImitationNow(
            kind="", name="", mapping="general", mirrored=False, learnt="", matched=[], parents=[], sides=[], phase="released",
            lost="", said="", held_by="", errors=[], rate=0.0, frames=0, refused=0, frames_lost=0, speed=1.0, calibrating=0.0,
            recorded=0, latency=[],
        )  # fmt: skip
    kind: Literal["file", "live", "given"] = "file" if who.kind == "file" else "live" if who.kind == "live" else "given"
    return ImitationNow(
        kind=kind, name=who.name if who.kind != "given" else "", mapping=who.mapping, mirrored=who.mirrored, learnt=who.said,
        matched=[Matched(part=part, bones=bones, how=how) for part, bones, how in who.rows],
        parents=who.parents, sides=who.sides, phase=state.phase.value, lost=imitation.opened_by or state.lost, said=state.said,
        held_by=state.held_by, errors=[PartError(part=part, off=off) for part, off in state.errors.items()],
        rate=state.rate, frames=state.frames, refused=state.refused, frames_lost=who.source.statistics.lost,
        speed=imitation.speed, calibrating=state.calibrating, recorded=state.recorded,
        latency=[Stage(name=name, p50=each.p50, p99=each.p99, most=each.most) for name, each in state.latency.items()],
    )  # fmt: skip
