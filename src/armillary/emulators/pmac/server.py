"""The controller behind TCP, on this machine alone.

Whatever comes, it answers as a unit does, or closes the connection where it cannot; the motors go on as they were told.
"""

import selectors
import socket
import time
from collections.abc import Callable

from armillary.emulators.pmac.machine import Machine
from armillary.emulators.pmac.online import OnlineCommands
from armillary.emulators.pmac.port import framed
from armillary.errors import ArmillaryError
from armillary.protocols.pmac import (
    ECHO,
    FIRST_LINE,
    LONGEST_REPLY,
    PORT,
    BadPmac,
    PmacRequest,
    Request,
    RequestDecoder,
    WriteResult,
    split_lines,
    write_reply,
)

__all__ = ["NoPort", "Server"]

_TICK = 0.01  # s: how often time passes while nothing is asked
_LONGEST_BREAK = 0.05  # s that this process may be kept waiting; its machine's time stands still for what is longer
_GONE = 1.0  # s: a client that takes nothing for so long is let go
_MOST_CONNECTIONS = 8
_NOTHING = b"\0"


class NoPort(ArmillaryError):
    """The port cannot be listened on."""


class _Connection:
    """One client.

    Attributes:
        waiting: What was answered and not fetched.
    """

    def __init__(self, wire: socket.socket) -> None:
        wire.settimeout(_GONE)
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket, self.decoder = wire, RequestDecoder()
        self.waiting = bytearray()

    def fetch(self, most: int) -> bytes:
        piece = bytes(self.waiting[:most])
        del self.waiting[:most]
        return piece or _NOTHING


class Server:
    """A machine behind a port.

    Attributes:
        port: That it listens on.
        machine: What it controls; touch it only from the thread that serves.
        requests: How many were answered.
    """

    def __init__(self, machine: Machine, *, port: int = PORT, clock: Callable[[], float] = time.monotonic) -> None:
        """Args:
        port: 0 for any that is free.

        Raises:
            NoPort: It is taken.
        """
        self.machine, self._clock = machine, clock
        self._online = OnlineCommands(machine)
        self._connections: dict[int, _Connection] = {}
        self._heard, self._due = clock(), machine.now
        self.requests = 0
        try:
            self._listener = socket.create_server(("127.0.0.1", port), backlog=4)
        except OSError as error:
            raise NoPort(f"the PMAC emulator cannot listen on port {port}: {error.strerror}; choose another, or 0") from None
        self._listener.setblocking(False)
        self.port = int(self._listener.getsockname()[1])
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)

    def serve(self, timeout: float = _TICK) -> None:
        """Wait for what comes next, for `timeout` at most, and do it."""
        for key, _ in self._selector.select(timeout):
            self._pass_time()
            if key.fileobj is self._listener:
                self._accept()
            elif key.fd in self._connections:
                self._hear(self._connections[key.fd])
        self._pass_time()

    def close(self) -> None:
        for connection in list(self._connections.values()):
            self._let_go(connection)
        self._selector.close()
        self._listener.close()

    def _pass_time(self) -> None:
        now = self._clock()
        self._due += min(now - self._heard, _LONGEST_BREAK)  # the machine's own time is in whole steps, and behind this
        self._heard = now
        self.machine.advance(self._due)

    def _accept(self) -> None:
        try:
            wire, _ = self._listener.accept()
        except OSError:
            return  # it went away again
        if len(self._connections) >= _MOST_CONNECTIONS:
            wire.close()
            return
        self._connections[wire.fileno()] = _Connection(wire)
        self._selector.register(wire, selectors.EVENT_READ)

    def _let_go(self, connection: _Connection) -> None:
        self._connections.pop(connection.socket.fileno(), None)
        self._selector.unregister(connection.socket)
        connection.socket.close()

    def _hear(self, connection: _Connection) -> None:
        try:
            data = connection.socket.recv(65536)
            if not data:
                self._let_go(connection)
                return
            for request in connection.decoder.feed(data):
                self.requests += 1
                connection.socket.sendall(self._answer(connection, request))
        except (OSError, BadPmac):
            self._let_go(connection)

    def _answer(self, connection: _Connection, request: PmacRequest) -> bytes:
        kind = request.request
        if kind == Request.GETBUFFER:
            return connection.fetch(min(request.length or LONGEST_REPLY, LONGEST_REPLY))
        if kind == Request.READREADY:
            return bytes([1 if connection.waiting else 0, 0])
        if kind == Request.WRITEBUFFER:
            return write_reply(self._write(split_lines(request.data)))
        if kind == Request.FLUSH:
            connection.waiting.clear()
            return ECHO
        if kind == Request.SENDCTRLCHAR:
            self._online.control(request.value)
            return ECHO
        if kind == Request.SENDLINE:
            connection.waiting += self._line(request.data)
            return ECHO
        connection.waiting.clear()
        if kind == Request.CTRL_RESPONSE:
            connection.waiting += self._framed(self._online.control(request.value))
        else:
            connection.waiting += self._line(request.data)
        return connection.fetch(LONGEST_REPLY)

    def _line(self, data: bytes) -> bytes:
        lines, code = self._online.answer(data.decode("latin-1"))
        i = self.machine.variables.i
        return framed(lines, code, i.get(3, 2.0), i.get(6, 1.0))

    def _framed(self, lines: list[str]) -> bytes:
        return framed(lines, None, self.machine.variables.i.get(3, 2.0), 1.0)

    def _write(self, lines: list[str]) -> WriteResult:
        for number, line in enumerate(lines, FIRST_LINE):
            _, code = self._online.answer(line)
            if code is not None:
                return WriteResult(number, int(code))
        return WriteResult(len(lines), 0)
