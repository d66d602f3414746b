"""Goals and their ends: tolerances of the path, of the goal and of its time, and trajectories that come too late."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from armillary.errors import ArmillaryError
from armillary.interfaces.ros.cell_messages import CellMessages
from armillary.interfaces.ros.joint_trajectory import BadTrajectory, WrongJoints
from armillary.interfaces.ros.mover import Driven, Preempted, TooOld
from armillary.interfaces.ros.trajectory_action import TrajectoryAction
from armillary.model import load_model
from armillary.protocols.ros1_types import ros1_type
from armillary.protocols.ros_json import from_json

PREEMPTED, SUCCEEDED, ABORTED, REJECTED = 2, 3, 4, 5
MODEL = load_model("cobot6")
GOAL = np.full(6, 0.5)


class _Wire:
    """Keeps what is said."""

    def __init__(self) -> None:
        self.said: list[tuple[str, Mapping[str, Any]]] = []
        self.take: Callable[[Mapping[str, Any]], None]
        self.cancel: Callable[[Mapping[str, Any]], None]

    def serve_action(self, _: str, __: str, take: Any, cancel: Any) -> Any:
        self.take, self.cancel = take, cancel
        return lambda part, message: self.said.append((part, message))

    def publish(self, name: str, message: Mapping[str, Any]) -> None:
        self.said.append((name, message))

    async def result(self) -> Mapping[str, Any]:
        deadline = time.monotonic() + 30.0
        while not (found := [message for part, message in self.said if part == "result"]):
            assert time.monotonic() < deadline, "it has no end"
            await asyncio.sleep(0.005)
        return found[-1]


class _Mover:
    """Drives at once; the robot is where the test says."""

    def __init__(self, drives: Callable[[], Awaitable[None]] | None = None) -> None:
        self.slack, self.drives, self.stopped = -1.0, drives, asyncio.Event()
        names = ("q", "v", "a", "measured_q", "measured_v", "measured_a")
        self.record: dict[str, Any] = {name: np.zeros(6) for name in names} | {"time": 0.0}
        state = SimpleNamespace(measured=GOAL.copy())
        self.cell: Any = SimpleNamespace(model=MODEL, state=state, station=SimpleNamespace(state=self.record))

    async def drive(self, _: Any, *, slack: float, begun: Callable[[Driven], Awaitable[None]]) -> Driven:
        self.slack, driven = slack, Driven(1, time.monotonic(), GOAL)
        await begun(driven)
        if self.drives is not None:
            await self.drives()
        return driven

    async def stop(self) -> None:
        self.stopped.set()


def goal(**tolerances: Any) -> dict[str, Any]:
    points = [{"positions": [0.5], "time_from_start": {"secs": 0, "nsecs": 10_000_000}}]
    said = {"goal": {"trajectory": {"joint_names": ["joint_1"], "points": points}, **tolerances}, "goal_id": {"id": "one"}}
    return from_json(ros1_type("control_msgs/FollowJointTrajectoryActionGoal"), said)


def borne(position: float, joint: str = "joint_2") -> list[dict[str, Any]]:
    return [{"name": joint, "position": position}]


def ended(
    mover: Callable[[], Any], asked: dict[str, Any], meanwhile: Callable[[Any, _Wire], Awaitable[None]] | None = None
) -> Any:
    """The result of a goal: its status, code and text; and who moved."""

    async def run() -> Any:
        wire, moves = _Wire(), mover()
        TrajectoryAction(wire, moves, CellMessages(MODEL))  # type: ignore[arg-type]
        wire.take(asked)
        if meanwhile is not None:
            await meanwhile(moves, wire)
        said = await wire.result()
        return said["status"]["status"], said["result"]["error_code"], said["result"]["error_string"], moves

    return asyncio.run(run())


def test_a_robot_that_comes_to_its_goal_a_little_later_has_reached_it() -> None:
    async def come(moves: _Mover, wire: _Wire) -> None:
        moves.cell.state.measured = GOAL - 0.1
        await asyncio.sleep(0.1)
        assert not [part for part, _ in wire.said if part == "result"], "it is waited for"
        moves.cell.state.measured = GOAL - 0.005

    status, code, _, moves = ended(_Mover, goal(goal_tolerance=borne(0.01), goal_time_tolerance={"secs": 20}), come)
    assert (status, code) == (SUCCEEDED, 0) and moves.slack == 20.0


@pytest.mark.parametrize("measured", [GOAL - 0.1, np.full(6, np.nan)])
def test_one_that_does_not_come_has_not(measured: Any) -> None:
    async def stay(moves: _Mover, _: _Wire) -> None:
        moves.cell.state.measured = measured

    asked = goal(goal_tolerance=borne(0.01), goal_time_tolerance={"nsecs": 50_000_000})
    status, code, text, _ = ended(_Mover, asked, stay)
    assert (status, code) == (ABORTED, -5) and "joint_2 is" in text and "away from its goal; 0.01 is borne" in text


def test_where_no_tolerance_is_given_the_commanded_end_is_the_end() -> None:
    async def stay(moves: _Mover, _: _Wire) -> None:
        moves.cell.state.measured = GOAL - 0.1

    assert ended(_Mover, goal(goal_tolerance=borne(0.0)), stay)[:2] == (SUCCEEDED, 0)


def test_a_goal_that_is_cancelled_while_it_settles_is_preempted() -> None:
    async def cancel(moves: _Mover, wire: _Wire) -> None:
        moves.cell.state.measured = GOAL - 0.1
        await asyncio.sleep(0.05)
        wire.cancel({"id": "one", "stamp": {"secs": 0, "nsecs": 0}})

    status, _, text, _ = ended(_Mover, goal(goal_tolerance=borne(0.01), goal_time_tolerance={"secs": 20}), cancel)
    assert status == PREEMPTED and "cancelled" in text


def test_a_joint_that_strays_from_its_path_stops_it() -> None:
    def mover() -> _Mover:
        async def drives() -> None:
            await moves.stopped.wait()
            raise Preempted("a stop took its place")

        moves = _Mover(drives)
        moves.record["measured_q"] = np.array([0.0, 0.2, 0.3, 0.0, 0.0, 0.0])
        return moves

    status, code, text, _ = ended(mover, goal(path_tolerance=borne(0.1)))
    assert (status, code) == (ABORTED, -4) and text == "joint_2 is 0.2 away from its path; 0.1 is borne"


def test_what_nobody_bounds_may_stray() -> None:
    def mover() -> _Mover:
        moves = _Mover(lambda: asyncio.sleep(0.1))
        moves.record["measured_q"] = np.full(6, 3.0)
        return moves

    assert ended(mover, goal(path_tolerance=borne(-1.0)))[:2] == (SUCCEEDED, 0)


@pytest.mark.parametrize(
    ("error", "code"),
    [(TooOld("it was to end 3 s ago"), -3), (WrongJoints("no joint"), -2), (BadTrajectory("no"), -1), (ArmillaryError("?"), -1)],
)
def test_what_is_refused_has_its_code(error: Exception, code: int) -> None:
    class Refuses(_Mover):
        async def drive(self, *_: Any, **__: Any) -> Driven:
            raise error

    status, found, text, _ = ended(Refuses, goal())
    assert (status, found, text) == (REJECTED, code, str(error))
