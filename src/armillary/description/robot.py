"""The Robot: what a description file says, whichever format said it.

Plain frozen values of numbers, names and tuples: equal when they say the same, hashable, picklable, and
safe to share between threads and processes. What follows from them (kinematics, dynamics) is the model's.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import Enum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from armillary.description.errors import UnknownName
from armillary.description.geometry import Geometry, Material, Pose, Vector
from armillary.description.semantics import Semantics

__all__ = [
    "Actuator",
    "Calibration",
    "Inertial",
    "Joint",
    "JointDynamics",
    "JointType",
    "Limits",
    "Link",
    "Mimic",
    "Robot",
    "SafetyController",
    "Transmission",
    "TransmissionJoint",
    "nearest_first",
    "zero_position",
]


def nearest_first(name: str, known: list[str]) -> list[str]:
    """Known names, those spelled like `name` first."""
    close = get_close_matches(name, known, n=len(known) or 1, cutoff=0.4)
    return close + [other for other in known if other not in close]


class JointType(Enum):
    """How a joint moves."""

    FIXED = "fixed"
    REVOLUTE = "revolute"
    CONTINUOUS = "continuous"
    PRISMATIC = "prismatic"
    PLANAR = "planar"
    FLOATING = "floating"

    @property
    def dof(self) -> int:
        """Number of coordinates of its velocity."""
        return _DOF[self]

    @property
    def is_single(self) -> bool:
        """One coordinate: the joints that a controller commands."""
        return _DOF[self] == 1


_DOF = {
    JointType.FIXED: 0,
    JointType.REVOLUTE: 1,
    JointType.CONTINUOUS: 1,
    JointType.PRISMATIC: 1,
    JointType.PLANAR: 3,
    JointType.FLOATING: 6,
}


@dataclass(frozen=True, slots=True)
class Inertial:
    """Mass of a link and how it is spread."""

    mass: float  # [kg]
    pose: Pose = field(default_factory=Pose)  # T_link_inertial: centre of mass and the tensor's axes
    # ixx, ixy, ixz, iyy, iyz, izz about the centre of mass, along the axes of `pose` [kg m^2]
    moments: tuple[float, float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    @property
    def tensor(self) -> NDArray[np.float64]:
        """Inertia about the centre of mass, along the axes of `pose`, shape (3, 3) [kg m^2]."""
        ixx, ixy, ixz, iyy, iyz, izz = self.moments
        return np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])


@dataclass(frozen=True, slots=True)
class Link:
    """A rigid body."""

    name: str
    inertial: Inertial | None = None
    visuals: tuple[Geometry, ...] = ()
    collisions: tuple[Geometry, ...] = ()


@dataclass(frozen=True, slots=True)
class Limits:
    """How far, how fast and how hard a joint may go; None is what the description does not say."""

    lower: float | None = None  # [rad or m]
    upper: float | None = None  # [rad or m]
    velocity: float | None = None  # [rad/s or m/s]
    effort: float | None = None  # [N m or N]
    # Since URDF 1.2; most files leave them out, and the cell's limits then say them.
    acceleration: float | None = None  # [rad/s^2 or m/s^2]
    jerk: float | None = None  # [rad/s^3 or m/s^3]


@dataclass(frozen=True, slots=True)
class Mimic:
    """A joint that follows another: q = multiplier * q_joint + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class JointDynamics:
    """Passive forces in a joint."""

    damping: float = 0.0  # [N m s/rad or N s/m]
    friction: float = 0.0  # Coulomb [N m or N]


@dataclass(frozen=True, slots=True)
class SafetyController:
    """Soft limits inside the hard ones, as ROS 1 controllers keep them."""

    soft_lower: float = 0.0  # [rad or m]
    soft_upper: float = 0.0  # [rad or m]
    k_position: float = 0.0
    k_velocity: float = 0.0


@dataclass(frozen=True, slots=True)
class Calibration:
    """Where a reference switch sits on a joint."""

    rising: float | None = None  # [rad or m]
    falling: float | None = None  # [rad or m]


@dataclass(frozen=True, slots=True)
class Joint:
    """A connection of two links and how it moves."""

    name: str
    type: JointType
    parent: str
    child: str
    pose: Pose = field(default_factory=Pose)  # T_parent_joint at zero
    axis: Vector = (1.0, 0.0, 0.0)  # unit vector in the joint's frame
    limits: Limits | None = None
    mimic: Mimic | None = None
    dynamics: JointDynamics | None = None
    safety: SafetyController | None = None
    calibration: Calibration | None = None

    @property
    def unit(self) -> str:
        return "m" if self.type is JointType.PRISMATIC else "rad"

    @property
    def range(self) -> tuple[float, float]:
        """Lower and upper end [rad or m]; infinite where there is none."""
        if self.type is JointType.CONTINUOUS or self.limits is None:
            return (-np.inf, np.inf)
        lower, upper = self.limits.lower, self.limits.upper
        return (-np.inf if lower is None else lower, np.inf if upper is None else upper)


@dataclass(frozen=True, slots=True)
class TransmissionJoint:
    """A joint's side of a transmission."""

    name: str
    interfaces: tuple[str, ...] = ()
    role: str = ""
    reduction: float | None = None
    offset: float | None = None


@dataclass(frozen=True, slots=True)
class Actuator:
    """A motor's side of a transmission."""

    name: str
    interfaces: tuple[str, ...] = ()
    role: str = ""
    reduction: float | None = None


@dataclass(frozen=True, slots=True)
class Transmission:
    """How motors drive joints, as URDF says it."""

    name: str
    type: str
    joints: tuple[TransmissionJoint, ...] = ()
    actuators: tuple[Actuator, ...] = ()


@dataclass(frozen=True)
class Robot:
    """A robot: links joined into a tree, with what its files say of looks, mass, motors and groups."""

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    materials: tuple[Material, ...] = ()
    transmissions: tuple[Transmission, ...] = ()
    semantics: Semantics = field(default_factory=Semantics)
    # Elements that URDF does not define (gazebo, drake, ...), as XML text; kept for export.
    extensions: tuple[str, ...] = ()
    namespaces: tuple[tuple[str, str], ...] = ()  # prefix and address, as declared on <robot>

    @cached_property
    def _links(self) -> dict[str, Link]:
        return {link.name: link for link in self.links}

    @cached_property
    def _joints(self) -> dict[str, Joint]:
        return {joint.name: joint for joint in self.joints}

    @cached_property
    def parent_joints(self) -> dict[str, Joint]:
        """The joint above each link but the root, by the link's name."""
        return {joint.child: joint for joint in self.joints}

    @cached_property
    def child_joints(self) -> dict[str, tuple[Joint, ...]]:
        """The joints below each link, by the link's name, in the file's order."""
        below: dict[str, list[Joint]] = {link.name: [] for link in self.links}
        for joint in self.joints:
            below[joint.parent].append(joint)
        return {name: tuple(joints) for name, joints in below.items()}

    @cached_property
    def root(self) -> Link:
        """The link that hangs from no other."""
        return next(link for link in self.links if link.name not in self.parent_joints)

    @cached_property
    def tips(self) -> tuple[str, ...]:
        """Names of the links from which nothing hangs."""
        return tuple(link.name for link in self.links if not self.child_joints[link.name])

    @cached_property
    def movable(self) -> tuple[Joint, ...]:
        """Joints that move, mimics among them, in the file's order."""
        return tuple(joint for joint in self.joints if joint.type.dof > 0)

    @cached_property
    def independent(self) -> tuple[Joint, ...]:
        """Joints that move on their own: movable and following no other."""
        return tuple(joint for joint in self.movable if joint.mimic is None)

    @property
    def dof(self) -> int:
        """Degrees of freedom: coordinates that can be chosen freely."""
        return sum(joint.type.dof for joint in self.independent)

    @property
    def mass(self) -> float:
        """Mass of all links [kg]."""
        return sum(link.inertial.mass for link in self.links if link.inertial)

    def link(self, name: str) -> Link:
        """The link of that name.

        Raises:
            UnknownName: There is none; the message lists those there are, nearest first.
        """
        if name not in self._links:
            raise UnknownName("link", name, self.name, nearest_first(name, list(self._links)))
        return self._links[name]

    def joint(self, name: str) -> Joint:
        """The joint of that name.

        Raises:
            UnknownName: There is none; the message lists those there are, nearest first.
        """
        if name not in self._joints:
            raise UnknownName("joint", name, self.name, nearest_first(name, list(self._joints)))
        return self._joints[name]

    def path_from_root(self, link: str) -> tuple[Joint, ...]:
        """The joints from the root to a link, in order."""
        self.link(link)
        joints: list[Joint] = []
        while link in self.parent_joints:
            joint = self.parent_joints[link]
            joints.append(joint)
            link = joint.parent
        return tuple(reversed(joints))

    def chain(self, base: str, tip: str) -> tuple[Joint, ...]:
        """The joints from `base` down to `tip`.

        Raises:
            UnknownName: `base` is not above `tip`, or one of them is not there.
        """
        self.link(base)
        joints = self.path_from_root(tip)
        above = [joints[0].parent] if joints else [tip]
        above += [joint.child for joint in joints]
        if base not in above:
            raise UnknownName("link above " + tip, base, self.name, above)
        return joints[above.index(base) :]

    def walk(self) -> Iterator[tuple[Link, int]]:
        """Every link with its depth, parents before children, without recursion."""
        stack = [(self.root.name, 0)]
        while stack:
            name, depth = stack.pop()
            yield self._links[name], depth
            stack.extend((joint.child, depth + 1) for joint in reversed(self.child_joints[name]))

    def poses(self, positions: dict[str, float] | None = None) -> dict[str, NDArray[np.float64]]:
        """T_root_link of every link, shape (4, 4), for drawing; solvers use the model.

        Args:
            positions: Joint positions by name [rad or m]; joints left out are at zero, or at their nearest
                end where zero is outside their range.
        """
        from armillary.spatial import axis_angle_rotation, transform

        given = positions or {}
        placed = {self.root.name: np.eye(4)}
        for link, _ in self.walk():
            for joint in self.child_joints[link.name]:
                T = placed[link.name] @ joint.pose.matrix
                if joint.type.is_single:
                    q = self._position(joint, given)
                    if joint.type is JointType.PRISMATIC:
                        T = T @ transform(np.eye(3), np.array(joint.axis) * q)
                    else:
                        T = T @ transform(axis_angle_rotation(joint.axis, q), (0.0, 0.0, 0.0))
                placed[joint.child] = T
        return placed

    def _position(self, joint: Joint, given: dict[str, float]) -> float:
        if joint.mimic is not None:
            driver = self._joints[joint.mimic.joint]
            return joint.mimic.multiplier * self._position(driver, given) + joint.mimic.offset
        if joint.name in given:
            return given[joint.name]
        return zero_position(joint)


def zero_position(joint: Joint) -> float:
    """Zero, or the end nearest to it where zero is outside the joint's range [rad or m]."""
    lower, upper = joint.range
    return min(max(0.0, lower), upper)
