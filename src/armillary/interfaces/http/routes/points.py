"""Taught points and recorded paths: taught, touched up, recorded, played, and made into programs."""

from dataclasses import replace
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from armillary.cell import surroundings_of
from armillary.interfaces.http.access import HasDesk, HasSession, needs
from armillary.interfaces.http.desk import Desk
from armillary.interfaces.http.program_check import bounds_now
from armillary.interfaces.http.program_desk import HasPrograms
from armillary.interfaces.http.roles import Role
from armillary.programs import Point
from armillary.programs.teach import (
    PathStore,
    PointStore,
    TaughtPoint,
    TeachError,
    plan_playback,
    point_at,
    read_sequence,
    to_gcode,
    to_script,
)
from armillary.programs.teach.taught_point import ordered
from armillary.runtime import Refused

__all__ = ["router"]

router = APIRouter(tags=["points"])
Name = Field(min_length=1, max_length=64)
AskedName = Annotated[str, Query(min_length=1, max_length=64)]
_TO_START = 0.3  # share of the joints' speed on the way to where a path begins


class TaughtPlace(BaseModel):
    """q: In the model's order [rad or m]. xyz, rpy: In what the arm stands on [m], [rad]. fits: This robot can go there."""

    name: str
    q: list[float]
    xyz: list[float]
    rpy: list[float]
    tool: str
    frame: str
    at: str
    by: str
    fits: bool


class PointOrder(BaseModel):
    name: str = Name
    tool: str = Field(default="", max_length=100)  # the frame that is taught; "" for the cell's tool
    frame: str = Field(default="", max_length=100)  # that people think of it in


class RenameOrder(BaseModel):
    name: str = Name
    to: str = Name


class PlaceBefore(BaseModel):
    name: str
    q: list[float]
    xyz: list[float]
    rpy: list[float]


class Change(BaseModel):
    what: str
    name: str
    at: str
    by: str
    before: PlaceBefore | None


class ConvertOrder(BaseModel):
    """names: Points, or moves: "pick", "line:pick", "arc:over:place"."""

    names: list[Annotated[str, Field(min_length=1, max_length=200)]] = Field(min_length=1, max_length=1000)
    language: Literal["gcode", "script"]


class Converted(BaseModel):
    text: str


class KeptPath(BaseModel):
    """recording: It is being recorded now, and not kept yet."""

    name: str
    seconds: float
    samples: int
    recording: bool


class RecordOrder(BaseModel):
    name: str = Name


class FinishOrder(BaseModel):
    keep: bool = True  # otherwise it is thrown away


class PlayOrder(BaseModel):
    name: str = Name
    pace: Literal["recorded", "fast"] = "recorded"


class Played(BaseModel):
    """motion: Its number, 0 for none. duration: Of all of it [s]."""

    motion: int
    duration: float
    notes: list[str]


@router.get("/points", dependencies=[needs(Role.VIEWER)])
def points(desk: HasDesk) -> list[TaughtPlace]:
    """All of them, in the order in which they were taught."""
    return [_shown(desk, taught) for taught in _points(desk).all()]


@router.post("/points", dependencies=[needs(Role.PROGRAMMER)])
def teach(order: PointOrder, desk: HasDesk, session: HasSession) -> TaughtPlace:
    """Keep where the robot is, under a new name."""
    taught = _points(desk).teach(_here(desk, order), joints=desk.cell.model.joints, by=session.user)
    desk.audit.note(session.user, f"teaches point {order.name}")
    return _shown(desk, taught)


@router.post("/points/touch-up", dependencies=[needs(Role.PROGRAMMER)])
def touch_up(order: PointOrder, desk: HasDesk, session: HasSession) -> TaughtPlace:
    """Give a point the place where the robot is; what it was is kept in its history."""
    store = _points(desk)
    known = store.get(order.name).point
    order = order.model_copy(update={"tool": order.tool or known.tool, "frame": order.frame or known.frame})
    taught = store.touch_up(order.name, _here(desk, order), joints=desk.cell.model.joints, by=session.user)
    desk.audit.note(session.user, f"touches up point {order.name}")
    return _shown(desk, taught)


@router.post("/points/rename", dependencies=[needs(Role.PROGRAMMER)])
def rename(order: RenameOrder, desk: HasDesk, session: HasSession) -> None:
    _points(desk).rename(order.name, order.to, by=session.user)
    desk.audit.note(session.user, f"renames point {order.name} to {order.to}")


@router.delete("/points", dependencies=[needs(Role.PROGRAMMER)])
def delete(name: AskedName, desk: HasDesk, session: HasSession) -> None:
    """Take a point away; its history stays."""
    _points(desk).delete(name, by=session.user)
    desk.audit.note(session.user, f"deletes point {name}")


@router.get("/points/history", dependencies=[needs(Role.VIEWER)])
def history(desk: HasDesk, name: Annotated[str, Query(max_length=64)] = "") -> list[Change]:
    """What was done to a point, or to all, oldest first."""
    store = _points(desk)
    changes = store.history(name)
    if name and not changes:
        store.get(name)  # says which there are
    return [
        Change(what=each.what, name=each.name, at=each.at, by=each.by, before=None if each.before is None else PlaceBefore(
            name=each.before.point.name, q=list(each.before.point.q), xyz=list(each.before.point.xyz),
            rpy=list(each.before.point.rpy)))
        for each in changes
    ]  # fmt: skip


@router.post("/points/convert", dependencies=[needs(Role.VIEWER)])
def convert(order: ConvertOrder, desk: HasDesk) -> Converted:
    """A sequence of points as a program's text."""
    model = desk.cell.model
    around = surroundings_of(model, desk.prepared.settings.source)
    moves = read_sequence(order.names, around.points)
    if order.language == "script":
        return Converted(text=to_script(moves, slides=around.slides))
    settings = dict(desk.prepared.description.gcode) if desk.prepared.description is not None else {}
    if settings.get("axes"):
        raise TeachError("the cell's G-code has joints of their own among its letters; make robot commands instead")
    frame = str(settings.get("frame", ""))
    return Converted(text=to_gcode(moves, T_base_frame=around.frames.get(frame) if frame else None))


@router.get("/paths", dependencies=[needs(Role.VIEWER)])
def paths(desk: HasDesk, shared: HasPrograms) -> list[KeptPath]:
    """All that are kept, and the one that is being recorded."""
    store, now = _paths(desk), shared.recordings.now
    found = [(name, store.get(name)) for name in store.names()]
    kept = [KeptPath(name=name, seconds=path.duration, samples=len(path.times), recording=False) for name, path in found]
    if now is not None:
        kept.append(KeptPath(name=now.name, seconds=now.seconds, samples=now.samples, recording=True))
    return kept


@router.post("/paths/record", dependencies=[needs(Role.PROGRAMMER)])
def record(order: RecordOrder, desk: HasDesk, session: HasSession, shared: HasPrograms) -> None:
    """Begin to keep where the robot is moved, however it is moved."""
    if order.name.lower() in (name.lower() for name in _paths(desk).names()):
        raise TeachError(f"there is a path {order.name!r} already; give another name, or delete that one")
    shared.recordings.begin(order.name, session.user)
    desk.audit.note(session.user, f"records path {order.name}")


@router.post("/paths/finish", dependencies=[needs(Role.PROGRAMMER)])
def finish(order: FinishOrder, desk: HasDesk, session: HasSession, shared: HasPrograms) -> KeptPath | None:
    """End the recording, and keep it where something has moved. One that cannot be kept stays, and can be finished again."""
    if not order.keep:
        thrown = shared.recordings.throw_away()
        desk.audit.note(session.user, f"throws path {thrown.name} away: {thrown.seconds:.0f} s that {thrown.by} recorded")
        return None
    store = _paths(desk)
    name, path = shared.recordings.end(lambda name, path: store.keep(name, path, by=session.user))
    desk.audit.note(session.user, f"keeps path {name}")
    return KeptPath(name=name, seconds=path.duration, samples=len(path.times), recording=False)


@router.post("/paths/play", dependencies=[needs(Role.OPERATOR, control=True)])
def play(order: PlayOrder, desk: HasDesk, session: HasSession) -> Played:
    """Go to where a path begins, and along it, proven; held to run in manual mode. Answers when it has been handed over."""
    stops, path, held = desk.stops, _paths(desk).get(order.name), desk.mode == "manual"
    # Without the scene, which is another thread's: the station proves it anew, with all that stands around.
    bounds = replace(bounds_now(desk), scene=None)
    playback = plan_playback(desk.cell.model, path, pace=order.pace, limits=desk.prepared.limits, bounds=bounds)

    def drive() -> Played:
        if desk.program_runs or not desk.ready:
            raise Refused("the robot is not ready, or a program runs; stop the program or power on, and play the path again")
        start = desk.cell.move_joints(playback.trajectory.start.q, speed=_TO_START, wait=False, held=held)
        try:
            moved = desk.cell.run_trajectory(playback.trajectory, wait=False, held=held)
        except Refused as error:
            if held:  # what leads to the path's beginning has been let go, most likely
                raise Refused(f"{error}; in manual mode hold to run for as long as a path is played") from None
            raise
        return Played(
            motion=moved.motion, duration=start.duration + moved.duration, notes=[*start.notes, *playback.notes, *moved.notes]
        )

    done: Played = desk.do(session, f"plays path {order.name}", drive, stops=stops)
    return done


@router.delete("/paths", dependencies=[needs(Role.PROGRAMMER)])
def delete_path(name: AskedName, desk: HasDesk, session: HasSession) -> None:
    _paths(desk).delete(name)
    desk.audit.note(session.user, f"deletes path {name}")


def _points(desk: Desk) -> PointStore:
    return PointStore.of(desk.prepared.settings.source)


def _paths(desk: Desk) -> PathStore:
    return PathStore.of(desk.prepared.settings.source)


def _here(desk: Desk, order: PointOrder) -> Point:
    """The point where the robot is."""
    model, q = desk.cell.model, desk.cell.place()
    if beyond := model.outside(q):
        raise TeachError(f"no point can be there: {beyond[0]}")
    return point_at(model, q, order.name, tool=order.tool, frame=order.frame)


def _shown(desk: Desk, taught: TaughtPoint) -> TaughtPlace:
    try:
        point, fits = ordered(taught, desk.cell.model.joints), True
    except TeachError:  # taught with another group of joints
        point, fits = taught.point, False
    return TaughtPlace(
        name=point.name, q=list(point.q), xyz=list(point.xyz), rpy=list(point.rpy), tool=point.tool, frame=point.frame,
        at=taught.at, by=taught.by, fits=fits,
    )  # fmt: skip
