"""`armillary ros1`: a running cell as a node of ROS 1, for rospy, rosbag, RViz and MoveIt."""

import argparse
from pathlib import Path
from typing import Any

from armillary.interfaces.cli.terminal import bold, progress, progress_done

__all__ = ["add_parser", "run"]

_EXAMPLES = """\
examples:
  roscore &
  armillary run cobot6 &
  armillary ros1                              the cell that runs on this machine
  armillary ros1 cobot6 --rate 500            its joints 500 times a second
  armillary ros1 --messages msgs --exit       only make the messages that this ROS lacks: PYTHONPATH=msgs

What it says and hears: docs/ros.md. Ctrl-C ends it; the cell goes on.
"""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "ros1", help="a running cell as a node of ROS 1", description=__doc__, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("cell", nargs="?", default="", metavar="CELL", help="which of those that run; the only one")
    parser.add_argument("--rate", type=float, default=100.0, metavar="HZ", help="how often the joints are told of (100)")
    parser.add_argument("--messages", type=Path, metavar="DIR", help="where messages are made that this ROS lacks")
    parser.add_argument("--exit", action="store_true", help="end when they are made")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from armillary.cell import Cell
    from armillary.interfaces.cli.run_arguments import BadRun
    from armillary.interfaces.ros1.node import run_node
    from armillary.ros1 import MessagePackages, import_rospy, must_have_master, stay_on_this_machine

    if not 1.0 <= options.rate <= 1000.0:
        raise BadRun(f"a rate of {options.rate:g} is none; give 1 to 1000")
    import_rospy()
    progress("making the messages that this ROS lacks")
    packages = MessagePackages(options.messages)
    progress_done()
    print(f"{bold('messages')}: {', '.join(packages.made) or 'none lacks'}, in {packages.folder}", flush=True)
    if options.exit:
        return 0
    if stay_on_this_machine():
        print(
            "it listens to this machine alone (ROS_IP=127.0.0.1), where the master is; for others set ROS_IP and ROS_MASTER_URI",
            flush=True,
        )
    must_have_master()
    cell = Cell.connect(options.cell)
    try:
        run_node(
            cell, packages, rate=options.rate, ready=lambda master: print(f"{bold('ROS 1')}: /armillary at {master}", flush=True)
        )
    finally:
        cell.close()
    return 0
