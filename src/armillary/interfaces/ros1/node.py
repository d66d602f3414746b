"""The process of `armillary ros1`: beside a running cell, a node of ROS 1."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from armillary.cell import Cell
from armillary.interfaces.ros.node_process import node_of, run_until_told
from armillary.interfaces.ros.spoken import NODE
from armillary.interfaces.ros1.rospy_wire import RospyWire
from armillary.ros1 import MessagePackages, import_rospy, must_have_master

__all__ = ["run_node"]

_LOOK = 0.2  # s between looks whether ROS goes on


def run_node(cell: Cell, packages: MessagePackages, *, rate: float, ready: Callable[[str], None]) -> None:
    """Be a node until Ctrl-C, SIGTERM, or the cell or ROS ends.

    Args:
        rate: How often the joints are told of [Hz].
        ready: Told where the master is, as soon as everything is there.

    Raises:
        NoRos1: There is no rospy, or no master answers.
        RuntimeProblem: The cell has ended, or keeps a time of its own.
    """
    rospy = import_rospy()
    master = must_have_master()
    rospy.init_node(NODE.strip("/"), disable_signals=True)
    try:
        with suppress(KeyboardInterrupt):
            asyncio.run(_run(cell, rospy, packages, rate, lambda: ready(master)))
    finally:
        rospy.signal_shutdown("it ends")


async def _run(cell: Cell, rospy: Any, packages: MessagePackages, rate: float, ready: Callable[[], None]) -> None:
    wire = RospyWire(rospy, packages, asyncio.get_running_loop())
    node = node_of(cell, wire, rate=rate, files_here=True)
    await run_until_told(node, _while_ros_goes_on(rospy), ready=ready)


async def _while_ros_goes_on(rospy: Any) -> None:
    while not rospy.is_shutdown():
        await asyncio.sleep(_LOOK)
