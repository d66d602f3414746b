"""The Ethernet connection to a PMAC: one request at a time, and answers that are never taken for another's.

Requests have no numbers. So an answer that does not come in time, or that is none, ends the connection: what comes later on it
can belong to nothing.
"""

import select
import socket
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from armillary.drivers.errors import DriverError
from armillary.protocols.pmac import BadPmac, PmacReply, ReplyDecoder, get_response, write_buffer, write_result

__all__ = ["PmacRefused", "PmacWire"]

_WRITTEN = 4  # bytes of an answer to WRITEBUFFER
_CONNECTS = 2.0  # s


class PmacRefused(DriverError):
    """The PMAC does not do what it was told.

    Attributes:
        code: The ERR code.
    """

    def __init__(self, command: str, code: int, words: str) -> None:
        self.code = code
        super().__init__(f"the PMAC refuses '{command[:60]}': {words}")


@dataclass(eq=False)
class _Exchange:
    """A request and its answer.

    Attributes:
        then: Called with the answer's lines, and the time at which the request was sent [s].
    """

    command: str
    request: bytes
    writes: bool
    then: Callable[[tuple[str, ...], float], None] | None
    sent: float = 0.0
    decoder: ReplyDecoder = field(default_factory=lambda: ReplyDecoder(longest=4000))
    bytes: bytearray = field(default_factory=bytearray)


class PmacWire:
    """A connection to a PMAC. Not for several threads.

    Attributes:
        closed: Nothing is sent or heard any more.
    """

    def __init__(self, host: str, port: int, answers: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Args:
        answers: In which an answer must come [s].

        Raises:
            DriverError: Nothing answers there.
        """
        self._where, self._answers, self._clock = f"{host}:{port}", answers, clock
        self._queue: deque[_Exchange] = deque()
        self._now: _Exchange | None = None
        self.closed, self._why = False, ""
        try:
            self._socket = socket.create_connection((host, port), _CONNECTS)
        except OSError as error:
            why = error.strerror or str(error)
            raise DriverError(
                f"no PMAC at {self._where}: {why}; check its power and cable, and the address under driver.options"
            ) from None
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.setblocking(False)

    @property
    def idle(self) -> bool:
        """Whether nothing waits for an answer, or to be sent."""
        return self._now is None and not self._queue

    def order(self, command: str, then: Callable[[tuple[str, ...], float], None] | None = None, *, first: bool = False) -> None:
        """Have a command sent; `first` before all others that wait."""
        exchange = _Exchange(command, get_response(command), False, then)
        if first:
            self._queue.appendleft(exchange)
        else:
            self._queue.append(exchange)

    def write(self, lines: list[str]) -> None:
        """Have lines written, as many as fit into one request."""
        self._queue.append(_Exchange(lines[-2] if len(lines) > 1 else lines[0], write_buffer(lines), True, None))

    def forget(self) -> None:
        """Send nothing of what waits."""
        self._queue.clear()

    def ask(self, command: str) -> tuple[str, ...]:
        """Send a command and wait for its answer, behind all that waits.

        Raises:
            PmacRefused: It is not done.
            DriverError: The connection is lost.
        """
        said: list[tuple[str, ...]] = []
        self.order(command, lambda lines, _: said.append(lines))
        self.settle()
        return said[0]

    def settle(self) -> None:
        """Wait until all that waits is done.

        Raises: As `ask`.
        """
        while not self.idle:
            self.pump(self._answers)

    def pump(self, patience: float) -> None:
        """Send what waits and take what has come, one by one, for no longer than `patience` [s].

        Raises:
            PmacRefused: A command is not done.
            DriverError: The connection is lost: closed, silent for too long, or what came is no answer.
        """
        until = self._clock() + patience
        while self._now is not None or self._queue:
            if self._now is None:
                self._send(self._queue.popleft())
            if not self._hear(max(until - self._clock(), 0.0)):
                return

    def close(self) -> None:
        self._queue.clear()
        self._now, self.closed = None, True
        self._socket.close()

    def _send(self, exchange: _Exchange) -> None:
        exchange.sent, self._now = self._clock(), exchange
        try:
            # A request is far smaller than what the system takes at once; one that does not fit means that nobody reads.
            if self._socket.send(exchange.request) != len(exchange.request):
                raise self._lost("it takes nothing any more")
        except OSError as error:
            raise self._lost(error.strerror or str(error)) from None

    def _hear(self, patience: float) -> bool:
        """Take what has come; whether the answer is whole."""
        exchange = self._now
        assert exchange is not None
        late = exchange.sent + self._answers - self._clock()
        try:
            if not select.select([self._socket], [], [], max(min(patience, late), 0.0))[0]:
                if late <= 0.0:
                    raise self._lost(f"no answer to '{exchange.command[:40]}' in {self._answers:g} s")
                return False
            data = self._socket.recv(65536)
        except (OSError, ValueError) as error:
            raise self._lost(getattr(error, "strerror", None) or str(error)) from None
        if not data:
            raise self._lost("it has closed the connection")
        try:
            return self._written(exchange, data) if exchange.writes else self._said(exchange, data)
        except BadPmac as error:
            raise self._lost(f"what it says is no answer ({error})") from None

    def _said(self, exchange: _Exchange, data: bytes) -> bool:
        reply: PmacReply | None = exchange.decoder.feed(data)
        if reply is None:
            return False
        self._now = None
        if reply.error:
            raise PmacRefused(exchange.command, reply.error, reply.words)
        if exchange.then is not None:
            exchange.then(reply.lines, exchange.sent)
        return True

    def _written(self, exchange: _Exchange, data: bytes) -> bool:
        exchange.bytes += data
        if len(exchange.bytes) < _WRITTEN:
            return False
        result = write_result(bytes(exchange.bytes))
        self._now = None
        if result.error:
            raise PmacRefused(exchange.command, result.error, result.words)
        return True

    def _lost(self, why: str) -> DriverError:
        self._why = self._why or why  # the first one: what follows comes of it
        self.close()
        return DriverError(f"the PMAC at {self._where} is lost: {self._why}; check its power and cable, then reset")
