"""A path in joint space: q(s), piecewise of degree five, without time."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from armillary.motion import kernels
from armillary.motion.errors import BadMotion
from armillary.motion.trajectory import hermite_coefficients, pieces_between

__all__ = ["JointPath", "joint_line", "joint_polyline", "joint_spline", "smooth_through"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class JointPath:
    """q(s) from s = 0 to its length.

    Attributes:
        joints: Names of the joints.
        spans: Lengths of the pieces in s, shape (k,).
        coefficients: Shape (k, n, 6), each in s from its piece's start.
        speed: How far the tool moves per s at many s, shape (M, 2): s and m per unit of s; empty for a joint path.
    """

    joints: tuple[str, ...]
    spans: Array
    coefficients: Array
    speed: Array

    @cached_property
    def knots(self) -> Array:
        return np.concatenate([[0.0], np.cumsum(self.spans)])

    @property
    def length(self) -> float:
        return float(self.knots[-1])

    @property
    def start(self) -> Array:
        return np.asarray(self.sample([0.0])[0, 0])

    @property
    def end(self) -> Array:
        return np.asarray(self.sample([self.length])[0, 0])

    def sample(self, s: Sequence[float] | Array) -> Array:
        """q and its first three derivatives by s. Shape (N, 4, n)."""
        s = np.ascontiguousarray(s, dtype=float)
        out = np.empty((len(s), 4, len(self.joints)))
        kernels.sample(self.knots, np.ascontiguousarray(self.coefficients), s, out)
        return out

    def part(self, begin: float, end: float) -> "JointPath":
        """What of it is between two places: exact."""
        _, spans, c = pieces_between(self.spans, self.coefficients, begin, end)
        return JointPath(self.joints, spans, c, _speed_part(self.speed, begin, end))

    def __add__(self, other: "JointPath") -> "JointPath":
        """One after the other. Where they meet is the caller's matter."""
        speed = (
            np.concatenate([self.speed, other.speed + np.array([self.length, 0.0])])
            if len(self.speed) or len(other.speed)
            else _NO_TOOL
        )
        spans, c = np.concatenate([self.spans, other.spans]), np.concatenate([self.coefficients, other.coefficients])
        return JointPath(self.joints, spans, c, speed)


_NO_TOOL = np.empty((0, 2))


def _speed_part(speed: Array, begin: float, end: float) -> Array:
    if not len(speed):
        return speed
    at = np.interp([begin, end], speed[:, 0], speed[:, 1])
    inside = speed[(speed[:, 0] > begin) & (speed[:, 0] < end)]
    return np.concatenate([[[begin, at[0]]], inside, [[end, at[1]]]]) - [begin, 0.0]


def joint_line(joints: Sequence[str], start: Array, goal: Array) -> JointPath:
    """The straight line between two configurations, s from 0 to 1."""
    c = np.zeros((1, len(joints), 6))
    c[0, :, 0], c[0, :, 1] = start, np.asarray(goal) - np.asarray(start)
    if not np.abs(c[0, :, 1]).max(initial=0.0) > 0.0:
        raise BadMotion("start and goal are the same: there is nothing to move")
    return JointPath(tuple(joints), np.ones(1), c, _NO_TOOL)


def joint_spline(joints: Sequence[str], points: Array) -> JointPath:
    """A smooth curve through configurations, shape (N, n): the quintic spline over their distances from each other."""
    points = np.asarray(points, dtype=float)
    if points.ndim != 2 or len(points) < 2 or not np.isfinite(points).all():
        raise BadMotion("a spline needs two finite configurations at least, one a row")
    gaps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if not (gaps > 1e-9).all():
        where = int(np.argmin(gaps))
        raise BadMotion(f"points {where} and {where + 1} of the spline are the same: leave one out")
    if len(points) == 2:
        return joint_line(joints, points[0], points[1])
    return smooth_through(joints, np.concatenate([[0.0], np.cumsum(np.sqrt(gaps))]), points)


def joint_polyline(joints: Sequence[str], points: Array, *, blend: float | Sequence[float] = 0.3) -> JointPath:
    """Straight lines through configurations, shape (N, n), with corners rounded by quintics.

    Args:
        blend: How far before and behind a corner it is left and met again [rad or m, by the length in joint space], one for all
            or one for each corner; at most half of the shorter line. 0 leaves corners, which a timing would have to stop at: use
            it part by part then.
    """
    points = np.asarray(points, dtype=float)
    if points.ndim != 2 or len(points) < 2 or not np.isfinite(points).all():
        raise BadMotion("a way needs two finite configurations at least, one a row")
    gaps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if not (gaps > 1e-9).all():
        raise BadMotion(f"points {int(np.argmin(gaps))} and {int(np.argmin(gaps)) + 1} are the same: leave one out")
    ways = np.diff(points, axis=0) / gaps[:, None]
    cuts = np.zeros(len(points))
    cuts[1:-1] = np.minimum(blend, 0.49 * np.minimum(gaps[:-1], gaps[1:]))
    spans, rows = [], []
    none = np.zeros((1, points.shape[1]))
    for i, gap in enumerate(gaps):
        begin, length = points[i] + cuts[i] * ways[i], gap - cuts[i] - cuts[i + 1]
        row = np.zeros((points.shape[1], 6))
        row[:, 0], row[:, 1] = begin, ways[i]
        spans.append(length)
        rows.append(row)
        if i + 1 < len(gaps) and cuts[i + 1] > 0.0:
            cut = cuts[i + 1]
            one, two = points[i + 1] - cut * ways[i], points[i + 1] + cut * ways[i + 1]
            rows.append(
                hermite_coefficients(
                    np.array([2.0 * cut]), (one[None], ways[i][None], none), (two[None], ways[i + 1][None], none)
                )[0]
            )
            spans.append(2.0 * cut)
    return JointPath(tuple(joints), np.array(spans), np.array(rows), _NO_TOOL)


def smooth_through(
    joints: Sequence[str], s: Array, q: Array, *, speed: Array = _NO_TOOL, begins: tuple[Array, Array] | None = None
) -> JointPath:
    """The smoothest quintic pieces through configurations (N, n) at given s (N,): all derivatives up to the fourth continuous.

    Of the few conditions that are free, those at the ends are that the first three pieces are one polynomial, and the last three.

    Args:
        begins: First and second derivative at the start, shape (n,) each, where it goes on from another path.
    """
    from scipy.interpolate import make_interp_spline

    if begins is None:
        degree = min(5, len(s) - 1)
        spline = make_interp_spline(s, q, k=degree)
    else:
        degree = 5
        ends = [(order, _slope_at_end(s, q, order)) for order in (1, 2)]
        spline = make_interp_spline(s, q, k=5, bc_type=([(1, begins[0]), (2, begins[1])], ends))
    edges = np.unique(spline.t[degree : len(spline.t) - degree])
    c = np.zeros((len(edges) - 1, q.shape[1], 6))
    factorial = 1.0
    for power in range(degree + 1):
        c[:, :, power] = spline(edges[:-1], nu=power) / factorial
        factorial *= power + 1
    return JointPath(tuple(joints), np.diff(edges), c, speed)


def _slope_at_end(s: Array, q: Array, order: int) -> Array:
    """A derivative at the last of several points, by the polynomial through the last of them."""
    last = s[-6:] - s[-1]
    powers = (last / -last[0])[:, None] ** np.arange(len(last))
    c = np.linalg.solve(powers, q[-6:])
    return np.asarray(c[order] * (1.0 if order == 1 else 2.0) / (-last[0]) ** order)
