"""The status words that a controller reports, from what its motors and coordinate systems do."""

from armillary.emulators.pmac.axis_definition import AXES
from armillary.emulators.pmac.coordinate_system import CoordinateSystem
from armillary.emulators.pmac.motor import Motor
from armillary.protocols.pmac_status import CoordinateStatus, MotorStatus

__all__ = ["motor_words", "system_words"]

_AXIS_CODES = {axis: k + 1 for k, axis in enumerate(AXES)}  # bits 16 to 19 of word 2 (unconfirmed beyond A = 1)


def motor_words(motor: Motor, system: CoordinateSystem | None) -> MotorStatus:
    """What `?` reports.

    Args:
        system: The coordinate system that it is in.
    """
    M = MotorStatus
    moving = system is not None and system.moving
    flags = {
        M.ACTIVATED: motor.activated, M.NEGATIVE_LIMIT: motor.negative_limit, M.POSITIVE_LIMIT: motor.positive_limit,
        M.AMPLIFIER_ON: motor.closed, M.OPEN_LOOP: not motor.closed, M.MOVE_TIMER: moving, M.ABORTING: motor.aborting,
        M.DESIRED_VELOCITY_ZERO: motor.still_commanded, M.HOMING: motor.homing, M.IN_COORDINATE_SYSTEM: system is not None,
        M.STOPPED_ON_LIMIT: motor.limit_stopped, M.HOMED: motor.homed, M.AMPLIFIER_FAULT: motor.amplifier_fault,
        M.FOLLOWING_FATAL: motor.fatal, M.FOLLOWING_WARNING: motor.warned, M.IN_POSITION: motor.in_position and not moving,
    }  # fmt: skip
    status = M(0)
    for flag, on in flags.items():
        if on:
            status |= flag
    if system is not None:
        axis = next(iter(system.definitions[motor.number].scales))
        status |= M((system.number - 1 & 0xF) << 20 | _AXIS_CODES[axis] << 16)
    return status


def system_words(system: CoordinateSystem, enough: float, few: float) -> CoordinateStatus:
    """What `??` reports.

    Args:
        enough, few: I17 and I16: lines between which the rotary buffer counts as full.
    """
    C = CoordinateStatus
    members = system.members
    spline = system.motion.mode == "SPLINE1"
    flags = {
        C.PROGRAM_RUNNING: system.running, C.STEPPING: system.stepping, C.CONTINUOUS_REQUEST: system.running,
        C.CONTINUOUS_MOTION: system.moving and system.motion.open, C.MOVE_BY_TIME: system.motion.by_time,
        C.RUN_TIME_ERROR: system.run_time_error, C.AMPLIFIER_FAULT: any(motor.amplifier_fault for motor in members),
        C.FOLLOWING_FATAL: any(motor.fatal for motor in members), C.FOLLOWING_WARNING: any(motor.warned for motor in members),
        C.IN_POSITION: bool(members) and not system.moving and all(motor.in_position for motor in members),
        C.ROTARY_FULL: system.rotary is not None and system.rotary.full(enough, few), C.SPLINE_OR_CIRCLE: spline,
        C.SPLINE_OR_PVT: spline, C.RAPID: system.motion.mode == "RAPID", C.LIMIT_STOP: system.stopped_on_limit,
    }  # fmt: skip
    status = C(0)
    for flag, on in flags.items():
        if on:
            status |= flag
    return status
