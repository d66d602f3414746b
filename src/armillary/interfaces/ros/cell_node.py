"""A cell as a node of ROS: says what it does, hears what it is to do, answers calls. By whichever wire."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from armillary.cell import Cell, ProgramRun
from armillary.errors import ArmillaryError
from armillary.interfaces.http.program_library import ProgramLibrary
from armillary.interfaces.ros.cell_messages import CellMessages
from armillary.interfaces.ros.driven_base import DrivenBase
from armillary.interfaces.ros.joint_trajectory import BadTrajectory
from armillary.interfaces.ros.mover import Keep, Mover, Preempted
from armillary.interfaces.ros.robot_files import RobotFiles
from armillary.interfaces.ros.spoken import NODE, SPOKEN, Way
from armillary.interfaces.ros.tracked_base import BasePose, NoBase, TrackedBase
from armillary.interfaces.ros.trajectory_action import TrajectoryAction
from armillary.interfaces.ros.wire import CALLER, RosWire, Serve
from armillary.runtime import RuntimeProblem
from armillary.runtime.board_kinds import PERSON
from armillary.runtime.channel import Board
from armillary.runtime.prepared import description_of

__all__ = ["CellNode"]

Message = Mapping[str, Any]
_SLOWEST = 0.5  # s between two looks at what is due, and at who has control
_LOOK = 0.05  # s between two looks whether a program runs
_PERSON, _FRAMES = "/perception_neuron/data_1", 0.004  # a person's frames, and s between two looks for the next
_BY_TICK = ("/joint_states", "/Controller_joint_states", "/feedback_states", "/tf")  # said once of each tick


class CellNode:
    """Attributes:
    mover: Moves the cell for those who ask here.
    """

    def __init__(
        self, cell: Cell, wire: RosWire, files: RobotFiles, *,
        rate: float = 100.0, programs: ProgramLibrary | None = None, description: str = "",
    ) -> None:  # fmt: skip
        """Args:
        files: The robot's description.
        rate: How often the joints are told of [Hz].
        programs: Those that can be started; none where left out.
        description: Its URDF as this wire's clients want it; with meshes by package:// where left out.
        """
        self.cell, self._wire, self._programs = cell, wire, programs
        if cell.station.settings.steps:
            raise RuntimeProblem(
                f"this cell counts its own time (pace '{cell.station.settings.pace}'), and ROS keeps the clock's; "
                "run it without --lock-step"
            )
        self._messages = CellMessages(cell.model)
        self.mover = Mover(cell)
        self.mover.warm_up()
        self._run: ProgramRun | None = None
        self._works: set[asyncio.Task[None]] = set()
        self._control = "not known"
        self._granted = str(cell.statistics(clear=False)["granted"])
        for each in SPOKEN:
            if each.way == Way.OUT:
                wire.advertise(each.name, each.kind, latched=each.latched)
        self._action = TrajectoryAction(wire, self.mover, self._messages)
        self._hear()
        self._serve()
        wire.watch_leaving(lambda who: self._do_later(self._left(who)))
        text = description or files.urdf
        wire.set_parameter("/robot_description", text)
        wire.publish("/robot_description", {"data": text})
        self._base, self._no_base = _base_of(cell)
        wire.publish("/tf_static", self._messages.static_transforms(time.time(), BasePose() if self._base is None else None))
        self._rate = rate

    async def run(self) -> None:
        """Until it is cancelled, or the cell is gone.

        Raises:
            RuntimeProblem: The cell is gone.
        """
        works = [
            self._say_what_is_due(), self._say_what_a_person_does(), self._action.run(), self.mover.look_after(),
            self._see_who_has_control(),
        ]  # fmt: skip
        if self._base is not None:
            works.append(self._base.run())
        tasks = [asyncio.create_task(work) for work in works]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
            for task in done:
                task.result()
        finally:
            for task in (*tasks, *self._works):
                task.cancel()

    async def _say_what_is_due(self) -> None:
        periods = {each.name: 1.0 / (self._rate if each.joints else each.rate) for each in SPOKEN if each.joints or each.rate}
        due, tick = dict.fromkeys(periods, time.monotonic()), -1
        while True:
            now = time.monotonic()
            names = [name for name, when in due.items() if when <= now]
            for name in names:
                due[name] = max(due[name] + periods[name], now)
            names = [name for name in names if self._wire.wanted(name)]
            if names:
                record = self.cell.station.state
                at, ticks = self._messages.stamp(record), int(record["ticks"])
                for name in names:
                    if ticks != tick or name not in _BY_TICK:
                        self._wire.publish(name, self._message(name, record, at))
                tick = ticks
            await asyncio.sleep(min(max(min(due.values()) - time.monotonic(), 0.0), _SLOWEST))

    async def _say_what_a_person_does(self) -> None:
        """Each frame of a person who is imitated, as it comes."""
        board = Board(self.cell.station.folder / "person", PERSON)
        try:
            told = board.read()[0]  # what was before this node is old
            while True:
                wanted = self._wire.wanted(_PERSON)
                number, value = board.read() if wanted else (told, None)
                if value is not None and number != told:
                    told = number
                    self._wire.publish(_PERSON, self._messages.person(value[0]))
                await asyncio.sleep(_FRAMES if wanted else _SLOWEST)
        finally:
            board.close()

    def _message(self, name: str, record: Any, at: float) -> dict[str, Any]:
        messages = self._messages
        made: dict[str, Callable[[], dict[str, Any]]] = {
            "/joint_states": lambda: messages.measured(record, at),
            "/Controller_joint_states": lambda: messages.commanded(record, at),
            "/feedback_states": lambda: messages.feedback(record, at, float(record["motion_time"])),
            "/tf": lambda: messages.transforms(record, at, None if self._base is None else self._base.pose),
            "/odom": lambda: self._odometry(record, at),
            "/clock": lambda: messages.clock(at), "/robot_status": lambda: messages.robot_status(record, at),
            "/diagnostics": lambda: messages.diagnostics(record, at, self._control, self._granted),
        }  # fmt: skip
        return made[name]()

    def _odometry(self, record: Any, at: float) -> dict[str, Any]:
        if self._base is None:
            return self._messages.odometry(at, BasePose())
        return self._messages.odometry(at, self._base.pose, self._base.velocity(record))

    async def _see_who_has_control(self) -> None:
        while True:
            try:
                said = await asyncio.to_thread(self.cell.station.ask, "control")
                self._control = str(said["name"] or ("somebody who said no name" if said["held"] else "nobody"))
            except ArmillaryError:  # a front that is started again is found the next time
                self._control = "not known"
            await asyncio.sleep(_SLOWEST)

    # What it hears.

    def _hear(self) -> None:
        heard: dict[str, Callable[[Message], Awaitable[None]]] = {
            "/joint_path_command": self._drive, "/joint_trajectory": self._drive, "/joint_set_points": self._set_point,
            "/jog_joints": self._jog_joints, "/jog_tool": self._jog_tool, "/cmd_vel": self._move_base, "/stop": self._stop,
        }  # fmt: skip
        for each in SPOKEN:
            if each.way == Way.IN:
                self._wire.subscribe(each.name, each.kind, self._doing(each.name, heard[each.name]))

    def _doing(self, name: str, work: Callable[[Message], Awaitable[None]]) -> Callable[[Message], None]:
        """Do it behind what is heard next; what is refused is said on /rosout."""

        async def do(message: Message) -> None:
            try:
                await work(message)
            except Preempted:
                pass
            except ArmillaryError as error:
                self._wire.publish("/rosout", self._messages.log(f"{name}: {error}", NODE))

        return lambda message: self._do_later(do(message))

    def _do_later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._works.add(task)
        task.add_done_callback(self._works.discard)

    async def _left(self, who: str) -> None:
        with suppress(ArmillaryError):  # a station that is gone has nothing to be given
            await self.mover.leave(who)

    async def _drive(self, message: Message) -> None:
        if message["points"]:
            await self.mover.drive(message)
        else:  # industrial_robot_client's way to say stop
            await self._stop(message)

    async def _set_point(self, message: Message) -> None:
        await self.mover.set_point(message["name"], np.asarray(message["position"]), np.asarray(message["velocity"]))

    async def _jog_joints(self, message: Message) -> None:
        await self.mover.jog_joints(message["name"], np.asarray(message["velocity"]))

    async def _jog_tool(self, message: Message) -> None:
        twist = [message["twist"][part][axis] for part in ("linear", "angular") for axis in "xyz"]
        await self.mover.jog_tool(np.array(twist, dtype=float), str(message["header"]["frame_id"]))

    async def _move_base(self, message: Message) -> None:
        if self._base is None:
            raise BadTrajectory(self._no_base)
        forward, *others, turn = (float(message[part][axis]) for part in ("linear", "angular") for axis in "xyz")
        if any(others) or not np.isfinite([forward, turn]).all():
            raise BadTrajectory("a base on tracks goes along x and turns about z, by numbers; all else must be zero")
        base = self._base.base
        await self.mover.jog_joints([base.left, base.right], base.speeds(forward, turn))

    async def _stop(self, _: Message) -> None:
        if self._run is not None and not self._run.over:
            await self.mover.stop_by(self._run.stop)
        await self.mover.stop()

    # What it answers.

    def _serve(self) -> None:
        async def stop(_: dict[str, Any]) -> str:
            await self._stop({})
            return "it stops on the path"

        async def take(_: dict[str, Any]) -> str:
            await self.mover.take_control(keep=Keep.BY_HAND, who=CALLER.get())
            return "ROS has control"

        async def give(_: dict[str, Any]) -> str:
            await self.mover.give_control()
            return "ROS has no control any more"

        async def power(asked: dict[str, Any]) -> str:
            await self.mover.power(bool(asked["data"]))
            return self.cell.state.state.name.lower()

        async def reset(_: dict[str, Any]) -> str:
            await self.mover.reset()
            return self.cell.state.state.name.lower()

        async def follow(asked: dict[str, Any]) -> str:
            await self.mover.follow(bool(asked["data"]), who=CALLER.get())
            return "set-points are followed, uncertified" if asked["data"] else "set-points are not followed"

        done: dict[str, Callable[[dict[str, Any]], Awaitable[str]]] = {
            "/stop": stop, "/take_control": take, "/give_control": give, "/power": power, "/reset": reset,
            "/follow_set_points": follow, "/programs/start": self._start_program, "/programs/stop": self._stop_program,
        }  # fmt: skip
        for each in SPOKEN:
            if each.way == Way.SERVICE:
                self._wire.provide(each.name, each.kind, self._list_programs if each.name not in done else _told(done[each.name]))

    async def _list_programs(self, _: dict[str, Any]) -> dict[str, Any]:
        if self._programs is None:
            return {"names": []}
        return {"names": [each.name for each in await asyncio.to_thread(self._programs.list)]}

    async def _start_program(self, asked: dict[str, Any]) -> str:
        if self._programs is None:
            raise BadTrajectory("this cell has no programs")
        mine = self.mover.begin_program()  # before anything is awaited: of two that ask at once one is refused
        try:
            run = await asyncio.to_thread(self.cell.program, self._programs.path(str(asked["name"])))
            await self.mover.take_control(keep=Keep.PROGRAM)
            self.mover.must_be_newest(mine)  # a stop that came meanwhile was meant for it too
            self._run = run.start()
        except BaseException:
            await self.mover.let_go(Keep.PROGRAM)
            raise
        self._do_later(self._give_back_after(run))
        return f"{asked['name']} runs"

    async def _give_back_after(self, run: ProgramRun) -> None:
        while not run.over:
            await asyncio.sleep(_LOOK)
        if run.error is not None:
            self._wire.publish("/rosout", self._messages.log(f"program: {run.error}", NODE))
        await self.mover.let_go(Keep.PROGRAM)

    async def _stop_program(self, _: dict[str, Any]) -> str:
        if self._run is None or self._run.over:
            raise BadTrajectory("no program runs that was started here")
        await self.mover.stop_by(self._run.stop)
        return "it stops"


def _base_of(cell: Cell) -> tuple[DrivenBase | None, str]:
    """A cell's base, or why it has none."""
    described = description_of(cell.station.settings.source)
    try:
        return DrivenBase(cell, TrackedBase.of(cell.model, () if described is None else described.groups)), ""
    except NoBase as error:
        return None, str(error)


def _told(work: Callable[[dict[str, Any]], Awaitable[str]]) -> Serve:
    """A service that says whether it was done, and what it was or why not."""

    async def serve(asked: dict[str, Any]) -> dict[str, Any]:
        try:
            return {"success": True, "message": await work(asked)}
        except ArmillaryError as error:
            return {"success": False, "message": str(error)}

    return serve
