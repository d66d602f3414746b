"""PMAC's status words (`?` of a motor, `??` of a coordinate system) as named flags.

The words of a report are one number here, the first word highest: bit 23 of a motor's word 1 is bit 47.
"""

from enum import IntFlag

from armillary.protocols.pmac import BadPmac

__all__ = [
    "CoordinateStatus", "MotorStatus", "coordinate_faults", "coordinate_status", "coordinate_system_of", "motor_faults",
    "motor_status", "status_text",
]  # fmt: skip

_DIGITS = 6  # of a word


class MotorStatus(IntFlag):
    """A motor's two status words."""

    IN_POSITION = 1 << 0
    FOLLOWING_WARNING = 1 << 1
    FOLLOWING_FATAL = 1 << 2
    AMPLIFIER_FAULT = 1 << 3
    HOMED = 1 << 10
    STOPPED_ON_LIMIT = 1 << 11
    IN_COORDINATE_SYSTEM = 1 << 15
    HOMING = 1 << 34
    ABORTING = 1 << 36
    DESIRED_VELOCITY_ZERO = 1 << 37
    DATA_BLOCK_ERROR = 1 << 38
    DWELLING = 1 << 39
    MOVE_TIMER = 1 << 41
    OPEN_LOOP = 1 << 42
    AMPLIFIER_ON = 1 << 43
    POSITIVE_LIMIT = 1 << 45
    NEGATIVE_LIMIT = 1 << 46
    ACTIVATED = 1 << 47


class CoordinateStatus(IntFlag):
    """A coordinate system's three status words."""

    LIMIT_STOP = 1 << 1
    SPLINE_OR_CIRCLE = 1 << 24
    RAPID = 1 << 25
    SPLINE_OR_PVT = 1 << 28
    ROTARY_FULL = 1 << 40
    IN_POSITION = 1 << 41
    FOLLOWING_WARNING = 1 << 42
    FOLLOWING_FATAL = 1 << 43
    AMPLIFIER_FAULT = 1 << 44
    RUN_TIME_ERROR = 1 << 46
    PROGRAM_RUNNING = 1 << 48
    STEPPING = 1 << 49
    CONTINUOUS_MOTION = 1 << 50
    MOVE_BY_TIME = 1 << 51
    CONTINUOUS_REQUEST = 1 << 52


_MOTOR_WORDS = {
    MotorStatus.FOLLOWING_FATAL: "it was killed: its following error was too great",
    MotorStatus.AMPLIFIER_FAULT: "its amplifier reports a fault",
    MotorStatus.STOPPED_ON_LIMIT: "it was stopped by a position limit",
}
_COORDINATE_WORDS = {
    CoordinateStatus.RUN_TIME_ERROR: "a run-time error stopped its program",
    CoordinateStatus.FOLLOWING_FATAL: "a motor was killed: its following error was too great",
    CoordinateStatus.AMPLIFIER_FAULT: "an amplifier reports a fault",
    CoordinateStatus.LIMIT_STOP: "a position limit stopped it",
}


def motor_status(text: str) -> MotorStatus:
    """What the 12 digits of `?` say.

    Raises:
        BadPmac: They are not 12 hexadecimal digits.
    """
    return MotorStatus(_number(text, 2, "?"))


def coordinate_status(text: str) -> CoordinateStatus:
    """What the 18 digits of `??` say.

    Raises:
        BadPmac: They are not 18 hexadecimal digits.
    """
    return CoordinateStatus(_number(text, 3, "??"))


def coordinate_system_of(status: MotorStatus) -> int:
    """The coordinate system that a motor is in; 0 for none."""
    return (int(status) >> 20 & 0xF) + 1 if status & MotorStatus.IN_COORDINATE_SYSTEM else 0


def motor_faults(status: MotorStatus) -> tuple[str, ...]:
    """What is wrong with a motor, in words."""
    return tuple(words for flag, words in _MOTOR_WORDS.items() if status & flag)


def coordinate_faults(status: CoordinateStatus) -> tuple[str, ...]:
    """What is wrong with a coordinate system, in words."""
    return tuple(words for flag, words in _COORDINATE_WORDS.items() if status & flag)


def status_text(status: MotorStatus | CoordinateStatus) -> str:
    """The digits of a report."""
    return f"{int(status):0{_DIGITS * (2 if isinstance(status, MotorStatus) else 3)}X}"


def _number(text: str, words: int, command: str) -> int:
    digits = text.strip()
    try:
        if len(digits) == words * _DIGITS and digits.isalnum():
            return int(digits, 16)
    except ValueError:
        pass
    raise BadPmac(f"the answer to {command} is {text!r}, not {words * _DIGITS} hexadecimal digits")
