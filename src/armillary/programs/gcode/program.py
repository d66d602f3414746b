"""A program's lines and the structure that its o-words give it. Lines are compiled when they are first reached."""

import difflib
import itertools
import re
from dataclasses import dataclass

from armillary.programs.commands import SourceLine
from armillary.programs.gcode.compiler import Arc, Assign, Block, Move, compile_block
from armillary.programs.gcode.errors import BadGcode, LineFault
from armillary.programs.gcode.expressions import Reader, Value
from armillary.programs.gcode.lexer import clean
from armillary.programs.gcode.lines import Lines

__all__ = ["Control", "Program", "Subroutine"]

_CONTROL = re.compile(r"\s*(?:\([^)]*\)\s*)*/?\s*(?:[nN]\s*[\d.]+\s*)?[oO]")
O_WORDS = ("sub", "endsub", "call", "do", "while", "endwhile", "if", "elseif", "else", "endif", "repeat", "endrepeat",
             "break", "continue", "return")  # fmt: skip
_LOOPS = ("do", "while", "repeat")


@dataclass(slots=True)
class Control:
    """A line with an o-word.

    Attributes:
        label: What follows the o; a value where it is computed.
        values: The condition, the count, the arguments or the result.
        target: Where to go on, as the index of a line: past the end of what is skipped, or back to the start of a loop.
        end: For break and for the branches of if: past the end of the whole.
    """

    keyword: str
    label: str | Value
    values: list[Value]
    column: int
    comments: tuple[str, ...] = ()
    target: int = -1
    end: int = -1
    closes_do: bool = False


@dataclass(frozen=True, slots=True)
class Subroutine:
    """Where a subroutine begins. plain: the kind that M98 calls and M99 ends."""

    name: str
    start: int
    plain: bool


class Program:
    """One file.

    Attributes:
        lines: Its lines, by index.
        first, last: The lines that count, as indices; percent: whether percent signs enclose them.
        controls: The lines with an o-word.
        subroutines: By name.
        again: For each line whether it can run more than once, as those of loops and subroutines can.
        blocks: The lines that have been read; only those that can run again are kept.
    """

    def __init__(self, text: str, file: str, faults: list[BadGcode] | None = None) -> None:
        """The program of a text. faults: collects what is wrong with the o-words, instead of raising the first.

        Raises:
            BadGcode: The o-words do not fit together.
        """
        self.file, self.lines = file, Lines(text)
        self.first, self.last, self.percent = 0, len(self.lines), False
        self.controls: dict[int, Control] = {}
        self.subroutines: dict[str, Subroutine] = {}
        self.blocks: list[Arc | Assign | Block | Control | Move | None] = [None] * len(self.lines)
        self.again = bytearray(len(self.lines))
        self._faults = faults
        self._find_percent()
        for index in self.lines.holding("oO"):
            if self.first <= index < self.last and _CONTROL.match(self.lines[index]):
                try:
                    self.controls[index] = _read_control(self.lines[index])
                except LineFault as fault:
                    self.wrong(index, fault)
        _Structure(self).join()

    def wrong(self, index: int, fault: LineFault) -> None:
        """Raise a fault, or collect it."""
        error = self.error(index, fault)
        if self._faults is None:
            raise error
        self._faults.append(error)

    def repeat(self, first: int, last: int) -> None:
        """Say that lines can run again; their o-words are then kept with the blocks."""
        self.again[first:last] = b"\1" * (last - first)

    def _find_percent(self) -> None:
        signs = [i for i in self.lines.holding("%") if self.lines[i].lstrip().startswith("%")]
        begins = bool(signs) and not any(self.lines[i].strip() for i in range(signs[0]))
        self.first = signs.pop(0) + 1 if begins else 0
        self.percent = bool(signs)
        self.last = signs[0] if signs else len(self.lines)

    def read_block(self, index: int) -> Arc | Assign | Block | Control | Move:
        """A line, read; kept where it can run again.

        Raises:
            LineFault: It cannot be taken.
        """
        block = self.controls.get(index) or compile_block(self.lines[index])
        if self.again[index]:
            self.blocks[index] = block
        return block

    def source(self, index: int) -> SourceLine:
        """Where a line is; lines count from 1."""
        return SourceLine(self.file, index + 1)

    def error(self, index: int, fault: LineFault) -> BadGcode:
        """A fault with its place."""
        text = self.lines[index] if 0 <= index < len(self.lines) else ""
        return BadGcode(self.file, index + 1, text, fault)


def _read_control(text: str) -> Control:
    line = clean(text)
    reader = Reader(line)
    if reader.next == "/":
        reader.at += 1
    if reader.next == "n":
        reader.at += 1
        reader.value()
    column = line.columns[reader.at]
    reader.take("o", "where an o-word begins")
    label = _label(reader)
    found = re.compile("[a-z]*").match(reader.text, reader.at)
    keyword = found[0] if found else ""
    if keyword and keyword not in O_WORDS:
        near = difflib.get_close_matches(keyword, O_WORDS, 1)
        raise reader.fault(
            f"{keyword!r} is no o-word", f"expected one of {', '.join(O_WORDS)}{f'; perhaps {near[0]}' if near else ''}"
        )
    reader.at += len(keyword)
    values: list[Value] = []
    while reader.next == "[" and keyword:
        values.append(reader.bracket())
    if reader.next != "\n":
        raise reader.fault(f"{reader.next!r} follows the o-word", "expected the end of the line or [")
    if keyword in ("while", "if", "elseif", "repeat") and len(values) != 1:
        raise reader.fault(f"{keyword} has {len(values)} values", f"expected {keyword} [value]")
    if keyword == "call" and len(values) > 30:
        raise reader.fault(f"{len(values)} arguments", "expected 30 at most")
    if callable(label) and keyword != "call":
        raise reader.fault(
            f"the label of {keyword or 'a subroutine'} is computed", "expected a number or <name>; only call takes a value"
        )
    return Control(keyword, label, values, column, line.comments)


def _label(reader: Reader) -> str | Value:
    if reader.next == "<":
        return reader.name()
    digits = re.compile(r"\d+").match(reader.text, reader.at)
    if digits:
        reader.at = digits.end()
        return digits[0]
    if reader.next in "#[":
        value = reader.value()
        return value if callable(value) else str(int(value))
    raise reader.fault("the o-word has no label", "expected a number, <name> or a value")


class _Structure:
    """Joins each o-word with the one that it goes to."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.open: list[tuple[str, int, list[int]]] = []  # label, line of what opened, lines to be told of the end

    def join(self) -> None:
        for index, control in self.program.controls.items():
            try:
                self._join(index, control)
            except LineFault as fault:
                self.program.wrong(index, fault)
        for label, index, _ in self.open:
            keyword = self.program.controls[index].keyword
            if keyword == "sub":  # one that M99 ends is said when it runs
                self.program.repeat(index, self.program.last)
            else:
                end = f"end{keyword}" if keyword != "do" else "while [...]"
                column = self.program.controls[index].column
                self.program.wrong(index, LineFault(f"o{label} {keyword} is not closed", f"expected o{label} {end}", column))

    def _join(self, index: int, control: Control) -> None:
        keyword, label = control.keyword, str(control.label)
        if keyword == "sub" and any(self._is(entry, "sub") for entry in self.open):
            raise LineFault(f"o{label} sub stands inside another subroutine", "expected endsub before it", control.column)
        if keyword in ("", "sub"):
            self.program.subroutines.setdefault(label, Subroutine(label, index, keyword == ""))
            if keyword == "":  # where it ends is known when M99 runs
                self.program.repeat(index, self.program.last)
            if keyword == "sub":
                self.open.append((label, index, []))
        elif keyword in ("break", "continue"):
            self._loop(label, control)[2].append(index)
        elif keyword == "while" and self.open and self.open[-1][0] == label and self._keyword() == "do":
            _, start, inside = self.open.pop()
            control.closes_do, control.target = True, start + 1
            self.program.repeat(start, index + 1)
            self._close(inside, index, index + 1)
        elif keyword in ("do", "while", "if", "repeat"):
            self.open.append((label, index, []))
        elif keyword in ("elseif", "else"):
            self._within(label, control, "if")[2].append(index)
        elif keyword.startswith("end") and not (keyword == "endsub" and not any(self._is(o, "sub") for o in self.open)):
            _, start, inside = self._within(label, control, keyword[3:])
            self.open.pop()
            self._end(start, inside, index, control)

    def _keyword(self) -> str:
        return self.program.controls[self.open[-1][1]].keyword

    def _is(self, entry: tuple[str, int, list[int]], keyword: str) -> bool:
        return self.program.controls[entry[1]].keyword == keyword

    def _within(self, label: str, control: Control, opener: str) -> tuple[str, int, list[int]]:
        if self.open and self.open[-1][0] == label and self._keyword() == opener:
            return self.open[-1]
        inner = f"o{self.open[-1][0]} {self._keyword()} is still open" if self.open else "nothing is open"
        raise LineFault(
            f"o{label} {control.keyword} closes nothing: {inner}", f"expected o{label} {opener} before it", control.column
        )

    def _loop(self, label: str, control: Control) -> tuple[str, int, list[int]]:
        for entry in reversed(self.open):
            if entry[0] == label and self.program.controls[entry[1]].keyword in _LOOPS:
                return entry
        raise LineFault(
            f"o{label} {control.keyword} is in no loop o{label}", "expected the label of a loop around it", control.column
        )

    def _close(self, inside: list[int], again: int, after: int) -> None:
        for line in inside:
            control = self.program.controls[line]
            control.target = again if control.keyword == "continue" else after

    def _end(self, start: int, inside: list[int], index: int, control: Control) -> None:
        opener = self.program.controls[start]
        if opener.keyword == "if":
            branches = [start, *(i for i in inside), index]
            for this, following in itertools.pairwise(branches):
                self.program.controls[this].target = following
                self.program.controls[this].end = index + 1
            return
        opener.target = index + 1
        control.target = start
        self.program.repeat(start, index + 1)
        self._close(inside, start if opener.keyword == "while" else index, index + 1)
