"""Statements of motion and PLC programs, as they are put into buffers."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from armillary.emulators.pmac.axis_definition import AXES
from armillary.emulators.pmac.expression import Condition, Expression, Scanner, Variables, condition, expression, variable_index
from armillary.emulators.pmac.refusal import Code, Refusal

__all__ = ["Kind", "Line", "Statement", "read_statement"]


class Kind(Enum):
    """What a statement does."""

    MOVE = "move"
    MODE = "mode"
    SET = "set"  # TM, TA, TS, F
    DWELL = "dwell"
    INCREMENTAL = "incremental"
    ASSIGN = "assign"
    IF = "if"
    ELSE = "else"
    ENDIF = "endif"
    WHILE = "while"
    ENDWHILE = "endwhile"
    COMMAND = "command"
    ENABLE = "enable"
    STOP = "stop"


@dataclass(frozen=True, eq=False)
class Statement:
    """One statement.

    Attributes:
        name: The mode, what is set, the letter of a variable, the text of a command.
        value: What is computed, where something is.
        number: Of a variable, or of a PLC program.
        axes: Axes and where they go, or how far.
        test: The condition of an IF or a WHILE.
        on: What INC and ABS, ENABLE and DISABLE, DWELL and DELAY differ in.
        whole_line: An IF whose block is the rest of its line.
    """

    kind: Kind
    name: str = ""
    value: Expression | None = None
    number: Callable[[Variables], int] | None = None
    axes: tuple[tuple[str, Expression], ...] = ()
    test: Condition | None = None
    on: bool = True
    whole_line: bool = False

    @property
    def words(self) -> int:
        """Words of memory that it takes: one a value."""
        return len(self.axes) if self.kind == Kind.MOVE else 2 if self.kind == Kind.ASSIGN else 1


@dataclass(frozen=True, eq=False)
class Line:
    """A line of a buffer."""

    text: str
    statements: tuple[Statement, ...]

    @property
    def words(self) -> int:
        return sum(statement.words for statement in self.statements)


_AXIS = re.compile(rf"([{AXES}])\s*(?=[-+\d.$(])")
_ASSIGNMENT = re.compile(r"([IPQM])(?=\s*(?:\d+|\([^=]*\))\s*==?(?!=))")
_MODE = re.compile(r"(SPLINE1|LINEAR|LIN|RAPID|RPD)(?![A-Z0-9])")
_SETTING = re.compile(r"(TM|TA|TS|F)\s*(?=[-+\d.$(])")
_DWELL = re.compile(r"(DWELL|DWE|DELAY|DLY)\s*(?=[-+\d.$(])")
_ABSOLUTE = re.compile(rf"(INC|ABS)(?![A-Z0-9])\s*(?:\(([{AXES},\s]*)\))?")
_BRANCH = re.compile(r"(IF|WHILE)\s*(?=\()")
_END = re.compile(r"(ENDWHILE|ENDW|ENDIF|ENDI|ELSE)(?![A-Z0-9])")
_COMMAND = re.compile(r"(?:COMMAND|CMD)[SPRA]?\"([^\"]*)\"|(?:COMMAND|CMD)[SPRA]?\^([A-Z])")
_PLC = re.compile(r"(ENABLE|ENA|DISABLE|DIS)\s*PLC\s*(\d+)")
_STOP = re.compile(r"(STOP|RETURN|RET)(?![A-Z0-9])")
_MODES = {"LIN": "LINEAR", "RPD": "RAPID"}


def read_statement(scanner: Scanner) -> Statement | None:
    """The statement that comes next, or None where what comes is none.

    Raises:
        Refusal: It begins as one and is wrong.
    """
    for reader in (_branch, _end, _command, _plc, _mode, _setting, _assignment, _moves, _others):
        statement = reader(scanner)
        if statement is not None:
            return statement
    return None


def _moves(scanner: Scanner) -> Statement | None:
    axes: dict[str, Expression] = {}
    while found := scanner.match(_AXIS):
        if found.group(1) in axes:
            raise Refusal(Code.SYNTAX)
        axes[found.group(1)] = _data(scanner)
    return Statement(Kind.MOVE, axes=tuple(axes.items())) if axes else None


def _data(scanner: Scanner) -> Expression:
    """A constant with its sign, or an expression in brackets."""
    if scanner.take("("):
        inner = expression(scanner)
        scanner.need(")")
        return inner
    found = scanner.match(re.compile(r"[-+]?\s*(\$[0-9A-F]+|\d+\.?\d*|\.\d+)"))
    if found is None:
        raise Refusal(Code.SYNTAX)
    text = found.group(1)
    number = float(int(text[1:], 16)) if text[0] == "$" else float(text)
    signed = -number if found.group().startswith("-") else number
    return lambda _variables: signed


def _assignment(scanner: Scanner) -> Statement | None:
    found = scanner.match(_ASSIGNMENT)
    if found is None:
        return None
    number = variable_index(scanner)
    if not scanner.take("==", "="):
        raise Refusal(Code.SYNTAX)
    return Statement(Kind.ASSIGN, found.group(1), expression(scanner), number)


def _mode(scanner: Scanner) -> Statement | None:
    found = scanner.match(_MODE)
    return None if found is None else Statement(Kind.MODE, _MODES.get(found.group(1), found.group(1)))


def _setting(scanner: Scanner) -> Statement | None:
    found = scanner.match(_SETTING)
    return None if found is None else Statement(Kind.SET, found.group(1), _data(scanner))


def _branch(scanner: Scanner) -> Statement | None:
    found = scanner.match(_BRANCH)
    if found is None:
        return None
    test = condition(scanner)
    kind = Kind.IF if found.group(1) == "IF" else Kind.WHILE
    return Statement(kind, test=test, whole_line=kind == Kind.IF and not scanner.ended)


def _end(scanner: Scanner) -> Statement | None:
    found = scanner.match(_END)
    if found is None:
        return None
    word = found.group(1)
    return Statement(Kind.ELSE if word == "ELSE" else Kind.ENDIF if word.startswith("ENDI") else Kind.ENDWHILE)


def _command(scanner: Scanner) -> Statement | None:
    found = scanner.match(_COMMAND)
    if found is None:
        return None
    control = found.group(2)
    return Statement(Kind.COMMAND, chr(ord(control) & 0x1F) if control else found.group(1))


def _plc(scanner: Scanner) -> Statement | None:
    found = scanner.match(_PLC)
    if found is None:
        return None
    number = int(found.group(2))
    return Statement(Kind.ENABLE, number=lambda _variables: number, on=found.group(1).startswith("E"))


def _zero(_variables: Variables) -> float:
    """The value of an axis that is only named."""
    return 0.0


def _others(scanner: Scanner) -> Statement | None:
    if found := scanner.match(_DWELL):
        return Statement(Kind.DWELL, value=_data(scanner), on=found.group(1).startswith("DW"))
    if found := scanner.match(_ABSOLUTE):
        axes = [axis.strip() for axis in (found.group(2) or ",".join(AXES)).split(",") if axis.strip()]
        return Statement(Kind.INCREMENTAL, axes=tuple((axis, _zero) for axis in axes), on=found.group(1) == "INC")
    if found := scanner.match(_STOP):
        return Statement(Kind.STOP, found.group(1))
    return None
