"""A trajectory driven slower, faster, held or stopped, on its path and within its limits."""

import math

import numpy as np
from numpy.typing import NDArray

from armillary.motion import pace_kernels as kernels
from armillary.motion.errors import BadMotion
from armillary.motion.limits import MotionLimits
from armillary.motion.timing import over_limits
from armillary.motion.trajectory import State, Trajectory

__all__ = ["Pace"]

Array = NDArray[np.float64]
_STEPS = 20  # of a window
_MOST = 1.0 + 1e-7  # of a limit may be used: rounding


class Pace:
    """How a trajectory's own time runs: at a rate of 1, at another that is asked for, or not at all.

    Between two rates it ramps as fast as the limits of the joints allow: where the trajectory uses all of a limit, a ramp that
    would need more of it waits. Above 1 it goes as far as what the trajectory leaves of its limits.

    Not for several threads: it remembers where it is.

    Attributes:
        trajectory: What is driven. It must keep its limits.
        most: The highest rate, from which no limit is broken.
    """

    def __init__(self, trajectory: Trajectory, limits: MotionLimits, *, rate: float = 1.0) -> None:
        """Args:
        rate: At which it begins; a trajectory that begins at rest may begin at once. 0 waits.
        """
        if trajectory.joints != limits.joints:
            raise BadMotion(f"the motion is of {', '.join(trajectory.joints)}, the limits of {', '.join(limits.joints)}")
        self.trajectory, self.limits = trajectory, limits
        smooth = trajectory.continuity >= 2
        self.most = max(1.0, 1.0 / max(float(over_limits(trajectory, limits, smooth).max()), 1e-6))
        jerk = limits.jerk if smooth else np.full(len(limits.joints), np.inf)
        self._limits = np.array([limits.velocity, limits.acceleration, jerk])
        window = float(np.clip(np.max(limits.acceleration / limits.jerk), 0.005, 1.0))
        self._step = window / _STEPS
        self._knots, self._c, self._duration = trajectory.knots, np.array(trajectory.coefficients), trajectory.duration
        self._past = np.zeros(_STEPS)
        rate = self._possible(rate)
        # The law is ahead of its mean by what it has gone in half a window.
        self._mean, self._law = np.array([0.0, rate, 0.0]), np.array([0.5 * window * rate, rate])
        self._into, self._u, self._jerk = 0.0, 0.0, 0.0  # time since the last step of the lattice, and what holds in this one
        self.asked, self._ends_soon = rate, False
        self._now, self._joints = np.array([0.0, rate, 0.0]), np.zeros((4, len(limits.joints)))
        kernels.joints_now(self._knots, self._c, self._mean, 0.0, 0.0, self._now, self._joints)

    @property
    def time(self) -> float:
        """Where it is in the trajectory's own time [s]."""
        return float(self._now[0])

    @property
    def rate(self) -> float:
        """How fast the trajectory's time runs."""
        return float(self._now[1])

    @property
    def acceleration(self) -> float:
        """How fast the rate changes [1/s]."""
        return float(self._now[2])

    @property
    def at_end(self) -> bool:
        return self.time >= self._duration

    @property
    def stands(self) -> bool:
        """Whether it is held, or at its end."""
        return self.at_end or (self.asked == 0.0 and abs(self._law[1]) < 1e-12 and self._u == 0.0 and not self._past.any())

    @property
    def state(self) -> State:
        """What the joints do now."""
        q, v, a, j = self._joints.copy()
        return State(q, v, a, j)

    def ask(self, rate: float) -> float:
        """Go to another rate, 0 to stop on the path; returns the one that it will come to.

        A stop that would take about as long as the rest of the motion lets it end instead.

        Raises:
            BadMotion: The rate is below zero or no number.
        """
        self.asked = self._possible(rate)
        self._ends_soon = False
        if self.asked == 0.0 and self.rate > 0.0:
            # A trajectory that brakes already with all that its limits allow cannot be stopped much sooner than it ends.
            window = _STEPS * self._step
            least = float((np.abs(self.state.v) / self.limits.acceleration).max())
            self._ends_soon = (self._duration - self.time) / self.rate < 1.2 * least + window
        return self.asked

    def tick(self, dt: float) -> State:
        """Let time pass; what the joints do then."""
        self.advance(dt)
        return self.state

    def advance(self, dt: float) -> "NDArray[np.float64]":
        """As `tick`, without making anything: positions, velocities, accelerations, jerks, shape (4, n), until the next."""
        self._into += dt
        while self._into >= self._step:
            self._into -= self._step
            kernels.advance(self._step, self._past, self._law, self._mean, self._u)
            goal = self._law[1] if self._ends_soon else self.asked
            self._u = kernels.steepest(
                self._knots, self._c, self._limits, _MOST, self._step, self._past, self._law, self._mean, goal
            )
            self._jerk = float(self._u - self._past[0]) / (_STEPS * self._step)
        kernels.joints_now(self._knots, self._c, self._mean, self._into, self._jerk, self._now, self._joints)
        return self._joints

    def _possible(self, rate: float) -> float:
        if not (math.isfinite(rate) and rate >= 0.0):
            raise BadMotion(f"a rate of {rate} is none; give 0 to hold, 1 for the motion as planned")
        return min(rate, self.most)
