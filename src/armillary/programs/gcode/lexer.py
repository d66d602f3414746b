"""A line of G-code without blanks and case, with the comments set apart and the column of every character kept."""

from dataclasses import dataclass

from armillary.programs.gcode.errors import LineFault

__all__ = ["CleanLine", "clean"]


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
    characters: list[str] = []
    columns: list[int] = []
    comments: list[str] = []
    index = 0
    while index < len(line):
        character = line[index]
        if character == ";":
            break
        if character == "(":
            end = line.find(")", index)
            inner = line.find("(", index + 1)
            if end < 0:
                raise LineFault("the comment is not closed", "write ) at its end", index)
            if 0 <= inner < end:
                raise LineFault("a comment stands inside a comment", "remove the second (", inner)
            comments.append(line[index + 1 : end])
            index = end + 1
            continue
        if not character.isspace() and character != "\x00":
            characters.append(character.lower() if character.isascii() else character)
            columns.append(index)
        index += 1
    return CleanLine("".join(characters) + "\n", (*columns, len(line.rstrip())), tuple(comments))
