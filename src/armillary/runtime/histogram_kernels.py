"""Times counted in bins, several at once, compiled."""

import numpy as np
from numpy.typing import NDArray

from armillary.model.compiled import compiled

__all__ = ["BINS", "FIRST", "PER_OCTAVE", "count"]

PER_OCTAVE = 4
FIRST = 1e-7  # s: the first bin ends here
BINS = 4 * 24  # up to more than a second


@compiled()
def count(seconds: NDArray[np.float64], counts: NDArray[np.int64], most: NDArray[np.float64]) -> None:
    """Count k times, each in its own row of bins.

    Args:
        seconds: Shape (k,). counts: Shape (k, BINS). most: The longest of each so far, shape (k,).
    """
    for k in range(seconds.shape[0]):
        i = 0
        if seconds[k] > FIRST:
            i = min(int(np.log2(seconds[k] / FIRST) * PER_OCTAVE) + 1, BINS - 1)
        counts[k, i] += 1
        if seconds[k] > most[k]:
            most[k] = seconds[k]
