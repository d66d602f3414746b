from math import pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armillary.spatial import (
    axis_angle_rotation,
    is_rotation,
    quaternion_from_rotation,
    rotation_from_quaternion,
    rotation_from_rpy,
    rpy_from_rotation,
)

angle = st.floats(-10, 10, allow_nan=False)
# Around the poles, where roll and yaw run together and rounding bites.
pitch = st.one_of(angle, st.builds(lambda s, e: s * pi / 2 + e, st.sampled_from([-1, 1]), st.floats(-1e-7, 1e-7)))


@given(roll=angle, pitch=pitch, yaw=angle)
def test_rpy_of_a_rotation_makes_that_rotation_again(roll: float, pitch: float, yaw: float) -> None:
    R = rotation_from_rpy((roll, pitch, yaw))
    assert np.abs(rotation_from_rpy(rpy_from_rotation(R)) - R).max() < 1e-14


@given(roll=angle, pitch=angle, yaw=angle)
def test_rpy_turns_about_x_then_y_then_z_of_the_parent(roll: float, pitch: float, yaw: float) -> None:
    x, y, z = np.eye(3)
    product = axis_angle_rotation(z, yaw) @ axis_angle_rotation(y, pitch) @ axis_angle_rotation(x, roll)
    assert np.abs(rotation_from_rpy((roll, pitch, yaw)) - product).max() < 1e-14


@given(roll=angle, pitch=pitch, yaw=angle)
def test_a_quaternion_makes_the_rotation_it_came_from(roll: float, pitch: float, yaw: float) -> None:
    R = rotation_from_rpy((roll, pitch, yaw))
    q = quaternion_from_rotation(R)
    assert q[0] >= 0
    assert abs(np.linalg.norm(q) - 1) < 1e-12
    assert np.abs(rotation_from_quaternion(q) - R).max() < 1e-12


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1)])
def test_half_turns_have_a_quaternion(axis: tuple[float, float, float]) -> None:
    R = axis_angle_rotation(axis, pi)
    assert np.abs(rotation_from_quaternion(quaternion_from_rotation(R)) - R).max() < 1e-12


def test_a_quaternion_of_length_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="length zero"):
        rotation_from_quaternion((0, 0, 0, 0))


def test_mirrors_stretches_and_nan_are_no_rotations() -> None:
    assert is_rotation(np.eye(3))
    assert not is_rotation(np.diag([1.0, 1.0, -1.0]))
    assert not is_rotation(np.diag([1.0, 1.0, 1.1]))
    assert not is_rotation(np.full((3, 3), np.nan))
    assert not is_rotation(np.eye(4))
