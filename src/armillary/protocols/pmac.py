"""PMAC's Ethernet protocol (Turbo PMAC, ACC-54E): requests to TCP port 1025, and the replies. Bytes alone, no sockets.

A request is a head of eight bytes (type, request, value, index, length; big-endian) and its data. A reply has no head: its length
and its end depend on the request. Answers to commands are lines that end with a carriage return, and ACK behind the last (I3=2);
an error is BELL, `ERRnnn` and a carriage return, without ACK (I6=1).
"""

import re
import struct
from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

from armillary.errors import ArmillaryError
from armillary.protocols.pmac_error import error_words

__all__ = [
    "ACK", "BELL", "ECHO", "FIRST_LINE", "LONGEST_COMMAND", "LONGEST_DATA", "LONGEST_REPLY", "LONGEST_WRITE", "PORT", "BadPmac",
    "PmacReply", "PmacRequest", "ReplyDecoder", "Request", "RequestDecoder", "RequestType", "WriteResult", "control_response",
    "flush", "get_buffer", "get_response", "pack_lines", "read_ready", "reply_of", "send_control", "send_line", "split_lines",
    "write_buffer", "write_reply", "write_result",
]  # fmt: skip

PORT = 1025
LONGEST_DATA = 1492  # bytes behind a head
LONGEST_REPLY = 1400  # bytes of an answer in one piece; the rest comes with GETBUFFER
LONGEST_WRITE = 1024  # bytes of lines in one WRITEBUFFER
LONGEST_COMMAND = 255  # characters of a command line
ACK, BELL = 0x06, 0x07
ECHO = b"@"  # what a unit answers to SENDLINE and FLUSH
FIRST_LINE = 1  # of a WRITEBUFFER, in its reply (unconfirmed: no source says whether it counts from 0 or 1)
_HEAD = struct.Struct(">BBHHH")
_ERROR = re.compile(rb"\x07(?:ERR(\d{3}))?\r?$")
_UNKNOWN_ERROR = 3  # a bell without a code (I6=0): what it is most often


class BadPmac(ArmillaryError):
    """Bytes that are no request, or no reply, of this protocol. The stream cannot be read on; close the connection."""


class RequestType(IntEnum):
    """Which way the data go."""

    DOWNLOAD = 0x40
    UPLOAD = 0xC0


class Request(IntEnum):
    """What is asked."""

    SENDLINE = 0xB0
    FLUSH = 0xB3
    SENDCTRLCHAR = 0xB6
    GETRESPONSE = 0xBF
    READREADY = 0xC2
    CTRL_RESPONSE = 0xC4
    GETBUFFER = 0xC5
    WRITEBUFFER = 0xC6


_TYPES = {int(kind): kind for kind in RequestType}
_REQUESTS = {int(request): request for request in Request}


class PmacRequest(NamedTuple):
    """One request.

    Attributes:
        value: A control character, for those that send one (wValue).
        word: wIndex; no request that is used here needs it.
        length: Of the data, or of the reply that is asked for (uploads) [bytes].
        data: What comes behind the head of a download; empty for an upload.
    """

    kind: RequestType
    request: Request
    value: int = 0
    word: int = 0
    length: int = 0
    data: bytes = b""

    def encode(self) -> bytes:
        return _HEAD.pack(self.kind, self.request, self.value, self.word, self.length) + self.data


def send_line(command: str) -> bytes:
    """A command whose answer is fetched with GETBUFFER later. The reply is one byte, ECHO."""
    return _download(Request.SENDLINE, _characters(command))


def get_response(command: str) -> bytes:
    """A command, answered with what it says: LONGEST_REPLY bytes at most, the rest with GETBUFFER."""
    return _download(Request.GETRESPONSE, _characters(command))


def flush() -> bytes:
    """Throw away answers that were not fetched. The reply is one byte, ECHO."""
    return _download(Request.FLUSH, b"")


def read_ready() -> bytes:
    """Whether an answer waits. The reply is two bytes, the first not zero if so."""
    return PmacRequest(RequestType.UPLOAD, Request.READREADY, length=2).encode()


def get_buffer(length: int = LONGEST_REPLY) -> bytes:
    """More of an answer. The reply is a NUL where nothing waits."""
    return PmacRequest(RequestType.UPLOAD, Request.GETBUFFER, length=length).encode()


def control_response(character: str) -> bytes:
    """A control character that reports (^B ^C ^F ^G ^P ^V), answered with its report."""
    return PmacRequest(RequestType.DOWNLOAD, Request.CTRL_RESPONSE, value=_control(character)).encode()


def send_control(character: str) -> bytes:
    """A control character that acts (^A aborts, ^K kills, ^O holds). The reply is one byte, ECHO (unconfirmed)."""
    return PmacRequest(RequestType.DOWNLOAD, Request.SENDCTRLCHAR, value=_control(character)).encode()


def write_buffer(lines: Iterable[str]) -> bytes:
    """Lines for the open buffer, all in one request. The reply is a `WriteResult`.

    Raises:
        BadPmac: They are longer than LONGEST_WRITE together; see `pack_lines`.
    """
    data = b"\0".join(_characters(line) for line in lines) + b"\0"
    if len(data) > LONGEST_WRITE:
        raise BadPmac(f"{len(data)} bytes of lines do not fit into one request of {LONGEST_WRITE}; send them in several")
    return _download(Request.WRITEBUFFER, data)


def pack_lines(lines: Iterable[str]) -> list[list[str]]:
    """Lines in order, in as few groups as fit into one WRITEBUFFER each."""
    groups: list[list[str]] = []
    left = 0
    for line in lines:
        size = len(_characters(line)) + 1
        if not groups or size > left:
            groups.append([])
            left = LONGEST_WRITE
        groups[-1].append(line)
        left -= size
    return groups


def split_lines(data: bytes) -> list[str]:
    """The lines of a WRITEBUFFER's data."""
    lines = data.split(b"\0")
    if lines and not lines[-1]:
        lines.pop()
    return [line.decode("latin-1") for line in lines]


class WriteResult(NamedTuple):
    """What became of a WRITEBUFFER.

    Attributes:
        line: The one refused, counted from FIRST_LINE; how many were taken where none was refused.
        error: Its ERR code; 0 for none.
    """

    line: int
    error: int

    @property
    def words(self) -> str:
        return f"line {self.line}: {error_words(self.error)}" if self.error else ""


def write_reply(result: WriteResult) -> bytes:
    """The four bytes of a WRITEBUFFER's reply."""
    return struct.pack("<HBB", result.line, result.error, 0x80 if result.error else 0)


def write_result(reply: bytes) -> WriteResult:
    """What the four bytes say.

    Raises:
        BadPmac: They are not four, or contradict themselves.
    """
    if len(reply) != 4:
        raise BadPmac(f"the reply to WRITEBUFFER has {len(reply)} bytes, not 4")
    line, error, mark = struct.unpack("<HBB", reply)
    if (mark == 0x80) != (error != 0) or mark not in (0, 0x80):
        raise BadPmac(f"the reply to WRITEBUFFER says error {error} and mark {mark:#x}, which do not go together")
    return WriteResult(line, error)


class PmacReply(NamedTuple):
    """The answer to a command.

    Attributes:
        lines: What it says, without ends of lines.
        error: Its ERR code; 0 for none.
    """

    lines: tuple[str, ...]
    error: int = 0

    @property
    def words(self) -> str:
        """What is wrong, in words; "" for nothing."""
        return error_words(self.error) if self.error else ""


def reply_of(data: bytes) -> PmacReply | None:
    """A whole answer (I3=2, I6=1), or None where its end has not come yet.

    Raises:
        BadPmac: Something follows its end.
    """
    error = _ERROR.search(data)
    if error is not None and (data.endswith(b"\r") or not error.group(1)):
        code = int(error.group(1)) if error.group(1) else _UNKNOWN_ERROR
        return PmacReply(_lines(data[: error.start()]), code)
    end = data.find(ACK)
    if end < 0:
        return None
    if end != len(data) - 1:
        raise BadPmac(f"{len(data) - 1 - end} bytes follow the end of an answer: {data[end + 1 :][:40]!r}")
    return PmacReply(_lines(data[:end]))


class ReplyDecoder:
    """Puts an answer together from pieces."""

    def __init__(self, longest: int = 1_000_000) -> None:
        self._data, self._longest = bytearray(), longest

    @property
    def waiting(self) -> bool:
        """Whether a part of an answer has come."""
        return bool(self._data)

    def feed(self, data: bytes) -> PmacReply | None:
        """The answer, where it is whole with these bytes.

        Raises:
            BadPmac: It is no answer, or has no end. What has come is dropped.
        """
        self._data += data.rstrip(b"\0")  # GETBUFFER says that nothing waits
        try:
            reply = reply_of(bytes(self._data))
            if reply is None and len(self._data) > self._longest:
                raise BadPmac(f"an answer of more than {self._longest} bytes has no end")
        except BadPmac:
            self._data.clear()
            raise
        if reply is not None:
            self._data.clear()
        return reply


class RequestDecoder:
    """Reads requests from bytes that come in pieces of any size (the controller's side)."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[PmacRequest]:
        """The requests that are whole with these bytes.

        Raises:
            BadPmac: What comes is no request.
        """
        self._buffer += data
        requests: list[PmacRequest] = []
        begin = 0
        while len(self._buffer) - begin >= _HEAD.size:
            kind, request, value, word, length = _HEAD.unpack_from(self._buffer, begin)
            if kind not in _TYPES or request not in _REQUESTS:
                raise BadPmac(f"a request begins with {kind:#04x} {request:#04x}, which is none that is known")
            size = length if kind == RequestType.DOWNLOAD else 0
            if size > LONGEST_DATA:
                raise BadPmac(f"a request claims {size} bytes; {LONGEST_DATA} is the most")
            end = begin + _HEAD.size + size
            if len(self._buffer) < end:
                break
            rest = bytes(self._buffer[begin + _HEAD.size : end])
            requests.append(PmacRequest(_TYPES[kind], _REQUESTS[request], value, word, length, rest))
            begin = end
        del self._buffer[:begin]
        return requests


def _download(request: Request, data: bytes) -> bytes:
    return PmacRequest(RequestType.DOWNLOAD, request, length=len(data), data=data).encode()


def _characters(command: str) -> bytes:
    if len(command) > LONGEST_COMMAND:
        raise BadPmac(f"a command of {len(command)} characters; {LONGEST_COMMAND} is the most: {command[:40]}...")
    if not command.isascii() or "\0" in command:
        raise BadPmac(f"a command with characters that PMAC does not take: {command!r}")
    return command.encode("ascii")


def _control(character: str) -> int:
    """Of "K" or "^K" or the character itself."""
    code = ord(character[-1].upper()) & 0x1F if character.lstrip("^").isalpha() else ord(character)
    if not 0 < code < 32:
        raise BadPmac(f"{character!r} is no control character; write it as ^K")
    return code


def _lines(data: bytes) -> tuple[str, ...]:
    text = data.decode("latin-1").replace("\n", "")
    return tuple(line.rstrip() for line in text.split("\r")[:-1]) if "\r" in text else ((text,) if text else ())
