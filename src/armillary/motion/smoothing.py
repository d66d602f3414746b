"""Many short lines as one smooth curve: driven without a corner at every line, as what was made from a curve is meant."""

import numpy as np
from numpy.typing import NDArray

from armillary.motion.tool_path import ToolPath, turned_by
from armillary.motion.tool_piece import CurvePiece, ToolStates
from armillary.spatial import quaternions_from_rotations

__all__ = ["STRAIGHT", "smooth_through"]

Array = NDArray[np.float64]
STRAIGHT = 0.35  # rad between two lines: more is meant as a corner
_STRIDES = (16, 8, 4, 2, 1)  # of the points only each so many-th is gone through exactly, where the others lie near enough


def smooth_through(T: Array, tolerance: float, begins: ToolStates | None = None) -> ToolPath | None:
    """A smooth curve from pose to pose, within a tolerance of the lines between them; None where there is none.

    Args:
        T: Poses, shape (k, 4, 4), k > 2, each in another place than the one before.
        tolerance: How far the curve may be from poses and lines [m]; a radian counts as much as along the whole path.
        begins: How the path before it ends (one row), so that both are one smooth path; None where it begins anew.
    """
    from scipy.interpolate import make_interp_spline

    points = np.hstack([T[:, :3, 3], quaternions_from_rotations(T[:, :3, :3])])
    for i in range(1, len(points)):
        if points[i, 3:] @ points[i - 1, 3:] < 0.0:
            points[i, 3:] *= -1.0  # q and -q are one rotation: the nearer one
    s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points[:, :3], axis=0), axis=1))])
    first, second = _beginning(points[0, 3:], begins)
    left = [(1, first), (2, second)] if first is not None else [(3, np.zeros(7)), (4, np.zeros(7))]
    for stride in _STRIDES:
        kept = np.unique([*range(0, len(s) - 1, stride), len(s) - 1])
        if len(kept) < 3 and stride > 1:
            continue
        curve = make_interp_spline(s[kept], points[kept], k=5, bc_type=(left, [(3, np.zeros(7)), (4, np.zeros(7))]))
        if _keeps(curve, s, points, tolerance):
            return ToolPath((_piece(curve, s[kept]),))
    return None


def _beginning(q: Array, begins: ToolStates | None) -> tuple[Array | None, Array | None]:
    """First and second derivatives of position and quaternion at the begin."""
    if begins is None:
        return None, None
    w, dw, q = begins.w[:1], begins.dw[:1], q[None]
    dq = 0.5 * turned_by(w, q)
    ddq = 0.5 * (turned_by(w, dq) + turned_by(dw, q))
    return np.concatenate([begins.dp[0], dq[0]]), np.concatenate([begins.ddp[0], ddq[0]])


def _keeps(curve, s: Array, points: Array, tolerance: float) -> bool:  # type: ignore[no-untyped-def]
    """Whether a curve is near enough to the points, and to the lines between them, and goes on evenly."""
    if np.abs(curve(s) - points)[:, :3].max() > 0.5 * tolerance:
        return False
    shares = np.array([0.25, 0.5, 0.75])
    at = (s[:-1, None] + np.diff(s)[:, None] * shares).ravel()
    lines = (points[:-1, None] + shares[None, :, None] * np.diff(points, axis=0)[:, None]).reshape(-1, 7)
    if np.linalg.norm((curve(at) - lines)[:, :3], axis=1).max() > tolerance:
        return False
    if np.abs(curve(at) - lines)[:, 3:].max() > max(0.5 * tolerance / 0.3, 1e-6):
        return False
    speed = np.linalg.norm(curve(at, nu=1)[:, :3], axis=1)
    return bool(speed.min() > 0.8 and speed.max() < 1.25)


def _piece(curve, knots: Array) -> CurvePiece:  # type: ignore[no-untyped-def]
    edges = np.unique(np.concatenate([knots[:1], curve.t[(curve.t > knots[0]) & (curve.t < knots[-1])], knots[-1:]]))
    c, factorial = np.zeros((len(edges) - 1, 7, 6)), 1.0
    for power in range(6):
        c[:, :, power] = curve(edges[:-1], nu=power) / factorial
        factorial *= power + 1
    return CurvePiece(np.diff(edges), c)
