"""Comments that do something: (MSG,...), (DEBUG,...), (PRINT,...), (LOG,...), with the values of parameters."""

import re

from armillary.programs.commands import SourceLine
from armillary.programs.gcode import canon
from armillary.programs.gcode.errors import LineFault
from armillary.programs.gcode.parameters import LAST, Parameters

__all__ = ["comment_command"]

_MAGIC = re.compile(r"\s*(msg|debug|print|log|logopen|logappend|logclose)\s*(?:,|$)", re.IGNORECASE)
_PART = re.compile(r"%(d|f|\.(\d)f)|#<([^<>]*)>|#(\d+)")


def comment_command(text: str, parameters: Parameters, source: SourceLine) -> canon.Canon | None:
    """What a comment asks for; None where it asks for nothing, as (DEBUG,) does while #5599 is 0."""
    found = _MAGIC.match(text)
    if not found:
        return canon.Comment(source, text.lstrip())
    rest = text[found.end() :]
    match found[1].lower():
        case "msg":
            return canon.Message(source, rest)
        case "debug":
            return canon.Message(source, filled(rest, parameters)) if parameters.numbers[5599] else None
        case "print":
            return canon.Print(source, filled(rest, parameters))
        case "log":
            return canon.Log(source, filled(rest, parameters))
        case "logopen" | "logappend":
            return canon.OpenLog(source, rest.strip(), found[1].lower() == "logappend")
        case "logclose":
            return canon.CloseLog(source)
    return None


def filled(text: str, parameters: Parameters) -> str:
    """The text with values for parameters. %d, %f (four places) and %.2f hold for what follows them.

    Raises:
        LineFault: A number is no parameter's.
    """
    places = 6

    def part(found: re.Match[str]) -> str:
        nonlocal places
        if found[1]:
            places = 0 if found[1] == "d" else 4 if found[1] == "f" else int(found[2])
            return ""
        if found[4]:
            number = int(found[4][:9])
            if not 1 <= number <= LAST:
                raise LineFault(f"there is no parameter #{found[4]}", f"expected 1 to {LAST}")
            return _number(parameters.read(number), places)
        name = re.sub(r"\s", "", found[3]).lower()
        if not parameters.exists(name):
            return "######"
        answer = parameters.answers.get(name)
        value = answer() if answer else (parameters.shared if name.startswith("_") else parameters.names)[name]
        return _number(value, places)

    return _PART.sub(part, text)


def _number(value: float, places: int) -> str:
    return f"{value if abs(value) > 1e-12 else 0.0:.{places}f}"  # no minus before a zero that rounding left
