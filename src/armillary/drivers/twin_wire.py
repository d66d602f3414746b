"""One end of a connection to the twin: a socket that never waits, with frames on both sides."""

import select
import socket
from time import monotonic

from armillary.drivers.errors import DriverError
from armillary.protocols.twin import BadFrame, Decoder, Encoder, Frame

__all__ = ["LostLink", "TwinWire"]

_CHUNK = 65_536
_QUEUE = 65_536  # bytes that the system may hold back: what is older is of no use


class LostLink(DriverError):
    """The other end is gone, or what it says cannot be read. The connection is of no further use."""


class TwinWire:
    """Frames over a TCP connection, without waiting.

    Attributes:
        encoder: Writes the frames for `send`.
    """

    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _QUEUE)
        self.socket, self.encoder, self._decoder = connection, Encoder(), Decoder()
        self._unsent = b""

    @property
    def free(self) -> bool:
        """Whether all was sent; otherwise what does not matter should not be sent now."""
        if self._unsent:
            self.send(b"")
        return not self._unsent

    def send(self, data: bytes) -> None:
        """Send frames; what the system does not take now goes with the next.

        Raises:
            LostLink: The other end is gone, or has taken nothing for too long.
        """
        data = self._unsent + data
        try:
            sent = self.socket.send(data) if data else 0
        except BlockingIOError:
            sent = 0
        except OSError as error:
            raise LostLink(error.strerror or str(error)) from None
        self._unsent = data[sent:]
        if len(self._unsent) > 4 * _QUEUE:
            raise LostLink("the other end takes nothing any more")

    def receive(self) -> list[Frame]:
        """All frames that have come whole.

        Raises:
            LostLink: The other end is gone, or said what is no frame; says where.
        """
        frames: list[Frame] = []
        try:
            while True:
                data = self.socket.recv(_CHUNK)
                if not data:
                    if frames:
                        return frames  # what was said before the end counts; the end is found the next time
                    raise LostLink("the other end has closed it")
                frames += self._decoder.feed(data)
                if len(data) < _CHUNK:
                    return frames
        except BlockingIOError:
            return frames
        except BadFrame as error:
            raise LostLink(str(error)) from None
        except OSError as error:
            raise LostLink(error.strerror or str(error)) from None

    def finish(self, timeout: float) -> None:
        """Say that no more comes, and take what comes until the other end has read all: closing would reset it and lose that."""
        end = monotonic() + timeout
        try:
            self.socket.shutdown(socket.SHUT_WR)
            while (left := end - monotonic()) > 0.0 and select.select([self.socket], [], [], left)[0]:
                self.receive()
        except (LostLink, OSError):
            pass  # it is over

    def close(self) -> None:
        self.socket.close()
