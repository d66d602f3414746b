"""A serial line between a driver and its boards that spoils or delays frames, and can be unplugged."""

import contextlib
import os
import select
import threading
import time
from pathlib import Path

from armillary.emulators.servo_boards import Terminal
from tests.drivers.contract.noisy_link import NoisyLink

__all__ = ["SerialLink"]

_LOOK = 0.001  # s


class SerialLink(NoisyLink):
    """Attributes:
    port: That the driver is to open. The boards' own is open while the driver has it open.
    stalled: Nothing is taken from the driver.
    """

    def __init__(self, folder: Path, to: Path) -> None:
        super().__init__(1)
        self.port, self._to, self._boards = folder / "link", to, -1
        self.stalled = False
        self._terminal: Terminal | None = Terminal(self.port)
        self._lock, self._closed = threading.Lock(), threading.Event()
        threading.Thread(target=self._hand_on, daemon=True).start()

    def mend(self) -> None:
        super().mend()
        with self._lock:
            if self._terminal is None:
                self._terminal = Terminal(self.port)

    def close(self) -> None:
        self._closed.set()
        self._end()

    def _end(self) -> None:
        with self._lock:
            if self._terminal is not None:
                self._terminal.close()
            if self._boards >= 0:
                os.close(self._boards)
            self._terminal, self._boards = None, -1

    def _hand_on(self) -> None:
        while not self._closed.is_set():
            time.sleep(_LOOK)
            with self._lock:
                data = self._read()
            if data and self._passes():
                noisy = self._noisy(data)
                with self._lock, contextlib.suppress(OSError):
                    if self._boards >= 0:
                        os.write(self._boards, noisy)

    def _read(self) -> bytes:
        if self._terminal is None or self.stalled or (self._boards >= 0 and not select.select([], [self._boards], [], 0)[1]):
            return b""  # the boards take nothing: neither does the line
        data = self._terminal.read()
        if self._terminal.open and self._boards < 0:
            self._boards = os.open(self._to, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        elif not self._terminal.open and self._boards >= 0:
            os.close(self._boards)
            self._boards = -1
        return data
