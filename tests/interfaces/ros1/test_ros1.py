"""A cell as a node of the real ROS 1: a client by the system's rospy and actionlib, rosbag, RViz; and a robot of ROS 1 driven."""

import json
import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import armillary
from armillary.cell import Cell
from armillary.interfaces.ros.spoken import SPOKEN
from armillary.model import frame_poses
from armillary.protocols.ros1_definitions import MESSAGES, SERVICES
from armillary.protocols.ros1_types import full_text
from armillary.runtime import State
from armillary.runtime.prepared import description_of, home_of
from armillary.spatial import rotation_from_quaternion
from tests.drivers.contract.ros1_side import Ros1
from tests.ros1_master import SYSTEM_PYTHON, must_have_ros1, ros1_environment

pytestmark = [pytest.mark.slow, pytest.mark.alone]
HERE = Path(__file__).parent
OURS = str(Path(armillary.__file__).parents[1])  # and not the messages that others import from there
HOME = np.array([0.0, 1.83, -2.18, -1.92, -1.57, 0.0])


@pytest.fixture(scope="module")
def cell() -> Iterator[Cell]:
    must_have_ros1()
    ros1_environment()
    with Cell.open("cobot6", driver="ideal", low_power=True, record=False, patience=1.0, start=HOME) as opened:
        yield opened


def listened_to(pid: int) -> set[str]:
    """The addresses at which a process listens, as /proc has them."""
    sockets = {os.readlink(each) for each in Path(f"/proc/{pid}/fd").iterdir() if each.is_symlink()}
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                found.add(fields[1].partition(":")[0])
    return found


def test_it_listens_to_this_machine_alone_where_its_master_is_here(cell: Cell) -> None:
    environment = {**ros1_environment(), "PYTHONPATH": OURS, "ROS_IP": ""}
    command = [sys.executable, "-m", "armillary.interfaces.cli.main", "ros1", cell.station.folder.name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment) as started:
        assert started.stdout is not None
        said = [started.stdout.readline() for _ in range(3)]
        assert "this machine alone (ROS_IP=127.0.0.1)" in said[1] and "/armillary at" in said[2], said
        assert listened_to(started.pid) == {"0100007F"}
        started.send_signal(signal.SIGINT)
        assert started.wait(20) == 0


@pytest.fixture(scope="module")
def node(cell: Cell) -> Iterator[subprocess.Popen[str]]:
    """`armillary ros1` beside the cell."""
    cell.station.ask("give_control")
    command = [sys.executable, "-m", "armillary.interfaces.cli.main", "ros1", cell.station.folder.name, "--rate", "200"]
    environment = {**ros1_environment(), "PYTHONPATH": OURS}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment) as started:
        assert started.stdout is not None
        said = [started.stdout.readline(), started.stdout.readline()]
        assert "/armillary at" in said[-1], said
        yield started
        started.send_signal(signal.SIGINT)
        assert started.wait(20) == 0, "Ctrl-C ends it, and the cell goes on"
    assert cell.state.state in (State.READY, State.MOVING)


@pytest.mark.usefixtures("node")
def test_a_client_by_rospy(cell: Cell) -> None:
    everything = [[each.name, each.kind, each.way.value, bool(each.rate or each.joints or each.latched)] for each in SPOKEN]
    root = cell.model.spec.robot.root.name
    done = subprocess.run(
        [SYSTEM_PYTHON, str(HERE / "rospy_client.py"), json.dumps(everything), root],
        capture_output=True,
        text=True,
        timeout=120,
        env=ros1_environment(),
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    saw: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert saw["described"].startswith("<robot") and saw["names"] == list(cell.model.joints)
    assert saw["everything"] == everything, "every topic is said or heard, and every service answers"
    T = frame_poses(cell.model, np.array(saw["while"]))
    for frame in ("link_3", "link_6"):
        T_root_frame = np.linalg.inv(T[root]) @ T[frame]
        x, y, z, w = saw["looked_up"][frame][3:]
        assert saw["looked_up"][frame][:3] == pytest.approx(T_root_frame[:3, 3], abs=1e-9), "as tf2 puts them together"
        assert rotation_from_quaternion(np.array([w, x, y, z])) == pytest.approx(T_root_frame[:3, :3], abs=1e-9)
    assert saw["looked_up"]["in odom"] == 1.0
    assert set(saw["frames"]) >= {f"link_{k}" for k in range(1, 7)} and saw["power"] == "ready"
    assert saw["server"] and saw["ended"] and saw["state"] == 3 and saw["code"] == 0 and saw["feedback"] > 3
    assert saw["moved"] == pytest.approx([0.2] * 6, abs=1e-6)
    assert saw["cancelled"] == 2 and saw["stop"]
    assert any("there is no joint 'elbow'" in text for text in saw["refused"])
    assert saw["jogged"] > 0.001 and saw["followed"] < -0.001 and saw["unfollowed"]
    assert any("/cmd_vel: cobot6 has no base that is driven" in text for text in saw["refused"])


@pytest.mark.usefixtures("node")
def test_rosbag_records_and_reads_it(cell: Cell, tmp_path: Path) -> None:
    must_have_ros1("rosbag")
    bag = tmp_path / "one.bag"
    record = ["rosbag", "record", "-O", str(bag), "--duration=3", "/joint_states", "/tf", "/feedback_states", "/diagnostics"]
    with subprocess.Popen(record, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ros1_environment()) as recording:
        goal = cell.state.q + 0.05
        cell.move_joints(goal)
        cell.station.ask("give_control")
        assert recording.wait(60) == 0
    info = subprocess.run(
        ["rosbag", "info", "-y", str(bag)], capture_output=True, text=True, timeout=60, env=ros1_environment(), check=True
    )
    for kind in ("sensor_msgs/JointState", "tf2_msgs/TFMessage", "control_msgs/FollowJointTrajectoryFeedback"):
        assert f"type: {kind}" in info.stdout


def test_messages_have_the_published_sums() -> None:
    """Those that ROS has and those that are made are of the sums that our table says, which has its own test."""
    must_have_ros1()
    ros1_environment()
    from armillary.ros1 import MessagePackages

    packages = MessagePackages()
    assert "control_msgs" in packages.made or Path("/usr/lib/python3/dist-packages/control_msgs").is_dir()
    for kind in MESSAGES:
        if kind.partition("/")[0] == "rosapi":
            continue
        found = packages.message(kind)
        if kind.partition("/")[0] in packages.made:
            assert found._full_text.rstrip("\n") == full_text(kind).rstrip("\n"), "the whole text is genmsg's"
    for kind in SERVICES:
        if kind.partition("/")[0] not in ("rosapi", "file_server"):
            packages.service(kind)


def test_without_a_master_it_says_so(cell: Cell) -> None:
    environment = {**ros1_environment(), "PYTHONPATH": OURS, "ROS_MASTER_URI": "http://127.0.0.1:1"}
    command = [sys.executable, "-m", "armillary.interfaces.cli.main", "ros1", cell.station.folder.name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment, check=False)
    assert (
        done.returncode == 2 and "no ROS master answers at http://127.0.0.1:1" in done.stderr and "Traceback" not in done.stderr
    )


# RViz.


def screen(folder: Path) -> NDArray[np.uint8]:
    """What is on a display of Xvfb, which keeps it in a file of X's own format; shape (height, width, 3)."""
    data = (folder / "Xvfb_screen0").read_bytes()
    head = struct.unpack(">25I", data[:100])
    begin, width, height, line = head[0] + 12 * head[19], head[4], head[5], head[12]
    pixels = np.frombuffer(data, dtype=np.uint8, offset=begin, count=line * height).reshape(height, line)
    return pixels[:, : 4 * width].reshape(height, width, 4)[:, :, 2::-1]


def until(true: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it does not come"
        time.sleep(0.25)


@pytest.mark.usefixtures("node")
def test_rviz_shows_the_robot_moving(cell: Cell, tmp_path: Path) -> None:
    must_have_ros1("rviz", "Xvfb")
    display = f":{70 + os.getpid() % 900}"
    environment = {**ros1_environment(), "DISPLAY": display, "LIBGL_ALWAYS_SOFTWARE": "1", "XDG_RUNTIME_DIR": str(tmp_path)}
    xvfb = ["Xvfb", display, "-screen", "0", "640x480x24", "-fbdir", str(tmp_path), "-nolisten", "tcp"]
    nothing = subprocess.DEVNULL
    with subprocess.Popen(xvfb, stdout=nothing, stderr=nothing) as shown:
        try:
            until(lambda: (tmp_path / "Xvfb_screen0").exists(), 20)
            command = ["rviz", "-d", str(HERE / "rviz.rviz")]
            with subprocess.Popen(command, env=environment, stdout=nothing, stderr=nothing) as rviz:
                try:
                    check_that_it_is_seen_moving(cell, tmp_path)
                finally:
                    rviz.kill()
        finally:
            shown.kill()


def check_that_it_is_seen_moving(cell: Cell, folder: Path) -> None:
    def robot() -> NDArray[np.bool_]:
        """Where in the middle of the window something else than the background is."""
        return np.abs(screen(folder)[80:440, 40:600].astype(int) - 48).max(axis=2) > 40

    def is_drawn() -> bool:
        """Whether all of it is there: nothing changes any more."""
        seen = robot()
        time.sleep(2.0)
        return 0.01 < seen.mean() < 0.6 and bool((robot() == seen).all())

    until(is_drawn, 120)
    before = robot()
    if keep := os.environ.get("ARMILLARY_SCREENSHOTS"):
        np.save(Path(keep) / "rviz.npy", screen(folder))
    cell.move_joints(cell.state.q + np.array([1.2, 0.0, 0.0, 0.0, 0.0, 0.0]))
    until(lambda: bool((robot() != before).mean() > 0.005), 60)
    cell.move_joints(cell.state.q - np.array([1.2, 0.0, 0.0, 0.0, 0.0, 0.0]))
    until(lambda: bool((robot() != before).mean() < 0.002), 60)
    cell.station.ask("give_control")


@pytest.mark.parametrize("kind", ["trajectory", "positions"])
def test_a_robot_of_ros_1_is_driven(tmp_path: Path, kind: str) -> None:
    """The same program on a robot that only speaks ROS: one line in cell.toml."""
    side = Ros1(tmp_path)
    side.kind = kind
    side.home = home_of(description_of("industrial6"), side.model)
    side.away, side.space = side.home + 0.1, f"/driven_{kind}"
    side.start()
    try:
        with Cell.open(
            "industrial6", driver="ros1", options=side.options, low_power=True, recordings=str(tmp_path), patience=1.0
        ) as cell:
            cell.move_joints(side.away)
            until(lambda: bool(np.abs(cell.state.measured - side.away).max() < 1e-4), 10)
            cell.move_joints(side.home)
            side.kill()
            deadline = time.monotonic() + 15.0
            while cell.state.state != State.FAULTED:
                assert time.monotonic() < deadline
                time.sleep(0.05)
            assert f"nothing was said on {side.space}/joint_states" in cell.state.fault or "nobody hears" in cell.state.fault
    finally:
        side.close()
