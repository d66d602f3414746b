"""The calls of a cell that wait, for programs with an event loop."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, TypeVar

from armillary.cell.cell import Cell
from armillary.cell.cell_state import CellState

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
    """The calls of a cell that wait, to be awaited: `async with await AsyncCell.open("cobot6") as cell`."""

    def __init__(self, cell: Cell) -> None:
        self.cell = cell

    @classmethod
    async def open(cls, source: str, **options: Any) -> "AsyncCell":
        """A cell, powered and ready to move; options as for `Cell.open`. Cancelled while it starts, it is closed again.

        Raises:
            RuntimeProblem: It cannot be started.
        """
        task = asyncio.create_task(asyncio.to_thread(Cell.open, source, **options))
        try:
            return cls(await asyncio.shield(task))
        except asyncio.CancelledError:
            await asyncio.wait([task])
            if not task.cancelled() and task.exception() is None:
                await asyncio.to_thread(task.result().close)
            raise

    @classmethod
    async def connect(cls, name: str = "") -> "AsyncCell":
        """A cell that runs already on this machine, as `Cell.connect` finds it."""
        return cls(await asyncio.to_thread(Cell.connect, name))

    async def close(self) -> None:
        """As `Cell.close`; to its end, even where it is cancelled."""
        task = asyncio.create_task(asyncio.to_thread(self.cell.close))
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait([task])
            raise

    async def __aenter__(self) -> "AsyncCell":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def state(self) -> CellState:
        """Of now; this does not wait."""
        return self.cell.state

    power_on = _awaited(Cell.power_on)
    power_off = _awaited(Cell.power_off)
    reset = _awaited(Cell.reset)
    take_control = _awaited(Cell.take_control)
    set_output = _awaited(Cell.set_output)
    simulate_input = _awaited(Cell.simulate_input)
    statistics = _awaited(Cell.statistics)
    follow = _awaited(Cell.follow)
    finish = _awaited(Cell.finish)
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
