"""How often something took how long: counted in bins, without growing."""

from math import log2

import numpy as np
from numpy.typing import NDArray

__all__ = ["Histogram"]

_PER_OCTAVE = 4
_FIRST = 1e-7  # s: the first bin ends here
_BINS = 4 * 24  # up to more than a second


class Histogram:
    """Times in bins of a quarter of an octave, from 0.1 us to a second and more."""

    def __init__(self) -> None:
        self.counts: NDArray[np.int64] = np.zeros(_BINS, dtype=np.int64)
        self.most = 0.0

    def add(self, seconds: float) -> None:
        """Count one."""
        i = int(log2(seconds / _FIRST) * _PER_OCTAVE) + 1 if seconds > _FIRST else 0
        self.counts[min(max(i, 0), _BINS - 1)] += 1
        if seconds > self.most:
            self.most = seconds

    @property
    def total(self) -> int:
        return int(self.counts.sum())

    def quantile(self, share: float) -> float:
        """The time that so large a share stays below [s]: the upper end of its bin, and the longest at most."""
        total = self.total
        if total == 0:
            return 0.0
        i = int(np.searchsorted(np.cumsum(self.counts), share * total))
        return min(_FIRST * 2.0 ** (min(i, _BINS - 1) / _PER_OCTAVE), self.most)

    def clear(self) -> None:
        self.counts[:] = 0
        self.most = 0.0
