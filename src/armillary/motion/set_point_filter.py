"""Set-points from elsewhere, made smooth: whatever comes, range, velocity, acceleration and jerk keep their limits."""

import numpy as np
import ruckig
from numpy.typing import NDArray

from armillary.motion import set_point_kernels as kernels
from armillary.motion.errors import BadMotion
from armillary.motion.limits import MotionLimits

__all__ = ["SetPointFilter"]

Array = NDArray[np.float64]
_RESTS = 1e-6  # rad or m, and per second
_INSIDE = 1e-7  # rad or m that ranges are kept narrower: rounding


class SetPointFilter:
    """Follows positions that come one by one. Not for several threads.

    In each step it goes towards the set-point with a velocity from which it can still brake, which ruckig takes up within
    acceleration and jerk. A joint that could then not stop inside its range any more brakes instead: it could before, so it can.
    """

    def __init__(self, limits: MotionLimits, q: Array, *, period: float = 0.001) -> None:
        """Args:
        q: Where the joints stand, shape (n,).
        period: Of a step [s].
        """
        n = len(limits.joints)
        self.limits, self._n = limits, n
        q = np.array(q, dtype=float)
        self._lower, self._upper = np.minimum(limits.lower + _INSIDE, q), np.maximum(limits.upper - _INSIDE, q)
        self._otg, self._in, self._out = ruckig.Ruckig(n, period), ruckig.InputParameter(n), ruckig.OutputParameter(n)
        self._in.control_interface, self._in.synchronization = ruckig.ControlInterface.Velocity, ruckig.Synchronization.No
        self._in.max_velocity, self._in.max_acceleration, self._in.max_jerk = (
            [float(value) for value in values] for values in (limits.velocity, limits.acceleration, limits.jerk)
        )
        self._in.current_position = [float(value) for value in q]
        self._now, self._next = np.array([q, np.zeros(n), np.zeros(n)]), np.zeros((3, n))
        self._goal, self._v, self._speeds, self._outside = q.copy(), np.zeros(n), np.zeros(n), np.zeros(n)
        self._stopping = False

    @property
    def rests(self) -> bool:
        """Whether nothing moves, and nothing is asked that would."""
        still = bool(np.abs(self._now[1:]).max() < _RESTS)
        there = np.clip(self._goal, self._lower, self._upper)
        return still and (self._stopping or bool(np.abs(there - self._now[0]).max() < _RESTS))

    def ask(self, q: Array, v: Array | None = None) -> None:
        """Follow a position, passed at a velocity. Outside its range a joint goes to its end.

        Raises:
            BadMotion: It is not n finite numbers.
        """
        q = np.asarray(q, dtype=float)
        v = np.zeros(self._n) if v is None else np.asarray(v, dtype=float)
        if q.shape != (self._n,) or v.shape != (self._n,) or not (np.isfinite(q).all() and np.isfinite(v).all()):
            raise BadMotion(f"a set-point is not {self._n} finite positions and velocities; it is not followed")
        self._goal[:], self._v[:] = q, v
        self._stopping = False

    def stop(self) -> None:
        """Come to rest as soon as the limits allow."""
        self._stopping = True

    def step(self) -> Array:
        """One period later: positions, velocities, accelerations, shape (3, n), until the next."""
        limits, now, speeds = self.limits, self._now, self._speeds
        speeds[:] = 0.0
        if not self._stopping:
            kernels.wanted(
                now[0], self._goal, self._v, self._lower, self._upper, limits.velocity, limits.acceleration, limits.jerk,
                speeds,
            )  # fmt: skip
        sound = self._try(speeds)
        for _ in range(2):  # braking of one joint does not change another: they are not synchronised
            if sound and not self._leaves():
                break
            speeds[self._outside != 0.0] = 0.0
            sound = self._try(speeds)
        if not sound:  # rounding at an edge: no motion was found, and a stop always is one
            speeds[:] = 0.0
            self._try(speeds)
        self._out.pass_to_input(self._in)
        now[:] = self._next
        return now

    def _try(self, speeds: Array) -> bool:
        """What the next period would be with velocities to go for; False where there is no way to them."""
        self._in.target_velocity = [float(value) for value in speeds]
        try:
            verdict = self._otg.update(self._in, self._out)
        except (ruckig.RuckigError, ValueError):
            self._outside[:] = 1.0
            return False
        out = self._out
        self._next[0], self._next[1], self._next[2] = out.new_position, out.new_velocity, out.new_acceleration
        return verdict in (ruckig.Result.Working, ruckig.Result.Finished)

    def _leaves(self) -> bool:
        limits, (q, v, a) = self.limits, self._next
        return bool(kernels.stops_outside(q, v, a, self._lower, self._upper, limits.acceleration, limits.jerk, self._outside))
