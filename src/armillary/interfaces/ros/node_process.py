"""What the processes that make a cell a node of ROS have in common: what the node is made of, and until when it is one."""

import asyncio
import signal
from collections.abc import Callable, Coroutine
from typing import Any

from armillary.cell import Cell
from armillary.interfaces.http.program_library import ProgramLibrary
from armillary.interfaces.http.sample_programs import sample_programs
from armillary.interfaces.http.server import pendant_place
from armillary.interfaces.ros.cell_node import CellNode
from armillary.interfaces.ros.robot_files import RobotFiles
from armillary.interfaces.ros.wire import RosWire

__all__ = ["node_of", "run_until_told"]


def node_of(cell: Cell, wire: RosWire, *, rate: float, files_here: bool) -> CellNode:
    """A cell as a node, with its programs.

    Args:
        rate: How often the joints are told of [Hz].
        files_here: Whether the description names meshes by their places on this machine; otherwise by package://.

    Raises:
        RuntimeProblem: The cell keeps a time of its own.
    """
    robot = cell.model.spec.robot
    files = RobotFiles(robot)
    programs = ProgramLibrary(pendant_place(cell.station.settings.source), sample_programs(robot.name))
    return CellNode(cell, wire, files, rate=rate, programs=programs, description=files.urdf_here if files_here else files.urdf)


async def run_until_told(node: CellNode, *others: Coroutine[Any, Any, None], ready: Callable[[], None]) -> None:
    """Until Ctrl-C or SIGTERM, or the node or one of the others ends.

    Raises:
        RuntimeProblem: The cell has ended.
    """
    ended, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    ready()
    works = [asyncio.ensure_future(work) for work in (node.run(), ended.wait(), *others)]
    done, rest = await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
    for work in rest:
        work.cancel()
    for work in done:
        work.result()
