"""Expressions: what stands where a number may stand. Places are not part of what they are equal by."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from armillary.programs.script.errors import Place

__all__ = ["PRECEDENCE", "Binary", "Call", "Name", "Part", "Unary", "Value", "names_in"]

PRECEDENCE = {
    "OR": 1, "AND": 2, "NOT": 3, "==": 4, "!=": 4, "<": 4, "<=": 4, ">": 4, ">=": 4, "+": 5, "-": 5, "*": 6, "/": 6, "%": 6,
    "negative": 7, "^": 8,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Name:
    """A variable; where a whole point can stand, also a point."""

    name: str
    at: Place = field(default=(0, 0), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a point: x, y, z, roll, pitch, yaw, or j1, j2 and so on."""

    point: str
    part: str
    at: Place = field(default=(0, 0), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Call:
    """A function of values."""

    function: str
    arguments: "tuple[Value, ...]"
    at: Place = field(default=(0, 0), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Unary:
    """NOT, or a minus ("-")."""

    operator: str
    operand: "Value"
    at: Place = field(default=(0, 0), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Binary:
    """Two values and what joins them."""

    operator: str
    left: "Value"
    right: "Value"
    at: Place = field(default=(0, 0), compare=False, repr=False)


Value = float | Name | Part | Call | Unary | Binary


def names_in(value: Value) -> Iterator[Name | Part]:
    """The variables and parts of points in a value."""
    if isinstance(value, Name | Part):
        yield value
    elif isinstance(value, Call):
        for argument in value.arguments:
            yield from names_in(argument)
    elif isinstance(value, Unary):
        yield from names_in(value.operand)
    elif isinstance(value, Binary):
        yield from names_in(value.left)
        yield from names_in(value.right)
