"""What a drive knows of its joint: counts of an encoder, and what it makes of them."""

from math import exp, pi

import numpy as np
from numpy.typing import NDArray

__all__ = ["DriveEncoder"]

Array = NDArray[np.float64]
_CORNER_HZ = 60.0  # of the filters behind each differentiation: a compromise between noise and delay, as drives choose it


class DriveEncoder:
    """Positions in whole counts; velocity and acceleration from them by difference and a filter of first order each.

    Attributes:
        q, v, a: What the drive says, shape (n,).
    """

    def __init__(self, start: Array, prismatic: NDArray[np.bool_], counts: int, period: float) -> None:
        """Args:
        start: Where the joints stand, shape (n,).
        prismatic: Which of them slide: their counts are per metre.
        counts: Per turn.
        """
        self._unit = np.where(prismatic, 1.0, 2.0 * pi) / counts
        self._rate, self._share = 1.0 / period, 1.0 - exp(-2.0 * pi * _CORNER_HZ * period)
        self.q = np.round(start / self._unit) * self._unit
        self.v, self.a = np.zeros(len(start)), np.zeros(len(start))

    def read(self, q: Array) -> None:
        """Take the true positions of the next period, shape (n,)."""
        counted = np.round(q / self._unit) * self._unit
        before = self.v.copy()
        self.v += self._share * ((counted - self.q) * self._rate - self.v)
        self.a += self._share * ((self.v - before) * self._rate - self.a)
        self.q = counted
