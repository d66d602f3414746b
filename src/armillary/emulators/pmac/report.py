"""What is reported: numbers and status words as PMAC writes them."""

from armillary.emulators.pmac.coordinate_system import CoordinateSystem
from armillary.emulators.pmac.machine import Machine
from armillary.emulators.pmac.motor import Motor
from armillary.emulators.pmac.status import motor_words, system_words
from armillary.protocols.pmac_status import status_text

__all__ = ["global_text", "motor_text", "number_text", "servo_speed", "system_text"]

_SERVO = 0.000442  # s: a cycle, which speeds are reported in


def number_text(value: float) -> str:
    """A number."""
    if value == int(value):
        return str(int(value))
    return f"{value:.10f}".rstrip("0")


def servo_speed(motor: Motor) -> str:
    """A motor's speed [counts a servo cycle]."""
    return number_text(round(motor.velocity * _SERVO, 1))


def motor_text(machine: Machine, motor: Motor) -> str:
    """What `?` reports."""
    return status_text(motor_words(motor, machine.system_of(motor.number)))


def system_text(machine: Machine, system: CoordinateSystem) -> str:
    """What `??` reports."""
    return status_text(system_words(system, machine.variables.value("I", 17), machine.variables.value("I", 16)))


def global_text() -> str:
    """What `???` reports: nothing is ever wrong with this controller itself."""
    return "0" * 12
