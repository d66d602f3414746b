"""Paths of the tool that wind: helices and arcs of many turns, and lines on which three angles turn evenly."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from armillary.motion.errors import BadMotion
from armillary.motion.tool_path import ToolPath, line
from armillary.motion.tool_piece import NOTHING, RADIAN, CurvePiece
from armillary.motion.trajectory import hermite_coefficients
from armillary.spatial import rotation_from_rpy, transform

__all__ = ["helix", "turning_line"]

Array = NDArray[np.float64]
Values = Sequence[float] | Array
_SPAN = 0.15  # rad of turn for each polynomial: then it is within 1e-9 of what it stands for
_OFF = 1e-4  # m that an arc may end beside where it is said to end; the difference is spread over the way


def turning_line(start: Values, end: Values, rpy_from: Values, rpy_to: Values, *, origin: str = "") -> ToolPath:
    """Straight from a point to another while roll, pitch and yaw each go evenly from one value to another, whole turns included.

    Args:
        start, end: (3,) [m]. rpy_from, rpy_to: (3,) [rad].

    Raises:
        BadMotion: Nothing moves, or something is no number.
    """
    one, two, turned, turn = _four(start, end, rpy_from, rpy_to)
    turn = turn - turned
    way = float(np.linalg.norm(two - one))
    angle = float(np.linalg.norm(turn))
    if angle < 1e-12:
        R = rotation_from_rpy(turned)
        return line(transform(R, one), transform(R, two), origin=origin)
    length = way if way > NOTHING else RADIAN * angle
    s = np.linspace(0.0, length, _count(float(np.abs(turn).max())) + 1)
    direction = (two - one) / length
    p = (one + s[:, None] * direction, np.tile(direction, (len(s), 1)), np.zeros((len(s), 3)))
    return _curve(s, p, _turning(turned, turn / length, s), origin)


def helix(
    start: Values, centre: Values, axis: Values, angle: float, end: Values, rpy_from: Values, rpy_to: Values, *, origin: str = ""
) -> ToolPath:
    """Round an axis by any angle, and along it as far as the end lies, while roll, pitch and yaw each go evenly.

    Args:
        start, end: (3,) [m]. centre, axis: A point of the axis, and its direction, (3,).
        angle: By the right hand [rad]; below zero the other way.
        rpy_from, rpy_to: (3,) [rad].

    Raises:
        BadMotion: The start is on the axis, the end is not where the arc comes to, or something is no number.
    """
    one, two, turned, turn = _four(start, end, rpy_from, rpy_to)
    turn = turn - turned
    point, direction = np.asarray(centre, dtype=float), np.asarray(axis, dtype=float)
    size = float(np.linalg.norm(direction))
    if not (np.isfinite(point).all() and 0.0 < size < np.inf and np.isfinite(angle) and abs(angle) > 1e-9):
        raise BadMotion(f"a turn of {angle} rad about the axis {direction.tolist()} is none; give an axis and an angle")
    unit = direction / size
    foot = point + unit * float((one - point) @ unit)
    out = one - foot
    radius, rise = float(np.linalg.norm(out)), float((two - one) @ unit)
    if radius < 1e-6:
        raise BadMotion("the arc's start lies on its axis: its radius is zero")
    side = np.cross(unit, out)
    length = float(np.hypot(radius * angle, rise))
    s = np.linspace(0.0, length, _count(max(abs(angle), float(np.abs(turn).max()))) + 1)
    k = angle / length
    cos, sin = np.cos(k * s)[:, None], np.sin(k * s)[:, None]
    # Rounding in a program's text leaves the end a little beside the arc: the difference is spread over the way.
    gap = two - (foot + np.cos(angle) * out + np.sin(angle) * side + rise * unit)
    if np.linalg.norm(gap) > max(_OFF, 1e-3 * radius):
        raise BadMotion(f"the arc ends {1e3 * float(np.linalg.norm(gap)):.4g} mm from where it is said to end")
    p = (
        foot + cos * out + sin * side + s[:, None] / length * (rise * unit + gap),
        k * (cos * side - sin * out) + (rise * unit + gap) / length,
        -(k**2) * (cos * out + sin * side),
    )
    return _curve(s, p, _turning(turned, turn / length, s), origin)


def _four(*given: Values) -> tuple[Array, Array, Array, Array]:
    found = [np.asarray(values, dtype=float) for values in given]
    for values in found:
        if values.shape != (3,) or not np.isfinite(values).all():
            raise BadMotion(f"{np.array2string(values, threshold=8)} is not three finite numbers")
    return found[0], found[1], found[2], found[3]


def _count(angle: float) -> int:
    if angle > 1e5:
        raise BadMotion(f"a turn of {angle:.4g} rad in one piece is too much; part it")
    return max(int(np.ceil(angle / _SPAN)), 1)


def _turning(rpy: Array, rates: Array, s: Array) -> tuple[Array, Array, Array]:
    """Quaternions (w, x, y, z) of Rz Ry Rx whose angles grow evenly, and their first two derivatives, shape (N, 4) each."""
    half = 0.5 * (rpy + s[:, None] * rates)
    zero = np.zeros(len(s))
    x, y, z = (_columns(np.cos(half[:, i]), *(np.sin(half[:, i]) if j == i else zero for j in range(3))) for i in range(3))
    q = _product(_product(z, y), x)
    # Each angle's own axis, as the angles behind it in the row turn it.
    axis_z = np.tile([0.0, 0.0, 1.0], (len(s), 1))
    axis_y = _rotated(z, np.tile([0.0, 1.0, 0.0], (len(s), 1)))
    axis_x = _rotated(_product(z, y), np.tile([1.0, 0.0, 0.0], (len(s), 1)))
    outer = rates[2] * axis_z + rates[1] * axis_y
    w = outer + rates[0] * axis_x
    dw = rates[1] * np.cross(rates[2] * axis_z, axis_y) + rates[0] * np.cross(outer, axis_x)
    dq = 0.5 * _product(_columns(zero, *w.T), q)
    ddq = 0.5 * (_product(_columns(zero, *dw.T), q) + _product(_columns(zero, *w.T), dq))
    return q, dq, ddq


def _columns(*values: Array) -> Array:
    return np.stack(values, axis=1)


def _product(a: Array, b: Array) -> Array:
    """Of quaternions, row by row."""
    w = a[:, 0] * b[:, 0] - (a[:, 1:] * b[:, 1:]).sum(axis=1)
    return np.hstack([w[:, None], a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:] + np.cross(a[:, 1:], b[:, 1:])])


def _rotated(q: Array, vectors: Array) -> Array:
    """Vectors (N, 3) turned by unit quaternions (N, 4)."""
    inner = np.cross(q[:, 1:], vectors) + q[:, :1] * vectors
    return vectors + 2.0 * np.cross(q[:, 1:], inner)


def _curve(s: Array, p: tuple[Array, Array, Array], q: tuple[Array, Array, Array], origin: str) -> ToolPath:
    """The path through positions and quaternions with their derivatives at places."""
    values, first, second = (np.hstack(pair) for pair in zip(p, q, strict=True))
    c = hermite_coefficients(np.diff(s), (values[:-1], first[:-1], second[:-1]), (values[1:], first[1:], second[1:]))
    return ToolPath((CurvePiece(np.diff(s), c),), (origin,) if origin else ())
