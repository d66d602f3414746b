"""Recordings as bags of ROS, and back: the same messages at the same times, and rosbag itself opens them."""

import importlib
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from armillary.cell import Cell
from armillary.interfaces.cli.main import main
from armillary.interfaces.ros.bags import BadBag, Converted, LeftOut, convert
from armillary.runtime.recording import Recording
from tests.ros1_master import SYSTEM_PYTHON, must_have_ros1

pytest.importorskip("rosbags", reason="rosbags is not installed (pip install armillary[dev])")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recordings")
    with Cell.open("cobot6", driver="ideal", pace="lock_step", recordings=str(folder)) as cell:
        cell.move_joints(cell.state.q + 0.1)
        cell.move_joints(cell.state.q - 0.1)
    return next(folder.rglob("*.mcap"))


def same(first: Recording, second: Recording) -> None:
    assert first.about == second.about and np.array_equal(first.time, second.time)
    for name in ("q", "v", "a", "measured_q", "measured_v"):
        assert np.array_equal(getattr(first, name), getattr(second, name), equal_nan=True), name
    assert first.events == second.events and len(first.events) > 0


@pytest.mark.parametrize("name", ["there.bag", "there"])
def test_there_and_back(recorded: Path, tmp_path: Path, name: str) -> None:
    there = convert(recorded, tmp_path / name)
    assert convert(tmp_path / name, tmp_path / "back.mcap") == there == Converted(there.messages) and there.messages > 1000
    same(Recording.open(recorded), Recording.open(tmp_path / "back.mcap"))


def test_rosbag_itself_opens_it(recorded: Path, tmp_path: Path) -> None:
    must_have_ros1("rosbag")
    convert(recorded, tmp_path / "one.bag")
    code = """
import json, rosbag, sys
with rosbag.Bag(sys.argv[1]) as bag:
    topics = {name: info.msg_type for name, info in bag.get_type_and_topic_info()[1].items()}
    states = [message.position[0] for _, message, _ in bag.read_messages("/joint_states")]
    print(json.dumps([topics, states]))
"""
    done = subprocess.run(
        [SYSTEM_PYTHON, "-c", code, str(tmp_path / "one.bag")], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    topics, states = json.loads(done.stdout)
    states = [value for value in states if value == value]  # before it was powered nobody knew where it is
    assert topics["/joint_states"] == "sensor_msgs/JointState" and topics["/tf"] == "tf2_msgs/TFMessage"
    assert max(states) - min(states) == pytest.approx(0.1, abs=1e-3)


def test_what_cannot_be_converted_is_said(recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(BadBag, match="there is no such file"):
        convert(tmp_path / "none.mcap", tmp_path / "x.bag")
    with pytest.raises(BadBag, match="is a recording as"):
        convert(recorded, tmp_path / "x.mcap")
    (tmp_path / "there.bag").write_bytes(b"x")
    with pytest.raises(BadBag, match="is there already"):
        convert(recorded, tmp_path / "there.bag")
    with pytest.raises(BadBag, match=r"there\.bag"):
        convert(tmp_path / "there.bag", tmp_path / "y.mcap")
    (tmp_path / "other.mcap").write_bytes(b"no mcap")
    with pytest.raises(BadBag, match="does not begin as an MCAP"):
        convert(tmp_path / "other.mcap", tmp_path / "y")
    assert main(["convert", str(tmp_path / "none.mcap"), "y.bag"]) == 2
    assert "there is no such file" in capsys.readouterr().err


def foreign(folder: Path, version: int) -> Path:
    """A bag with a topic of a type that is none of ours."""
    types = importlib.import_module("rosbags.typesys")
    store = types.get_typestore(types.Stores.ROS1_NOETIC if version == 1 else types.Stores.ROS2_JAZZY)
    path = folder / ("foreign.bag" if version == 1 else "foreign")
    bags = importlib.import_module(f"rosbags.rosbag{version}")
    written = store.serialize_ros1 if version == 1 else store.serialize_cdr
    with bags.Writer(path) if version == 1 else bags.Writer(path, version=9) as bag:
        for topic, kind, count in (("/n", "std_msgs/msg/Int32", 5), ("/s", "std_msgs/msg/String", 1)):
            connection = bag.add_connection(topic, kind, typestore=store)
            for k in range(count):
                bag.write(connection, k + 1, written(store.types[kind](data=k if kind.endswith("32") else "x"), kind))
    return path


@pytest.mark.parametrize("version", [1, 2])
def test_what_is_left_out_is_said(tmp_path: Path, version: int, capsys: pytest.CaptureFixture[str]) -> None:
    bag = foreign(tmp_path, version)
    assert convert(bag, tmp_path / "one.mcap") == Converted(1, (LeftOut("/n", "std_msgs/msg/Int32", 5),))
    assert main(["convert", str(bag), str(tmp_path / "two.mcap")]) == 0
    assert "left out: 5 messages of /n, whose type std_msgs/msg/Int32 is not known here" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["half.bag", "half"])
def test_what_fails_leaves_nothing_behind(recorded: Path, tmp_path: Path, name: str) -> None:
    def fails(count: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        convert(recorded, tmp_path / name, progress=fails)
    cut = tmp_path / "cut.bag"
    convert(recorded, cut)
    cut.write_bytes(cut.read_bytes()[:-5000])
    with pytest.raises(BadBag):
        convert(cut, tmp_path / "half.mcap")
    assert [path.name for path in tmp_path.iterdir()] == ["cut.bag"]
