"""Set-points from elsewhere, made smooth: whatever comes, velocity, acceleration and jerk keep their limits."""

import numpy as np
import ruckig
from numpy.typing import NDArray

from armillary.motion.errors import BadMotion
from armillary.motion.limits import MotionLimits

__all__ = ["SetPointFilter"]

Array = NDArray[np.float64]
_RESTS = 1e-9


class SetPointFilter:
    """Follows positions that come one by one, in the least time that the limits allow. Not for several threads."""

    def __init__(self, limits: MotionLimits, q: Array, *, period: float = 0.001) -> None:
        """Args:
        q: Where the joints stand, shape (n,).
        period: Of a step [s].
        """
        n = len(limits.joints)
        self.limits, self._n = limits, n
        self._lower, self._upper = limits.lower.copy(), limits.upper.copy()
        self._otg, self._in, self._out = ruckig.Ruckig(n, period), ruckig.InputParameter(n), ruckig.OutputParameter(n)
        self._in.max_velocity, self._in.max_acceleration, self._in.max_jerk = (
            [float(value) for value in values] for values in (limits.velocity, limits.acceleration, limits.jerk)
        )
        self._in.synchronization = ruckig.Synchronization.No
        self._in.current_position = self._in.target_position = [float(value) for value in q]
        self._now = np.array([q, np.zeros(n), np.zeros(n)], dtype=float)
        self._stopping = False

    @property
    def rests(self) -> bool:
        """Whether nothing moves, and nothing is asked that would."""
        still = bool(np.abs(self._now[1:]).max() < _RESTS)
        return still and (self._stopping or bool(np.abs(np.array(self._in.target_position) - self._now[0]).max() < 1e-9))

    def ask(self, q: Array, v: Array | None = None) -> None:
        """Follow a position, passed at a velocity.

        A position outside its limits becomes the limit. Near a limit the velocity towards it is no more than can be braked.

        Raises:
            BadMotion: It is not n finite numbers.
        """
        q = np.asarray(q, dtype=float)
        v = np.zeros(self._n) if v is None else np.asarray(v, dtype=float)
        if q.shape != (self._n,) or v.shape != (self._n,) or not (np.isfinite(q).all() and np.isfinite(v).all()):
            raise BadMotion(f"a set-point is not {self._n} finite positions and velocities; it is not followed")
        limits = self.limits
        target = np.clip(q, self._lower, self._upper)
        # Jerk takes its time too: half of the acceleration is counted on.
        with np.errstate(invalid="ignore"):
            room = np.where(v > 0.0, self._upper - target, target - self._lower)
        most = np.minimum(0.7 * np.sqrt(np.maximum(limits.acceleration * room, 0.0)), limits.velocity)
        self._in.control_interface = ruckig.ControlInterface.Position
        self._in.target_position = [float(value) for value in target]
        self._in.target_velocity = [
            float(value) for value in np.clip(v, -np.minimum(most, limits.velocity), np.minimum(most, limits.velocity))
        ]
        self._stopping = False

    def stop(self) -> None:
        """Come to rest as soon as the limits allow."""
        self._in.control_interface = ruckig.ControlInterface.Velocity
        self._in.target_velocity = [0.0] * self._n
        self._in.target_acceleration = [0.0] * self._n
        self._stopping = True

    def step(self) -> Array:
        """One period later: positions, velocities, accelerations, shape (3, n), until the next."""
        try:
            verdict = self._otg.update(self._in, self._out)
        except ruckig.RuckigError:
            verdict = ruckig.Result.Error
        if verdict not in (ruckig.Result.Working, ruckig.Result.Finished):
            self._fall_back()
        else:
            self._out.pass_to_input(self._in)
        self._now[0], self._now[1], self._now[2] = self._out.new_position, self._out.new_velocity, self._out.new_acceleration
        # Past its set-point at a velocity, with none that is newer: the last one was where it should be by now.
        if verdict == ruckig.Result.Finished and not self._stopping and any(self._in.target_velocity):
            self._in.target_velocity = [0.0] * self._n
        return self._now

    def _fall_back(self) -> None:
        """Where no motion to the set-point is found (rounding at an edge), brake: that is always possible."""
        self.stop()
        verdict = self._otg.update(self._in, self._out)
        if verdict in (ruckig.Result.Working, ruckig.Result.Finished):
            self._out.pass_to_input(self._in)

    @property
    def place(self) -> Array:
        """Where the joints are now, shape (n,)."""
        return self._now[0].copy()
