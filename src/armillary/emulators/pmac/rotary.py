"""The rotary buffer: lines of a motion program that are sent while it runs, and forgotten once they are calculated."""

from collections import deque

from armillary.emulators.pmac.refusal import Code, Refusal
from armillary.emulators.pmac.statement import Kind, Line

__all__ = ["RotaryBuffer"]

_BRANCHES = frozenset({Kind.IF, Kind.ELSE, Kind.ENDIF, Kind.WHILE, Kind.ENDWHILE})


class RotaryBuffer:
    """Lines that wait.

    Attributes:
        size: Words of memory, one a value of a line.
        taken: Lines that were put in since it was made.
        calculated: Lines that were taken out of it to be calculated, since it was made.
    """

    def __init__(self, size: int) -> None:
        self.size, self._words, self._full = size, 0, False
        self._lines: deque[Line] = deque()
        self.taken = self.calculated = 0

    def __len__(self) -> int:
        """Lines ahead of what has been calculated: what PR reports."""
        return len(self._lines)

    @property
    def room(self) -> int:
        return self.size - self._words

    def add(self, line: Line) -> None:
        """Put a line behind the others.

        Raises:
            Refusal: There is no room for it, or it branches.
        """
        if any(statement.kind in _BRANCHES for statement in line.statements):
            raise Refusal(Code.SYNTAX)
        if line.words > self.room:
            raise Refusal(Code.NO_ROOM)
        self._words += line.words
        self._lines.append(line)
        self.taken += 1

    def next(self) -> Line | None:
        """The next line, which is calculated now; None where there is none."""
        if not self._lines:
            return None
        line = self._lines.popleft()
        self._words -= line.words
        self.calculated += 1
        return line

    def clear(self) -> None:
        self._lines.clear()
        self._words = 0

    def listing(self) -> list[str]:
        return [line.text for line in self._lines]

    def full(self, enough: float, few: float) -> bool:
        """Whether it asks for no more: from `enough` lines on (I17), until there are fewer than `few` (I16)."""
        if len(self._lines) >= enough:
            self._full = True
        elif len(self._lines) < few:
            self._full = False
        return self._full
