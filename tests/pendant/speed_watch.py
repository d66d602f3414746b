"""Watches how fast a joint goes, from the station's own board, a thousand times a second."""

import threading
import time

import numpy as np

from armillary.cell import Cell

__all__ = ["SpeedWatch"]


class SpeedWatch:
    """While it is open, when the joint that moves fastest had which speed."""

    def __init__(self, cell: Cell) -> None:
        self._cell, self._ended = cell, False
        self.samples: list[tuple[float, float]] = []
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "SpeedWatch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        time.sleep(0.02)  # the last tick of a stop is too slow to be seen, and is no standing yet
        self._ended = True
        self._thread.join()
        self._sample()

    def _run(self) -> None:
        while not self._ended:
            self._sample()
            time.sleep(0.001)

    def _sample(self) -> None:
        self.samples.append((time.monotonic(), float(np.abs(self._cell.station.state["v"]).max())))

    def slows_after(self, when: float) -> float:
        """How long after a moment it began to slow down for good [s]."""
        before = max(speed for at, speed in self.samples if at <= when)
        assert before > 0.01, "it did not move then"
        fast = [at for at, speed in self.samples if at > when and speed > 0.995 * before]
        return max(fast, default=when) - when

    def stands_at_the_end(self) -> bool:
        return self.samples[-1][1] < 1e-9
