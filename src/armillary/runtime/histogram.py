"""How often something took how long: counted in bins, without growing."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.runtime.histogram_kernels import BINS, FIRST, PER_OCTAVE, count

__all__ = ["Histogram", "Histograms"]


class Histograms:
    """Times of several things, all counted in one call: of the whole run, and since they were cleared.

    Attributes:
        names: What they are of.
        times: What is counted next, shape (k,) [s]: to be filled in.
    """

    def __init__(self, *names: str) -> None:
        self.names, self.times = names, np.zeros(len(names))
        self._counts, self._most = np.zeros((len(names), BINS), dtype=np.int64), np.zeros(len(names))
        self._before, self._most_before = self._counts.copy(), self._most.copy()  # when they were cleared

    def add(self) -> None:
        """Count `times`."""
        count(self.times, self._counts, self._most)

    def of(self, name: str) -> "Histogram":
        """One of them, as counted since they were cleared."""
        k = self.names.index(name)
        return Histogram(self._counts[k] - self._before[k], float(self._most[k]))

    @property
    def whole(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Of the whole run, whoever has cleared them: counts, shape (k, BINS), and the longest of each, shape (k,) [s]."""
        return self._counts, np.maximum(self._most, self._most_before)

    def clear(self) -> None:
        """Begin anew; what was counted stays in the whole."""
        self._before[:] = self._counts
        self._most_before[:] = np.maximum(self._most, self._most_before)
        self._most[:] = 0.0


class Histogram:
    """Times in bins of a quarter of an octave, from 0.1 us to a second and more.

    Attributes:
        counts: In each bin, shape (BINS,).
        most: The longest [s].
    """

    def __init__(self, counts: NDArray[np.int64], most: float) -> None:
        self.counts, self.most = counts, most

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

    def summary(self) -> dict[str, Any]:
        """How many, quantiles, the longest, and the bins [s]."""
        return {
            "count": self.total, "p50": self.quantile(0.5), "p99": self.quantile(0.99), "p999": self.quantile(0.999),
            "most": self.most, "bins": self.counts.tolist(),
        }  # fmt: skip
