"""A TCP link between a driver and its motor side that spoils or delays what the motor side answers."""

import contextlib
import random
import select
import socket
import threading
import time

__all__ = ["NoisyLink"]


class NoisyLink:
    """Attributes:
    port: Where the driver is to connect.
    spoil: Share of the answers' bytes that become others. delay: Of every answer [s].
    spoilt, delayed: How many bytes and answers that were.
    """

    def __init__(self, to: int) -> None:
        self.spoil, self.delay, self.spoilt, self.delayed = 0.0, 0.0, 0, 0
        self._to, self._random = to, random.Random(to)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def well(self) -> None:
        self.spoil = self.delay = 0.0

    def close(self) -> None:
        self._listening.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                driver, _ = self._listening.accept()
                threading.Thread(target=self._hand_on, args=(driver,), daemon=True).start()

    def _hand_on(self, driver: socket.socket) -> None:
        with driver, contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self._to)) as motors:
            for each in (driver, motors):
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while True:
                for one in select.select([driver, motors], [], [], 0.5)[0]:
                    data = one.recv(65536)
                    if not data:
                        return
                    if one is driver:
                        motors.sendall(data)
                    else:
                        driver.sendall(self._answer(data))

    def _answer(self, data: bytes) -> bytes:
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
