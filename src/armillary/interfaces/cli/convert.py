"""`armillary convert`: a recording as a bag of ROS 1 or ROS 2, and back."""

import argparse
from pathlib import Path
from typing import Any

from armillary.interfaces.cli.terminal import colour, progress, progress_done

__all__ = ["add_parser", "run"]

_EXAMPLES = """\
examples:
  armillary convert run.mcap run.bag       for rosbag, rqt_bag, PlotJuggler of ROS 1
  armillary convert run.mcap run_bag       the folder of a bag of ROS 2
  armillary convert run.bag again.mcap     a recording again, for armillary plot, replay, compare
"""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "convert", help="a recording as a bag of ROS, and back", description=__doc__, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument(
        "source", metavar="FROM", type=Path, help="a recording (.mcap), a bag of ROS 1 (.bag), of ROS 2 (a folder)"
    )
    parser.add_argument("target", metavar="TO", type=Path, help="what is to be made, by its ending likewise")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from armillary.interfaces.ros.bags import convert

    done = convert(options.source, options.target, progress=lambda count: progress(f"{count} messages"))
    progress_done()
    print(f"{options.target}: {done.messages} messages")
    for each in done.left_out:
        print(colour(f"left out: {each.messages} messages of {each.topic}, whose type {each.kind} is not known here", "yellow"))
    return 0
