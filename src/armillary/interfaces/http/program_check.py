"""A program looked at and gone through as it would be run, and nothing moves: what is wrong, where the tool would go."""

import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from armillary.cell import surroundings_of
from armillary.errors import ArmillaryError
from armillary.interfaces.http.desk import Desk
from armillary.interfaces.http.manual_bounds import manual_bounds
from armillary.interfaces.http.own_scene import own_scene
from armillary.interfaces.http.program_library import LibraryProblem
from armillary.interfaces.http.program_problems import Problem, problems_of, with_fixes
from armillary.interfaces.http.robot_page import led_frame
from armillary.interfaces.http.tool_trace import ToolTrace
from armillary.model import Scene
from armillary.motion import Bounds, Plan
from armillary.programs import Surroundings
from armillary.programs.errors import NoProgram
from armillary.programs.languages import Language, language_of, read_program
from armillary.runtime import Refused
from armillary.runtime.command_planning import CommandPlanner
from armillary.runtime.dry_run import dry_run
from armillary.runtime.planner_process import warm_up

__all__ = ["LookedThrough", "ProgramCheck", "bounds_now"]

_COMMANDS = 20_000  # that are gone through
_SECONDS = 8.0  # for which it is
_PATIENCE = 20.0  # s to wait for another one's


@dataclass(frozen=True)
class LookedThrough:
    """What came of it.

    Attributes:
        problems: What is wrong, in the order of lines.
        seconds: How long the program would take [s]. moves: How many motions it has.
        whole: Whether it was gone through to its end: otherwise it is wrong somewhere, or longer than is looked at.
        trace: Where the tool would go.
    """

    problems: tuple[Problem, ...]
    seconds: float = 0.0
    moves: int = 0
    whole: bool = False
    trace: ToolTrace | None = None


def bounds_now(desk: Desk) -> Bounds:
    """What motions are held to now: in manual mode the tool is slow."""
    bounds = desk.prepared.bounds
    return manual_bounds(bounds) if desk.mode == "manual" else bounds


class ProgramCheck:
    """Looks through programs, one at a time, with a scene of its own: what the robot does is not held up by it."""

    def __init__(self, desk: Desk) -> None:
        self._desk, self._one = desk, threading.Lock()
        self._scene: Scene | None = None

    def look(self, path: Path, name: str, text: str | None = None, *, start_line: int = 0, drive: bool = True) -> LookedThrough:
        """Look through a program from where the robot is.

        Args:
            path: Its file, which need not be there where a text is given. name: What people call it.
            text: What it would be if it were saved; None for what is saved.
            start_line: Where it would be begun.
            drive: Whether it is planned and proven too; otherwise only its text is looked at.

        Raises:
            Refused: Others are looked through, for long.
            NoProgram: It cannot be read.
        """
        if not self._one.acquire(timeout=_PATIENCE):
            raise Refused("other programs are being looked through; try again in a moment")
        try:
            with _to_be_read(path, text) as file:
                return self._look(file, name, start_line, drive)
        finally:
            self._one.release()

    def _look(self, file: Path, name: str, start_line: int, drive: bool) -> LookedThrough:
        language, cell = language_of(file), self._desk.cell
        start = cell.state.q
        around = surroundings_of(cell.model, self._desk.prepared.settings.source, start=start)
        wrong = _wrong(language, file, name, around)
        if wrong:

            def check(other: str) -> list[Problem]:
                with _to_be_read(file, other) as changed:
                    return _wrong(language, changed, name, around)

            return LookedThrough(tuple(with_fixes(wrong, read_program(file), check)))
        if not drive:
            return LookedThrough((), whole=True)
        planner = self._planner()
        trace = ToolTrace(cell.model, led_frame(self._desk.prepared), str(file))
        enough = _until(time.monotonic() + _SECONDS)

        def planned(plan: Plan) -> None:
            trace.add(plan)
            enough()

        try:
            program = language.run(file, around, cell.options_of(language, keep=False), start_line)
            found = dry_run(planner, program, start, commands=_COMMANDS, budget=_SECONDS, planned=planned)
        except ArmillaryError as error:  # what is met only where it is begun
            return LookedThrough(tuple(problems_of(error, str(file), name)))
        trace.finish()
        met = None if isinstance(found.problem, _Enough) else found.problem
        problems = () if met is None else tuple(problems_of(met, str(file), name))
        return LookedThrough(problems, found.seconds, found.moves, found.whole, trace)

    def _planner(self) -> CommandPlanner:
        prepared = self._desk.prepared
        if self._scene is None:
            self._scene = own_scene(prepared)
            # What is slow the first time does not count as the program's.
            warm_up(replace(prepared, scene=self._scene, bounds=replace(prepared.bounds, scene=self._scene)))
        bounds = replace(bounds_now(self._desk), scene=self._scene)
        return CommandPlanner(prepared.model, prepared.limits, bounds, self._scene)


class _Enough(ArmillaryError):
    """It has been gone through for as long as it may be."""


def _until(deadline: float) -> Callable[[], None]:
    def look() -> None:
        if time.monotonic() > deadline:
            raise _Enough("it takes longer than is looked at; run it to see the rest")

    return look


def _wrong(language: Language, file: Path, name: str, around: Surroundings) -> list[Problem]:
    """What a look at the text finds."""
    try:
        language.check(file, around)
    except NoProgram:
        raise
    except ArmillaryError as error:
        return problems_of(error, str(file), name)
    return []


@contextmanager
def _to_be_read(path: Path, text: str | None) -> Iterator[Path]:
    """A file with a program's text, beside its own: so that it finds the subroutines there."""
    if text is None:
        yield path
        return
    folder = next(each for each in path.parents if each.is_dir())
    temporary = None
    try:
        descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=".check-", suffix=path.suffix)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        yield Path(temporary)
    except OSError as error:
        raise LibraryProblem(f"it cannot be written down to be looked at: {error.strerror}; check the disk") from None
    finally:
        if temporary is not None:
            os.unlink(temporary)
