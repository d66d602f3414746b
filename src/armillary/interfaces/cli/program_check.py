"""`armillary check PROGRAM --robot R`: a program gone through as it would be run, without a robot."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armillary.interfaces.cli.terminal import bold, colour, print_json, progress, progress_done, table

if TYPE_CHECKING:
    from armillary.errors import ArmillaryError
    from armillary.programs.languages import Language
    from armillary.runtime.dry_run import DryRun

__all__ = ["check_program", "is_empty", "is_program", "print_needs"]

_SMALL = 100_000  # bytes; a file of more is not all blanks
_ROWS = 40  # lines that are listed where not all are asked for


def is_program(source: str) -> bool:
    """Whether a file is a program, by its ending; a .toml is one where it has moves."""
    path = Path(source)
    if path.suffix.lower() == ".toml":
        return path.is_file() and "[[move]]" in path.read_text(errors="replace")
    from armillary.programs.languages import languages

    return path.suffix.lower() == ".py" or any(path.suffix.lower() in language.suffixes for language in languages())


def is_empty(path: Path) -> bool:
    """Whether a program's file has nothing in it but blanks."""
    return path.is_file() and path.stat().st_size < _SMALL and not path.read_bytes().removeprefix(b"\xef\xbb\xbf").strip()


def check_program(options: argparse.Namespace) -> int:
    """Check a program's text, and on a robot what it needs."""
    from armillary.errors import ArmillaryError
    from armillary.interfaces.cli.interpret import surroundings_for
    from armillary.programs import BadProgram
    from armillary.programs.languages import language_of

    path = Path(options.source)
    language = language_of(path)
    around, settings = surroundings_for(options.robot, language)
    try:
        language.check(path, around)
    except BadProgram as error:
        return _wrong(options, error)
    warning = "the file is empty: nothing to run" if is_empty(path) else ""
    if warning and not options.json:
        print(colour(f"armillary: {path}: {warning}", "yellow"), file=sys.stderr)
    if not options.robot:
        if options.json:
            print_json({"program": str(path), "language": language.name, "problem": "", "warning": warning})
        elif warning:
            print(f"{bold(str(path))}: empty")
        else:
            print(f"{bold(str(path))}: nothing is wrong with its text; give --robot to see what it needs on one")
        return 0
    try:
        found = _gone_through(options, path, language, settings)
    except ArmillaryError as error:
        return _wrong(options, error)
    if options.json:
        print_json({**_values(path, language, found), "warning": warning})
    else:
        print_needs(found, every=options.all)
    return 0 if found.whole else 1


def _gone_through(options: argparse.Namespace, path: Path, language: "Language", settings: dict[str, Any]) -> "DryRun":
    from armillary.cell import surroundings_of
    from armillary.runtime import StationSettings
    from armillary.runtime.command_planning import CommandPlanner
    from armillary.runtime.dry_run import dry_run
    from armillary.runtime.prepared import prepare

    prepared = prepare(StationSettings(source=options.robot), progress=progress)
    around = surroundings_of(prepared.model, options.robot, start=prepared.start)
    planner = CommandPlanner(prepared.model, prepared.limits, prepared.bounds, prepared.scene)
    try:
        return dry_run(
            planner, language.run(path, around, settings), prepared.start, commands=options.commands, budget=options.seconds,
            progress=progress,
        )  # fmt: skip
    finally:
        progress_done()


def _wrong(options: argparse.Namespace, error: "ArmillaryError") -> int:
    if options.json:
        print_json({"program": options.source, "problem": str(error)})
    else:
        print(colour(f"armillary: {error}", "red"), file=sys.stderr)
    return 1 if error.answer_is_no else 2


def _values(path: Path, language: "Language", found: "DryRun") -> dict[str, Any]:
    return {
        "program": str(path), "language": language.name, "commands": found.commands, "moves": found.moves,
        "seconds": found.seconds, "whole": found.whole, "problem": str(found.problem or ""),
        "lines": [vars(line) for line in found.lines.values()],
        "notes": [{"line": line, "text": text} for text, line in found.notes.items()],
    }  # fmt: skip


def print_needs(found: "DryRun", *, every: bool = False) -> None:
    """What each line needs, as a table, and what came out of the whole."""
    lines = list(found.lines.values())
    shown = lines if every or len(lines) <= _ROWS else sorted(lines, key=lambda line: -line.seconds)[:_ROWS]
    rows = [
        [
            line.source, line.what, str(line.times), f"{line.seconds:.2f} s" if line.seconds else "",
            f"{100 * line.use:.0f} % of {line.limit}" if line.limit else "",
            f"{1e3 * line.clearance:.0f} mm" if line.clearance is not None and line.clearance < 10.0 else "",
        ]
        for line in shown
    ]  # fmt: skip
    print(table(["line", "command", "times", "takes", "uses at most", "comes near"], rows))
    if len(shown) < len(lines):
        print(f"the {len(shown)} that take longest of {len(lines)} lines; --all lists every one")
    print(f"{found.commands} commands, {found.moves} of them moves; {found.seconds:.1f} s of motion and waiting")
    for text, line in found.notes.items():
        print(colour(f"{line}: {text}", "yellow"))
    if found.problem is not None:
        print(colour(f"armillary: {found.problem}", "red"), file=sys.stderr)
    elif not found.whole:
        print(colour("the budget was used up before the program ended: what comes behind was not looked at", "yellow"))
    else:
        print(colour("all of it can be driven (inputs taken as low, and as having come)", "green"))
