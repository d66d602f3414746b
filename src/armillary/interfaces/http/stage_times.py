"""How long something takes, as it was of late."""

from collections import deque
from typing import Any

import numpy as np

__all__ = ["StageTimes"]

_KEPT = 3600  # a minute of rounds


class StageTimes:
    """The last times of one stage. Added to by one thread, asked by others."""

    def __init__(self) -> None:
        self._times = deque[float](maxlen=_KEPT)

    def add(self, seconds: float) -> None:
        """What is no time (NaN, or nothing heard yet) is left out."""
        if seconds > 0.0:
            self._times.append(seconds)

    def quantiles(self) -> dict[str, Any]:
        """count, p50, p99, p999 and most [s]; all zero where there is none."""
        times = list(self._times)
        if not times:
            return {"count": 0, "p50": 0.0, "p99": 0.0, "p999": 0.0, "most": 0.0}
        p50, p99, p999 = (float(value) for value in np.quantile(times, (0.5, 0.99, 0.999)))
        return {"count": len(times), "p50": p50, "p99": p99, "p999": p999, "most": max(times)}
