"""How often something took how long: counted in bins, without growing."""

import numpy as np
from numpy.typing import NDArray

from armillary.runtime.histogram_kernels import BINS, FIRST, PER_OCTAVE, count

__all__ = ["Histogram", "Histograms"]


class Histograms:
    """Times of several things, all counted in one call.

    Attributes:
        names: What they are of.
        times: What is counted next, shape (k,) [s]: to be filled in.
    """

    def __init__(self, *names: str) -> None:
        self.names, self.times = names, np.zeros(len(names))
        self._counts, self._most = np.zeros((len(names), BINS), dtype=np.int64), np.zeros(len(names))

    def add(self) -> None:
        """Count `times`."""
        count(self.times, self._counts, self._most)

    def of(self, name: str) -> "Histogram":
        """One of them: it goes on counting."""
        k = self.names.index(name)
        return Histogram(self._counts[k], self._most[k : k + 1])


class Histogram:
    """Times in bins of a quarter of an octave, from 0.1 us to a second and more."""

    def __init__(self, counts: NDArray[np.int64], most: NDArray[np.float64]) -> None:
        self.counts, self._most = counts, most

    @property
    def most(self) -> float:
        """The longest [s]."""
        return float(self._most[0])

    @property
    def total(self) -> int:
        return int(self.counts.sum())

    def quantile(self, share: float) -> float:
        """The time that so large a share stays below [s]: the upper end of its bin, and the longest at most."""
        total = self.total
        if total == 0:
            return 0.0
        i = int(np.searchsorted(np.cumsum(self.counts), share * total))
        return min(FIRST * 2.0 ** (min(i, BINS - 1) / PER_OCTAVE), self.most)

    def clear(self) -> None:
        self.counts[:] = 0
        self._most[:] = 0.0
