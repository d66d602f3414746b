"""Messages of the pendant's WebSocket as text: written once here, as dataclasses; the browser's side is made from them.

A message is a JSON list: its key, then its fields in order; a field that is a record is a list again. So a state sent sixty times
a second carries no names. What is no number (NaN) is null. Nothing that comes in is ever evaluated: it is held to its fields.
"""

import json
import math
import types
import typing
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, ClassVar, Union

from armillary.errors import ArmillaryError

__all__ = ["BadMessage", "Message", "Record", "decode", "encode", "fields_of"]

_LONGEST = 1 << 15  # characters
_MOST = 1024  # numbers in a list: a frame of a suit has 354


class BadMessage(ArmillaryError):
    """What came is no message."""


@dataclass(frozen=True)
class Record:
    """Something with fields, within a message."""


@dataclass(frozen=True)
class Message(Record):
    """One message. Of those with the same key only the newest matters; `queued` ones are each told."""

    key: ClassVar[str] = ""
    queued: ClassVar[bool] = False

    def __init_subclass__(cls, key: str = "", queued: bool = False) -> None:
        cls.key, cls.queued = key, queued


_FIELDS: dict[type[Record], dict[str, Any]] = {}


def encode(message: Message) -> str:
    """A message as text."""
    return json.dumps([message.key, *_values(message)], separators=(",", ":"), allow_nan=False)


def _values(record: Record) -> list[Any]:
    return [_plain(getattr(record, each.name)) for each in fields(record)]


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        # Eight digits are a hundredth of a micrometre and of a microradian: what a page shows, and half as long.
        return float(f"{value:.8g}") if math.isfinite(value) else None
    if isinstance(value, Record):
        return _values(value)
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value


def decode(text: str | bytes, kinds: "dict[str, type[Message]]") -> Message:
    """A message of one of these kinds, by key.

    Raises:
        BadMessage: It is none; says what was expected.
    """
    if len(text) > _LONGEST:
        raise BadMessage(f"a message of {len(text)} characters; {_LONGEST} are the most")
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        raise BadMessage("this is no JSON; a list of JSON is expected") from None
    if not isinstance(values, list) or not values or not isinstance(values[0], str) or values[0] not in kinds:
        raise BadMessage(f"a message is a list that begins with one of: {', '.join(kinds)}")
    kind = kinds[values[0]]
    return typing.cast(Message, _record(kind, values[1:], kind.__name__))


def fields_of(kind: type[Record]) -> dict[str, Any]:
    """The types of a record's fields, by name, in order."""
    if kind not in _FIELDS:  # looked up once: a jog comes thirty times a second
        hints = typing.get_type_hints(kind)
        _FIELDS[kind] = {each.name: hints[each.name] for each in fields(kind)}
    return _FIELDS[kind]


def _record(kind: type[Record], values: Any, what: str) -> Record:
    known = fields_of(kind)
    if not isinstance(values, list) or len(values) != len(known):
        raise BadMessage(f"{what} has {len(known)} values: {', '.join(known) or 'none'}")
    return kind(*(_taken(value, of, f"{what}'s {name}") for value, (name, of) in zip(values, known.items(), strict=True)))


def _taken(value: Any, of: Any, what: str) -> Any:
    origin = typing.get_origin(of)
    if origin in (Union, types.UnionType):
        kinds = [each for each in typing.get_args(of) if each is not type(None)]
        return None if value is None else _taken(value, kinds[0], what)
    if origin is tuple:
        if not isinstance(value, list) or len(value) > _MOST:
            raise BadMessage(f"{what} is a list of at most {_MOST}")
        return tuple(_taken(each, typing.get_args(of)[0], what) for each in value)
    if is_dataclass(of):
        return _record(typing.cast(type[Record], of), value, what)
    if of is float and isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e150:
        return float(value)
    if of is int and isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 53:
        return value
    if (of is str and isinstance(value, str) and _is_text(value)) or (of is bool and isinstance(value, bool)):
        return value
    # What is within a list is not shown: it may be as deep as it likes.
    shown = f"a {type(value).__name__}" if isinstance(value, list | dict) else repr(value)[:40]
    raise BadMessage(f"{what} is {shown}; a {getattr(of, '__name__', of)} is expected")


def _is_text(value: str) -> bool:
    """Half a character (a lone surrogate) is none: no file and no other process would take it."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
