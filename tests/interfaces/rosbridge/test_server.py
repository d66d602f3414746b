"""rosbridge on the wire: ROS#'s bytes, who may connect, and many clients, slow and rude ones among them."""

import base64
import json
import math
import random
import re
import signal
import socket
import ssl
import struct
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from websockets.exceptions import InvalidMessage, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from armillary.cell import Cell
from armillary.interfaces.http.certificate import make_certificate
from armillary.interfaces.http.roles import Role
from armillary.interfaces.http.server import pendant_place
from armillary.interfaces.http.users import BadLogin, UserStore
from armillary.interfaces.rosbridge.admission import Admission, NotAdmitted
from armillary.runtime import RuntimeProblem, State
from armillary.runtime.board_kinds import PERSON
from armillary.runtime.channel import Board
from tests.interfaces.rosbridge.conftest import Bridge
from tests.interfaces.rosbridge.ros_sharp_client import call, hear, ros_sharp, said_of, say, until

pytestmark = pytest.mark.slow


MESHES = """<robot name="boxes"><link name="base"><visual><geometry><mesh filename="meshes/base.stl"/></geometry></visual></link>
<link name="arm"><visual><geometry><mesh filename="package://boxes_description/arm.stl" scale="2 2 2"/></geometry></visual>
<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" velocity="1" effort="10"/></joint></robot>"""


def stl(size: float) -> bytes:
    corners = np.array([[0, 0, 0], [size, 0, 0], [0, size, 0], [0, 0, size]], dtype="<f4")
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    body = b"".join(struct.pack("<3f", 0, 0, 0) + corners[list(face)].tobytes() + b"\0\0" for face in faces)
    return b"\0" * 80 + struct.pack("<I", len(faces)) + body


def test_ros_sharp_fetches_a_robot_with_its_meshes(tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    (tmp_path / "boxes_description").mkdir()
    (tmp_path / "meshes" / "base.stl").write_bytes(stl(0.5))
    (tmp_path / "boxes_description" / "arm.stl").write_bytes(stl(0.1))
    (tmp_path / "boxes_description" / "package.xml").write_text("<package><name>boxes_description</name></package>")
    (tmp_path / "secret.txt").write_text("secret")
    robot = tmp_path / "boxes.urdf"
    robot.write_text(MESHES)
    with (
        Cell.open(str(robot), driver="ideal", low_power=True, record=False, patience=1.0, rosbridge={"port": 0}) as cell,
        ros_sharp(cell.station.rosbridge["address"]) as client,
    ):
        say(client, op="call_service", id="call:1", service="/rosapi/get_param", args={"name": "/robot_description"})
        answer = hear(client, "service_response")
        assert answer["id"] == "call:1" and answer["result"] is True
        described = ElementTree.fromstring(json.loads(answer["values"]["value"]))
        names = [str(mesh.get("filename")) for mesh in described.iter("mesh")]
        assert len(names) == 2 and all(name.startswith("package://") for name in names)
        fetched = []
        for k, name in enumerate(names):
            say(client, op="call_service", id=f"file:{k}", service="/file_server/get_file", args={"name": name})
            fetched.append(base64.b64decode(hear(client, "service_response")["values"]["value"]))
        assert fetched == [stl(0.5), stl(0.1)]
        odd: list[Any] = [
            "package://boxes/../secret.txt", str(tmp_path / "secret.txt"), "file:///etc/passwd", "package://boxes/secret.txt", 7
        ]  # fmt: skip
        for asked in odd:
            say(client, op="call_service", id="x", service="/file_server/get_file", args={"name": asked})
            assert hear(client, "service_response")["result"] is False, asked


def test_ros_sharp_says_and_hears(bridge: Bridge) -> None:
    with ros_sharp(bridge.address) as client:
        say(client, op="subscribe", id="/joint_states:1", topic="/joint_states", type="sensor_msgs/JointState", throttle_rate=50)
        assert hear(client, "publish")["msg"]["name"][0] == "joint_1"
        say(client, op="unsubscribe", id="/joint_states:1", topic="/joint_states")
        say(client, op="advertise_service", service="/unity/greet", type="std_srvs/Trigger", id="/unity/greet:2")
        say(client, op="call_service", id="own:3", service="/unity/greet", args={})
        called = hear(client, "call_service")
        say(
            client, op="service_response", id=called["id"], service="/unity/greet", result=True,
            values={"success": True, "message": "ü"},
        )  # fmt: skip
        assert hear(client, "service_response")["values"] == {"success": True, "message": "ü"}
        say(client, op="advertise", id="/joint_path_command:4", topic="/joint_path_command",
            type="trajectory_msgs/JointTrajectory")  # fmt: skip
        say(client, op="publish", id="5", topic="/joint_path_command", msg={"joint_names": 5})
        assert "joint_names" in hear(client, "status")["msg"]
        say(client, op="unadvertise", id="/joint_path_command:4", topic="/joint_path_command")
        assert call(client, "/rosapi/publishers", topic="/joint_path_command") == {"publishers": []}
        goal = float(bridge.cell.state.q[0]) + 0.05
        points = [{"positions": [goal], "velocities": [0.0], "accelerations": [0.0], "effort": [],
                   "time_from_start": {"secs": 1, "nsecs": 0}}]  # fmt: skip
        say(client, op="publish", id="6", topic="/joint_path_command", msg={"joint_names": ["joint_1"], "points": points})
        deadline = time.monotonic() + 15.0
        while abs(float(bridge.cell.state.q[0]) - goal) > 1e-9:
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_ros_sharps_pictures_are_base64(bridge: Bridge) -> None:
    picture = base64.b64encode(bytes(range(256)) * 300).decode()
    with ros_sharp(bridge.address) as sees, ros_sharp(bridge.address) as looks:
        say(looks, op="subscribe", id="/camera:1", topic="/camera", type="sensor_msgs/CompressedImage")
        say(sees, op="advertise", id="/camera:1", topic="/camera", type="sensor_msgs/CompressedImage")
        call(looks, "/rosapi/get_time")
        say(sees, op="publish", id="/camera:1", topic="/camera", msg={"header": {"seq": 3}, "format": "jpeg", "data": picture})
        came = said_of(looks, "/camera")
        assert came["data"] == picture and came["format"] == "jpeg" and came["header"]["seq"] == 3
        say(sees, op="unadvertise", id="/camera:1", topic="/camera")
        assert call(sees, "/rosapi/publishers", topic="/camera") == {"publishers": []}
        assert call(looks, "/rosapi/topic_type", topic="/camera") == {"type": "sensor_msgs/CompressedImage"}, "somebody looks"


def test_set_points_are_uncertified_and_shown_so(bridge: Bridge) -> None:
    with ros_sharp(bridge.address) as client:
        say(client, op="advertise", topic="/joint_set_points", type="sensor_msgs/JointState")
        say(client, op="set_level", level="error")
        assert call(client, "/follow_set_points", data=True)["success"]
        say(client, op="subscribe", topic="/diagnostics", type="diagnostic_msgs/DiagnosticArray")
        q, seen, shown = float(bridge.cell.state.q[0]), 0.0, dict[str, Any]()
        deadline = time.monotonic() + 90.0
        while shown.get("control") != "ROS" or seen < 0.01:  # it is said while it moves
            assert time.monotonic() < deadline, (seen, shown)
            if bridge.cell.state.state != State.MOVING:  # on a busy machine a set-point may come late
                call(client, "/follow_set_points", data=True)
            say(client, op="publish", topic="/joint_set_points", msg={"name": ["joint_1"], "position": [q + 0.02]})
            with suppress(TimeoutError):
                status = said_of(client, "/diagnostics", 0.02)["status"][0]
                values = {each["key"]: each["value"] for each in status["values"]}
                if values["state"] == "MOVING":
                    shown = {**values, "level": status["level"], "said": status["message"]}
            seen = float(bridge.cell.state.q[0]) - q
        assert shown["certified"] == "false" and shown["level"] == 1 and "uncertified" in shown["said"]
        assert call(client, "/follow_set_points", data=False)["success"]


def test_a_persons_frames_are_said_as_they_come(bridge: Bridge) -> None:
    """As an imitation writes them on the station's board."""
    board, topic = Board(bridge.cell.station.folder / "person", PERSON), "/perception_neuron/data_1"
    try:
        with ros_sharp(bridge.address) as client:
            say(client, op="subscribe", topic=topic, type="std_msgs/Float64MultiArray")
            heard: list[dict[str, Any]] = []

            def frame() -> bool:
                board.value["values"][0][:354], board.value["count"] = np.arange(354.0) - 0.25, 354
                board.write()
                with suppress(TimeoutError):
                    heard.append(said_of(client, topic, 0.2))
                return bool(heard)

            until(frame)
        assert heard[0]["data"] == (np.arange(354.0) - 0.25).tolist()
        assert heard[0]["layout"]["dim"] == [{"label": "channels", "size": 354, "stride": 354}]
    finally:
        board.close()


def test_jogging_stops_when_nothing_more_is_said(bridge: Bridge) -> None:
    start = bridge.cell.state.q
    with ros_sharp(bridge.address) as client:
        say(client, op="advertise", topic="/jog_tool", type="geometry_msgs/TwistStamped")
        deadline = time.monotonic() + 90.0
        while np.abs(bridge.cell.state.q - start).max() < 0.002:
            assert time.monotonic() < deadline, "it does not move"
            say(client, op="publish", topic="/jog_tool", msg={"twist": {"linear": {"z": 0.05}}})
            time.sleep(0.02)
        until(lambda: bridge.cell.state.state == State.READY)


# Who may connect.


def test_pages_of_other_sites_are_turned_away(bridge: Bridge) -> None:
    with pytest.raises(InvalidStatus) as turned, connect(bridge.address, origin=Origin("https://evil.example")):
        pass
    assert turned.value.response.status_code == 403
    with connect(f"{bridge.address}/?token={bridge.token}", origin=Origin("https://evil.example")):
        pass
    with pytest.raises(InvalidStatus) as turned, connect(f"{bridge.address}/?token=guessed"):
        pass
    assert turned.value.response.status_code == 401


def test_from_elsewhere_a_token_or_a_user_is_needed(tmp_path: Path) -> None:
    users = UserStore(tmp_path)
    users.add("Ada", Role.ADMINISTRATOR, "a long password")
    users.add("Guest", Role.VIEWER, "another password")
    admission = Admission(users, "192.168.1.5")

    def basic(name: str, password: str) -> str:
        return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()

    for given in (None, "Basic ???", "Bearer wrong", "Digest x"):
        with pytest.raises(NotAdmitted):
            admission.role_of("/", None, given)
    with pytest.raises(BadLogin):
        admission.role_of("/", None, basic("Ada", "wrong"))
    assert admission.role_of(f"/?token={admission.token}", None, None) == Role.OPERATOR
    assert admission.role_of("/", None, f"Bearer {admission.token}") == Role.OPERATOR
    assert admission.role_of("/", None, basic("ada", "a long password")) == Role.ADMINISTRATOR
    assert admission.role_of("/", "https://elsewhere", basic("Guest", "another password")) == Role.VIEWER


def test_beyond_this_machines_own_address_it_speaks_tls_and_knows_whom(tmp_path: Path) -> None:
    """127.0.0.2 is nobody's own address: for the rules it is elsewhere."""
    robot = tmp_path / "boxes.urdf"
    robot.write_text(MESHES.replace('<mesh filename="meshes/base.stl"/>', '<box size="1 1 1"/>').replace(
        '<mesh filename="package://boxes_description/arm.stl" scale="2 2 2"/>', '<box size="1 1 1"/>'))  # fmt: skip
    place = pendant_place(str(robot))
    options: dict[str, Any] = {"driver": "ideal", "low_power": True, "record": False, "patience": 1.0}
    bridge = {"host": "127.0.0.2", "port": 0}
    with pytest.raises(RuntimeProblem, match="only when somebody has a password"):
        Cell.open(str(robot), **options, rosbridge=bridge)
    users = UserStore(place)
    users.add("Ada", Role.ADMINISTRATOR, "a long password")
    users.add("Guest", Role.VIEWER, "another password")
    secure = ssl.create_default_context(cafile=str(make_certificate(place, ("127.0.0.2",)).certificate))

    def opened(cell: Cell, path: str = "", authorization: str = "") -> ClientConnection:
        headers = {"Authorization": authorization} if authorization else None
        return connect(
            f"{cell.station.rosbridge['address']}{path}", ssl=secure, additional_headers=headers, user_agent_header=None,
            open_timeout=60.0,
        )  # fmt: skip

    def basic(name: str, password: str) -> str:
        return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()

    with Cell.open(str(robot), **options, rosbridge=bridge) as cell:
        address, token = cell.station.rosbridge["address"], cell.station.rosbridge["token"]
        assert address.startswith("wss://127.0.0.2:")
        cell.station.ask("give_control")
        for path, authorization in (("", ""), ("/?token=x", ""), ("", "Bearer x"), ("", basic("Ada", "wrong"))):
            with pytest.raises(InvalidStatus) as turned, opened(cell, path, authorization):
                pass
            assert turned.value.response.status_code == 401
        with pytest.raises((InvalidMessage, OSError, EOFError)), connect(address.replace("wss", "ws")):
            pass
        for path, authorization in ((f"/?token={token}", ""), ("", f"Bearer {token}"), ("", basic("Ada", "a long password"))):
            with opened(cell, path, authorization) as client:
                assert call(client, "/power", data=True)["success"]
        with opened(cell, "", basic("Guest", "another password")) as client:
            say(client, op="subscribe", topic="/joint_states")
            assert said_of(client, "/joint_states")["name"] == ["j"]
            say(client, op="call_service", id="p", service="/power", args={"data": False})
            assert "needs an operator" in hear(client, "status")["msg"]
            say(client, op="publish", topic="/stop", msg={})
            assert "needs an operator" in hear(client, "status")["msg"]
        assert cell.state.state == State.READY


def test_armillary_run_opens_it(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "armillary.interfaces.cli.main", "run", "cobot6", "--driver", "ideal", "--low-power"]
    with subprocess.Popen(
        [*command, "--headless", "--no-recording", "--rosbridge", "0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as running:  # fmt: skip
        try:
            assert running.stdout is not None
            lines = iter(running.stdout.readline, "")
            said = next(line for line in lines if "rosbridge" in line)
            found = re.search(r"(ws://127\.0\.0\.1:\d+), from elsewhere with \?token=(\S+)", said)
            assert found is not None, said
            with ros_sharp(found[1]) as client:
                say(client, op="subscribe", topic="/joint_states")
                assert said_of(client, "/joint_states")["name"][0] == "joint_1"
                assert call(client, "/take_control")["success"], "nobody else has it"
        finally:
            running.send_signal(signal.SIGINT)
            assert running.wait(30) in (0, 1)


# Many, and hostile ones.


def test_fifty_clients_slow_and_rude_ones_among_them_do_not_hold_it_up(bridge: Bridge) -> None:
    alone = late_ticks(bridge)
    with ExitStack() as open_ones:
        for _ in range(10):
            open_ones.enter_context(deaf(bridge.port))
        for _ in range(20):
            client = open_ones.enter_context(ros_sharp(bridge.address))
            say(client, op="subscribe", topic="/joint_states", type="sensor_msgs/JointState")
        rude = [open_ones.enter_context(ros_sharp(bridge.address)) for _ in range(20)]
        rng = random.Random(5)
        for client in rude:
            for _ in range(50):
                client.send(rng.choice(RUDE))
        for client in rude[10:]:
            client.socket.shutdown(socket.SHUT_RDWR)  # gone without a word
        one = open_ones.enter_context(ros_sharp(bridge.address))
        goal = float(bridge.cell.state.q[0]) + 0.1
        say(one, op="advertise", topic="/joint_trajectory", type="trajectory_msgs/JointTrajectory")
        points = [{"positions": [goal], "time_from_start": {"secs": 1, "nsecs": 0}}]
        say(one, op="publish", topic="/joint_trajectory", msg={"joint_names": ["joint_1"], "points": points})
        deadline = time.monotonic() + 20.0
        while abs(float(bridge.cell.state.q[0]) - goal) > 1e-9:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        say(one, op="call_service", id="n", service="/rosapi/nodes")
        assert "/armillary" in hear(one, "service_response")["values"]["nodes"]
        among_them = late_ticks(bridge)
    assert not bridge.cell.state.fault
    # Of a machine with other work some ticks are late anyway, before and after; clients that held the executor up would add more.
    after = late_ticks(bridge)
    for name, share in among_them.items():
        without = max(alone[name], after[name])
        assert share <= 2.0 * without + 0.05, f"{name}: {share:.1%} of the ticks, and {without:.1%} without clients"


def late_ticks(bridge: Bridge) -> dict[str, float]:
    """Of some seconds of the executor's ticks: the share that took longer than a period, and that began later than one."""
    first = last = bridge.cell.station.state
    looks = late = 0
    deadline = time.monotonic() + 120.0
    while int(last["ticks"]) < int(first["ticks"]) + 1000:
        assert time.monotonic() < deadline, "the executor ticks no more"
        time.sleep(0.002)
        last = bridge.cell.station.state
        looks, late = looks + 1, late + (float(last["late"]) > bridge.cell.station.settings.period)
    overruns = float(last["overruns"] - first["overruns"]) / float(last["ticks"] - first["ticks"])
    return {"overruns": overruns, "late": late / looks}


RUDE: list[str | bytes] = [
    "{", "[]", '{"op":3}', b"\xff\xfe", "x" * 70_000, '{"op":"call_service","service":"/no"}', '{"op":"subscribe","topic":"/x y"}'
]  # fmt: skip


def deaf(port: int) -> socket.socket:
    """Subscribes to what is said most, and never reads."""
    opened = socket.create_connection(("127.0.0.1", port))
    asked = ("GET / HTTP/1.1", "Host: x", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
             "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "", "")  # fmt: skip
    opened.sendall("\r\n".join(asked).encode())
    opened.recv(4096)
    text = b'{"op":"subscribe","topic":"/tf","type":"tf2_msgs/TFMessage"}'
    opened.sendall(bytes([0x81, 0x80 | len(text)]) + b"\0\0\0\0" + text)
    return opened


def test_fuzzed(bridge: Bridge, pytestconfig: pytest.Config) -> None:
    """Messages that are nearly right, broken anywhere: it answers to the last, and its memory stays what it was."""
    rng = random.Random(11)
    pid = int(bridge.cell.station.processes["rosbridge"]["pid"])
    rounds = 100_000 if pytestconfig.getoption("--full") else 3000

    def memory() -> float:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 / 1e6

    fuzz(bridge, rng, 500)
    before = memory()
    fuzz(bridge, rng, rounds)
    with ros_sharp(bridge.address) as client:
        say(client, op="call_service", id="still", service="/rosapi/topics")
        assert "/joint_states" in hear(client, "service_response")["values"]["topics"]
    assert (
        int(bridge.cell.station.processes["rosbridge"]["pid"]) == pid
        and bridge.cell.station.processes["rosbridge"]["restarts"] == 0
    )
    assert memory() < before + 60.0
    bridge.cell.stop()


GOOD: list[dict[str, Any]] = [
    {"op": "advertise", "topic": "/t", "type": "std_msgs/String", "latch": True},
    {"op": "publish", "topic": "/t", "msg": {"data": "x"}},
    {"op": "subscribe", "topic": "/t", "type": "std_msgs/String", "throttle_rate": 5, "queue_length": 3, "fragment_size": 40},
    {"op": "subscribe", "topic": "/joint_states", "compression": "png"},
    {"op": "unsubscribe", "topic": "/joint_states"},
    {"op": "call_service", "service": "/rosapi/message_details", "args": {"type": "sensor_msgs/JointState"}, "id": "c"},
    {"op": "call_service", "service": "/rosapi/set_param", "args": {"name": "/p", "value": "[1, 2]"}},
    {"op": "call_service", "service": "/programs/start", "args": {"name": "nothing.ngc"}},
    {"op": "advertise_service", "service": "/s", "type": "std_srvs/Trigger"},
    {"op": "service_response", "service": "/s", "id": "1", "values": {}, "result": True},
    {"op": "fragment", "id": "f", "data": '{"op":"', "num": 0, "total": 2},
    {"op": "advertise", "topic": "/joint_trajectory", "type": "trajectory_msgs/JointTrajectory"},
    {"op": "publish", "topic": "/joint_trajectory",
     "msg": {"joint_names": ["joint_9"], "points": [{"positions": [0.0], "time_from_start": {"secs": 1, "nsecs": 0}}]}},
    {"op": "send_action_goal", "action": "/follow_joint_trajectory", "id": "g", "args": {"trajectory": {"joint_names": ["x"]}}},
    {"op": "cancel_action_goal", "action": "/follow_joint_trajectory", "id": "g"},
    {"op": "advertise_action", "action": "/a", "type": "control_msgs/FollowJointTrajectory"},
    {"op": "set_level", "level": "warning"},
    {"op": "subscribe", "topic": "/t", "type": "std_msgs/String", "compression": "cbor"},
    {"op": "subscribe", "topic": "/follow_joint_trajectory/status", "compression": "cbor"},
    {"op": "unadvertise", "topic": "/t"},
    {"op": "unadvertise_service", "service": "/s"},
    {"op": "call_service", "service": "/s", "args": {"x": 1.5}, "id": "own", "fragment_size": 60, "compression": "png"},
    {"op": "send_action_goal", "action": "/a", "id": "own", "args": {}, "feedback": True},
    {"op": "action_feedback", "action": "/a", "id": "own", "values": {"joint_names": ["x"]}},
    {"op": "action_result", "action": "/a", "id": "own", "values": {"error_code": 1}, "status": 4, "result": True},
    {"op": "unadvertise_action", "action": "/a"},
    {"op": "advertise", "topic": "/a/goal", "type": "control_msgs/FollowJointTrajectoryActionGoal", "latch": True},
    {"op": "publish", "topic": "/a/goal", "msg": {"goal_id": {"id": "kept"}, "goal": {}}},
    {"op": "publish", "topic": "/jog_joints", "msg": {"name": ["joint_9"], "velocity": [0.01]}},
    {"op": "publish", "topic": "/jog_tool", "msg": {"header": {"frame_id": "nowhere"}, "twist": {"linear": {"z": "x"}}}},
    {"op": "publish", "topic": "/joint_set_points", "msg": {"name": ["joint_1"], "position": [0.0], "velocity": [0.0]}},
    {"op": "call_service", "service": "/follow_set_points", "args": {"data": False}},
    {"op": "call_service", "service": "/rosapi/get_param", "args": {"name": "/p", "default": "1"}},
    {"op": "call_service", "service": "/rosapi/delete_param", "args": {"name": "/p"}},
    {"op": "publish", "topic": "/robot_description", "msg": {"data": "<other/>"}},
]  # fmt: skip
ODD: list[Any] = [
    None, -1, 1e308, "", "/", "\u0000", [], {}, [[]], True, "x" * 300, {"data": {"data": {}}}, -(2**70), math.nan, -math.inf,
    "\ud800", "x\udfffy", [math.nan, "\udc00"], "own", "kept", "/a", "/joint_states", "cbor", 4,
]  # fmt: skip


def broken(rng: random.Random) -> str | bytes:
    message: Any = json.loads(json.dumps(rng.choice(GOOD)))
    for _ in range(rng.randrange(3)):
        at = message
        while isinstance(at, dict) and at:
            key = rng.choice(list(at))
            if isinstance(at[key], dict) and rng.random() < 0.6:
                at = at[key]
                continue
            if rng.random() < 0.3:
                del at[key]
            else:
                at[key] = rng.choice(ODD)
            break
    text = json.dumps(message)
    if rng.random() < 0.15:
        cut = rng.randrange(len(text) + 1)
        text = text[:cut] + chr(rng.randrange(1, 0x2FF)) + text[cut + rng.randrange(2) :]
    return text.encode() if rng.random() < 0.5 else text


def fuzz(bridge: Bridge, rng: random.Random, rounds: int) -> None:
    done = 0
    while done < rounds:
        with ros_sharp(bridge.address) as client:
            for _ in range(250):
                client.send(broken(rng))
                done += 1
            client.send('{"op":"call_service","id":"end of this","service":"/rosapi/get_time"}')
            while (said := read(client.recv(60.0))).get("id") != "end of this":
                assert "cannot be understood" not in said.get("msg", ""), said


def read(frame: str | bytes) -> dict[str, Any]:
    """What is in JSON; nothing of what is in CBOR."""
    return {} if isinstance(frame, bytes) else dict(json.loads(frame))
