"""A trajectory driven slower, faster, held or stopped, on its path and within its limits."""

import math
from dataclasses import replace

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

    def __init__(self, trajectory: Trajectory, limits: MotionLimits, *, rate: float = 1.0, most: float | None = None) -> None:
        """Args:
        rate: At which it begins; a trajectory that begins at rest may begin at once. 0 waits.
        most: The highest rate where it is known, from the use of a certificate; worked out where left out.
        """
        if trajectory.joints != limits.joints:
            raise BadMotion(f"the motion is of {', '.join(trajectory.joints)}, the limits of {', '.join(limits.joints)}")
        self.trajectory, self.limits = trajectory, limits
        smooth = trajectory.continuity >= 2
        if most is None:
            most = 1.0 / max(float(over_limits(trajectory, limits, smooth).max()), 1e-6)
        self.most = max(1.0, most)
        jerk = limits.jerk if smooth else np.full(len(limits.joints), np.inf)
        self._limits = np.array([limits.velocity, limits.acceleration, jerk])
        window = float(np.clip(np.max(limits.acceleration / limits.jerk), 0.005, 1.0))
        self._step = window / _STEPS
        self._knots, self._c, self._duration = trajectory.knots, np.array(trajectory.coefficients), trajectory.duration
        self._past, self._forgotten = np.zeros(_STEPS), 0.0
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

    @property
    def own_time(self) -> float:
        """As `time`, and counted from the very beginning where what lies behind was forgotten [s]."""
        return self._forgotten + self.time

    def state_at(self, at: float) -> State:
        """What the joints do at a time of `own_time`, at a rate of 1."""
        return self.trajectory.at(at - self._forgotten)

    def can_change(self, at: float, trajectory: Trajectory) -> bool:
        """Whether what comes from `own_time` at on may be replaced by another motion now.

        It must not be there yet, and a ramp that reaches so far must keep the limits on the other motion too.
        """
        if not self.own_time <= at <= self._forgotten + self._duration + 1e-9:
            return False
        settled = self._u == 0.0 and not self._past.any()
        if settled or self.own_time + 1.5 * _STEPS * self._step * max(self.rate, float(self._law[1])) <= at:
            return True
        whole, gone = self._with(at, trajectory)
        limits, mean = self._limits.copy(), self._mean.copy()
        mean[0] -= gone
        if whole.continuity < 2:
            limits[2] = np.inf
        c = np.array(whole.coefficients)
        # As a ramp is held against them: left alone from now on, until it has settled.
        return bool(kernels.used(whole.knots, c, limits, _MOST, self._step, self._past, mean, self._u, 1) <= _MOST)

    def change(self, at: float, trajectory: Trajectory) -> None:
        """From `own_time` at on go along another motion, which begins as this one would have gone on; both are proven.

        What lies behind is forgotten, so that a motion without an end needs no more memory. The rate goes no further than 1 from
        now on. `can_change` must hold.
        """
        self.trajectory, gone = self._with(at, trajectory)
        self._forgotten += gone
        for clock in (self._mean, self._law, self._now):
            clock[0] -= gone
        self._knots, self._c, self._duration = (
            self.trajectory.knots, np.array(self.trajectory.coefficients), self.trajectory.duration
        )  # fmt: skip
        if self.trajectory.continuity < 2:
            self._limits[2] = np.inf
        self.most, self._ends_soon, self.asked = 1.0, False, min(self.asked, 1.0)

    def _with(self, at: float, trajectory: Trajectory) -> tuple[Trajectory, float]:
        """What is left to be driven up to `own_time` at, and another motion behind it; how much is gone and not in it [s]."""
        old, knots = self.trajectory, self._knots
        here = int(np.clip(np.searchsorted(knots, self._mean[0], side="right") - 1, 0, len(knots) - 2))
        until = at - self._forgotten
        last = int(np.clip(np.searchsorted(knots, until - 1e-9, side="left"), here, len(knots) - 1))  # the first that goes
        kept = old.durations[here:last].copy()
        if len(kept):
            kept[-1] = until - knots[last - 1]
        origins: tuple[str, ...] = ()
        if old.origins or trajectory.origins:
            names = old.origins or ("",) * len(old.durations)
            origins = names[here:last] + (trajectory.origins or ("",) * len(trajectory.durations))
        whole = replace(
            old, durations=np.concatenate([kept, trajectory.durations]), origins=origins,
            coefficients=np.concatenate([old.coefficients[here:last], trajectory.coefficients]),
            continuity=min(old.continuity, trajectory.continuity), profile=trajectory.profile,
        )  # fmt: skip
        return whole, float(knots[here])

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
