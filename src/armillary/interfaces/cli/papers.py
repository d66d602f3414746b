"""`armillary papers`: figures of the papers that Armillary builds on, drawn again with ours.

can         paper 4's closed loop: its arc through drives on CAN, SYNC every 50 to 1 ms, refined against linear (half a minute)
dynamics    paper 5's figure 5: the torque that holds joints 2, 3 and 4 of the cobot from -80 to 80 degrees
ik          paper 3's particle swarm on TIAGo's arm, beside the classic one, ours and the numeric solver (about a minute)
hil         paper 5's figures 7 to 11: its moves in the physics twin, torque estimated against measured (half a minute);
            where LinuxCNC is installed also its program by that and by our interpreter, the joints compared (a minute more)
imitation   paper 1: a person's motion on humanoids: how exact each limb is, limits, the arc of the hand (figure 11);
            of BVH files with --motion
motion      paper 4's refinement: how far the tool leaves an arc, and its table 2 in motion
"""

import argparse
from importlib import import_module
from pathlib import Path
from typing import Any

from armillary.interfaces.cli.arguments import add_json

__all__ = ["add_parser", "run"]

_CHAPTERS = ("can", "dynamics", "hil", "ik", "imitation", "motion")


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "papers", help="figures of the papers, drawn again", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("chapter", choices=_CHAPTERS)
    parser.add_argument("--out", metavar="DIR", type=Path, default=Path("papers"), help="where the figures go (papers/)")
    parser.add_argument(
        "--linuxcnc", action=argparse.BooleanOptionalAction, default=True,
        help="hil: compare with the real LinuxCNC, where it is installed ('make peers' does)",
    )  # fmt: skip
    parser.add_argument("--motion", metavar="BVH", type=Path, nargs="+", default=[], help="imitation: files or folders of them")
    parser.add_argument("--robot", metavar="R", nargs="+", default=[], help="imitation: on which robots (inmoov and a Talos)")
    parser.add_argument("--poses", metavar="N", type=int, default=1000, help="ik: random poses (1000)")
    parser.add_argument("--generations", metavar="T", type=int, default=200, help="ik: of the swarms (200)")
    parser.add_argument("--seed", metavar="S", type=int, default=0, help="ik: of all that is random (0)")
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    status: int = import_module(f"armillary.interfaces.chapters.{options.chapter}").run(options)
    return status
