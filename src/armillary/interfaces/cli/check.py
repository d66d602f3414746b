"""`armillary check`: every problem of a robot's file, with line, meaning and repair; or what a program needs on a robot."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armillary.interfaces.cli.arguments import (
    add_json,
    add_source,
    packages_of,
    refuse_source_options,
    source_options,
    xacro_args_of,
)
from armillary.interfaces.cli.terminal import bold, colour, print_json

if TYPE_CHECKING:
    from armillary.description import Problem, Reading

__all__ = ["add_parser", "run"]

_EXAMPLES = """\
examples:
  armillary check my_robot.urdf
  armillary check my_robot.urdf --fix fixed.urdf    mend what has one clear repair
  armillary check arm.urdf.xacro --arg prefix:=left_ --package my_arm=../my_arm
  armillary check part.ngc --robot cobot6           go through a program as it would be run: reach, limits, collisions, time
  armillary check my_robot.urdf --json | jq '.problems[].kind'

exit status: 0 the robot can be used, or the program run; 1 it cannot, 2 the file cannot be had.
"""
_COLOURS = {"error": "red", "warning": "yellow", "note": "blue"}
_LIKE_THIS = 3  # problems of one kind that are written out


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "check", help="every problem of a robot's file, and its repair", description=__doc__, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    add_source(parser)
    parser.add_argument("--fix", metavar="OUT", type=Path, help="write a repaired copy and list each repair")
    parser.add_argument("--force", action="store_true", help="with --fix: write over OUT where it is there")
    parser.add_argument("--all", action="store_true", help="write out every problem, also many of one kind")
    parser.add_argument("--robot", metavar="ROBOT", default="", help="for a program: the robot or cell that is to run it")
    parser.add_argument("--commands", type=int, default=100_000, metavar="N", help="for a program: look at so many (100000)")
    parser.add_argument("--seconds", type=float, default=300.0, metavar="S", help="for a program: look for so long at most (300)")
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from armillary.interfaces.cli.program_check import check_program, is_program

    if is_program(options.source):
        return check_program(options)
    if options.fix is not None:
        return _fix(options)
    if _is_cell(options.source):
        from armillary.description import open_cell

        refuse_source_options(options)
        fitted = open_cell(options.source)
        _report(_reading_of(options.source, fitted.robot, fitted.problems), options)
        return 0
    from armillary.description import check_robot

    reading = check_robot(options.source, **source_options(options))  # type: ignore[arg-type]
    _report(reading, options)
    return 0 if reading.robot is not None else 1


def _is_cell(source: str) -> bool:
    from armillary.description.dh import is_dh
    from armillary.description.settings import read_toml

    path = Path(source)
    return path.suffix == ".toml" and path.is_file() and not is_dh(read_toml(path))


def _reading_of(source: str, robot: Any, problems: Any) -> "Reading":
    from armillary.description import Reading

    return Reading(source, robot, problems)


def _fix(options: argparse.Namespace) -> int:
    from armillary.description import UnreadableFile, repair_robot
    from armillary.description.source import find_source

    source = find_source(options.source)
    if options.fix.exists() and source.resolve() == options.fix.resolve():
        raise UnreadableFile(options.fix, "is the file itself; a repair writes a copy", "name another file")
    if options.srdf is not None:
        raise UnreadableFile(options.srdf, "is not repaired: --fix mends the robot's file", "leave --srdf out")
    if options.fix.is_file() and not options.force:
        raise UnreadableFile(options.fix, "is there already, and is not written over", "name another file, or add --force")
    folder = options.fix.absolute().parent
    repaired = repair_robot(source, args=xacro_args_of(options), packages=packages_of(options), folder=folder)
    written = bool(repaired.repaired)
    if written:
        _write(options.fix, repaired.text)
    left = repaired.reading.problems
    usable = repaired.reading.robot is not None
    if options.json:
        print_json({
            "file": str(options.source), "out": str(options.fix) if written else None, "usable": usable,
            "repaired": [problem_as_json(problem) for problem in repaired.repaired],
            "left": [problem_as_json(problem) for problem in left],
        })  # fmt: skip
    else:
        for problem in repaired.repaired:
            assert problem.repair is not None
            print(f"{problem.place}: {problem.where + ': ' if problem.where else ''}{problem.what}")
            print(f"    repaired: {problem.repair.what}")
        count = f"{len(repaired.repaired)} repair{'s' if len(repaired.repaired) != 1 else ''}"
        print(bold(f"{count} written to {options.fix}" if written else "nothing has one clear repair: nothing was written"))
        if left:
            print(f"left to you: {_counts(left)}; armillary check {options.fix if written else options.source}")
    return 0 if usable else 1


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    from armillary.whole_file import write_whole

    write_whole(path, text)


def _report(reading: "Reading", options: argparse.Namespace) -> None:
    problems = reading.problems
    if options.json:
        robot = reading.robot
        print_json({
            "file": reading.file,
            "usable": robot is not None,
            **{f"{name}s": sum(p.kind.severity.value == name for p in problems) for name in _COLOURS},
            "robot": None if robot is None else
            {"name": robot.name, "links": len(robot.links), "joints": len(robot.joints), "dof": robot.dof,
             "mass": robot.mass},
            "problems": [problem_as_json(problem) for problem in problems],
        })  # fmt: skip
        return
    groups: dict[str, list[Problem]] = {}
    for problem in problems:
        groups.setdefault(problem.kind.name, []).append(problem)
    for group in groups.values():
        _print_group(group, len(group) if options.all else _LIKE_THIS)
    verdict = "can be used" if reading.robot is not None else "cannot be used"
    tint = "green" if reading.robot is not None else "red"
    robot = reading.robot
    what = f" ({robot.name}: {len(robot.links)} links, {robot.dof} degrees of freedom)" if robot else ""
    print(f"{bold(reading.file)}: {colour(verdict, tint)}{what}; {_counts(problems)}")
    if any(problem.repair for problem in problems):
        print(f"repair what has one clear repair: armillary check {reading.file} --fix OUT")


def _print_group(group: "list[Problem]", shown: int) -> None:
    kind = group[0].kind
    severity = colour(kind.severity.value, _COLOURS[kind.severity.value])
    for problem in group[:shown]:
        subject = f"{bold(problem.where)}: " if problem.where else ""
        print(f"{problem.place}: {severity}: {subject}{problem.what}")
        if problem.repair is not None:
            done = "read as if repaired" if problem.repair.applied else "--fix"
            print(f"    {done}: {problem.repair.what}")
    if len(group) > shown:
        lines = ", ".join(str(problem.line) for problem in group[shown : shown + 8] if problem.line)
        more = ", ..." if len(group) > shown + 8 else ""
        print(f"    and {len(group) - shown} more like this, lines {lines}{more} (--all)")
    print(colour(f"    means: {kind.meaning}\n    do: {kind.remedy}   [{kind.name}]\n", "dim"))


def _counts(problems: "Sequence[Problem]") -> str:
    parts = []
    for name in _COLOURS:
        count = sum(problem.kind.severity.value == name for problem in problems)
        if count:
            parts.append(f"{count} {name}{'s' if count != 1 else ''}")
    return ", ".join(parts) or "no problems"


def problem_as_json(problem: "Problem") -> dict[str, Any]:
    repair = problem.repair
    return {
        "kind": problem.kind.name, "severity": problem.kind.severity.value, "file": problem.file,
        "line": problem.line, "where": problem.where, "what": problem.what, "meaning": problem.kind.meaning,
        "remedy": problem.kind.remedy,
        "repair": None if repair is None else {"what": repair.what, "applied": repair.applied},
    }  # fmt: skip
