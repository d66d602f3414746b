"""CDR, the bytes of ROS 2 messages: little-endian, version 1, with the four bytes of encapsulation before them.

A message is a dict of its fields; sequences of numbers are NumPy arrays, other sequences lists. What is left out is zero or
empty.
"""

import struct
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.errors import ArmillaryError
from armillary.protocols.ros_types import PRIMITIVES, Field, MessageType, Shape, message_type

__all__ = ["BadMessage", "FixedLayout", "decode", "encode"]

_HEADER = b"\x00\x01\x00\x00"  # plain CDR, little-endian, no options
_DTYPES = {name: np.dtype(code) for name, code in PRIMITIVES.items()}
_CODES = {"b1": "?", "u1": "B", "i1": "b", "u2": "H", "i2": "h", "u4": "I", "i4": "i", "u8": "Q", "i8": "q", "f4": "f", "f8": "d"}
_STRUCTS = {name: struct.Struct("<" + _CODES[code[1:]]) for name, code in PRIMITIVES.items()}
_LENGTH = struct.Struct("<I")
_PAD = bytes(8)
_SEVERAL = 4  # strings, from which on they are remembered
_LARGEST_SEEN, _MOST_SEEN = 65536, 256  # bytes of strings that are remembered, and how many such
_SEEN: dict[tuple[str, str, int], tuple[bytes, tuple[str, ...]]] = {}  # the strings that a field had last

Data = bytes  # inside `FixedLayout` the name is that of a method
Visit = Callable[[str, int, str, int], None]  # path, offset in the body, primitive, how many


class BadMessage(ArmillaryError):
    """Bytes that are not the message they should be, or a value that does not fit into one."""


def encode(name: str, value: Mapping[str, Any]) -> bytes:
    """The bytes of a message.

    Raises:
        BadMessage: A field that the type does not have, or a value that does not fit into its field.
    """
    return _HEADER + bytes(_encoded(name, value, None))


def _encoded(name: str, value: Mapping[str, Any], visit: Visit | None) -> bytearray:
    out = bytearray()
    _put_message(out, message_type(name), value, "", visit)
    return out


def _align(out: bytearray, size: int) -> None:
    out += _PAD[: -len(out) % size]


def _put_message(out: bytearray, kind: MessageType, value: Any, path: str, visit: Visit | None) -> None:
    if not isinstance(value, Mapping):
        raise BadMessage(f"{kind.name}: '{path}' must be a mapping of its fields, not {type(value).__name__}")
    names = {field.name for field in kind.fields}
    unknown = [key for key in value if key not in names]
    if unknown:
        raise BadMessage(f"{kind.name} has no field '{unknown[0]}'; it has: {', '.join(sorted(names)) or 'none'}")
    if not kind.fields:
        out.append(0)  # IDL knows no empty structure: ROS 2 puts one byte into it
    for field in kind.fields:
        inside = f"{path}.{field.name}" if path else field.name
        given = value.get(field.name)
        if field.shape is Shape.ONE:
            _put_one(out, field, given, inside, visit)
        elif field.kind in PRIMITIVES:
            _put_numbers(out, field, given, inside, visit)
        else:
            _put_list(out, field, given, inside, visit)


def _put_one(out: bytearray, field: Field, value: Any, path: str, visit: Visit | None) -> None:
    if field.kind == "string":
        _put_string(out, field, "" if value is None else value, path)
    elif field.kind not in PRIMITIVES:
        _put_message(out, message_type(field.kind), {} if value is None else value, path, visit)
    else:
        packer = _STRUCTS[field.kind]
        _align(out, packer.size)
        if visit is not None:
            visit(path, len(out), field.kind, 1)
        try:
            out += packer.pack(0 if value is None else value)
        except (struct.error, OverflowError, TypeError):
            raise BadMessage(f"'{path}': {value!r} is no {field.kind}") from None


def _put_string(out: bytearray, field: Field, value: Any, path: str) -> None:
    if not isinstance(value, str) or "\0" in value:
        raise BadMessage(f"'{path}': {value!r} is no string without zeros")
    try:
        data = value.encode()
    except UnicodeEncodeError:
        raise BadMessage(f"'{path}': {value!r} cannot be written as UTF-8") from None
    if field.longest and len(data) > field.longest:
        raise BadMessage(f"'{path}': {len(data)} bytes are more than the {field.longest} it may have")
    _align(out, 4)
    out += _LENGTH.pack(len(data) + 1) + data + b"\0"


def _put_length(out: bytearray, field: Field, count: int, path: str) -> None:
    if field.shape is Shape.FIXED:
        if count != field.size:
            raise BadMessage(f"'{path}': it has {field.size} values, not {count}")
        return
    if field.size and count > field.size:
        raise BadMessage(f"'{path}': {count} values are more than the {field.size} it may have")
    _align(out, 4)
    out += _LENGTH.pack(count)


def _put_numbers(out: bytearray, field: Field, value: Any, path: str, visit: Visit | None) -> None:
    dtype = _DTYPES[field.kind]
    if value is None:
        value = np.zeros(field.size if field.shape is Shape.FIXED else 0, dtype=dtype)
    array = np.frombuffer(value, dtype=np.uint8) if isinstance(value, bytes | bytearray) else np.asarray(value)
    if array.ndim != 1:
        raise BadMessage(f"'{path}': it must be a sequence of numbers, not of shape {array.shape}")
    if array.dtype != dtype and array.size:
        array = _converted(array, dtype, field.kind, path)
    _put_length(out, field, array.size, path)
    if array.size:
        _align(out, dtype.itemsize)
        if visit is not None:
            visit(path, len(out), field.kind, array.size)
        out += array.astype(dtype).tobytes()


def _converted(array: NDArray[Any], dtype: "np.dtype[Any]", kind: str, path: str) -> NDArray[Any]:
    whole = dtype.kind in "iu"
    allowed = {"f": "fiub", "b": "b"}.get(dtype.kind, "iub")
    fits = array.dtype.kind in allowed
    if fits and whole:
        limits = np.iinfo(dtype)
        fits = limits.min <= int(array.min()) and int(array.max()) <= limits.max
    if not fits:
        raise BadMessage(f"'{path}': these are not all {kind}: {array.tolist()[:4]}")
    with np.errstate(over="ignore"):  # a double beyond a float is infinite there, as everywhere
        return array.astype(dtype)


def _put_list(out: bytearray, field: Field, value: Any, path: str, visit: Visit | None) -> None:
    if value is None:
        value = [None] * field.size if field.shape is Shape.FIXED else []
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise BadMessage(f"'{path}': it must be a list, not {type(value).__name__}")
    _put_length(out, field, len(value), path)
    if field.kind == "string" and not field.longest and len(value) >= _SEVERAL and all(type(item) is str for item in value):
        out += _strings(tuple(value), path)
        return
    for i, item in enumerate(value):
        _put_one(out, field, item, f"{path}.{i}", visit)


@lru_cache(maxsize=128)
def _strings(values: tuple[str, ...], path: str) -> bytes:
    """The same names of joints go out a thousand times a second. They begin aligned, behind their number."""
    out, field = bytearray(), Field("", "string")
    for i, value in enumerate(values):
        _put_string(out, field, value, f"{path}.{i}")
    return bytes(out)


def decode(name: str, data: bytes) -> dict[str, Any]:
    """A message from its bytes.

    Raises:
        BadMessage: They are too few or too many, or a length in them cannot be.
    """
    if len(data) < 4 or data[:2] != _HEADER[:2]:
        raise BadMessage(f"{name}: it begins with {data[:4].hex(' ') or 'nothing'}; only little-endian CDR (00 01) is read")
    reader = _Reader(name, memoryview(data)[4:])
    value = reader.message(message_type(name))
    # Some middleware fills the last four bytes up.
    rest = bytes(reader.body[reader.at :])
    if len(rest) > 3 or any(rest):
        raise BadMessage(f"{name}: {len(rest)} bytes are left over behind it")
    return value


@cache
def _least(kind: str) -> int:
    """The fewest bytes that a value of a kind takes: what a length can be checked with."""
    if kind in PRIMITIVES:
        return _DTYPES[kind].itemsize
    if kind == "string":
        return 4
    total = 0
    for field in message_type(kind).fields:
        count = {Shape.ONE: 1, Shape.FIXED: field.size, Shape.SEQUENCE: 0}[field.shape]
        total += 4 if field.shape is Shape.SEQUENCE else count * _least(field.kind)
    return max(total, 1)


class _Reader:
    """A place in the bytes of a message."""

    def __init__(self, name: str, body: memoryview) -> None:
        self.name, self.body, self.at = name, body, 0

    def message(self, kind: MessageType) -> dict[str, Any]:
        if not kind.fields:
            self._take(1)
        return {field.name: self._field(field) for field in kind.fields}

    def _field(self, field: Field) -> Any:
        if field.shape is Shape.ONE:
            return self._one(field)
        count = field.size if field.shape is Shape.FIXED else self._length()
        if field.shape is Shape.SEQUENCE and field.size and count > field.size:
            raise BadMessage(f"{self.name}: '{field.name}' has {count} values, and may have {field.size}")
        # Before anything is made for it: a length that lies takes no memory.
        if count * _least(field.kind) > len(self.body) - self.at:
            raise self._short(f"'{field.name}' of {count} values")
        if field.kind == "string" and count >= _SEVERAL:
            return self._strings(field, count)
        if field.kind not in PRIMITIVES:
            return [self._one(field) for _ in range(count)]
        dtype = _DTYPES[field.kind]
        raw = self._take(count * dtype.itemsize, dtype.itemsize if count else 1)
        if field.kind == "bool":
            self._check_bools(raw)
        return np.frombuffer(raw, dtype=dtype).copy()

    def _strings(self, field: Field, count: int) -> list[str]:
        """The same names of joints come in a thousand times a second."""
        key = self.name, field.name, count
        raw, known = _SEEN.get(key, (b"", ()))
        if raw and self.body[self.at : self.at + len(raw)] == raw:
            self.at += len(raw)
            return [*known]
        begin = self.at
        values = [self._string(field) for _ in range(count)]
        if self.at - begin <= _LARGEST_SEEN:
            if len(_SEEN) >= _MOST_SEEN:
                _SEEN.clear()
            _SEEN[key] = bytes(self.body[begin : self.at]), tuple(values)
        return values

    def _one(self, field: Field) -> Any:
        if field.kind == "string":
            return self._string(field)
        if field.kind not in PRIMITIVES:
            return self.message(message_type(field.kind))
        unpacker = _STRUCTS[field.kind]
        raw = self._take(unpacker.size, unpacker.size)
        if field.kind == "bool":
            self._check_bools(raw)
        return unpacker.unpack(raw)[0]

    def _string(self, field: Field) -> str:
        raw = bytes(self._take(self._length()))
        if raw and (raw[-1] or 0 in raw[:-1]):
            raise BadMessage(f"{self.name}: the string '{field.name}' does not end where it says")
        try:
            text = raw[:-1].decode()
        except UnicodeDecodeError:
            raise BadMessage(f"{self.name}: the string '{field.name}' is not UTF-8") from None
        if field.longest and len(raw) - 1 > field.longest:
            raise BadMessage(f"{self.name}: the string '{field.name}' is longer than {field.longest} bytes")
        return text

    def _check_bools(self, raw: memoryview) -> None:
        if any(value > 1 for value in raw):
            raise BadMessage(f"{self.name}: a truth value that is neither 0 nor 1")

    def _length(self) -> int:
        return int(_LENGTH.unpack(self._take(4, 4))[0])

    def _take(self, count: int, align: int = 1) -> memoryview:
        begin = self.at + -self.at % align
        if begin + count > len(self.body):
            raise self._short(f"{count} bytes at {begin}")
        self.at = begin + count
        return self.body[begin : begin + count]

    def _short(self, what: str) -> BadMessage:
        return BadMessage(f"{self.name}: {what} go beyond its end, after {len(self.body)} bytes; it is cut off or not this type")


class FixedLayout:
    """A message whose strings and lengths never change: encoded once, its numbers then put in place.

    A path leads to a field: "reference.positions", "transforms.3.transform.translation.x".

    Attributes:
        size: Of the message [bytes].
        floats: All eight bytes of the message's body as one float64: to fill many fields at once, see `indices`.
    """

    def __init__(self, name: str, example: Mapping[str, Any]) -> None:
        self.name = name
        self._places: dict[str, tuple[int, str, int]] = {}
        body = _encoded(name, example, lambda path, at, kind, count: self._places.update({path: (at, kind, count)}))
        self.size = 4 + len(body)
        # The body begins at a multiple of eight, so that its numbers are aligned in memory as they are in CDR.
        self._storage = bytearray(4) + _HEADER + body + bytes(-len(body) % 8)
        self.floats: NDArray[np.float64] = np.frombuffer(self._storage, dtype="<f8", offset=8)
        self._views = {
            path: np.frombuffer(self._storage, dtype=_DTYPES[kind], count=count, offset=8 + at)
            for path, (at, kind, count) in self._places.items()
        }
        self._message = memoryview(self._storage)[4 : 4 + self.size]

    def view(self, path: str) -> NDArray[Any]:
        """A field's numbers, shape (count,): what is written there stands in the next `bytes`."""
        try:
            return self._views[path]
        except KeyError:
            raise BadMessage(f"{self.name}: there are no numbers at '{path}'; there are at: {', '.join(self._views)}") from None

    def put(self, path: str, value: Any) -> None:
        """Put numbers into a field."""
        self.view(path)[...] = value

    def indices(self, paths: Sequence[str]) -> NDArray[np.intp]:
        """Where in `floats` fields of float64 are, one after the other."""
        places = []
        for path in paths:
            count, (at, kind, _) = len(self.view(path)), self._places[path]
            if kind != "float64":
                raise BadMessage(f"{self.name}: '{path}' is {kind}, not float64")
            places.append(np.arange(at // 8, at // 8 + count))
        return np.concatenate(places) if places else np.zeros(0, dtype=np.intp)

    def bytes(self) -> Data:
        """The message as it stands."""
        return self._message.tobytes()

    def rows(self, messages: Sequence[Data]) -> NDArray[np.uint8]:
        """Messages of this layout one above the other, shape (k, size), for `column`.

        Raises:
            BadMessage: One has another length, or other strings or lengths in it.
        """
        if any(len(message) != self.size for message in messages):
            raise BadMessage(f"{self.name}: the messages are not all of {self.size} bytes")
        rows = np.frombuffer(b"".join(messages), dtype=np.uint8).reshape(-1, self.size)
        fixed = np.ones(self.size, dtype=bool)
        for at, kind, count in self._places.values():
            fixed[4 + at : 4 + at + count * _DTYPES[kind].itemsize] = False
        if not (rows[:, fixed] == np.frombuffer(self.bytes(), dtype=np.uint8)[fixed]).all():
            raise BadMessage(f"{self.name}: the messages do not all have the same strings and lengths")
        return rows

    def column(self, rows: NDArray[np.uint8], path: str) -> NDArray[Any]:
        """A field of each of the messages, shape (k, count)."""
        self.view(path)
        at, kind, count = self._places[path]
        dtype = _DTYPES[kind]
        return np.ascontiguousarray(rows[:, 4 + at : 4 + at + count * dtype.itemsize]).view(dtype)
