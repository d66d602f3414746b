"""The Model: what follows from a robot's description. It never changes; every quantity is a function of (model, q, ...)."""

import hashlib
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from armillary.description import FittedCell, open_cell, propose_groups, read_robot
from armillary.description.cell_fit import own_cell
from armillary.description.dh import is_dh
from armillary.description.geometry import Pose
from armillary.description.limits import JointLimits, joint_limits
from armillary.description.robot import Inertial, Robot, nearest_first, zero_position
from armillary.description.settings import read_toml
from armillary.description.source import find_source
from armillary.model.errors import BadConfiguration, UnknownFrame, UnknownJoint
from armillary.model.tree import Attachment, Tree, build_tree

__all__ = ["GRAVITY", "Model", "ModelSpec", "build_model", "cell_model", "load_model"]

Array = NDArray[np.float64]
GRAVITY = (0.0, 0.0, -9.81)  # m/s^2, world
_INF = float("inf")
_FLOAT = np.dtype(np.float64)


@dataclass(frozen=True)
class ModelSpec:
    """All that a model is built from: plain values, so that a model can be pickled, hashed and built again."""

    robot: Robot
    commanded: tuple[str, ...]
    locked: tuple[tuple[str, float], ...] = ()
    base: Pose = field(default_factory=Pose)  # T_world_root
    frames: tuple[tuple[str, str, Pose], ...] = ()  # name, link, T_link_frame
    masses: tuple[tuple[str, Inertial], ...] = ()  # link and what is fixed to it
    limits: tuple[JointLimits, ...] = ()
    gravity: tuple[float, float, float] = GRAVITY
    tip: str = ""  # the frame that is meant by "the tool", where one is
    reference: str = ""  # the frame that poses are given in, "" for the world


class Model:
    """A robot's kinematics and dynamics in n commanded coordinates.

    Safe for many readers: what Pinocchio needs as scratch is kept per thread. Equal to another model built from the same
    values; pickled as those values.

    Attributes:
        spec: What it was built from.
        joints: Names of the commanded joints, parents before children: the order of every q.
        n: Their number.
        frames: Names of the frames: every link, and those added (the tool).
        lower, upper: Ends of each joint [rad or m], infinite where there is none. Shape (n,), as are the next.
        velocity: [rad/s or m/s]. acceleration: [rad/s^2 or m/s^2]. jerk: [rad/s^3 or m/s^3].
        effort: [N m or N], infinite where nobody stated it.
        assumptions: What was assumed where the description is impossible, in words.
    """

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec
        attachments = [Attachment(link, pose.matrix, frame=name) for name, link, pose in spec.frames]
        attachments += [Attachment(link, np.eye(4), inertial=inertial) for link, inertial in spec.masses]
        self.tree: Tree = build_tree(
            spec.robot, commanded=frozenset(spec.commanded), locked=dict(spec.locked), T_world_root=spec.base.matrix,
            attachments=tuple(attachments),
        )  # fmt: skip
        self.pin: pin.Model = self.tree.model
        self.pin.gravity = pin.Motion(np.array(spec.gravity), np.zeros(3))
        self.joints = self.tree.joints
        self.n = len(self.joints)
        self.frames = tuple(self.tree.frames)
        by_name = {limit.joint: limit for limit in (spec.limits or joint_limits(spec.robot))}
        ordered = [by_name[name] for name in self.joints]
        self.lower, self.upper, self.velocity, self.acceleration, self.jerk = (
            _frozen([getattr(limit, name) for limit in ordered])
            for name in ("lower", "upper", "velocity", "acceleration", "jerk")
        )
        self.effort = _frozen([_INF if limit.effort is None else limit.effort for limit in ordered])
        self.assumptions = tuple(
            f"link '{link}': its inertia belongs to no body; the nearest possible one is used" for link in self.tree.repaired
        )
        self._shape = (self.n,)
        self._hash: int | None = None
        self.derived: dict[object, Any] = {}  # what others worked out of the model, kept with it
        self._scratch = threading.local()

    @property
    def data(self) -> pin.Data:
        """This thread's scratch for Pinocchio."""
        try:
            return self._scratch.data
        except AttributeError:
            self._scratch.data = self.pin.createData()
            return self._scratch.data

    @property
    def digest(self) -> str:
        """A hash of all that the model follows from; what is proven of a model is bound to it."""
        return hashlib.sha256(repr(self.spec).encode()).hexdigest()

    @property
    def mass(self) -> float:
        """Mass of everything, what never moves included [kg]."""
        return float(sum(inertia.mass for inertia in self.pin.inertias[1:]) + self.tree.static_mass)

    @cached_property
    def tip(self) -> str:
        """The frame that a person means by "the tool": the cell's tool, or else the tip of the longest chain of joints."""
        if self.spec.tip:
            return self.spec.tip
        proposed = [group for group in propose_groups(self.spec.robot) if group.tip]
        moved = [group.tip for group in proposed if set(group.joints) & set(self.joints)]
        return moved[0] if moved else self.frames[-1]

    @property
    def reference(self) -> str:
        """The frame that a person gives poses in: what the cell's arm stands on; "" for the world."""
        return self.spec.reference

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Model) and self.spec == other.spec)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self.spec)  # of the whole robot: once
        return self._hash

    def __reduce__(self) -> tuple[type["Model"], tuple[ModelSpec]]:
        return Model, (self.spec,)

    def __repr__(self) -> str:
        return f"Model({self.spec.robot.name!r}, {self.n} joints, {len(self.frames)} frames)"

    def valid(self, q: Array, what: str = "q") -> Array:
        """The joint values as the model takes them: n finite numbers, the array itself where it is so already.

        Raises:
            BadConfiguration: There are not n of them, or one is not finite.
        """
        if type(q) is not np.ndarray or q.dtype is not _FLOAT:
            q = self._converted(q, what)
        # One product tells: it is NaN or infinite as soon as one value is.
        if q.shape != self._shape or not q.dot(q) < _INF:
            raise self._invalid(q, what)
        return q

    def full(self, q: Array) -> Array:
        """Positions of all moving joints, mimics among them, from valid commanded ones. Shape (..., n) to (..., m)."""
        tree = self.tree
        return q if tree.S is None else q @ tree.S.T + tree.c

    def frame_number(self, name: str) -> int:
        """Pinocchio's number of a frame.

        Raises:
            UnknownFrame: There is none of this name; the message lists those there are, nearest first.
        """
        try:
            return self.tree.frames[name]
        except KeyError:
            raise UnknownFrame(name, nearest_first(name, list(self.frames))) from None

    def column(self, joint: str) -> int:
        """The place of a joint in q.

        Raises:
            UnknownJoint: It is not commanded here; the message lists those that are, nearest first.
        """
        try:
            return self.joints.index(joint)
        except ValueError:
            raise UnknownJoint(joint, nearest_first(joint, list(self.joints))) from None

    def outside(self, q: Array, tolerance: float = 1e-9) -> list[str]:
        """What is outside its limits in q, in words; empty where nothing is."""
        q = self.valid(q)
        said = []
        for name, value, lower, upper in zip(self.joints, q, self.lower, self.upper, strict=True):
            if not lower - tolerance <= value <= upper + tolerance:
                said.append(f"{name} at {value:.4g} is outside {lower:.4g} to {upper:.4g}")
        return said

    def zero(self) -> Array:
        """A configuration inside the limits: zero, or the end nearest to it. Shape (n,)."""
        return np.clip([zero_position(self.spec.robot.joint(name)) for name in self.joints], self.lower, self.upper)

    def random(self, rng: np.random.Generator, size: int | None = None) -> Array:
        """Configurations drawn evenly inside the limits (a full turn where there is none). Shape (n,) or (size, n)."""
        low = np.where(np.isfinite(self.lower), self.lower, -np.pi)
        high = np.where(np.isfinite(self.upper), self.upper, np.pi)
        return rng.uniform(low, high, self.n if size is None else (size, self.n))

    def _converted(self, q: object, what: str) -> Array:
        try:
            return np.asarray(q, dtype=float)
        except (TypeError, ValueError):
            raise BadConfiguration(f"{what} is not a list of {self.n} numbers; give one for each joint") from None

    def _invalid(self, q: Array, what: str) -> BadConfiguration:
        if q.shape != self._shape:
            return BadConfiguration(
                f"{what} has shape {q.shape}, and {self.spec.robot.name} has {self.n} joints here; "
                f"give one value for each of: {', '.join(self.joints[:12])}{', ...' if self.n > 12 else ''}"
            )
        bad = [f"{name} = {value}" for name, value in zip(self.joints, q, strict=True) if not abs(value) < 1e150]
        return BadConfiguration(f"{what} is not finite: {', '.join(bad)}; give finite numbers")


def _frozen(values: Iterable[float]) -> Array:
    array = np.array(list(values), dtype=float)
    array.setflags(write=False)
    return array


def build_model(
    robot: Robot, *, joints: Iterable[str] | None = None, at: Mapping[str, float] | None = None,
    base: Pose | None = None, frames: Iterable[tuple[str, str, Pose]] = (),
    masses: Iterable[tuple[str, Inertial]] = (), limits: tuple[JointLimits, ...] | None = None,
    gravity: tuple[float, float, float] = GRAVITY, tip: str = "", reference: str = "",
) -> Model:  # fmt: skip
    """A model of a robot.

    Args:
        robot: The robot.
        joints: Joints to command; all that move by themselves where left out. The others are held.
        at: Where the others are held [rad or m]; at zero, or the end nearest to it, where left out.
        base: T_world_root.
        frames: More frames: name, link it is fixed to, T_link_frame.
        masses: More masses: link, and what is fixed to it in its frame.
        limits: Whole limits of the joints; those of the description where left out.
        gravity: In the world [m/s^2].
        tip: The frame that is meant by "the tool"; the tip of the longest chain of joints where left out.
        reference: The frame that poses are given in on the command line and in programs; the world where left out.

    Raises:
        UnknownJoint: A joint to command that does not move by itself.
        UnknownFrame: A link that is not there, or a frame's name that is taken.
    """
    free = [joint.name for joint in robot.independent if joint.type.is_single]
    chosen = list(free if joints is None else joints)
    for name in chosen:
        if name not in free:
            raise UnknownJoint(name, nearest_first(name, free))
    links = [link.name for link in robot.links]
    frames, masses = tuple(frames), tuple(masses)
    for link in (*(frame[1] for frame in frames), *(mass[0] for mass in masses)):
        if link not in links:
            raise UnknownFrame(link, nearest_first(link, links))
    given = dict(at or {})
    locked = {name: given.get(name, zero_position(robot.joint(name))) for name in free if name not in chosen}
    return Model(
        ModelSpec(
            robot=robot, commanded=tuple(chosen), locked=tuple(sorted(locked.items())), base=base or Pose(),
            frames=frames, masses=masses, limits=limits or joint_limits(robot), gravity=gravity,
            tip=tip, reference=reference,
        )
    )  # fmt: skip


def load_model(source: str | Path, *, group: str | None = None) -> Model:
    """The model of a file or a known robot; of its cell, with tool, payload, base and limits, where it has one.

    Args:
        source: A description, a cell.toml, or a robot's name.
        group: Command only the joints of this group of the cell; the others are held at the cell's home states.
    """
    path = find_source(source)
    if path.suffix == ".toml" and not is_dh(read_toml(path)):
        return cell_model(open_cell(path), group=group)
    cell = own_cell(path)
    if cell is None and group is not None:
        raise UnknownJoint(group, ["no groups: it has no cell (`armillary new` makes one)"])
    return cell_model(open_cell(cell), group=group) if cell else build_model(read_robot(path))


def cell_model(fitted: FittedCell, *, group: str | None = None) -> Model:
    """The model of a cell: its robot with tool, payload, base frame and limits."""
    cell = fitted.cell
    groups = {choice.name: choice for choice in cell.groups}
    if group is not None and group not in groups:
        raise UnknownJoint(group, nearest_first(group, list(groups)))
    chosen = groups[group] if group else next((choice for choice in cell.groups if choice.tip), None)
    frames: list[tuple[str, str, Pose]] = []
    masses: list[tuple[str, Inertial]] = []
    if chosen is not None and chosen.tip:
        frames.append(("tool", chosen.tip, cell.tool.pose))
        for load, pose in ((cell.tool.mass, Pose()), (cell.payload, cell.tool.pose)):
            if load.mass > 0:
                masses.append((chosen.tip, _inertial(load.mass, load.com, load.inertia, pose)))
    tip = "tool" if frames else ""
    frames += _cell_frames(fitted)
    home = {
        joint: value
        for state in cell.states
        if state.name.startswith("home")
        for joint, value in zip(groups[state.group].joints, state.q, strict=True)
    }
    joints = groups[group].joints if group else None
    alone = group is not None or sum(bool(choice.tip) for choice in cell.groups) == 1  # one arm, and so one base to speak of
    return build_model(
        fitted.robot, joints=joints, at=home, base=cell.base, frames=frames, masses=masses, limits=fitted.limits,
        tip=tip, reference=chosen.base if alone and chosen is not None and chosen.tip else "",
    )  # fmt: skip


def _cell_frames(fitted: FittedCell) -> list[tuple[str, str, Pose]]:
    """The frames that a cell names: each with the link that it is fixed to, and where it is in that."""
    from armillary.spatial import inverse, rpy_from_rotation

    cell, root, found = fitted.cell, fitted.robot.root.name, dict[str, tuple[str, Array]]()
    known = {"world": (root, inverse(cell.base.matrix)), "base": (root, np.eye(4))}
    waiting = list(cell.frames)
    while waiting:
        frame = waiting.pop(0)
        if frame.parent in {other.name for other in waiting}:
            waiting.append(frame)  # behind the one that it stands in
            continue
        link, T = found.get(frame.parent) or known.get(frame.parent) or (frame.parent, np.eye(4))
        found[frame.name] = (link, T @ frame.pose.matrix)
    placed = []
    for name, (link, T) in found.items():
        x, y, z = T[:3, 3].tolist()
        placed.append((name, link, Pose((x, y, z), rpy_from_rotation(T[:3, :3]))))
    return placed


def _inertial(mass: float, com: tuple[float, float, float], moments: tuple[float, ...] | None, pose: Pose) -> Inertial:
    from armillary.spatial import rpy_from_rotation, transform

    T = pose.matrix @ transform(np.eye(3), com)
    x, y, z = T[:3, 3]
    six = moments or (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    placed = Pose((float(x), float(y), float(z)), rpy_from_rotation(T[:3, :3]))
    return Inertial(mass, placed, (six[0], six[1], six[2], six[3], six[4], six[5]))
