"""Messages on a stream of bytes: each with its length in front. For sockets of this machine."""

import asyncio
import socket
import struct

from armillary.runtime.errors import BadChannel
from armillary.runtime.message import Message

__all__ = ["MOST", "Receiver", "receive", "send", "tell"]

_LENGTH = struct.Struct("<I")
_FULL = 1 << 20  # bytes that wait for one who does not read
MOST = 1 << 24  # bytes of a message


async def receive(reader: asyncio.StreamReader) -> Message | None:
    """The next message, or None at the end.

    Raises:
        BadChannel: It is no message, or too long.
    """
    try:
        (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
        if length > MOST:
            raise BadChannel(f"a message of {length} bytes; {MOST} are the most")
        return Message.decode(await reader.readexactly(length))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


async def send(writer: asyncio.StreamWriter, message: Message) -> None:
    data = message.encode()
    writer.write(_LENGTH.pack(len(data)) + data)
    await writer.drain()


def tell(writer: asyncio.StreamWriter, message: Message) -> None:
    """Send without waiting; to one that does not read it is not sent at all."""
    if writer.transport.get_write_buffer_size() < _FULL and not writer.is_closing():
        data = message.encode()
        writer.write(_LENGTH.pack(len(data)) + data)


class Receiver:
    """Messages from a socket that is waited for."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection, self._bytes = connection, bytearray()

    def receive(self) -> Message | None:
        """The next message; None when the other side is gone."""
        while True:
            if len(self._bytes) >= _LENGTH.size:
                (length,) = _LENGTH.unpack_from(self._bytes, 0)
                if length > MOST:
                    raise BadChannel(f"a message of {length} bytes; {MOST} are the most")
                if len(self._bytes) >= _LENGTH.size + length:
                    data = bytes(self._bytes[_LENGTH.size : _LENGTH.size + length])
                    del self._bytes[: _LENGTH.size + length]
                    return Message.decode(data)
            try:
                more = self._connection.recv(1 << 16)
            except OSError:
                return None
            if not more:
                return None
            self._bytes += more

    def send(self, message: Message) -> None:
        data = message.encode()
        self._connection.sendall(_LENGTH.pack(len(data)) + data)
