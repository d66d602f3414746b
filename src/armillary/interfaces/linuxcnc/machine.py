"""A robot as LinuxCNC's machine: its joints and axes in degrees and millimetres."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from armillary.interfaces.linuxcnc.errors import LinuxcncProblem
from armillary.interfaces.linuxcnc.serial_table import NoSerialTable, SerialTable, serial_table
from armillary.model import Model
from armillary.motion import MotionLimits

__all__ = ["LETTERS", "Machine", "MachineJoint", "machine_of"]

Array = NDArray[np.float64]
LETTERS = "XYZABCUVW"  # of LinuxCNC's axes, in its order
_ENDLESS = 36_000.0  # degrees or mm: the range of a joint that has no end
_LATE = 0.1  # s that a joint may be behind LinuxCNC's command: way there and back, filter and motors
_STILL = 2.0  # degrees or mm that it may be off when slow: LinuxCNC knows no jerk, and the robot takes up speed by it
_SLOW = 0.2  # of a joint's highest speed: a pause that is borne is borne at this speed whatever LinuxCNC's own is
# Of a joint's acceleration, what LinuxCNC may use: it takes it up at once, and the robot by its jerk. What is left lets the robot
# keep up: at a tenth it is 0.1 degrees behind, and past the end, at worst; at all of it, by more than the way itself.
_EASY = 0.1
_TOOL_SPEED, _TURN_SPEED = 250.0, 60.0  # mm/s, degrees/s, where the cell says nothing
_RAMP = 0.5  # s in which the tool's highest speed is reached: LinuxCNC knows no jerk, and the robot does
_REACH = 10_000.0  # mm: LinuxCNC's world has no walls of its own


@dataclass(frozen=True, slots=True)
class MachineJoint:
    """One joint as LinuxCNC has it, in degrees or mm.

    Attributes:
        turns: Whether it turns; it slides otherwise.
        velocity, acceleration: Per second, and per second squared.
        following: How far it may be from its command at its highest speed; and `still` at rest.
    """

    name: str
    turns: bool
    lower: float
    upper: float
    velocity: float
    acceleration: float
    following: float
    still: float


@dataclass(frozen=True, eq=False)
class Machine:
    """What INI and HAL are written from.

    Attributes:
        table: For genserkins, or None in joint mode, where each axis letter is a joint.
        letters: Of the axes that a program can name.
        tool_velocity, tool_acceleration: Along a line at most [mm/s], [mm/s^2]. turn_velocity, turn_acceleration: [degrees].
        scale, offset: LinuxCNC's joint is scale * q + offset, shape (n,).
        why_joints: Why it is joint mode though that was not asked for, or "".
    """

    name: str
    joints: tuple[MachineJoint, ...]
    table: SerialTable | None
    letters: str
    tool_velocity: float
    tool_acceleration: float
    turn_velocity: float
    turn_acceleration: float
    scale: Array
    offset: Array
    period: float = 0.001  # s, of its servo thread
    why_joints: str = ""

    @property
    def n(self) -> int:
        return len(self.joints)

    def to_linuxcnc(self, q: Array) -> Array:
        """Our joint positions [rad or m] in LinuxCNC's degrees and mm. Shape (..., n)."""
        return np.asarray(self.scale * q + self.offset)

    def to_ours(self, joints: Array) -> Array:
        """LinuxCNC's joint positions [degrees or mm] in ours. Shape (..., n)."""
        return np.asarray((joints - self.offset) / self.scale)


def machine_of(
    model: Model, limits: MotionLimits, *, joint_mode: bool = False, tool_speed: float | None = None, patience: float = 0.0
) -> Machine:
    """A robot as LinuxCNC's machine, by its DH table, or by joints where that was asked for or there is none.

    Args:
        limits: Velocity and acceleration of the joints.
        tool_speed: Of the tool at most [m/s].
        patience: A pause of a busy computer that a simulated robot may make [s]: the way that it is behind because of it is no
            following error.

    Raises:
        LinuxcncProblem: It has more joints than LinuxCNC has axes.
    """
    if model.n > len(LETTERS):
        raise LinuxcncProblem(f"the robot has {model.n} joints, and LinuxCNC {len(LETTERS)} axes; choose a group with --group")
    table, why = None, ""
    if not joint_mode:
        try:
            table = serial_table(model)
        except NoSerialTable as error:
            why = str(error)
    turns = _turning(model)
    scale = np.where(turns, 180.0 / np.pi, 1000.0)
    offset = np.zeros(model.n)
    if table is not None:
        scale, offset = scale * np.array(table.signs), np.rad2deg(np.array(table.offsets))
    joints = tuple(
        _joint(model, limits, k, bool(turns[k]), (float(scale[k]), float(offset[k])), patience) for k in range(model.n)
    )
    name = model.spec.robot.name
    speed = _TOOL_SPEED if tool_speed is None else 1e3 * tool_speed
    if table is None:  # along "lines" of joints: each axis keeps its own
        speed = max(joint.velocity for joint in joints)
        ramp = max(joint.acceleration for joint in joints)
        return Machine(name, joints, None, LETTERS[: model.n], speed, ramp, speed, ramp, scale, offset,
                       why_joints=why)  # fmt: skip
    return Machine(
        name, joints, table, LETTERS[:6], speed, speed / _RAMP, _TURN_SPEED, _TURN_SPEED / _RAMP,
        scale, offset,
    )  # fmt: skip


def world_reach() -> float:
    """How far LinuxCNC lets an axis of the world go [mm]: further than any robot, whose joints have their own ends."""
    return _REACH


def _turning(model: Model) -> NDArray[np.bool_]:
    kinds = {joint.name: joint.type.value for joint in model.spec.robot.joints}
    return np.array([kinds[name] != "prismatic" for name in model.joints])


def _joint(
    model: Model, limits: MotionLimits, k: int, turns: bool, unit: tuple[float, float], patience: float
) -> MachineJoint:  # fmt: skip
    scale, offset = unit
    size = abs(scale)
    ends = sorted(scale * end + offset if np.isfinite(end) else np.copysign(_ENDLESS, end * scale)
                  for end in (float(limits.lower[k]), float(limits.upper[k])))  # fmt: skip
    velocity = float(limits.velocity[k]) * size
    still = max(_STILL, _SLOW * patience * velocity)
    return MachineJoint(
        model.joints[k], turns, ends[0], ends[1], velocity, _EASY * float(limits.acceleration[k]) * size,
        max((_LATE + patience) * velocity, still), still,
    )  # fmt: skip


def safe_path(path: Path) -> str:
    """A path as INI and HAL can carry it.

    Raises:
        LinuxcncProblem: It has signs that they cannot.
    """
    text = str(path)
    if any(sign.isspace() or sign in "#;[]$\"'" for sign in text):
        raise LinuxcncProblem(
            f"{text}: LinuxCNC cannot work in a folder whose name has spaces or signs like # [ $; choose another"
        )
    return text
