"""Groups, named states and pairs that need no collision check: what an SRDF adds to a robot."""

from dataclasses import dataclass

__all__ = ["EndEffector", "Group", "NamedState", "Semantics", "VirtualJoint"]


@dataclass(frozen=True, slots=True)
class Group:
    """Joints that are moved together."""

    name: str
    joints: tuple[str, ...]
    base: str = ""  # link, where the group is a chain
    tip: str = ""  # link, where the group is a chain


@dataclass(frozen=True, slots=True)
class NamedState:
    """A configuration with a name."""

    name: str
    group: str
    positions: tuple[tuple[str, float], ...]  # joint and position [rad or m]


@dataclass(frozen=True, slots=True)
class EndEffector:
    """A group that is carried by another."""

    name: str
    group: str
    parent_link: str
    parent_group: str = ""


@dataclass(frozen=True, slots=True)
class VirtualJoint:
    """How the robot's root stands in the world."""

    name: str
    type: str
    parent_frame: str
    child_link: str


@dataclass(frozen=True, slots=True)
class Semantics:
    """What is known of a robot beyond its bodies and joints."""

    groups: tuple[Group, ...] = ()
    states: tuple[NamedState, ...] = ()
    disabled_collisions: tuple[tuple[str, str, str], ...] = ()  # two links and the reason
    end_effectors: tuple[EndEffector, ...] = ()
    virtual_joints: tuple[VirtualJoint, ...] = ()
    passive_joints: tuple[str, ...] = ()
