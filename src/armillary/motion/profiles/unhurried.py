"""A motion that has more time than it needs: with how much jerk it is driven then.

The law of the least time, slowed down as a whole, has less of everything. Where speed is what takes the time, the law of the
least time under a lower jerk limit takes hardly longer, and slowed down to the same duration it is smoother still. Both keep all
limits. A law that kept full jerk at any duration would have ramps that are over before motors, or splines of controllers, follow.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from armillary.motion.errors import BadMotion
from armillary.motion.limits import MotionLimits
from armillary.motion.trajectory import Trajectory

__all__ = ["unhurried"]

_SHARES = (0.71, 0.5, 0.35, 0.25)  # of the jerk limits that are tried
_ROUNDING = 1e-9


def unhurried(limits: MotionLimits, duration: float, fastest: Callable[[MotionLimits], Trajectory]) -> Trajectory:
    """The trajectory of a duration [s] that needs the least jerk.

    Args:
        fastest: Gives the trajectory of the least time under limits.

    Raises:
        BadMotion: The time is too short.
    """
    best, share = fastest(limits), 1.0
    if not np.isfinite(duration) or duration < best.duration * (1.0 - _ROUNDING):
        raise BadMotion(f"{duration:g} s is too short: it takes {best.duration:.4g} s at least")
    for lower in _SHARES:
        tried = fastest(replace(limits, jerk=lower * limits.jerk))
        smoother = lower * tried.duration**3 < share * best.duration**3  # by which jerk is scaled when it is slowed
        if tried.duration <= duration and smoother:
            best, share = tried, lower
    return best.slowed(max(duration / best.duration, 1.0))
