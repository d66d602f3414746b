"""Tool tables in the form of LinuxCNC's .tbl files: one tool on a line, as in `T1 P1 Z12.5 D6 ; end mill`."""

import math
import re
from pathlib import Path

from armillary.programs.errors import BadProgram
from armillary.programs.gcode.codes import AXES
from armillary.programs.gcode.machine import Tool
from armillary.regular_file import read_regular

__all__ = ["BadToolTable", "read_tool_table"]

_WORD = re.compile(r"([A-Za-z])([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?=\s|$)", re.ASCII)


class BadToolTable(BadProgram):
    """A tool table that cannot be trusted; says file, line and what was expected."""

    def __init__(self, path: Path, line: int, what: str, advice: str) -> None:
        self.path, self.line = path, line
        super().__init__(f"{path}{f':{line}' if line else ''}: {what}; {advice}")


def read_tool_table(path: Path) -> dict[int, Tool]:
    """The tools of a table by number; lengths in the machine's units. Angles and orientations of lathe tools are left out.

    Raises:
        BadToolTable: A line is not a tool, or a tool comes twice.
    """
    try:
        text = read_regular(path).decode("utf-8", "replace")
    except OSError as error:
        raise BadToolTable(path, 0, f"it cannot be read ({error.strerror})", "check the file's name") from None
    tools: dict[int, Tool] = {}
    for index, whole in enumerate(text.splitlines(), 1):
        line = whole.split(";")[0].strip()
        if not line:
            continue
        words = {letter.lower(): float(number) for letter, number in _WORD.findall(line)}
        number, pocket = words.get("t", -1.0), words.get("p", words.get("t", -1.0))
        whole_numbers = number == int(number) >= 0 and pocket == int(pocket) >= 0
        if _WORD.sub("", line).strip() or not whole_numbers or not all(map(math.isfinite, words.values())):
            raise BadToolTable(path, index, f"{line[:60]!r} is no tool", "expected words such as `T1 P1 Z12.5 D6`")
        if int(number) in tools:
            raise BadToolTable(path, index, f"tool {int(number)} comes twice", "keep one of the two")
        tools[int(number)] = Tool(int(pocket), tuple(words.get(letter, 0.0) for letter in AXES), words.get("d", 0.0))
    return tools
