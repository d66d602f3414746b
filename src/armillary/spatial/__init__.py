"""Rotations and rigid transforms as plain NumPy arrays.

A transform is a 4 x 4 array named `T_parent_child`; a rotation is its upper left 3 x 3 block; roll, pitch
and yaw are URDF's, R = Rz(yaw) Ry(pitch) Rx(roll); quaternions are (w, x, y, z).
"""

from armillary.spatial.rotation import (
    axis_angle_rotation,
    is_rotation,
    quaternion_from_rotation,
    quaternions_from_rotations,
    rotation_from_quaternion,
    rotation_from_rpy,
    rotation_vector,
    rpy_from_rotation,
)
from armillary.spatial.transform import between, inverse, is_transform, transform, transform_from_xyz_rpy

__all__ = [
    "axis_angle_rotation",
    "between",
    "inverse",
    "is_rotation",
    "is_transform",
    "quaternion_from_rotation",
    "quaternions_from_rotations",
    "rotation_from_quaternion",
    "rotation_from_rpy",
    "rotation_vector",
    "rpy_from_rotation",
    "transform",
    "transform_from_xyz_rpy",
]
