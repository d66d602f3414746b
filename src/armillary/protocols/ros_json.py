"""ROS messages as rosbridge writes them in JSON.

A message is a dict of its fields; sequences of numbers are NumPy arrays, other sequences lists; a time is {"secs", "nsecs"};
bytes (uint8[], char[]) are base64; a number that is none is null. What is left out is zero or empty.
"""

import base64
import binascii
import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from armillary.errors import ArmillaryError
from armillary.protocols.ros1_types import NUMBERS, TIMES, ros1_type
from armillary.protocols.ros_types import PRIMITIVES, Field, MessageType, Shape

__all__ = ["BadRosMessage", "by_name", "empty_message", "from_json", "to_json", "with_arrays"]

_LONGEST = 1_000_000  # values of a sequence: what is longer is nobody's trajectory
_MOST_BYTES = 32 << 20  # of a picture, or of points
_BYTES = ("uint8", "char")
_LATER = ("sec", "nanosec")  # what ROS 2's clients call secs and nsecs
_NUMBERS = {name: np.dtype(code) for name, code in NUMBERS.items() if name != "bool"}

Read = Callable[[Any, str], Any]
Write = Callable[[Any], Any]


class BadRosMessage(ArmillaryError):
    """A value that is not of the type it should be; says where and what was expected."""


def from_json(kind: MessageType, value: Any) -> dict[str, Any]:
    """A message from what JSON says.

    Raises:
        BadRosMessage: A field that the type does not have, or a value that does not fit into its field.
    """
    return _reader(kind)(value, "")


def to_json(kind: MessageType, value: Mapping[str, Any]) -> dict[str, Any]:
    """What JSON says of a message."""
    return _writer(kind, False)(value)


def with_arrays(kind: MessageType, value: Mapping[str, Any]) -> dict[str, Any]:
    """A message with all its fields, for what can write arrays and numbers of any kind as they are."""
    return _writer(kind, True)(value)


def by_name(kind: MessageType, given: dict[str, Any]) -> dict[str, Any]:
    """Fields by their names, where they were given by their order: a list's places are "0", "1", ..."""
    if given and all(key.isdecimal() for key in given):
        return {field.name: value for field, value in zip(kind.fields, given.values(), strict=False)}
    return given


def empty_message(kind: MessageType) -> dict[str, Any]:
    """One in which nothing was set."""
    return from_json(kind, {})


@cache
def _reader(kind: MessageType) -> Read:
    fields = {field.name: _field_reader(field) for field in kind.fields}

    def read(value: Any, at: str) -> dict[str, Any]:
        if value is None:
            value = {}
        if not isinstance(value, Mapping):
            raise BadRosMessage(f"{at or kind.name} is {_shown(value)}; a {kind.name} has fields: {', '.join(fields) or 'none'}")
        for name in value:
            if name not in fields:
                raise BadRosMessage(f"{kind.name} has no field '{_path(at, str(name))}'; it has: {', '.join(fields) or 'none'}")
        return {name: of(value.get(name), _path(at, name)) for name, of in fields.items()}

    return read


def _field_reader(field: Field) -> Read:
    if field.shape == Shape.ONE:
        return _one_reader(field.kind)
    if field.kind in _NUMBERS:
        return _numbers_reader(field)
    one = _one_reader(field.kind)

    def read(value: Any, at: str) -> list[Any]:
        values = [None] * (field.size if field.shape == Shape.FIXED else 0) if value is None else value
        if not isinstance(values, list | tuple):
            raise BadRosMessage(f"{at} is {_shown(value)}; a list is expected")
        _check_count(field, len(values), at)
        return [one(each, f"{at}[{k}]") for k, each in enumerate(values)]

    return read


def _one_reader(kind: str) -> Read:
    if kind == "string":
        return _read_string
    if kind == "bool":
        return _read_bool
    if kind in TIMES:
        return _read_time
    if kind in PRIMITIVES:
        return _number_reader(kind)
    inner = ros1_type(kind)
    return lambda value, at: _reader(inner)(value, at)


def _read_string(value: Any, at: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadRosMessage(f"{at} is {_shown(value)}; a string is expected")
    return value


def _read_bool(value: Any, at: str) -> bool:
    if value is not None and (not isinstance(value, bool | int) or value not in (0, 1)):
        raise BadRosMessage(f"{at} is {_shown(value)}; true or false is expected")
    return bool(value)


def _read_time(value: Any, at: str) -> dict[str, int]:
    """Seconds and nanoseconds, or both in one number."""
    if value is None:
        return {"secs": 0, "nsecs": 0}
    if isinstance(value, Mapping) and set(value) <= {"secs", "nsecs", *_LATER}:
        whole = [value.get(name, value.get(later, 0)) for name, later in zip(("secs", "nsecs"), _LATER, strict=True)]
        if all(isinstance(each, int) and not isinstance(each, bool) and abs(each) < 2**31 for each in whole):
            return {"secs": whole[0], "nsecs": whole[1]}
    raise BadRosMessage(f"{at} is {_shown(value)}; a time is expected: {{secs, nsecs}}, both whole")


def _number_reader(kind: str) -> Read:
    whole = np.iinfo(_NUMBERS[kind]) if _NUMBERS[kind].kind in "iu" else None

    def read(value: Any, at: str) -> float | int:
        if whole is None:
            return _real(value, at)
        if value is None:
            return 0
        if isinstance(value, bool) or not isinstance(value, int | float) or (isinstance(value, float) and not value.is_integer()):
            raise BadRosMessage(f"{at} is {_shown(value)}; a whole number is expected")
        if not whole.min <= value <= whole.max:
            raise BadRosMessage(f"{at} is {_shown(value)}; a {kind} goes from {whole.min} to {whole.max}")
        return int(value)

    return read


def _real(value: Any, at: str) -> float:
    if value is None:
        return 0.0
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadRosMessage(f"{at} is {_shown(value)}; a number is expected")
    try:
        return float(value)
    except OverflowError:
        raise BadRosMessage(f"{at} is {_shown(value)}; that is no number of 64 bits") from None


def _numbers_reader(field: Field) -> Read:
    dtype, one = _NUMBERS[field.kind], _number_reader(field.kind)

    def read(value: Any, at: str) -> np.ndarray:
        if value is None:
            return np.zeros(field.size if field.shape == Shape.FIXED else 0, dtype)
        if isinstance(value, str) and field.kind in _BYTES:
            try:
                data = np.frombuffer(base64.b64decode(value, validate=True), dtype)
            except (binascii.Error, ValueError):
                raise BadRosMessage(f"{at} is no base64") from None
            _check_count(field, len(data), at)
            return data
        if not isinstance(value, list | tuple):
            raise BadRosMessage(f"{at} is {_shown(value)}; a list of numbers is expected")
        _check_count(field, len(value), at)
        # Within a list null is a number that is none, as rosbridge writes it.
        if dtype.kind == "f":
            return np.array([math.nan if each is None else _real(each, f"{at}[{k}]") for k, each in enumerate(value)], dtype)
        return np.array([one(each, f"{at}[{k}]") for k, each in enumerate(value)], dtype)

    return read


def _check_count(field: Field, count: int, at: str) -> None:
    if field.shape == Shape.FIXED and count != field.size:
        raise BadRosMessage(f"{at} has {count} values; {field.size} are expected")
    most = field.size or (_MOST_BYTES if field.kind in _BYTES else _LONGEST)
    if count > most:
        raise BadRosMessage(f"{at} has {count} values; there can be {most}")


@cache
def _writer(kind: MessageType, arrays: bool) -> Write:
    fields = [(field.name, _field_writer(field, arrays)) for field in kind.fields]
    empty = {field.name: _reader(kind)({}, "")[field.name] for field in kind.fields}

    def write(value: Mapping[str, Any]) -> dict[str, Any]:
        return {name: of(value[name] if name in value else empty[name]) for name, of in fields}

    return write


def _field_writer(field: Field, arrays: bool) -> Write:
    if field.shape == Shape.ONE:
        return _one_writer(field.kind, arrays)
    if field.kind in _NUMBERS and arrays:
        return lambda value: np.asarray(value, _NUMBERS[field.kind])
    if field.kind in _BYTES:
        return lambda value: base64.b64encode(np.asarray(value, np.uint8).tobytes()).decode()
    if field.kind in _NUMBERS:
        return _write_numbers
    one = _one_writer(field.kind, arrays)
    return lambda value: [one(each) for each in value]


def _one_writer(kind: str, arrays: bool) -> Write:
    if kind in ("float32", "float64"):
        return float if arrays else _write_real
    if kind in PRIMITIVES:
        return bool if kind == "bool" else int
    if kind == "string":
        return str
    if kind in TIMES:
        return dict
    inner = ros1_type(kind)
    return lambda value: _writer(inner, arrays)(value)


def _write_real(value: Any) -> float | None:
    number = float(value)
    return number if math.isfinite(number) else None


def _write_numbers(value: Any) -> list[Any]:
    array = np.asarray(value)
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        return [_write_real(each) for each in array]
    return array.tolist()


def _path(at: str, name: str) -> str:
    return f"{at}.{name}" if at else name


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
