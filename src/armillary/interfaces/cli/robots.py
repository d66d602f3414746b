"""`armillary robots`: the robots that can be named instead of a file."""

import argparse
from typing import Any

from armillary.interfaces.cli.arguments import add_json
from armillary.interfaces.cli.terminal import colour, print_json, table

__all__ = ["add_parser", "run"]


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("robots", help="list the robots that can be named", description=__doc__)
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from armillary.description.library import EXTRA, known_robots

    robots = known_robots()
    if options.json:
        print_json({
            "robots": [
                {"name": r.name, "source": r.source, "installed": r.path is not None,
                 "path": str(r.path) if r.path else None, "note": r.note}
                for r in robots
            ]
        })  # fmt: skip
        return 0
    rows = [[r.name, r.source, r.note if r.path else f"{r.note}; needs: pip install 'armillary[{EXTRA}]'"] for r in robots]
    print(table(["name", "from", ""], rows))
    if not any(robot.source == EXTRA and robot.path for robot in robots):
        print(colour(f"\nmore (TIAGo, UR, Panda, Talos, ...): pip install 'armillary[{EXTRA}]'", "dim"))
    return 0
