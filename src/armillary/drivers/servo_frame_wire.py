"""A serial port that never waits: whole frames out, nothing in."""

import errno
import os
import select
from importlib import import_module
from typing import Any

from armillary.drivers.errors import DriverError

__all__ = ["ServoFrameWire"]


class ServoFrameWire:
    """A serial port that is ours alone.

    Attributes:
        sent: Frames that were handed to the system whole.
    """

    def __init__(self, port: str, baud: int) -> None:
        """Raises:
        DriverError: It cannot be opened, somebody else has it, or pyserial is not installed; says which and what to do.
        """
        try:
            serial: Any = import_module("serial")
        except ImportError:
            raise DriverError("the servo boards' driver needs pyserial; run: pip install 'armillary[serial]'") from None
        try:
            self._serial = serial.Serial(port, baud, timeout=0, write_timeout=0, exclusive=True)
        except (OSError, ValueError) as error:  # pyserial's own is an OSError
            raise DriverError(f"{port} cannot be opened: {_why_not(error)}") from None
        self._port, self._unsent, self.sent = port, b"", 0
        self._poll = select.poll()
        self._poll.register(self._serial.fileno(), select.POLLIN)

    @property
    def free(self) -> bool:
        """Whether all of the last frame was taken; a new one would only be old when its turn comes."""
        if self._unsent:
            self._push(b"")
        return not self._unsent

    def send(self, frame: bytes) -> None:
        """Send a frame; what the system does not take now goes with the next call.

        Raises:
            DriverError: The port is gone.
        """
        self._push(frame)
        self.sent += 1

    def look(self) -> None:
        """Throw away what comes, which is none of this protocol, and see that the port is still there.

        Raises:
            DriverError: It is gone.
        """
        for _, what in self._poll.poll(0):
            if what & (select.POLLHUP | select.POLLERR | select.POLLNVAL):
                raise self._lost("the other end has hung up")
            try:
                os.read(self._serial.fileno(), 4096)
            except BlockingIOError:
                pass
            except OSError as error:
                raise self._lost(error.strerror or str(error)) from None

    def close(self) -> None:
        try:
            self._serial.close()
        except OSError:
            pass  # it is gone already

    def _push(self, data: bytes) -> None:
        data = self._unsent + data
        try:
            # Not pyserial's write: without a timeout it goes round and round while the system takes nothing.
            taken = os.write(self._serial.fileno(), data) if data else 0
        except BlockingIOError:
            taken = 0
        except OSError as error:
            raise self._lost(error.strerror or str(error)) from None
        self._unsent = data[taken:]

    def _lost(self, why: str) -> DriverError:
        return DriverError(f"{self._port} is lost: {why}; check the cable and the boards' power, then reset")


def _why_not(error: Exception) -> str:
    number = error.errno if isinstance(error, OSError) else None
    if number in (errno.EAGAIN, errno.EBUSY):
        return "somebody else drives it; there can be one master only"
    if number == errno.ENOENT:
        return "there is no such port; plug the boards in, or name another under driver.options"
    if number == errno.EACCES:
        return "it is not yours to use; on most systems the group dialout may"
    return f"{os.strerror(number)}; is it a serial port?" if number else str(error)
