"""What the tool is to reach: a pose, and which parts of it count."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from armillary.solvers.errors import BadTarget
from armillary.solvers.kernels import AXIS, MASK, POINT, POSE, rigid

__all__ = ["Hold", "Target", "rigid_pose", "rigid_poses"]

Array = NDArray[np.float64]
_LETTERS = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_COMPONENTS = ("x", "y", "z", "rx", "ry", "rz")
_NEARLY = 1e-6  # rounding of a printed or single-precision matrix; beyond it is not a rotation
_EXACT = 1e-12


@dataclass(frozen=True)
class Hold:
    """Which parts of a target's pose count. Made by `Hold.pose()`, `position()`, `axis()`, `mask()` or `read()`.

    Attributes:
        form: Which of the solvers' error forms.
        weights: Three of the position; then three of the rotation, or the tool's axis that is held.
        in_tool: Whether the components are along the target's own axes, or along the base's.
    """

    form: int
    weights: tuple[float, float, float, float, float, float]
    in_tool: bool = True

    @staticmethod
    def pose() -> "Hold":
        """Position and orientation, all of it."""
        return _WHOLE

    @staticmethod
    def for_joints(n: int) -> "Hold":
        """What an arm of so many joints can hold: all of a pose, the position and the tool's z axis with five, the position."""
        return Hold.pose() if n >= 6 else Hold.axis("z") if n == 5 else Hold.position()

    @staticmethod
    def position() -> "Hold":
        """Where the tip's origin is; the orientation is free."""
        return Hold(POINT, (1.0, 1.0, 1.0, 0.0, 0.0, 0.0))

    @staticmethod
    def axis(axis: str | Sequence[float] = "z") -> "Hold":
        """The position, and one axis of the tool, which points as in the target; the tool may spin about it.

        Args:
            axis: "x", "y", "z", or a direction in the tool.
        """
        direction = np.array(_LETTERS[axis] if isinstance(axis, str) and axis in _LETTERS else _numbers(axis), dtype=float)
        if direction.shape != (3,) or not 0.0 < np.linalg.norm(direction) < np.inf:
            raise BadTarget(f"'{axis}' is no axis of a tool; give x, y, z or three numbers that are not all zero")
        x, y, z = direction / np.linalg.norm(direction)
        return Hold(AXIS, (1.0, 1.0, 1.0, float(x), float(y), float(z)))

    @staticmethod
    def mask(components: Sequence[bool | float], *, axes: str = "tool") -> "Hold":
        """Any of the six components: x, y, z, and the rotation vector's three.

        Args:
            components: Six of them, true where it counts.
            axes: Along whose axes they are: "tool" (the target's own) or "base".
        """
        try:
            chosen = [bool(value) for value in components]
        except (TypeError, ValueError):
            chosen = []
        if len(chosen) != 6 or not any(chosen) or axes not in ("tool", "base"):
            raise BadTarget(f"mask {components} in axes '{axes}': give six of 0 and 1 (x y z rx ry rz), and 'tool' or 'base'")
        moves, turns = chosen[:3], chosen[3:]
        weights = [float(value) for value in chosen]
        in_tool = axes == "tool"
        if all(chosen):
            return _WHOLE
        if not any(turns):
            form = POINT
        elif all(turns):
            form = MASK
        elif sum(turns) == 2 and in_tool:  # one turn is free: the axis that it turns about is held, which no spin disturbs
            form = AXIS
            weights[3:] = [float(not value) for value in turns]
        else:
            form = MASK
        in_tool = in_tool or (all(moves) and form == POINT)
        return Hold(form, (weights[0], weights[1], weights[2], weights[3], weights[4], weights[5]), in_tool)

    @staticmethod
    def read(text: str) -> "Hold":
        """As people write it: `pose`, `position`, `axis=z`, `axis=0,0,1`, or components such as `x,y,z,rx,ry`."""
        words = text.strip().lower()
        if words == "pose":
            return _WHOLE
        if words == "position":
            return Hold.position()
        if words == "axis" or words.startswith("axis="):
            name = words[5:] or "z"
            return Hold.axis(name if name in _LETTERS else [float(part) for part in _split(name, text)])
        parts, _, axes = words.partition("@")
        chosen = [part.strip() for part in parts.split(",")]
        if not chosen or any(part not in _COMPONENTS for part in chosen):
            raise BadTarget(
                f"'{text}' does not say what to hold; give pose, position, axis=z, or some of {','.join(_COMPONENTS)} "
                "(with @base behind them for the base's axes)"
            )
        return Hold.mask([component in chosen for component in _COMPONENTS], axes=axes.strip() or "tool")

    @staticmethod
    def of(hold: "Hold | str | None") -> "Hold":
        """A hold, or one as people write it; all of the pose where none is given."""
        if hold is None:
            return _WHOLE
        if isinstance(hold, Hold):
            return hold
        if isinstance(hold, str):
            return Hold.read(hold)
        raise BadTarget(f"{hold!r} does not say what to hold; give a Hold, or text such as 'position' or 'axis=z'")

    @property
    def constraints(self) -> int:
        """How many of the six directions count."""
        turns = {POSE: 3, POINT: 0, AXIS: 2, MASK: int(sum(self.weights[3:]))}[self.form]
        return int(sum(self.weights[:3])) + turns

    def __str__(self) -> str:
        if self.form == POSE:
            return "pose"
        if self.form == POINT and all(self.weights[:3]):
            return "position"
        if self.form == AXIS and all(self.weights[:3]):
            letters = [letter for letter, axis in _LETTERS.items() if axis == self.weights[3:]]
            return f"axis={letters[0] if letters else ','.join(f'{value:g}' for value in self.weights[3:])}"
        turns = [1.0 - abs(value) for value in self.weights[3:]] if self.form == AXIS else self.weights[3:]
        kept = [name for name, value in zip(_COMPONENTS, (*self.weights[:3], *turns), strict=True) if value > 0.5]
        return ",".join(kept) + ("" if self.in_tool else "@base")


_WHOLE = Hold(POSE, (1.0, 1.0, 1.0, 1.0, 1.0, 1.0))


class Target(NamedTuple):
    """A pose of the tip in the base, and what of it counts.

    Attributes:
        T: T_base_tip, shape (4, 4).
        form: The hold's form.
        mask, W: The hold's weights, shape (6,), and the axes they are along, shape (3, 3).
        hold: What counts.
    """

    T: Array
    form: int
    mask: Array
    W: Array
    hold: Hold

    @property
    def arrays(self) -> Any:
        """What the compiled solvers take of it, in their order."""
        return self[:4]

    @staticmethod
    def of(T: Array, hold: Hold | None = None, what: str = "the pose") -> "Target":
        """Raises BadTarget where T is no rigid transform or not finite."""
        T = rigid_pose(T, what)
        if hold is None or hold is _WHOLE:
            return Target(T, POSE, _FULL, _AXES, _WHOLE)
        W = np.ascontiguousarray(T[:3, :3]) if hold.in_tool else _AXES
        return Target(T, hold.form, np.array(hold.weights), W, hold)


_FULL, _AXES = np.ones(6), np.eye(3)


def rigid_pose(T: Array, what: str = "the pose") -> Array:
    """A pose as the solvers take it: rigid to the last digit.

    Rounding to six digits is mended; anything else is refused.

    Raises:
        BadTarget: It is not 4 x 4, not finite, or no rigid transform.
    """
    try:
        T = np.array(T, dtype=float, order="C")  # one's own: an array that may not be written to would be compiled for anew
    except (TypeError, ValueError):
        raise BadTarget(f"{what} is not an array of numbers; give a rigid transform, shape (4, 4)") from None
    if T.shape != (4, 4):
        raise BadTarget(f"{what} has shape {T.shape}; give a rigid transform, shape (4, 4)")
    off = rigid(T)
    if off > _EXACT:
        if off > _NEARLY:
            raise BadTarget(_not_rigid(T, what))
        U, _, V = np.linalg.svd(T[:3, :3])
        T[:3, :3] = U @ V
        T[3] = 0.0, 0.0, 0.0, 1.0
    return T


def _not_rigid(T: Array, what: str) -> str:
    if not np.isfinite(T).all():
        row, column = np.argwhere(~np.isfinite(T))[0]
        return f"{what} is not finite: row {row}, column {column} is {T[row, column]}; give finite numbers"
    if np.abs(T[:3, 3]).max() >= 1e9:
        return f"{what} is {np.abs(T[:3, 3]).max():.3g} m away; give metres"
    if (T[3] != (0.0, 0.0, 0.0, 1.0)).any():
        return f"{what} is no rigid transform: its last row is {T[3].tolist()}; it must be 0 0 0 1"
    if np.linalg.det(T[:3, :3]) < 0:
        return f"{what} is no rigid transform: its rotation is a mirror image (determinant {np.linalg.det(T[:3, :3]):.3g})"
    worst = np.abs(T[:3, :3].T @ T[:3, :3] - np.eye(3)).max()
    return (
        f"{what} is no rigid transform: R^T R differs from I by {worst:.3g}; its axes must have length 1 and be at right angles"
    )


def _numbers(axis: str | Sequence[float]) -> list[float]:
    try:
        return [float(value) for value in axis]
    except (TypeError, ValueError):
        raise BadTarget(f"'{axis}' is no axis of a tool; give x, y, z or three numbers") from None


def _split(text: str, whole: str) -> list[str]:
    parts = text.replace(" ", ",").split(",")
    try:
        [float(part) for part in parts]
    except ValueError:
        raise BadTarget(f"'{whole}' is no axis of a tool; give axis=x, axis=y, axis=z or axis=X,Y,Z") from None
    return parts


def rigid_poses(T: Array) -> Array:
    """N poses as the solvers take them, shape (N, 4, 4). Raises BadTarget, saying which is none."""
    try:
        poses = np.array(T, dtype=float, order="C")
    except (TypeError, ValueError):
        raise BadTarget("the poses are not an array of numbers; give N rigid transforms, shape (N, 4, 4)") from None
    if poses.ndim != 3 or poses.shape[1:] != (4, 4):
        raise BadTarget(f"the poses have shape {poses.shape}; give N rigid transforms, shape (N, 4, 4)")
    for number, pose in enumerate(poses):
        if rigid(pose) > 1e-12:
            poses[number] = rigid_pose(pose, f"pose {number}")
    return poses
