"""The process of `armillary ros1`: beside a running cell, a node of ROS 1."""

import asyncio
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from armillary.cell import Cell
from armillary.interfaces.http.program_library import ProgramLibrary
from armillary.interfaces.http.sample_programs import sample_programs
from armillary.interfaces.http.server import pendant_place
from armillary.interfaces.ros.cell_node import CellNode
from armillary.interfaces.ros.robot_files import RobotFiles
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
        RuntimeProblem: The cell has ended.
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
    robot = cell.model.spec.robot
    files = RobotFiles(robot)
    programs = ProgramLibrary(pendant_place(cell.station.settings.source), sample_programs(robot.name))
    wire = RospyWire(rospy, packages, asyncio.get_running_loop())
    node = CellNode(cell, wire, files, rate=rate, programs=programs, description=files.urdf_here)
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    ready()
    works = [asyncio.create_task(work) for work in (node.run(), ended.wait(), _while_ros_goes_on(rospy))]
    done, rest = await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
    for work in rest:
        work.cancel()
    for work in done:
        work.result()


async def _while_ros_goes_on(rospy: Any) -> None:
    while not rospy.is_shutdown():
        await asyncio.sleep(_LOOK)
