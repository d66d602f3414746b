"""Faults of the real world, put into a machine by hand: how a driver takes them can then be seen."""

from collections.abc import Callable

from armillary.emulators.pmac.machine import Machine
from armillary.emulators.pmac.motor import Motor
from armillary.errors import ArmillaryError

__all__ = ["BadFault", "put_in"]


class BadFault(ArmillaryError):
    """A fault that there is none of."""


def put_in(machine: Machine, text: str) -> str:
    """Put a fault in: `stuck 3`, `weak 3`, `amplifier 3`, `plus 3`, `minus 3`, or take all of a motor's away: `well 3`.

    Returns:
        For `status`: where all motors are [counts], and which have power; "" otherwise.

    Raises:
        BadFault: There is no such fault, or no such motor.
    """
    kinds: dict[str, Callable[[Motor], None]] = {
        "stuck": lambda motor: setattr(motor, "friction", 1.0),
        "weak": lambda motor: setattr(motor, "friction", 0.9999),
        "amplifier": lambda motor: setattr(motor, "amplifier_broken", True),
        "plus": lambda motor: setattr(motor, "positive_switch", True),
        "minus": lambda motor: setattr(motor, "negative_switch", True),
        "well": _well,
    }
    if text.strip().lower() == "status":
        places = " ".join(f"{motor.position:.3f}" for motor in machine.motors.values())
        powered = " ".join(str(number) for number, motor in machine.motors.items() if motor.closed)
        return f"positions {places} powered {powered}".rstrip()
    kind, _, number = text.strip().lower().partition(" ")
    motor = machine.motors.get(int(number)) if number.strip().isdigit() else None
    if kind not in kinds or motor is None:
        raise BadFault(
            f"{text.strip()!r} is none; write status, or one of {', '.join(kinds)} and a motor from 1 to {len(machine.motors)}"
        )
    kinds[kind](motor)
    return ""


def _well(motor: Motor) -> None:
    motor.friction = 0.0
    motor.amplifier_broken = motor.positive_switch = motor.negative_switch = False
