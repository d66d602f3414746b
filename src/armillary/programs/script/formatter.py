"""The canonical text of a script: one command a line, blocks set in by two blanks, comments kept."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from armillary.programs.script.expressions import PRECEDENCE, Binary, Call, Name, Part, Unary, Value
from armillary.programs.script.script import Script
from armillary.programs.script.statements import (
    Assignment,
    Comment,
    DwellTime,
    For,
    FrameChoice,
    Goto,
    If,
    InputWait,
    Label,
    Message,
    Motion,
    OutputSetting,
    PauseHere,
    PointDeclaration,
    Return,
    SpeedChoice,
    Statement,
    StopHere,
    Sub,
    SubCall,
    Timing,
    ToolChoice,
    Units,
    UnitsChoice,
    While,
)

__all__ = ["format_number", "format_script", "format_statements"]

_NAME = re.compile(r"[^\W\d]\w*")


def format_script(script: Script) -> str:
    """The canonical text of a script; read again it is the same script, and its own canonical text."""
    return format_statements(script.statements)


def format_statements(statements: Iterable[Statement]) -> str:
    """The canonical text of statements."""
    return "".join(f"{line}\n" for line in _lines(statements, ""))


def format_number(value: float) -> str:
    """The shortest text of a number that is read as the same one."""
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _lines(statements: Iterable[Statement], indent: str) -> Iterator[str]:
    for statement in statements:
        if isinstance(statement, Comment):
            yield f"{indent}{statement.text}" if statement.text else ""
        elif isinstance(statement, If | For | While | Sub):
            yield from _block(statement, indent)
        else:
            yield _with(indent, statement.index, _SIMPLE[type(statement)](statement), statement.comment)


def _with(indent: str, index: str, text: str, comment: str) -> str:
    return f"{indent}{index} {text}  {comment}".rstrip() if index else f"{indent}{text}  {comment}".rstrip()


def _block(statement: If | For | While | Sub, indent: str) -> Iterator[str]:
    deeper = indent + "  "
    if isinstance(statement, If):
        for position, branch in enumerate(statement.branches):
            word = "IF" if not position else "ELSE" if branch.condition is None else "ELSEIF"
            head = word if branch.condition is None else f"{word} {_expression(branch.condition)}"
            yield _with(indent, "" if position else statement.index, head, branch.comment)
            yield from _lines(branch.body, deeper)
    else:
        yield _with(indent, statement.index, _head(statement), statement.comment)
        yield from _lines(statement.body, deeper)
    yield _with(indent, "", "END", statement.end_comment)


def _head(statement: For | While | Sub) -> str:
    if isinstance(statement, While):
        return f"WHILE {_expression(statement.condition)}"
    if isinstance(statement, Sub):
        return f"SUB {statement.name}({', '.join(statement.parameters)})"
    step = "" if statement.step is None else f" STEP {_expression(statement.step)}"
    return f"FOR {statement.name} = {_expression(statement.first)} TO {_expression(statement.last)}{step}"


def _expression(value: Value, least: int = 0) -> str:
    """The text of an expression, in parentheses where it binds less than `least`."""
    if isinstance(value, float):
        text, strength = format_number(value), PRECEDENCE["negative"] if value < 0.0 else 9
    elif isinstance(value, Name | Part):
        return value.name if isinstance(value, Name) else f"{value.point}.{value.part}"
    elif isinstance(value, Call):
        return f"{value.function}({', '.join(_expression(argument) for argument in value.arguments)})"
    elif isinstance(value, Unary) and value.operator == "NOT":
        text, strength = f"NOT {_expression(value.operand, PRECEDENCE['NOT'])}", PRECEDENCE["NOT"]
    elif isinstance(value, Unary):
        # A minus before a number is part of the number, so one that is not goes before parentheses.
        operand = f"({_expression(value.operand)})" if isinstance(value.operand, float) else _expression(value.operand, 7)
        text, strength = f"-{operand}", PRECEDENCE["negative"]
    else:
        return _binary(value, least)
    return f"({text})" if strength < least else text


def _binary(value: Binary, least: int) -> str:
    strength = PRECEDENCE[value.operator]
    left, right = strength, strength + 1
    if value.operator == "^":
        left, right = strength + 1, PRECEDENCE["negative"]
    elif strength == PRECEDENCE["=="]:
        left = strength + 1  # a comparison of a comparison is not read without parentheses
    text = f"{_expression(value.left, left)} {value.operator} {_expression(value.right, right)}"
    return f"({text})" if strength < least else text


def _value(value: Value) -> str:
    """A value of a row: in parentheses where it is more than one piece."""
    if isinstance(value, float | Name | Part | Call):
        return _expression(value)
    if isinstance(value, Unary) and value.operator == "-" and not isinstance(value.operand, float):
        return f"-{_expression(value.operand, 9)}"
    return f"({_expression(value)})"


def _row(values: Iterable[Value]) -> str:
    return " ".join(_value(value) for value in values)


def _timing(timing: Timing) -> str:
    return f"{_value(timing.value)} {timing.unit}".rstrip()


def _units(units: Units | None) -> str:
    return "" if units is None else f" ({units})"


def _frame(name: str | None) -> str:
    return "" if name is None else f" {{{name}}}"


def _frame_name(name: str) -> str:
    return name if _NAME.fullmatch(name) else f"{{{name}}}"


def _motion(motion: Motion) -> str:
    word = f"{motion.name}_{motion.suffix}" if motion.suffix else motion.name
    groups = "; ".join(_row(group) for group in motion.groups)
    timing = "" if motion.timing is None else f" [{_timing(motion.timing)}]"
    text = f"{word}{_frame(motion.moving)} {groups}{timing}{_units(motion.units)}{_frame(motion.frame)}"
    if motion.blend is not None:
        text += f" BLEND {_value(motion.blend)}"
    return text if motion.tolerance is None else f"{text} TOLERANCE {_value(motion.tolerance)}"


def _declaration(point: PointDeclaration) -> str:
    word = "JOINTS" if point.joints else "POINT"
    return f"{word} {point.name} = {_row(point.values)}{_units(point.units)}{_frame(point.frame)}"


def _output(output: OutputSetting) -> str:
    value = ("ON" if output.value else "OFF") if isinstance(output.value, bool) else _value(output.value)
    return f"OUTPUT {_value(output.port)} {value}"


def _wait(wait: InputWait) -> str:
    value = "" if wait.value is None else f" {_value(wait.value)}"
    timeout = "" if wait.timeout is None else f" [{_timing(wait.timeout)}]"
    return f"WAIT {_value(wait.port)} {wait.condition}{value}{timeout}{' OPTIONAL' if wait.optional else ''}"


def _message(message: Message) -> str:
    return "MESSAGE " + " ".join(_text(piece) if isinstance(piece, str) else _value(piece) for piece in message.pieces)


def _text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _call(call: SubCall) -> str:
    return f"CALL {call.name}({', '.join(_expression(argument) for argument in call.arguments)})"


_SIMPLE: dict[type[Statement], Callable[[Any], str]] = {  # each takes the statement of its type
    Assignment: lambda s: f"{s.name} = {_expression(s.value)}",
    DwellTime: lambda s: f"DWELL {_value(s.value)}{_units(s.units)}",
    FrameChoice: lambda s: f"FRAME {_frame_name(s.name)}",
    Goto: lambda s: f"GOTO {s.name}",
    InputWait: _wait,
    Label: lambda s: f"LABEL {s.name}",
    Message: _message,
    Motion: _motion,
    OutputSetting: _output,
    PauseHere: lambda s: "PAUSE OPTIONAL" if s.optional else "PAUSE",
    PointDeclaration: _declaration,
    Return: lambda _: "RETURN",
    SpeedChoice: lambda s: f"SPEED {' '.join(_timing(speed) for speed in s.speeds)}",
    StopHere: lambda _: "STOP",
    SubCall: _call,
    ToolChoice: lambda s: f"TOOL {_frame_name(s.name)}",
    UnitsChoice: lambda s: f"UNITS{_units(s.units)}",
}
