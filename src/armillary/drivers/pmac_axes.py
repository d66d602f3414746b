"""Axes of a PMAC's coordinate system for a robot's joints: letters, axis definitions and the way back, from its actuation model.

One axis is one joint, in degrees (mm for joints that slide). A motor that several joints move needs an axis definition with
several axes, and PMAC takes such only within one triple, X Y Z or U V W. So the letters are chosen by who moves with whom, and
coupled robots are right by construction.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.drivers.errors import DriverError
from armillary.model import Coupling

__all__ = ["PmacAxes", "axes_of", "letters_of"]

Array = NDArray[np.float64]
_SINGLE = "XYZABCUVW"  # letters in the order in which they are given away
_TRIPLES = ("XYZ", "UVW")
_NONE = 1e-12  # a share of the largest in its row that is rounding


@dataclass(frozen=True, eq=False)
class PmacAxes:
    """How joints, axes and motors of a robot belong together.

    Attributes:
        joints: Names, in the order of q.
        letters: The axis of each joint.
        motors: Numbers of the motors, in the order of the actuation model's rows.
        units: Axis units of a rad or m, shape (n,).
        scale: Counts of each motor for a unit of each axis, shape (n, n).
        back: Units of each axis for a count of each motor, shape (n, n).
        zero: Counts at which all axes are zero, shape (n,).
    """

    joints: tuple[str, ...]
    letters: tuple[str, ...]
    motors: tuple[int, ...]
    units: Array
    scale: Array
    back: Array
    zero: Array

    def definition(self, row: int) -> str:
        """The axis definition of a motor, as it is sent: `#3->29308.7083Y+29308.7083Z`."""
        parts = [(value, letter) for value, letter in zip(self.scale[row], self.letters) if value != 0.0]
        text = "".join(f"{_sign(value, k == 0)}{_number(abs(value))}{letter}" for k, (value, letter) in enumerate(parts))
        offset = float(self.zero[row])
        return f"#{self.motors[row]}->{text}" + (f"{_sign(offset, False)}{_number(abs(offset))}" if offset else "")

    def line(self, point: Array) -> str:
        """A point of the motion program, from axis positions, shape (n,) [units]."""
        return "".join(f"{letter}{value:.8f}" for letter, value in zip(self.letters, point))

    def feedback(self, joint: int, variable: int, *, commanded: bool = False) -> str:
        """The line of a PLC program that gives an axis position in a P-variable, from the motors' position registers.

        These count in 1 / (Ixx08 * 32) of a count, and the way back is the inverse of the axis definitions: paper 2's own line
        has neither.
        """
        parts: list[str] = []
        for row in sorted(range(len(self.motors)), key=lambda row: self.back[joint, row] < 0.0):
            share, motor, offset = float(self.back[joint, row]), self.motors[row], float(self.zero[row])
            if share != 0.0:
                register = f"M{motor}{'61' if commanded else '62'}/(I{motor}08*32)"
                counts = f"({register}{_sign(-offset, False)}{_number(abs(offset))})" if offset else register
                parts.append(f"{_sign(share, share > 0.0 and not parts)}{counts}*{_number(abs(share))}")
        return f"P{variable}=" + ("0" if parts[0].startswith("-") else "") + "".join(parts)

    def to_axes(self, q: Array) -> Array:
        """Axis positions of joint positions, shape (..., n)."""
        return np.asarray(q, dtype=float) * self.units

    def to_joints(self, axes: Array) -> Array:
        """Joint positions of axis positions, shape (..., n)."""
        return np.asarray(axes, dtype=float) / self.units

    def joints_of(self, row: int) -> str:
        """Names of the joints that a motor moves."""
        return ", ".join(joint for joint, value in zip(self.joints, self.scale[row]) if value != 0.0)


def axes_of(coupling: Coupling | None, joints: Sequence[str], slides: Sequence[bool], motors: Sequence[int] = ()) -> PmacAxes:
    """The axes of a robot.

    Args:
        coupling: Its actuation model.
        joints: Names, in the order of q. slides: Whether each is prismatic.
        motors: Numbers of the motors, in the order of the actuation model's; 1, 2, 3, ... where left out.

    Raises:
        DriverError: There is no actuation model of these joints, or PMAC cannot couple so many.
    """
    if coupling is None or set(coupling.joints) != set(joints):
        raise DriverError(
            f"driver 'pmac': cell.toml says nothing of how motors move the joints {', '.join(joints)}; "
            "write joints, coupling and counts_per_deg under [actuation], or choose the group of joints that it names"
        )
    n = len(joints)
    numbers = tuple(motors) or tuple(range(1, n + 1))
    if len(numbers) != n or len(set(numbers)) != n or not all(1 <= number <= 32 for number in numbers):
        raise DriverError(f"driver.options: motors is {list(numbers)}; give {n} different numbers from 1 to 32")
    units = np.array([1000.0 if slide else math.degrees(1.0) for slide in slides])
    order = [coupling.joints.index(joint) for joint in joints]
    scale = coupling.matrix[:, order] / units
    back = np.linalg.inv(coupling.matrix)[order] * units[:, None]
    for matrix in (scale, back):
        matrix[np.abs(matrix) < _NONE * np.abs(matrix).max(axis=1, keepdims=True)] = 0.0
    return PmacAxes(tuple(joints), letters_of(scale != 0.0, joints), numbers, units, scale, back, np.array(coupling.zero))


def letters_of(moves: NDArray[np.bool_], joints: Sequence[str]) -> tuple[str, ...]:
    """A letter for each joint: those that share motors in one triple.

    Args:
        moves: Whether motor i moves with joint j, shape (n, n).

    Raises:
        DriverError: It cannot be done.
    """
    groups = _groups(moves)
    found = _choose(groups, {})
    if found is None:
        together = [", ".join(joints[k] for k in group) for group in groups if len(group) > 1]
        raise DriverError(
            f"driver 'pmac': PMAC couples three axes at most, in two triples, and has nine; this robot has {len(joints)} joints, "
            f"of which these share motors: {'; '.join(together) or 'none'}"
        )
    return tuple(found[k] for k in range(len(joints)))


def _groups(moves: NDArray[np.bool_]) -> list[list[int]]:
    """Joints that share motors, directly or by others."""
    groups: list[list[int]] = []
    for row in moves:
        joined = [int(k) for k in np.flatnonzero(row)]
        for group in [group for group in groups if set(group) & set(joined)]:
            groups.remove(group)
            joined = sorted({*joined, *group})
        groups.append(joined)
    return sorted(groups)


def _choose(groups: list[list[int]], taken: dict[int, str]) -> dict[int, str] | None:
    """Letters for the groups, each tried in its turn."""
    if not groups:
        return taken
    first, rest = groups[0], groups[1:]
    free = [letter for letter in _SINGLE if letter not in taken.values()]
    if len(first) == 1:
        choices = [[letter] for letter in free]
    else:
        choices = [[letter for letter in triple if letter in free] for triple in _TRIPLES]
    for choice in choices:
        if len(choice) >= len(first):
            found = _choose(rest, {**taken, **dict(zip(first, choice))})
            if found is not None:
                return found
    return None


def _number(value: float) -> str:
    return f"{value:.10f}".rstrip("0").rstrip(".") if value >= 1e-3 else f"{value:.16f}".rstrip("0")


def _sign(value: float, first: bool) -> str:
    return "-" if value < 0.0 else "" if first else "+"
