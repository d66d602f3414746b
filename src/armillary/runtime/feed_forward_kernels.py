"""What a command needs against the joints' own damping and friction, compiled."""

import numpy as np
from numpy.typing import NDArray

from armillary.model.compiled import compiled

__all__ = ["add_passive"]

Array = NDArray[np.float64]


@compiled()
def add_passive(v: Array, damping: Array, friction: Array, slides: float, torque: Array) -> None:
    """Add damping and friction at velocities to torques, all of shape (n,).

    A friction that turned over at once where the velocity does would chatter: it is all there from `slides` on.
    """
    for j in range(v.shape[0]):
        torque[j] += damping[j] * v[j] + friction[j] * np.tanh(v[j] / slides)
