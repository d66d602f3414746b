"""A program of statements with branches and loops: a motion program or a PLC program."""

from collections.abc import Callable

from armillary.emulators.pmac.expression import Variables
from armillary.emulators.pmac.refusal import Code, Refusal
from armillary.emulators.pmac.statement import Kind, Line, Statement

__all__ = ["MOST_AT_ONCE", "Program"]

MOST_AT_ONCE = 5000  # statements of one scan: a loop that never ends must not stop the controller

Act = Callable[[Statement], None]


class Program:
    """Lines, and where each branch of theirs leads.

    Attributes:
        lines: As they were sent.
        room: Words of memory that it may take.
    """

    def __init__(self, room: int = 100_000) -> None:
        self.lines: list[Line] = []
        self.room = room
        self._flat: list[Statement] = []
        self._jumps: dict[int, int] = {}

    def add(self, line: Line) -> None:
        """Put a line behind the others.

        Raises:
            Refusal: There is no room for it.
        """
        if line.words > self.room:
            raise Refusal(Code.NO_ROOM)
        self.room -= line.words
        self.lines.append(line)

    def clear(self) -> None:
        self.room += sum(line.words for line in self.lines)
        self.lines.clear()

    def link(self) -> None:
        """Find the end of each branch.

        Raises:
            Refusal: One has none.
        """
        self._flat = []
        for line in self.lines:
            self._flat += line.statements
            self._flat += [Statement(Kind.ENDIF)] * sum(statement.whole_line for statement in line.statements)
        self._jumps = {}
        open_blocks: list[int] = []
        for at, statement in enumerate(self._flat):
            if statement.kind in (Kind.IF, Kind.WHILE):
                open_blocks.append(at)
            elif statement.kind in (Kind.ELSE, Kind.ENDIF, Kind.ENDWHILE):
                self._close_block(open_blocks, at, statement.kind)
        if open_blocks:
            raise Refusal(Code.STRUCTURE)

    def _close_block(self, open_blocks: list[int], at: int, kind: Kind) -> None:
        if not open_blocks:
            raise Refusal(Code.STRUCTURE)
        begin = open_blocks.pop()
        if (self._flat[begin].kind == Kind.WHILE) != (kind == Kind.ENDWHILE):
            raise Refusal(Code.STRUCTURE)
        self._jumps[begin] = at + 1
        if kind == Kind.ENDWHILE:
            self._jumps[at] = begin
        elif kind == Kind.ELSE:
            open_blocks.append(at)

    def run(self, at: int, variables: Variables, act: Act, wanted: Callable[[Statement], bool]) -> tuple[int, Statement | None]:
        """Go on from a statement until one is wanted.

        Args:
            at: Where to go on.
            act: Does what is no branch and is not wanted.
            wanted: Whether to stop behind a statement, and return it.

        Returns:
            Where to go on next, and the statement; None at the end, and where it went on for too long or came to the end of a
            loop's round (PMAC does the next round in the next scan).
        """
        for _ in range(MOST_AT_ONCE):
            if at >= len(self._flat):
                return at, None
            statement = self._flat[at]
            if wanted(statement):
                return at + 1, statement
            if statement.kind in (Kind.IF, Kind.WHILE):
                assert statement.test is not None
                at = at + 1 if statement.test(variables) else self._jumps[at]
            elif statement.kind == Kind.ELSE:
                at = self._jumps[at]
            elif statement.kind == Kind.ENDWHILE:
                return self._jumps[at], None
            else:
                if statement.kind != Kind.ENDIF:
                    act(statement)
                at += 1
        return at, None

    def ended(self, at: int) -> bool:
        return at >= len(self._flat)
