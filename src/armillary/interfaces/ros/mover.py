"""Moves a cell for those who ask by ROS: one motion at a time, with the control lease; a stop waits behind nothing."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.cell import Cell
from armillary.errors import ArmillaryError
from armillary.interfaces.ros.cell_messages import seconds
from armillary.interfaces.ros.joint_trajectory import BadTrajectory, WrongJoints, check_trajectory, read_trajectory
from armillary.motion import Trajectory
from armillary.runtime import State

__all__ = ["Driven", "Keep", "Mover", "Preempted", "TooOld"]

Array = NDArray[np.float64]
_NAME = "ROS"  # as which it has control
_SLOWEST = 1000.0  # times slower than asked, where nobody says: what needs more was not meant
_LOOK = 0.02  # s
_JOGGED = 1.0  # s after the last word of a jog in which control is kept
_BEGINS = 0.2  # s after which the executor has said that it follows
_LATEST = 60.0  # s that a trajectory may begin in the future
_STOPPING = ThreadPoolExecutor(4, thread_name_prefix="stop")  # threads that nothing else can take


class Keep(Enum):
    """What control is kept for, beyond a motion."""

    BY_HAND = "until it is given back"
    SET_POINTS = "while they are followed"
    PROGRAM = "while it runs"


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
    """

    def __init__(self, cell: Cell) -> None:
        self.cell = cell
        self._moving, self._lease = asyncio.Lock(), asyncio.Lock()
        self._kept: set[tuple[Keep, str]] = set()  # what control is kept for, and for whom where that is known
        self._number = 0  # of the newest motion that was asked for: those before give way
        self._has, self._jogged, self._follows, self._began = False, -_JOGGED, False, -_BEGINS
        self._switching = 0  # what is done with control just now and is no motion: power, reset

    @property
    def has_control(self) -> bool:
        return self._has

    async def take_control(self, *, keep: Keep | None = None, who: str = "") -> None:
        """Args:
            keep: What for, where it is not for one motion. who: Asks for it, where that is known.

        Raises:
            NoControl: Somebody else has it; says who.
        """
        async with self._lease:  # what is being given back is not ours any more
            await asyncio.to_thread(self.cell.take_control, _NAME)
            self._has = True
            if keep is not None:
                self._kept.add((keep, who))

    async def give_control(self) -> None:
        """At once, whatever it was kept for."""
        self._kept.clear()
        self._follows = False
        async with self._lease:
            self._has = False
            await asyncio.to_thread(self.cell.station.ask, "give_control")

    async def let_go(self, keep: Keep) -> None:
        """It is kept no longer for this, and given back where it is for nothing else."""
        self._kept = {each for each in self._kept if each[0] != keep}
        await self._give_back()

    async def leave(self, who: str) -> None:
        """Somebody is gone: what was kept for him alone is given back."""
        mine = {each for each in self._kept if each[1] == who}
        self._kept -= mine
        if (Keep.SET_POINTS, who) in mine and not self._keeps(Keep.SET_POINTS):
            await self.stop()
        if mine:
            await self._give_back()

    async def stop(self) -> None:
        """On the path, at once; whatever waits is forgotten."""
        self._number += 1
        self._follows = False
        self._kept = {each for each in self._kept if each[0] != Keep.SET_POINTS}
        await self.stop_by(self.cell.stop)

    async def stop_by(self, stop: Callable[[], None]) -> None:
        """Have something stopped, in threads that nothing else can take."""
        await asyncio.get_running_loop().run_in_executor(_STOPPING, stop)

    def begin_program(self) -> int:
        """Nothing else is moved from now on, until `let_go` of it. Its number, for `must_be_newest`.

        Raises:
            BadTrajectory: Something moves.
        """
        self._must_not_run()
        if self._moving.locked() or self.follows:
            raise BadTrajectory(f"{'set-points are followed' if self.follows else 'a motion is driven'}; stop it first")
        self._kept.add((Keep.PROGRAM, ""))
        self._number += 1
        return self._number

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
            BadTrajectory: It is none, or too old, or a program runs; what is driven goes on.
            Preempted: Another one, or a stop, took its place.
            ArmillaryError: It cannot be proven, somebody else has control, or a fault came.
        """
        self._must_not_run()
        if self.follows:
            raise BadTrajectory("set-points are followed; call /follow_set_points with false first")
        check_trajectory(message, self.cell.model.joints)  # before anything is stopped for it
        delay = _delay(message)
        self._number += 1
        mine = self._number
        if self._moving.locked():
            await self.stop_by(self.cell.stop)
        try:
            async with self._moving:
                end = time.monotonic() + delay
                while time.monotonic() < end:
                    await asyncio.sleep(min(_LOOK, max(end - time.monotonic(), 0.0)))
                    self.must_be_newest(mine)
                self.must_be_newest(mine)
                await self.take_control()
                return await self._drive(message, mine, slack, begun)
        finally:
            await self._give_back()

    async def _drive(
        self, message: Mapping[str, Any], mine: int, slack: float, begun: Callable[[Driven], Awaitable[None]] | None
    ) -> Driven:
        await asyncio.to_thread(self.cell.wait)
        made, goal = await asyncio.to_thread(self._read, message, self.cell.state.q)
        slower = 1.0 + slack / made.duration if slack else _SLOWEST
        self.must_be_newest(mine)
        moved = await asyncio.to_thread(self.cell.run_trajectory, made, wait=False, slower=slower)
        driven = Driven(moved.motion, time.monotonic(), goal, moved.notes)
        if begun is not None:
            await begun(driven)
        await asyncio.to_thread(self.cell.wait)
        self.must_be_newest(mine)
        if np.abs(self.cell.state.q - driven.goal).max() > 1e-6:
            raise Preempted("it was stopped before its end")
        return driven

    def _read(self, message: Mapping[str, Any], start: Array) -> tuple[Trajectory, Array]:
        """A trajectory, and where it ends."""
        made = read_trajectory(message, self.cell.model.joints, start)
        return made, made.end.q

    def warm_up(self) -> None:
        """Have what reads trajectories loaded now: the first would hold up what is heard for a second or two, a stop too."""
        joints, still, at = list(self.cell.model.joints), np.zeros(self.cell.model.n), {"secs": 1, "nsecs": 0}
        for given in ({}, {"velocities": still, "accelerations": still}):
            point = {"positions": still, "velocities": (), "accelerations": (), "time_from_start": at, **given}
            self._read({"joint_names": joints, "points": [point]}, still)

    def must_be_newest(self, mine: int) -> None:
        """Raises:
        Preempted: Something else was asked for since, or a stop.
        """
        if mine != self._number:
            raise Preempted("another motion or a stop took its place")

    @property
    def follows(self) -> bool:
        """Whether set-points are followed: the executor stops by itself when they cease."""
        begins = time.monotonic() - self._began < _BEGINS
        return self._follows and (begins or self.cell.state.state == State.MOVING)

    def _keeps(self, keep: Keep) -> bool:
        return any(each[0] == keep for each in self._kept)

    def _must_not_run(self) -> None:
        if self._keeps(Keep.PROGRAM):
            raise BadTrajectory("a program runs that was started here; call /programs/stop first")

    async def _give_back(self) -> None:
        """Control, where nothing needs it any more."""
        async with self._lease:
            busy = self._moving.locked() or self._follows or self._switching or time.monotonic() - self._jogged < _JOGGED
            if self._has and not self._kept and not busy:
                self._has = False
                with suppress(ArmillaryError):
                    await asyncio.to_thread(self.cell.station.ask, "give_control")

    # By hand, and by another master.

    async def jog_joints(self, names: Sequence[str], speeds: Array) -> None:
        """Velocities of joints, by their names; the others stay."""
        whole = np.zeros(self.cell.model.n)
        whole[self._columns(names, speeds, "velocities")] = speeds
        await self._jog(lambda: self.cell.jog_joints(whole))

    async def jog_tool(self, twist: Array, frame: str) -> None:
        """Linear [m/s] and angular [rad/s] along a frame's axes; "tool" for its own, "" for what the arm stands on."""
        await self._jog(lambda: self.cell.jog_tool(twist, in_tool=frame == "tool", frame="" if frame == "tool" else frame))

    async def follow(self, on: bool, *, who: str = "") -> None:
        """Follow set-points from now on, or no longer.

        Args:
            who: Asks for it, where that is known.
        """
        if on:
            self._must_not_run()
            await self.take_control(keep=Keep.SET_POINTS, who=who)
            if self.follows:
                return
            try:
                await asyncio.to_thread(self.cell.follow)
            except ArmillaryError:
                await self.let_go(Keep.SET_POINTS)
                raise
            self._follows, self._began = True, time.monotonic()
        else:
            if self._follows:
                await self.stop()
            await self.let_go(Keep.SET_POINTS)

    async def set_point(self, names: Sequence[str], q: Array, v: Array) -> None:
        """Where joints are to be now; the others stay where they are commanded to be."""
        if not self._follows:
            raise BadTrajectory("set-points are not followed; call /follow_set_points with true first")
        if not self.follows:
            await self._end_following()
            raise BadTrajectory(
                "set-points are followed no longer: none came for a tenth of a second, or it was stopped; call "
                "/follow_set_points with true again"
            )
        columns = self._columns(names, q, "positions")
        whole, speeds = self.cell.state.q, np.zeros(self.cell.model.n)
        whole[columns] = q
        if len(v):
            speeds[self._columns(names, v, "velocities")] = v
        self.cell.set_point(whole, speeds)

    async def look_after(self) -> None:
        """Gives control back when a jog is long over, or set-points were stopped."""
        while True:
            await asyncio.sleep(_JOGGED / 4.0)
            if self._follows and not self.follows:
                await self._end_following()
            if self._has and self.cell.state.state != State.MOVING:
                await self._give_back()

    async def _end_following(self) -> None:
        """It has ended by itself."""
        self._follows = False
        await self.let_go(Keep.SET_POINTS)

    async def _jog(self, jog: Callable[[], None]) -> None:
        self._must_not_run()
        self._jogged = time.monotonic()
        if not self._has:
            await self.take_control()
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
            await self._give_back()


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
