"""A path of the tool as a path of the joints."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from armillary.model import Model
from armillary.motion.errors import BadMotion, NoMotion
from armillary.motion.joint_path import JointPath, smooth_through
from armillary.motion.tool_path import RADIAN, ToolPath
from armillary.solvers import Chain, Hold, Problem, Target, chain_between, kernels
from armillary.solvers.diagnosis import hindrance_of

__all__ = ["ResolvedPath", "check_beginning", "followed", "resolve", "smooth_joints", "with_speed"]

Array = NDArray[np.float64]
_TIGHT = np.array([1e-10, 1e-10])  # the knots are on the path to this [m], [rad]
_LOOSE = np.array([1e-6, 1e-6])
_JUMP = 0.25  # rad or m between two knots
_INSIDE = 2e-3  # rad or m that knots keep from a joint's end
_MOST = 3000  # knots of one piece


@dataclass(frozen=True, eq=False)
class ResolvedPath:
    """A tool path in joint space.

    Attributes:
        tool: The path of the tool, in the chain's base.
        chain: The joints between base and tip.
        hold: What of the poses counts.
        parts: The joints' path between one corner and the next; the tool has to stop where two meet.
        origins: Of each part's pieces of the tool path, for error messages.
        deviation: How far the tool leaves its path between the knots, measured [m], [rad].
    """

    tool: ToolPath
    chain: Chain
    hold: Hold
    parts: tuple[JointPath, ...]
    starts: tuple[float, ...]
    deviation: tuple[float, float]


def resolve(
    model: Model,
    tool: ToolPath,
    start: Array,
    *,
    tip: str = "",
    base: str = "",
    hold: Hold | None = None,
    tolerance: float = 1e-6,
) -> ResolvedPath:
    """The joints' way along a path of the tool, from a configuration that is at its beginning.

    The branch is the one that the robot stands in. Knots are added until the tool is on its path between them too.

    Args:
        start: Where the robot is, shape (n,); its tip must be where the path begins.
        hold: What of the poses counts; all of it where left out, or what the arm has joints for.
        tolerance: How far the tool may leave the path between knots [m]; for orientations a radian counts 0.3 m.

    Raises:
        BadMotion: The tip is not where the path begins.
        NoMotion: The path leaves what can be reached; says where and why.
    """
    chain = chain_between(model, base, tip or model.tip)
    hold = hold or chain.holds
    whole = model.valid(start, "start").copy()
    check_beginning(model, chain, tool, hold, whole)
    q = whole[chain.columns].copy()
    edges = [0, *tool.corners, len(tool.pieces)]
    parts, starts, worst = [], [], np.zeros(2)
    for first, behind in pairwise(edges):
        smooth = ToolPath(tool.pieces[first:behind], tool.origins[first:behind])
        s, Q, off = followed(model, chain, tool, float(tool.starts[first]), smooth, hold, whole, q, tolerance)
        parts.append(with_speed(smooth_joints(model, chain, whole, s, Q), smooth, s))
        starts.append(float(tool.starts[first]))
        worst = np.maximum(worst, off)
        q = Q[-1].copy()
    return ResolvedPath(tool, chain, hold, tuple(parts), tuple(starts), (float(worst[0]), float(worst[1])))


def check_beginning(model: Model, chain: Chain, tool: ToolPath, hold: Hold, whole: Array) -> None:
    """Refuse a path that does not begin where the tip is, and a robot outside its limits."""
    target = Target.of(tool.at([0.0]).T[0], hold)
    size = np.empty((1, 2))
    kernels.errors_at(*chain.geometry, *target.arrays, whole[chain.columns][None].copy(), size)
    if size[0, 0] > 1e-4 or size[0, 1] > 1e-3:
        raise BadMotion(
            f"the path begins {size[0, 0] * 1e3:.3g} mm and {np.rad2deg(size[0, 1]):.3g} degrees away from where {chain.tip} is; "
            "move there first"
        )
    said = model.outside(whole)
    if said:
        raise BadMotion(f"the start is outside its limits: {said[0]}")


def followed(
    model: Model, chain: Chain, tool: ToolPath, begin: float, part: ToolPath, hold: Hold, whole: Array, q: Array,
    tolerance: float, begins: tuple[Array, Array] | None = None,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """Knots along a part without corners: s, joint values, and how far the tool is off between them."""
    s = _first_knots(part)
    limits = _narrowed(chain, q)
    mask, most = np.array(hold.weights), _MOST * len(part.pieces)
    while True:
        poses = np.ascontiguousarray(part.at(s).T)
        Q, sizes = np.empty((len(s), chain.n)), np.empty((len(s), 2))
        Q[0] = q
        reached = kernels.follow(
            *chain.geometry, limits, s, poses, hold.form, mask, hold.in_tool, _TIGHT, _JUMP, chain.n > hold.constraints, Q, sizes
        )
        if reached == len(s):
            off = _between(chain, part, hold, s, smooth_joints(model, chain, whole, s, Q, begins))
            rough = (off[:, 0] > tolerance) | (RADIAN * off[:, 1] > tolerance)
            if not rough.any() or len(s) > most:
                return s, Q, np.asarray(off.max(axis=0))
            rough |= np.append(rough[1:], False) | np.insert(rough[:-1], 0, False)  # a knot's neighbours shape it too
            middles = 0.5 * (s[:-1] + s[1:])[rough]
        else:
            gap = s[reached] - s[reached - 1] if reached else 0.0
            if gap < 1e-7 * part.length or len(s) > most:
                raise NoMotion(_why(model, chain, tool, begin, part, hold, s, Q, sizes, reached))
            middles = s[reached - 1] + gap * np.array([0.25, 0.5, 0.75])
        s = np.sort(np.concatenate([s, middles]))


def _first_knots(part: ToolPath) -> Array:
    """Both ends of each piece, and a few between."""
    found = []
    turns = np.linalg.norm(part.at(0.5 * (part.starts[:-1] + part.starts[1:])).w, axis=1) * np.diff(part.starts)
    for piece, start, turn in zip(part.pieces, part.starts, turns, strict=False):
        count = int(np.clip(np.ceil(max(piece.length, RADIAN * turn) / 0.04), 4 if len(part.pieces) > 1 else 8, 400))
        found.append(start + piece.length * np.arange(count) / count)
    return np.append(np.concatenate(found), part.length)


def _narrowed(chain: Chain, q: Array) -> Array:
    """Limits a little inside the joints' own, so that the curve between knots stays inside them too."""
    limits = chain.limits.copy()
    room = np.minimum(_INSIDE, 0.01 * (limits[1] - limits[0]))
    limits[0], limits[1] = np.minimum(limits[0] + room, q), np.maximum(limits[1] - room, q)
    return limits


def _between(chain: Chain, piece: ToolPath, hold: Hold, s: Array, path: JointPath) -> Array:
    """How far the tool is off its path between each two knots [m], [rad]. Shape (N - 1, 2)."""
    k = len(s) - 1
    middles = np.concatenate([s[:-1] + share * np.diff(s) for share in (0.25, 0.5, 0.75)])
    Q = np.ascontiguousarray(path.sample(middles)[:, 0, chain.columns])
    sizes = np.empty((len(middles), 2))
    kernels.errors_along(*chain.geometry, piece.at(middles).T, hold.form, np.array(hold.weights), hold.in_tool, Q, sizes)
    return np.asarray(sizes.reshape(3, k, 2).max(axis=0))


def smooth_joints(
    model: Model, chain: Chain, whole: Array, s: Array, Q: Array, begins: tuple[Array, Array] | None = None
) -> JointPath:
    """The joints' path through knots of a chain; the other joints stand."""
    q = np.tile(whole, (len(s), 1))
    q[:, chain.columns] = Q
    return smooth_through(model.joints, s, q, begins=begins)


def with_speed(path: JointPath, tool: ToolPath, s: Array) -> JointPath:
    """The path, told how far the tool moves per s; where it only turns, a radian counts as elsewhere."""
    often = np.append((s[:-1, None] + np.diff(s)[:, None] * (np.arange(4) / 4)).ravel(), s[-1])
    states = tool.at(often)
    way, turn = np.linalg.norm(states.dp, axis=1), RADIAN * np.linalg.norm(states.w, axis=1)
    return replace(path, speed=np.column_stack([often, np.where(way > 1e-6, way, turn)]))


def _why(
    model: Model, chain: Chain, tool: ToolPath, begin: float, part: ToolPath, hold: Hold, s: Array, Q: Array, sizes: Array,
    reached: int,
) -> str:  # fmt: skip
    """Where a path ends and why."""
    at = float(s[max(reached - 1, 0)])
    where = f"after {100 * (begin + at) / tool.length:.3g} % of the path"
    number = int(np.clip(np.searchsorted(part.starts, at, side="right") - 1, 0, len(part.pieces) - 1))
    if part.origins and part.origins[number]:
        where += f" ({part.origins[number]})"
    before = Q[max(reached - 1, 0)]
    gap = np.abs(Q[reached] - before)
    if gap.max() > _JUMP and (sizes[reached] <= _LOOSE).all():
        jump = f"{chain.joints[int(gap.argmax())]} would have to jump by {gap.max():.3g}"
        return f"{where} the path runs into a singularity: {jump}; go round it, or move by joints"
    # A little further on, so that what is missing is more than rounding.
    T = part.at([min(at + max(0.005, 0.01 * part.length), part.length)]).T[0]
    _, hindrance = hindrance_of(Problem(model, chain, Target.of(T, hold), before), before)
    if hindrance is None:
        room = np.minimum(before - chain.limits[0], chain.limits[1] - before)
        held = [name for name, left in zip(chain.joints, room, strict=True) if left < 2 * _INSIDE]
        reason = f"{' and '.join(held)} at the limit" if held else "this branch of the arm ends there"
        return f"{where} {reason}: the pose beyond can be reached only on another branch"
    return f"{where} it leaves what can be reached: {hindrance}"
