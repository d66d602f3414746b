"""A cell's inputs as programs see them."""

from collections.abc import Callable

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
        record = self._station.state
        self._must_have(index, int(record["counts"][0]), "input")
        return bool(int(record["inputs"]) >> index & 1)

    def analog(self, index: int) -> float:
        """Raises:
        Refused: The motor side has no such input.
        """
        if self.arrive is not None:
            self.arrive()
        record = self._station.state
        self._must_have(index, int(record["counts"][2]), "analogue input")
        return float(record["analog_inputs"][index])

    def _must_have(self, index: int, count: int, what: str) -> None:
        if not 0 <= index < count:
            raise Refused(f"there is no {what} {index}; this motor side has {count}" + (", from 0" if count else ""))

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
