"""Whether a trajectory touches anything on its way, proven and not sampled.

Two parts that are found some distance apart cannot meet before the joints between them have moved far enough: the way of any
point is at most the sum over those joints of angle times lever. So each pair is looked at again when that sum has grown to its
distance, and not before: often where it is close and moving, seldom elsewhere.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.model import Model, Scene
from armillary.model.scene_part import Part
from armillary.motion import kernels
from armillary.motion.trajectory import Trajectory

__all__ = ["Hit", "Sweep", "pair_levers", "sweep"]

Array = NDArray[np.float64]
_NEAREST = 2e-4  # nearer than this counts as touching [m]
_SHARE = 0.9  # of a distance that may be used up before the next look
_ALONG = 0.5  # a pair whose next look is due soon is looked at along with others


@dataclass(frozen=True)
class Hit:
    """Two parts that meet, or come nearer than the margin."""

    first: str
    second: str
    time: float
    distance: float


@dataclass(frozen=True)
class Sweep:
    """What was found along a trajectory: the first hit, the smallest distance that was met, and how often it was looked."""

    hit: Hit | None
    clearance: float
    looks: int


def pair_levers(scene: Scene) -> Array:
    """How much nearer each pair that is checked can come for one radian (or metre) of each commanded joint. Shape (P, n)."""
    model, parts = scene.model, scene.parts
    radius = [scene.radius(part) for part in parts]
    out = np.zeros((len(scene.numbered_pairs), model.n))
    for row, (a, b) in enumerate(scene.numbered_pairs):
        shared = set(_above(model, parts[a].carrier)) & set(_above(model, parts[b].carrier))
        for part, size in ((parts[a], radius[a]), (parts[b], radius[b])):
            _add_levers(model, part, size, shared, out[row])
    return out


def _above(model: Model, carrier: int) -> list[int]:
    found = []
    while carrier >= 0:
        found.append(carrier)
        carrier = model.tree.moving[carrier].parent
    return found


def _add_levers(model: Model, part: Part, size: float, shared: set[int], out: Array) -> None:
    """From the part inwards: the lever of a joint is all that lies between it and the part's furthest point."""
    far = float(np.linalg.norm(part.T_carrier_shape[:3, 3])) + size
    for index in _above(model, part.carrier):
        if index in shared:
            break
        joint = model.tree.moving[index]
        out[joint.driver] += abs(joint.multiplier) * (1.0 if joint.prismatic else far)
        far += float(np.linalg.norm(joint.T_parent_joint[:3, 3]))
        if joint.prismatic:
            ends = np.array([model.lower[joint.driver], model.upper[joint.driver]]) * joint.multiplier + joint.offset
            far += float(np.abs(ends).max()) if np.isfinite(ends).all() else 10.0


def sweep(scene: Scene, trajectory: Trajectory, *, margin: float = 0.0) -> Sweep:
    """Look along a trajectory for the first time at which anything comes nearer than the margin [m]."""
    pairs = len(scene.numbered_pairs)
    if pairs == 0:
        return Sweep(None, float("inf"), 0)
    values, _ = trajectory.segment_extrema
    fastest = np.abs(values[:, :, 1]).max(axis=2)  # of each joint in each segment, (k, n)
    speed = pair_levers(scene) @ fastest.T  # of each pair, (P, k): m/s that it cannot come nearer faster than
    way = np.ascontiguousarray(np.concatenate([np.zeros((pairs, 1)), np.cumsum(speed * trajectory.durations, axis=1)], axis=1))
    knots, end = trajectory.knots, trajectory.duration
    seen, due = np.zeros(pairs), np.zeros(pairs)
    least, looks = np.inf, 0
    t = 0.0
    while True:
        now = np.flatnonzero((due <= t) | (seen + _ALONG * (due - seen) <= t))
        q = trajectory.sample([t])[0, 0]
        distances = np.array(scene.distances(q, now.tolist()))
        looks += len(now)
        least = min(least, float(distances.min()))
        if least - margin <= _NEAREST:
            first, second = scene.pair_names(int(now[distances.argmin()]))
            return Sweep(Hit(first, second, t, least), least, looks)
        seen[now] = t
        kernels.due_times(knots, way, now, t, _SHARE * (distances - margin), due)
        t = float(due.min())
        if t >= end:
            return Sweep(None, float(least), looks)
