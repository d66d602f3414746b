"""How a stream of joint positions is smoothed, and how much later that makes it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.imitation.errors import ImitationError
from armillary.imitation.rate_kernels import smooth_frames

__all__ = ["USUAL", "Smoothing", "delay_between"]

Array = NDArray[np.float64]
_ALIKE = 0.005  # of a correlation that is 1 at most
_LONGEST = 1.0  # s of delay that are looked for


@dataclass(frozen=True)
class Smoothing:
    """A One-Euro filter: a low pass whose cutoff grows with the speed, so that it is still at rest and late by little in motion.

    A motion of constant speed is followed less than 1 / (2 pi slope) behind: 0.6 degrees with the slope of 15.

    Attributes:
        cutoff: At rest [Hz]. slope: How much it grows with the speed [Hz per rad/s]. speed_cutoff: Of the speed itself [Hz].
    """

    cutoff: float = 5.0
    slope: float = 15.0
    speed_cutoff: float = 8.0

    def __post_init__(self) -> None:
        for name in ("cutoff", "slope", "speed_cutoff"):
            value = getattr(self, name)
            if not 0.0 <= value < np.inf or (name != "slope" and value == 0.0):
                raise ImitationError(f"a smoothing with a {name} of {value:g} Hz cannot be; give one above zero")

    def state(self, n: int) -> Array:
        """Of a stream of n values, to be given to each `smooth` of it."""
        return np.zeros((3, n))

    def smooth(self, values: Array, period: float, state: Array) -> Array:
        """Values of frames, shape (frames, n), smoothed; those of one call are those of many with the same state."""
        out = np.empty(values.shape)
        smooth_frames(np.ascontiguousarray(values), period, self.cutoff, self.slope, self.speed_cutoff, state, out)
        return out


USUAL = Smoothing()


def delay_between(wanted: Array, made: Array, period: float) -> float:
    """How much later a motion is than the one that it follows, by cross-correlation of their speeds [s].

    Between frames it is where a parabola through the best three has its top. NaN where nothing moves.

    Args:
        wanted, made: Shape (frames, n).
    """
    first, second = (np.diff(np.asarray(each, dtype=float).reshape(len(each), -1), axis=0) for each in (wanted, made))
    frames = len(first)
    most = min(round(_LONGEST / period), frames - 2)
    if most < 1 or not first.any() or not second.any():
        return float("nan")
    lags = np.arange(-1, most + 1)
    likeness = np.array([_likeness(first, second, int(lag)) for lag in lags])
    # A motion that repeats is as like itself one turn later: the first top that is as good as any counts.
    tops = [k for k in range(1, len(lags) - 1) if likeness[k - 1] <= likeness[k] >= likeness[k + 1]]
    best = next((k for k in tops if likeness[k] >= likeness.max() - _ALIKE), int(likeness.argmax()))
    if not 0 < best < len(lags) - 1:
        return float(lags[best]) * period
    low, top, high = likeness[best - 1 : best + 2]
    bend = low - 2.0 * top + high
    return float(lags[best] + (0.5 * (low - high) / bend if bend < 0.0 else 0.0)) * period


def _likeness(wanted: Array, made: Array, lag: int) -> float:
    """Of two motions, one of them some frames later."""
    first, second = (wanted[: len(wanted) - lag], made[lag:]) if lag >= 0 else (wanted[-lag:], made[: len(made) + lag])
    size = np.sqrt((first * first).sum() * (second * second).sum())
    return float((first * second).sum() / size) if size > 0.0 else 0.0
