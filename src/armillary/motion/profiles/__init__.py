"""Laws of time from one configuration to another: each ends in a `Trajectory`."""

from armillary.motion.profiles.lspb import lspb_move
from armillary.motion.profiles.quintic import quintic_move
from armillary.motion.profiles.s_curve import jerk_limited_move, jerk_limited_to, jerk_limited_towards

__all__ = ["jerk_limited_move", "jerk_limited_to", "jerk_limited_towards", "lspb_move", "quintic_move"]
