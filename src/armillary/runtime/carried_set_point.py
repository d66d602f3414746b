"""Another master's set-point between two of his: carried on by its velocity, so that frames do not become a staircase."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["HORIZON", "CarriedSetPoint"]

Array = NDArray[np.float64]
HORIZON = 0.05  # s for which a set-point is carried on; then it stands where it has come to
_OFTEN = 0.005  # s: of set-points that come more often than this nothing but the velocity is worth carrying on


class CarriedSetPoint:
    """Where a master would be by now, who says at times where he is and how fast.

    By what his velocity changed from one set-point to the next, the acceleration is carried on as well: without it the velocity
    would still step at each. A joint whose velocity is exactly 0 stands: nothing of it is carried on.

    Attributes:
        q, v: Where it has come to, and how fast it is there, shape (n,).
    """

    def __init__(self, q: Array, acceleration: Array) -> None:
        """Args:
        q: Where the joints stand, shape (n,).
        acceleration: That is carried on at most, shape (n,).
        """
        self.q, self.v = q.copy(), np.zeros_like(q)
        self._said, self._said_v, self._a = q.copy(), np.zeros_like(q), np.zeros_like(q)
        self._most, self._when = acceleration, -np.inf

    def take(self, q: Array, v: Array, age: float, now: float) -> None:
        """His newest set-point, which may be the one of before, and how old it is now [s]."""
        if not (np.array_equal(q, self._said) and np.array_equal(v, self._said_v)):
            self._learn(q, v, now - age)
        passed = min(max(age, 0.0), HORIZON)
        np.multiply(self._a, passed, out=self.v)
        np.multiply(self.v, 0.5, out=self.q)
        self.q += self._said_v
        self.q *= passed
        self.q += self._said
        self.v += self._said_v
        if age >= HORIZON:
            self.v[:] = 0.0

    def _learn(self, q: Array, v: Array, when: float) -> None:
        apart = when - self._when
        self._a[:] = 0.0
        if _OFTEN <= apart <= HORIZON:
            np.divide(v - self._said_v, apart, out=self._a)
            np.clip(self._a, -self._most, self._most, out=self._a)
            self._a[v == 0.0] = 0.0
        self._said[:], self._said_v[:], self._when = q, v, when
