"""What stands in a command: values, rows of them, expressions, units, times and speeds."""

import math

from armillary.programs.script.cursor import Cursor
from armillary.programs.script.errors import Fault, Place, nearest
from armillary.programs.script.expressions import PRECEDENCE, Binary, Call, Name, Part, Unary, Value
from armillary.programs.script.statements import Timing, Units
from armillary.programs.script.tokens import Token
from armillary.programs.script.words import FUNCTIONS, RESERVED, UNITS

__all__ = ["Reader"]

_KINDS = {"mm": "length", "cm": "length", "m": "length", "in": "length", "deg": "angle", "rad": "angle"}  # the others are times
_FUNCTION_NAMES = {name.upper(): name for name in FUNCTIONS}
_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">="))
_MOST_OPERATORS = 100  # in one expression; keeps all that walks it clear of Python's own limit
_DEEPEST = 40  # brackets inside brackets, for the same reason


class Reader(Cursor):
    """Reads values from the tokens of one command. Every method raises Fault where something else stands there."""

    def __init__(self, tokens: list[Token]) -> None:
        super().__init__(tokens)
        self._operators, self._depth = 0, 0

    def at_units(self) -> bool:
        """Whether units in parentheses come now, and not an expression."""
        if not self.is_sign("(") or self.position + 2 >= len(self.tokens):
            return False
        first, second = self.tokens[self.position + 1], self.tokens[self.position + 2]
        return first.kind == "name" and second.kind == "sign" and second.text in (",", ")") and (
            first.text.lower() in UNITS or second.text == ","
        )  # fmt: skip

    def units(self, kinds: tuple[str, ...] = ("length", "angle", "time")) -> Units:
        """Units in parentheses, of the kinds that the command has."""
        self.sign("(")
        found: dict[str, str] = {}
        while True:
            token = self.next
            unit = token.text.lower()
            if token.kind != "name" or unit not in UNITS:
                hint = nearest(token.text, UNITS)
                raise Fault(f"{token.text or 'nothing'} is no unit", f"expected one of {', '.join(UNITS)}; {hint}", token.at)
            kind = _KINDS.get(unit, "time")
            if kind not in kinds:
                raise Fault(f"{unit} is a unit of {kind}", f"expected a unit of {' or '.join(kinds)} here", token.at)
            if kind in found:
                raise Fault(f"{found[kind]} and {unit} are both units of {kind}", "expected one of the two", token.at)
            found[kind] = unit
            self.take()
            if not self.accept_sign(","):
                break
        self.sign(")")
        return Units(**found)

    def timing(self) -> Timing:
        """A value with its unit: of time, a speed, or %."""
        value = self.value()
        if self.accept_sign("%"):
            return Timing(value, "%")
        if self.next.kind != "name":
            return Timing(value)
        unit = self._unit_word("s, ms, min, %, or a speed as mm/s")
        if _KINDS.get(unit, "time") == "time":
            return Timing(value, unit)
        if not self.accept_sign("/"):
            raise self.fault("/ and a unit of time, as in mm/s")
        below = self._unit_word("s or min")
        if _KINDS.get(below, "time") != "time" or _KINDS[unit] != "length":
            raise Fault(f"{unit}/{below} is no speed", "expected a length by a time, as mm/s", self.tokens[self.position - 1].at)
        return Timing(value, f"{unit}/{below}")

    def _unit_word(self, expected: str) -> str:
        unit = self.next.text.lower()
        if self.next.kind != "name" or unit not in UNITS:
            hint = nearest(self.next.text, UNITS) if self.next.kind == "name" else ""
            raise self.fault(expected + (f"; {hint}" if hint else ""))
        self.take()
        return unit

    def value(self) -> Value:
        """One value of a row: a number, a name, a part, a function, or an expression in parentheses, with or without a sign."""
        if self.is_sign("-", "+"):
            token = self.take()
            if self.next.apart:
                raise Fault(f"{token.text} stands alone between values", "put a sum into parentheses: (x + 1)", token.at)
            operand = self._primary()
            if token.text == "+":
                return operand
            return -operand if isinstance(operand, float) else Unary("-", operand, token.at)
        return self._primary()

    def row(self) -> tuple[Value, ...]:
        """Values with blanks between them, at least one."""
        values = [self.value()]
        while self.next.kind in ("number", "name", "sign"):
            token = self.next
            if self.at_units() or self.is_word("BLEND", "TOLERANCE") or self.is_sign(";", "["):
                break
            if (token.kind == "sign" and token.text not in ("+", "-", "(")) or not token.apart:
                raise Fault(
                    f"there is {token.text} behind a value", "put a blank between values, and sums into parentheses", token.at
                )
            values.append(self.value())
        return tuple(values)

    def expression(self) -> Value:
        """Values and what joins them, up to where it ends by itself."""
        self._operators = 0
        return self._joined(1)

    def _joined(self, least: int) -> Value:
        left = self._prefixed(least)
        compared = False
        while self.next.kind in ("sign", "name"):
            operator = self.next.text.upper()
            strength = PRECEDENCE.get(operator, 0) if operator != "NOT" else 0
            if strength < least:
                break
            if compared and operator in _COMPARISONS:
                raise Fault("a comparison of a comparison", "join two with AND, as in a < b AND b < c", self.next.at)
            compared = operator in _COMPARISONS
            at = self._count_operator()
            right = self._joined(PRECEDENCE["negative"] if operator == "^" else strength + 1)
            left = Binary(operator, left, right, at)
        return left

    def _count_operator(self) -> Place:
        self._operators += 1
        if self._operators > _MOST_OPERATORS:
            raise Fault(f"more than {_MOST_OPERATORS} operators", "split the expression over several statements", self.next.at)
        return self.take().at

    def _prefixed(self, least: int) -> Value:
        if self.is_word("NOT"):
            if least > PRECEDENCE["NOT"]:
                raise Fault("NOT stands inside a comparison or a sum", "put it into parentheses: (NOT x)", self.next.at)
            at = self._count_operator()
            return Unary("NOT", self._joined(PRECEDENCE["NOT"]), at)
        if self.is_sign("-"):
            at = self._count_operator()
            if self.next.kind == "number" and not self._is_power(self.position + 1):
                return -self._number()
            return Unary("-", self._joined(PRECEDENCE["negative"]), at)
        if self.is_sign("+"):
            self._count_operator()
            return self._prefixed(least)
        return self._primary()

    def _is_power(self, position: int) -> bool:
        return self.tokens[position].text == "^"

    def _number(self) -> float:
        token = self.take()
        value = float(token.text)
        if not math.isfinite(value):
            raise Fault("the number is too large", "expected one below 1e308", token.at)
        return value

    def _primary(self) -> Value:
        token = self.next
        if token.kind == "number":
            return self._number()
        if self.is_sign("("):
            self._depth += 1
            if self._depth > _DEEPEST:
                raise Fault(f"more than {_DEEPEST} levels of parentheses", "split the expression", token.at)
            self.take()
            value = self._joined(1)
            self._close(")")
            self._depth -= 1
            return value
        if token.kind == "name":
            return self._named(token)
        raise self.fault("a value: a number, a name, or an expression in parentheses")

    def _close(self, sign: str) -> None:
        if self.is_sign("="):
            raise Fault("= inside an expression", "expected == to compare", self.next.at)
        self.sign(sign)

    def _named(self, token: Token) -> Value:
        upper = token.text.upper()
        if upper in _FUNCTION_NAMES and self.tokens[self.position + 1].text == "(":
            self.take()
            return self._function(_FUNCTION_NAMES[upper], token.at)
        if upper in RESERVED:
            hint = "write its arguments in parentheses" if upper in _FUNCTION_NAMES else "expected a value"
            raise Fault(f"{token.text} is a word of the language", hint, token.at)
        self.take()
        if self.is_sign("(") and not self.next.apart:
            hint = nearest(token.text, FUNCTIONS)
            raise Fault(f"there is no function {token.text}", f"{hint}; a subroutine is called with CALL", token.at)
        if self.is_sign(".") and not self.next.apart:
            self.take()
            if self.next.kind != "name":
                raise self.fault("a part of the point: x, y, z, roll, pitch, yaw or j1, j2, ...")
            return Part(token.text, self.take().text.lower(), token.at)
        return Name(token.text, token.at)

    def _function(self, name: str, at: Place) -> Value:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Fault(f"more than {_DEEPEST} levels of parentheses", "split the expression", at)
        self.sign("(")
        arguments: list[Value] = []
        if not self.is_sign(")"):
            arguments.append(self._joined(1))
            while self.accept_sign(","):
                arguments.append(self._joined(1))
        self._close(")")
        self._depth -= 1
        count = FUNCTIONS[name]
        if len(arguments) != count and (count >= 0 or not arguments):
            wanted = "at least one" if count < 0 else str(count)
            raise Fault(f"{name} has {len(arguments)} arguments", f"expected {wanted}", at)
        return Call(name, tuple(arguments), at)
