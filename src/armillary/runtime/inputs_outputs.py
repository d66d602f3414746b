"""What goes in and out of a motor side beside the motion: checked before it is taken."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.drivers import Capabilities, Command, Feedback
from armillary.drivers.driver import ForcedInputs
from armillary.runtime.errors import Refused

__all__ = ["Output", "TimedOutput", "check_outputs", "checked_output", "hold_input", "settable_output"]

_BIGGEST = 1e150  # of an analogue value: beyond it nothing is meant


@dataclass(frozen=True)
class Output:
    """An output that there is, and what it is to become: a truth value for a digital one, a number for an analogue one."""

    index: int
    value: bool | float

    def set(self, command: Command) -> None:
        """Put it into what is sent."""
        if not isinstance(self.value, bool):
            command.analog[self.index] = self.value
        elif self.value:
            command.outputs |= 1 << self.index
        else:
            command.outputs &= ~(1 << self.index)


@dataclass(frozen=True)
class TimedOutput:
    """An output that is set while a motion passes by.

    Attributes:
        time: When, in the motion's own time [s].
        mark: A number for the command that it belongs to, which grows along the motion: none is set twice.
    """

    time: float
    output: Output
    mark: int


def checked_output(able: Capabilities, index: object, value: object) -> Output:
    """An output of a motor side.

    Raises:
        Refused: There is no such output, or the value is none.
    """
    analog = not isinstance(value, bool | np.bool_)
    which = _checked(index, "output", able.analog_outputs if analog else able.outputs, analog)
    return Output(which, _number(value) if analog else bool(value))


def settable_output(able: Capabilities, index: object, value: object) -> Output:
    """An output of a motor side that changes at once when it is set.

    Raises:
        Refused: There is no such output, the value is none, or it would change later.
    """
    output = checked_output(able, index, value)
    if able.depth:
        raise Refused("this motor side plays a buffer: its outputs would change when that has been played; not possible yet")
    return output


def check_outputs(able: Capabilities, outputs: Iterable[TimedOutput]) -> None:
    """Look at the outputs of a motion before it is taken.

    Raises:
        Refused: One of them cannot be set.
    """
    for each in outputs:
        settable_output(able, each.output.index, each.output.value)


def hold_input(
    forced: ForcedInputs, able: Capabilities, feedback: Feedback, index: object, value: object, *, analog: bool
) -> None:  # fmt: skip
    """Hold an input of a simulated motor side at a value; None lets it go, of the kind that `analog` says.

    Raises:
        Refused: The motor side is real, there is no such input, or the value is none.
    """
    if not able.simulated:
        raise Refused("the inputs of a real motor side cannot be simulated; only those of 'ideal' and 'physics' can")
    analog = analog if value is None else not isinstance(value, bool | np.bool_)
    which = _checked(index, "input", able.analog_inputs if analog else able.inputs, analog)
    number = _number(value) if analog and value is not None else None
    forced.lift(feedback)
    if analog:
        forced.hold_analog(which, number)
    else:
        forced.hold(which, None if value is None else bool(value))
    if forced.any:
        forced.press(feedback)


def _checked(index: object, what: str, count: int, analog: bool) -> int:
    """The index of an input or output that there is."""
    kind = "analogue" if analog else "digital"
    if not isinstance(index, int | np.integer) or isinstance(index, bool):
        raise Refused(f"{index!r} is no index of an {what}; give a whole number from 0 on")
    if not 0 <= index < count:
        has = f"{count}, from 0 to {count - 1}" if count else "none"
        raise Refused(f"there is no {kind} {what} {index}: the motor side has {has}")
    return int(index)


def _number(value: object) -> float:
    """An analogue value."""
    number: Any = value
    if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool) and abs(number) < _BIGGEST:
        return float(number)
    raise Refused(f"{value!r} is no value; give true or false to a digital one, a finite number to an analogue one")
