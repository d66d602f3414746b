"""The cell as a system: versions, processes, how punctual it is, what happened; back-up and restore."""

import importlib.metadata
import platform
import shutil
import time
from contextlib import nullcontext, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

import armillary
from armillary.interfaces.http.access import HasDesk, HasSession, needs
from armillary.interfaces.http.backup import LARGEST, Keepsakes, make_backup, restore_backup
from armillary.interfaces.http.desk import Desk
from armillary.interfaces.http.own_cell_file import changing_cell
from armillary.interfaces.http.program_desk import HasPrograms, ProgramDesk
from armillary.interfaces.http.roles import Role
from armillary.interfaces.http.routes.recordings import folder_of
from armillary.interfaces.http.stage_times import StageTimes
from armillary.runtime import Refused

__all__ = ["router"]

router = APIRouter(tags=["system"])
_LIBRARIES = ("numpy", "numba", "mujoco", "fastapi", "uvicorn", "mcap", "argon2-cffi", "cryptography")
_BYTES = {"type": "string", "format": "binary"}


class Process(BaseModel):
    name: str
    pid: int  # 0: it has ended
    restarts: int
    said: str  # why it was started again


class Disk(BaseModel):
    place: str
    free: int  # bytes
    total: int


class System(BaseModel):
    robot: str
    source: str
    driver: str
    pace: str
    versions: dict[str, str]
    machine: str
    processes: list[Process]
    granted: str  # of real time, in words
    uptime: float  # of the station [s]
    disks: list[Disk]
    place: str  # of programs, users and history
    recordings: str  # folder
    recording: dict[str, Any]  # file, bytes written, records lost, problem
    assumptions: list[str]
    troubles: list[str]  # of files that cannot be written


class Stage(BaseModel):
    """A step of the executor's tick, or of what lies beyond it: how long it took [s]."""

    name: str
    count: int
    p50: float
    p99: float
    p999: float
    most: float


class Statistics(BaseModel):
    stages: list[Stage]
    beyond: list[Stage]  # outside the tick, of the last minute: to the motor side and back, a round of the pendant's server
    ticks: int
    overruns: int
    lost: int  # records that the recorder did not get
    period: float  # of a tick [s]
    granted: str


class Happened(BaseModel):
    at: str  # UTC; "" where the cell's time is not the clock's
    time: float  # [s, the executor's clock]
    event: str
    state: str
    text: str


class Restored(BaseModel):
    restored: list[str]
    kept: str  # file with what was there before
    restart: bool  # the cell must be started again to take it all


@router.get("/system", dependencies=[needs(Role.VIEWER)])
def system(request: Request, desk: HasDesk) -> System:
    station, folder = desk.cell.station, folder_of(desk)
    processes = [
        Process(name=name, pid=int(said.get("pid") or 0), restarts=int(said.get("restarts", 0)), said=str(said.get("said", "")))
        for name, said in station.processes.items()
    ]
    return System(
        robot=desk.cell.model.spec.robot.name, source=station.settings.source, driver=station.settings.driver,
        pace=station.settings.pace, versions=_versions(), machine=platform.platform(),
        processes=processes, granted=str(desk.cell.statistics(clear=False)["granted"]), uptime=_uptime(desk),
        disks=[disk for place in dict.fromkeys((desk.place, folder.path)) if (disk := _disk(place)) is not None],
        place=str(desk.place), recordings=str(folder.path), recording=station.recording, assumptions=station.assumptions,
        troubles=_troubles(request, desk),
    )  # fmt: skip


@router.get("/statistics", dependencies=[needs(Role.VIEWER)])
def statistics(request: Request, desk: HasDesk) -> Statistics:
    """How punctual the executor is, how long each of its steps takes, and what lies beyond. Nothing begins anew by asking."""
    said = desk.cell.statistics(clear=False)
    times: dict[str, StageTimes] = request.app.state.broadcast.times
    beyond = [Stage(name=name, **each.quantiles()) for name, each in times.items()]
    stages = [
        Stage(name=name, **{key: took[key] for key in ("count", "p50", "p99", "p999", "most")})
        for name, took in said.items()
        if isinstance(took, dict)
    ]
    return Statistics(
        stages=stages, beyond=beyond, ticks=said["ticks"], overruns=said["overruns"], lost=said["lost"], granted=said["granted"],
        period=desk.cell.station.settings.period,
    )  # fmt: skip


@router.get("/logs", dependencies=[needs(Role.VIEWER)])
def logs(desk: HasDesk, most: Annotated[int, Query(ge=1, le=1000)] = 200) -> list[Happened]:
    """What has happened to the robot since the pendant runs; the newest first."""
    real = desk.cell.station.settings.pace == "real"
    now, clock = datetime.now(UTC).timestamp(), time.monotonic()
    found = []
    for each in list(desk.cell.station.happenings)[-most:][::-1]:
        when = float(each["time"])
        at = datetime.fromtimestamp(now - (clock - when), tz=UTC).isoformat(timespec="milliseconds") if real else ""
        found.append(Happened(at=at, time=when, event=str(each["event"]), state=str(each["state"]), text=str(each["text"])))
    return found


@router.get("/backup", dependencies=[needs(Role.ADMINISTRATOR)], response_class=Response)
def backup(request: Request, desk: HasDesk, session: HasSession) -> Response:
    """Programs, points, paths, users, the cell and its parameters as one zip file. It has the passwords' hashes: keep it safe."""
    data = make_backup(_keepsakes(request, desk))
    name = f"{desk.cell.model.spec.robot.name}-{datetime.now(UTC):%Y%m%d-%H%M%S}.zip"
    plain = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "-_.") else "-" for letter in name)
    desk.audit.note(session.user, "takes a back-up")
    return Response(data, media_type="application/zip", headers={"content-disposition": f'attachment; filename="{plain}"'})


@router.post(
    "/restore", dependencies=[needs(Role.ADMINISTRATOR)],
    openapi_extra={"requestBody": {"required": True, "content": {"application/zip": {"schema": _BYTES}}}},
)  # fmt: skip
async def restore(request: Request, desk: HasDesk, session: HasSession, shared: HasPrograms) -> Restored:
    """Bring a back-up back: all of it or nothing. What was there is kept as a zip file beside it."""
    if int(request.headers.get("content-length", "0")) > LARGEST:
        raise HTTPException(413, f"a back-up has {LARGEST >> 20} MB at most")
    data = await request.body()
    return await run_in_threadpool(_restore, data, request, desk, session, shared)


def _restore(data: bytes, request: Request, desk: Desk, session: HasSession, shared: ProgramDesk) -> Restored:
    if desk.program_runs or bool(desk.cell.station.state["moves"]):
        raise Refused("the robot moves, or a program runs; stop it before a back-up is brought back")
    shared.mdi.forget()  # lines that are typed know the parameters that were, and would write them over those that come
    keepsakes = _keepsakes(request, desk)
    before = {user.name: (user.role, user.hash) for user in keepsakes.users.stored()}
    # Always in this order, and nobody else has both: none waits for the other.
    with shared.library.exchanging(), changing_cell(keepsakes.cell) if keepsakes.cell is not None else nullcontext():
        done = restore_backup(keepsakes, data)
    with suppress(Refused):
        shared.mdi.forget()  # those that were begun meanwhile
    after = {user.name: (user.role, user.hash) for user in keepsakes.users.stored()}
    desk.audit.note(session.user, f"brings a back-up back; what was there is in {done.kept.name}")
    for name, was in before.items():
        if after.get(name) != was:
            for ended in request.app.state.sessions.end_of(name, but=session):
                desk.give_control(ended)
    return Restored(restored=list(done.restored), kept=str(done.kept), restart=done.restart)


def _keepsakes(request: Request, desk: Desk) -> Keepsakes:
    return Keepsakes.of(desk.cell.station.settings.source, desk.place, request.app.state.users)


def _troubles(request: Request, desk: Desk) -> list[str]:
    # As far as it is there: a disk on which no programs can be kept must not keep people from reading this.
    programs: ProgramDesk | None = getattr(request.app.state, "programs", None)
    history = programs.history.trouble if programs is not None else ""
    found = (desk.audit.trouble, desk.alarms.trouble, history, str(desk.cell.station.recording["problem"]))
    return [text for text in found if text]


def _versions() -> dict[str, str]:
    found = {"armillary": armillary.__version__, "python": platform.python_version()}
    for library in _LIBRARIES:
        try:
            found[library] = importlib.metadata.version(library)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _uptime(desk: Desk) -> float:
    try:
        return max(time.time() - (desk.folder / "supervisor.pid").stat().st_mtime, 0.0)
    except OSError:
        return 0.0


def _disk(place: Path) -> Disk | None:
    for folder in (place, *place.parents):  # one that is not there yet will be on its parent's disk
        try:
            usage = shutil.disk_usage(folder)
        except OSError:
            continue
        return Disk(place=str(place), free=usage.free, total=usage.total)
    return None
