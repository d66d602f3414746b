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


def test_what_is_cleared_stays_in_the_whole() -> None:
    both = Histograms("one", "two")
    for times in ((1e-3, 2e-3), (4e-3, 1e-6)):
        both.times[:] = times
        both.add()
        assert both.of("one").total == 1 and both.of("one").most == times[0], "since it was cleared"
        both.clear()
        assert both.of("one").total == 0 and both.of("one").most == 0.0 == both.of("one").quantile(0.5)
    counts, most = both.whole
    assert counts.sum(axis=1).tolist() == [2, 2] and most.tolist() == [4e-3, 2e-3]
    summary = Histogram(counts[0], float(most[0])).summary()
    assert summary["count"] == 2 == sum(summary["bins"]) and summary["p50"] == pytest.approx(1e-3, rel=0.2)


@pytest.mark.parametrize("time", [0.0, 1e-12, 1e3, -1.0])
def test_what_is_beyond_the_bins_is_counted_too(time: float) -> None:
    histogram = counted(time)
    assert histogram.total == 1
