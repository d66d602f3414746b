"""Programs: the files, what is wrong with them, where they would lead, and words to complete."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from armillary.cell import surroundings_of
from armillary.interfaces.http.access import HasDesk, HasSession, needs
from armillary.interfaces.http.desk import Desk
from armillary.interfaces.http.program_check import LookedThrough
from armillary.interfaces.http.program_desk import HasPrograms
from armillary.interfaces.http.program_library import LARGEST
from armillary.interfaces.http.program_problems import Problem
from armillary.interfaces.http.program_words import words_of
from armillary.interfaces.http.roles import Role
from armillary.runtime import Refused

__all__ = ["router"]

router = APIRouter(tags=["programs"])
Name = Field(min_length=1, max_length=200)
AskedName = Annotated[str, Query(min_length=1, max_length=200)]


class ListedFile(BaseModel):
    name: str
    language: str
    size: int
    changed: str


class File(BaseModel):
    name: str
    text: str
    language: str
    version: str


class SaveOrder(BaseModel):
    name: str = Name
    text: str = Field(max_length=LARGEST)
    version: str | None = Field(default=None, max_length=64)  # that was read; null for a new program


class Saved(BaseModel):
    version: str


class RenameOrder(BaseModel):
    name: str = Name
    to: str = Name


class CheckOrder(BaseModel):
    name: str = Name
    text: str | None = Field(default=None, max_length=LARGEST)  # as it is in the editor; null for what is saved


class PreviewOrder(CheckOrder):
    start_line: int = Field(default=0, ge=0, le=10_000_000)


class ProblemFound(BaseModel):
    """line, column: From 1. fix: The whole line as it should read."""

    line: int
    column: int
    text: str
    fix: str | None

    @classmethod
    def of(cls, problem: Problem) -> "ProblemFound":
        return cls(line=problem.line, column=problem.column, text=problem.text, fix=problem.fix)


class Checked(BaseModel):
    problems: list[ProblemFound]
    seconds: float
    moves: int
    whole: bool


class LineEnd(BaseModel):
    line: int
    q: list[float]


class Previewed(BaseModel):
    """points: Of the tool, in what the arm stands on [m]. lines: The program's line of each; 0 for another file's."""

    points: list[list[float]]
    lines: list[int]
    ends: list[LineEnd]
    seconds: float
    problem: ProblemFound | None
    whole: bool


class Words(BaseModel):
    words: list[str]
    points: list[str]
    frames: list[str]
    tools: list[str]


@router.get("/programs", dependencies=[needs(Role.VIEWER)])
def programs(shared: HasPrograms) -> list[ListedFile]:
    return [
        ListedFile(name=each.name, language=each.language, size=each.size, changed=each.changed) for each in shared.library.list()
    ]


@router.get("/programs/file", dependencies=[needs(Role.VIEWER)])
def read(name: AskedName, shared: HasPrograms) -> File:
    found = shared.library.read(name)
    return File(name=found.name, text=found.text, language=found.language, version=found.version)


@router.put("/programs/file", dependencies=[needs(Role.PROGRAMMER)])
def save(order: SaveOrder, desk: HasDesk, session: HasSession, shared: HasPrograms) -> Saved:
    """Save a program; refused where somebody else has saved another version meanwhile."""
    _must_not_run(desk, order.name)
    version = shared.library.write(order.name, order.text, order.version)
    desk.audit.note(session.user, f"saves the program {order.name}")
    return Saved(version=version)


@router.post("/programs/rename", dependencies=[needs(Role.PROGRAMMER)])
def rename(order: RenameOrder, desk: HasDesk, session: HasSession, shared: HasPrograms) -> None:
    _must_not_run(desk, order.name)
    shared.library.rename(order.name, order.to)
    desk.audit.note(session.user, f"renames the program {order.name} to {order.to}")


@router.delete("/programs/file", dependencies=[needs(Role.PROGRAMMER)])
def delete(name: AskedName, desk: HasDesk, session: HasSession, shared: HasPrograms) -> None:
    _must_not_run(desk, name)
    shared.library.delete(name)
    desk.audit.note(session.user, f"deletes the program {name}")


@router.post("/programs/check", dependencies=[needs(Role.OPERATOR)])
def check(order: CheckOrder, shared: HasPrograms) -> Checked:
    """What is wrong with a program on this robot, from where it is; and how long it would take."""
    found = _looked(order, shared)
    problems = [ProblemFound.of(each) for each in found.problems]
    return Checked(problems=problems, seconds=found.seconds, moves=found.moves, whole=found.whole)


@router.post("/programs/preview", dependencies=[needs(Role.OPERATOR)])
def preview(order: PreviewOrder, shared: HasPrograms) -> Previewed:
    """Where the tool would go."""
    found = _looked(order, shared, order.start_line)
    trace, first = found.trace, next(iter(found.problems), None)
    return Previewed(
        points=trace.points.round(5).tolist() if trace is not None else [],
        lines=trace.lines.tolist() if trace is not None else [],
        ends=[LineEnd(line=line, q=list(q)) for line, q in sorted(trace.ends.items())] if trace is not None else [],
        seconds=found.seconds, problem=ProblemFound.of(first) if first is not None else None, whole=found.whole,
    )  # fmt: skip


@router.get("/programs/words", dependencies=[needs(Role.VIEWER)])
def words(language: Literal["gcode", "script", "moves"], desk: HasDesk) -> Words:
    """What an editor can complete."""
    around = surroundings_of(desk.cell.model, desk.prepared.settings.source)
    return Words(words=words_of(language), points=list(around.points), frames=list(around.frames), tools=list(around.tools))


def _looked(order: CheckOrder, shared: HasPrograms, start_line: int = 0) -> LookedThrough:
    path = shared.library.path(order.name) if order.text is None else shared.library.place(order.name)
    return shared.check.look(path, order.name, order.text, start_line=start_line)


def _must_not_run(desk: Desk, name: str) -> None:
    """The lines that are shown while it runs are those of its file."""
    if desk.program_runs and desk.run_name == name:
        raise Refused(f"{name} runs; stop it before it is changed, or save yours under another name")
