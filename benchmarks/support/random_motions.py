"""Random motions: start, goal or waypoints, limits over four decades, profile. The same seed gives the same problem."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.motion import MotionLimits, Trajectory, joint_polyline, joint_spline, time_path
from armillary.motion.joint_path import joint_line
from armillary.motion.profiles import jerk_limited_move, lspb_move, quintic_move

Array = NDArray[np.float64]
PROFILES = ("quintic", "lspb", "jerk", "line", "time_optimal", "spline", "polyline")


@dataclass(frozen=True, eq=False)
class Motion:
    """A problem and what came of it."""

    profile: str
    limits: MotionLimits
    points: Array
    trajectory: Trajectory

    @property
    def over(self) -> float:
        """By what share it exceeds a limit at most; below zero is room."""
        extrema = np.abs(self.trajectory.extrema.values).max(axis=2)
        orders = (1, 2, 3) if self.trajectory.continuity >= 2 else (1, 2)
        return max(float((extrema[order] / self.limits.of_order(order)).max()) for order in orders) - 1.0

    @property
    def missed(self) -> float:
        """How far from the goal it ends, by position and by speed, relative to the way."""
        end = self.trajectory.end
        way = max(float(np.abs(np.diff(self.points, axis=0)).max()), 1e-9)
        return max(float(np.abs(end.q - self.points[-1]).max()) / way, float(np.abs(end.v / self.limits.velocity).max()))


def draw(seed: int, profile: str) -> tuple[MotionLimits, Array]:
    """Limits and points of a problem."""
    rng = np.random.default_rng([seed, PROFILES.index(profile)])
    n = int(rng.integers(1, 8))
    v = 10 ** rng.uniform(-2, 1.5, n)
    a = v * 10 ** rng.uniform(-1, 2, n)
    j = a * 10 ** rng.uniform(-1, 2, n)
    wide = np.full(n, 1e6)
    limits = MotionLimits(tuple(f"joint_{i + 1}" for i in range(n)), -wide, wide, v, a, j)
    count = int(rng.integers(3, 7)) if profile in ("spline", "polyline") else 2
    return limits, rng.uniform(-3, 3, (count, n)) * 10 ** rng.uniform(-3, 0.3)


def solve(seed: int, profile: str) -> Motion:
    limits, points = draw(seed, profile)
    if profile in ("quintic", "lspb", "jerk"):
        trajectory = {"quintic": quintic_move, "lspb": lspb_move, "jerk": jerk_limited_move}[profile](
            limits, points[0], points[-1]
        )
    elif profile in ("line", "time_optimal"):
        law = "jerk" if profile == "line" else "time_optimal"
        trajectory = time_path(joint_line(limits.joints, points[0], points[-1]), limits, profile=law)
    elif profile == "spline":
        trajectory = time_path(joint_spline(limits.joints, points), limits)
    else:
        trajectory = time_path(joint_polyline(limits.joints, points), limits)
    return Motion(profile, limits, points, trajectory)
