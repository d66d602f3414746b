"""The bus that emulated drives are on: a socketcand server on this machine alone, or a real or virtual bus of the kernel's.

python-can's own `virtual` bus does not leave its process. Over socketcand's text protocol any program with python-can reaches
these drives (`interface = "socketcand"`), and sees what all others send, as on a real bus.
"""

import selectors
import socket
import time
from importlib import import_module
from typing import Any, Protocol

from armillary.errors import ArmillaryError
from armillary.protocols.socketcand import BUS_OFF, CanFrame, SocketcandDecoder, write_error, write_frame

__all__ = ["BusUnavailable", "Gateway", "KernelBus", "Wire"]

_PLUGS_IN = 0.05  # s: python-can takes a frame right behind the last < ok > for a refusal


class BusUnavailable(ArmillaryError):
    """A bus that is not there."""


class Wire(Protocol):
    """A bus as the drives see it."""

    def send(self, frame: CanFrame) -> None: ...

    def receive(self, timeout: float) -> list[CanFrame]:
        """What came, waited for so long at most [s]."""

    def close(self) -> None: ...


class _Client:
    def __init__(self, wire: socket.socket) -> None:
        self.wire, self.decoder, self.raw = wire, SocketcandDecoder(), False
        self.listens, self.kept = 0.0, b""  # when frames are passed on to it [s], and those that wait for that


class Gateway:
    """A socketcand server. All clients and the drives are on one bus.

    Attributes:
        port: That it listens on. off: The bus is off: nothing is passed on any more.
    """

    def __init__(self, port: int = 0) -> None:
        """Raises:
        BusUnavailable: The port is taken.
        """
        self._listener = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._listener.bind(("127.0.0.1", port))
        except OSError as error:
            self._listener.close()
            raise BusUnavailable(f"port {port} cannot be listened on: {error.strerror}; name another, or 0 for any") from None
        self._listener.listen()
        self._listener.setblocking(False)
        self.port: int = self._listener.getsockname()[1]
        self.off = False
        self._clients: dict[socket.socket, _Client] = {}
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)

    def send(self, frame: CanFrame) -> None:
        if not self.off:
            self._say(write_frame(frame, time.time()), None)

    def receive(self, timeout: float) -> list[CanFrame]:
        frames: list[CanFrame] = []
        self._pass_on_what_waited()
        for key, _ in self._selector.select(max(timeout, 0.0)):
            if key.fileobj is self._listener:
                self._accept()
            elif isinstance(key.fileobj, socket.socket) and key.fileobj in self._clients:  # it may have gone just now
                frames += self._hear(self._clients[key.fileobj])
        return frames

    def _pass_on_what_waited(self) -> None:
        now = time.monotonic()
        for wire, client in [*self._clients.items()]:
            if client.listens and now >= client.listens:
                kept, client.listens, client.kept = client.kept, 0.0, b""
                self._tell(wire, kept)

    def go_off(self) -> None:
        """Too many errors: every controller leaves the bus, and says so."""
        self._say(write_error(BUS_OFF, time.time()), None)
        self.off = True

    def close(self) -> None:
        for wire in [*self._clients]:
            self._forget(wire)
        self._selector.close()
        self._listener.close()

    def _accept(self) -> None:
        wire, _ = self._listener.accept()
        wire.setblocking(False)
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._clients[wire] = _Client(wire)
        self._selector.register(wire, selectors.EVENT_READ)
        self._tell(wire, b"< hi >")

    def _hear(self, client: _Client) -> list[CanFrame]:
        try:
            data = client.wire.recv(65536)
        except BlockingIOError:
            return []
        except OSError:
            data = b""
        if not data:
            self._forget(client.wire)
            return []
        frames: list[CanFrame] = []
        for said in client.decoder.feed(data):
            if isinstance(said, CanFrame):
                if client.raw and not self.off:
                    frames.append(said)
                    self._say(write_frame(said, time.time()), client.wire)
            else:
                if said == "rawmode" and not client.raw:
                    client.raw, client.listens = True, time.monotonic() + _PLUGS_IN
                self._tell(client.wire, b"< ok >")
        return frames

    def _say(self, data: bytes, but: socket.socket | None) -> None:
        for wire, client in [*self._clients.items()]:
            if client.raw and wire is not but:
                if client.listens:
                    client.kept += data
                else:
                    self._tell(wire, data)

    def _tell(self, wire: socket.socket, data: bytes) -> None:
        try:
            wire.sendall(data)
        except OSError:  # it is gone, or reads nothing any more: on a bus nobody waits for it
            self._forget(wire)

    def _forget(self, wire: socket.socket) -> None:
        if self._clients.pop(wire, None) is not None:
            self._selector.unregister(wire)
            wire.close()


class KernelBus:
    """A bus of python-can's, such as the kernel's `vcan0`."""

    def __init__(self, interface: str, channel: str) -> None:
        """Raises:
        BusUnavailable: It is not there, or python-can is not.
        """
        can: Any = import_module("can")
        self._message = can.Message
        try:
            self._bus = can.Bus(interface=interface, channel=channel)
        except (can.CanError, OSError, ValueError) as error:
            raise BusUnavailable(f"there is no bus {channel} of {interface}: {error}") from None

    def send(self, frame: CanFrame) -> None:
        self._bus.send(self._message(arbitration_id=frame.id, data=frame.data, is_extended_id=False))

    def receive(self, timeout: float) -> list[CanFrame]:
        frames: list[CanFrame] = []
        message = self._bus.recv(max(timeout, 0.0))
        while message is not None and len(frames) < 1000:
            if not (message.is_error_frame or message.is_remote_frame or message.is_extended_id):
                frames.append(CanFrame(message.arbitration_id, bytes(message.data)))
            message = self._bus.recv(0.0)
        return frames

    def close(self) -> None:
        self._bus.shutdown()
