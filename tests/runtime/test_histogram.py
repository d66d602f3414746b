"""Times in bins: quantiles from above, within a quarter of an octave."""

import numpy as np
import pytest

from armillary.runtime import Histogram, Histograms


def counted(*times: float) -> Histogram:
    """One of two that are counted together; the other must not be disturbed."""
    both = Histograms("one", "two")
    for time in times:
        both.times[:] = time, 1e-3
        both.add()
    assert both.of("two").counts.max() == len(times) == both.of("two").total
    return both.of("one")


def test_quantiles() -> None:
    rng = np.random.default_rng(0)
    times = 10 ** rng.uniform(-6.5, -2.5, 5000)
    histogram = counted(*times.tolist())
    assert histogram.total == 5000 and histogram.most == times.max()
    for share in (0.1, 0.5, 0.9, 0.99, 1.0):
        true = float(np.quantile(times, share))
        assert true * 0.99 <= histogram.quantile(share) <= true * 2**0.25 * 1.01
    histogram.clear()
    assert histogram.total == 0 and histogram.quantile(0.5) == 0.0


@pytest.mark.parametrize("time", [0.0, 1e-12, 1e3, -1.0])
def test_what_is_beyond_the_bins_is_counted_too(time: float) -> None:
    histogram = counted(time)
    assert histogram.total == 1
