"""Rigid transforms as 4 x 4 matrices, named `T_parent_child`."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from armillary.spatial.rotation import axis_angle_rotation, is_rotation, rotation_from_rpy, rotation_vector

__all__ = ["between", "inverse", "is_transform", "transform", "transform_from_xyz_rpy"]

Array = NDArray[np.float64]


def transform(R: Array, p: Sequence[float] | Array) -> Array:
    """Transform of a rotation R_parent_child (3, 3) and the child's origin p_parent_child (3,) [m]."""
    T = np.eye(4)
    T[:3, :3] = R
    T[:3, 3] = p
    return T


def transform_from_xyz_rpy(xyz: Sequence[float] | Array, rpy: Sequence[float] | Array) -> Array:
    """Transform as URDF writes it: child's origin [m] and roll, pitch, yaw [rad] in the parent."""
    return transform(rotation_from_rpy(rpy), xyz)


def inverse(T_parent_child: Array) -> Array:
    """T_child_parent, by transposing the rotation (exact for rigid transforms). Shape (..., 4, 4)."""
    result = np.zeros_like(T_parent_child)
    R_t = np.swapaxes(T_parent_child[..., :3, :3], -1, -2)
    result[..., :3, :3] = R_t
    result[..., :3, 3] = -(R_t @ T_parent_child[..., :3, 3, None])[..., 0]
    result[..., 3, 3] = 1.0
    return result


def between(T_from: Array, T_to: Array, share: float) -> Array:
    """The pose a share (0 to 1) of the way: the origin on a straight line, the rotation about one axis, the shorter way."""
    turn = rotation_vector(T_to[:3, :3] @ T_from[:3, :3].T)
    angle = float(np.linalg.norm(turn))
    R = axis_angle_rotation(turn / angle, angle * share) if angle > 0.0 else np.eye(3)
    return transform(R @ T_from[:3, :3], T_from[:3, 3] + share * (T_to[:3, 3] - T_from[:3, 3]))


def is_transform(T: Array, tolerance: float = 1e-9) -> bool:
    """Whether a 4 x 4 array is a rigid transform; NaN is not."""
    if T.shape != (4, 4) or not np.isfinite(T).all():
        return False
    return is_rotation(T[:3, :3], tolerance) and bool((T[3] == (0.0, 0.0, 0.0, 1.0)).all())
