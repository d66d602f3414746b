"""URDF read whole: every joint type and everything a joint, a link and a transmission can say."""

from collections.abc import Callable
from math import pi
from pathlib import Path

import numpy as np
import pytest

from armillary.description import (
    Box,
    Capsule,
    Cylinder,
    InvalidRobot,
    JointType,
    Mesh,
    Sphere,
    UnknownName,
    UntrustedXacro,
    read_robot,
    read_urdf_text,
)

from ..conftest import ARM

Write = Callable[..., Path]

WHOLE = """<?xml version="1.0"?>
<robot name="whole" version="1.0" xmlns:x="urn:x">
  <material name="red"><color rgba="1 0 0 1"/></material>
  <material name="wood"><texture filename="package://p/wood.png"/></material>
  <link name="root"/>
  <link name="a">
    <inertial><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><mass value="4"/>
      <inertia ixx="1" ixy="0.1" ixz="0.2" iyy="2" iyz="0.3" izz="2.5"/></inertial>
    <visual name="v1"><origin xyz="0 0 1"/><geometry><box size="1 2 3"/></geometry><material name="red"/></visual>
    <visual><geometry><sphere radius="0.5"/></geometry>
      <material name="blue"><color rgba="0 0 1 0.5"/></material></visual>
    <collision name="c1"><geometry><cylinder radius="0.5" length="2"/></geometry></collision>
    <collision><geometry><mesh filename="meshes/part.stl" scale="0.001 0.001 0.001"/></geometry></collision>
  </link>
  <link name="b"/><link name="c"/><link name="d"/><link name="e"/><link name="f"/>
  <joint name="fixed" type="fixed"><parent link="root"/><child link="b"/></joint>
  <joint name="turn" type="revolute">
    <origin xyz="0 0 1" rpy="0 0 1.5"/><parent link="root"/><child link="a"/><axis xyz="0 0.6 0.8"/>
    <limit lower="-1" upper="2" effort="3" velocity="4" acceleration="5" jerk="6"/>
    <dynamics damping="0.7" friction="0.2"/>
    <safety_controller soft_lower_limit="-0.9" soft_upper_limit="1.9" k_position="10" k_velocity="20"/>
    <calibration rising="0.5"/>
  </joint>
  <joint name="wheel" type="continuous"><parent link="a"/><child link="c"/><axis xyz="1 0 0"/>
    <limit effort="1" velocity="2"/></joint>
  <joint name="slide" type="prismatic"><parent link="a"/><child link="d"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="0.5" effort="1" velocity="2"/><mimic joint="turn" multiplier="0.1" offset="0.2"/></joint>
  <joint name="plane" type="planar"><parent link="c"/><child link="e"/><axis xyz="0 0 1"/></joint>
  <joint name="free" type="floating"><parent link="d"/><child link="f"/></joint>
  <transmission name="t1"><type>transmission_interface/SimpleTransmission</type>
    <joint name="turn"><hardwareInterface>hardware_interface/PositionJointInterface</hardwareInterface></joint>
    <actuator name="m1"><mechanicalReduction>50</mechanicalReduction></actuator></transmission>
  <transmission type="pr2/WristTransmission" name="t2">
    <rightActuator name="m2"/><leftActuator name="m3"/><flexJoint name="turn"/><rollJoint name="wheel"/>
    <mechanicalReduction>20</mechanicalReduction></transmission>
  <gazebo reference="a"><mu1>0.2</mu1></gazebo>
  <x:thing kind="other">text &amp; more</x:thing>
</robot>
"""


def test_everything_urdf_can_say_is_read(write: Write) -> None:
    write(b"solid", "meshes/part.stl")
    robot = read_robot(write(WHOLE))
    assert robot.name == "whole"
    assert [joint.type for joint in robot.joints] == [
        JointType.FIXED, JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC, JointType.PLANAR,
        JointType.FLOATING,
    ]  # fmt: skip
    assert robot.dof == 1 + 1 + 3 + 6  # the slide follows the turn
    link = robot.link("a")
    assert link.inertial is not None
    assert (link.inertial.mass, link.inertial.pose.xyz) == (4.0, (1.0, 2.0, 3.0))
    assert np.array_equal(link.inertial.tensor, [[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2.5]])
    assert [type(v.shape) for v in (*link.visuals, *link.collisions)] == [Box, Sphere, Cylinder, Mesh]
    assert [v.material.rgba for v in link.visuals if v.material] == [(1, 0, 0, 1), (0, 0, 1, 0.5)]
    mesh = link.collisions[1].shape
    assert isinstance(mesh, Mesh) and mesh.path is not None and mesh.path.endswith("meshes/part.stl")
    assert mesh.scale == (0.001, 0.001, 0.001)
    turn = robot.joint("turn")
    assert turn.limits is not None and turn.safety is not None and turn.dynamics is not None
    assert (turn.limits.lower, turn.limits.upper, turn.limits.effort, turn.limits.velocity) == (-1, 2, 3, 4)
    assert (turn.limits.acceleration, turn.limits.jerk) == (5, 6)
    assert (turn.safety.soft_lower, turn.safety.k_velocity) == (-0.9, 20)
    assert (turn.dynamics.damping, turn.dynamics.friction) == (0.7, 0.2)
    assert turn.calibration is not None and turn.calibration.rising == 0.5
    slide = robot.joint("slide")
    assert slide.mimic is not None and (slide.mimic.joint, slide.mimic.multiplier, slide.mimic.offset) == (
        "turn",
        0.1,
        0.2,
    )
    assert robot.joint("wheel").range == (-np.inf, np.inf)
    one, two = robot.transmissions
    assert one.actuators[0].reduction == 50 and one.joints[0].interfaces == ("hardware_interface/PositionJointInterface",)
    assert [actuator.name for actuator in two.actuators] == ["m2", "m3"] and two.actuators[0].reduction == 20
    assert [joint.role for joint in two.joints] == ["flexJoint", "rollJoint"]
    assert len(robot.extensions) == 2


def test_a_capsule_and_a_quaternion_of_newer_urdf_are_read() -> None:
    text = ARM.replace("<cylinder", "<capsule").replace('rpy="0 0 0"', 'quat_xyzw="0 0 0.7071067811865476 0.7071067811865476"')
    robot = read_urdf_text(text).unwrap()
    assert isinstance(robot.link("upper").collisions[0].shape, Capsule)
    assert robot.joint("shoulder").pose.rpy == pytest.approx((0, 0, pi / 2))


def test_an_invalid_file_raises_with_its_problems(write: Write) -> None:
    path = write(ARM.replace('mass value="2"', 'mass value="-2"'))
    with pytest.raises(InvalidRobot) as caught:
        read_robot(path)
    assert [problem.kind.name for problem in caught.value.problems] == ["negative-mass"]
    assert f"{path}:7" in str(caught.value) and "armillary check" in str(caught.value)


def test_a_name_that_is_not_there_is_answered_with_the_nearest() -> None:
    robot = read_urdf_text(ARM).unwrap()
    with pytest.raises(UnknownName, match="nearest first, it has: shoulder"):
        robot.joint("sholder")
    with pytest.raises(UnknownName, match="upper, base"):
        robot.link("uper")


def test_chains_and_poses_follow_the_tree() -> None:
    robot = read_urdf_text(ARM).unwrap()
    assert [joint.name for joint in robot.chain("base", "upper")] == ["shoulder"]
    with pytest.raises(UnknownName, match="link above base"):
        robot.chain("upper", "base")
    T = robot.poses({"shoulder": pi / 2})["upper"]
    assert T[:3, 3] == pytest.approx((0, 0, 0.3))
    assert T[:3, 2] == pytest.approx((1, 0, 0), abs=1e-15)  # about y, z turns to x


def test_text_is_read_without_touching_a_file(tmp_path: Path) -> None:
    reading = read_urdf_text(ARM.replace('<cylinder radius="0.05" length="0.2"/>', '<mesh filename="/etc/a.stl"/>'))
    shape = reading.unwrap().link("upper").collisions[0].shape
    assert isinstance(shape, Mesh) and shape.path is None
    assert reading.problems == ()


@pytest.mark.parametrize(
    "text",
    [
        '<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="a" value="1"/></robot>',
        '<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="${1+1}"/></robot>',
        '<robot name="x"><xacro:include filename="/etc/passwd"/></robot>',
    ],
)
def test_xacro_as_text_is_refused(text: str) -> None:
    with pytest.raises(UntrustedXacro, match="local files only"):
        read_urdf_text(text)


def test_a_robot_is_a_plain_value() -> None:
    import pickle

    robot = read_urdf_text(WHOLE).unwrap()
    assert pickle.loads(pickle.dumps(robot)) == robot
    assert hash(robot) == hash(read_urdf_text(WHOLE).unwrap())
    with pytest.raises(AttributeError):
        robot.name = "other"  # type: ignore[misc]
