"""Watches how fast a joint goes, from the station's own board, a thousand times a second."""

import threading
import time

import numpy as np

from armillary.cell import Cell

__all__ = ["SpeedWatch"]
_LATELY = 0.05  # s
_STANDS = 0.1  # s without any motion
_STANDS_BY = 5.0  # s after which it is looked no more


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
        # It is watched until it stands for good: a busy executor may be late with the last ticks of a stop.
        end = time.monotonic() + _STANDS_BY
        while self._moved_within(_STANDS) and time.monotonic() < end:
            time.sleep(0.01)
        self._ended = True
        self._thread.join()

    def _moved_within(self, seconds: float) -> bool:
        newest = list(self.samples)
        return not newest or any(speed >= 1e-9 for at, speed in newest if at > newest[-1][0] - seconds)

    def _run(self) -> None:
        while not self._ended:
            self._sample()
            time.sleep(0.001)

    def _sample(self) -> None:
        self.samples.append((time.monotonic(), float(np.abs(self._cell.station.state["v"]).max())))

    def slows_after(self, when: float) -> float | None:
        """How long after a moment it began to slow down for good [s]; None where it did not go steadily then.

        A browser that a busy machine holds up for long is stopped before anybody lets go: that says nothing of the release.
        """
        lately = [speed for at, speed in self.samples if when - _LATELY < at <= when]
        before = lately[-1] if lately else 0.0  # not the fastest ever: that may be long ago
        if before < 0.01 or min(lately) < 0.98 * max(lately):
            return None
        fast = [at for at, speed in self.samples if at > when and speed > 0.995 * before]
        return max(fast, default=when) - when

    def stands_at_the_end(self) -> bool:
        return self.samples[-1][1] < 1e-9
