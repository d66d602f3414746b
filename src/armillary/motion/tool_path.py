"""Paths of the tool: where it is and how it is turned, over the way it has gone.

A path is a row of pieces. Each tells pose, and first and second derivative, at any s from 0 to its length. s is the way of the
tool's origin [m]; where only the orientation changes, a radian counts as `RADIAN` metres.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from armillary.motion.errors import BadMotion
from armillary.motion.tool_kernels import nearest
from armillary.motion.tool_piece import (
    NOTHING,
    RADIAN,
    ArcPiece,
    CurvePiece,
    LinePiece,
    Piece,
    Rows,
    ToolStates,
    states_at,
)
from armillary.motion.trajectory import hermite_coefficients
from armillary.solvers import BadTarget
from armillary.solvers.target import rigid_pose
from armillary.spatial import quaternion_from_rotation, quaternions_from_rotations, rotation_vector, transform

__all__ = [
    "RADIAN",
    "Piece",
    "ToolPath",
    "ToolStates",
    "arc_about",
    "arc_through",
    "circle_through",
    "line",
    "moved",
    "polyline",
    "rounded",
    "spline",
    "turned_by",
]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ToolPath:
    """Pieces one after the other.

    Attributes:
        pieces: Each begins where the one before ends.
        origins: For each piece where it comes from (a program's line), or empty.
    """

    pieces: tuple[Piece, ...]
    origins: tuple[str, ...] = ()

    @cached_property
    def starts(self) -> Array:
        """s at which each piece begins, and the end of the last. Shape (k + 1,)."""
        return np.concatenate([[0.0], np.cumsum([piece.length for piece in self.pieces])])

    @property
    def length(self) -> float:
        return float(self.starts[-1])

    @cached_property
    def _rows(self) -> Rows:
        rows = [piece.rows for piece in self.pieces]
        return Rows(*(np.concatenate(columns) for columns in zip(*rows, strict=True)))

    @cached_property
    def _row_starts(self) -> Array:
        return np.concatenate([[0.0], np.cumsum(self._rows.spans)])

    def at(self, s: Array | Sequence[float]) -> ToolStates:
        """Poses and derivatives at places along the path; at its ends beyond them."""
        rows, starts = self._rows, self._row_starts
        s = np.clip(np.asarray(s, dtype=float), 0.0, self.length)
        which = np.clip(np.searchsorted(starts, s, side="right") - 1, 0, len(rows.spans) - 1)
        return states_at(rows, which, np.minimum(s - starts[which], rows.spans[which]))

    def deviation(self, T: Array, along: Array | None = None) -> tuple[Array, Array]:
        """How far poses (N, 4, 4), in order along the path, are from it [m], [rad].

        Args:
            along: s near which each should be, ascending, shape (N,); looked for from one to the next where left out.
        """
        rows = self._rows
        off, turned = np.empty(len(T)), np.empty(len(T))
        places = np.empty(0) if along is None else np.ascontiguousarray(np.clip(along, 0.0, self.length))
        nearest(rows.kind, rows.table, self._row_starts, RADIAN, places, np.ascontiguousarray(T), off, turned)
        return off, turned

    @cached_property
    def corners(self) -> tuple[int, ...]:
        """Numbers of the pieces before which the direction changes at once, so that the tool has to stop there."""
        one, two = self._meetings(np.zeros(len(self.pieces) - 1))
        bend = np.maximum(np.abs(one.dp - two.dp).max(axis=1), RADIAN * np.abs(one.w - two.w).max(axis=1))
        return tuple((np.flatnonzero(bend > 1e-6) + 1).tolist())

    def cuts_within(self, tolerance: float | Array) -> Array:
        """How far from each meeting of two pieces to leave the path so that a rounded corner passes within a tolerance.

        The curve's middle is 3/8 of the way from the corner to the middle of the two ends: so far it is off the corner.
        """
        one, two = self._meetings(np.zeros(len(self.pieces) - 1))
        bends = np.linalg.norm(one.dp - two.dp, axis=1)
        return np.where(bends < 1e-9, np.inf, tolerance / (0.1875 * np.maximum(bends, 1e-12)))

    def corner_curves(self, cuts: Array) -> list[CurvePiece]:
        """Quintics from a place before each meeting of two pieces to one behind it, smooth with both."""
        ends, corner = [], quaternions_from_rotations(self.at(self.starts[1:-1]).T[:, :3, :3])
        for states in self._meetings(cuts):
            q = quaternions_from_rotations(states.T[:, :3, :3])
            q = np.where((q * corner).sum(axis=1, keepdims=True) < 0.0, -q, q)
            dq = 0.5 * turned_by(states.w, q)
            ddq = 0.5 * (turned_by(states.w, dq) + turned_by(states.dw, q))
            ends.append((np.hstack([states.T[:, :3, 3], q]), np.hstack([states.dp, dq]), np.hstack([states.ddp, ddq])))
        spans = np.maximum(2.0 * cuts, NOTHING)  # the derivative at both ends is then the pieces': of length one
        c = hermite_coefficients(spans, ends[0], ends[1])
        return [CurvePiece(spans[i : i + 1], c[i : i + 1]) for i in range(len(cuts))]

    def _meetings(self, cuts: Array) -> tuple[ToolStates, ToolStates]:
        """States so far before and behind where two pieces meet, each on its own piece."""
        rows, starts = self._rows, self._row_starts
        first = np.cumsum([len(piece.rows.spans) for piece in self.pieces])  # the row behind each piece
        before, behind = self.starts[1:-1] - cuts, self.starts[1:-1] + cuts
        one = np.minimum(np.searchsorted(starts, before, side="right") - 1, first[:-1] - 1)
        two = np.maximum(np.searchsorted(starts, behind, side="right") - 1, first[:-1])
        two = np.minimum(two, first[1:] - 1)
        return states_at(rows, one, before - starts[one]), states_at(rows, two, np.maximum(behind - starts[two], 0.0))

    def __add__(self, other: "ToolPath") -> "ToolPath":
        gap = np.abs(self.at([self.length]).T[0] - other.at([0.0]).T[0]).max()
        if gap > 1e-6:
            raise BadMotion(f"the second path begins {gap:.3g} away from the end of the first")
        origins = (*(self.origins or ("",) * len(self.pieces)), *(other.origins or ("",) * len(other.pieces)))
        return ToolPath((*self.pieces, *other.pieces), origins if any(origins) else ())


def moved(path: ToolPath, T_new_old: Array) -> ToolPath:
    """The same path in another frame, given where the old one is in the new."""
    T = np.asarray(T_new_old, dtype=float)
    return ToolPath(tuple(piece.moved(T) for piece in path.pieces), path.origins)


def _pose(T: Array, what: str) -> Array:
    try:
        return rigid_pose(T, what)
    except BadTarget as error:
        raise BadMotion(str(error)) from None


def line(start: Array, end: Array, *, origin: str = "") -> ToolPath:
    """A straight line between two poses, the orientation turning about one axis, the shorter way.

    Raises:
        BadMotion: They are the same, or no poses.
    """
    piece = LinePiece(_pose(start, "the line's start"), _pose(end, "the line's end"))
    if piece.length < NOTHING:
        raise BadMotion("the line's two ends are the same: there is nothing to move")
    return ToolPath((piece,), (origin,) if origin else ())


def arc_through(start: Array, via: Array | Sequence[float], end: Array, *, origin: str = "") -> ToolPath:
    """An arc from a pose through a point to a pose.

    Args:
        via: A point (3,) or pose on the arc between the two; of a pose only the position counts.

    Raises:
        BadMotion: The three lie on a line or coincide, so that there is no one circle through them.
    """
    start, end = _pose(start, "the arc's start"), _pose(end, "the arc's end")
    a, b, c = start[:3, 3], _point(via), end[:3, 3]
    centre, axis = _circle(a, b, c)
    angle = _swept(a - centre, c - centre, axis)
    return ToolPath((ArcPiece(start, end[:3, :3], centre, axis, angle),), (origin,) if origin else ())


def circle_through(start: Array, via: Array | Sequence[float], via_2: Array | Sequence[float], *, origin: str = "") -> ToolPath:
    """A whole circle from a pose through two points and back, the orientation kept."""
    start = _pose(start, "the circle's start")
    a, b, c = start[:3, 3], _point(via), _point(via_2)
    centre, axis = _circle(a, b, c)
    return ToolPath((ArcPiece(start, start[:3, :3], centre, axis, 2.0 * np.pi),), (origin,) if origin else ())


def arc_about(
    start: Array, centre: Array | Sequence[float], axis: Array | Sequence[float], angle: float, *,
    end_rotation: Array | None = None, origin: str = "",
) -> ToolPath:  # fmt: skip
    """An arc about a centre by an angle.

    Args:
        centre: Any point of the axis, (3,).
        axis: Direction, (3,): the right hand's thumb.
        angle: [rad], below zero for the other way.
        end_rotation: The orientation at the end (3, 3); kept where left out.

    Raises:
        BadMotion: The start is on the axis, the angle or axis is zero.
    """
    start = _pose(start, "the arc's start")
    direction, point = np.asarray(axis, dtype=float), _point(centre)
    size = float(np.linalg.norm(direction))
    if direction.shape != (3,) or not 0.0 < size < np.inf:
        raise BadMotion(f"the arc's axis {direction.tolist()} has no direction; give three numbers that are not all zero")
    if not np.isfinite(angle) or abs(angle) < NOTHING:
        raise BadMotion(f"an arc of {angle} rad goes nowhere; give an angle")
    unit = direction / size * np.sign(angle)
    foot = point + unit * float((start[:3, 3] - point) @ unit)
    if np.linalg.norm(start[:3, 3] - foot) < 1e-6:
        raise BadMotion("the arc's start lies on its axis: its radius is zero")
    R = (
        start[:3, :3]
        if end_rotation is None
        else _pose(transform(np.asarray(end_rotation), np.zeros(3)), "the arc's end")[:3, :3]
    )
    return ToolPath((ArcPiece(start, R, foot, unit, abs(float(angle))),), (origin,) if origin else ())


def spline(poses: Sequence[Array] | Array, *, origin: str = "") -> ToolPath:
    """A smooth curve through poses, shape (N, 4, 4): quintic spline of position and orientation over the poses' distances.

    Raises:
        BadMotion: Fewer than two, or two that are the same after each other.
    """
    from scipy.interpolate import make_interp_spline

    known = [_pose(T, f"the spline's pose {i}") for i, T in enumerate(poses)]
    if len(known) < 2:
        raise BadMotion("a spline needs two poses at least")
    if len(known) == 2:
        return line(known[0], known[1], origin=origin)
    gaps = []
    for i, (one, two) in enumerate(itertools.pairwise(known)):
        way = float(np.linalg.norm(two[:3, 3] - one[:3, 3]))
        gap = max(way, RADIAN * float(np.linalg.norm(rotation_vector(two[:3, :3] @ one[:3, :3].T))) if way < NOTHING else way)
        if gap < 1e-6:
            raise BadMotion(f"poses {i} and {i + 1} of the spline are the same: leave one out")
        gaps.append(gap)
    s = np.concatenate([[0.0], np.cumsum(gaps)])
    values = np.array([[*T[:3, 3], *quaternion_from_rotation(T[:3, :3])] for T in known])
    for i in range(1, len(values)):
        if values[i, 3:] @ values[i - 1, 3:] < 0.0:
            values[i, 3:] *= -1.0  # q and -q are one rotation: the nearer one
    degree = min(5, len(s) - 1)
    curve = make_interp_spline(s, values, k=degree)
    edges = np.unique(curve.t[degree : len(curve.t) - degree])
    c, factorial = np.zeros((len(edges) - 1, 7, 6)), 1.0
    for power in range(degree + 1):
        c[:, :, power] = curve(edges[:-1], nu=power) / factorial
        factorial *= power + 1
    return ToolPath((CurvePiece(np.diff(edges), c),), (origin,) if origin else ())


def polyline(
    poses: Sequence[Array] | Array, *, blend: float = 0.0, tolerance: float | None = None, origins: Sequence[str] = ()
) -> ToolPath:
    """Straight lines through poses, with corners rounded.

    Args:
        blend: How far before and behind a corner it is left and met again [m]; at most half of the shorter line. 0 stops there.
        tolerance: How far the path may be from a corner [m], instead of `blend`.
        origins: Of each line.

    Raises:
        BadMotion: Two poses that are the same after each other, or a negative blend.
    """
    known = [_pose(T, f"pose {i}") for i, T in enumerate(poses)]
    if len(known) < 2:
        raise BadMotion("a polyline needs two poses at least")
    if not (0.0 <= blend < np.inf) or (tolerance is not None and not 0.0 < tolerance < np.inf):
        raise BadMotion(f"a blend of {blend} m and a tolerance of {tolerance} m: give numbers that are not below zero")
    lines = []
    for i, (one, two) in enumerate(itertools.pairwise(known)):
        piece = LinePiece(one, two)
        if piece.length < NOTHING:
            raise BadMotion(f"poses {i} and {i + 1} are the same: leave one out")
        lines.append(piece)
    given = tuple(origins)
    if given and len(given) != len(lines):
        raise BadMotion(f"there are {len(given)} origins for {len(lines)} lines; give one for each, or none")
    return rounded(ToolPath(tuple(lines), given), blend=blend, tolerance=tolerance)


def rounded(
    path: ToolPath, *, blend: float | Sequence[float] | Array = 0.0, tolerance: float | None = None, lengths: Array | None = None
) -> ToolPath:
    """A path whose corners, between pieces of any kind, are rounded.

    Args:
        blend: How far before and behind a corner it is left and met again [m], one for all or one for each place where two
            pieces meet; at most half of the shorter piece. 0 leaves the corner, where the tool stops.
        tolerance: How far the path may be from a corner [m], instead of `blend`.
        lengths: Of the pieces before any was cut, where they are parts of longer ones: at most half of those, and all but a
            tenth of what is left.
    """
    left = np.diff(path.starts)
    if len(left) < 2:
        return path
    known = left if lengths is None else lengths
    wanted = np.broadcast_to(np.asarray(blend, dtype=float), len(left) - 1).copy()
    if tolerance is not None:
        wanted = path.cuts_within(tolerance)
    sharp = np.zeros(len(left) - 1, dtype=bool)
    sharp[np.array(path.corners, dtype=int) - 1] = True
    room = np.minimum(0.49 * np.minimum(known[:-1], known[1:]), 0.9 * np.minimum(left[:-1], left[1:]))
    cuts = np.concatenate([[0.0], np.where(sharp, np.minimum(wanted, room), 0.0), [0.0]])
    corners = path.corner_curves(cuts[1:-1])
    pieces: list[Piece] = []
    names: list[str] = []
    given = path.origins or ("",) * len(left)
    for i, each in enumerate(path.pieces):
        pieces.append(each.part(cuts[i], left[i] - cuts[i + 1]) if cuts[i] > 0.0 or cuts[i + 1] > 0.0 else each)
        names.append(given[i])
        if cuts[i + 1] > 0.0:
            pieces.append(corners[i])
            names.append(given[i + 1])
    return ToolPath(tuple(pieces), tuple(names) if any(names) else ())


def turned_by(w: Array, q: Array) -> Array:
    """Products of the pure quaternions of vectors (N, 3) with quaternions (N, 4)."""
    scalar = -(w * q[:, 1:]).sum(axis=1, keepdims=True)
    return np.hstack([scalar, q[:, :1] * w + np.cross(w, q[:, 1:])])


def _point(where: Array | Sequence[float]) -> Array:
    point = np.asarray(where, dtype=float)
    point = point[:3, 3] if point.shape == (4, 4) else point
    if point.shape != (3,) or not np.isfinite(point).all():
        raise BadMotion(f"{np.array2string(point, threshold=8)} is no point; give three finite numbers [m]")
    return point


def _circle(a: Array, b: Array, c: Array) -> tuple[Array, Array]:
    """Centre and axis of the circle through three points, so turned that b comes before c."""
    u, v = b - a, c - a
    normal = np.cross(u, v)
    size = float(np.linalg.norm(normal))
    if (
        size < 1e-9 * max(float(u @ u), float(v @ v), 1e-12)
        or min(np.linalg.norm(u), np.linalg.norm(v), np.linalg.norm(b - c)) < 1e-7
    ):
        raise BadMotion("the arc's three points lie on a line or coincide: there is no one circle through them")
    axis = normal / size
    centre = a + (np.cross(normal, u) * float(v @ v) + np.cross(v, normal) * float(u @ u)) / (2.0 * size**2)
    return centre, axis


def _swept(start: Array, end: Array, axis: Array) -> float:
    """The angle from one radius to another about an axis, 0 to 2 pi."""
    angle = float(np.arctan2(axis @ np.cross(start, end), start @ end))
    return angle if angle > 1e-12 else angle + 2.0 * np.pi
