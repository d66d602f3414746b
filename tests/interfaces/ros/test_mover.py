"""Control is taken for what is asked, and given back when that has ended and not before; a stop waits behind nothing."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from armillary.errors import ArmillaryError
from armillary.interfaces.ros.joint_trajectory import BadTrajectory, WrongJoints
from armillary.interfaces.ros.mover import Keep, Mover, Preempted, TooOld
from armillary.protocols.ros1_types import ros1_type
from armillary.protocols.ros_json import from_json
from armillary.runtime import State

JOINTS = ("a", "b")


class _Cell:
    """As much of a cell as a mover needs; power takes a while, as a real drive's does."""

    def __init__(self) -> None:
        self.happened: list[str] = []
        self.station = SimpleNamespace(ask=self._ask)
        self.state = SimpleNamespace(state=State.OFF, q=np.zeros(2))
        self.model = SimpleNamespace(joints=JOINTS, n=2)
        self.refuses_to_follow = False
        self.stands, self.lasts = threading.Event(), threading.Event()
        self.stands.set()

    def _ask(self, what: str) -> None:
        self.happened.append(what)

    def take_control(self, _: str) -> None:
        self.happened.append("take_control")

    def power_on(self) -> None:
        time.sleep(1.5)
        self.happened.append("power_on")

    def power_off(self) -> None:
        self.lasts.wait(30.0)

    def stop(self) -> None:
        self.happened.append("stop")
        self.state.state = State.READY
        self.stands.set()

    def wait(self) -> None:
        self.stands.wait(30.0)

    def run_trajectory(self, *_: Any, slower: float, **__: Any) -> Any:
        self.happened.append("moves")
        self.slower = slower
        self.stands.clear()
        return SimpleNamespace(motion=1, notes=())

    def follow(self) -> None:
        if self.refuses_to_follow:
            raise ArmillaryError("it cannot")
        self.happened.append("follow")
        self.state.state = State.MOVING


def run(work: Callable[[Any, Mover], Awaitable[None]]) -> list[str]:
    """Have a mover do something; what happened to its cell."""
    cell: Any = _Cell()

    async def with_mover() -> None:
        mover = Mover(cell)
        looks = asyncio.create_task(mover.look_after())
        try:
            await work(cell, mover)
        finally:
            cell.lasts.set()
            looks.cancel()

    asyncio.run(with_mover())
    return list(cell.happened)


async def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30.0
    while not true():
        assert time.monotonic() < deadline, "it does not come"
        await asyncio.sleep(0.01)


def trajectory(joint: str = "a", seconds: int = 1) -> dict[str, Any]:
    points = [{"positions": [0.5], "time_from_start": {"secs": seconds, "nsecs": 0}}]
    return from_json(ros1_type("trajectory_msgs/JointTrajectory"), {"joint_names": [joint], "points": points})


def test_control_is_kept_until_the_drives_are_on() -> None:
    async def work(_: Any, mover: Mover) -> None:
        await mover.power(True)

    assert run(work) == ["take_control", "power_on", "give_control"]


def test_a_stop_waits_behind_nothing() -> None:
    async def work(cell: Any, mover: Mover) -> None:
        switching = [asyncio.create_task(mover.power(False)) for _ in range(100)]  # more than there are threads
        await until(lambda: "take_control" in cell.happened)
        await asyncio.wait_for(mover.stop(), 10.0)
        assert "stop" in cell.happened and not any(task.done() for task in switching)
        cell.lasts.set()
        await asyncio.gather(*switching)

    run(work)


def test_a_wrong_trajectory_stops_no_right_one() -> None:
    async def work(cell: Any, mover: Mover) -> None:
        right = asyncio.create_task(mover.drive(trajectory()))
        await until(lambda: "moves" in cell.happened)
        with pytest.raises(WrongJoints):
            await mover.drive(trajectory("elbow"))
        wrong = trajectory()
        wrong["points"] *= 2
        with pytest.raises(BadTrajectory, match="times must grow"):
            await mover.drive(wrong)
        wrong = trajectory()
        wrong["points"][0]["positions"][0] = np.nan
        with pytest.raises(BadTrajectory, match="no numbers"):
            await mover.drive(wrong)
        assert "stop" not in cell.happened
        cell.state.q = np.array([0.5, 0.0])
        cell.stands.set()
        assert (await right).goal == pytest.approx([0.5, 0.0])

    assert run(work)[-1] == "give_control"


def test_a_right_trajectory_takes_the_place_of_the_one_before() -> None:
    async def work(cell: Any, mover: Mover) -> None:
        first = asyncio.create_task(mover.drive(trajectory()))
        await until(lambda: "moves" in cell.happened)
        second = asyncio.create_task(mover.drive(trajectory("b")))
        with pytest.raises(Preempted):
            await first
        await until(lambda: cell.happened.count("moves") == 2)
        assert cell.happened.count("stop") == 1
        await mover.stop()
        with pytest.raises(Preempted):
            await second

    run(work)


def test_control_of_set_points_goes_with_them() -> None:
    async def work(cell: Any, mover: Mover) -> None:
        await mover.follow(True)
        await mover.stop()
        await mover.follow(False)
        await until(lambda: "give_control" in cell.happened and not mover.has_control)
        cell.happened.clear()
        cell.refuses_to_follow = True
        with pytest.raises(ArmillaryError, match="it cannot"):
            await mover.follow(True)
        await until(lambda: "give_control" in cell.happened and not mover.has_control)

    run(work)


def test_control_that_was_taken_by_hand_outlives_all_but_who_took_it() -> None:
    async def work(cell: Any, mover: Mover) -> None:
        await mover.take_control(keep=Keep.BY_HAND, who="one")
        await mover.take_control(keep=Keep.BY_HAND, who="two")
        mover.begin_program()
        await mover.let_go(Keep.PROGRAM)
        await mover.follow(True)
        await mover.follow(False)
        await mover.leave("one")
        await mover.leave("nobody")
        assert mover.has_control and "give_control" not in cell.happened
        await mover.leave("two")
        await until(lambda: "give_control" in cell.happened and not mover.has_control)

    run(work)


def test_set_points_of_a_client_that_is_gone_are_followed_no_more() -> None:
    async def work(cell: Any, mover: Mover) -> None:
        await mover.follow(True, who="one")
        await mover.leave("one")
        assert "stop" in cell.happened
        with pytest.raises(BadTrajectory, match="not followed"):
            await mover.set_point(["a"], np.zeros(1), np.zeros(0))
        await until(lambda: "give_control" in cell.happened and not mover.has_control)

    run(work)


def test_set_points_that_ceased_are_refused_until_they_are_followed_again() -> None:
    async def work(cell: Any, mover: Mover) -> None:
        await mover.follow(True)
        await mover.follow(True)
        assert cell.happened.count("follow") == 1, "they are followed already"
        cell.state.state = State.READY  # the executor has stopped: the other master was silent
        await until(lambda: not mover.follows)
        with pytest.raises(BadTrajectory, match=r"followed no longer|not followed"):
            await mover.set_point(["a"], np.zeros(1), np.zeros(0))
        await until(lambda: "give_control" in cell.happened and not mover.has_control)
        await mover.follow(True)
        assert cell.happened.count("follow") == 2

    run(work)


def test_while_a_program_runs_nothing_else_is_moved_and_that_is_said_at_once() -> None:
    async def work(cell: Any, mover: Mover) -> None:
        mover.begin_program()
        for asked in (
            mover.drive(trajectory()), mover.jog_joints(["a"], np.ones(1)), mover.jog_tool(np.ones(6), ""), mover.follow(True)
        ):  # fmt: skip
            with pytest.raises(BadTrajectory, match="a program runs"):
                await asked
        with pytest.raises(BadTrajectory, match="a program runs"):
            mover.begin_program()
        await mover.let_go(Keep.PROGRAM)
        drives = asyncio.create_task(mover.drive(trajectory()))
        await until(lambda: "moves" in cell.happened)
        with pytest.raises(BadTrajectory, match="a motion is driven"):
            mover.begin_program()
        await mover.stop()
        with pytest.raises(Preempted):
            await drives

    run(work)


def test_it_is_warmed_up_without_a_motion() -> None:
    """Trajectories of positions alone, and with velocities, are read once for that; nothing is asked of the cell."""

    async def work(_: Any, mover: Mover) -> None:
        mover.warm_up()

    assert run(work) == []


def test_how_much_slower_it_may_be_is_what_the_tolerance_of_its_time_leaves() -> None:
    async def work(cell: Any, mover: Mover) -> None:
        for slack, slower in ((0.0, 1000.0), (0.5, 1.25)):
            drives = asyncio.create_task(mover.drive(trajectory(seconds=2), slack=slack))
            await until(lambda: not cell.stands.is_set())
            assert cell.slower == pytest.approx(slower)
            cell.state.q = np.array([0.5, 0.0])
            cell.stands.set()
            await drives
            cell.state.q = np.zeros(2)

    run(work)


def test_a_trajectory_whose_time_is_over_is_too_old_and_stops_nothing() -> None:
    async def work(cell: Any, mover: Mover) -> None:
        right = asyncio.create_task(mover.drive(trajectory()))
        await until(lambda: "moves" in cell.happened)
        for ago, error, said in ((5.0, TooOld, "was to end .* s ago"), (-100.0, BadTrajectory, "60 s ahead are the most")):
            late = trajectory()
            late["header"]["stamp"] = {"secs": int(time.time() - ago), "nsecs": 0}
            with pytest.raises(error, match=said):
                await mover.drive(late)
        assert "stop" not in cell.happened
        await mover.stop()
        with pytest.raises(Preempted):
            await right

    run(work)
