"""Runs of programs, lines that are typed, and what was run lately."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from armillary.cell import ProgramRun, RunState
from armillary.errors import ArmillaryError
from armillary.interfaces.http.access import HasDesk, HasSession, needs
from armillary.interfaces.http.desk import Desk
from armillary.interfaces.http.program_desk import HasPrograms
from armillary.interfaces.http.roles import Role
from armillary.programs import BadProgram
from armillary.programs.languages import language_of
from armillary.runtime import Refused

__all__ = ["router"]

router = APIRouter(tags=["runs"])
_SMALL = 2_000_000  # bytes of a program whose text is looked through before it is begun; of a longer one as it is run


class LineStopped(Refused):
    """Somebody stopped a typed line: it did not fail."""


class RunOrder(BaseModel):
    name: str = Field(min_length=1, max_length=200)
    start_line: int = Field(default=0, ge=0, le=10_000_000)
    step: bool = False


class TypedLine(BaseModel):
    language: Literal["gcode", "script"]
    line: str = Field(min_length=1, max_length=1000)


class Typed(BaseModel):
    said: list[str]


class RecentRun(BaseModel):
    name: str
    at: str
    who: str
    seconds: float
    moves: int
    ended: str
    error: str


@router.post("/run", dependencies=[needs(Role.OPERATOR, control=True)])
def run(order: RunOrder, desk: HasDesk, session: HasSession, shared: HasPrograms) -> None:
    """Run a program; in manual mode it goes while somebody holds to run."""
    path, stops = shared.library.path(order.name), desk.stops

    def start() -> ProgramRun:
        shared.mdi.forget()
        made = desk.cell.program(path, start_line=order.start_line, step=order.step, held=desk.mode == "manual")
        desk.start_program(order.name, made)
        return made

    try:
        if path.stat().st_size <= _SMALL:
            language_of(path).check(path, desk.cell.surroundings())
        begun: ProgramRun = desk.do(session, f"runs {order.name}{_from(order.start_line)}", start, stops=stops)
    except BadProgram as error:  # with the name that people know it by
        raise BadProgram(str(error).replace(str(path), order.name)) from None
    shared.history.watch(order.name, begun, session.user)


@router.post("/run/pause", dependencies=[needs(Role.OPERATOR)])
def pause(desk: HasDesk, session: HasSession) -> None:
    """Hold the motion on its path, and read no further. Who runs programs may, with control or without."""
    _running(desk).pause()
    desk.audit.note(session.user, f"pauses {desk.run_name}")


@router.post("/run/stop", dependencies=[needs(Role.OPERATOR)])
def stop(desk: HasDesk, session: HasSession) -> None:
    """Stop the motion on its path, and the program with it. Who runs programs may, with control or without."""
    _running(desk)
    desk.end_program()
    desk.audit.note(session.user, f"stops {desk.run_name}")


@router.post("/run/resume", dependencies=[needs(Role.OPERATOR, control=True)])
def resume(desk: HasDesk, session: HasSession) -> None:
    """Go on from a pause; in manual mode with the next press."""
    desk.do(session, f"lets {desk.run_name} go on", lambda: desk.go_on(step=False))


@router.post("/run/step", dependencies=[needs(Role.OPERATOR, control=True)])
def step(desk: HasDesk, session: HasSession) -> None:
    """Go on from a pause for one move; in manual mode with the next press."""
    desk.do(session, f"lets {desk.run_name} go on by a move", lambda: desk.go_on(step=True))


@router.get("/runs", dependencies=[needs(Role.VIEWER)])
def runs(shared: HasPrograms, most: Annotated[int, Query(ge=1, le=1000)] = 100) -> list[RecentRun]:
    """The newest first."""
    return [RecentRun(**vars(each)) for each in shared.history.newest(most)]


@router.post("/mdi", dependencies=[needs(Role.OPERATOR, control=True)])
def mdi(order: TypedLine, desk: HasDesk, session: HasSession, shared: HasPrograms) -> Typed:
    """Run a line; answers when it is done. What it sets stays for the next, until a program is run.

    Not one of the things that come one after the other: stop, hold and the override must not wait for its end.
    """
    if desk.program_runs:
        raise Refused(f"{desk.run_name} runs; stop it before lines are typed")
    desk.audit.note(session.user, f"types {order.line}")
    begun: list[ProgramRun] = []

    def begins(run: ProgramRun) -> None:
        desk.watch_line(run)
        begun.append(run)

    try:
        shared.mdi.run(order.language, order.line, begins, held=desk.mode == "manual")
    except ArmillaryError:
        if not begun or begun[0].state != RunState.STOPPED:
            raise
    (run,) = begun
    if run.state == RunState.STOPPED:
        raise LineStopped("the line was stopped before it was done; type it again to do the rest")
    return Typed(said=list(run.said))


def _running(desk: Desk) -> ProgramRun:
    if desk.run is None or desk.run.over:
        raise Refused("no program runs; start one first")
    return desk.run


def _from(line: int) -> str:
    return f" from line {line}" if line else ""
