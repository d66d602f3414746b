"""Moves a cell for those who ask by ROS: one motion at a time, with the control lease; a stop waits behind nothing."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.cell import Cell
from armillary.errors import ArmillaryError
from armillary.interfaces.ros.cell_messages import seconds
from armillary.interfaces.ros.joint_trajectory import BadTrajectory, WrongJoints, read_trajectory
from armillary.runtime import State

__all__ = ["Driven", "Mover", "Preempted", "TooOld"]

Array = NDArray[np.float64]
_NAME = "ROS"  # as which it has control
_SLOWEST = 1000.0  # times slower than asked, where nobody says: what needs more was not meant
_LOOK = 0.02  # s
_JOGGED = 1.0  # s after the last word of a jog in which control is kept
_LATEST = 60.0  # s that a trajectory may begin in the future


class Preempted(ArmillaryError):
    """Another motion, or a stop, took its place."""


class TooOld(BadTrajectory):
    """A trajectory whose time is over before it has come."""


@dataclass(frozen=True)
class Driven:
    """A trajectory that is driven. began: When [s, monotonic]. goal: Where it ends, shape (n,). notes: Whether it is slower."""

    motion: int
    began: float
    goal: Array
    notes: tuple[str, ...] = ()


class Mover:
    """Attributes:
    cell: Which is moved.
    kept: Whether control is kept until it is given back by hand.
    """

    def __init__(self, cell: Cell) -> None:
        self.cell, self.kept = cell, False
        self._moving = asyncio.Lock()
        self._number = 0  # of the newest motion that was asked for: those before give way
        self._has, self._jogged, self._follows = False, 0.0, False
        self._switching = 0  # what is done with control just now and is no motion: power, reset

    @property
    def has_control(self) -> bool:
        return self._has

    async def take_control(self, *, keep: bool = False) -> None:
        """Raises:
        NoControl: Somebody else has it; says who.
        """
        await asyncio.to_thread(self.cell.take_control, _NAME)
        self._has, self.kept = True, self.kept or keep

    async def give_control(self) -> None:
        self.kept = self._has = self._follows = False
        await asyncio.to_thread(self.cell.station.ask, "give_control")

    async def stop(self) -> None:
        """On the path, at once; whatever waits is forgotten."""
        self._number += 1
        self._follows = False
        await asyncio.to_thread(self.cell.stop)

    async def power(self, on: bool) -> None:
        await self._with_control(self.cell.power_on if on else self.cell.power_off)

    async def reset(self) -> None:
        await self._with_control(self.cell.reset)

    async def drive(
        self, message: Mapping[str, Any], *, slack: float = 0.0, begun: Callable[[Driven], Awaitable[None]] | None = None
    ) -> Driven:
        """Drive a JointTrajectory from where the robot is to its end. One that is driven gives way, by a stop on its path.

        Args:
            slack: By how much it may take longer than it says [s]; 0 for any.
            begun: Is awaited as soon as it moves.

        Raises:
            BadTrajectory: It is none, or too old.
            Preempted: Another one, or a stop, took its place.
            ArmillaryError: It cannot be proven, somebody else has control, or a fault came.
        """
        self._number += 1
        mine = self._number
        delay = _delay(message)
        if self._moving.locked():
            await asyncio.to_thread(self.cell.stop)
        async with self._moving:
            end = time.monotonic() + delay
            while time.monotonic() < end:
                await asyncio.sleep(min(_LOOK, max(end - time.monotonic(), 0.0)))
                self._must_be_newest(mine)
            self._must_be_newest(mine)
            await self.take_control()
            try:
                return await self._drive(message, mine, slack, begun)
            finally:
                await self._let_go(mine)

    async def _drive(
        self, message: Mapping[str, Any], mine: int, slack: float, begun: Callable[[Driven], Awaitable[None]] | None
    ) -> Driven:
        await asyncio.to_thread(self.cell.wait)
        made = read_trajectory(message, self.cell.model.joints, self.cell.state.q)
        slower = 1.0 + slack / made.duration if slack else _SLOWEST
        self._must_be_newest(mine)
        moved = await asyncio.to_thread(self.cell.run_trajectory, made, wait=False, slower=slower)
        driven = Driven(moved.motion, time.monotonic(), made.end.q, moved.notes)
        if begun is not None:
            await begun(driven)
        await asyncio.to_thread(self.cell.wait)
        self._must_be_newest(mine)
        if np.abs(self.cell.state.q - driven.goal).max() > 1e-6:
            raise Preempted("it was stopped before its end")
        return driven

    def _must_be_newest(self, mine: int) -> None:
        if mine != self._number:
            raise Preempted("another motion or a stop took its place")

    async def _let_go(self, mine: int) -> None:
        if mine == self._number and not self.kept and self._has:
            with suppress(ArmillaryError):
                await self.give_control()

    # By hand, and by another master.

    async def jog_joints(self, names: Sequence[str], speeds: Array) -> None:
        """Velocities of joints, by their names; the others stay."""
        whole = np.zeros(self.cell.model.n)
        whole[self._columns(names, speeds, "velocities")] = speeds
        await self._jog(lambda: self.cell.jog_joints(whole))

    async def jog_tool(self, twist: Array, frame: str) -> None:
        """Linear [m/s] and angular [rad/s] along a frame's axes; "tool" for its own, "" for what the arm stands on."""
        await self._jog(lambda: self.cell.jog_tool(twist, in_tool=frame == "tool", frame="" if frame == "tool" else frame))

    async def follow(self, on: bool) -> None:
        """Follow set-points from now on, or no longer."""
        if on:
            await self.take_control(keep=True)
            await asyncio.to_thread(self.cell.follow)
            self._follows = True
        elif self._follows:
            await self.stop()
            await self.give_control()

    async def set_point(self, names: Sequence[str], q: Array, v: Array) -> None:
        """Where joints are to be now; the others stay where they are commanded to be."""
        if not self._follows:
            raise BadTrajectory("set-points are not followed; call /follow_set_points with true first")
        columns = self._columns(names, q, "positions")
        whole, speeds = self.cell.state.q, np.zeros(self.cell.model.n)
        whole[columns] = q
        if len(v):
            speeds[self._columns(names, v, "velocities")] = v
        self.cell.set_point(whole, speeds)

    async def look_after(self) -> None:
        """Gives control back when a jog is long over."""
        while True:
            await asyncio.sleep(_JOGGED / 4.0)
            busy = self._moving.locked() or self._follows or self._switching
            idle = time.monotonic() - self._jogged > _JOGGED and not busy
            if self._has and not self.kept and idle and self.cell.state.state != State.MOVING:
                with suppress(ArmillaryError):
                    await self.give_control()

    async def _jog(self, jog: Callable[[], None]) -> None:
        if not self._has:
            await self.take_control()
        self._jogged = time.monotonic()
        jog()

    def _columns(self, names: Sequence[str], values: Array, what: str) -> list[int]:
        joints = self.cell.model.joints
        if len(values) != len(names):
            raise BadTrajectory(f"{len(values)} {what} for {len(names)} joints")
        if not np.isfinite(values).all():
            raise BadTrajectory(f"{what} that are no numbers: {np.asarray(values).tolist()}")
        for name in names:
            if name not in joints:
                raise WrongJoints(f"there is no joint '{str(name)[:60]}'; there are: {', '.join(joints)}")
        return [joints.index(name) for name in names]

    async def _with_control(self, work: Callable[[], None]) -> None:
        self._switching += 1
        try:
            await self.take_control()
            await asyncio.to_thread(work)
        finally:
            self._switching -= 1
            if self._has and not self.kept and not self._moving.locked() and not self._switching:
                with suppress(ArmillaryError):
                    await self.give_control()


def _delay(message: Mapping[str, Any]) -> float:
    """How long it is until a trajectory begins [s]."""
    stamp = seconds(message["header"]["stamp"])
    if stamp == 0.0:
        return 0.0
    ahead = stamp - time.time()
    lasts = seconds(message["points"][-1]["time_from_start"]) if message["points"] else 0.0
    if ahead + lasts < 0.0:
        raise TooOld(f"the trajectory was to end {-ahead - lasts:.3g} s ago; leave its header's stamp at zero to begin at once")
    if ahead > _LATEST:
        raise BadTrajectory(f"the trajectory begins in {ahead:.3g} s; {_LATEST:g} s ahead are the most")
    return max(ahead, 0.0)
