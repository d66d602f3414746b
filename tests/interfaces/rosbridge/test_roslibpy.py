"""roslibpy at home with a cell: it lists, publishes, hears, calls, serves, has parameters and actions; by both transports."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from armillary.runtime import State
from tests.interfaces.rosbridge.conftest import Bridge

roslibpy = pytest.importorskip("roslibpy", reason="roslibpy is not installed (pip install armillary[dev])")
JOINTS = [f"joint_{k}" for k in range(1, 7)]


@pytest.fixture
def ros(bridge: Bridge) -> Iterator[Any]:
    client = roslibpy.Ros("127.0.0.1", bridge.port)
    client.run(10)
    yield client
    client.close()


def until(true: Callable[[], Any], seconds: float = 10.0) -> Any:
    deadline = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < deadline, "it does not come"
        time.sleep(0.01)
    return found


def trajectory(*points: tuple[list[float], float], joints: list[str] | None = None) -> dict[str, Any]:
    return {
        "joint_names": joints or JOINTS,
        "points": [
            {"positions": q, "time_from_start": {"secs": int(t), "nsecs": round(1e9 * (t % 1.0))}} for q, t in points
        ],
    }  # fmt: skip


def call(ros: Any, service: str, kind: str, **asked: Any) -> dict[str, Any]:
    return dict(roslibpy.Service(ros, service, kind).call(roslibpy.ServiceRequest(asked), timeout=20))


def test_it_is_listed_with_types(ros: Any) -> None:
    assert {"/joint_states", "/tf", "/joint_path_command", "/follow_joint_trajectory/goal"} <= set(ros.get_topics())
    assert ros.get_topic_type("/joint_states") == "sensor_msgs/JointState"
    assert "/tf_static" in ros.get_topics_for_type("tf2_msgs/TFMessage")
    assert "/armillary" in ros.get_nodes() and "/joint_states" in ros.get_node_details("/armillary")["publishing"]
    assert ros.get_service_type("/power") == "std_srvs/SetBool" and "/power" in ros.get_services_for_type("std_srvs/SetBool")
    assert ros.get_service_request_details("std_srvs/SetBool")["typedefs"][0]["fieldnames"] == ["data"]
    assert ros.get_service_response_details("std_srvs/SetBool")["typedefs"][0]["fieldtypes"] == ["bool", "string"]
    assert ros.get_message_details("sensor_msgs/JointState")["typedefs"][0]["fieldnames"][1:] == [
        "name", "position", "velocity", "effort",
    ]  # fmt: skip
    served: list[Any] = []
    ros.get_action_servers(served.append)
    assert until(lambda: served)[0]["action_servers"] == ["/follow_joint_trajectory"]
    assert abs(ros.get_time()["secs"] - time.time()) < 5.0


def test_the_joints_are_told(bridge: Bridge, ros: Any) -> None:
    heard: list[Any] = []
    topic = roslibpy.Topic(ros, "/joint_states", "sensor_msgs/JointState")
    topic.subscribe(heard.append)
    until(lambda: len(heard) >= 3)
    topic.unsubscribe()
    assert heard[-1]["name"] == JOINTS and heard[-1]["position"] == pytest.approx(bridge.cell.state.measured)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("/tf", "tf2_msgs/TFMessage"), ("/tf_static", "tf2_msgs/TFMessage"), ("/robot_description", "std_msgs/String"),
     ("/odom", "nav_msgs/Odometry"), ("/clock", "rosgraph_msgs/Clock"), ("/diagnostics", "diagnostic_msgs/DiagnosticArray"),
     ("/robot_status", "industrial_msgs/RobotStatus"), ("/Controller_joint_states", "sensor_msgs/JointState"),
     ("/feedback_states", "control_msgs/FollowJointTrajectoryFeedback")],
)  # fmt: skip
def test_each_topic_says_something(ros: Any, name: str, kind: str) -> None:
    heard: list[Any] = []
    roslibpy.Topic(ros, name, kind).subscribe(heard.append)
    until(lambda: heard)
    assert heard[0]


def test_parameters(ros: Any) -> None:
    described = roslibpy.Param(ros, "robot_description").get()
    assert described.startswith("<robot") and 'name="cobot6"' in described
    own = roslibpy.Param(ros, "/mine/speed")
    own.set(0.25)
    assert own.get() == 0.25 and "/mine/speed" in ros.get_params()
    own.delete()
    assert "/mine/speed" not in ros.get_params()


def test_a_trajectory_is_driven(bridge: Bridge, ros: Any) -> None:
    goal = bridge.cell.state.q + np.array([0.2, 0.0, 0.1, 0.0, 0.0, 0.3])
    topic = roslibpy.Topic(ros, "/joint_path_command", "trajectory_msgs/JointTrajectory")
    topic.publish(roslibpy.Message(trajectory((goal.tolist(), 1.0))))
    until(lambda: np.abs(bridge.cell.state.q - goal).max() < 1e-9)
    until(lambda: bridge.cell.state.state == State.READY)


def test_what_is_refused_is_said_on_rosout(bridge: Bridge, ros: Any) -> None:
    said: list[Any] = []
    roslibpy.Topic(ros, "/rosout", "rosgraph_msgs/Log").subscribe(said.append)
    topic = roslibpy.Topic(ros, "/joint_trajectory", "trajectory_msgs/JointTrajectory")
    topic.advertise()
    before = bridge.cell.state.q
    topic.publish(roslibpy.Message(trajectory(([0.1], 1.0), joints=["elbow"])))
    assert "there is no joint 'elbow'" in until(lambda: said)[0]["msg"]
    roslibpy.Topic(ros, "/cmd_vel", "geometry_msgs/Twist").publish(roslibpy.Message({"linear": {"x": 0.1}}))
    assert "no base" in until(lambda: said[1:])[0]["msg"]
    assert np.array_equal(bridge.cell.state.q, before)


def test_a_wrong_message_leaves_the_connection_alive(ros: Any) -> None:
    topic = roslibpy.Topic(ros, "/joint_trajectory", "trajectory_msgs/JointTrajectory")
    topic.advertise()
    topic.publish(roslibpy.Message({"points": "none"}))
    topic.publish(roslibpy.Message({"no such field": 1}))
    assert "/joint_states" in ros.get_topics() and ros.is_connected


def test_control_is_needed(bridge: Bridge, ros: Any) -> None:
    bridge.cell.take_control("somebody at the pendant")
    try:
        answer = call(ros, "/take_control", "std_srvs/Trigger")
        assert not answer["success"] and "somebody at the pendant has control" in answer["message"]
        said: list[Any] = []
        roslibpy.Topic(ros, "/rosout", "rosgraph_msgs/Log").subscribe(said.append)
        topic = roslibpy.Topic(ros, "/joint_trajectory", "trajectory_msgs/JointTrajectory")
        topic.publish(roslibpy.Message(trajectory(((bridge.cell.state.q + 0.1).tolist(), 1.0))))
        assert "somebody at the pendant has control" in until(lambda: said)[0]["msg"]
        assert call(ros, "/stop", "std_srvs/Trigger")["success"], "a stop needs no control"
    finally:
        bridge.cell.station.ask("give_control")


def test_power_and_programs(bridge: Bridge, ros: Any) -> None:
    assert call(ros, "/power", "std_srvs/SetBool", data=False) == {"success": True, "message": "off"}
    assert call(ros, "/power", "std_srvs/SetBool", data=True) == {"success": True, "message": "ready"}
    assert "welcome.arm" in call(ros, "/programs/list", "armillary_msgs/ListPrograms")["names"]
    assert not call(ros, "/programs/start", "armillary_msgs/StartProgram", name="../../etc/passwd")["success"]
    assert call(ros, "/programs/start", "armillary_msgs/StartProgram", name="welcome.arm")["success"]
    until(lambda: bridge.cell.state.state == State.MOVING)
    assert not call(ros, "/programs/start", "armillary_msgs/StartProgram", name="welcome.arm")["success"], "one at a time"
    assert call(ros, "/programs/stop", "std_srvs/Trigger")["success"]
    until(lambda: bridge.cell.state.state == State.READY)


def test_a_client_serves_another(bridge: Bridge, ros: Any) -> None:
    other = roslibpy.Ros("127.0.0.1", bridge.port)
    other.run(10)

    def answer(_: Any, response: Any) -> bool:
        response["success"], response["message"] = True, "served by a client"
        return True

    roslibpy.Service(other, "/mine", "std_srvs/Trigger").advertise(answer)
    until(lambda: "/mine" in ros.get_services())
    assert call(ros, "/mine", "std_srvs/Trigger") == {"success": True, "message": "served by a client"}
    other.close()
    until(lambda: "/mine" not in ros.get_services())


def test_the_action_as_ros_1_has_it(bridge: Bridge, ros: Any) -> None:
    from roslibpy.ros1 import actionlib

    client = actionlib.ActionClient(ros, "/follow_joint_trajectory", "control_msgs/FollowJointTrajectoryAction")
    start = bridge.cell.state.q
    goal = actionlib.Goal(
        client, roslibpy.Message({"trajectory": trajectory(((start + 0.1).tolist(), 0.5), (start.tolist(), 1.5))})
    )
    feedback: list[Any] = []
    goal.on("feedback", feedback.append)
    goal.send()
    assert goal.wait(20)["error_code"] == 0 and goal.status["status"] == 3
    assert feedback and feedback[0]["joint_names"] == JOINTS
    wrong = actionlib.Goal(client, roslibpy.Message({"trajectory": trajectory(([0.0] * 6, 0.5), (start.tolist(), 0.2))}))
    wrong.send()
    result = wrong.wait(20)
    assert result["error_code"] == -1 and "times must grow" in result["error_string"] and wrong.status["status"] == 5
    long = actionlib.Goal(client, roslibpy.Message({"trajectory": trajectory(((start + 0.5).tolist(), 20.0))}))
    long.send()
    until(lambda: bridge.cell.state.state == State.MOVING)
    long.cancel()
    assert long.wait(20) is not None and long.status["status"] == 2
    until(lambda: bridge.cell.state.state == State.READY)


def test_the_action_as_ros_2_has_it(bridge: Bridge, ros: Any) -> None:
    client = roslibpy.ActionClient(ros, "/follow_joint_trajectory", "control_msgs/action/FollowJointTrajectory")
    results: list[Any] = []
    feedback: list[Any] = []
    ended = threading.Event()

    def end(result: Any) -> None:
        results.append(result)
        ended.set()

    asked = trajectory(((bridge.cell.state.q + 0.1).tolist(), 0.5))
    asked["points"][0]["time_from_start"] = {"sec": 0, "nanosec": 500_000_000}
    client.send_goal(roslibpy.Goal({"trajectory": asked}), end, feedback.append, end)
    assert ended.wait(20) and feedback
    assert results[0]["status"] == roslibpy.GoalStatus.SUCCEEDED and results[0]["values"]["error_code"] == 0


def test_its_other_transport(bridge: Bridge) -> None:
    """roslibpy can use asyncio instead of Twisted, which is one for a process: so in a process of its own."""
    import subprocess
    import sys

    code = f"""
import roslibpy
roslibpy.set_default_transport("asyncio")
ros = roslibpy.Ros("127.0.0.1", {bridge.port})
ros.run(10)
roslibpy.Topic(ros, "/joint_trajectory", "trajectory_msgs/JointTrajectory").publish(roslibpy.Message({{"points": 3}}))
print("/joint_states" in ros.get_topics())
ros.close()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.strip() == "True", done.stderr
