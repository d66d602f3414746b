"""A CAN bus with drives: frames in and out by python-can, their objects by canopen."""

import contextlib
import logging
import socket
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

from armillary.drivers.cia402_options import Cia402Options
from armillary.drivers.errors import DriverError
from armillary.protocols.cia402_pdo import NETWORK

__all__ = ["BUS_ERROR", "Cia402Bus"]

BUS_ERROR = -1  # the identifier under which error frames are handed over; their class is in four bytes
_ATTEMPTS = 3
_DRAINS = 0.01  # s in which a queue that is full has room again
_ANSWERS = 0.5  # s in which a drive answers when an object is asked for


class Cia402Bus:
    """A bus that is open.

    Attributes:
        lost: Why it cannot be used any more; "" while it can.
    """

    def __init__(self, options: Cia402Options, heard: Callable[[int, bytes], None]) -> None:
        """Args:
        heard: Called with identifier and data of every frame, in a thread of its own.

        Raises:
            DriverError: It cannot be opened, or canopen is not installed; says which and what to do.
        """
        try:
            canopen, self._can = import_module("canopen"), import_module("can")
        except ImportError:
            raise DriverError("drives on CAN need canopen and python-can; run: pip install 'armillary[canopen]'") from None
        self._options, self.lost = options, ""
        # Its complaints about messages that come in pieces are none.
        logging.getLogger("can.interfaces.socketcand.socketcand").setLevel(logging.CRITICAL)
        self._network: Any = canopen.Network()
        self._network.listeners.append(_Ear(heard, self._gone))
        self._errors = (self._can.CanError, import_module("canopen.sdo.exceptions").SdoError, OSError, RuntimeError, ValueError)
        self._connect()
        for number in options.nodes:
            node = self._network.add_node(number, canopen.ObjectDictionary())
            node.sdo.RESPONSE_TIMEOUT = _ANSWERS

    def _connect(self) -> None:
        options = self._options
        if options.interface == "socketcand":
            _knock(options.host, options.port)  # python-can would try again and again for ten seconds
            arguments: dict[str, Any] = {"host": options.host, "port": options.port, "tcp_tune": True}
        else:
            arguments = {"bitrate": options.bitrate}
        for attempt in range(_ATTEMPTS):
            try:
                if options.interface == "socketcand":
                    self._network.bus = self._socketcand(arguments)
                    self._network.connect()
                else:
                    self._network.connect(interface=options.interface, channel=options.channel, **arguments)
                return
            except (*self._errors, ImportError, NotImplementedError) as error:
                # python-can takes a frame that comes right behind socketcand's last < ok > for a refusal.
                if options.interface != "socketcand" or attempt == _ATTEMPTS - 1:
                    raise DriverError(
                        f"the CAN bus {options.bus} of {options.interface} cannot be opened: {error}; see that it is there and "
                        "up, or name another under driver.options"
                    ) from None

    def _socketcand(self, arguments: dict[str, Any]) -> Any:
        """A bus of socketcand. One that is cut off while it greets is left open by python-can: it is closed here."""
        kind: Any = import_module("can.interfaces.socketcand.socketcand").SocketCanDaemonBus
        bus = kind.__new__(kind)
        try:
            bus.__init__(channel=self._options.channel, **arguments)
        except BaseException:
            wire = getattr(bus, "_SocketCanDaemonBus__socket", None)
            if wire is not None:
                wire.close()
            raise
        return bus

    def send(self, identifier: int, data: bytes) -> None:
        """Send a frame.

        Raises:
            DriverError: The bus is gone.
        """
        try:
            self._send(identifier, data)
        except self._errors as error:
            self._gone(error)
            with contextlib.suppress(Exception):  # python-can hears nothing of an end that hung up, again and again
                self._network.notifier.stop(0.0)
            raise DriverError(self.lost) from None

    def _send(self, identifier: int, data: bytes) -> None:
        until = time.monotonic() + _DRAINS
        while True:
            try:
                self._network.send_message(identifier, data)
                return
            except self._can.CanOperationError as error:  # the kernel's queue is full: ten frames by default
                if "buffer" not in str(error).lower() or time.monotonic() > until:
                    raise
            time.sleep(0.0002)

    def order(self, command: int, node: int) -> None:
        """An order of the network's master: 1 operational, 2 stopped, 128 pre-operational, 129 reset."""
        self.send(NETWORK, bytes([command, node]))

    def read(self, node: int, index: int, sub: int = 0) -> bytes:
        """The bytes of an object.

        Raises:
            DriverError: The drive refuses, or does not answer.
        """
        try:
            return bytes(self._network[node].sdo.upload(index, sub))
        except self._errors as error:
            raise self._refused(node, index, sub, error) from None

    def write(self, node: int, index: int, sub: int, value: int, size: int, *, must: bool = True) -> None:
        """Write a whole number into an object. must: It is an error where the drive has no such object.

        Raises:
            DriverError: The drive refuses, or does not answer.
        """
        try:
            self._network[node].sdo.download(index, sub, value.to_bytes(size, "little", signed=value < 0))
        except (*self._errors, OverflowError) as error:
            if must or getattr(error, "code", None) is None:  # without a code nobody answered
                raise self._refused(node, index, sub, error) from None

    def close(self) -> None:
        network = self._network
        with contextlib.suppress(Exception):  # whatever its thread ended with, it is over
            network.disconnect()
        if network.bus is not None:
            with contextlib.suppress(Exception):
                network.bus.shutdown()

    def _refused(self, node: int, index: int, sub: int, error: Exception) -> DriverError:
        if getattr(error, "code", None) is None:
            return DriverError(
                f"node {node} does not answer on {self._options.bus}; check its number, bit rate, cable and supply"
            )
        return DriverError(f"node {node} refuses its object {index:04X}h:{sub}: {error}; compare it with the drive's EDS file")

    def _gone(self, error: Exception) -> None:
        said = str(error).strip().splitlines()
        why = said[0] if said else type(error).__name__
        self.lost = self.lost or f"the CAN bus {self._options.bus} is lost: {why}; check it and its adapter, then reset"


class _Ear:
    """Listens for python-can, whose thread must not end with a traceback when the bus does."""

    def __init__(self, heard: Callable[[int, bytes], None], gone: Callable[[Exception], None]) -> None:
        self._heard, self._gone = heard, gone

    def __call__(self, message: Any) -> None:
        if message.is_error_frame:
            self._heard(BUS_ERROR, int(message.arbitration_id).to_bytes(4, "little"))
        elif not message.is_remote_frame and not message.is_extended_id:
            self._heard(message.arbitration_id, bytes(message.data))

    def on_error(self, error: Exception) -> None:
        self._gone(error)


def _knock(host: str, port: int) -> None:
    try:
        with socket.create_connection((host, port), 2.0) as wire:
            wire.settimeout(2.0)
            if wire.recv(16) != b"< hi >":
                raise DriverError(f"what listens at {host}:{port} is no socketcand server")
    except OSError as error:
        raise DriverError(
            f"nobody listens at {host}:{port} ({error.strerror or error}); start socketcand there, or: armillary emulate cia402"
        ) from None
