"""A user's frame from points that the tool's tip has touched."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.programs.calibration.errors import BadCalibration, Undetermined
from armillary.programs.calibration.residuals import Residuals, outliers_among
from armillary.spatial import transform

__all__ = ["FrameCalibration", "fit_frame", "frame_from_points"]

Array = NDArray[np.float64]
Points = Array | Sequence[float] | Sequence[Sequence[float]]
NEAR = 0.01  # m: points that are nearer to each other give no direction
_LINE = np.radians(3.0)  # rad: a direction must be further from x than that


@dataclass(frozen=True, eq=False)
class FrameCalibration:
    """A user's frame.

    Attributes:
        T_base_frame: Shape (4, 4), in the frame that the points were given in.
        residuals: How far each point is from where the frame says it is, in the order they were given.
        outliers: Points that do not belong to the others, by number from 0, worst first.
    """

    T_base_frame: Array
    residuals: Residuals
    outliers: tuple[int, ...] = ()


def frame_from_points(origin: Points, on_x: Points, in_plane: Points) -> FrameCalibration:
    """A frame by three points: its origin, one on +x, one in the half of the plane where y is above zero.

    Of each there may be several, shape (3,) or (m, 3) [m]. The plane is then that of least squares through all of them, the
    origin the middle of its points, and x goes to the middle of those on x. With one of each it is exact.

    Raises:
        Undetermined: They are on a line, or too near to each other.
        BadCalibration: They are no points.
    """
    groups = [_points(each, name) for each, name in ((origin, "origin"), (on_x, "on x"), (in_plane, "in the plane"))]
    o, a, b = (group.mean(axis=0) for group in groups)
    for place, name in ((a, "the point on x"), (b, "the point in the plane")):
        if np.linalg.norm(place - o) < NEAR:
            raise Undetermined(
                f"{name} is {1e3 * np.linalg.norm(place - o):.1f} mm from the origin; take one {1e3 * NEAR:g} mm away or more, "
                "the further the better"
            )
    across = np.cross(a - o, b - o)
    if np.linalg.norm(across) < np.sin(_LINE) * np.linalg.norm(a - o) * np.linalg.norm(b - o):
        raise Undetermined("the three points lie on a line, so that the plane is not known; take the third away from the x axis")
    every = np.concatenate(groups)
    z = across / np.linalg.norm(across)
    if len(every) > 3:
        normal = np.linalg.svd(every - every.mean(axis=0), full_matrices=False)[2][-1]
        z = normal if normal @ z > 0.0 else -normal
        o = o - ((o - every.mean(axis=0)) @ z) * z  # the origin lies in the plane
    x = (a - o) - ((a - o) @ z) * z
    x = x / np.linalg.norm(x)
    T = transform(np.column_stack([x, np.cross(z, x), z]), o)
    local = (every - o) @ T[:3, :3]
    # An origin's point should be at 0, one on x has y and z of 0, any other only z of 0.
    counts = [len(group) for group in groups]
    local[counts[0] : counts[0] + counts[1], 0] = 0.0
    local[counts[0] + counts[1] :, :2] = 0.0
    return FrameCalibration(T, Residuals(np.linalg.norm(local, axis=1)))


def fit_frame(p_frame: Points, p_base: Points) -> FrameCalibration:
    """A frame from points whose places in it are known (a drawing), by least squares.

    Args:
        p_frame: Where they are in the frame, shape (k, 3) [m], three at least and not on a line.
        p_base: Where the tool's tip touched them, shape (k, 3) [m].

    Raises:
        Undetermined, BadCalibration: As for `frame_from_points`.
    """
    known, touched = _points(p_frame, "of the frame"), _points(p_base, "that were touched")
    if len(known) != len(touched) or len(known) < 3:
        raise BadCalibration(f"{len(known)} known points and {len(touched)} touched ones; give as many of each, three at least")
    size = np.linalg.svd(known - known.mean(axis=0), compute_uv=False) / np.sqrt(len(known))
    if size[0] < NEAR / 2.0:
        raise Undetermined(f"the points are within {2e3 * size[0]:.1f} mm; take some that are further from each other")
    if size[1] < np.sin(_LINE) * size[0]:
        raise Undetermined("the points lie on a line, so that the turn about it is not known; take one away from it")
    T = _fitted(known, touched)
    off = touched - (known @ T[:3, :3].T + T[:3, 3])

    def fit(some: list[int]) -> Array:
        part = _fitted(known[some], touched[some])
        return np.asarray(np.linalg.norm(touched - (known @ part[:3, :3].T + part[:3, 3]), axis=1))

    return FrameCalibration(T, Residuals(np.linalg.norm(off, axis=1)), outliers_among(len(known), 4, fit))


def _fitted(known: Array, touched: Array) -> Array:
    """The rigid transform that brings points nearest to others (Kabsch), a reflection excluded."""
    a, b = known.mean(axis=0), touched.mean(axis=0)
    U, _, V = np.linalg.svd((touched - b).T @ (known - a))
    R = U @ np.diag([1.0, 1.0, np.linalg.det(U) * np.linalg.det(V)]) @ V
    return transform(R, b - R @ a)


def _points(values: Points, what: str) -> Array:
    try:
        found = np.atleast_2d(np.array(values, dtype=float))
    except (TypeError, ValueError):
        raise BadCalibration(f"the points {what} are no numbers; give x, y, z of each") from None
    if found.ndim != 2 or found.shape[1] != 3 or not len(found) or not np.isfinite(found).all():
        raise BadCalibration(f"the points {what} are not rows of three finite numbers; give x, y, z of each [m]")
    return found
