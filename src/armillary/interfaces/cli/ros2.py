"""`armillary ros2`: a running cell in ROS 2, over DDS: its topics, its services, and follow_joint_trajectory."""

import argparse
import os
from typing import Any

from armillary.interfaces.cli.terminal import bold, colour

__all__ = ["add_parser", "run"]

_EXAMPLES = """\
examples:
  armillary run cobot6 &
  armillary ros2                         the cell that runs on this machine, for this machine
  armillary ros2 --domain 7 --rate 500
  armillary ros2 --network               others in the network see it too
  armillary ros2 --network --commands    and may move it: DDS asks nobody for a name

What it says and hears: docs/ros.md. Ctrl-C ends it; the cell goes on.
It was tried between processes of our own and against the bytes of the rosbags package; no ROS 2 node was at hand.
"""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "ros2", help="a running cell in ROS 2", description=__doc__, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("cell", nargs="?", default="", metavar="CELL", help="which of those that run; the only one")
    parser.add_argument("--domain", type=int, metavar="N", help="of DDS; ROS_DOMAIN_ID, or 0")
    parser.add_argument("--rate", type=float, default=100.0, metavar="HZ", help="how often the joints are told of (100)")
    parser.add_argument("--network", action="store_true", help="not for this machine alone")
    parser.add_argument("--commands", action="store_true", help="with --network: do what others say, whoever they are")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from armillary.cell import Cell
    from armillary.interfaces.cli.run_arguments import BadRun
    from armillary.interfaces.ros2.dds_wire import LOOPBACK
    from armillary.interfaces.ros2.node import run_node

    if not 1.0 <= options.rate <= 1000.0:
        raise BadRun(f"a rate of {options.rate:g} is none; give 1 to 1000")
    given = options.domain if options.domain is not None else os.environ.get("ROS_DOMAIN_ID", "0") or "0"
    if not str(given).isdecimal() or int(given) > 232:
        raise BadRun(f"a domain of {given!r} is none; give 0 to 232")
    if options.network and options.commands:
        print(colour("whoever is in this network may move the robot: DDS asks nobody for a name", "yellow"), flush=True)
    cell = Cell.connect(options.cell)

    def ready() -> None:
        reach = "in the network" if options.network else "on this machine"
        print(f"{bold('ROS 2')}: domain {given}, {reach}", flush=True)
        if not options.network:  # what has cyclonedds' own defaults looks for others by multicast, and finds nothing here
            print(f"others on this machine see it with: export CYCLONEDDS_URI='{' '.join(LOOPBACK.split())}'", flush=True)

    try:
        run_node(
            cell, domain=int(given), rate=options.rate, loopback=not options.network,
            hears=options.commands or not options.network, ready=ready,
        )  # fmt: skip
    finally:
        cell.close()
    return 0
