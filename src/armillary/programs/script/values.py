"""Values compiled once: to numbers where they are constant, to closures over the memory where they are not."""

import math
import operator
from collections.abc import Callable

from armillary.programs.script.errors import Fault, Place
from armillary.programs.script.expressions import Binary, Call, Name, Part, Unary, Value
from armillary.programs.script.memory import Memory
from armillary.programs.script.parts import compile_part
from armillary.programs.script.scope import Scope

__all__ = ["Compiled", "compile_value", "finite", "port_of", "whole"]

Getter = Callable[[Memory], float]
Compiled = float | Getter


def compile_value(value: Value, scope: Scope) -> Compiled:
    """What gives the value when the script is there.

    Raises:
        Fault: A name is not known, or what is constant cannot be computed.
    """
    if isinstance(value, float):
        return value
    if isinstance(value, Name):
        return _variable(value, scope)
    if isinstance(value, Part):
        return compile_part(value, scope)
    if isinstance(value, Call):
        return _call(value, scope)
    if isinstance(value, Unary):
        operand = compile_value(value.operand, scope)
        if callable(operand):
            return (lambda m: float(not operand(m))) if value.operator == "NOT" else (lambda m: -operand(m))
        return float(not operand) if value.operator == "NOT" else -operand
    return _binary(value, scope)


def finite(value: float, what: str, at: Place) -> float:
    """A number that can be used.

    Raises:
        Fault: It is infinite or none.
    """
    if not math.isfinite(value):
        raise Fault(f"{what} is not a finite number", "check what it is computed from", at)
    return value


def whole(value: float, what: str, at: Place) -> int:
    """A number that must be whole."""
    if not math.isfinite(value) or value != math.floor(value):
        raise Fault(f"{what} is {value:g}, which is not whole", "expected a whole number", at)
    return int(value)


def port_of(value: float, at: Place) -> int:
    """The number of an input or output."""
    number = whole(value, "the number of the input or output", at)
    if not 0 <= number < 65_536:
        raise Fault(f"there is no input or output {number}", "expected one from 0 to 65535", at)
    return number


def _variable(name: Name, scope: Scope) -> Getter:
    key = name.name
    if key in scope.parameters:
        return lambda m: m.calls[-1].parameters[key]
    if key in scope.points and key not in scope.variables:
        raise Fault(f"{key} is a point and not a number", f"expected a part of it, as {key}.x", name.at)
    if key not in scope.variables:
        raise scope.unknown_variable(key, name.at)

    def get(memory: Memory) -> float:
        try:
            return memory.variables[key]
        except KeyError:
            raise Fault(f"{key} has no value yet", f"set it before this line: {key} = 0", name.at) from None

    return get


def _power(left: float, right: float) -> float:
    if left < 0 and right != math.floor(right):
        raise ValueError("a negative number to a power that is not whole")
    return math.pow(left, right)


def _between_ones(name: str, value: float) -> float:
    if not -1.0 <= value <= 1.0:
        raise ValueError(f"{name} of {value:g}, which is not between -1 and 1")
    return value


def _root(value: float) -> float:
    if value < 0:
        raise ValueError(f"sqrt of {value:g}, which is below zero")
    return math.sqrt(value)


_OPERATIONS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "%": operator.mod, "^": _power,
    "==": lambda a, b: float(a == b), "!=": lambda a, b: float(a != b), "<": lambda a, b: float(a < b),
    "<=": lambda a, b: float(a <= b), ">": lambda a, b: float(a > b), ">=": lambda a, b: float(a >= b),
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., float]] = {
    "abs": abs,
    "acos": lambda v: math.degrees(math.acos(_between_ones("acos", v))),
    "asin": lambda v: math.degrees(math.asin(_between_ones("asin", v))),
    "atan2": lambda y, x: math.degrees(math.atan2(y, x)),
    "ceil": lambda v: float(math.ceil(v)),
    "cos": lambda v: math.cos(math.radians(v)),
    "floor": lambda v: float(math.floor(v)),
    "max": lambda *values: max(values),
    "min": lambda *values: min(values),
    "round": lambda v: float(math.floor(v + 0.5)),
    "sin": lambda v: math.sin(math.radians(v)),
    "sqrt": _root,
    "tan": lambda v: math.tan(math.radians(v)),
}


def _fault(error: ArithmeticError | ValueError, at: Place) -> Fault:
    if isinstance(error, ZeroDivisionError):
        return Fault("division by zero", "expected a divisor that is not zero", at)
    if isinstance(error, OverflowError):
        return Fault("the result is too large for a number", "expected smaller values", at)
    return Fault(str(error), "expected a value that this takes", at)


def _guarded(compute: Callable[..., float], at: Place, *values: float) -> float:
    try:
        return compute(*values)
    except (ArithmeticError, ValueError) as error:
        raise _fault(error, at) from None


def _getter(value: Compiled) -> Getter:
    return value if callable(value) else lambda _: value


def _binary(value: Binary, scope: Scope) -> Compiled:
    left, right = compile_value(value.left, scope), compile_value(value.right, scope)
    if value.operator in ("AND", "OR"):
        return _logical(value.operator == "AND", left, right)
    compute, at = _OPERATIONS[value.operator], value.at
    if not callable(left) and not callable(right):
        return _guarded(compute, at, left, right)
    first, second = _getter(left), _getter(right)
    if value.operator not in ("/", "%", "^"):
        return lambda m: compute(first(m), second(m))
    return lambda m: _guarded(compute, at, first(m), second(m))


def _logical(both: bool, left: Compiled, right: Compiled) -> Compiled:
    """AND or OR; the right side is only asked where it matters."""
    if not callable(left):
        if bool(left) != both:
            return float(not both)
        return (lambda m: float(right(m) != 0)) if callable(right) else float(right != 0)

    def get(memory: Memory) -> float:
        if bool(left(memory)) != both:
            return float(not both)
        return float((right(memory) if callable(right) else right) != 0)

    return get


def _call(call: Call, scope: Scope) -> Compiled:
    arguments = [compile_value(argument, scope) for argument in call.arguments]
    at = call.at
    if call.function == "CAME":
        return lambda m: float(m.inputs.came())
    if call.function in ("INPUT", "ANALOG"):
        port, digital = arguments[0], call.function == "INPUT"
        if not callable(port):
            port_of(port, at)

        def read(memory: Memory) -> float:
            number = port_of(port(memory) if callable(port) else port, at)
            return float(memory.inputs.digital(number) if digital else memory.inputs.analog(number))

        return read
    compute = _FUNCTIONS[call.function]
    constants = [argument for argument in arguments if not callable(argument)]
    if len(constants) == len(arguments):
        return _guarded(compute, at, *constants)
    return lambda m: _guarded(compute, at, *[argument(m) if callable(argument) else argument for argument in arguments])
