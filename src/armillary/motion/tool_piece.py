"""Smooth parts of a tool path: straight, round, or curved."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from armillary.motion import tool_kernels as kernels
from armillary.motion.trajectory import pieces_between
from armillary.spatial import quaternion_from_rotation, rotation_vector

__all__ = [
    "NOTHING",
    "RADIAN",
    "ArcPiece",
    "CurvePiece",
    "LinePiece",
    "Piece",
    "Rows",
    "ToolStates",
    "quaternion_product",
    "states_at",
]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
RADIAN = 0.3  # m: what turning on the spot counts
NOTHING = 1e-9  # m: a way this short is none


class ToolStates(NamedTuple):
    """Poses and their derivatives by s, N of each, in the path's frame.

    Attributes:
        T: Poses, shape (N, 4, 4).
        dp, ddp: Of the position, shape (N, 3).
        w, dw: Of the orientation: angular velocity per s, and its derivative, shape (N, 3).
    """

    T: Array
    dp: Array
    ddp: Array
    w: Array
    dw: Array


class Rows(NamedTuple):
    """What the kernel reads of a piece: one row or more.

    Attributes:
        kind: LINE, ROUND or CURVE, shape (k,).
        spans: Lengths [m], shape (k,).
        table: See `tool_kernels`, shape (k, WIDTH).
    """

    kind: Numbers
    spans: Array
    table: Array


class Piece(Protocol):
    """A smooth part of a path."""

    @property
    def length(self) -> float: ...

    @property
    def rows(self) -> Rows: ...

    def moved(self, T_new_old: Array) -> "Piece": ...

    def part(self, begin: float, end: float) -> "Piece": ...


def states_at(rows: Rows, which: Numbers, s: Array) -> ToolStates:
    """Poses and derivatives at places of rows, each place from its row's start."""
    out = ToolStates(*(np.empty((len(s), *shape)) for shape in ((4, 4), (3,), (3,), (3,), (3,))))
    kernels.tool_states(rows.kind, rows.table, which, s, *out)
    return out


@dataclass(frozen=True, eq=False)
class LinePiece:
    """Straight on, turning evenly about one axis, the shorter way."""

    start: Array
    end: Array

    @cached_property
    def length(self) -> float:
        way = float(np.linalg.norm(self.end[:3, 3] - self.start[:3, 3]))
        return way if way > NOTHING else RADIAN * float(np.linalg.norm(self._turn))

    @cached_property
    def _turn(self) -> Array:
        return rotation_vector(self.end[:3, :3] @ self.start[:3, :3].T)

    @cached_property
    def rows(self) -> Rows:
        direction = (self.end[:3, 3] - self.start[:3, 3]) / self.length
        return _row(kernels.LINE, self.length, self.start[:3, :3], self._turn, np.concatenate([self.start[:3, 3], direction]))

    def part(self, begin: float, end: float) -> "LinePiece":
        """What of it is between two places."""
        ends = states_at(self.rows, np.zeros(2, dtype=np.int64), np.array([begin, end])).T
        return LinePiece(ends[0], ends[1])

    def moved(self, T_new_old: Array) -> "LinePiece":
        return LinePiece(T_new_old @ self.start, T_new_old @ self.end)


@dataclass(frozen=True, eq=False)
class ArcPiece:
    """Round a centre, turning evenly about one axis of its own."""

    start: Array
    end_rotation: Array
    centre: Array
    axis: Array  # unit
    angle: float  # rad, above zero

    @cached_property
    def radius(self) -> float:
        return float(np.linalg.norm(self.start[:3, 3] - self.centre))

    @property
    def length(self) -> float:
        return self.radius * self.angle

    @cached_property
    def rows(self) -> Rows:
        turn = rotation_vector(self.end_rotation @ self.start[:3, :3].T)
        out = (self.start[:3, 3] - self.centre) / self.radius
        rest = np.concatenate([self.centre, [self.radius], out, np.cross(self.axis, out)])
        return _row(kernels.ROUND, self.length, self.start[:3, :3], turn, rest)

    def part(self, begin: float, end: float) -> "ArcPiece":
        """What of it is between two places."""
        ends = states_at(self.rows, np.zeros(2, dtype=np.int64), np.array([begin, end])).T
        return ArcPiece(ends[0], ends[1, :3, :3], self.centre, self.axis, (end - begin) / self.radius)

    def moved(self, T_new_old: Array) -> "ArcPiece":
        R = T_new_old[:3, :3]
        centre = R @ self.centre + T_new_old[:3, 3]
        return ArcPiece(T_new_old @ self.start, R @ self.end_rotation, centre, R @ self.axis, self.angle)


@dataclass(frozen=True, eq=False)
class CurvePiece:
    """Polynomials of the position and of an unnormalised quaternion: splines and blends.

    Attributes:
        spans: Of its polynomials, shape (k,).
        coefficients: Shape (k, 7, 6): position, then quaternion (w, x, y, z).
    """

    spans: Array
    coefficients: Array

    @cached_property
    def length(self) -> float:
        return float(self.spans.sum())

    @cached_property
    def rows(self) -> Rows:
        k = len(self.spans)
        return Rows(np.full(k, kernels.CURVE), self.spans, np.ascontiguousarray(self.coefficients.reshape(k, kernels.WIDTH)))

    def part(self, begin: float, end: float) -> "CurvePiece":
        """What of it is between two places."""
        _, spans, c = pieces_between(self.spans, self.coefficients, begin, end)
        return CurvePiece(spans, c)

    def moved(self, T_new_old: Array) -> "CurvePiece":
        R, c = T_new_old[:3, :3], np.empty_like(self.coefficients)
        c[:, :3] = np.einsum("ij,kjp->kip", R, self.coefficients[:, :3])
        c[:, :3, 0] += T_new_old[:3, 3]
        turn = quaternion_from_rotation(R)
        left = np.array([quaternion_product(turn, unit) for unit in np.eye(4)]).T
        c[:, 3:] = np.einsum("ij,kjp->kip", left, self.coefficients[:, 3:])
        return replace(self, coefficients=c)


def _row(kind: int, length: float, R: Array, turn: Array, rest: Array) -> Rows:
    table = np.zeros((1, kernels.WIDTH))
    angle = float(np.linalg.norm(turn))
    table[0, :9] = R.ravel()
    if angle > 1e-15:
        table[0, 9:12], table[0, 12] = turn / angle, angle / length
    table[0, 13 : 13 + len(rest)] = rest
    return Rows(np.array([kind]), np.array([length]), table)


def quaternion_product(a: Array, b: Array) -> Array:
    """Of two quaternions (w, x, y, z)."""
    w = a[0] * b[0] - a[1:] @ b[1:]
    return np.concatenate([[w], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])])
