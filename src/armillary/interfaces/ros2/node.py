"""The process of `armillary ros2`: beside a running cell, a node of ROS 2 by DDS."""

import asyncio
from collections.abc import Callable

from armillary.cell import Cell
from armillary.interfaces.ros.node_process import node_of, run_until_told
from armillary.interfaces.ros2.dds_wire import DdsWire

__all__ = ["run_node"]


def run_node(cell: Cell, *, domain: int, rate: float, loopback: bool, hears: bool, ready: Callable[[], None]) -> None:
    """Speak until Ctrl-C, SIGTERM, or the cell ends.

    Args:
        domain: Of DDS: ROS_DOMAIN_ID. rate: How often the joints are told of [Hz].
        loopback: This machine alone. hears: Whether what others say is done.

    Raises:
        NoDds: cyclonedds is not there.
        RuntimeProblem: The cell has ended, or keeps a time of its own.
    """

    async def run() -> None:
        wire = DdsWire(asyncio.get_running_loop(), domain, loopback=loopback, hears=hears)
        await run_until_told(node_of(cell, wire, rate=rate, files_here=loopback), ready=ready)

    asyncio.run(run())
