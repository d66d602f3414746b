"""A queue of blended commands while the planner makes it into one motion."""

from armillary.motion import LookAhead
from armillary.motion.tool_path import ToolStates
from armillary.runtime.motion_marks import MotionMarks

__all__ = ["BlendedQueue"]

_SHORT = 0.8  # s of motion left: planning is hardly fast enough
_SHARE = 0.6  # of the time of a motion that its planning may take
_SLOWEST = 0.02  # of the feed


class BlendedQueue:
    """A queue of blended segments that is driven as one motion."""

    def __init__(self, look_ahead: LookAhead) -> None:
        self.look_ahead, self.motion, self.open = look_ahead, 0, True
        self.marks = MotionMarks()  # where its commands set outputs
        self._fixed = 0.0  # the motion's time up to which it stays as it is
        self.until = 0.0  # the motion's time at which it waits for more, in lock-step
        self.end: ToolStates | None = None  # how the tool comes to the end of what is known, along a path of its own
        self.slower = 1.0  # the share of the feed at which planning keeps up with the motion

    def keep_up(self, took: float, gave: float, left: float) -> None:
        """Lower the feed where planning takes longer than the motion that it gives, so that it need not stop for it.

        Args:
            took: How long planning took [s]. gave: How much longer the motion has become [s].
            left: Of the motion when that was done [s].
        """
        if left < _SHORT and gave < took / _SHARE:
            self.slower = max(self.slower * max(gave, 1e-6) * _SHARE / took, _SLOWEST)
        elif left > 2.0 * _SHORT:
            self.slower = min(1.0, 1.05 * self.slower)

    def go_on_at(self, now: float, lead: float) -> float | None:
        """Fix what will have been driven by the time that a change arrives; from when on it may change, or None: too late."""
        need = now + lead - self._fixed
        if need > 0.0:
            passed = self.look_ahead.pass_over(need)
            if passed == 0.0:
                return None
            self._fixed += passed
        return self._fixed
