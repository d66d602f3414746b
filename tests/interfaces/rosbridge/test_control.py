"""Who has the robot: goals are their sender's own, control goes with who took it, and what is wrong stops nothing right."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection

from armillary.errors import ArmillaryError
from armillary.interfaces.http.server import pendant_place
from armillary.runtime import State
from tests.interfaces.rosbridge.conftest import Bridge
from tests.interfaces.rosbridge.ros_sharp_client import call, hear, ros_sharp, said_of, say, until

pytestmark = pytest.mark.slow
ACTION = "/follow_joint_trajectory"
KIND = "control_msgs/FollowJointTrajectory"
PATH = "trajectory_msgs/JointTrajectory"


@pytest.fixture
def two(bridge: Bridge) -> Iterator[tuple[ClientConnection, ClientConnection]]:
    with ros_sharp(bridge.address) as one, ros_sharp(bridge.address) as other:
        yield one, other


def trajectory(q: float, seconds: int, joint: str = "joint_1") -> dict[str, Any]:
    return {"joint_names": [joint], "points": [{"positions": [q], "time_from_start": {"secs": seconds, "nsecs": 0}}]}


def send(client: ClientConnection, key: str, q: float, seconds: int) -> None:
    args = {"trajectory": trajectory(q, seconds)}
    say(client, op="send_action_goal", action=ACTION, action_type=KIND, id=key, args=args, feedback=False)


def drive(client: ClientConnection, q: float, seconds: int, joint: str = "joint_1") -> None:
    say(client, op="advertise", topic="/joint_trajectory", type=PATH)
    say(client, op="publish", topic="/joint_trajectory", msg=trajectory(q, seconds, joint))


def listen(client: ClientConnection, topic: str, kind: str) -> None:
    """And wait until it is heard: what is said next is not missed."""
    say(client, op="subscribe", topic=topic, type=kind)
    call(client, "/rosapi/get_time")


def is_free(bridge: Bridge) -> bool:
    try:
        bridge.cell.take_control("the pendant")
    except ArmillaryError:
        return False
    bridge.cell.station.ask("give_control")
    return True


def test_goals_of_one_name_are_two(bridge: Bridge, two: tuple[ClientConnection, ClientConnection]) -> None:
    one, other = two
    start, key = float(bridge.cell.state.q[0]), f"send_action_goal:{ACTION}:1"
    send(one, key, start + 0.3, 20)
    until(lambda: bridge.cell.state.state == State.MOVING)
    send(other, key, start - 0.05, 1)
    assert hear(one, "action_result", 30.0)["status"] == 5, "the other's has taken its place"
    result = hear(other, "action_result", 30.0)
    assert result["id"] == key and result["status"] == 4
    assert float(bridge.cell.state.q[0]) == pytest.approx(start - 0.05, abs=1e-6)
    send(one, key, start, 1)
    assert hear(one, "action_result", 30.0)["status"] == 4, "the same name again, at once"


def test_a_goal_of_an_id_that_is_over_is_refused_on_its_topics(bridge: Bridge, two: tuple[ClientConnection, Any]) -> None:
    client, start = two[0], float(bridge.cell.state.q[0])
    listen(client, f"{ACTION}/result", f"{KIND}ActionResult")
    say(client, op="advertise", topic=f"{ACTION}/goal", type=f"{KIND}ActionGoal")
    goal = {"goal_id": {"id": "mine"}, "goal": {"trajectory": trajectory(start + 0.02, 1)}}
    say(client, op="publish", topic=f"{ACTION}/goal", msg=goal)
    assert said_of(client, f"{ACTION}/result")["status"]["status"] == 3
    say(client, op="publish", topic=f"{ACTION}/goal", msg=goal)
    refused = said_of(client, f"{ACTION}/result")
    assert refused["status"]["status"] == 5 and "is over already" in refused["result"]["error_string"]


def test_half_of_a_character_ends_nothing(bridge: Bridge, two: tuple[ClientConnection, ClientConnection]) -> None:
    one, other = two
    before = bridge.cell.station.processes["rosbridge"]
    say(one, op="subscribe", topic=f"{ACTION}/status", type="actionlib_msgs/GoalStatusArray", compression="cbor")
    send(other, "\ud800", 0.0, 1)
    assert "half of a character" in hear(other, "status")["msg"]
    send(other, "right", float(bridge.cell.state.q[0]) + 0.02, 1)
    assert hear(other, "action_result", 30.0)["status"] == 4
    assert isinstance(one.recv(10.0), bytes)
    assert bridge.cell.station.processes["rosbridge"] == before


def test_a_wrong_trajectory_stops_no_right_one(bridge: Bridge, two: tuple[ClientConnection, ClientConnection]) -> None:
    one, other = two
    goal = float(bridge.cell.state.q[0]) + 0.2
    drive(one, goal, 3)
    until(lambda: bridge.cell.state.state == State.MOVING)
    listen(other, "/rosout", "rosgraph_msgs/Log")
    drive(other, 0.0, 1, "elbow")
    assert "there is no joint 'elbow'" in said_of(other, "/rosout")["msg"]
    until(lambda: abs(float(bridge.cell.state.q[0]) - goal) < 1e-9)


def test_control_goes_with_the_last_who_took_it(bridge: Bridge) -> None:
    with ros_sharp(bridge.address) as other:
        with ros_sharp(bridge.address) as one:
            say(one, op="advertise", topic="/one", type="std_msgs/String")
            for client in (one, other):
                assert call(client, "/take_control")["success"]
            assert call(other, "/follow_set_points", data=True)["success"]
            assert call(other, "/stop")["success"] and call(other, "/follow_set_points", data=False)["success"]
        until(lambda: "/one" not in call(other, "/rosapi/topics")["topics"])
        assert not is_free(bridge)
    until(lambda: is_free(bridge))


def test_control_goes_with_what_it_was_for(bridge: Bridge, two: tuple[ClientConnection, Any]) -> None:
    client = two[0]
    assert call(client, "/follow_set_points", data=True)["success"] and not is_free(bridge)
    assert call(client, "/stop")["success"]
    until(lambda: is_free(bridge))
    programs = Path(pendant_place(bridge.cell.station.settings.source)) / "programs"
    call(client, "/programs/list")
    (programs / "wrong.arm").write_text("P0001 NONSENSE\n")
    try:
        assert not call(client, "/programs/start", name="wrong.arm")["success"]
        until(lambda: is_free(bridge))
    finally:
        (programs / "wrong.arm").unlink()


def test_beside_a_program_nothing_else_is_moved(bridge: Bridge, two: tuple[ClientConnection, ClientConnection]) -> None:
    one, other = two
    assert call(one, "/take_control")["success"]
    listen(other, "/rosout", "rosgraph_msgs/Log")
    for k in range(2):  # two at once: one of them runs
        say(one, op="call_service", id=f"start {k}", service="/programs/start", args={"name": "welcome.arm"})
    assert sorted(hear(one, "service_response", 60.0)["values"]["success"] for _ in range(2)) == [False, True]
    drive(other, 0.5, 1)
    assert "a program runs" in said_of(other, "/rosout")["msg"]
    assert call(one, "/programs/stop")["success"]
    until(lambda: "no program runs" in call(one, "/programs/stop")["message"])
    until(lambda: bridge.cell.state.state == State.READY)
    time.sleep(1.0)  # what would be given back would be by now
    assert not is_free(bridge), "it was taken by hand before"
    assert call(one, "/give_control")["success"] and is_free(bridge)


def test_diagnostics_say_who_has_control(bridge: Bridge, two: tuple[ClientConnection, Any]) -> None:
    client = two[0]
    listen(client, "/diagnostics", "diagnostic_msgs/DiagnosticArray")

    def who() -> str:
        values = said_of(client, "/diagnostics")["status"][0]["values"]
        return str({each["key"]: each["value"] for each in values}["control"])

    until(lambda: who() == "nobody")
    bridge.cell.take_control("Ada")
    until(lambda: who() == "Ada")
    bridge.cell.station.ask("give_control")
    assert call(client, "/take_control")["success"]
    until(lambda: who() == "ROS")
