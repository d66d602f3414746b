"""Paper 3's table I beside the truth of TIAGo's URDF: how far apart they are, and why."""

import numpy as np
import pytest
from numpy.typing import NDArray

from armillary.description import DhRow, dh_transform, read_robot
from armillary.description.library import extra_robots_folder
from armillary.spatial import inverse, transform

pytestmark = pytest.mark.skipif(extra_robots_folder() is None, reason="the extra 'robots' is not installed")
Array = NDArray[np.float64]
H = np.pi / 2

# a, alpha, d of the seven rows, as printed ("mm" is metres, 1.57 is a quarter turn).
PRINTED = [
    (0.15505, 0.0, -0.151), (0.125, H, -0.0165), (0.0, -H, -0.0895), (0.02, H, -0.027), (0.02, -H, 0.162), (0.0, H, 0.0),
    (0.0, -H, 0.0),
]  # fmt: skip
# The same rows worked out from the URDF, with the constant part of each angle.
TRUE = [
    (0.15505, 0.0, -0.182, -H), (0.125, H, -0.015, H), (0.0, -H, -0.3115, -np.pi), (0.02, H, 0.0, -np.pi), (0.02, -H, 0.312, H),
    (0.0, H, 0.0, 0.0), (0.0, -H, 0.0, -np.pi),
]  # fmt: skip
T_TORSO_FRAME0 = transform(np.eye(3), (0.0, 0.014, 0.0))


def product(rows: list[DhRow], q: Array, *, modified: bool) -> Array:
    T = T_TORSO_FRAME0
    for row, value in zip(rows, q, strict=True):
        T = T @ dh_transform(row, value, modified=modified)
    return T


def errors(rows: list[DhRow], *, modified: bool) -> Array:
    """Distance of the last frame from the URDF's arm_7_link over random configurations [m]."""
    robot = read_robot("tiago")
    joints = [robot.joint(f"arm_{i}_joint") for i in range(1, 8)]
    rng = np.random.default_rng(1)
    found = []
    for q in rng.uniform([j.range[0] for j in joints], [j.range[1] for j in joints], (200, 7)):
        poses = robot.poses({joint.name: value for joint, value in zip(joints, q, strict=True)})
        truth = inverse(poses["torso_lift_link"]) @ poses["arm_7_link"]
        found.append(np.linalg.norm(product(rows, q, modified=modified)[:3, 3] - truth[:3, 3]))
    return np.array(found)


def test_the_true_table_is_the_urdf() -> None:
    rows = [DhRow("j", a, alpha, d, theta) for a, alpha, d, theta in TRUE]
    assert errors(rows, modified=True).max() < 1e-10


def test_the_printed_table_leaves_out_the_upper_arm_and_the_forearm() -> None:
    missing = [round(printed[2] - true[2], 4) for printed, true in zip(PRINTED, TRUE, strict=True)]
    assert missing == [0.031, -0.0015, 0.222, -0.027, -0.15, 0.0, 0.0]
    assert [printed[:2] for printed in PRINTED] == [true[:2] for true in TRUE]  # lengths and twists are right


def test_the_printed_table_is_a_third_of_a_metre_off_and_its_matrix_further() -> None:
    rows = [DhRow("j", a, alpha, d, true[3]) for (a, alpha, d), true in zip(PRINTED, TRUE, strict=True)]
    as_modified, as_printed = errors(rows, modified=True), errors(rows, modified=False)
    assert 0.2 < as_modified.mean() < 0.4
    assert as_printed.mean() > 0.4  # eq. (2) is the standard matrix, for a table that is read as modified
