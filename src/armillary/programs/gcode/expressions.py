"""Numbers, parameters and expressions of G-code, compiled once to closures over the parameters."""

import difflib
import math
import re
from collections.abc import Callable

from armillary.programs.gcode.errors import LineFault
from armillary.programs.gcode.lexer import CleanLine
from armillary.programs.gcode.operators import BINARY, FUNCTIONS, binary, call
from armillary.programs.gcode.parameters import LAST, Parameters

__all__ = ["Reader", "Value", "evaluate", "integer"]

Value = float | Callable[[Parameters], float]
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)")
_OPERATOR = re.compile(r"\*\*|[*/+-]|[a-z]+")
_NAME = re.compile(r"<([^<>\n]*)>")
_DEEPEST = 60  # brackets inside brackets; keeps the reader clear of Python's own limit


def evaluate(value: Value, parameters: Parameters) -> float:
    """What it is worth now."""
    return value(parameters) if callable(value) else value


def integer(value: float, what: str, column: int | None, *, letter: str = "") -> int:
    """A number that must be whole, as LinuxCNC takes it (within 0.0001)."""
    nearest = round(value) if math.isfinite(value) else 0
    if not abs(value - nearest) <= 0.0001:
        raise LineFault(f"{what} is {value:g}, which is not whole", "write a whole number", column, letter=letter)
    return nearest


class Reader:
    """A place in a line, and what can be read from there on."""

    def __init__(self, line: CleanLine) -> None:
        self.line, self.text, self.at, self._depth = line, line.text, 0, 0

    @property
    def next(self) -> str:
        """The character that comes now; a newline at the end."""
        return self.text[self.at]

    def fault(self, what: str, advice: str, at: int | None = None) -> LineFault:
        """A fault here, or at a place read before."""
        return LineFault(what, advice, self.line.columns[self.at if at is None else at])

    def take(self, character: str, where: str) -> None:
        """Go past a character that must come now."""
        if self.next != character:
            found = "the line ends" if self.next == "\n" else f"there is {self.next!r}"
            raise self.fault(f"{found} {where}", f"expected {character}")
        self.at += 1

    def value(self) -> Value:
        """A number, a parameter, a function or an expression in brackets."""
        start = self.next
        if start == "[":
            return self.bracket()
        if start == "#":
            return self.parameter()
        number = _NUMBER.match(self.text, self.at)
        if number:
            self.at = number.end()
            if self.next == ".":
                raise self.fault(f"a second decimal point after {number[0]}", "expected one decimal point in a number")
            if math.isinf(float(number[0])):
                raise self.fault("the number is too large", "expected fewer digits", number.start())
            return float(number[0])
        if start in "+-":
            self.at += 1
            inner = self._deeper(self.value)
            if start == "+":
                return inner
            return (lambda p: -inner(p)) if callable(inner) else -inner
        if start.isalpha():
            return self._function()
        raise self.fault(
            "there is no value" if start == "\n" else f"{start!r} begins no value", "expected a number, #, [ or a function"
        )

    def bracket(self) -> Value:
        """An expression from [ to ]."""
        self.take("[", "where an expression begins")
        return self._deeper(self._rest_of_bracket)

    def _deeper(self, read: Callable[[], Value]) -> Value:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self.fault(f"more than {_DEEPEST} levels of brackets", "split the expression over several lines")
        value = read()
        self._depth -= 1
        return value

    def _rest_of_bracket(self) -> Value:
        values, operators = [self.value()], [] if self.next == "]" else [self._operator()]
        while operators:
            values.append(self.value())
            following = None if self.next == "]" else self._operator()
            strength = BINARY[following[0]] if following else 0
            while operators and BINARY[operators[-1][0]] >= strength:
                name, at = operators.pop()
                right, left = values.pop(), values.pop()
                values.append(binary(name, left, right, self.line.columns[at]))
            if not following:
                break
            operators.append(following)
        self.take("]", "where an expression ends")
        return values[0]

    def _operator(self) -> tuple[str, int]:
        at, found = self.at, _OPERATOR.match(self.text, self.at)
        name = found[0] if found else self.next
        if name not in BINARY:  # `2mod[3]` is one run of letters, but `2modsin[3]` is two
            name = next((known for known in BINARY if self.text.startswith(known, at)), name)
        if name not in BINARY:
            near = difflib.get_close_matches(name, BINARY, 1)
            said = "the line ends" if name == "\n" else f"{name!r} is no operator"
            raise self.fault(
                f"{said} in an expression", f"expected ] or an operator{f', perhaps {near[0].upper()}' if near else ''}"
            )
        self.at += len(name)
        return name, at

    def _function(self) -> Value:
        at = self.at
        found = re.compile("[a-z]+").match(self.text, at)
        name = found[0] if found else self.next
        if name == "exists":
            self.at += len(name)
            return self._exists()
        if name not in FUNCTIONS:
            near = difflib.get_close_matches(name, [*FUNCTIONS, "exists"], 1)
            hint = f"; perhaps {near[0].upper()}" if near else ""
            raise self.fault(
                f"{name!r} is no function", f"expected a number or one of {', '.join(FUNCTIONS).upper()}, EXISTS{hint}"
            )
        self.at += len(name)
        argument = self.bracket()
        if name != "atan":
            return call(name, argument, self.line.columns[at])
        self.take("/", "after the first argument of ATAN")
        return binary("atan", argument, self.bracket(), self.line.columns[at])

    def _exists(self) -> Value:
        self.take("[", "after EXISTS")
        if self.next != "#":
            raise self.fault("EXISTS asks for a parameter", "expected #")
        self.at += 1
        if self.next == "<":
            asked: str | Value = self.name()
        else:
            asked = self.value()
        self.take("]", "after the parameter of EXISTS")
        if isinstance(asked, str):
            return lambda p: float(p.exists(asked))
        return lambda p: float(0 < evaluate(asked, p) <= LAST)

    def name(self) -> str:
        """What stands between < and >."""
        found = _NAME.match(self.text, self.at)
        if not found:
            raise self.fault("the name is not terminated", "expected > at its end")
        self.at = found.end()
        return found[1]

    def parameter(self) -> Value:
        """The value of #number, #<name>, #[expression] or ##number."""
        at = self.at
        self.at += 1
        column = self.line.columns[at]
        if self.next == "<":
            return _named(self.name(), column)
        index = self._deeper(self.value)
        if callable(index):
            return lambda p: p.read(parameter_number(index(p), column))
        return _numbered(parameter_number(index, column))


def parameter_number(value: float, column: int) -> int:
    """A parameter's number from a value."""
    number = integer(value, "the parameter's number", column)
    if not 1 <= number <= LAST:
        raise LineFault(f"there is no parameter #{number}", f"expected 1 to {LAST}", column)
    return number


def _numbered(number: int) -> Value:
    if 5000 <= number < 5600:  # where the machine may answer
        return lambda p: p.read(number)
    return lambda p: p.numbers[number]


def _named(name: str, column: int) -> Value:
    def unknown(known: list[str]) -> LineFault:
        near = difflib.get_close_matches(name, known, 1)
        return LineFault(f"#<{name}> has no value", f"set it first{f', or write #<{near[0]}>' if near else ''}", column)

    def shared(p: Parameters) -> float:
        answer = p.answers.get(name)
        if answer is not None:
            return answer()
        if name not in p.shared:
            raise unknown([*p.answers, *p.shared])
        return p.shared[name]

    def local(p: Parameters) -> float:
        try:
            return p.names[name]
        except KeyError:
            raise unknown(list(p.names)) from None

    return shared if name.startswith("_") else local
