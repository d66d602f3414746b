"""Where a tool's tip is, from touching one fixed point in several orientations; and how the tool is turned."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.programs.calibration.errors import BadCalibration, Undetermined
from armillary.programs.calibration.residuals import Residuals, outliers_among
from armillary.spatial import is_transform

__all__ = ["ToolCalibration", "calibrate_tool", "tool_rotation"]

Array = NDArray[np.float64]
LEAST = 4  # poses
_ALIKE = 0.05  # orientations must differ by more: an error in touching comes back at most 20 times as large
_NEAR, _PARALLEL = 0.005, np.radians(5.0)  # m, rad


@dataclass(frozen=True, eq=False)
class ToolCalibration:
    """A tool's tip.

    Attributes:
        xyz: p_tip_tool, shape (3,) [m]: of the tool's tip in the frame of the arm's tip.
        touched: The fixed point, in the frame that the poses were given in, shape (3,) [m].
        residuals: How far the tool's tip was from the fixed point at each touch.
        spread: How much the orientations differ in the direction that is known least: 0 not at all, 1 as much as can be.
        uncertainty: Standard deviation of xyz along its axes, by the residuals, shape (3,) [m].
        outliers: Touches that do not belong to the others, by number from 0, worst first. They are in the result all the same.
    """

    xyz: Array
    touched: Array
    residuals: Residuals
    spread: float
    uncertainty: Array
    outliers: tuple[int, ...]


def calibrate_tool(T_base_tip: Array) -> ToolCalibration:
    """The tool's tip by least squares: R x + p is the same point in every pose.

    Args:
        T_base_tip: Poses of the arm's tip, without any tool, while the tool touched one fixed point; shape (k, 4, 4), four at
            least, with orientations as different as can be.

    Raises:
        BadCalibration: Fewer than four, or no poses.
        Undetermined: The orientations are too much alike; says which direction of the tool is not known.
    """
    T = _poses(T_base_tip, LEAST)
    R, p = T[:, :3, :3], T[:, :3, 3]
    xyz, touched = _solved(R, p)
    apart = (R - R.mean(axis=0)).reshape(-1, 3) / np.sqrt(len(T))
    _, sizes, directions = np.linalg.svd(apart, full_matrices=False)
    if sizes[-1] < _ALIKE:
        raise Undetermined(_alike(directions[-1], float(sizes[-1])))
    off = R @ xyz + p - touched
    freedom = 3 * len(T) - 6
    inverse = np.linalg.inv(len(T) * apart.T @ apart)
    return ToolCalibration(
        xyz, touched, Residuals(np.linalg.norm(off, axis=1)), float(sizes[-1]),
        np.sqrt(np.diag(inverse) * (off**2).sum() / freedom),
        outliers_among(len(T), LEAST, lambda some: _off(R, p, some)),
    )  # fmt: skip


def _solved(R: Array, p: Array) -> tuple[Array, Array]:
    A = np.concatenate([R, np.broadcast_to(-np.eye(3), R.shape)], axis=2).reshape(-1, 6)
    both = np.linalg.lstsq(A, -p.ravel(), rcond=None)[0]
    return both[:3], both[3:]


def _off(R: Array, p: Array, some: list[int]) -> Array:
    xyz, touched = _solved(R[some], p[some])
    return np.asarray(np.linalg.norm(R @ xyz + p - touched, axis=1))


def _alike(direction: Array, spread: float) -> str:
    along = "xyz"[int(np.abs(direction).argmax())]
    text = ", ".join(f"{value:.2f}" for value in direction * np.sign(direction[np.abs(direction).argmax()]))
    return (
        f"the poses are too much alike (they differ by {spread:.3f}, and {_ALIKE} is the least): where the tool is along "
        f"({text}) of the arm's tip, nearest to its {along} axis, cannot be told; touch the point again with the tool tilted by "
        f"30 degrees or more about axes across that direction, to several sides"
    )


def tool_rotation(T_base_tip: Array, xyz: Array) -> Array:
    """R_tip_tool, shape (3, 3): how the tool is turned, from three poses.

    In them the tool's tip is at an origin, then further along the tool's +z, then in the plane of its x and z, on the side of
    +x.

    Args:
        T_base_tip: Shape (3, 4, 4). The tool is best not turned between them; only the first one's orientation counts.
        xyz: p_tip_tool, shape (3,) [m].

    Raises:
        Undetermined: The points are too near to each other, or on a line.
    """
    T = _poses(T_base_tip, 3)[:3]
    places = T[:, :3, :3] @ np.asarray(xyz, dtype=float) + T[:, :3, 3]
    along_z, towards_x = (T[0, :3, :3].T @ (place - places[0]) for place in places[1:])
    for way, name in ((along_z, "along z"), (towards_x, "in the plane of x and z")):
        if np.linalg.norm(way) < _NEAR:
            raise Undetermined(
                f"the point {name} is {1e3 * np.linalg.norm(way):.1f} mm from the origin; go {1e3 * _NEAR:g} mm or more, "
                "best 100 mm"
            )
    z = along_z / np.linalg.norm(along_z)
    x = towards_x - (towards_x @ z) * z
    if np.linalg.norm(x) < np.sin(_PARALLEL) * np.linalg.norm(towards_x):
        raise Undetermined("the two points lie in the same direction, so that x is not known; take the second one across z")
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _poses(T: Array, least: int) -> Array:
    try:
        T = np.array(T, dtype=float)
    except (TypeError, ValueError):
        raise BadCalibration("the poses are not an array of numbers; give transforms of 4 x 4") from None
    if T.ndim != 3 or T.shape[1:] != (4, 4) or len(T) < least:
        raise BadCalibration(f"{len(T) if T.ndim else 0} poses, and {least} at least are needed; touch the point more often")
    for number, pose in enumerate(T, 1):
        if not is_transform(pose, 1e-6):
            raise BadCalibration(f"pose {number} is no rigid transform; give the pose of the arm's tip")
    return T
