"""A cell in ROS 2: another process over DDS on loopback sees it and moves it; bytes are those that rosbags writes."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from armillary.cell import Cell
from armillary.interfaces.ros.cell_messages import CellMessages
from armillary.interfaces.ros.spoken import SPOKEN
from armillary.interfaces.ros.tracked_base import BasePose
from armillary.interfaces.ros2.dds_types import dds_type, from_ros2, to_ros2, type_name
from armillary.interfaces.ros2.dds_wire import topic_name
from armillary.model import load_model
from armillary.protocols.ros1_types import ros1_type as type_of_ros1
from armillary.protocols.ros_json import empty_message
from armillary.protocols.ros_types import DEFINITIONS, full_name, message_type

pytest.importorskip("cyclonedds", reason="cyclonedds is not installed (pip install armillary[dev])")
DOMAIN = 40 + os.getpid() % 150
BOTH = sorted({each.kind for each in SPOKEN if full_name(each.kind) in DEFINITIONS})

# Another process, with nothing of ours but the types and what we say it must set: it must see the cell by ROS 2's names, types
# and qualities.
PEER = """
import json, sys, time
from cyclonedds.core import Qos, Policy
from cyclonedds.domain import DomainParticipant
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration
from armillary.interfaces.ros2.dds_types import dds_type

participant = DomainParticipant(int(sys.argv[1]))

def quality(latched):
    durability = Policy.Durability.TransientLocal if latched else Policy.Durability.Volatile
    return Qos(Policy.Reliability.Reliable(duration(seconds=1)), durability, Policy.History.KeepLast(10))

def reader(name, kind, latched=False):
    topic = Topic(participant, name, dds_type(kind), qos=quality(latched))
    return DataReader(participant, topic, qos=quality(latched))

def first(name, kind, latched=False):
    return next(reader(name, kind, latched).take_iter(timeout=duration(seconds=20))).values

saw = {}
state = first("rt/joint_states", "sensor_msgs/msg/JointState")
saw["names"], saw["position"] = list(state["name"]), list(map(float, state["position"]))
saw["stamp"] = abs(state["header"]["stamp"]["sec"] - time.time()) < 5
saw["frames"] = sorted(each["child_frame_id"] for each in first("rt/tf", "tf2_msgs/msg/TFMessage")["transforms"])
saw["fixed"] = len(first("rt/tf_static", "tf2_msgs/msg/TFMessage", True)["transforms"])
saw["described"] = first("rt/robot_description", "std_msgs/msg/String", True)["data"][:40]
saw["level"] = first("rt/diagnostics", "diagnostic_msgs/msg/DiagnosticArray")["status"][0]["level"]
kind = dds_type("trajectory_msgs/msg/JointTrajectory")
topic = Topic(participant, "rt/joint_trajectory", kind, qos=quality(False))
writer = DataWriter(participant, topic, qos=quality(False))
end = time.time() + 20
while not writer.get_matched_subscriptions() and time.time() < end:
    time.sleep(0.05)
goal = [q + 0.1 for q in saw["position"]]
point = {"positions": goal, "velocities": [], "accelerations": [], "effort": [], "time_from_start": {"sec": 1, "nanosec": 0}}
header = {"stamp": {"sec": 0, "nanosec": 0}, "frame_id": ""}
writer.write(kind.of({"header": header, "joint_names": saw["names"], "points": [point]}))
states = reader("rt/joint_states", "sensor_msgs/msg/JointState")
end, saw["moved"] = time.time() + 30, False
while time.time() < end and not saw["moved"]:
    for sample in states.take(100):
        saw["moved"] |= max(abs(a - b) for a, b in zip(sample.values["position"], goal)) < 1e-6
    time.sleep(0.02)
print(json.dumps(saw, default=int))
"""


@pytest.fixture
def cell() -> Iterator[Cell]:
    start = [0.0, 1.83, -2.18, -1.92, -1.57, 0.0]
    with Cell.open("cobot6", driver="ideal", low_power=True, record=False, patience=1.0, start=start) as opened:
        opened.station.ask("give_control")
        yield opened


@pytest.mark.slow
def test_another_process_sees_it_and_moves_it(cell: Cell) -> None:
    command = [sys.executable, "-m", "armillary.interfaces.cli.main", "ros2", cell.station.folder.name, "--domain", str(DOMAIN)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as node:
        assert node.stdout is not None and "domain" in (said := node.stdout.readline()), said
        told = re.search(r"export CYCLONEDDS_URI='(.*)'$", node.stdout.readline().strip())
        assert told is not None
        assert told[1] in (Path(__file__).parents[3] / "docs" / "ros.md").read_text(), "and in the documentation"
        environment = {**os.environ, "CYCLONEDDS_URI": told[1]}
        peer = [sys.executable, "-c", PEER, str(DOMAIN)]
        done = subprocess.run(peer, capture_output=True, text=True, timeout=120, check=False, env=environment)
        node.send_signal(signal.SIGINT)
        assert node.wait(20) == 0
    assert done.returncode == 0, done.stderr[-2000:]
    saw: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert saw["names"] == list(cell.model.joints) and saw["stamp"] and saw["moved"]
    assert set(saw["frames"]) >= {"link_1", "link_6"} and saw["fixed"] > 0 and saw["described"].startswith("<robot")
    assert saw["level"] == 0


def test_names_are_ros_2s() -> None:
    assert topic_name("/joint_states") == "rt/joint_states"
    assert type_name("sensor_msgs/JointState") == "sensor_msgs::msg::dds_::JointState_"
    assert dds_type("sensor_msgs/JointState").__idl__.idl_transformed_typename == "sensor_msgs::msg::dds_::JointState_"


@pytest.mark.parametrize("kind", BOTH)
def test_to_ros_2_and_back(kind: str) -> None:
    message = empty_message(type_of_ros1(kind))
    there = to_ros2(message_type(kind), message)
    sample = dds_type(kind)
    back = from_ros2(message_type(kind), sample.deserialize(sample.of(there).serialize()).values)
    assert json.dumps(_plain(back), sort_keys=True) == json.dumps(_plain(message), sort_keys=True)


def test_bytes_are_those_that_rosbags_writes() -> None:
    stores = pytest.importorskip("rosbags.typesys", reason="rosbags is not installed")
    store = stores.get_typestore(stores.Stores.ROS2_JAZZY)
    model = load_model("cobot6")
    messages = CellMessages(model)
    record = {name: np.linspace(0.1, 0.6, 6) for name in ("measured_q", "measured_v", "measured_torque")}
    for kind, message in (
        ("sensor_msgs/msg/JointState", messages.measured(record, 12.5)),
        ("tf2_msgs/msg/TFMessage", messages.transforms(record, 12.5)),
        ("nav_msgs/msg/Odometry", messages.odometry(12.5, BasePose(1.0, 2.0, 0.3), (0.1, 0.2))),
        ("rosgraph_msgs/msg/Clock", messages.clock(12.5)),
        ("std_msgs/msg/String", {"data": "grüß"}),
    ):  # fmt: skip
        ours = dds_type(kind).of(to_ros2(message_type(kind), message)).serialize()
        again = store.deserialize_cdr(ours, kind)
        assert bytes(store.serialize_cdr(again, kind)) == ours, kind


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(each) for each in value]
    return value.item() if isinstance(value, np.generic) else value
