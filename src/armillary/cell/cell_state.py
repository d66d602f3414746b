"""What a cell does, and what became of a request to move it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.model import Model
from armillary.motion import tool_pose
from armillary.runtime import State
from armillary.runtime.board_kinds import INPUTS_OUTPUTS
from armillary.spatial import rpy_from_rotation

__all__ = ["CellState", "Moved", "inputs_outputs_of"]

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
        forced, forced_analog: Numbers of the inputs that somebody holds at a value.
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
    forced: tuple[int, ...]
    forced_analog: tuple[int, ...]

    @classmethod
    def of(cls, record: Any, model: Model) -> "CellState":
        """From what the executor writes down."""
        q = record["q"].copy()
        T = tool_pose(model, q, base=model.reference)
        return cls(
            state=State(int(record["state"])), q=q, v=record["v"].copy(), measured=record["measured_q"].copy(),
            torque=record["measured_torque"].copy(), xyz=T[:3, 3], rpy=np.array(rpy_from_rotation(T[:3, :3])),
            progress=float(record["progress"]), rate=float(record["rate"]), certified=bool(record["certified"]),
            fault=bytes(record["fault"]).decode(errors="replace"), late=float(record["late"]), contacts=int(record["contacts"]),
            **inputs_outputs_of(record),
        )  # fmt: skip

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


def inputs_outputs_of(record: Any) -> dict[str, Any]:
    """What goes in and out beside the motion, by name: as many of each as the motor side has.

    "forced" and "forced_analog" are the numbers of the inputs that somebody holds at a value.
    """
    found: dict[str, Any] = {}
    for name, count in zip(INPUTS_OUTPUTS, record["counts"].tolist(), strict=True):
        if name.startswith("analog"):
            found[name] = record[name][:count].copy()
        else:
            found[name] = tuple(bool(int(record[name]) >> k & 1) for k in range(count))
    for name in ("forced", "forced_analog"):
        found[name] = tuple(k for k in range(32) if int(record[name]) >> k & 1)
    return found
