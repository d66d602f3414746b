"""What the operators and functions of G-code's expressions do, with LinuxCNC's precedence."""

import math
import operator
from collections.abc import Callable

from armillary.programs.gcode.errors import LineFault
from armillary.programs.gcode.parameters import Parameters

__all__ = ["BINARY", "FUNCTIONS", "binary", "call"]

Value = float | Callable[[Parameters], float]
_EQUAL = 1e-4  # as LinuxCNC 2.9 has it

BINARY = {"**": 6, "*": 5, "/": 5, "mod": 5, "+": 4, "-": 4, "eq": 3, "ne": 3, "gt": 3, "ge": 3, "lt": 3, "le": 3,
          "and": 2, "or": 2, "xor": 2}  # fmt: skip


def _power(left: float, right: float) -> float:
    if left < 0 and right != math.floor(right):
        raise ValueError("a negative number to a power that is not whole")
    return math.pow(left, right)


def _modulo(left: float, right: float) -> float:
    rest = math.fmod(left, right)
    return rest + abs(right) if rest < 0 else rest


def _root(value: float) -> float:
    if value < 0:
        raise ValueError("SQRT of a negative number")
    return math.sqrt(value)


def _logarithm(value: float) -> float:
    if value <= 0:
        raise ValueError("LN of zero or less")
    return math.log(value)


def _unit(value: float, name: str) -> float:
    if abs(value) > 1:
        raise ValueError(f"{name} of {value:g}, which is not between -1 and 1")
    return value


def _round(value: float) -> float:
    return float(int(value + math.copysign(0.5, value)))


_OPERATIONS: dict[str, Callable[[float, float], float]] = {
    "**": _power,
    "*": operator.mul,
    "/": operator.truediv,
    "mod": _modulo,
    "+": operator.add,
    "-": operator.sub,
    "eq": lambda a, b: float(abs(a - b) < _EQUAL),
    "ne": lambda a, b: float(abs(a - b) >= _EQUAL),
    "gt": lambda a, b: float(a > b),
    "ge": lambda a, b: float(a >= b),
    "lt": lambda a, b: float(a < b),
    "le": lambda a, b: float(a <= b),
    "and": lambda a, b: float(a != 0 and b != 0),
    "or": lambda a, b: float(a != 0 or b != 0),
    "xor": lambda a, b: float((a != 0) != (b != 0)),
    "atan": lambda a, b: math.degrees(math.atan2(a, b)),
}
FUNCTIONS: dict[str, Callable[[float], float]] = {
    "abs": abs,
    "acos": lambda v: math.degrees(math.acos(_unit(v, "ACOS"))),
    "asin": lambda v: math.degrees(math.asin(_unit(v, "ASIN"))),
    "atan": math.atan,  # never called with one argument: ATAN[y]/[x]
    "cos": lambda v: math.cos(math.radians(v)),
    "exp": math.exp,
    "fix": lambda v: float(math.floor(v)),
    "fup": lambda v: float(math.ceil(v)),
    "ln": _logarithm,
    "round": _round,
    "sin": lambda v: math.sin(math.radians(v)),
    "sqrt": _root,
    "tan": lambda v: math.tan(math.radians(v)),
}


def _fault(error: ArithmeticError | ValueError, column: int) -> LineFault:
    if isinstance(error, ZeroDivisionError):
        return LineFault("division by zero", "expected a divisor that is not zero", column)
    if isinstance(error, OverflowError):
        return LineFault("the result is too large for a number", "expected smaller values", column)
    return LineFault(str(error), "expected a value that this takes", column)


def binary(name: str, left: Value, right: Value, column: int) -> Value:
    """Two values and what joins them; computed at once where both are constant, except where that fails."""
    operation = _OPERATIONS[name]
    quick = _quick(name, left, right)
    if quick is not None:
        return quick
    if callable(left) and callable(right):
        return _both(operation, left, right, column)
    if callable(left) and not callable(right):
        return _left(operation, left, right, column)
    if callable(right) and not callable(left):
        constant = left
        return _both(operation, lambda _: constant, right, column)
    assert not callable(left) and not callable(right)
    try:
        return operation(left, right)
    except (ArithmeticError, ValueError) as error:
        raise _fault(error, column) from None


def _quick(name: str, left: Value, right: Value) -> Value | None:
    """The operators that loops live on, where they cannot fail: without a call and a guard of their own."""
    if callable(left) and callable(right):
        match name:
            case "+":
                return lambda p: left(p) + right(p)
            case "-":
                return lambda p: left(p) - right(p)
            case "*":
                return lambda p: left(p) * right(p)
            case "lt":
                return lambda p: 1.0 if left(p) < right(p) else 0.0
    elif callable(left) and not callable(right):
        constant = right
        match name:
            case "+":
                return lambda p: left(p) + constant
            case "-":
                return lambda p: left(p) - constant
            case "*":
                return lambda p: left(p) * constant
            case "/" if constant != 0.0:
                return lambda p: left(p) / constant
            case "lt":
                return lambda p: 1.0 if left(p) < constant else 0.0
            case "gt":
                return lambda p: 1.0 if left(p) > constant else 0.0
    return None


def _both(
    operation: Callable[[float, float], float],
    left: Callable[[Parameters], float],
    right: Callable[[Parameters], float],
    column: int,
) -> Value:
    def value(p: Parameters) -> float:
        try:
            return operation(left(p), right(p))
        except (ArithmeticError, ValueError) as error:
            raise _fault(error, column) from None

    return value


def _left(operation: Callable[[float, float], float], left: Callable[[Parameters], float], right: float, column: int) -> Value:
    def value(p: Parameters) -> float:
        try:
            return operation(left(p), right)
        except (ArithmeticError, ValueError) as error:
            raise _fault(error, column) from None

    return value


def call(name: str, argument: Value, column: int) -> Value:
    """A function of a value."""
    function = FUNCTIONS[name]
    if not callable(argument):
        try:
            return float(function(argument))
        except (ArithmeticError, ValueError) as error:
            raise _fault(error, column) from None

    def value(p: Parameters) -> float:
        try:
            return function(argument(p))
        except (ArithmeticError, ValueError) as error:
            raise _fault(error, column) from None

    return value
