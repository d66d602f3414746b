"""A program, or typed lines, driven from a terminal."""

import argparse
import select
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from armillary.interfaces.cli.terminal import bold, colour, progress, progress_done

if TYPE_CHECKING:
    from armillary.cell import Cell, ProgramRun
    from armillary.programs.languages import Running

__all__ = ["check_text", "drive_program", "drive_typed"]

_SMALL = 2_000_000  # bytes of a program whose text is looked through as a whole before anything is begun
_LOOK = 0.1  # s between looks at what it does
_AHEAD = 1.0  # s for which a program is read before anything is begun, to meet what is wrong only when it is carried out


def check_text(path: Path, robot: str) -> None:
    """Look through a program's text before anything is begun; of a long one as it is run.

    Raises:
        ArmillaryError: It cannot be read, or is wrong; says the line.
    """
    from armillary.programs.languages import language_of, read_program

    if path.suffix == ".py":
        read_program(path)
        return
    language = language_of(path)
    if path.is_file() and path.stat().st_size > _SMALL:
        return
    from armillary.interfaces.cli.interpret import surroundings_for

    around, settings = surroundings_for(robot, language)
    language.check(path, around)
    _read_ahead(language.run(path, around, settings))


def _read_ahead(running: "Running") -> None:
    """Read a program as it will be, for a moment; not beyond where it depends on what is sensed."""
    from armillary.programs import WaitInput

    end = time.monotonic() + _AHEAD
    for command in running:
        if isinstance(command, WaitInput) or time.monotonic() > end:
            return


def drive_program(cell: "Cell", options: argparse.Namespace, status: Callable[[str], None]) -> str:
    """Run a program to its end; what went wrong, or ""."""
    from armillary.errors import ArmillaryError

    if options.program.suffix == ".py":
        if options.step or options.start_line or options.check_all or options.optional_pauses:
            return "a Python program can neither be stepped through, begun at a line nor checked ahead; leave those options out"
        return _drive_python(cell, options.program, status)
    try:
        if options.check_all:
            _check_all(cell, options.program, options.start_line)
        run = cell.start(
            options.program, start_line=options.start_line, step=options.step, optional_pauses=options.optional_pauses,
            listen=None if options.json else _say,
        )  # fmt: skip
        if sys.stdin.isatty():
            _say("Enter goes on, 'go' runs on, 'pause' holds, 'show' shows its variables, 'stop' stops")
        while not run.over:
            status(_what(run))
            _keys(run)
        for note in run.notes:
            if note not in cell.station.assumptions:
                _say(colour(note, "yellow"))
        if run.error is not None:
            return str(run.error)
    except ArmillaryError as error:
        return str(error)
    return ""


def _check_all(cell: "Cell", path: Path, start_line: int) -> None:
    """Go through the whole program as it is about to be run.

    Raises:
        ArmillaryError: Something in it cannot be driven.
    """
    from armillary.programs import BadProgram
    from armillary.programs.languages import language_of
    from armillary.runtime.command_planning import CommandPlanner
    from armillary.runtime.dry_run import dry_run
    from armillary.runtime.prepared import prepare

    prepared, language = prepare(cell.station.settings, progress=progress), language_of(path)
    planner = CommandPlanner(prepared.model, prepared.limits, prepared.bounds, prepared.scene)
    program = language.run(path, cell.surroundings(), cell.options_of(language, keep=False), start_line)
    found = dry_run(planner, program, cell.state.q, progress=progress)
    progress_done()
    if found.problem is not None:
        raise found.problem
    if not found.whole:
        raise BadProgram(
            f"{path}: it has not ended after {found.commands} commands ({found.seconds:.0f} s of motion), as far as it is looked"
            " at; run it without --check-all to have it checked as it goes"
        )
    print(f"{bold(str(path))}: all {found.moves} moves can be driven, in {found.seconds:.1f} s")


def _drive_python(cell: "Cell", path: Path, status: Callable[[str], None]) -> str:
    from armillary.cell.python_program import run_python
    from armillary.errors import ArmillaryError

    done: list[str] = []

    def work() -> None:
        try:
            run_python(cell, path)
            cell.wait()
            done.append("")
        except ArmillaryError as error:
            done.append(str(error))

    threading.Thread(target=work, daemon=True).start()
    while not done:
        status("")
        time.sleep(_LOOK)
    return done[0]


def drive_typed(cell: "Cell", language: str) -> str:
    """Run each line that is typed, until the input ends."""
    from armillary.errors import ArmillaryError

    typed = cell.typed_lines(language)
    print(f"type {typed.language.name}, one line at a time; Ctrl-D ends", flush=True)
    for line in sys.stdin:
        if not line.strip():
            continue
        try:
            run = typed.run(line.rstrip("\n"))
            print("".join(f"{text}\n" for text in run.said) + str(cell.state), flush=True)
        except ArmillaryError as error:
            if not sys.stdin.isatty():  # nobody sees it: what comes behind may rely on it
                return str(error)
            print(colour(f"armillary: {error}", "red"), file=sys.stderr, flush=True)
    return ""


def _keys(run: "ProgramRun") -> None:
    """Wait a moment for what is typed: Enter goes on, "go" runs on, "pause" holds, "stop" stops."""
    if not sys.stdin.isatty():
        time.sleep(_LOOK)
        return
    if select.select([sys.stdin], [], [], _LOOK)[0]:
        typed = sys.stdin.readline()
        if not typed:  # Ctrl-D is no Enter
            run.pause()
            time.sleep(_LOOK)
            return
        word = typed.strip().lower()
        do: dict[str, Callable[[], None]] = {
            "": run.step if run.stepping else run.resume, "go": run.resume, "pause": run.pause, "p": run.pause, "stop": run.stop,
            "show": lambda: _show(run),
        }  # fmt: skip
        do.get(word, lambda: _say("Enter goes on, 'go' runs on, 'pause' holds, 'show' shows its variables, 'stop' stops"))()


def _show(run: "ProgramRun") -> None:
    """Where it is, its variables, calls and modes."""
    shown = run.shown
    _say(f"moves {run.line or 'nothing'}, reads {shown.file}:{shown.line}")
    for name, values in (("variables", shown.variables), ("modes", shown.modes)):
        if values:
            words = (f"{key} {value:g}" if isinstance(value, float) else f"{key} {value}" for key, value in values.items())
            _say(f"{name}: " + ", ".join(words))
    if shown.calls:
        _say("called: " + " > ".join(shown.calls))


def _what(run: "ProgramRun") -> str:
    line = run.line
    return f"{run.state.value} {line}  {run.moves} moves" if line else f"{run.state.value}  {run.moves} moves"


def _say(text: str) -> None:
    progress_done()
    print(f"program: {text}", flush=True)
