"""DH tables, standard and modified, from a small TOML file to a Robot.

    name = "my_arm"
    convention = "modified"            # or "standard"

    [[joints]]                         # one row each, from the base
    name = "joint_1"
    a = 0.0                            # [m]      modified: a(i-1), alpha(i-1); standard: a(i), alpha(i)
    alpha_deg = 90.0                   # or alpha [rad]
    d_mm = 123.5                       # or d [m]
    theta = 0.0                        # constant part of the angle [rad]
    lower_deg = -180.0                 # limits of the variable part
    upper_deg = 180.0
    velocity = 3.14                    # [rad/s or m/s]
    effort = 150.0                     # [N m or N]

Modified (Craig):  T(i-1, i) = Rx(alpha(i-1)) Tx(a(i-1)) Rz(theta i) Tz(d i)
Standard:          T(i-1, i) = Rz(theta i) Tz(d i) Tx(a i) Rx(alpha i)
"""

from dataclasses import dataclass, field
from math import cos, pi, sin
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from armillary.description.geometry import Pose
from armillary.description.inertia import Moments, breaks_triangle_rule, is_positive_definite
from armillary.description.problem import Problem, Problems
from armillary.description.robot import Inertial, Joint, JointType, Limits, Link, Robot
from armillary.description.settings import Settings, read_toml
from armillary.spatial import rpy_from_rotation, transform_from_xyz_rpy

__all__ = ["DhRow", "DhTable", "dh_transform", "is_dh", "read_dh", "robot_from_dh", "smell_dh"]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class DhRow:
    """One row of a DH table, and what else is known of its joint and link."""

    name: str
    a: float = 0.0  # [m]
    alpha: float = 0.0  # [rad]
    d: float = 0.0  # [m]; the constant part for a prismatic joint
    theta: float = 0.0  # [rad]; the constant part for a revolute joint
    type: JointType = JointType.REVOLUTE
    limits: Limits | None = None
    inertial: Inertial | None = None  # of the link behind the joint, in its DH frame


@dataclass(frozen=True, slots=True)
class DhTable:
    """A DH table. `modified` is Craig's convention, otherwise it is the standard one."""

    name: str
    modified: bool
    rows: tuple[DhRow, ...]
    base: Pose = field(default_factory=Pose)  # T_root_frame0
    tool: Pose = field(default_factory=Pose)  # T_lastframe_flange


def dh_transform(row: DhRow, q: float, *, modified: bool) -> Array:
    """T(i-1, i) of a row at joint position q [rad or m], as the convention defines it. Shape (4, 4)."""
    revolute = row.type is not JointType.PRISMATIC
    theta = row.theta + q if revolute else row.theta
    d = row.d if revolute else row.d + q
    screw_x = transform_from_xyz_rpy((row.a, 0.0, 0.0), (row.alpha, 0.0, 0.0))
    screw_z = transform_from_xyz_rpy((0.0, 0.0, d), (0.0, 0.0, theta))
    return screw_x @ screw_z if modified else screw_z @ screw_x


def robot_from_dh(table: DhTable) -> Robot:
    """The robot of a DH table: links `base`, one per row, and `flange`, whose frames are the table's.

    A joint of URDF turns about an axis through its own frame. With the modified convention that is frame i;
    with the standard one it is frame i-1, so there each link's frame i follows by a fixed joint.
    """
    links = [Link("base")]
    joints: list[Joint] = []
    parent = "base"
    before = table.base  # from the parent link's frame to the joint's at zero
    for index, row in enumerate(table.rows, 1):
        link = f"link_{index}"
        screw_x = transform_from_xyz_rpy((row.a, 0.0, 0.0), (row.alpha, 0.0, 0.0))
        screw_z = transform_from_xyz_rpy((0.0, 0.0, row.d), (0.0, 0.0, row.theta))
        if table.modified:
            T = before.matrix @ screw_x @ screw_z
            if before == Pose() and row.theta == 0.0:  # exact: no way round by the rotation matrix
                pose = Pose((row.a, -_sin(row.alpha) * row.d, _cos(row.alpha) * row.d), (row.alpha, 0.0, 0.0))
            else:
                pose = _pose(T)
            before = Pose()
            inertial = row.inertial
        else:
            # Turning or sliding along z commutes with the constant part of the same screw.
            pose = _pose(before.matrix @ screw_z)
            before = Pose((row.a, 0.0, 0.0), (row.alpha, 0.0, 0.0))
            inertial = _moved(row.inertial, screw_x)
        joints.append(Joint(row.name, row.type, parent, link, pose, (0.0, 0.0, 1.0), row.limits))
        links.append(Link(link, inertial))
        parent = link
    last = before.matrix @ table.tool.matrix
    joints.append(Joint("flange_joint", JointType.FIXED, parent, "flange", _pose(last)))
    links.append(Link("flange"))
    return Robot(table.name, tuple(links), tuple(joints))


def read_dh(path: Path) -> DhTable:
    """A DH table from its TOML file.

    Raises:
        InvalidCell: Something in it cannot be taken; says the line, the key and what to write.
    """
    settings = read_toml(path)
    table = _read_table(settings, path.stem)
    settings.finish()
    return table


def smell_dh(table: DhTable, settings: Settings) -> tuple[Problem, ...]:
    """Figures of a table that look as if written in another unit: millimetres for metres, degrees for radians."""
    problems = Problems(settings.file)
    for row, source in zip(table.rows, settings.tables("joints"), strict=True):
        where = f"joint '{row.name}'"
        for key, value in (("a", row.a), ("d", row.d)):
            if abs(value) > 12.0:
                problems.add("length-units", where, f"{key} is {value:g} m", line=source.line(key))
        for key, value in (("alpha", row.alpha), ("theta", row.theta)):
            if abs(value) > 6.3:
                problems.add("degrees-smell", where, f"{key} is {value:g} rad", line=source.line(key))
        limits = row.limits
        if limits is not None and row.type is JointType.REVOLUTE:
            widest = max(abs(limits.lower or 0.0), abs(limits.upper or 0.0))
            if widest >= 26.0:
                problems.add("degrees-smell", where, f"its range reaches {widest:g} rad", line=source.line("upper"))
    return problems.sorted()


def is_dh(settings: Settings) -> bool:
    """Whether a TOML file is a DH table (and not a cell)."""
    return settings.has("convention") or settings.has("joints")


def _read_table(settings: Settings, stem: str) -> DhTable:
    settings.expect("name", "convention", "joints", "base", "tool")
    name = settings.string("name", stem).strip() or stem
    if not settings.has("convention"):
        raise settings.error("convention", "it is missing", 'write convention = "standard" or "modified"')
    modified = settings.choice("convention", ("standard", "modified"), "modified") == "modified"
    base = _read_pose(settings, "base")
    tool = _read_pose(settings, "tool")
    rows: list[DhRow] = []
    for index, row in enumerate(settings.tables("joints"), 1):
        rows.append(_read_row(row, index, [r.name for r in rows]))
        row.finish()
    if not rows:
        raise settings.error("joints", "there are none", "write one [[joints]] table for each row")
    return DhTable(name, modified, tuple(rows), base, tool)


def _read_pose(settings: Settings, key: str) -> Pose:
    table = settings.table_at(key)
    if table is None:
        return Pose()
    xyz = table.vector("xyz", 3, (0.0, 0.0, 0.0), units=("", "_mm"))
    rpy = table.vector("rpy", 3, (0.0, 0.0, 0.0), units=("", "_deg"))
    table.finish()
    assert xyz is not None and rpy is not None
    return Pose((xyz[0], xyz[1], xyz[2]), (rpy[0], rpy[1], rpy[2]))


def _read_row(row: Settings, index: int, known: list[str]) -> DhRow:
    row.expect("name", "type", "a", "alpha", "d", "theta", "lower", "upper", "velocity", "effort", "mass", "com", "inertia")
    name = row.string("name", f"joint_{index}")
    if not name.strip() or name == "flange_joint":
        raise row.error("name", f"'{name}' cannot be a joint's name here", "give it another")
    if name in known:
        raise row.error("name", f"'{name}' stands twice", "give each joint its own name")
    kind = JointType(row.choice("type", ("revolute", "prismatic", "continuous"), "revolute"))
    linear = kind is JointType.PRISMATIC
    units = ("", "_mm") if linear else ("", "_deg")
    lower = row.number("lower", units=units)
    upper = row.number("upper", units=units)
    velocity = row.number("velocity", units=units, above=0.0)
    effort = row.number("effort", above=0.0)
    if kind is not JointType.CONTINUOUS:
        if lower is None or upper is None:
            raise row.error("lower", f"joint '{name}' has no range", 'write lower and upper, or type = "continuous"')
        if lower > upper:
            raise row.error("lower", f"joint '{name}': {lower:g} is above upper {upper:g}", "swap them")
    return DhRow(
        name=name,
        a=row.number("a", 0.0, units=("", "_mm")) or 0.0,
        alpha=row.number("alpha", 0.0, units=("", "_deg")) or 0.0,
        d=row.number("d", 0.0, units=("", "_mm")) or 0.0,
        theta=row.number("theta", 0.0, units=("", "_deg")) or 0.0,
        type=kind,
        limits=Limits(None, None, velocity, effort) if kind is JointType.CONTINUOUS else Limits(lower, upper, velocity, effort),
        inertial=_read_inertial(row, name),
    )


def _read_inertial(row: Settings, name: str) -> Inertial | None:
    mass = row.number("mass", above=0.0)
    com = row.vector("com", 3, units=("", "_mm"))
    moments = row.vector("inertia", 6)
    if mass is None:
        if com is not None or moments is not None:
            raise row.error("mass", f"joint '{name}' has com or inertia and no mass", "write mass too")
        return None
    x, y, z = com or (0.0, 0.0, 0.0)
    six: Moments = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if moments is not None:
        six = (moments[0], moments[1], moments[2], moments[3], moments[4], moments[5])
        if not is_positive_definite(six) or breaks_triangle_rule(six):
            raise row.error("inertia", "no body has these moments", "write ixx, ixy, ixz, iyy, iyz, izz at the com")
    return Inertial(mass, Pose((x, y, z)), six)


def _moved(inertial: Inertial | None, T: Array) -> Inertial | None:
    """An inertia given in a frame that is T away from the one it is wanted in."""
    return None if inertial is None else Inertial(inertial.mass, _pose(T @ inertial.pose.matrix), inertial.moments)


def _pose(T: Array) -> Pose:
    return Pose((float(T[0, 3]), float(T[1, 3]), float(T[2, 3])), rpy_from_rotation(T[:3, :3]))


def _cos(angle: float) -> float:
    """Cosine, exact at multiples of 90 degrees: tables are written with them."""
    quarter = angle / (pi / 2)
    return (1.0, 0.0, -1.0, 0.0)[int(quarter) % 4] if quarter == int(quarter) else cos(angle)


def _sin(angle: float) -> float:
    return _cos(angle - pi / 2) if (angle / (pi / 2)) == int(angle / (pi / 2)) else sin(angle)
