"""Expressions and conditions of PMAC's language: constants, variables, functions and operators.

Compiled once into closures over the variables, since PLC programs compute them again and again. `*`, `/`, `%` and `&` bind before
`+`, `-`, `|` and `^`. Angles are in degrees where I15 is 0.
"""

import math
import re
from collections.abc import Callable, Iterable
from typing import Protocol

from armillary.emulators.pmac.refusal import Code, Refusal

__all__ = ["Condition", "Expression", "Scanner", "Variables", "condition", "expression", "value", "variable_index"]


class Variables(Protocol):
    """Where the values of variables are: I, P, Q and M."""

    def value(self, letter: str, number: int) -> float: ...


Expression = Callable[[Variables], float]
Condition = Callable[[Variables], bool]

_NUMBER = re.compile(r"\$[0-9A-F]+|\d+\.?\d*|\.\d+")
_FUNCTIONS = ("ASIN", "ACOS", "ATAN2", "ATAN", "SIN", "COS", "TAN", "SQRT", "ABS", "EXP", "INT", "LN")
_COMPARISONS = ("!=", "!>", "!<", "!~", "=", ">", "<", "~")


class Scanner:
    """Text that is read from left to right, in capitals, spaces passed over."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text.upper(), 0

    @property
    def ended(self) -> bool:
        self._pass_spaces()
        return self.at >= len(self.text)

    def take(self, *words: str) -> str:
        """The first of the words that comes next, or ""."""
        self._pass_spaces()
        for word in words:
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return word
        return ""

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What comes next, where it is of the pattern."""
        self._pass_spaces()
        found = pattern.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
        return found

    def need(self, word: str) -> None:
        if not self.take(word):
            raise Refusal(Code.SYNTAX)

    def _pass_spaces(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in " \t":
            self.at += 1


def expression(scanner: Scanner) -> Expression:
    """Read an expression.

    Raises:
        Refusal: There is none.
    """
    left = _term(scanner)
    while sign := scanner.take("+", "-", "|", "^"):
        left = _operation(sign, left, _term(scanner))
    return left


def _term(scanner: Scanner) -> Expression:
    left = value(scanner)
    while sign := scanner.take("*", "/", "%", "&"):
        left = _operation(sign, left, value(scanner))
    return left


def value(scanner: Scanner) -> Expression:
    """A constant, a variable, a function or something in brackets, with its sign."""
    if scanner.take("-"):
        inner = value(scanner)
        return lambda variables: -inner(variables)
    if scanner.take("+"):
        return value(scanner)
    found = scanner.match(_NUMBER)
    if found is not None:
        text = found.group()
        number = float(int(text[1:], 16)) if text[0] == "$" else float(text)
        return lambda _variables: number
    if scanner.take("("):
        inner = expression(scanner)
        scanner.need(")")
        return inner
    if name := scanner.take(*_FUNCTIONS):
        return _function(name, scanner)
    letter = scanner.take("I", "P", "Q", "M")
    if not letter:
        raise Refusal(Code.SYNTAX)
    index = variable_index(scanner)
    return lambda variables: variables.value(letter, index(variables))


def variable_index(scanner: Scanner) -> Callable[[Variables], int]:
    """The number behind a variable's letter: a constant, or an expression in brackets."""
    if scanner.take("("):
        inner = expression(scanner)
        scanner.need(")")
        return lambda variables: int(inner(variables))
    found = scanner.match(re.compile(r"\d+"))
    if found is None:
        raise Refusal(Code.SYNTAX)
    number = int(found.group())
    return lambda _variables: number


def condition(scanner: Scanner) -> Condition:
    """A condition in brackets, or several joined by AND and OR; AND binds before OR."""
    return _joined(scanner, "OR", lambda: _joined(scanner, "AND", lambda: _simple(scanner)))


def _joined(scanner: Scanner, word: str, part: Callable[[], Condition]) -> Condition:
    parts = [part()]
    while scanner.take(word):
        parts.append(part())
    if len(parts) == 1:
        return parts[0]
    whole: Callable[[Iterable[bool]], bool] = any if word == "OR" else all
    return lambda variables: whole(item(variables) for item in parts)


def _simple(scanner: Scanner) -> Condition:
    scanner.need("(")
    here = scanner.at
    try:
        left = expression(scanner)
        sign = scanner.take(*_COMPARISONS)
        if not sign:
            raise Refusal(Code.SYNTAX)
        right = expression(scanner)
    except Refusal:
        scanner.at = here
        inner = condition(scanner)
        scanner.need(")")
        return inner
    scanner.need(")")
    return _comparison(sign, left, right)


def _comparison(sign: str, left: Expression, right: Expression) -> Condition:
    tests: dict[str, Callable[[float, float], bool]] = {
        "=": lambda a, b: a == b, "!=": lambda a, b: a != b, ">": lambda a, b: a > b, "!>": lambda a, b: a <= b,
        "<": lambda a, b: a < b, "!<": lambda a, b: a >= b,
        "~": lambda a, b: abs(a - b) < 1.0, "!~": lambda a, b: abs(a - b) >= 1.0,
    }  # fmt: skip
    test = tests[sign]
    return lambda variables: test(left(variables), right(variables))


def _operation(sign: str, left: Expression, right: Expression) -> Expression:
    operations: dict[str, Callable[[float, float], float]] = {
        "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b if b else 0.0,
        "%": lambda a, b: math.fmod(a, b) if b else 0.0, "&": lambda a, b: float(int(a) & int(b)),
        "|": lambda a, b: float(int(a) | int(b)), "^": lambda a, b: float(int(a) ^ int(b)),
    }  # fmt: skip
    operation = operations[sign]
    return lambda variables: operation(left(variables), right(variables))


def _function(name: str, scanner: Scanner) -> Expression:
    scanner.need("(")
    inner = expression(scanner)
    scanner.need(")")
    plain: dict[str, Callable[[float], float]] = {
        "SQRT": lambda x: math.sqrt(max(x, 0.0)), "ABS": abs, "EXP": lambda x: math.exp(min(x, 700.0)), "INT": math.floor,
        "LN": lambda x: math.log(x) if x > 0.0 else 0.0,
    }  # fmt: skip
    turn: dict[str, Callable[[float], float]] = {"SIN": math.sin, "COS": math.cos, "TAN": math.tan}
    back: dict[str, Callable[[float], float]] = {
        "ASIN": lambda x: math.asin(min(max(x, -1.0), 1.0)),
        "ACOS": lambda x: math.acos(min(max(x, -1.0), 1.0)), "ATAN": math.atan,
    }  # fmt: skip
    if name in plain:
        function = plain[name]
        return lambda variables: float(function(inner(variables)))
    if name in turn:
        function = turn[name]
        return lambda variables: function(inner(variables) * _unit(variables))
    if name == "ATAN2":  # the cosine's argument is Q0 (Turbo PMAC Software Reference)
        return lambda variables: math.atan2(inner(variables), variables.value("Q", 0)) / _unit(variables)
    function = back[name]
    return lambda variables: function(inner(variables)) / _unit(variables)


def _unit(variables: Variables) -> float:
    return math.pi / 180.0 if variables.value("I", 15) == 0.0 else 1.0
