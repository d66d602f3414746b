"""What is wrong with a program, by line and column, and the line as it should read where that can be computed."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from armillary.errors import ArmillaryError

__all__ = ["Problem", "problems_of", "with_fixes"]

_TOLD = 50  # problems at most
_FIXED = 5  # of them, for which a better line is looked for
_LONGEST = 200_000  # characters of a program in which it is
_NEAREST = re.compile(r"(?:the nearest is|perhaps) ([A-Za-z_]\w*(?:\.\d+)?)|expected (==) to compare")
_WORD = re.compile(r"[A-Za-z]\s*[+-]?[\d.]+|[A-Za-z_]\w*|[^\s\w]")


@dataclass(frozen=True)
class Problem:
    """Something wrong.

    Attributes:
        line, column: Where, from 1; the first line where it is none of the program's own.
        text: What is wrong, and what to do.
        fix: The whole line as it should read, or None where nobody knows.
    """

    line: int
    column: int
    text: str
    fix: str | None = None


def problems_of(error: ArmillaryError, file: str, name: str) -> list[Problem]:
    """What an error says of a program: every "file:line:column: text" of it.

    Args:
        file: The path of the file that was read, as it stands in the error.
        name: What people call it.
    """
    text = str(error)
    here = "|".join(re.escape(each) for each in (file, file.rpartition("/")[2]))
    found = re.findall(rf"^(?:{here}):(\d+)(?::(\d+))?: (.*)$", text, re.MULTILINE)
    if not found:
        return [Problem(1, 1, text.replace(file, name))]
    return [Problem(int(line), int(column or 1), said.replace(file, name)) for line, column, said in found[:_TOLD]]


def with_fixes(problems: Sequence[Problem], text: str, check: Callable[[str], Sequence[Problem]]) -> list[Problem]:
    """The problems, those that know a better word with the line as it should read.

    A line is proposed only where the program with it has nothing wrong there any more.

    Args:
        text: The program.
        check: What is wrong with another text.
    """
    if len(text) > _LONGEST:
        return list(problems)
    lines, found = text.split("\n"), []
    for number, problem in enumerate(problems):
        fix = _better(problem, lines) if number < _FIXED else None
        if fix is not None:
            changed = [*lines[: problem.line - 1], fix, *lines[problem.line :]]
            if any(other.line == problem.line for other in check("\n".join(changed))):
                fix = None
        found.append(replace(problem, fix=fix))
    return found


def _better(problem: Problem, lines: Sequence[str]) -> str | None:
    """The line with the word that the problem proposes in the place of the one it is about."""
    named = _NEAREST.search(problem.text)
    if named is None or not 1 <= problem.line <= len(lines):
        return None
    line, at = lines[problem.line - 1], problem.column - 1
    wrong = _WORD.match(line, at)
    return line[:at] + (named[1] or named[2]) + line[wrong.end() :] if wrong is not None else None
