"""Lines that are typed at the pendant: one session a language, shared by all browsers as the robot is."""

import threading
from collections.abc import Callable

from armillary.cell import Cell
from armillary.cell.mdi import TypedLines
from armillary.cell.program_run import ProgramRun
from armillary.runtime import Refused

__all__ = ["MdiSessions"]


class MdiSessions:
    """Typed lines, one at a time."""

    def __init__(self, cell: Cell) -> None:
        self._cell, self._one = cell, threading.Lock()
        self._sessions: dict[str, TypedLines] = {}

    @property
    def busy(self) -> bool:
        """Whether a line is being run."""
        return self._one.locked()

    def run(self, language: str, line: str, begins: Callable[[ProgramRun], None], *, held: bool = False) -> ProgramRun:
        """Run a line, and wait until it is done; what it sets stays for the next.

        Args:
            language: "gcode" or "script".
            begins: Told of the run before it begins.
            held: It moves only while somebody holds it to run.

        Raises:
            Refused: The line before is still being run.
            ArmillaryError: It cannot be done; says why.
        """
        if not self._one.acquire(blocking=False):
            raise Refused("the line that was typed before is still being run; wait for it, or stop it")
        try:
            if language not in self._sessions:
                self._sessions[language] = self._cell.typed_lines(language)
            return self._sessions[language].run(line, begins=begins, held=held)
        finally:
            self._one.release()

    def forget(self) -> None:
        """Begin anew: a program is run, and what it sets for good must not be overwritten by what was known before.

        Raises:
            Refused: A line is being run.
        """
        if not self._one.acquire(blocking=False):
            raise Refused("a line that was typed is still being run; wait for it, or stop it")
        try:
            self._sessions.clear()
        finally:
            self._one.release()
