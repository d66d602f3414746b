"""`armillary export`: any description as plain URDF (or its groups as SRDF)."""

import argparse
import sys
from pathlib import Path
from typing import Any

from armillary.interfaces.cli.arguments import add_source, source_options

__all__ = ["add_parser", "run"]

_EXAMPLES = """\
examples:
  armillary export arm.urdf.xacro --arg side:=left --out arm.urdf
  armillary export my_dh_table.toml > my_arm.urdf
  armillary export tiago --format srdf
"""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "export", help="any description as plain URDF", description=__doc__, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    add_source(parser)
    parser.add_argument("--out", metavar="FILE", type=Path, help="where to write; standard output where left out")
    parser.add_argument("--format", choices=("urdf", "srdf"), default="urdf")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from armillary.description import read_robot, write_srdf, write_urdf
    from armillary.description.source import find_source
    from armillary.whole_file import CannotWrite, write_whole

    if options.out is not None and options.out.exists() and options.out.resolve() == find_source(options.source).resolve():
        raise CannotWrite(options.out, "it is the file that is read")
    robot = read_robot(options.source, **source_options(options))  # type: ignore[arg-type]
    folder = (options.out.parent if options.out else Path.cwd()).resolve()
    text = write_srdf(robot) if options.format == "srdf" else write_urdf(robot, folder=folder)
    if options.out is None:
        sys.stdout.write(text)
    else:
        write_whole(options.out, text)
        print(f"{options.out}: {robot.name}, {len(robot.links)} links, {len(robot.joints)} joints")
    return 0
