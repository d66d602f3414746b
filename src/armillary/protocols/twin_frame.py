"""Frames of the twin's protocol: how bytes become pieces that can be trusted.

A frame is a head (magic, version, kind, length, sequence number, time, checksum of the head), a payload and a checksum of both.
The head has a checksum of its own so that a length is never believed that was damaged on the way. All is little-endian.
"""

import struct
import zlib
from enum import IntEnum
from typing import NamedTuple

from armillary.errors import ArmillaryError

__all__ = ["LONGEST", "VERSION", "BadFrame", "Decoder", "Frame", "Kind", "write_frame"]

VERSION = 2  # 1 had no analogue values
LONGEST = 32_768  # bytes of a payload at most
_MAGIC = b"ARTW"
_HEAD = struct.Struct("<4sBBHId")  # magic, version, kind, length, sequence, time
_SUM = struct.Struct("<I")
_FRONT = _HEAD.size + _SUM.size


class BadFrame(ArmillaryError):
    """Bytes that are no frame of this protocol. The stream cannot be read on; close the connection.

    Attributes:
        offset: Of the frame in the stream [bytes].
    """

    def __init__(self, what: str, offset: int = 0) -> None:
        self.offset = offset
        super().__init__(f"a bad frame at byte {offset}: {what}")


class Kind(IntEnum):
    """What a frame is."""

    HELLO = 1
    WELCOME = 2
    REFUSED = 3
    ENABLE = 4
    DISABLE = 5
    STOP = 6
    COMMAND = 7
    STATE = 8


_KINDS = {int(kind): kind for kind in Kind}


class Frame(NamedTuple):
    """One frame of a stream.

    Attributes:
        sequence: Counts up in each direction.
        time: When what it says holds [s, the monotonic clock of the machine, or the command's].
        offset: Where it begins in the stream [bytes].
    """

    kind: Kind
    sequence: int
    time: float
    payload: bytes
    offset: int


def write_frame(kind: Kind, sequence: int, time: float, payload: bytes) -> bytes:
    """The bytes of a frame.

    Raises:
        BadFrame: The payload is too long.
    """
    if len(payload) > LONGEST:
        raise BadFrame(f"a {kind.name} of {len(payload)} bytes cannot be written; {LONGEST} is the most")
    head = _HEAD.pack(_MAGIC, VERSION, kind, len(payload), sequence, time)
    body = head + _SUM.pack(zlib.crc32(head)) + payload
    return body + _SUM.pack(zlib.crc32(body))


class Decoder:
    """Reads the frames of one direction of a connection from bytes that come in pieces of any size."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._offset = 0  # of the buffer's begin in the stream
        self._sequence = 0
        self._bad: BadFrame | None = None

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that are whole with these bytes.

        Raises:
            BadFrame: What comes next is no frame; frames before it in the same bytes are lost too. It stays so.
        """
        if self._bad is not None:
            raise self._bad
        buffer = self._buffer
        buffer += data
        frames: list[Frame] = []
        begin, size = 0, len(buffer)
        try:
            while size - begin >= _FRONT:
                frame = self._one(begin, size)
                if frame is None:
                    break
                frames.append(frame)
                begin += _FRONT + len(frame.payload) + _SUM.size
        except BadFrame as error:
            self._bad = error
            raise
        del buffer[:begin]
        self._offset += begin
        return frames

    def _one(self, begin: int, size: int) -> Frame | None:
        buffer, offset = self._buffer, self._offset + begin
        magic, version, kind, length, sequence, time = _HEAD.unpack_from(buffer, begin)
        if magic != _MAGIC:
            raise BadFrame(f"it begins with {bytes(magic)!r}, not {_MAGIC!r}: this is another protocol", offset)
        if version != VERSION:
            raise BadFrame(
                f"it is of version {version}, and this is version {VERSION}: use the same release on both ends", offset
            )
        if _SUM.unpack_from(buffer, begin + _HEAD.size)[0] != zlib.crc32(buffer[begin : begin + _HEAD.size]):
            raise BadFrame("the checksum of its head is wrong: it was damaged", offset)
        if length > LONGEST:
            raise BadFrame(f"it claims {length} bytes; {LONGEST} is the most", offset)
        if kind not in _KINDS:
            raise BadFrame(f"there is no kind {kind}", offset)
        end = begin + _FRONT + length
        if size < end + _SUM.size:
            return None
        if _SUM.unpack_from(buffer, end)[0] != zlib.crc32(buffer[begin:end]):
            raise BadFrame("its checksum is wrong: it was damaged", offset)
        if sequence <= self._sequence:
            raise BadFrame(f"its sequence number {sequence} does not follow {self._sequence}", offset)
        self._sequence = sequence
        return Frame(_KINDS[kind], sequence, time, bytes(buffer[begin + _FRONT : end]), offset)
