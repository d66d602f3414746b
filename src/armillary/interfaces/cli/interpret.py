"""`armillary interpret`: the commands that a program ends in, one a line, each with its source line. No robot is needed."""

import argparse
import itertools
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armillary.interfaces.cli.terminal import colour

if TYPE_CHECKING:
    from armillary.programs import Command, Surroundings

__all__ = ["add_parser", "run"]

_EXAMPLES = """\
examples:
  armillary interpret part.ngc
  armillary interpret pick.arm --robot cell.toml       its frames, tools and taught points are known then
  armillary interpret part.ngc --json | jq 'select(.command == "MoveLine") | .xyz'

Lengths are m, angles rad, times s. Exit status 1: the program is wrong; what came before has been printed.
"""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "interpret", help="the commands that a program ends in", description=__doc__, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("program", type=Path, metavar="FILE", help="a program: .ngc, .arm, .toml, ...")
    parser.add_argument("--robot", metavar="ROBOT", default="", help="a robot or cell, whose frames, tools and points are meant")
    parser.add_argument("--most", type=int, metavar="N", default=0, help="print so many commands at most; all where left out")
    parser.add_argument("--start-line", type=int, metavar="LINE", default=0, help="begin at this line")
    parser.add_argument("--json", action="store_true", help="each command as JSON, one a line")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from armillary.programs import BadProgram
    from armillary.programs.command_values import values_of
    from armillary.programs.errors import NoProgram
    from armillary.programs.languages import language_of

    if options.most < 0:
        raise NoProgram(f"--most {options.most} is no number of commands; give 1 or more")
    language = language_of(options.program)
    around, settings = surroundings_for(options.robot, language)
    running = language.run(options.program, around, settings, options.start_line)
    try:
        for command in itertools.islice(running, options.most or None):
            print(json.dumps(values_of(command)) if options.json else _line(command))
    except NoProgram:
        raise
    except BadProgram as error:
        sys.stdout.flush()
        if options.json:
            print(json.dumps({"error": str(error)}))
        else:
            print(colour(f"armillary: {error}", "red"), file=sys.stderr)
        return 1
    except BrokenPipeError:
        sys.stderr.close()  # who read it has seen enough
        return 0
    return 0


def surroundings_for(robot: str, language: Any) -> "tuple[Surroundings, dict[str, Any]]":
    """What a program can name on a robot that stands at home; without one, nothing but its own words."""
    from armillary.programs import Surroundings

    if not robot:
        return Surroundings(), {}
    from armillary.cell import surroundings_of
    from armillary.cell.surroundings import options_for
    from armillary.model import load_model
    from armillary.runtime.prepared import description_of, home_of

    model, description = load_model(robot), description_of(robot)
    start = home_of(description, model)
    return surroundings_of(model, robot, start=start), options_for(description, language, robot, keep=False)


def _line(command: "Command") -> str:
    from armillary.programs.command_values import values_of

    values = values_of(command)
    values.pop("source", None)
    name = str(values.pop("command"))
    said = "  ".join(f"{key}={_value(value)}" for key, value in values.items())
    return f"{command.source!s:24} {name:10} {said}"


def _value(value: Any) -> str:
    if isinstance(value, tuple):
        return "(" + ", ".join(_value(each) for each in value) + ")"
    return f"{value:.6g}" if isinstance(value, float) else repr(value)
