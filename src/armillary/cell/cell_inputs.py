"""A cell's inputs as programs see them."""

from armillary.programs import WaitInput
from armillary.runtime import Station

__all__ = ["CellInputs"]


class CellInputs:
    """What the motor side senses now, and whether what was waited for last came."""

    def __init__(self, station: Station) -> None:
        self._station, self._came = station, True

    def digital(self, index: int) -> bool:
        return bool(int(self._station.state["inputs"]) >> index & 1)

    def analog(self, index: int) -> float:
        return float(self._station.state["analog_inputs"][index])

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
