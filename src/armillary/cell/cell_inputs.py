"""A cell's inputs as programs see them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from armillary.cell.cell_state import inputs_outputs_of
from armillary.programs import WaitInput
from armillary.runtime import Refused, Station

__all__ = ["CellInputs"]


class CellInputs:
    """What the motor side senses now, and whether what was waited for last came.

    Attributes:
        arrive: Called before an input is looked at: a program that runs has the robot come to its line first.
    """

    def __init__(self, station: Station) -> None:
        self._station, self._came = station, True
        self.arrive: Callable[[], None] | None = None

    def digital(self, index: int) -> bool:
        """Raises:
        Refused: The motor side has no such input.
        """
        if self.arrive is not None:
            self.arrive()
        return bool(_at(self._station.state, "inputs", index))

    def analog(self, index: int) -> float:
        """Raises:
        Refused: The motor side has no such input.
        """
        if self.arrive is not None:
            self.arrive()
        return float(_at(self._station.state, "analog_inputs", index))

    def heard(self, which: str, index: int) -> Any:
        """One of "inputs" or "analog_inputs" as it was last heard, whether a program runs or not.

        Raises:
            Refused: The motor side has no such input.
        """
        record = self._station.state
        if self._station.settings.pace == "lock_step" and not record["moves"]:
            # Answered where time stands still: what an output set before has brought is there, every time.
            self._station.ask("statistics", {"clear": False})
            record = self._station.state
        return _at(record, which, index)

    def came(self) -> bool:
        return self._came

    def note(self, came: bool) -> None:
        """What was waited for has come, or not."""
        self._came = came

    def sensed(self, command: WaitInput) -> float:
        """The input that a command waits for."""
        return self.analog(command.index) if command.analog else float(self.digital(command.index))

    def is_so(self, command: WaitInput, before: float, now: float) -> bool:
        """Whether what a command waits for is so, by what was sensed before and now."""
        return {
            "now": True, "high": now > 0.5, "low": now <= 0.5, "rise": before <= 0.5 < now, "fall": now <= 0.5 < before,
            "above": now > command.value, "below": now < command.value,
        }[command.condition]  # fmt: skip


def _at(record: Any, which: str, index: int) -> Any:
    values = inputs_outputs_of(record)[which]
    if not isinstance(index, int | np.integer) or not 0 <= index < len(values):
        kind = "an analogue" if which.startswith("analog") else "a digital"
        raise Refused(f"{index!r} is not {kind} input: the motor side has {len(values)}, counted from 0")
    return values[index]
