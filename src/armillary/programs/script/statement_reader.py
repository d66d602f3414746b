"""Statements from their tokens: all but motions and what opens or closes a block."""

import re
from collections.abc import Callable

from armillary.programs.script.errors import Fault, Place, nearest
from armillary.programs.script.expressions import Value
from armillary.programs.script.reader import Reader
from armillary.programs.script.statements import (
    Assignment,
    DwellTime,
    FrameChoice,
    Goto,
    InputWait,
    Label,
    Message,
    OutputSetting,
    PauseHere,
    PointDeclaration,
    Return,
    SpeedChoice,
    Statement,
    StopHere,
    SubCall,
    Timing,
    ToolChoice,
    Units,
    UnitsChoice,
)
from armillary.programs.script.words import KEYWORDS

__all__ = ["read_arguments", "read_assignment", "read_statement", "unknown_statement"]

_ESCAPE = re.compile(r"\\(.)")
_CONDITIONS = ("HIGH", "LOW", "RISE", "FALL", "ABOVE", "BELOW")


def read_statement(word: str, at: Place, reader: Reader, index: str, comment: str) -> Statement:
    """What comes behind a word that begins a statement.

    Raises:
        Fault: It cannot be taken.
    """
    return _READERS[word](reader, at, index, comment)


def read_assignment(reader: Reader, comment: str) -> Assignment:
    """name = value."""
    name = reader.name("a variable")
    reader.sign("=")
    value = reader.expression()
    if reader.is_sign("="):
        raise Fault("= inside an expression", "expected == to compare", reader.next.at)
    return Assignment(at=name.at, comment=comment, name=name.text, value=value)


def read_arguments(reader: Reader) -> tuple[Value, ...]:
    """Values in parentheses with commas between them; none where there are no parentheses."""
    arguments: list[Value] = []
    if reader.accept_sign("(") and not reader.accept_sign(")"):
        arguments.append(reader.expression())
        while reader.accept_sign(","):
            arguments.append(reader.expression())
        reader.sign(")")
    return tuple(arguments)


def unknown_statement(reader: Reader) -> Fault:
    """What to say where no statement begins."""
    token = reader.next
    if token.kind != "name":
        return Fault(f"there is {token.text or 'nothing'} where a command begins", "expected its name, as MOVEL", token.at)
    hint = nearest(token.text, KEYWORDS)
    following = reader.tokens[reader.position + 1]
    if not hint.startswith("perhaps") and following.kind == "name":  # then the first is an index, and the second is misspelt
        token, hint = following, nearest(following.text, KEYWORDS)
    hint = hint if hint.startswith("perhaps") else "expected a command, as MOVEL, or name = value"
    return Fault(f"there is no command {token.text}", hint, token.at)


def _time_units(reader: Reader) -> Units | None:
    return reader.units(("time",)) if reader.is_sign("(") else None


def _stop(_: Reader, at: Place, index: str, comment: str) -> Statement:
    return StopHere(at=at, index=index, comment=comment)


def _return(_: Reader, at: Place, index: str, comment: str) -> Statement:
    return Return(at=at, index=index, comment=comment)


def _dwell(reader: Reader, at: Place, index: str, comment: str) -> Statement:
    return DwellTime(at=at, index=index, comment=comment, value=reader.value(), units=_time_units(reader))


def _output(reader: Reader, at: Place, index: str, comment: str) -> Statement:
    port = reader.value()
    value: Value | bool
    if reader.is_word("ON", "OFF"):
        value = reader.take().text.upper() == "ON"
    elif reader.at_end():
        raise reader.fault("ON, OFF or a value")
    else:
        value = reader.value()
    return OutputSetting(at=at, index=index, comment=comment, port=port, value=value)


def _wait(reader: Reader, at: Place, index: str, comment: str) -> Statement:
    port = reader.value()
    condition = reader.choice(_CONDITIONS)
    value = reader.value() if condition in ("ABOVE", "BELOW") else None
    timeout: Timing | None = None
    if reader.is_sign("["):
        bracket = reader.sign("[")
        timeout = reader.timing()
        if timeout.unit not in ("", "s", "ms", "min"):
            raise Fault(f"a time limit in {timeout.unit}", "expected a time, as [5 s]", bracket)
        reader.sign("]")
    optional = reader.accept_word("OPTIONAL")
    if optional and timeout is None:
        raise Fault("OPTIONAL without a time limit would wait for ever", "expected one before it, as [5 s]", at)
    return InputWait(
        at=at, index=index, comment=comment, port=port, condition=condition, value=value, timeout=timeout, optional=optional
    )


def _tool(reader: Reader, at: Place, index: str, comment: str) -> Statement:
    return ToolChoice(at=at, index=index, comment=comment, name=reader.frame())


def _frame(reader: Reader, at: Place, index: str, comment: str) -> Statement:
    return FrameChoice(at=at, index=index, comment=comment, name=reader.frame())


def _speed(reader: Reader, at: Place, index: str, comment: str) -> Statement:
    speeds: list[Timing] = []
    while not speeds or not reader.at_end():
        place = reader.next.at
        speed = reader.timing()
        if speed.unit in ("", "s", "ms", "min"):
            raise Fault("a speed needs its unit", "expected % for the joints, or a speed of the tool, as 100 mm/s", place)
        if any((other.unit == "%") == (speed.unit == "%") for other in speeds):
            raise Fault("a second speed of the same kind", "expected one for the joints and one for the tool", place)
        speeds.append(speed)
    return SpeedChoice(at=at, index=index, comment=comment, speeds=tuple(speeds))


def _units(reader: Reader, at: Place, index: str, comment: str) -> Statement:
    return UnitsChoice(at=at, index=index, comment=comment, units=reader.units())


def _pause(reader: Reader, at: Place, index: str, comment: str) -> Statement:
    return PauseHere(at=at, index=index, comment=comment, optional=reader.accept_word("OPTIONAL"))


def _message(reader: Reader, at: Place, index: str, comment: str) -> Statement:
    pieces: list[str | Value] = []
    while not pieces or not reader.at_end():
        if reader.next.kind == "text":
            written = reader.take().text[1:-1]
            pieces.append(_ESCAPE.sub(lambda found: "\n" if found[1] == "n" else found[1], written))
        else:
            pieces.append(reader.value())
    return Message(at=at, index=index, comment=comment, pieces=tuple(pieces))


def _label(reader: Reader, at: Place, index: str, comment: str) -> Statement:
    return Label(at=at, index=index, comment=comment, name=reader.name("a label").text)


def _goto(reader: Reader, at: Place, index: str, comment: str) -> Statement:
    return Goto(at=at, index=index, comment=comment, name=reader.name("a label").text)


def _call(reader: Reader, at: Place, index: str, comment: str) -> Statement:
    name = reader.name("a subroutine").text
    return SubCall(at=at, index=index, comment=comment, name=name, arguments=read_arguments(reader))


def _declaration(joints: bool) -> Callable[[Reader, Place, str, str], Statement]:
    def read(reader: Reader, at: Place, index: str, comment: str) -> Statement:
        name = reader.name("a point").text
        reader.sign("=")
        values = reader.row()
        if not joints and len(values) != 6:
            raise Fault(f"{name} has {len(values)} values", "expected x y z roll pitch yaw; joint values stand behind JOINTS", at)
        units = reader.units(("length", "angle")) if reader.is_sign("(") else None
        if joints and reader.next.kind == "brace":
            raise Fault("joint values are in no frame", "leave it out, or declare a POINT", reader.next.at)
        frame = reader.frame() if reader.next.kind == "brace" else None
        return PointDeclaration(
            at=at, index=index, comment=comment, joints=joints, name=name, values=values, units=units, frame=frame
        )

    return read


_READERS: dict[str, Callable[[Reader, Place, str, str], Statement]] = {
    "CALL": _call, "DWELL": _dwell, "FRAME": _frame, "GOTO": _goto, "JOINTS": _declaration(True), "LABEL": _label,
    "MESSAGE": _message, "OUTPUT": _output, "PAUSE": _pause, "POINT": _declaration(False), "RETURN": _return, "SPEED": _speed,
    "STOP": _stop, "TOOL": _tool, "UNITS": _units, "WAIT": _wait,
}  # fmt: skip
