"""What can be wrong with a script, said with file, line, column and a caret."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from armillary.programs.errors import BadProgram, pointed_at

__all__ = ["BadScript", "Fault", "Place", "Problem", "nearest"]

Place = tuple[int, int]  # line and column, from 1
_SHOWN = 20  # problems that a message lists


class Fault(Exception):
    """Something wrong at a place, before the file is known. Never leaves the package."""

    def __init__(self, what: str, advice: str, at: Place) -> None:
        super().__init__(what)
        self.what, self.advice, self.at = what, advice, at


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong.

    Attributes:
        line, column: Where; both count from 1.
        text: The line as written.
        what, advice: What is wrong, and what to write.
    """

    line: int
    column: int
    text: str
    what: str
    advice: str


class BadScript(BadProgram):
    """A script that cannot be run. `problems` has all that was found; the attributes are those of the first.

    Attributes:
        file, line, column: Where; line and column count from 1.
        text: The line as written.
        what, advice: What is wrong, and what to write.
    """

    def __init__(self, file: str, problems: Sequence[Problem]) -> None:
        self.file, self.problems = file, tuple(problems)
        first = self.problems[0]
        self.line, self.column, self.text, self.what, self.advice = (
            first.line, first.column, first.text, first.what, first.advice,
        )  # fmt: skip
        shown = [_message(file, problem) for problem in self.problems[:_SHOWN]]
        if len(self.problems) > _SHOWN:
            shown.append(f"and {len(self.problems) - _SHOWN} more")
        super().__init__("\n".join(shown))


def _message(file: str, problem: Problem) -> str:
    text = problem.text.replace("\t", " ")
    where = f"{file or 'script'}:{problem.line}:{problem.column}"
    return f"{where}: {problem.what}; {problem.advice}\n{pointed_at(text, problem.column)}"


def nearest(name: str, known: Iterable[str]) -> str:
    """What to say about a name that is not known: the nearest one that is, or all where there are few; "" where there is none."""
    names = sorted(set(known))
    by_upper = {entry.upper(): entry for entry in names}
    close = difflib.get_close_matches(name.upper(), by_upper, 1)
    if close:
        return f"perhaps {by_upper[close[0]]}"
    if not names:
        return ""
    return f"known: {', '.join(names[:12])}{', ...' if len(names) > 12 else ''}"
