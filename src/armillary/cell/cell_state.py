"""What a cell does, and what became of a request to move it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.runtime import State

__all__ = ["CellState", "Moved"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CellState:
    """What a cell does now.

    Attributes:
        state: READY, MOVING, ...
        q, v: What the joints are commanded, shape (n,).
        measured, torque: Where they are and what they are driven with, shape (n,); NaN where the motor side does not say.
        xyz, rpy: Of the tool, in what the arm stands on [m], [rad].
        progress: Of the present motion, 0 to 1.
        rate: The override.
        certified: Whether what moves now is proven; set-points of another master are not.
        fault: What is wrong, or "".
        late: How late the last tick was [s].
        contacts: How many parts touch, where the motor side knows.
        inputs, outputs: Digital ones, from 0 on: as many as the motor side has.
        analog_inputs, analog_outputs: Likewise, shape (k,) each, in their own units; NaN where nothing was heard.
    """

    state: State
    q: Array
    v: Array
    measured: Array
    torque: Array
    xyz: Array
    rpy: Array
    progress: float
    rate: float
    certified: bool
    fault: str
    late: float
    contacts: int
    inputs: tuple[bool, ...]
    outputs: tuple[bool, ...]
    analog_inputs: Array
    analog_outputs: Array

    def __str__(self) -> str:
        place = ", ".join(f"{value:.4f}" for value in self.xyz)
        return f"{self.state.name}, tool at ({place}) m" + (f": {self.fault}" if self.fault else "")


@dataclass(frozen=True)
class Moved:
    """What became of a request to move.

    Attributes:
        motion: Its number.
        duration: How long it takes at full rate [s].
        notes: What one should know, for example why it was slowed.
        planned_in: How long planning and proof took [s].
    """

    motion: int
    duration: float
    notes: tuple[str, ...] = ()
    planned_in: float = 0.0
