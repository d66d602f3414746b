"""A line of G-code without blanks and case, with the comments set apart and the column of every character kept."""

import re
from dataclasses import dataclass

from armillary.programs.gcode.errors import LineFault

__all__ = ["CleanLine", "clean"]

_PIECE = re.compile(r"[^ \t\r\n\0(;]+|[(;]")


@dataclass(frozen=True, slots=True)
class CleanLine:
    """What is left of a line. text ends with a newline, so that looking at the next character is always possible.

    comments: what stood in parentheses, in order; columns: of each character of text in the line as written.
    """

    text: str
    columns: tuple[int, ...]
    comments: tuple[str, ...]


def clean(line: str) -> CleanLine:
    """The line without blanks, in lower case; comments apart.

    Raises:
        LineFault: A comment is not closed, or one is inside another.
    """
    pieces: list[str] = []
    columns: list[int] = []
    comments: list[str] = []
    found = _PIECE.search(line)
    while found is not None and found[0] != ";":
        start, end = found.span()
        if found[0] == "(":
            end = _end_of_comment(line, start)
            comments.append(line[start + 1 : end - 1])
        else:
            pieces.append(found[0].lower() if found[0].isascii() else _lower(found[0]))
            columns.extend(range(start, end))
        found = _PIECE.search(line, end)
    return CleanLine("".join(pieces) + "\n", (*columns, len(line.rstrip())), tuple(comments))


def _end_of_comment(line: str, start: int) -> int:
    end, inner = line.find(")", start), line.find("(", start + 1)
    if end < 0:
        raise LineFault("the comment is not closed", "write ) at its end", start)
    if 0 <= inner < end:
        raise LineFault("a comment stands inside a comment", "remove the second (", inner)
    return end + 1


def _lower(text: str) -> str:
    """In lower case, character by character, as others than ASCII may become two."""
    return "".join(character.lower() if character.isascii() else character for character in text)
