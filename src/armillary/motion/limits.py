"""The limits that a motion keeps."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from armillary.model import Model
from armillary.motion.errors import BadMotion

__all__ = ["MotionLimits", "limits_of"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MotionLimits:
    """Limits of n joints, shape (n,) each; infinite where there is none.

    Attributes:
        joints: Their names.
        lower, upper: Positions [rad or m].
        velocity, acceleration, jerk: Per second, second squared and cubed; the same both ways.
    """

    joints: tuple[str, ...]
    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    jerk: Array

    def __post_init__(self) -> None:
        for name in ("velocity", "acceleration", "jerk"):
            values = getattr(self, name)
            for joint, value in zip(self.joints, values, strict=True):
                if not value > 0.0:
                    raise BadMotion(f"{joint} has a limit of {name} of {value:g}; it could never move: give one above zero")

    def scaled(self, *, velocity: float = 1.0, acceleration: float = 1.0, jerk: float = 1.0) -> "MotionLimits":
        """A share of the limits, for a slower motion; above 1 is refused, since it would not be the robot's any more."""
        for name, share in (("velocity", velocity), ("acceleration", acceleration), ("jerk", jerk)):
            if not 0.0 < share <= 1.0:
                raise BadMotion(f"{share:g} of the {name} is no share; give more than 0 and at most 1")
        return replace(
            self, velocity=self.velocity * velocity, acceleration=self.acceleration * acceleration, jerk=self.jerk * jerk
        )

    def of_order(self, order: int) -> Array:
        """The limit of a derivative: 1 velocity, 2 acceleration, 3 jerk."""
        return (self.velocity, self.acceleration, self.jerk)[order - 1]


def limits_of(model: Model) -> MotionLimits:
    """The limits of a model's joints."""
    return MotionLimits(
        model.joints, model.lower.copy(), model.upper.copy(), model.velocity.copy(), model.acceleration.copy(), model.jerk.copy()
    )
