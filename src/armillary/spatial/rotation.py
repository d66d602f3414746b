"""Rotations as 3 x 3 matrices, and the forms they enter and leave by."""

from collections.abc import Sequence
from math import atan2, cos, hypot, sin, sqrt

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "axis_angle_rotation",
    "is_rotation",
    "quaternion_from_rotation",
    "quaternions_from_rotations",
    "rotation_from_quaternion",
    "rotation_from_rpy",
    "rotation_vector",
    "rpy_from_rotation",
]

Array = NDArray[np.float64]


def rotation_from_rpy(rpy: Sequence[float] | Array) -> Array:
    """Rotation matrix of URDF's roll, pitch, yaw [rad]: R = Rz(yaw) Ry(pitch) Rx(roll)."""
    roll, pitch, yaw = rpy
    cr, sr, cp, sp, cy, sy = cos(roll), sin(roll), cos(pitch), sin(pitch), cos(yaw), sin(yaw)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def rpy_from_rotation(R: Array) -> tuple[float, float, float]:
    """Roll, pitch, yaw [rad] of a rotation; the matrix made from them is the one given.

    At pitch = +-90 degrees they are not unique. Roll is taken from what yaw leaves over, so that the two
    agree with each other however noisy yaw is there.
    """
    yaw = atan2(R[1, 0], R[0, 0])
    cy, sy = cos(yaw), sin(yaw)
    roll = atan2(sy * R[0, 2] - cy * R[1, 2], cy * R[1, 1] - sy * R[0, 1])
    return roll, atan2(-R[2, 0], hypot(R[0, 0], R[1, 0])), yaw


def axis_angle_rotation(axis: Sequence[float] | Array, angle: float) -> Array:
    """Rotation by `angle` [rad] about a unit axis (Rodrigues' formula)."""
    x, y, z = axis
    c, s = cos(angle), sin(angle)
    v = 1.0 - c
    return np.array(
        [
            [x * x * v + c, x * y * v - z * s, x * z * v + y * s],
            [y * x * v + z * s, y * y * v + c, y * z * v - x * s],
            [z * x * v - y * s, z * y * v + x * s, z * z * v + c],
        ]
    )


def rotation_from_quaternion(q: Sequence[float] | Array) -> Array:
    """Rotation matrix of a quaternion (w, x, y, z) of any length but zero."""
    w, x, y, z = q
    n = w * w + x * x + y * y + z * z
    if not n > 0.0:
        raise ValueError("a quaternion of length zero is no rotation; give one with length 1")
    s = 2.0 / n
    return np.array(
        [
            [1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
            [s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)],
            [s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)],
        ]
    )


def quaternion_from_rotation(R: Array) -> Array:
    """Unit quaternion (w, x, y, z) of a rotation, with w >= 0. Shape (4,)."""
    # Shepperd's method: divide by the largest component, never by one near zero.
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    candidates = (trace, R[0, 0], R[1, 1], R[2, 2])
    largest = int(np.argmax(candidates))
    if largest == 0:
        s = sqrt(max(0.0, 1.0 + trace)) * 2.0
        q = (s / 4, (R[2, 1] - R[1, 2]) / s, (R[0, 2] - R[2, 0]) / s, (R[1, 0] - R[0, 1]) / s)
    else:
        i = largest - 1
        j, k = (i + 1) % 3, (i + 2) % 3
        s = sqrt(max(0.0, 1.0 + R[i, i] - R[j, j] - R[k, k])) * 2.0
        parts = [0.0, 0.0, 0.0, 0.0]
        parts[0] = (R[k, j] - R[j, k]) / s
        parts[1 + i] = s / 4
        parts[1 + j] = (R[j, i] + R[i, j]) / s
        parts[1 + k] = (R[k, i] + R[i, k]) / s
        q = (parts[0], parts[1], parts[2], parts[3])
    result = np.array(q)
    return -result if result[0] < 0 else result


def quaternions_from_rotations(R: Array) -> Array:
    """Unit quaternions (w, x, y, z) of rotations (N, 3, 3), with w >= 0. Shape (N, 4)."""
    d = R[:, [0, 1, 2], [0, 1, 2]]
    # Four times the product of each component with each other; the row of the largest component is the best conditioned.
    products = np.empty((len(R), 4, 4))
    products[:, 0, 0] = 1.0 + d.sum(axis=1)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        products[:, i + 1, i + 1] = 1.0 + d[:, i] - d[:, j] - d[:, k]
        products[:, 0, i + 1] = products[:, i + 1, 0] = R[:, k, j] - R[:, j, k]
        products[:, j + 1, k + 1] = products[:, k + 1, j + 1] = R[:, j, k] + R[:, k, j]
    largest = products[:, range(4), range(4)].argmax(axis=1)
    q = products[np.arange(len(R)), largest]
    q = q / np.linalg.norm(q, axis=1, keepdims=True)
    return np.where(q[:, :1] < 0.0, -q, q)


def rotation_vector(R: Array) -> Array:
    """Axis times angle [rad] of a rotation, the angle between 0 and pi. Shape (3,).

    By way of the quaternion, which is exact at small angles and at half a turn alike.
    """
    w, x, y, z = quaternion_from_rotation(R)
    sine = hypot(x, y, z)
    scale = 2.0 if sine < 1e-12 else 2.0 * atan2(sine, w) / sine
    return np.array([x * scale, y * scale, z * scale])


def is_rotation(R: Array, tolerance: float = 1e-9) -> bool:
    """Whether a 3 x 3 array is orthonormal and right-handed; NaN is not."""
    if R.shape != (3, 3):
        return False
    return bool(np.abs(R.T @ R - np.eye(3)).max() <= tolerance and np.linalg.det(R) > 0)
