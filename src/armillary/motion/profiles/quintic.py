"""Rest to rest by one polynomial of degree five: s = 10 u^3 - 15 u^4 + 6 u^5, u = t / T."""

import numpy as np
from numpy.typing import NDArray

from armillary.motion.errors import BadMotion
from armillary.motion.limits import MotionLimits
from armillary.motion.trajectory import Trajectory, quintic_through

__all__ = ["quintic_duration", "quintic_move"]

Array = NDArray[np.float64]
# The largest rates of s over u, squared and cubed where they count so: 15/8, 10/sqrt(3), 60.
_VELOCITY, _ACCELERATION, _JERK = 15.0 / 8.0, 10.0 / np.sqrt(3.0), 60.0


def quintic_duration(distance: Array, limits: MotionLimits) -> float:
    """The least time in which a quintic from rest to rest keeps every limit [s]."""
    d = np.abs(distance)
    return float(
        max(
            np.max(_VELOCITY * d / limits.velocity),
            np.max(np.sqrt(_ACCELERATION * d / limits.acceleration)),
            np.max(np.cbrt(_JERK * d / limits.jerk)),
        )
    )


def quintic_move(limits: MotionLimits, start: Array, goal: Array, *, duration: float | None = None) -> Trajectory:
    """All joints together, from rest to rest, in the least time that limits allow or in the time given.

    Raises:
        BadMotion: The two are the same, or the time is too short.
    """
    distance = moving(limits, start, goal)
    least = quintic_duration(distance, limits)
    T = lasting(duration, least, limits, distance)
    zero = np.zeros((2, len(limits.joints)))
    return quintic_through(limits.joints, np.array([0.0, T]), np.array([start, goal]), zero, zero)


def moving(limits: MotionLimits, start: Array, goal: Array) -> Array:
    """What lies between two configurations.

    Raises:
        BadMotion: They are not n finite numbers, or nothing lies between them.
    """
    n = len(limits.joints)
    for what, q in (("start", start), ("goal", goal)):
        if np.shape(q) != (n,) or not np.isfinite(q).all():
            raise BadMotion(f"the {what} {np.array2string(np.asarray(q), threshold=10)} is not {n} finite numbers")
    distance = np.asarray(goal, dtype=float) - np.asarray(start, dtype=float)
    if not np.abs(distance).max(initial=0.0) > 0.0:
        raise BadMotion("start and goal are the same: there is nothing to move")
    return distance


def lasting(duration: float | None, least: float, limits: MotionLimits, distance: Array) -> float:
    """The time that a move takes: the one given where it is long enough."""
    if duration is None:
        return least
    if not np.isfinite(duration) or duration < least * (1.0 - 1e-12):
        worst = limits.joints[int(np.argmax(np.abs(distance) / limits.velocity))]
        raise BadMotion(
            f"{duration:g} s is too short: it takes {least:.4g} s at least ({worst} has the furthest to go for its speed)"
        )
    return float(duration)
