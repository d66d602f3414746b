"""Parts of points as numbers: in the units and the frame in force, so that a pose written with them is that point."""

import re
from collections.abc import Callable

from armillary.programs.commands import Three
from armillary.programs.script.errors import Fault, Place, nearest
from armillary.programs.script.expressions import Part
from armillary.programs.script.memory import BASE, KnownPoint, Memory, factors
from armillary.programs.script.scope import Scope
from armillary.spatial import inverse, rpy_from_rotation, transform_from_xyz_rpy

__all__ = ["compile_part", "point_at"]

_POSE = ("x", "y", "z", "roll", "pitch", "yaw")
_REMEMBERED = 64  # poses of points in frames: six parts of one pose are asked for one after the other
_JOINT = re.compile("j([1-9][0-9]{0,2})")


def point_at(memory: Memory, name: str, at: Place) -> KnownPoint:
    """A point that has been taught or declared by now.

    Raises:
        Fault: Its declaration has not been run.
    """
    point = memory.points.get(name)
    if point is None:
        raise Fault(f"the point {name} is not declared yet", "move its declaration before this line", at)
    return point


def compile_part(part: Part, scope: Scope) -> Callable[[Memory], float]:
    """What gives the part when the script is there.

    Raises:
        Fault: The point or the part is not known.
    """
    if part.point not in scope.points:
        raise scope.unknown_point(part.point, part.at)
    joint = _JOINT.fullmatch(part.part)
    if joint is not None:
        return _joint(part, int(joint[1]) - 1, scope)
    if part.part not in _POSE:
        raise Fault(f"a point has no part {part.part}", f"{nearest(part.part, [*_POSE, 'j1'])}; j1 is the first joint", part.at)
    position = _POSE.index(part.part)

    def get(memory: Memory) -> float:
        point = point_at(memory, part.point, part.at)
        if point.xyz is None or point.rpy is None:
            raise Fault(f"{part.point} is joint values and has no {part.part}", "expected j1, j2, ..., or a POINT", part.at)
        xyz, rpy = _in_frame(point.xyz, point.rpy, memory.modes.frame, scope)
        length, angle, _ = factors(memory.modes.units, None)
        return xyz[position] / length if position < 3 else rpy[position - 3] / angle

    return get


def _joint(part: Part, joint: int, scope: Scope) -> Callable[[Memory], float]:
    count = len(scope.surroundings.joints)
    if count and joint >= count:
        raise Fault(f"there is no joint {joint + 1}", f"expected j1 to j{count}", part.at)

    def get(memory: Memory) -> float:
        q = point_at(memory, part.point, part.at).q
        if q is None or joint >= len(q):
            raise Fault(f"{part.point} has no {part.part}", "expected a point with joint values", part.at)
        slides = joint < len(scope.slides) and scope.slides[joint]
        return q[joint] / factors(memory.modes.units, None)[0 if slides else 1]

    return get


def _in_frame(xyz: Three, rpy: Three, frame: str, scope: Scope) -> tuple[Three, Three]:
    if frame == BASE:
        return xyz, rpy
    found = scope.placed.get((xyz, rpy, frame))
    if found is not None:
        return found
    T_base_frame = scope.transform(frame)
    assert T_base_frame is not None
    T_frame_tool = inverse(T_base_frame) @ transform_from_xyz_rpy(xyz, rpy)
    x, y, z = T_frame_tool[:3, 3].tolist()
    if len(scope.placed) >= _REMEMBERED:
        scope.placed.clear()
    placed = scope.placed[xyz, rpy, frame] = (x, y, z), rpy_from_rotation(T_frame_tool[:3, :3])
    return placed
