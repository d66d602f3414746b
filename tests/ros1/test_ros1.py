"""ROS 1's own parts, where the system has them: messages that several processes make at once, and who is listened to."""

import subprocess
import sys
from pathlib import Path

import pytest

from armillary.ros1 import stay_on_this_machine
from tests.ros1_master import must_have_ros1

MAKE = """
import sys
from pathlib import Path
from armillary.ros1 import MessagePackages, import_rospy
import_rospy()
packages = MessagePackages(Path(sys.argv[1]))
print(packages.message("control_msgs/FollowJointTrajectoryActionGoal")._md5sum)
"""


@pytest.mark.slow
def test_messages_that_are_made_at_once_are_made_once_and_whole(tmp_path: Path) -> None:
    must_have_ros1()
    command = [sys.executable, "-c", MAKE, str(tmp_path / "messages")]
    several = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    said = [each.communicate(timeout=240) for each in several]
    assert [each.returncode for each in several] == [0] * 4, said
    assert len({out for out, _ in said}) == 1
    assert not [path for path in (tmp_path / "messages").iterdir() if path.name.startswith(".new")]


@pytest.mark.parametrize(
    ("environment", "alone"),
    [
        ({}, True),
        ({"ROS_MASTER_URI": "http://127.0.0.1:11400"}, True),
        ({"ROS_MASTER_URI": "http://localhost:11311/"}, True),
        ({"ROS_MASTER_URI": "http://robot.example:11311"}, False),
        ({"ROS_IP": "192.168.1.5"}, False),
        ({"ROS_HOSTNAME": "cell"}, False),
    ],
)
def test_a_node_whose_master_is_here_stays_here(
    environment: dict[str, str], alone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    for name in ("ROS_MASTER_URI", "ROS_IP", "ROS_HOSTNAME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("ROS_IP", environment.get("ROS_IP", ""))  # so that it is put back
    assert stay_on_this_machine() is alone
