"""How well measurements agree with what was made of them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Residuals", "outliers_among"]

Array = NDArray[np.float64]
_FAR = 5.0  # times what the others are off, and it does not belong to them
_NOISE = 2e-5  # m below which nothing is called an outlier: no robot is that good


@dataclass(frozen=True, eq=False)
class Residuals:
    """How far each measurement is off, shape (k,) [m]."""

    each: Array

    @property
    def rms(self) -> float:
        """Root of the mean square [m]."""
        return float(np.sqrt(np.mean(self.each**2)))

    @property
    def worst(self) -> int:
        """The number of the measurement that is off most, from 0."""
        return int(self.each.argmax())

    @property
    def most(self) -> float:
        """How far that one is off [m]."""
        return float(self.each.max())

    def __str__(self) -> str:
        return f"{1e3 * self.rms:.3f} mm rms, {1e3 * self.most:.3f} mm at worst (measurement {self.worst + 1})"


def outliers_among(count: int, least: int, fit: Callable[[list[int]], Array]) -> tuple[int, ...]:
    """Measurements that do not belong to the others, by number from 0: worst first.

    One after the other is left out, that without which the others agree best, at most a third of them. Those that are then
    several times further off than the others among themselves do not belong to them; two may hide each other until both are out.

    Args:
        count: How many measurements there are.
        least: How many are needed.
        fit: How far all measurements are off what some of them say, shape (count,) [m].
    """
    kept, out = list(range(count)), list[int]()
    while len(kept) > least and len(out) < count // 3:
        without = {one: fit([other for other in kept if other != one]) for one in kept}
        worst = min(kept, key=lambda one: float(np.sum(without[one][[other for other in kept if other != one]] ** 2)))
        kept.remove(worst)
        out.append(worst)
        off = without[worst]
        if off[out].min() > max(_FAR * float(np.sqrt(np.mean(off[kept] ** 2))), _NOISE):
            return tuple(sorted(out, key=lambda one: -off[one]))
    return ()
