"""Where the servos are to be, period by period: as commanded, carried on, or braking."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["SetPoint"]

Array = NDArray[np.float64]
_ALONE = 0.02  # s without a command for which the velocity is kept


class SetPoint:
    """Positions, velocities and accelerations that the servos follow, at the end of the present period.

    Attributes:
        q, v, a: Shape (n,).
        told: Where it was last told to be, shape (n,): after a pause the commands go on from there.
    """

    def __init__(self, start: Array, braking: Array) -> None:
        """Args:
        braking: Deceleration of each joint, shape (n,) [rad/s^2 or m/s^2].
        """
        n = len(start)
        self.q, self.v, self.a = np.array(start, dtype=float), np.zeros(n), np.zeros(n)
        self.told, self._alone = self.q.copy(), 0.0
        self._braking = np.array(braking, dtype=float)

    @property
    def stands(self) -> bool:
        return not self.v.any()

    def rest_at(self, q: Array) -> None:
        """Stand somewhere."""
        self.q[:], self.v[:], self.a[:] = q, 0.0, 0.0
        self.begin_anew()

    def begin_anew(self) -> None:
        """Commands go on from here, and from nowhere else."""
        self.told[:], self._alone = self.q, 0.0

    def go_to(self, q: Array, v: Array, a: Array) -> None:
        """What a command says."""
        self.q[:], self.v[:], self.a[:] = q, v, a
        self.begin_anew()

    def carry_on(self, period: float) -> None:
        """No command has come: on with the same velocity, but not for long; then it slows down and waits."""
        self._alone += period
        if self._alone > _ALONE:
            self.brake(period)
            return
        self.q += self.v * period
        self.a[:] = 0.0

    def brake(self, period: float) -> None:
        """Each joint slows down as fast as it may, and stands."""
        if self.stands:
            self.a[:] = 0.0
            return
        speed = np.abs(self.v)
        time = np.minimum(period, speed / self._braking)
        slower = np.sign(self.v) * self._braking
        self.q += self.v * time - 0.5 * slower * time**2
        self.v -= slower * time
        self.v[speed <= self._braking * period] = 0.0
        self.a[:] = np.where(self.v != 0.0, -slower, 0.0)
