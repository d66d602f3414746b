"""Linear segment with parabolic blends: constant acceleration, constant speed, constant deceleration.

Acceleration steps at both ends of a blend. That is its nature: it is bounded, declared (continuity 1), and no jerk is claimed.
"""

import numpy as np
from numpy.typing import NDArray

from armillary.motion.errors import BadMotion
from armillary.motion.limits import MotionLimits
from armillary.motion.profiles.quintic import moving
from armillary.motion.trajectory import Trajectory

__all__ = ["lspb_move"]

Array = NDArray[np.float64]


def lspb_move(limits: MotionLimits, start: Array, goal: Array, *, duration: float | None = None) -> Trajectory:
    """All joints together along a straight line in joint space, from rest to rest.

    Args:
        duration: In all; the blends then take a third each where limits allow. The least time where left out.

    Raises:
        BadMotion: The two are the same, or the time is too short.
    """
    distance = np.abs(moving(limits, start, goal))
    with np.errstate(divide="ignore"):
        speed, rise = float(np.min(limits.velocity / distance)), float(np.min(limits.acceleration / distance))  # of s, 0 to 1
    top = min(speed, np.sqrt(rise))  # a triangle where it is too short to reach its speed
    least = 1.0 / top + top / rise
    if duration is None:
        T, blend = least, top / rise
    else:
        if not np.isfinite(duration) or duration < least * (1.0 - 1e-12):
            raise BadMotion(f"{duration:g} s is too short: it takes {least:.4g} s at least")
        T = float(duration)
        blend = _blend(T, speed, rise)
    top = 1.0 / (T - blend)
    # Position, speed and half the acceleration of s at the start of the three pieces.
    pieces = [(blend, 0.0, 0.0, 0.5 * top / blend)]
    if T - 2.0 * blend > 1e-12 * T:
        pieces.append((T - 2.0 * blend, 0.5 * top * blend, top, 0.0))
    pieces.append((blend, 1.0 - 0.5 * top * blend, top, -0.5 * top / blend))
    c = np.zeros((len(pieces), len(limits.joints), 6))
    along = np.asarray(goal, dtype=float) - np.asarray(start, dtype=float)
    for i, (_, s, ds, half) in enumerate(pieces):
        c[i, :, 0] = start + s * along
        c[i, :, 1] = ds * along
        c[i, :, 2] = half * along
    return Trajectory(limits.joints, np.array([piece[0] for piece in pieces]), c, continuity=1, profile="lspb")


def _blend(T: float, speed: float, rise: float) -> float:
    """How long a blend takes: a third of the whole, or as near to that as speed and acceleration allow."""
    longest = min(T - 1.0 / speed, 0.5 * T)  # v = 1 / (T - blend) stays below the speed
    # a = 1 / (blend (T - blend)) stays below the rise: between the roots of blend^2 - T blend + 1 / rise.
    shortest = 0.5 * (T - np.sqrt(max(T * T - 4.0 / rise, 0.0)))
    return float(np.clip(T / 3.0, shortest, max(longest, shortest)))
