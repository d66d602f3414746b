"""The joints between two frames, as the compiled solvers take them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.model import Model
from armillary.model.tree import MovingJoint
from armillary.solvers.errors import UnmovedFrame
from armillary.solvers.kernels import errors_at, forward
from armillary.solvers.target import Hold, Target
from armillary.spatial import inverse, transform

__all__ = ["Chain", "chain_between", "tip_poses"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
_STARTS = 512  # known configurations to restart from


@dataclass(frozen=True, eq=False)
class Chain:
    """The joints on the way from a base frame to a tip, each turned so that it moves about or along its own z.

    Attributes:
        base, tip: The frames; base is "" for the world.
        columns: Columns of q that move the tip against the base, shape (k,), nearest to the base first.
        joints: Their names.
        rows: A row of each joint on the way, its followers among them: R (9) and p (3) from the one before, ratio, offset.
        kind: A row of each: whether it slides, and which of the k it follows.
        last: R (9) and p (3) of the tip behind the last joint.
        limits: Lower, upper, and the range to draw starts from: shape (4, k).
        starts, poses: Known configurations, shape (s, k), and their tip's R and p, shape (12, s), in single precision.
        reach: No point of the tip is further from the first joint than this [m], infinite where a joint slides freely.
        turning: Which of the k may be changed by full turns without moving the tip, shape (k,).
    """

    base: str
    tip: str
    columns: Numbers
    joints: tuple[str, ...]
    rows: Array
    kind: Numbers
    last: Array
    limits: Array
    starts: Array
    poses: NDArray[np.float32]
    reach: float
    turning: NDArray[np.bool_]

    @cached_property
    def packed(self) -> Any:
        """All of it as `kernels.solve` takes it: numbers, places, starts, poses."""
        numbers = np.concatenate([self.rows.ravel(), self.last, self.limits.ravel()])
        places = np.concatenate([[self.n, len(self.rows)], self.kind.ravel(), self.columns, self.turning]).astype(np.int64)
        return numbers, places, self.starts, self.poses

    @property
    def geometry(self) -> Any:
        """What forward kinematics takes."""
        return self.rows, self.kind, self.last

    def pose(self, own: Array) -> Array:
        """T_base_tip at joint values of the chain, shape (k,)."""
        flat = tip_poses(self.rows, self.kind, self.last, own[None])[:, 0]
        return transform(flat[:9].reshape(3, 3), flat[9:])

    @property
    def n(self) -> int:
        return len(self.columns)

    @cached_property
    def holds(self) -> Hold:
        """What of a pose it can hold along a path: what it has joints for, or all of it where they are of the right kind.

        The tip of a SCARA moves to every side without being turned, with four joints: it has all of a pose, of which some can
        be reached. Looked at in configurations that are nothing special.
        """
        shares = np.random.default_rng(0).uniform(0.2, 0.8, (3, self.n))
        places = self.limits[2] + shares * (self.limits[3] - self.limits[2])
        return Hold.pose() if all(map(self._moves_unturned, places)) else Hold.for_joints(self.n)

    def _moves_unturned(self, own: Array) -> bool:
        """Whether the tip can be moved to every side there without being turned."""
        step, T = 1e-6, self.pose(own)
        J = np.zeros((6, self.n))
        for i in range(self.n):
            there = own.copy()
            there[i] += step
            moved = self.pose(there)
            turned = moved[:3, :3] @ T[:3, :3].T
            J[:3, i] = (moved[:3, 3] - T[:3, 3]) / step
            skew = (turned - turned.T) / (2 * step)
            J[3:, i] = skew[2, 1], skew[0, 2], skew[1, 0]
        J[3:] *= self.radian
        moves = np.eye(6)[:, :3]
        left = moves - J @ np.linalg.lstsq(J, moves, rcond=1e-5)[0]
        return bool(np.abs(left).max() < 1e-3)

    @property
    def plain(self) -> bool:
        """Whether each joint of it is one of the k as it is: none follows another, here or off the chain."""
        as_it_is = (np.abs(self.rows[:, 12]) == 1.0) & (self.rows[:, 13] == 0.0)
        return len(self.rows) == self.n and bool(as_it_is.all())

    @property
    def radian(self) -> float:
        """What one radian is worth when it is weighed against metres [m]: half the reach of a small arm, or 0.3."""
        return min(0.3, 0.5 * self.reach) if self.reach > 0.02 else 0.3

    @cached_property
    def without_limits(self) -> Array:
        """`limits` with its ends taken away."""
        free = self.limits.copy()
        free[0], free[1] = -np.inf, np.inf
        return free

    def placed(self, whole: Array, own: Array) -> Array:
        """A configuration of the whole model: the chain's joints in their places, the others as they are."""
        q = whole.copy()
        q[self.columns] = own
        return q

    def axes(self, own: Array) -> tuple[Array, Array]:
        """Directions and origins of the joints' axes in the base, shape (m, 3) each."""
        z, p = np.empty((len(self.rows), 3)), np.empty((len(self.rows), 3))
        R, at = np.eye(3), np.zeros(3)
        for i, (row, (slides, column)) in enumerate(zip(self.rows, self.kind, strict=True)):
            at = at + R @ row[9:12]
            R = R @ row[:9].reshape(3, 3)
            z[i], p[i] = R[:, 2] * np.sign(row[12]), at
            value = own[column] * row[12] + row[13]
            if slides:
                at = at + R[:, 2] * value
            else:
                c, s = np.cos(value), np.sin(value)
                R = R @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        return z, p

    def jacobian(self, own: Array) -> Array:
        """Of the tip's twist in the base by the k joints' velocities, at the tip along the base's axes. Shape (6, k)."""
        return np.asarray(self.jacobians(own[None])[0])

    def jacobians(self, Q: Array) -> Array:
        """`jacobian` of each row of Q (N, k). Shape (N, 6, k)."""
        m = len(self.rows)
        R, at, turn, J = np.empty((3, 4)), np.empty((m, 6)), np.empty((3, m)), np.empty((len(Q), 6, self.n))
        for own, each in zip(np.array(Q, dtype=float, order="C"), J, strict=True):
            forward(own, *self.geometry, R, at, turn, each)
        return J

    def errors(self, target: Target, Q: Array) -> Array:
        """What is missing to a target at each row of Q (N, k) [m], [rad]. Shape (N, 2)."""
        sizes = np.empty((len(Q), 2))
        errors_at(*self.geometry, *target.arrays, np.array(Q, dtype=float, order="C"), sizes)
        return sizes


def chain_between(model: Model, base: str, tip: str) -> Chain:
    """The chain from a base frame ("" for the world) to a tip; worked out once for each model.

    Raises:
        UnknownFrame: One of the two is not there, or no joint lies between them.
    """
    if base == "world" and base not in model.frames:
        base = ""
    try:
        return model.derived[base, tip]
    except KeyError:
        chain = model.derived[base, tip] = _chain_between(model, base, tip)
        return chain


def _chain_between(model: Model, base: str, tip: str) -> Chain:
    steps, T_last = _steps(model, base, tip)
    columns = list(dict.fromkeys(model.tree.moving[index].driver for index, _, _ in steps))
    if not columns:
        raise UnmovedFrame(tip, base or "the world")
    place = {column: i for i, column in enumerate(columns)}
    rows, kind = np.zeros((len(steps), 14)), np.zeros((len(steps), 2), dtype=np.int64)
    carried = np.eye(3)  # the turn of the joint before, whose frame is not its own
    for row, (index, sign, T) in enumerate(steps):
        joint = model.tree.moving[index]
        A = _turn_to_z(np.array(joint.axis))
        rows[row, :9] = (carried @ T[:3, :3] @ A).ravel()
        rows[row, 9:12] = carried @ T[:3, 3]
        rows[row, 12:] = sign * joint.multiplier, sign * joint.offset
        kind[row] = joint.prismatic, place[joint.driver]
        carried = A.T
    last = np.concatenate([(carried @ T_last[:3, :3]).ravel(), carried @ T_last[:3, 3]])
    limits = _limits(model, np.array(columns), kind, [model.tree.moving[index] for index, _, _ in steps])
    starts = limits[2] + _spread(_STARTS, len(columns)) * (limits[3] - limits[2])
    return Chain(
        base=base, tip=tip, columns=np.array(columns), joints=tuple(model.joints[column] for column in columns),
        rows=rows, kind=kind, last=last, limits=limits, starts=starts,
        poses=tip_poses(rows, kind, last, starts).astype(np.float32),
        reach=_reach(rows, kind, last, limits), turning=_turning(rows, kind, len(columns)),
    )  # fmt: skip


def _steps(model: Model, base: str, tip: str) -> tuple[list[tuple[int, float, Array]], Array]:
    """Moving joints from base to tip: number, which way it is passed, and the fixed transform before it; then that behind."""
    tree = model.tree
    for frame in (base, tip):
        if frame:
            model.frame_number(frame)
    below, T_below = _ancestors(model, tip)
    above, T_above = _ancestors(model, base) if base else ([], np.eye(4))
    shared = 0
    while shared < min(len(below), len(above)) and below[shared] == above[shared]:
        shared += 1
    steps: list[tuple[int, float, Array]] = []
    T = inverse(T_above)  # up from the base to the joint that both hang on, each joint passed backwards
    for index in reversed(above[shared:]):
        steps.append((index, -1.0, T))
        T = inverse(tree.moving[index].T_parent_joint)
    for index in below[shared:]:
        steps.append((index, 1.0, T @ tree.moving[index].T_parent_joint))
        T = np.eye(4)
    return steps, T @ T_below


def _ancestors(model: Model, frame: str) -> tuple[list[int], Array]:
    """Moving joints that carry a frame, from the world out, and the frame behind the last of them."""
    carrier, T = model.tree.carriers[frame]
    found = []
    while carrier >= 0:
        found.append(carrier)
        carrier = model.tree.moving[carrier].parent
    return found[::-1], T


def _turn_to_z(axis: Array) -> Array:
    """A rotation that takes z to the axis, exactly whichever way it points."""
    z = axis / np.linalg.norm(axis)
    across = np.eye(3)[int(np.abs(z).argmin())]
    x = np.cross(across, z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _limits(model: Model, columns: Numbers, kind: Numbers, followers: list[MovingJoint]) -> Array:
    lower, upper = model.lower[columns].copy(), model.upper[columns].copy()
    for joint, (_, place) in zip(followers, kind, strict=True):
        _keep_follower(model, joint, int(place), lower, upper)
    slides = np.zeros(len(columns), dtype=bool)
    for row in kind:
        slides[row[1]] |= bool(row[0])
    # One full turn, or ten metres, of a joint that has more: further out there is nothing new, or nothing near.
    span = np.where(slides, 10.0, 2 * np.pi)
    middle = np.clip(0.0, lower, upper)
    low = np.clip(middle - 0.5 * span, lower, np.maximum(lower, upper - span))
    high = np.minimum(upper, low + span)
    return np.array([lower, upper, low, high])


def _keep_follower(model: Model, joint: MovingJoint, place: int, lower: Array, upper: Array) -> None:
    """Narrow a driver's limits so that a joint which follows it keeps its own."""
    described = model.spec.robot.joint(joint.name)
    if described.mimic is None or described.limits is None or joint.multiplier == 0.0:
        return
    low, high = described.limits.lower, described.limits.upper
    if low is None or high is None or not low < high:
        return
    ends = sorted(((low - joint.offset) / joint.multiplier, (high - joint.offset) / joint.multiplier))
    if max(lower[place], ends[0]) < min(upper[place], ends[1]):  # a follower that could never be inside is a matter for `check`
        lower[place], upper[place] = max(lower[place], ends[0]), min(upper[place], ends[1])


def _spread(count: int, k: int) -> Array:
    """Points spread evenly over the unit cube: multiples of the powers of the generalised golden ratio (Roberts, 2018)."""
    ratio = 2.0
    for _ in range(64):
        ratio = (1.0 + ratio) ** (1.0 / (k + 1))
    steps = ratio ** -np.arange(1.0, k + 1)
    return (0.5 + np.arange(1, count + 1)[:, None] * steps) % 1.0


def tip_poses(rows: Array, kind: Numbers, last: Array, Q: Array) -> Array:
    """R and p of the tip at many configurations (s, k), shape (12, s); in plain NumPy, since a chain is made without numba."""
    T = np.tile(np.eye(4), (len(Q), 1, 1))
    for row, (slides, column) in zip(rows, kind, strict=True):
        value = Q[:, column] * row[12] + row[13]
        move = np.tile(np.eye(4), (len(Q), 1, 1))
        if slides:
            move[:, 2, 3] = value
        else:
            move[:, 0, 0] = move[:, 1, 1] = np.cos(value)
            move[:, 1, 0] = np.sin(value)
            move[:, 0, 1] = -move[:, 1, 0]
        T = T @ transform(row[:9].reshape(3, 3), row[9:12]) @ move
    T = T @ transform(last[:9].reshape(3, 3), last[9:])
    return np.ascontiguousarray(np.concatenate([T[:, :3, :3].reshape(len(Q), 9), T[:, :3, 3]], axis=1).T)


def _turning(rows: Array, kind: Numbers, k: int) -> NDArray[np.bool_]:
    """A column may turn fully where all its joints, followers among them, turn, and by whole ratios."""
    turning = np.ones(k, dtype=bool)
    for row, (slides, column) in zip(rows, kind, strict=True):
        if slides or abs(row[12] - round(row[12])) > 1e-12:
            turning[column] = False
    return turning


def _reach(rows: Array, kind: Numbers, last: Array, limits: Array) -> float:
    total = float(np.linalg.norm(last[9:]))
    for index, (slides, column) in enumerate(kind):
        if index:
            total += float(np.linalg.norm(rows[index, 9:12]))
        if slides:
            ends = rows[index, 12] * limits[:2, column] + rows[index, 13]
            total += float(np.abs(ends).max())
    return total
