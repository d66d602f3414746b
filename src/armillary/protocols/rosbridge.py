"""How rosbridge packs what it says: whole as JSON, in fragments, as the pixels of a PNG, or as CBOR.

Fragments that come are put together again within bounds. PNG and CBOR are for what goes out: clients ask for it when they
subscribe, and send none themselves.
"""

import base64
import json
import math
import re
import struct
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import numpy as np

from armillary.errors import ArmillaryError

__all__ = ["BadFrame", "Fragments", "as_cbor", "as_json", "as_png", "in_fragments", "read_frame"]

_DEEPEST = 40  # levels of nesting in what is read
_MOST_FRAGMENTS = 10_000
_LARGEST = 32_000_000  # characters of a message, of all fragments together
_WAITS = 10.0  # s for the rest of a message
_HALF_DONE = 16  # messages of which some has come
_HALF = re.compile(r"\\u[dD][89a-fA-F]")  # JSON's way to write half of a character, whether the other half follows or not
# CBOR's tags of typed arrays (RFC 8746), little-endian, by NumPy's kind and size.
_ARRAYS = {"u1": 64, "u2": 69, "u4": 70, "u8": 71, "i1": 72, "i2": 77, "i4": 78, "i8": 79, "f4": 85, "f8": 86}


class BadFrame(ArmillaryError):
    """Something that is not what rosbridge says; the connection lives."""


def read_frame(data: str | bytes) -> dict[str, Any]:
    """What a client says, as text or (ROS#) as bytes.

    Raises:
        BadFrame: It is no JSON object with an "op", or has texts that cannot be written again.
    """
    try:
        text = data if isinstance(data, str) else data.decode()
        said = json.loads(text)
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise BadFrame(f"this is no JSON: {str(error)[:100]}") from None
    if not isinstance(said, dict) or not isinstance(said.get("op"), str):
        raise BadFrame('an object with an "op" is expected')
    if _depth(said) > _DEEPEST:
        raise BadFrame(f"this is nested deeper than {_DEEPEST} levels")
    if not text.isascii() or _HALF.search(text):
        _must_be_whole(said)
    return said


def _must_be_whole(said: dict[str, Any]) -> None:
    """Here, where texts come in: what has half of a character would fail wherever it is written as bytes, in another's name."""
    try:
        json.dumps(said, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise BadFrame(f"this has half of a character (U+{ord(error.object[error.start]):04X}); send whole ones") from None


def _depth(value: Any) -> int:
    """How deep it is nested, counted no further than what is borne."""
    level, depth = [value], 0
    while level and depth <= _DEEPEST:
        depth += 1
        level = [inner for each in level if isinstance(each, dict | list) for inner in _inside(each)]
    return depth


def _inside(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


def as_json(said: Any) -> str:
    """Plain ASCII: ROS# reads nothing else. A number that is none is null: Python's clients send NaN, others read none."""
    try:
        return json.dumps(said, separators=(",", ":"), allow_nan=False)
    except ValueError:
        return json.dumps(_without_nan(said), separators=(",", ":"), allow_nan=False)


def _without_nan(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _without_nan(inner) for key, inner in value.items()}
    return [_without_nan(inner) for inner in value] if isinstance(value, list | tuple) else value


def in_fragments(text: str, size: int, key: str) -> list[str]:
    """A message in pieces whose data has no more than so many characters; whole where it fits."""
    size = max(size, 16)
    if len(text) <= size:
        return [text]
    parts = [text[at : at + size] for at in range(0, len(text), size)]
    return [as_json({"op": "fragment", "id": key, "data": part, "num": k, "total": len(parts)}) for k, part in enumerate(parts)]


@dataclass
class _HalfDone:
    total: int
    began: float
    parts: dict[int, str] = field(default_factory=dict)
    size: int = 0


class Fragments:
    """Puts together what comes in pieces, in any order, of several messages at once."""

    def __init__(self) -> None:
        self._begun: dict[str, _HalfDone] = {}

    def add(self, said: Mapping[str, Any], now: float | None = None) -> str | None:
        """A piece; the message where it is whole now.

        Raises:
            BadFrame: It is no piece, or there is too much of it.
        """
        now = monotonic() if now is None else now
        key, data, number, total = (said.get(name) for name in ("id", "data", "num", "total"))
        if not isinstance(data, str) or not isinstance(key, str | int) or not _is_whole(number) or not _is_whole(total):
            raise BadFrame('a fragment has an "id", "data" that is text, and the numbers "num" and "total"')
        assert isinstance(number, int) and isinstance(total, int)
        if not 0 <= number < total <= _MOST_FRAGMENTS:
            raise BadFrame(f"fragment {number} of {total}: there can be {_MOST_FRAGMENTS}, counted from 0")
        for old in [old for old, half in self._begun.items() if now - half.began > _WAITS]:
            del self._begun[old]
        half = self._begun.setdefault(str(key), _HalfDone(total, now))
        if len(self._begun) > _HALF_DONE:
            del self._begun[next(iter(self._begun))]
        half.size += len(data)
        if half.total != total or half.size > _LARGEST:
            self._begun.pop(str(key), None)
            raise BadFrame(f"the fragments of {str(key)[:40]!r} do not belong together, or are too much")
        half.parts[number] = data
        if len(half.parts) < total:
            return None
        self._begun.pop(str(key), None)
        return "".join(half.parts[k] for k in range(total))


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def as_png(text: str) -> str:
    """A message as the pixels of a picture, in base64: what browsers unpack by themselves."""
    data = text.encode()
    width = max(int(np.ceil(np.sqrt(len(data) / 3.0))), 1)
    height = max(-(-len(data) // (3 * width)), 1)
    rows = data.ljust(3 * width * height, b"\n")
    lines = b"".join(b"\x00" + rows[at : at + 3 * width] for at in range(0, len(rows), 3 * width))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = [(b"IHDR", head), (b"IDAT", zlib.compress(lines, 6)), (b"IEND", b"")]
    chunks = (struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)) for name, body in parts)
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(chunks)).decode()


def as_cbor(value: Any) -> bytes:
    """A value in CBOR; arrays of numbers as they lie in memory, with the tag that says so.

    Raises:
        BadFrame: There is no way to write it.
    """
    out = bytearray()
    _put(out, value)
    return bytes(out)


def _put(out: bytearray, value: Any) -> None:
    if value is None or isinstance(value, bool):
        out.append({None: 0xF6, False: 0xF4, True: 0xF5}[value])
    elif isinstance(value, int):
        _put_head(out, 0 if value >= 0 else 1, value if value >= 0 else -1 - value)
    elif isinstance(value, float):
        out += b"\xfb" + struct.pack(">d", value)
    elif isinstance(value, str):
        data = value.encode()
        _put_head(out, 3, len(data))
        out += data
    elif isinstance(value, bytes):
        _put_head(out, 2, len(value))
        out += value
    elif isinstance(value, np.ndarray) and f"{value.dtype.kind}{value.dtype.itemsize}" in _ARRAYS:
        _put_head(out, 6, _ARRAYS[f"{value.dtype.kind}{value.dtype.itemsize}"])
        _put(out, np.ascontiguousarray(value, value.dtype.newbyteorder("<")).tobytes())
    elif isinstance(value, Mapping):
        _put_head(out, 5, len(value))
        for key, inner in value.items():
            _put(out, str(key))
            _put(out, inner)
    elif isinstance(value, list | tuple):
        _put_head(out, 4, len(value))
        for inner in value:
            _put(out, inner)
    else:
        raise BadFrame(f"a {type(value).__name__} cannot be written in CBOR")


def _put_head(out: bytearray, major: int, count: int) -> None:
    for code, size, most in ((24, ">B", 1 << 8), (25, ">H", 1 << 16), (26, ">I", 1 << 32), (27, ">Q", 1 << 64)):
        if count < 24:
            out.append(major << 5 | count)
            return
        if count < most:
            out.append(major << 5 | code)
            out += struct.pack(size, count)
            return
    raise BadFrame(f"{count} is more than CBOR can write")
