"""Our definitions of ROS 1's types have the sums that their owners publish: so both ends mean the same."""

import json
import shutil
import subprocess

import pytest
from rosbags.typesys import Stores, get_typestore

from armillary.protocols.ros1_definitions import MESSAGES, SERVICES
from armillary.protocols.ros1_types import UnknownRos1Type, md5sum, ros1_type, service_md5sum, service_types
from armillary.protocols.ros_types import Shape

# As the projects publish them, for those that neither Debian nor rosbags has.
PUBLISHED = {
    "control_msgs/JointTolerance": "f544fe9c16cf04547e135dd6063ff5be",
    "control_msgs/FollowJointTrajectoryGoal": "69636787b6ecbde4d61d711979bc7ecb",
    "control_msgs/FollowJointTrajectoryResult": "493383b18409bfb604b4e26c676401d2",
    "control_msgs/FollowJointTrajectoryFeedback": "10817c60c2486ef6b33e97dcd87f4474",
    "control_msgs/FollowJointTrajectoryAction": "bc4f9b743838566551c0390c65f1a248",
    "control_msgs/GripperCommand": "680acaff79486f017132a7f198d40f08",
    "control_msgs/GripperCommandAction": "950b2a6ebe831f5d4f4ceaba3d8be01e",
    "control_msgs/JointControllerState": "987ad85e4756f3aef7f1e5e7fe0595d1",
    "control_msgs/JointJog": "1685da700c8c2e1254afc92a5fb89c96",
    "control_msgs/JointTrajectoryAction": "a04ba3ee8f6a2d0985a6aeaf23d9d7ad",
    "control_msgs/PidState": "b138ec00e886c10e73f27e8712252ea6",
    "control_msgs/PointHeadAction": "7252920f1243de1b741f14f214125371",
    "control_msgs/SingleJointPositionAction": "c4a786b7d53e5d0983decf967a5a779e",
    "actionlib_tutorials/FibonacciAction": "f59df5767bf7634684781c92598b2406",
    "industrial_msgs/RobotStatus": "b733cb45a38101840b75c4c0d6093d19",
    "std_srvs/Empty": "d41d8cd98f00b204e9800998ecf8427e",
    "std_srvs/Trigger": "937c9679a518e3a18d831e57125ea522",
    "std_srvs/SetBool": "09fb03525b03e7ea1fd3992bafd87e16",
}
ASKS_DEBIAN = """
import importlib, json, sys
found = {}
for name in json.load(sys.stdin):
    package, short = name.split("/")
    for kind in ("msg", "srv"):
        try:
            found[name] = getattr(importlib.import_module(f"{package}.{kind}"), short)._md5sum
        except (ImportError, AttributeError):
            pass
json.dump(found, sys.stdout)
"""


def ours(name: str) -> str:
    return service_md5sum(name) if name in SERVICES else md5sum(name)


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_sums_are_those_that_are_published(name: str) -> None:
    assert ours(name) == PUBLISHED[name]


def test_the_sums_are_those_of_rosbags() -> None:
    store = get_typestore(Stores.ROS1_NOETIC)
    known = {name: name.replace("/", "/msg/") for name in MESSAGES if name.replace("/", "/msg/") in store.fielddefs}
    assert len(known) > 25 and {"nav_msgs/Odometry", "trajectory_msgs/JointTrajectory"} <= set(known)
    for name, theirs in known.items():
        assert md5sum(name) == store.generate_msgdef(theirs)[1], name


def test_the_sums_are_those_of_debians_ros() -> None:
    if shutil.which("roscore") is None:
        pytest.skip("there is no ROS 1; make peers installs it")
    names = [*MESSAGES, *SERVICES]
    told = subprocess.run(
        ["/usr/bin/python3", "-c", ASKS_DEBIAN], input=json.dumps(names), capture_output=True, text=True, check=True
    )
    found = json.loads(told.stdout)
    assert {"std_msgs/Header", "sensor_msgs/JointState", "tf2_msgs/TFMessage"} <= set(found)
    assert {name: ours(name) for name in found} == found


def test_fields_have_kinds_that_can_be_looked_up() -> None:
    goal = ros1_type("control_msgs/FollowJointTrajectoryGoal")
    assert [(field.name, field.kind, field.shape) for field in goal.fields] == [
        ("trajectory", "trajectory_msgs/JointTrajectory", Shape.ONE),
        ("path_tolerance", "control_msgs/JointTolerance", Shape.SEQUENCE),
        ("goal_tolerance", "control_msgs/JointTolerance", Shape.SEQUENCE),
        ("goal_time_tolerance", "duration", Shape.ONE),
    ]
    assert ros1_type("std_msgs/Header").fields[1].kind == "time"
    asked, answered = service_types("std_srvs/SetBool")
    assert [field.name for field in asked.fields] == ["data"] and [field.kind for field in answered.fields] == ["bool", "string"]


def test_what_is_not_there_is_said() -> None:
    with pytest.raises(UnknownRos1Type, match="there is no ROS 1 type 'std_msgs/Nothing' here"):
        ros1_type("std_msgs/Nothing")
    with pytest.raises(UnknownRos1Type, match="those known of std_srvs are: std_srvs/Empty, std_srvs/SetBool, std_srvs/Trigger"):
        service_types("std_srvs/Nothing")
