"""The clock of a stream: how fast its frames are sent, and how far their arrivals stray from that."""

from collections import deque

__all__ = ["Arrivals"]

_WINDOW = 2.0  # s that the rate is taken over
_MOST = 512  # frames that are remembered at most
_GAP = 1.0  # s without a frame behind which all begins anew
_SHARE = 1.0 / 16.0  # of a new deviation in the jitter, as RFC 3550 has it


class Arrivals:
    """Numbers of frames against the time they came at.

    Attributes:
        rate: Frames sent a second [Hz]: lost ones count too. 0 before two have come.
        jitter: Mean deviation of the time between two frames from what their numbers say [s].
    """

    def __init__(self) -> None:
        self.rate = self.jitter = 0.0
        self._seen: deque[tuple[int, float]] = deque(maxlen=_MOST)

    def __len__(self) -> int:
        """Frames that the rate is taken from."""
        return len(self._seen)

    @property
    def span(self) -> float:
        """From the first to the last of them [s]."""
        return self._seen[-1][1] - self._seen[0][1] if self._seen else 0.0

    def restart(self) -> None:
        """Numbers begin anew."""
        self._seen.clear()
        self.rate = self.jitter = 0.0

    def take(self, number: int, time: float) -> None:
        """A frame came, with a greater number than those before."""
        if self._seen and (time - self._seen[-1][1] > _GAP or number <= self._seen[-1][0]):
            self.restart()
        if self._seen and self.rate > 0.0:
            last_number, last_time = self._seen[-1]
            away = abs(time - last_time - (number - last_number) / self.rate)
            self.jitter += (away - self.jitter) * _SHARE
        self._seen.append((number, time))
        while len(self._seen) > 2 and time - self._seen[1][1] >= _WINDOW:
            self._seen.popleft()
        first_number, first_time = self._seen[0]
        if time > first_time:
            self.rate = (number - first_number) / (time - first_time)
