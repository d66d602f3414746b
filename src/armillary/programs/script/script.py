"""A script: the statements of a text, read when they are asked for."""

import re
from collections.abc import Iterator
from functools import cached_property

from armillary.programs.script.collection import collection_put_off
from armillary.programs.script.errors import BadScript, Fault, Problem
from armillary.programs.script.parser import read_flat, read_statements
from armillary.programs.script.statements import Statement

__all__ = ["LONG", "Script", "parse"]

LONG = 20_000  # lines; a longer text without blocks and jumps is read while it runs
_WORDS = ("IF", "FOR", "WHILE", "SUB", "END", "ELSE", "LABEL", "GOTO", "CALL", "RETURN")
_STRUCTURE = re.compile(rf"^\s*(?:\w+\s+)?(?:{'|'.join(_WORDS)})\b", re.I | re.M)


class Script:
    """A program of robot commands. Two are equal where their statements are, wherever these stand.

    Attributes:
        file: Where it comes from, for messages.
        lines: The text.
        is_long: It is read while it runs: it is longer than `LONG` lines and has no blocks and no jumps.
    """

    def __init__(self, text: str, file: str = "") -> None:
        clean = text.removeprefix("\ufeff")
        if "\r" in clean:
            clean = clean.replace("\r\n", "\n").replace("\r", "\n")
        self.file, self.lines = file, clean.split("\n")
        self.is_long = len(self.lines) > LONG and not _has_structure(clean)

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """All statements, with comments and empty lines.

        Raises:
            BadScript: Something in it cannot be read; it has all that was found.
        """
        with collection_put_off():
            statements, faults = read_statements(self.lines)
        if faults:
            raise self.error(*faults)
        return statements

    def flat(self, start_line: int = 0) -> Iterator[Statement]:
        """The statements of a long script, one at a time.

        Raises:
            BadScript: The next one cannot be read.
        """
        try:
            yield from read_flat(self.lines, max(start_line - 1, 0))
        except Fault as fault:
            raise self.error(fault) from None

    def error(self, *faults: Fault) -> BadScript:
        """What is wrong, with file and text."""
        problems = [Problem(*fault.at, self._text(fault.at[0]), fault.what, fault.advice) for fault in faults]
        return BadScript(self.file, sorted(problems, key=lambda problem: (problem.line, problem.column)))

    def _text(self, line: int) -> str:
        return self.lines[line - 1] if 0 < line <= len(self.lines) else ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Script) and self.statements == other.statements

    def __hash__(self) -> int:
        return hash(self.statements)

    def __repr__(self) -> str:
        return f"Script({self.file!r}, {len(self.lines)} lines)"


def _has_structure(text: str) -> bool:
    """Whether a text has blocks, jumps or calls."""
    upper = text.upper()  # a word that is nowhere is found out much faster than where a line begins with it
    return any(word in upper for word in _WORDS) and _STRUCTURE.search(text) is not None


def parse(text: str, file: str = "") -> Script:
    """The script of a text.

    Raises:
        BadScript: It cannot be read: file, line, column, what was expected, all problems at once. A text that is long (`LONG`)
            and has no blocks and no jumps is read while it runs; `check` reads it all at once.
    """
    script = Script(text, file)
    if not script.is_long:
        _ = script.statements
    return script
