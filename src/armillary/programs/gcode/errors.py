"""What can be wrong with a G-code program, said with file, line, column and a caret."""

from armillary.programs.errors import BadProgram, pointed_at

__all__ = ["BadGcode", "LineFault"]


class LineFault(Exception):
    """Something wrong inside one line, before file and line are known. Never leaves the package.

    Attributes:
        column: Where in the line, from 0; None for the line as a whole, until somebody knows better.
        letter: The word that is at fault, in lower case; "" for none.
    """

    def __init__(self, what: str, advice: str, column: int | None = None, *, letter: str = "") -> None:
        super().__init__(what)
        self.what, self.advice, self.column, self.letter = what, advice, column, letter


class BadGcode(BadProgram):
    """A G-code line that cannot be run; nothing of it has been done.

    Attributes:
        file, line, column: Where; line and column count from 1.
        text: The line as written.
        what, advice: What is wrong, and what to write.
    """

    def __init__(self, file: str, line: int, text: str, fault: LineFault) -> None:
        self.file, self.line, self.text = file, line, text
        first = len(text) - len(text.lstrip())
        self.column = 1 + (first if fault.column is None else fault.column)
        self.what, self.advice = fault.what, fault.advice
        where = f"{file or 'program'}:{line}:{self.column}"
        super().__init__(f"{where}: {fault.what}; {fault.advice}\n{pointed_at(text, self.column)}")
