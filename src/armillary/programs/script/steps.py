"""Simple statements compiled to steps: what each does to the memory, and the command that it gives."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from armillary.programs.commands import Command, Dwell, Pause, Say, SetOutput, Stop, WaitInput
from armillary.programs.script.errors import Fault
from armillary.programs.script.formatter import format_number
from armillary.programs.script.memory import KnownPoint, Memory, factors
from armillary.programs.script.motions import compile_motion
from armillary.programs.script.rows import check_joint_count, compile_row, joint_positions, pose_in_base
from armillary.programs.script.scope import Scope
from armillary.programs.script.statements import (
    Assignment,
    DwellTime,
    FrameChoice,
    InputWait,
    Message,
    Motion,
    OutputSetting,
    PauseHere,
    PointDeclaration,
    SpeedChoice,
    Statement,
    StopHere,
    ToolChoice,
    UnitsChoice,
)
from armillary.programs.script.timings import compile_speed, compile_time
from armillary.programs.script.values import compile_value, finite, port_of

__all__ = ["SETTINGS", "Step", "compile_step", "set_variable"]

Step = Callable[[Memory], Command | int | None]  # a command; where to go on; or nothing
_DAY = 86_400.0  # s
SETTINGS = (Assignment, FrameChoice, PointDeclaration, SpeedChoice, ToolChoice, UnitsChoice)  # what is in force behind them


def compile_step(statement: Statement, scope: Scope) -> Step:
    """What a simple statement does.

    Raises:
        Fault: What can be known before it runs to be wrong.
    """
    return _COMPILERS[type(statement)](statement, scope)


def set_variable(name: str, scope: Scope) -> Callable[[Memory, float], None]:
    """What sets a variable: a parameter of the subroutine, or one of the program's."""
    if name in scope.parameters:
        return lambda memory, value: memory.calls[-1].parameters.__setitem__(name, value)
    return lambda memory, value: memory.variables.__setitem__(name, value)


def _assignment(statement: Assignment, scope: Scope) -> Step:
    name, at = statement.name, statement.at
    if name not in scope.parameters:
        scope.new_variable(name, at)
    value, store = compile_value(statement.value, scope), set_variable(name, scope)
    if not callable(value):
        constant = finite(value, name, at)
        return lambda memory: store(memory, constant)
    return lambda memory: store(memory, finite(value(memory), name, at))


def _point(statement: PointDeclaration, scope: Scope) -> Step:
    at, name = statement.at, statement.name
    row = compile_row(statement.values, scope, at)
    frame = None if statement.frame is None else scope.base(statement.frame, at)
    if statement.joints:
        check_joint_count(len(statement.values), scope, name, at)

    def declare(memory: Memory) -> None:
        length, angle, _ = factors(memory.modes.units, statement.units)
        values = row(memory)
        if statement.joints:
            memory.points[name] = KnownPoint(q=joint_positions(values, length, angle, scope))
            return
        xyz, rpy = pose_in_base(values, length, angle, scope.transform(frame or memory.modes.frame))
        memory.points[name] = KnownPoint(xyz=xyz, rpy=rpy, tool=memory.modes.tool)

    return declare


def _dwell(statement: DwellTime, scope: Scope) -> Step:
    at, value, source = statement.at, compile_value(statement.value, scope), scope.source(statement.at)

    def checked(seconds: float) -> float:
        if not 0.0 <= finite(seconds, "the time", at) <= _DAY:
            raise Fault(f"DWELL for {seconds:g} s", "expected from zero up to a day", at)
        return seconds

    if not callable(value) and value < 0.0:  # its unit may be known only when it runs, its sign is known now
        checked(value)

    def make(memory: Memory) -> Command:
        number = value(memory) if callable(value) else value
        return Dwell(seconds=checked(number * factors(memory.modes.units, statement.units)[2]), source=source)

    return make


def _output(statement: OutputSetting, scope: Scope) -> Step:
    at, source, port = statement.at, scope.source(statement.at), compile_value(statement.port, scope)
    value = statement.value if isinstance(statement.value, bool) else compile_value(statement.value, scope)
    if not callable(port):
        port_of(port, at)

    def make(memory: Memory) -> Command:
        number = port_of(port(memory) if callable(port) else port, at)
        if isinstance(value, bool):
            return SetOutput(index=number, value=value, source=source)
        return SetOutput(index=number, value=finite(value(memory) if callable(value) else value, "the value", at), source=source)

    return make


def _wait(statement: InputWait, scope: Scope) -> Step:
    at, source, port = statement.at, scope.source(statement.at), compile_value(statement.port, scope)
    level = 0.0 if statement.value is None else compile_value(statement.value, scope)
    timeout = None if statement.timeout is None else compile_time(statement.timeout, None, scope, at)
    if not callable(port):
        port_of(port, at)

    def make(memory: Memory) -> Command:
        return WaitInput(
            index=port_of(port(memory) if callable(port) else port, at), condition=statement.condition.lower(),
            value=finite(level(memory) if callable(level) else level, "the value", at), analog=statement.value is not None,
            timeout=None if timeout is None else timeout(memory), required=not statement.optional, source=source,
        )  # fmt: skip

    return make


def _tool(statement: ToolChoice, scope: Scope) -> Step:
    tip = scope.tip(statement.name, statement.at)
    return lambda memory: setattr(memory.modes, "tool", tip)


def _frame(statement: FrameChoice, scope: Scope) -> Step:
    frame = scope.base(statement.name, statement.at)
    return lambda memory: setattr(memory.modes, "frame", frame)


def _speed(statement: SpeedChoice, scope: Scope) -> Step:
    speeds = [
        ("share" if speed.unit == "%" else "speed", compile_speed(speed, scope, statement.at)) for speed in statement.speeds
    ]

    def choose(memory: Memory) -> None:
        for mode, speed in speeds:
            setattr(memory.modes, mode, speed(memory))

    return choose


def _units(statement: UnitsChoice, scope: Scope) -> Step:  # noqa: ARG001
    said = {kind: unit for kind in ("length", "angle", "time") if (unit := getattr(statement.units, kind))}
    return lambda memory: setattr(memory.modes, "units", replace(memory.modes.units, **said))


def _message(statement: Message, scope: Scope) -> Step:
    source = scope.source(statement.at)
    pieces = [piece if isinstance(piece, str) else compile_value(piece, scope) for piece in statement.pieces]

    def make(memory: Memory) -> Command:
        values = [piece if isinstance(piece, str) else piece(memory) if callable(piece) else piece for piece in pieces]
        said = [value if isinstance(value, str) else format_number(finite(value, "a value", statement.at)) for value in values]
        return Say(text="".join(said), source=source)

    return make


def _pause(statement: PauseHere, scope: Scope) -> Step:
    command = Pause(optional=statement.optional, source=scope.source(statement.at))
    return lambda _: command


def _stop(statement: StopHere, scope: Scope) -> Step:
    command = Stop(source=scope.source(statement.at))
    return lambda _: command


_COMPILERS: dict[type[Statement], Callable[[Any, Scope], Step]] = {
    Assignment: _assignment, DwellTime: _dwell, FrameChoice: _frame, InputWait: _wait, Message: _message, Motion: compile_motion,
    OutputSetting: _output, PauseHere: _pause, PointDeclaration: _point, SpeedChoice: _speed, StopHere: _stop, ToolChoice: _tool,
    UnitsChoice: _units,
}  # fmt: skip
