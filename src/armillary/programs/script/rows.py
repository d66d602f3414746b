"""Rows of values as places to go to: joint positions and poses, in SI units and in what the arm stands on."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from armillary.programs.commands import Three
from armillary.programs.script.errors import Fault, Place
from armillary.programs.script.expressions import Name, Value
from armillary.programs.script.memory import KnownPoint, Memory
from armillary.programs.script.parts import point_at
from armillary.programs.script.scope import Scope
from armillary.programs.script.values import compile_value
from armillary.spatial import rpy_from_rotation, transform_from_xyz_rpy

__all__ = ["Pose", "Row", "check_joint_count", "compile_point", "compile_row", "joint_positions", "pose_in_base"]

Array = NDArray[np.float64]
Pose = tuple[Three, Three]  # xyz [m] and rpy [rad]
Row = Callable[[Memory], tuple[float, ...]]
_LARGEST = 1e12  # of a value in a row, as of a word of G-code; a pose of such numbers in a frame stays finite


def compile_row(values: tuple[Value, ...], scope: Scope, at: Place) -> Row:
    """What gives the numbers of a row, as written.

    Raises:
        Fault: A name is not known; while it runs, a number is not finite or far too large.
    """
    compiled = [compile_value(value, scope) for value in values]
    constants = tuple([value for value in compiled if not callable(value)])
    if len(constants) == len(compiled):
        _all_finite(constants, at)
        return lambda _: constants

    def get(memory: Memory) -> tuple[float, ...]:
        return _all_finite(tuple([value(memory) if callable(value) else value for value in compiled]), at)

    return get


def _all_finite(values: tuple[float, ...], at: Place) -> tuple[float, ...]:
    for position, value in enumerate(values):
        if not math.isfinite(value):
            raise Fault(f"value {position + 1} is not a finite number", "check what it is computed from", at)
        if abs(value) >= _LARGEST:
            raise Fault(f"value {position + 1} is {value:g}", f"expected less than {_LARGEST:g}", at)
    return values


def compile_point(values: tuple[Value, ...], scope: Scope) -> Callable[[Memory], KnownPoint] | None:
    """What gives the point that a row names; None where the row is numbers.

    Raises:
        Fault: A name stands alone and is neither a point nor a variable.
    """
    if len(values) != 1 or not isinstance(values[0], Name):
        return None
    name, at = values[0].name, values[0].at
    if name in scope.points:
        return lambda memory: point_at(memory, name, at)
    if name not in scope.variables | scope.parameters:
        raise scope.unknown_point(name, at)
    return None


def joint_positions(values: tuple[float, ...], length: float, angle: float, scope: Scope) -> tuple[float, ...]:
    """Joint positions [rad or m] from a row: lengths for joints that slide, angles for the others."""
    if any(scope.slides):
        return tuple([value * (length if slides else angle) for value, slides in zip(values, scope.slides, strict=True)])
    return tuple([value * angle for value in values])


def check_joint_count(count: int, scope: Scope, what: str, at: Place) -> None:
    """That a row has a value for every joint, where the joints are known."""
    joints = scope.surroundings.joints
    if joints and count != len(joints):
        raise Fault(f"{what} has {count} joint values", f"expected {len(joints)}: {', '.join(joints)}", at)


def pose_in_base(values: tuple[float, ...], length: float, angle: float, T_base_frame: Array | None) -> Pose:
    """The pose of a row x y z roll pitch yaw that is given in a frame."""
    x, y, z, roll, pitch, yaw = values
    xyz, rpy = (x * length, y * length, z * length), (roll * angle, pitch * angle, yaw * angle)
    if T_base_frame is None:
        return xyz, rpy
    T_base_tool = T_base_frame @ transform_from_xyz_rpy(xyz, rpy)
    x, y, z = T_base_tool[:3, 3].tolist()
    return (x, y, z), rpy_from_rotation(T_base_tool[:3, :3])
