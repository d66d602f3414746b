"""Motions compiled to what gives their commands."""

from collections.abc import Callable

from armillary.programs.commands import Command, MoveArc, MoveJoints, MoveLine, MovePose, MoveSpline
from armillary.programs.script.errors import Fault, Place
from armillary.programs.script.expressions import Value
from armillary.programs.script.memory import BASE, KnownPoint, Memory, factors
from armillary.programs.script.rows import Pose, check_joint_count, compile_point, compile_row, joint_positions, pose_in_base
from armillary.programs.script.scope import Scope
from armillary.programs.script.statements import Motion
from armillary.programs.script.timings import compile_manner
from armillary.spatial import rotation_from_rpy, rpy_from_rotation

__all__ = ["compile_motion"]

Maker = Callable[[Memory], Command]
PoseGetter = Callable[[Memory], tuple[Pose, str | None]]  # and the tool that it was taught with; None for numbers
JointGetter = Callable[[Memory], tuple[float, ...] | KnownPoint]  # a point that is only a pose is left to the inverse kinematics


def compile_motion(motion: Motion, scope: Scope) -> Maker:
    """What gives the command of a motion when the script is there.

    Raises:
        Fault: A name is not known, a count or a unit does not fit, or a constant is impossible.
    """
    if motion.frame is not None:
        scope.base(motion.frame, motion.at, or_tool=motion.name == "DMOVE")
    return _COMPILERS[motion.name](motion, scope)


def _pose(values: tuple[Value, ...], motion: Motion, scope: Scope) -> PoseGetter:
    point = compile_point(values, scope)
    if point is not None:
        if motion.frame is not None and scope.base(motion.frame, motion.at) != BASE:
            raise Fault("a point has its place already", f"leave out {{{motion.frame}}}, or write its values", motion.at)
        return lambda memory: _pose_of(point(memory), motion.at)
    if len(values) != 6:
        raise Fault(f"{motion.name} has {len(values)} values for a pose", "expected 6, or the name of a point", motion.at)
    row = compile_row(values, scope, motion.at)
    stated = None if motion.frame is None else scope.base(motion.frame, motion.at)

    def get(memory: Memory) -> tuple[Pose, str | None]:
        length, angle, _ = factors(memory.modes.units, motion.units)
        return pose_in_base(row(memory), length, angle, scope.transform(stated or memory.modes.frame)), None

    return get


def _pose_of(point: KnownPoint, at: Place) -> tuple[Pose, str | None]:
    if point.xyz is None or point.rpy is None:
        raise Fault("this point is joint values and no pose", "expected MOVEJ to go there, or a POINT", at)
    return (point.xyz, point.rpy), point.tool


def _joints(values: tuple[Value, ...], motion: Motion, scope: Scope) -> JointGetter:
    point = compile_point(values, scope)
    if point is not None:

        def taught(memory: Memory) -> tuple[float, ...] | KnownPoint:
            found = point(memory)
            if found.q is None:
                return found
            check_joint_count(len(found.q), scope, "this point", motion.at)
            return found.q

        return taught
    check_joint_count(len(values), scope, motion.name, motion.at)
    row = compile_row(values, scope, motion.at)

    def get(memory: Memory) -> tuple[float, ...]:
        length, angle, _ = factors(memory.modes.units, motion.units)
        return joint_positions(row(memory), length, angle, scope)

    return get


def _to_joints(motion: Motion, scope: Scope) -> Maker:
    goal, manner = _joints(motion.groups[0], motion, scope), compile_manner(motion, scope, by_joints=True)

    def make(memory: Memory) -> Command:
        found = goal(memory)
        if isinstance(found, KnownPoint):
            (xyz, rpy), tool = _pose_of(found, motion.at)
            return MovePose(xyz=xyz, rpy=rpy, **manner(memory, tool))
        return MoveJoints(goal=found, **manner(memory, None))

    return make


def _by_joints(motion: Motion, scope: Scope) -> Maker:
    values = motion.groups[0]
    if compile_point(values, scope) is not None:
        raise Fault("DMOVEJ goes by values and not to a point", "expected joint values, or MOVEJ", motion.at)
    goal, manner = _joints(values, motion, scope), compile_manner(motion, scope, by_joints=True)

    def make(memory: Memory) -> Command:
        found = goal(memory)
        assert isinstance(found, tuple)
        return MoveJoints(goal=found, relative=True, **manner(memory, None))

    return make


def _to_pose(motion: Motion, scope: Scope) -> Maker:
    pose, manner = _pose(motion.groups[0], motion, scope), compile_manner(motion, scope, by_joints=True)

    def make(memory: Memory) -> Command:
        (xyz, rpy), tool = pose(memory)
        return MovePose(xyz=xyz, rpy=rpy, **manner(memory, tool))

    return make


def _line(motion: Motion, scope: Scope) -> Maker:
    pose, manner = _pose(motion.groups[0], motion, scope), compile_manner(motion, scope, by_joints=False)

    def make(memory: Memory) -> Command:
        (xyz, rpy), tool = pose(memory)
        return MoveLine(xyz=xyz, rpy=rpy, **manner(memory, tool))

    return make


def _by_pose(motion: Motion, scope: Scope) -> Maker:
    row, manner = compile_row(motion.groups[0], scope, motion.at), compile_manner(motion, scope, by_joints=False)
    stated = None if motion.frame is None else scope.base(motion.frame, motion.at, or_tool=True)

    def make(memory: Memory) -> Command:
        length, angle, _ = factors(memory.modes.units, motion.units)
        xyz, rpy = pose_in_base(row(memory), length, angle, None)
        frame = stated or memory.modes.frame
        if frame == "TCP":
            return MoveLine(xyz=xyz, rpy=rpy, relative="tool", **manner(memory, None))
        T_base_frame = scope.transform(frame)
        if T_base_frame is not None:  # the same step and the same turn, along the axes of what the arm stands on
            R = T_base_frame[:3, :3]
            x, y, z = (R @ xyz).tolist()
            xyz, rpy = (x, y, z), rpy_from_rotation(R @ rotation_from_rpy(rpy) @ R.T)
        return MoveLine(xyz=xyz, rpy=rpy, relative="base", **manner(memory, None))

    return make


def _arc(motion: Motion, scope: Scope) -> Maker:
    on_the_way = motion.groups[0]
    if len(on_the_way) == 3:
        on_the_way = (*on_the_way, 0.0, 0.0, 0.0)
    via, end = _pose(on_the_way, motion, scope), _pose(motion.groups[1], motion, scope)
    manner = compile_manner(motion, scope, by_joints=False)

    def make(memory: Memory) -> Command:
        (through, _), first = via(memory)
        (xyz, rpy), second = end(memory)
        return MoveArc(via=through, xyz=xyz, rpy=rpy, **manner(memory, _one_tool([first, second], motion)))

    return make


def _spline(motion: Motion, scope: Scope) -> Maker:
    points = [_joints(group, motion, scope) for group in motion.groups]
    manner = compile_manner(motion, scope, by_joints=True)

    def make(memory: Memory) -> Command:
        through: list[tuple[float, ...]] = []
        for point in points:
            found = point(memory)
            if isinstance(found, KnownPoint):
                raise Fault(
                    "MOVEJ_SPLINE through a pose", "expected joint values, a point that has them, or MOVEL_SPLINE", motion.at
                )
            through.append(found)
        fields = manner(memory, None)
        fields["speed"] = None if fields["speed"] == 1.0 else fields["speed"]
        return MoveSpline(through=tuple(through), **fields)

    return make


def _tool_spline(motion: Motion, scope: Scope) -> Maker:
    points = [_pose(group, motion, scope) for group in motion.groups]
    manner = compile_manner(motion, scope, by_joints=False)

    def make(memory: Memory) -> Command:
        found = [point(memory) for point in points]
        through = tuple((*xyz, *rpy) for (xyz, rpy), _ in found)
        return MoveSpline(through=through, by_tool=True, **manner(memory, _one_tool([tool for _, tool in found], motion)))

    return make


def _one_tool(tools: list[str | None], motion: Motion) -> str | None:
    """The tool that all points of a motion were taught with; None where none was taught."""
    known = {tool for tool in tools if tool is not None}
    if len(known) > 1 and motion.moving is None:
        raise Fault(
            f"its points were taught with different tools: {', '.join(sorted(tool or 'TCP' for tool in known))}",
            "say which is moved, as {TCP} behind the name of the motion", motion.at,
        )  # fmt: skip
    return next(iter(known), None)


_COMPILERS: dict[str, Callable[[Motion, Scope], Maker]] = {
    "DMOVE": _by_pose, "DMOVEJ": _by_joints, "MOVEC": _arc, "MOVEJ": _to_joints, "MOVEJ_RPY": _to_pose, "MOVEJ_SPLINE": _spline,
    "MOVEL": _line, "MOVEL_SPLINE": _tool_spline,
}  # fmt: skip
