"""Our end of the line to LinuxCNC's display: what is asked of LinuxCNC, and what it says."""

import json
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from armillary.interfaces.linuxcnc.errors import LinuxcncProblem, LinuxcncSilent

__all__ = ["DisplayLink", "Finished"]


@dataclass(frozen=True)
class Finished:
    """How a program, or a line, has ended.

    Attributes:
        problem: In LinuxCNC's words, or "".
        line: Of the program, where it was.
    """

    problem: str
    line: int


class DisplayLink:
    """Listens for LinuxCNC's display, and speaks with it.

    Attributes:
        state: What LinuxCNC said last of itself: estop, on, homed, idle, line.
        messages: What it told its operator, newest last.
    """

    def __init__(self, path: Path) -> None:
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(str(path))
        self._server.listen(1)
        self._connection: socket.socket | None = None
        self._changed = threading.Condition()
        self.state: dict[str, Any] = {}
        self.messages: deque[str] = deque(maxlen=200)
        self.version = ""
        self._did: deque[dict[str, Any]] = deque(maxlen=50)
        self._finished: Finished | None = None
        self.gone = False
        threading.Thread(target=self._listen, name="linuxcnc display", daemon=True).start()

    @property
    def here(self) -> bool:
        """Whether the display has come."""
        return bool(self.version)

    def ask(self, what: str, *, patience: float = 60.0, alive: Callable[[], str] = lambda: "", **values: Any) -> None:
        """Have something done, and wait until it is.

        Args:
            alive: Says why waiting is of no use any more, or "".

        Raises:
            LinuxcncProblem: It is not done; says why in LinuxCNC's words.
        """
        with self._changed:
            self._did.clear()
        self.tell(what, **values)
        if not self.wait(lambda: any(did["do"] == what for did in self._did), patience, alive):
            raise LinuxcncSilent(f"LinuxCNC does not do '{what}' for {patience:g} s")
        problem = next(did["problem"] for did in self._did if did["do"] == what)
        if problem:
            raise LinuxcncProblem(str(problem))

    def tell(self, what: str, **values: Any) -> None:
        """Ask for something without waiting."""
        if self._connection is None or self.gone:
            raise LinuxcncProblem("LinuxCNC's display is not there")
        if what in ("run", "line"):
            self._finished = None
        try:
            self._connection.sendall((json.dumps({"do": what, **values}) + "\n").encode())
        except OSError as error:
            raise LinuxcncProblem(f"LinuxCNC's display is gone: {error.strerror}") from None

    @property
    def finished(self) -> Finished | None:
        """How the last program or line has ended; None while it runs."""
        return self._finished

    def wait(self, true: Callable[[], bool], patience: float, alive: Callable[[], str]) -> bool:
        """Wait for something to be so; False where it takes longer.

        Raises:
            LinuxcncProblem: It cannot become so any more.
        """
        end = time.monotonic() + patience
        while True:
            with self._changed:
                if true():
                    return True
                if time.monotonic() > end:
                    return False
                self._changed.wait(0.05)
            if why := alive():
                raise LinuxcncProblem(why)

    def close(self) -> None:
        """Have LinuxCNC end, in emergency stop."""
        connection = self._connection
        if connection is not None:
            try:
                connection.sendall(b'{"do": "end"}\n')
                connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass
        self._server.close()

    def _listen(self) -> None:
        try:
            connection, _ = self._server.accept()
            self._connection = connection
            with connection, connection.makefile("r") as lines:
                for line in lines:
                    self._heard(json.loads(line))
        except (OSError, ValueError):
            pass  # it is gone, whatever it was
        with self._changed:
            self.gone = True
            self._changed.notify_all()

    def _heard(self, said: dict[str, Any]) -> None:
        with self._changed:
            kind = said.pop("said")
            if kind == "here":
                self.version = str(said["version"])
            elif kind == "state":
                self.state = said
            elif kind == "message":
                self.messages.append(str(said["text"]))
            elif kind == "did":
                self._did.append(said)
            elif kind == "finished":
                self._finished = Finished(str(said["problem"]), int(said["line"]))
            self._changed.notify_all()
