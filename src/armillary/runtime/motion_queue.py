"""The motions that wait behind the present one."""

from collections import deque

import numpy as np
from numpy.typing import NDArray

from armillary.runtime.handover import Handover

__all__ = ["MotionQueue"]

Array = NDArray[np.float64]


class MotionQueue(deque[Handover]):
    """In the order in which they are driven."""

    def has_last(self, handover: Handover) -> bool:
        """Whether it is a motion that waits already, as the last: it may still be changed as a whole."""
        return bool(self) and handover.motion != 0 and self[-1].motion == handover.motion

    def ends_at(self, present: Array) -> Array:
        """Where the robot will be when all is done, if the present motion ends there."""
        return self[-1].trajectory.end.q if self else present

    def begins_at(self, handover: Handover, present: Array) -> Array:
        """Where the robot will be when a motion that is given now begins."""
        if not self.has_last(handover):
            return self.ends_at(present)
        return self[-2].trajectory.end.q if len(self) > 1 else present
