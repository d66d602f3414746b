"""A relay between a browser and the pendant that can be cut: as when a cable is pulled, nobody is told."""

import contextlib
import select
import socket
import threading

__all__ = ["Relay"]


class Relay:
    """Listens on a port of its own and hands on to another.

    Attributes:
        port: Where it listens.
    """

    def __init__(self, to: int) -> None:
        self._to, self._cut, self._ended = to, threading.Event(), False
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """From now on nothing goes through; connections stay open."""
        self._cut.set()

    def mend(self) -> None:
        self._cut.clear()

    def close(self) -> None:
        self._ended = True
        self._listening.close()

    def _accept(self) -> None:
        while not self._ended:
            try:
                browser, _ = self._listening.accept()
                cell = socket.create_connection(("127.0.0.1", self._to))
            except OSError:
                return
            threading.Thread(target=self._hand_on, args=(browser, cell), daemon=True).start()

    def _hand_on(self, browser: socket.socket, cell: socket.socket) -> None:
        other = {browser: cell, cell: browser}
        with browser, cell, contextlib.suppress(OSError):
            while not self._ended:
                ready, _, _ = select.select(list(other), [], [], 0.02)
                if self._cut.is_set():
                    continue
                for one in ready:
                    data = one.recv(65536)
                    if not data:
                        return
                    other[one].sendall(data)
