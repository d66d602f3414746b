"""Statements: a script as it is written. Places are not part of what they are equal by; comments and indices are."""

from dataclasses import dataclass, field

from armillary.programs.script.errors import Place
from armillary.programs.script.expressions import Value

__all__ = [
    "Assignment", "Branch", "Comment", "DwellTime", "For", "FrameChoice", "Goto", "If", "InputWait", "Label", "Message", "Motion",
    "OutputSetting", "PauseHere", "PointDeclaration", "Return", "SpeedChoice", "Statement", "StopHere", "Sub", "SubCall",
    "Timing", "ToolChoice", "Units", "UnitsChoice", "While",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Units:
    """Units as written: of lengths, angles and times; "" where not said."""

    length: str = ""
    angle: str = ""
    time: str = ""

    def __str__(self) -> str:
        return ",".join(unit for unit in (self.length, self.angle, self.time) if unit)


@dataclass(frozen=True, slots=True)
class Timing:
    """A time or a speed. unit: "" for the time unit in force, one of time ("ms"), a speed ("mm/s"), or "%" for joints."""

    value: Value
    unit: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """One statement. index: what stands before it, as P0001; comment: what stands behind it, with its #."""

    at: Place = field(default=(0, 0), compare=False, repr=False)
    index: str = ""
    comment: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Comment(Statement):
    """A line of its own that only says something; "" for an empty line."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Motion(Statement):
    """A motion.

    Attributes:
        name, suffix: As "MOVEJ_RPY" and "LSPB"; suffix "" for the usual law of time.
        groups: Its values; more groups than one are points one after the other. One Name alone can be a point.
        moving, frame: The frame that is moved, and the one that poses are given in; None where not said.
        blend, tolerance: None where not said.
    """

    name: str
    suffix: str = ""
    groups: tuple[tuple[Value, ...], ...]
    moving: str | None = None
    timing: Timing | None = None
    units: Units | None = None
    frame: str | None = None
    blend: Value | None = None
    tolerance: Value | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class StopHere(Statement):
    """STOP."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PointDeclaration(Statement):
    """POINT (a pose) or JOINTS (joint values) and a name."""

    joints: bool
    name: str
    values: tuple[Value, ...]
    units: Units | None = None
    frame: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Assignment(Statement):
    """name = value."""

    name: str
    value: Value


@dataclass(frozen=True, kw_only=True, slots=True)
class DwellTime(Statement):
    """DWELL value (unit)."""

    value: Value
    units: Units | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class OutputSetting(Statement):
    """OUTPUT port ON, OFF or a value."""

    port: Value
    value: Value | bool


@dataclass(frozen=True, kw_only=True, slots=True)
class InputWait(Statement):
    """WAIT port condition [timeout]. condition: "HIGH", "LOW", "RISE", "FALL", "ABOVE" or "BELOW", these two with a value."""

    port: Value
    condition: str
    value: Value | None = None
    timeout: Timing | None = None
    optional: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolChoice(Statement):
    """TOOL name."""

    name: str


@dataclass(frozen=True, kw_only=True, slots=True)
class FrameChoice(Statement):
    """FRAME name."""

    name: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SpeedChoice(Statement):
    """SPEED of the joints, of the tool, or both."""

    speeds: tuple[Timing, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class UnitsChoice(Statement):
    """UNITS (mm,deg,s)."""

    units: Units


@dataclass(frozen=True, kw_only=True, slots=True)
class PauseHere(Statement):
    """PAUSE; optional: only where the operator has asked for such pauses."""

    optional: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Message(Statement):
    """MESSAGE and what to say: texts and values."""

    pieces: tuple[str | Value, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Label(Statement):
    """LABEL name."""

    name: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Goto(Statement):
    """GOTO name."""

    name: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SubCall(Statement):
    """CALL name(arguments)."""

    name: str
    arguments: tuple[Value, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Return(Statement):
    """RETURN: back from a subroutine; the end of the program outside of one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Branch:
    """IF, ELSEIF (with a condition) or ELSE (None), and what is done then."""

    condition: Value | None
    body: tuple[Statement, ...]
    comment: str = ""
    at: Place = field(default=(0, 0), compare=False, repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class If(Statement):
    """IF ... END. The comment of IF itself is that of its first branch."""

    branches: tuple[Branch, ...]
    end_comment: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class For(Statement):
    """FOR name = first TO last STEP step ... END; both ends are in it."""

    name: str
    first: Value
    last: Value
    step: Value | None = None
    body: tuple[Statement, ...]
    end_comment: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class While(Statement):
    """WHILE condition ... END."""

    condition: Value
    body: tuple[Statement, ...]
    end_comment: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sub(Statement):
    """SUB name(parameters) ... END."""

    name: str
    parameters: tuple[str, ...] = ()
    body: tuple[Statement, ...]
    end_comment: str = ""
