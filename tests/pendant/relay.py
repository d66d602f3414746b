"""A relay between a browser and the pendant that can be cut: as when a cable is pulled, nobody is told."""

import contextlib
import multiprocessing
import select
import socket
import threading
import time
from typing import Any

__all__ = ["Relay"]


class Relay:
    """Listens on a port of its own and hands on to another, in a process of its own: the tests' own work does not slow it.

    Attributes:
        port: Where it listens.
    """

    def __init__(self, to: int) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._cut, told = spawn.Event(), spawn.Queue()
        self._process = spawn.Process(target=_serve, args=(to, self._cut, told), daemon=True)
        self._process.start()
        self.port = int(told.get(timeout=60.0))

    def cut(self) -> None:
        """From now on nothing goes through; connections stay open."""
        self._cut.set()

    def mend(self) -> None:
        self._cut.clear()

    def close(self) -> None:
        self._process.kill()
        self._process.join()


def _serve(to: int, cut: Any, told: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        told.put(listening.getsockname()[1])
        while True:
            browser, _ = listening.accept()
            with contextlib.suppress(OSError):
                cell = socket.create_connection(("127.0.0.1", to))
                threading.Thread(target=_hand_on, args=(browser, cell, cut), daemon=True).start()


def _hand_on(browser: socket.socket, cell: socket.socket, cut: Any) -> None:
    other = {browser: cell, cell: browser}
    for each in other:
        each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with browser, cell, contextlib.suppress(OSError):
        while True:
            ready, _, _ = select.select(list(other), [], [], 0.1)
            if cut.is_set():
                time.sleep(0.02)
                continue
            for one in ready:
                data = one.recv(65536)
                if not data:
                    return
                other[one].sendall(data)
