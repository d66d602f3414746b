"""The calls of a cell that wait, for programs with an event loop."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, TypeVar

from armillary.cell.cell import Cell

__all__ = ["AsyncCell"]

P = ParamSpec("P")
R = TypeVar("R")


def _awaited(call: Callable[Concatenate[Cell, P], R]) -> Callable[Concatenate["AsyncCell", P], Coroutine[Any, Any, R]]:
    """The same call, to be awaited: it waits in a thread. Cancelled, the robot stops on the path."""

    async def awaited(self: "AsyncCell", /, *args: P.args, **kwargs: P.kwargs) -> R:
        task = asyncio.create_task(asyncio.to_thread(call, self.cell, *args, **kwargs))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            self.cell.stop()
            await asyncio.wait([task])
            raise

    awaited.__doc__ = call.__doc__
    return awaited


class AsyncCell:
    """The calls of a cell that wait, to be awaited."""

    def __init__(self, cell: Cell) -> None:
        self.cell = cell

    power_on = _awaited(Cell.power_on)
    power_off = _awaited(Cell.power_off)
    reset = _awaited(Cell.reset)
    move_joints = _awaited(Cell.move_joints)
    move_pose = _awaited(Cell.move_pose)
    move_line = _awaited(Cell.move_line)
    move_arc = _awaited(Cell.move_arc)
    retarget = _awaited(Cell.retarget)
    jog_joints_by = _awaited(Cell.jog_joints_by)
    jog_tool_by = _awaited(Cell.jog_tool_by)
    override = _awaited(Cell.override)
    step = _awaited(Cell.step)
    run = _awaited(Cell.run)
    run_trajectory = _awaited(Cell.run_trajectory)
    wait = _awaited(Cell.wait)
    stop = _awaited(Cell.stop)
    hold = _awaited(Cell.hold)
    resume = _awaited(Cell.resume)
