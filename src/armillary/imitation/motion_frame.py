"""One frame of a person's motion, as it came in."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["MotionFrame"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MotionFrame:
    """What a source has of one moment.

    Attributes:
        number: Of the source's own counting: a later frame has a greater one, as long as its sender is the same.
        time: When its last byte came in, by time.monotonic() [s].
        values: Of the source's skeleton, shape (channels,): positions in its unit, rotations in degrees. All are finite.
    """

    number: int
    time: float
    values: Array

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=float)
        values.setflags(write=False)
        object.__setattr__(self, "values", values)
