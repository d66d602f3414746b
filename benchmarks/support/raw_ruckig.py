"""Raw ruckig on the problems of `random_motions`: as it comes, without anything of ours."""

import ruckig
from support.random_motions import draw

from armillary.motion import MotionLimits


def raw_ruckig(seed: int) -> tuple[MotionLimits, ruckig.Trajectory]:
    """What it plans for a problem of "jerk", and under which limits."""
    limits, points = draw(seed, "jerk")
    n = len(limits.joints)
    asked, planned = ruckig.InputParameter(n), ruckig.Trajectory(n)
    asked.current_position, asked.target_position = points[0].tolist(), points[-1].tolist()
    asked.max_velocity, asked.max_acceleration, asked.max_jerk = (
        x.tolist() for x in (limits.velocity, limits.acceleration, limits.jerk)
    )
    ruckig.Ruckig(n).calculate(asked, planned)
    return limits, planned
