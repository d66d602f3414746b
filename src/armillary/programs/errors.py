"""What can be wrong with a program."""

from armillary.errors import ArmillaryError

__all__ = ["BadProgram", "NoProgram", "pointed_at"]

_WIDTH = 100  # characters of a line that are shown


class BadProgram(ArmillaryError):
    """A program that cannot be run; says file, line and what is wrong."""

    answer_is_no = True


class NoProgram(BadProgram):
    """A program that cannot be had: no file, no text, no language that is known."""

    answer_is_no = False


def pointed_at(line: str, column: int) -> str:
    """A line with a caret under a column, from 1; of a long one the part around it, and nothing that a terminal would obey."""
    line = line.rstrip("\r\n")  # a file of Windows: its line ends are nothing that is wrong
    first = max(column - 1 - _WIDTH // 2, 0) if len(line) > _WIDTH else 0
    shown = "".join(char if char.isprintable() or char == "\t" else "\ufffd" for char in line[first : first + _WIDTH])
    before, behind = "..." if first else "", "..." if first + _WIDTH < len(line) else ""
    return f"  {before}{shown}{behind}\n  {' ' * (len(before) + column - 1 - first)}^"
