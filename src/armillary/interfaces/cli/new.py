"""`armillary new`: a cell for any robot, in one step: groups, tips, tool frame and limits proposed."""

import argparse
import re
from pathlib import Path
from typing import Any

from armillary.errors import ArmillaryError
from armillary.interfaces.cli.arguments import add_json, add_source, source_options
from armillary.interfaces.cli.terminal import bold, print_json, table

__all__ = ["CellExists", "add_parser", "folder_name", "run"]

_EXAMPLES = """\
examples:
  armillary new my_robot.urdf                writes ./my_robot/cell.toml
  armillary new my_robot.urdf --out cells/a  writes cells/a/cell.toml
  armillary new tiago --out .
"""


class CellExists(ArmillaryError):
    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} exists and was left as it is; name another folder with --out, or add --force")


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "new", help="a cell for any robot", description=__doc__, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    add_source(parser)
    parser.add_argument("--out", metavar="DIR", type=Path, help="the cell's folder; ./ROBOT where left out")
    parser.add_argument("--force", action="store_true", help="write over a cell.toml that is there")
    add_json(parser)
    parser.set_defaults(run=run)


def folder_name(robot: str) -> str:
    """A robot's name as the name of a folder or file: one part, nothing odd."""
    plain = re.sub(r"[^\w.-]+", "_", robot).strip("._") or "robot"
    return plain[:100]


def run(options: argparse.Namespace) -> int:
    from armillary.description import propose_cell, read_source
    from armillary.description.kept_cell import bundled_cell
    from armillary.description.source import find_source
    from armillary.whole_file import write_whole

    path = find_source(options.source)
    reading = read_source(path, **source_options(options))  # type: ignore[arg-type]
    robot = reading.unwrap()
    folder: Path = options.out or Path(folder_name(robot.name))
    target = folder / "cell.toml"
    if target.exists() and not options.force:
        raise CellExists(target)
    known = "" if Path(options.source).is_file() else options.source
    proposal = propose_cell(
        robot, path, problems=reading.problems, folder=folder, known=known,
        args=dict(options.arg), packages=dict(options.package), srdf=options.srdf,
    )  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(target, bundled_cell(path, known) or proposal.text)
    if options.json:
        print_json({
            "cell": str(target), "robot": robot.name, "dof": robot.dof,
            "groups": [
                {"name": g.name, "joints": list(g.joints), "base": g.base, "tip": g.tip} for g in proposal.groups
            ],
            "look_at": list(proposal.look_at),
        })  # fmt: skip
        return 0
    print(f"{bold(robot.name)}: {len(robot.links)} links, {robot.dof} degrees of freedom, {robot.mass:.2f} kg\n")
    rows = [[g.name, str(len(g.joints)), g.joints[0] + (" ... " + g.joints[-1] if len(g.joints) > 1 else ""), g.tip]
            for g in proposal.groups if g.joints]  # fmt: skip
    if rows:
        print(table(["group", "joints", "", "tip"], rows, right=(1,)))
    if proposal.look_at:
        print(f"\n{bold('look at')}")
        for note in proposal.look_at:
            print(f"  - {note}")
    print(f"\nwritten: {target}   (check it after changes: armillary check {target})")
    return 0
