"""Messages of rospy from dicts of their fields, and back, as `protocols.ros_json` has them."""

import importlib
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

import numpy as np

from armillary.protocols.ros1_types import NUMBERS, TIMES
from armillary.protocols.ros1_types import ros1_type as type_named
from armillary.protocols.ros_types import PRIMITIVES, Field, MessageType, Shape

__all__ = ["message_from", "message_to"]

Convert = Callable[[Any], Any]
_BYTES = ("uint8", "char")


def message_to(kind: MessageType, of: Any, values: Mapping[str, Any]) -> Any:
    """A message of a class of rospy.

    Args:
        of: The class.
    """
    return _maker(kind, of)(values)


def message_from(kind: MessageType, message: Any) -> dict[str, Any]:
    """The fields of a message of rospy; sequences of numbers are arrays."""
    return {name: read(getattr(message, name)) for name, read in _readers(kind)}


@cache
def _maker(kind: MessageType, of: Any) -> Convert:
    fields = [(field.name, _field_maker(field)) for field in kind.fields]

    def make(values: Mapping[str, Any]) -> Any:
        made = of()
        for name, convert in fields:
            if name in values:
                setattr(made, name, convert(values[name]))
        return made

    return make


def _field_maker(field: Field) -> Convert:
    one = _one_maker(field.kind)
    if field.shape == Shape.ONE:
        return one
    if field.kind in _BYTES:
        return bytes
    if field.kind in PRIMITIVES:
        return _listed
    return lambda values: [one(value) for value in values]


def _listed(values: Any) -> Any:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _one_maker(kind: str) -> Convert:
    if kind in TIMES:
        made = getattr(importlib.import_module("genpy"), kind.capitalize())
        return lambda value: made(int(value["secs"]), int(value["nsecs"]))
    if kind not in PRIMITIVES and kind != "string":
        package, _, name = kind.partition("/")
        return _maker(type_named(kind), getattr(importlib.import_module(f"{package}.msg"), name))
    return _plain


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


@cache
def _readers(kind: MessageType) -> list[tuple[str, Convert]]:
    return [(field.name, _reader(field)) for field in kind.fields]


def _one_reader(kind: str) -> Convert:
    if kind in TIMES:
        return lambda value: {"secs": value.secs, "nsecs": value.nsecs}
    if kind in PRIMITIVES or kind == "string":
        return _plain
    return partial(message_from, type_named(kind))


def _reader(field: Field) -> Convert:
    one = _one_reader(field.kind)
    if field.shape == Shape.ONE:
        return one
    if field.kind in PRIMITIVES and field.kind not in _BYTES:
        kind = np.dtype(NUMBERS[field.kind])
        return lambda values: np.array(values, dtype=kind)
    if field.kind in _BYTES:
        return lambda values: np.frombuffer(bytes(values), dtype=np.uint8)
    return lambda values: [one(value) for value in values]
