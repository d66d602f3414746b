"""Control characters: done at once, wherever they stand in a line."""

from collections.abc import Callable

from armillary.emulators.pmac.machine import Machine
from armillary.emulators.pmac.motor import Motor
from armillary.emulators.pmac.report import global_text, motor_text, number_text, servo_speed, system_text

__all__ = ["do_control"]

_REPORTED = 8  # motors and coordinate systems in one report


def do_control(machine: Machine, character: int) -> list[str]:
    """Do a control character, and say what it reports. Those that mean nothing do nothing."""
    letter = chr(character | 0x40)
    if letter == "A":
        machine.abort_all()
    elif letter == "K":
        machine.kill_all()
    elif letter == "D":
        for number in machine.plcs:
            machine.enable_plc(number, False)
    elif letter == "O":
        for system in machine.systems.values():
            system.hold()
    elif letter == "C":
        return [system_text(machine, system) for system in list(machine.systems.values())[:_REPORTED]]
    elif letter == "G":
        return [global_text()]
    reports: dict[str, Callable[[Motor], str]] = {
        "P": lambda motor: number_text(round(motor.position, 1)), "V": servo_speed,
        "F": lambda motor: number_text(round(motor.following_error, 1)), "B": lambda motor: motor_text(machine, motor),
    }  # fmt: skip
    if letter not in reports:
        return []
    return [" ".join(reports[letter](motor) for motor in list(machine.motors.values())[:_REPORTED])]
