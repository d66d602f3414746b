"""A link between a driver and its motor side that spoils or delays what is said on it, and can be cut; both ends live on."""

import contextlib
import random
import select
import socket
import threading
import time
from abc import ABC, abstractmethod

__all__ = ["NoisyLink", "TcpLink"]

_LATEST = 0.5  # s between looks at whether it was closed


class NoisyLink(ABC):
    """Attributes:
    spoil: Share of the bytes that become others. delay: Of all that is said [s].
    spoilt, delayed: How many bytes and pieces that were.
    """

    def __init__(self, seed: int) -> None:
        self.spoil, self.delay, self.spoilt, self.delayed = 0.0, 0.0, 0, 0
        self._random, self._left, self._is_cut = random.Random(seed), -1, threading.Event()

    def cut(self) -> None:
        """End what is connected; nothing connects until it is mended."""
        self._is_cut.set()
        self._end()

    def cut_after(self, pieces: int) -> None:
        """Cut it when so many more pieces have passed, one way or the other."""
        self._left = pieces

    def mend(self) -> None:
        self._left = -1
        self._is_cut.clear()

    @abstractmethod
    def close(self) -> None: ...

    @abstractmethod
    def _end(self) -> None:
        """End what is connected."""

    def _passes(self) -> bool:
        """Whether one more piece may pass."""
        if self._left == 0:
            self.cut()
        self._left = max(self._left - 1, -1)
        return not self._is_cut.is_set()

    def _noisy(self, data: bytes) -> bytes:
        if self.delay > 0.0:
            self.delayed += 1
            time.sleep(self.delay)
        if self.spoil <= 0.0:
            return data
        bad = bytearray(data)
        for k in range(len(bad)):
            if self._random.random() < self.spoil:
                bad[k] ^= self._random.randrange(1, 256)
                self.spoilt += 1
        return bytes(bad)


class TcpLink(NoisyLink):
    """Attributes:
    port: Where the driver is to connect. What the motor side answers is spoilt and delayed.
    """

    def __init__(self, to: int) -> None:
        super().__init__(to)
        self._to, self._open = to, set[socket.socket]()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._end()

    def _end(self) -> None:
        for each in list(self._open):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                driver, _ = self._listening.accept()
                if self._is_cut.is_set():
                    driver.close()
                else:
                    threading.Thread(target=self._hand_on, args=(driver,), daemon=True).start()

    def _hand_on(self, driver: socket.socket) -> None:
        with driver, contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self._to)) as motors:
            both = {driver, motors}
            self._open |= both
            try:
                for each in both:
                    each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._pass_on(driver, motors)
            finally:
                self._open -= both

    def _pass_on(self, driver: socket.socket, motors: socket.socket) -> None:
        while True:
            for one in select.select([driver, motors], [], [], _LATEST)[0]:
                data = one.recv(65536)
                if not data or not self._passes():
                    return
                if one is driver:
                    motors.sendall(data)
                else:
                    driver.sendall(self._noisy(data))
