"""A robot's table for LinuxCNC's serial kinematics (genserkins): modified DH rows, from the model's joint axes.

Frame i lies on axis i with its x along the common normal towards the next axis; the last is the tool's own frame. Base and tool
must be met exactly, for genserkins knows neither: what the table says is compared with the model before it is given out.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import atan2, cos, sin

import numpy as np
from numpy.typing import NDArray

from armillary.interfaces.linuxcnc.errors import LinuxcncProblem
from armillary.model import Model, frame_jacobian, frame_pose
from armillary.model.kinematics import Reference
from armillary.motion import tool_pose

__all__ = ["NoSerialTable", "SerialRow", "SerialTable", "serial_table"]

Array = NDArray[np.float64]
JOINTS = 6  # that genserkins solves for
_SAME = 1e-9  # m, and of a direction's length
_EXACT = 1e-7  # m, and of a rotation's entries: by which table and model may differ


class NoSerialTable(LinuxcncProblem):
    """A robot that genserkins cannot describe; says why."""


@dataclass(frozen=True, slots=True)
class SerialRow:
    """One row: T(i-1, i) = Rx(alpha) Tx(a) Rz(theta) Tz(d), theta being LinuxCNC's joint."""

    a: float  # [m]
    alpha: float  # [rad]
    d: float  # [m]

    def transform(self, theta: float) -> Array:
        """Shape (4, 4), at a joint's angle [rad]."""
        ca, sa, ct, st = cos(self.alpha), sin(self.alpha), cos(theta), sin(theta)
        return np.array([
            [ct, -st, 0.0, self.a],
            [st * ca, ct * ca, -sa, -sa * self.d],
            [st * sa, ct * sa, ca, ca * self.d],
            [0.0, 0.0, 0.0, 1.0],
        ])  # fmt: skip


@dataclass(frozen=True)
class SerialTable:
    """Rows from the base to the tool, and how LinuxCNC's joints follow from ours: theta = sign q + offset.

    Attributes:
        signs: 1 or -1 for each joint.
        offsets: [rad], for each joint.
    """

    rows: tuple[SerialRow, ...]
    signs: tuple[float, ...]
    offsets: tuple[float, ...]

    def forward(self, q: Array) -> Array:
        """The tool's pose in the model's reference frame at our joint positions, shape (4, 4)."""
        T = np.eye(4)
        for row, sign, offset, value in zip(self.rows, self.signs, self.offsets, q, strict=True):
            T = T @ row.transform(sign * float(value) + offset)
        return T


def serial_table(model: Model) -> SerialTable:
    """The table of a robot with six turning joints in a row.

    Raises:
        NoSerialTable: It has others, or its base or tool cannot be met exactly.
    """
    if model.n != JOINTS:
        raise NoSerialTable(f"genserkins wants {JOINTS} turning joints, and the robot has {model.n}; give --joint-mode")
    if not model.tip:
        raise NoSerialTable("the robot has no tool frame to give poses of; name one in its cell, or give --joint-mode")
    frames, signs = _frames(model)
    rows, offsets = [], []
    for before, after in pairwise(frames):
        T = np.linalg.inv(before) @ after
        alpha, theta = atan2(-T[1, 2], T[2, 2]), atan2(-T[0, 1], T[0, 0])
        d = -T[1, 3] * sin(alpha) + T[2, 3] * cos(alpha)
        rows.append(SerialRow(_clean(float(T[0, 3])), _clean(alpha), _clean(float(d))))
        offsets.append(_clean(theta))
    table = SerialTable(tuple(rows), tuple(signs), tuple(offsets))
    _compare(table, model)
    return table


def _frames(model: Model) -> tuple[list[Array], list[float]]:
    """The base's frame, and one on each axis at zero, the last being the tool's; and which way each joint turns."""
    axes, points = _axes(model)
    tip = tool_pose(model, model.zero(), base=model.reference)
    signs = [1.0] * model.n
    if axes[-1] @ tip[:3, 2] < 0.0:
        axes[-1], signs[-1] = -axes[-1], -1.0
    frames = [np.eye(4)]
    for i in range(model.n - 1):
        x, origin = _normal(points[i], axes[i], points[i + 1], axes[i + 1], frames[-1])
        T = np.eye(4)
        T[:3, 0], T[:3, 1], T[:3, 2], T[:3, 3] = x, np.cross(axes[i], x), axes[i], origin
        frames.append(T)
    return [*frames, tip], signs


def _axes(model: Model) -> tuple[Array, Array]:
    """Directions of the joints' axes at zero, and a point on each, in the reference frame: shape (n, 3) each."""
    q = model.zero()
    J = frame_jacobian(model, q, model.tip, reference=Reference.MIXED)
    if np.abs(np.linalg.norm(J[3:], axis=0) - 1.0).max() > _SAME:
        raise NoSerialTable("genserkins knows turning joints alone, and one of the robot's slides; give --joint-mode")
    T_world_base = frame_pose(model, q, model.reference) if model.reference else np.eye(4)
    R = T_world_base[:3, :3]
    axes = (R.T @ J[3:]).T
    tip = tool_pose(model, q, base=model.reference)[:3, 3]
    points = tip - np.cross((R.T @ J[:3]).T, axes)
    return axes, points


def _normal(p: Array, z: Array, p_next: Array, z_next: Array, before: Array) -> tuple[Array, Array]:
    """The common normal of two axes: its direction, and where it meets the first. Where it is free, as near to the one before."""
    cross = np.cross(z, z_next)
    size = float(np.linalg.norm(cross))
    between = p_next - p
    if size > _SAME:
        x = cross / size
        along = float(np.dot(np.cross(between, z_next), cross)) / size**2
        if between @ x < -_SAME or (abs(between @ x) <= _SAME and before[:3, 0] @ x < 0.0):
            x = -x
        return x, p + along * z
    here = p + float((before[:3, 3] - p) @ z) * z  # parallel: no offset along this axis
    across = between - float(between @ z) * z
    length = float(np.linalg.norm(across))
    if length > _SAME:
        return across / length, here
    x = before[:3, 0] - float(before[:3, 0] @ z) * z  # one behind the other
    if np.linalg.norm(x) <= _SAME:
        x = before[:3, 1] - float(before[:3, 1] @ z) * z
    return x / np.linalg.norm(x), here


def _compare(table: SerialTable, model: Model) -> None:
    rng = np.random.default_rng(0)
    worst = 0.0
    for q in rng.uniform(-np.pi, np.pi, (20, model.n)):
        worst = max(worst, float(np.abs(table.forward(q) - tool_pose(model, q, base=model.reference)).max()))
    if worst > _EXACT:
        raise NoSerialTable(
            f"no DH table gives this robot's tool in '{model.reference or 'world'}' exactly (one is {worst:.3g} m off): its "
            "base or its tool is turned or set aside; give --joint-mode, or a tool frame along the last axis"
        )


def _clean(value: float) -> float:
    """Rounding of the way round by matrices taken off: 1e-12 m or rad."""
    found = round(value, 12)
    for exact in (0.0, np.pi / 2, -np.pi / 2, np.pi, -np.pi):
        if abs(value - exact) < 1e-11:
            return float(exact)
    return found
