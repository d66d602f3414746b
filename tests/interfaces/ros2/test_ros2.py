"""A cell in ROS 2: another process over DDS on loopback sees it and moves it; bytes are those that rosbags writes."""

import asyncio
import importlib
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
from armillary.interfaces.ros2.dds_wire import DdsWire, topic_name
from armillary.model import load_model
from armillary.protocols.ros1_types import ros1_type as type_of_ros1
from armillary.protocols.ros_json import empty_message, from_json
from armillary.protocols.ros_types import DEFINITIONS, full_name, message_type

pytest.importorskip("cyclonedds", reason="cyclonedds is not installed (pip install armillary[dev])")
HERE = Path(__file__).parent
DOMAIN = 40 + os.getpid() % 150
BOTH = sorted({each.kind for each in SPOKEN if full_name(each.kind) in DEFINITIONS})


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
        peer = [sys.executable, str(HERE / "dds_peer.py"), str(DOMAIN)]
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


@pytest.mark.slow
def test_what_was_refused_is_heard_by_who_comes_later() -> None:
    """As ROS 2's own nodes say /rosout: reliable, transient local, the last thousand."""
    core, sub, topics = (importlib.import_module(f"cyclonedds.{part}") for part in ("core", "sub", "topic"))
    second = importlib.import_module("cyclonedds.util").duration(seconds=1)
    policy = core.Policy

    async def run() -> list[str]:
        wire = DdsWire(asyncio.get_running_loop(), DOMAIN)
        wire.advertise("/rosout", "rosgraph_msgs/Log")
        for k in range(20):
            wire.publish("/rosout", CellMessages(load_model("cobot6")).log(str(k), "/armillary"))
        late = core.Qos(policy.Reliability.Reliable(second), policy.Durability.TransientLocal, policy.History.KeepLast(1000))
        who = importlib.import_module("cyclonedds.domain").DomainParticipant(DOMAIN)
        topic = topics.Topic(who, "rt/rosout", dds_type("rcl_interfaces/msg/Log"), qos=late)
        reader, found = sub.DataReader(who, topic, qos=late), list[str]()
        for _ in range(200):
            found += [sample.values["msg"] for sample in reader.take(100)]
            if len(found) == 20:
                break
            await asyncio.sleep(0.05)
        return found

    assert asyncio.run(run()) == [str(k) for k in range(20)]


def test_sequences_of_messages_and_times_go_there_and_back() -> None:
    kind = "trajectory_msgs/JointTrajectory"
    points = [{"positions": [0.1 * k], "time_from_start": {"secs": k, "nsecs": 5}} for k in range(3)]
    message = from_json(
        type_of_ros1(kind), {"joint_names": ["a"], "header": {"stamp": {"secs": 9, "nsecs": 8}}, "points": points}
    )
    there = to_ros2(message_type(kind), message)
    assert there["header"]["stamp"] == {"sec": 9, "nanosec": 8} and there["points"][2]["time_from_start"] == {
        "sec": 2,
        "nanosec": 5,
    }
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
