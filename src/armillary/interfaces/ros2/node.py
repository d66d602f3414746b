"""The process of `armillary ros2`: beside a running cell, a node of ROS 2 by DDS."""

import asyncio
import signal
from collections.abc import Callable

from armillary.cell import Cell
from armillary.interfaces.http.program_library import ProgramLibrary
from armillary.interfaces.http.sample_programs import sample_programs
from armillary.interfaces.http.server import pendant_place
from armillary.interfaces.ros.cell_node import CellNode
from armillary.interfaces.ros.robot_files import RobotFiles
from armillary.interfaces.ros2.dds_wire import DdsWire

__all__ = ["run_node"]


def run_node(cell: Cell, *, domain: int, rate: float, loopback: bool, hears: bool, ready: Callable[[], None]) -> None:
    """Speak until Ctrl-C, SIGTERM, or the cell ends.

    Args:
        domain: Of DDS: ROS_DOMAIN_ID. rate: How often the joints are told of [Hz].
        loopback: This machine alone. hears: Whether what others say is done.

    Raises:
        NoDds: cyclonedds is not there.
        RuntimeProblem: The cell has ended.
    """

    async def run() -> None:
        robot = cell.model.spec.robot
        files = RobotFiles(robot)
        programs = ProgramLibrary(pendant_place(cell.station.settings.source), sample_programs(robot.name))
        wire = DdsWire(asyncio.get_running_loop(), domain, loopback=loopback, hears=hears)
        description = files.urdf_here if loopback else files.urdf
        node = CellNode(cell, wire, files, rate=rate, programs=programs, description=description)
        ended = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, ended.set)
        ready()
        works = [asyncio.create_task(work) for work in (node.run(), ended.wait())]
        done, rest = await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
        for work in rest:
            work.cancel()
        for work in done:
            work.result()

    asyncio.run(run())
