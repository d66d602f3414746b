"""A robot's tree as Pinocchio holds it, built joint by joint.

Built here, and not by Pinocchio's URDF reader, for four reasons: a continuous joint stays one plain angle; joints that are not
commanded can be locked where they stand; mimics may follow a joint further out than themselves; and the mass of a
fixed root is counted.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from armillary.description.inertia import breaks_triangle_rule, is_positive_definite, nearest_sound_moments
from armillary.description.robot import Inertial, Joint, JointType, Robot
from armillary.spatial import axis_angle_rotation, transform

__all__ = ["Attachment", "MovingJoint", "Tree", "build_tree"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Attachment:
    """A mass or a frame fixed to a link."""

    link: str
    T_link_frame: Array
    frame: str = ""  # a frame's name, or "" for a mass alone
    inertial: Inertial | None = None


@dataclass(frozen=True)
class MovingJoint:
    """A joint of the tree that moves, by itself or following another."""

    name: str
    prismatic: bool
    axis: tuple[float, float, float]
    parent: int  # number of the moving joint that carries it, -1 for the world
    T_parent_joint: Array  # at zero, in the carrying joint's frame
    driver: int  # column of q that it follows
    multiplier: float
    offset: float


@dataclass(frozen=True)
class Tree:
    """Pinocchio's model, and how its joints follow from the commanded ones: q_all = S q + c."""

    model: pin.Model
    joints: tuple[str, ...]  # commanded, parents before children
    moving: tuple[MovingJoint, ...]  # all that move, in Pinocchio's order
    frames: dict[str, int]  # Pinocchio's number of each frame
    carriers: dict[str, tuple[int, Array]]  # each frame's moving joint (-1: world) and place in it
    S: Array | None  # (m, n); None where every joint is commanded
    c: Array  # (m,)
    static_mass: float  # of what never moves [kg]
    static_moment: Array  # mass times position of what never moves [kg m]
    repaired: tuple[str, ...] = ()  # links whose impossible inertia was replaced by the nearest possible one


def build_tree(
    robot: Robot, *, commanded: frozenset[str], locked: Mapping[str, float], T_world_root: Array,
    attachments: tuple[Attachment, ...] = (),
) -> Tree:  # fmt: skip
    """The tree of a robot.

    Args:
        commanded: Joints whose positions are the model's coordinates.
        locked: Positions of the others that have one coordinate [rad or m]; planar and floating joints stay at zero.
        T_world_root: Where the root link stands.
        attachments: Masses and frames fixed to links.
    """
    return _Builder(robot, commanded, locked, attachments).build(T_world_root)


class _Builder:
    def __init__(
        self, robot: Robot, commanded: frozenset[str], locked: Mapping[str, float], attachments: tuple[Attachment, ...]
    ) -> None:
        self.robot, self.commanded, self.locked = robot, commanded, locked
        self.attached: dict[str, list[Attachment]] = {}
        for attachment in attachments:
            self.attached.setdefault(attachment.link, []).append(attachment)
        self.model = pin.Model()
        self.model.name = robot.name
        self.moving: list[tuple[Joint, int, Array]] = []
        self.carriers: dict[str, tuple[int, Array]] = {}
        self.static_mass = 0.0
        self.static_moment = np.zeros(3)
        self.repaired: list[str] = []

    def build(self, T_world_root: Array) -> Tree:
        # Depth first: Pinocchio's algorithms take the columns of a subtree to lie side by side.
        stack: list[tuple[Joint | None, int, Array]] = [(None, -1, T_world_root)]
        while stack:
            joint, carrier, T = stack.pop()
            link = self.robot.root.name if joint is None else joint.child
            if joint is not None and self._moves(joint):
                carrier, T = self._add(joint, carrier, T), np.eye(4)
            elif joint is not None:
                T = T @ self._held(joint)
            self._place(link, carrier, T)
            for below in reversed(self.robot.child_joints[link]):
                stack.append((below, carrier, T @ below.pose.matrix))
        return self._finish()

    def _moves(self, joint: Joint) -> bool:
        driver = joint.mimic.joint if joint.mimic else joint.name
        return joint.type.is_single and driver in self.commanded

    def _held(self, joint: Joint) -> Array:
        """The motion of a joint that is not commanded, where it is held."""
        if not joint.type.is_single:
            return np.eye(4)
        if joint.mimic is not None:
            q = joint.mimic.multiplier * self.locked.get(joint.mimic.joint, 0.0) + joint.mimic.offset
        else:
            q = self.locked.get(joint.name, 0.0)
        if joint.type is JointType.PRISMATIC:
            return transform(np.eye(3), np.array(joint.axis) * q)
        return transform(axis_angle_rotation(joint.axis, q), (0.0, 0.0, 0.0))

    def _add(self, joint: Joint, carrier: int, T: Array) -> int:
        self.model.addJoint(carrier + 1, _joint_model(joint), pin.SE3(T), joint.name)
        self.moving.append((joint, carrier, T))
        return len(self.moving) - 1

    def _place(self, link: str, carrier: int, T: Array) -> None:
        self._frame(link, carrier, T)
        self._mass(link, self.robot.link(link).inertial, carrier, T)
        for attachment in self.attached.get(link, ()):
            placed = T @ attachment.T_link_frame
            if attachment.frame:
                self._frame(attachment.frame, carrier, placed)
            self._mass(link, attachment.inertial, carrier, placed)

    def _frame(self, name: str, carrier: int, T: Array) -> None:
        self.carriers[name] = (carrier, T)

    def _mass(self, link: str, inertial: Inertial | None, carrier: int, T: Array) -> None:
        if inertial is None or inertial.mass <= 0:
            return
        placed = T @ inertial.pose.matrix
        if carrier < 0:
            self.static_mass += inertial.mass
            self.static_moment = self.static_moment + inertial.mass * placed[:3, 3]
            return
        moments = inertial.moments
        if any(moments) and (not is_positive_definite(moments) or breaks_triangle_rule(moments)):
            self.repaired.append(link)
            inertial = replace(inertial, moments=nearest_sound_moments(moments))
        body = pin.Inertia(inertial.mass, np.zeros(3), inertial.tensor)
        self.model.appendBodyToJoint(carrier + 1, body, pin.SE3(placed))

    def _finish(self) -> Tree:
        frames = {
            name: self.model.addFrame(pin.Frame(name, carrier + 1, 0, pin.SE3(T), pin.FrameType.OP_FRAME))
            for name, (carrier, T) in self.carriers.items()
        }
        joints = tuple(joint.name for joint, _, _ in self.moving if joint.mimic is None)
        column = {name: index for index, name in enumerate(joints)}
        moving = []
        for joint, carrier, T in self.moving:
            mimic = joint.mimic
            driver = column[mimic.joint if mimic else joint.name]
            ratio, offset = (mimic.multiplier, mimic.offset) if mimic else (1.0, 0.0)
            prismatic = joint.type is JointType.PRISMATIC
            moving.append(MovingJoint(joint.name, prismatic, joint.axis, carrier, T, driver, ratio, offset))
        S = None
        if len(joints) != len(moving):
            S = np.zeros((len(moving), len(joints)))
            for row, m in enumerate(moving):
                S[row, m.driver] = m.multiplier
        return Tree(
            model=self.model, joints=joints, moving=tuple(moving), frames=frames, carriers=self.carriers, S=S,
            c=np.array([m.offset for m in moving]),
            static_mass=self.static_mass, static_moment=self.static_moment, repaired=tuple(self.repaired),
        )  # fmt: skip


_ALONG_AXES = {
    (1.0, 0.0, 0.0): (pin.JointModelRX, pin.JointModelPX),
    (0.0, 1.0, 0.0): (pin.JointModelRY, pin.JointModelPY),
    (0.0, 0.0, 1.0): (pin.JointModelRZ, pin.JointModelPZ),
}


def _joint_model(joint: Joint) -> pin.JointModel:
    """Pinocchio's joint; those along x, y and z are faster than one along any axis."""
    prismatic = joint.type is JointType.PRISMATIC
    if joint.axis in _ALONG_AXES:
        return _ALONG_AXES[joint.axis][prismatic]()
    unaligned = pin.JointModelPrismaticUnaligned if prismatic else pin.JointModelRevoluteUnaligned
    return unaligned(np.array(joint.axis))
