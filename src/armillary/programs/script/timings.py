"""How a motion goes: its time or speed, blend, law of time and the frame that is moved."""

from collections.abc import Callable
from typing import Any

from armillary.programs.script.errors import Fault, Place
from armillary.programs.script.memory import Memory, factors
from armillary.programs.script.scope import Scope
from armillary.programs.script.statements import Motion, Timing
from armillary.programs.script.values import Compiled, compile_value, finite
from armillary.programs.script.words import PROFILES, UNITS

__all__ = ["Manner", "compile_manner", "compile_speed", "compile_time", "is_time"]

Manner = Callable[[Memory, str | None], dict[str, Any]]  # of a Move; given the tool that its points were taught with


def is_time(timing: Timing) -> bool:
    """Whether it says how long, and not how fast."""
    return timing.unit in ("", "s", "ms", "min")


def compile_time(timing: Timing, motion: Motion | None, scope: Scope, at: Place) -> Callable[[Memory], float]:
    """What gives a time [s]; in the unit of its own, of the motion, or in force."""
    value = compile_value(timing.value, scope)
    stated = motion.units if motion is not None else None

    def get(memory: Memory) -> float:
        factor = UNITS[timing.unit] if timing.unit else factors(memory.modes.units, stated)[2]
        return _positive(_now(value, memory) * factor, "the time", at)

    if not callable(value):
        _positive(value, "the time", at)
    return get


def compile_speed(timing: Timing, scope: Scope, at: Place) -> Callable[[Memory], float]:
    """What gives a share of what the joints can do, or a speed of the tool [m/s]."""
    value = compile_value(timing.value, scope)
    share = timing.unit == "%"
    length, _, time = timing.unit.partition("/")
    factor = 0.01 if share else UNITS[length] / UNITS[time]

    def checked(number: float) -> float:
        speed = _positive(number * factor, "the speed", at)
        if share and speed > 1.0:
            raise Fault(f"{number:g} % is more than the joints can do", "expected up to 100 %", at)
        return speed

    if not callable(value):
        constant = checked(value)
        return lambda _: constant
    return lambda memory: checked(value(memory))


def compile_manner(motion: Motion, scope: Scope, *, by_joints: bool) -> Manner:
    """What gives the fields of a Move that are not where it goes.

    Raises:
        Fault: A tool is not known, or a speed is of the wrong kind.
    """
    at, timing = motion.at, motion.timing
    tip = None if motion.moving is None else scope.tip(motion.moving, at)
    fixed: dict[str, Any] = {"source": scope.source(at), "profile": PROFILES.get(motion.suffix, "")}
    duration = speed = None
    if timing is not None and is_time(timing):
        duration = compile_time(timing, motion, scope, at)
    elif timing is not None:
        if (timing.unit == "%") != by_joints:
            wanted = "a share of the joints' speed, as [50 %]" if by_joints else "a speed of the tool, as [100 mm/s]"
            raise Fault(f"{motion.name} with a speed in {timing.unit}", f"expected {wanted}, or a time", at)
        speed = compile_speed(timing, scope, at)
    blend = None if motion.blend is None else _distance(compile_value(motion.blend, scope), "BLEND", at)
    tolerance = None if motion.tolerance is None else _distance(compile_value(motion.tolerance, scope), "TOLERANCE", at)

    def get(memory: Memory, taught_with: str | None) -> dict[str, Any]:
        modes = memory.modes
        fields = fixed.copy()
        fields["tip"] = tip if tip is not None else modes.tool if taught_with is None else taught_with
        if duration is not None:
            fields["duration"] = duration(memory)
            fields["speed"] = 1.0 if by_joints else None
        else:
            fields["speed"] = speed(memory) if speed is not None else modes.share if by_joints else modes.speed
        if blend is not None:
            fields["blend"] = blend(memory) * factors(modes.units, motion.units)[1 if by_joints else 0]
        if tolerance is not None:
            fields["tolerance"] = tolerance(memory) * factors(modes.units, motion.units)[0]
        return fields

    return get


def _now(value: Compiled, memory: Memory) -> float:
    return value(memory) if callable(value) else value


def _positive(value: float, what: str, at: Place) -> float:
    if not finite(value, what, at) > 0.0:
        raise Fault(f"{what} is {value:g}", "expected more than zero", at)
    return value


def _distance(value: Compiled, what: str, at: Place) -> Callable[[Memory], float]:
    def checked(number: float) -> float:
        if not finite(number, what, at) >= 0.0:
            raise Fault(f"{what} is {number:g}", "expected zero or more", at)
        return number

    if not callable(value):
        checked(value)
    return lambda memory: checked(_now(value, memory))
