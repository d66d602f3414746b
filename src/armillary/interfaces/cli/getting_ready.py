"""The line that says why nothing happens yet: code is being compiled, the first time on a machine."""

import threading
import time

from armillary.compiling import on_compiling
from armillary.interfaces.cli.terminal import progress_done, waiting

__all__ = ["GettingReady", "say_when_compiling"]

_LONG = 1.0  # s of compiling that pass without a word
_AGAIN = 0.25  # s between two looks at the clock


class GettingReady:
    """Follows what is compiled, and says so once that takes longer than a moment."""

    def __init__(self) -> None:
        self._inside = 0  # functions that are being compiled, one for the sake of the other
        self._count, self._name = 0, ""
        self._since = self._spent = 0.0
        self._shown = False
        self._lock = threading.Lock()

    def told(self, name: str, begins: bool) -> None:
        """As `on_compiling` calls it."""
        with self._lock:
            now = time.monotonic()
            if begins:
                self._inside, self._count, self._name = self._inside + 1, self._count + 1, name
                if self._inside == 1:
                    self._since = now
                    threading.Thread(target=self._follow, name="getting ready", daemon=True).start()
                self._show()
                return
            self._inside -= 1
            if self._inside == 0:
                self._spent += now - self._since
                if self._shown:  # whatever is printed next begins on a line of its own
                    self._shown = False
                    progress_done()

    def _follow(self) -> None:
        """One function alone may take half a minute."""
        while True:
            time.sleep(_AGAIN)
            with self._lock:
                if self._inside == 0:
                    return
                self._show()

    def _show(self) -> None:
        seconds = self._spent + time.monotonic() - self._since
        if seconds > _LONG:
            self._shown = True
            what = f"{self._count} functions, now {self._name}, {seconds:.0f} s"
            try:
                waiting(f"getting ready: what is used for the first time on this machine is compiled ({what})")
            except OSError:
                pass  # nobody is listening; it is compiled all the same


_READY = GettingReady()
_said = False


def say_when_compiling() -> None:
    """Have the line from now on in this process; once is enough."""
    global _said
    if not _said:
        _said = True
        on_compiling(_READY.told)
