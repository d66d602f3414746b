"""The robots in the box: sound, symmetric where they should be, and just as the papers say."""

from itertools import pairwise
from math import pi

import numpy as np
import pytest

from armillary.description import JointType, Mesh, check_robot, read_robot
from armillary.description.library import BUNDLED

PAPER_2 = [
    ((0, 0, 0.23), (0, 0, 1)), ((0, 0.2, 0.449), (1, 0, 0)), ((0, 0, 0.890), (1, 0, 0)),
    ((0, 0.4369, 0.195), (0, -1, 0)), ((0, 0.1995, 0), (1, 0, 0)), ((0, 0.238, 0), (0, -1, 0)),
]  # fmt: skip
PAPER_5 = [
    (0, 0, 0.1235),
    (0, pi / 2, 0),
    (0.436, 0, 0.0325),
    (0.436, pi, 0.1364),
    (0, -pi / 2, 0.1364),
    (0, pi / 2, 0.0864),
]


@pytest.mark.parametrize("name", list(BUNDLED))
def test_a_bundled_robot_has_no_problems_and_no_meshes(name: str) -> None:
    reading = check_robot(name)
    robot = reading.unwrap()
    assert [str(problem) for problem in reading.problems if problem.kind.severity.rank < 2] == []
    for link in robot.links:
        assert not any(isinstance(geometry.shape, Mesh) for geometry in (*link.visuals, *link.collisions))
        if link.visuals:
            assert link.collisions or link.inertial is not None, link.name
    for joint in robot.independent:
        assert joint.limits is not None and joint.limits.velocity and joint.limits.effort, joint.name
        assert joint.dynamics is not None, joint.name


def test_cobot6_is_paper_5s_modified_dh_table() -> None:
    joints = read_robot("cobot6").chain("base", "link_6")
    for joint, (a, alpha, d) in zip(joints, PAPER_5, strict=True):
        assert joint.pose.xyz == pytest.approx((a, -np.sin(alpha) * d, np.cos(alpha) * d), abs=1e-15)
        assert joint.pose.rpy == (alpha, 0.0, 0.0)
        assert joint.axis == (0.0, 0.0, 1.0)


def test_cobot6_stands_high_enough_for_poses_below_its_base() -> None:
    robot = read_robot("cobot6")
    assert robot.poses()["base"][2, 3] >= 0.6


def test_industrial6_is_paper_2s_figure_5() -> None:
    robot = read_robot("industrial6")
    for joint, (xyz, axis) in zip(robot.chain("base", "link_6"), PAPER_2, strict=True):
        assert (joint.pose.xyz, joint.pose.rpy, joint.axis) == (xyz, (0, 0, 0), axis)
    assert robot.poses()["link_6"][:3, 3] == pytest.approx((0, 1.0744, 1.764))


def test_mobile6_has_a_spherical_wrist_tracks_and_a_gripper_that_mimics() -> None:
    robot = read_robot("mobile6")
    T = robot.poses()
    assert T["link_5"][:3, 3] == pytest.approx(T["link_6"][:3, 3])
    assert [joint.type for joint in robot.joints if "track" in joint.name] == [JointType.CONTINUOUS] * 2
    mimic = robot.joint("finger_right_joint").mimic
    assert mimic is not None and mimic.joint == "finger_left_joint"


def test_inmoov_has_29_degrees_of_freedom_of_which_22_are_controlled() -> None:
    from armillary.description import open_cell

    robot = read_robot("inmoov")
    assert robot.dof == 29
    groups = {group.name: group.joints for group in open_cell("inmoov").cell.groups}
    assert len(groups["controlled"]) == 22
    per_side = [name for name in groups["controlled"] if name.startswith("r_")]
    assert len(per_side) == 10


def test_inmoovs_left_arm_is_the_mirror_of_its_right() -> None:
    robot = read_robot("inmoov")
    mirror = np.diag([1.0, -1.0, 1.0])
    rng = np.random.default_rng(0)
    sign = {"shoulder_out": -1, "shoulder_lift": 1, "upper_arm_roll": -1, "elbow_flex": 1, "wrist_roll": -1}
    for q in rng.uniform(-1, 1, (20, 5)):
        right = {f"r_{name}_joint": value for name, value in zip(sign, q, strict=True)}
        left = {f"l_{name}_joint": s * value for (name, s), value in zip(sign.items(), q, strict=True)}
        T = robot.poses({**right, **left})
        assert np.abs(mirror @ T["r_palm"][:3, 3] - T["l_palm"][:3, 3]).max() < 1e-12


def test_inmoovs_followers_stay_inside_their_own_ranges() -> None:
    robot = read_robot("inmoov")
    for joint in robot.movable:
        if joint.mimic is not None:
            driver = robot.joint(joint.mimic.joint)
            for end in driver.range:
                value = joint.mimic.multiplier * end + joint.mimic.offset
                assert joint.range[0] - 1e-9 <= value <= joint.range[1] + 1e-9, joint.name


def test_inmoovs_hands_can_be_left_out() -> None:
    assert read_robot("inmoov", args={"hands": "false"}).dof == 19


def test_the_fingers_bend_joint_by_joint() -> None:
    robot = read_robot("inmoov")
    tips = [robot.poses({"r_index_joint": q})["r_palm"] for q in (0.0, 1.0)]
    assert np.array_equal(tips[0], tips[1])  # the palm does not move with a finger
    links = [joint.child for joint in robot.joints if joint.name.startswith("r_index")]
    straight, bent = (robot.poses({"r_index_joint": q}) for q in (0.0, 1.0))
    moved = [float(np.linalg.norm(straight[link][:3, 3] - bent[link][:3, 3])) for link in links]
    assert all(a <= b + 1e-9 for a, b in pairwise(moved))
