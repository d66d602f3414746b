"""The wires that live motion comes over: a TCP connection that is made again when it is lost, or a UDP port."""

import selectors
import socket
import time
from typing import Protocol

from armillary.imitation.errors import ImitationError

__all__ = ["TcpWire", "UdpWire", "Wire"]

_CONNECT = 2.0  # s to wait for a connection
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0  # s between tries, doubled each time
_SILENT = 5.0  # s without a byte behind which a connection is taken for dead
_CHUNK = 65_536
_AT_ONCE = 64  # datagrams


class Wire(Protocol):
    """Bytes from elsewhere.

    Attributes:
        datagrams: Whether what comes has edges.
        connected: Whether there is an other end, as far as can be known.
        error: Why not, in words; "" while it is.
    """

    datagrams: bool
    connected: bool
    error: str

    def read(self, timeout: float) -> tuple[bool, list[tuple[str, bytes]]]:
        """Whether a new connection was made, and what came within the time [s]: from whom, and the bytes."""
        ...

    def went_well(self) -> None:
        """What came made sense."""
        ...

    def close(self) -> None: ...


class TcpWire:
    """A connection to who broadcasts, made again with longer and longer pauses between tries."""

    datagrams = False

    def __init__(self, host: str, port: int) -> None:
        self.connected, self.error = False, "there is no connection yet"
        self._to, self._sender = (host, port), f"{host}:{port}"
        self._socket: socket.socket | None = None
        self._pause, self._again, self._heard = _FIRST_PAUSE, 0.0, 0.0

    def read(self, timeout: float) -> tuple[bool, list[tuple[str, bytes]]]:
        new = False
        if self._socket is None:
            wait = self._again - time.monotonic()
            if wait > 0.0:
                time.sleep(min(wait, timeout))
                return False, []
            if not self._connect():
                return False, []
            new = True
        assert self._socket is not None
        try:
            self._socket.settimeout(timeout)
            data = self._socket.recv(_CHUNK)
        except TimeoutError:
            if time.monotonic() - self._heard > _SILENT:
                self._lose(f"nothing came from {self._sender} for {_SILENT:g} s")
            return new, []
        except OSError as error:
            self._lose(f"the connection to {self._sender} broke: {error.strerror or error}")
            return new, []
        if not data:
            self._lose(f"{self._sender} ended the connection")
            return new, []
        self._heard = time.monotonic()
        return new, [(self._sender, data)]

    def went_well(self) -> None:
        self._pause = _FIRST_PAUSE

    def _connect(self) -> bool:
        try:
            self._socket = socket.create_connection(self._to, timeout=_CONNECT)
        except OSError as error:
            self._lose(f"{self._sender} takes no connection: {error.strerror or error}")
            return False
        self.connected, self.error, self._heard = True, "", time.monotonic()
        return True

    def _lose(self, words: str) -> None:
        self.close()
        self.error = words
        self._again = time.monotonic() + self._pause
        self._pause = min(2.0 * self._pause, _LONGEST_PAUSE)

    def close(self) -> None:
        self.connected = False
        if self._socket is not None:
            self._socket.close()
            self._socket = None


class UdpWire:
    """A port that anybody may send to."""

    datagrams = True

    def __init__(self, host: str, port: int) -> None:
        """Raises:
        ImitationError: The port cannot be had.
        """
        self.connected, self.error = False, f"nothing has come to port {port} yet"
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        try:
            self._socket.bind((host, port))
        except OSError as error:
            self._socket.close()
            raise ImitationError(
                f"UDP port {port} cannot be listened at: {error.strerror or error}; another program may have it: end that, or "
                "have the suit send to another port"
            ) from None
        self._socket.setblocking(False)
        self.port = int(self._socket.getsockname()[1])
        self._heard = -_SILENT
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._socket, selectors.EVENT_READ)

    def read(self, timeout: float) -> tuple[bool, list[tuple[str, bytes]]]:
        came: list[tuple[str, bytes]] = []
        if self._selector.select(timeout):
            while len(came) < _AT_ONCE:
                try:
                    data, address = self._socket.recvfrom(_CHUNK)
                except (BlockingIOError, ConnectionError):
                    break
                came.append((f"{address[0]}:{address[1]}", data))
        now = time.monotonic()
        if came:
            self._heard = now
            self.connected, self.error = True, ""
        elif self.connected and now - self._heard > 1.0:
            self.connected, self.error = False, f"nothing has come to port {self.port} for a second"
        return False, came

    def went_well(self) -> None:
        pass

    def close(self) -> None:
        self.connected = False
        self._selector.close()
        self._socket.close()
