"""Where a program goes on: o-words, calls and returns, and the subroutines of other files."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from armillary.programs.commands import SourceLine
from armillary.programs.errors import NoProgram
from armillary.programs.gcode import canon
from armillary.programs.gcode.compiler import Block
from armillary.programs.gcode.errors import LineFault
from armillary.programs.gcode.execution import Execution
from armillary.programs.gcode.expressions import evaluate, integer
from armillary.programs.gcode.machine import Machine
from armillary.programs.gcode.program import Control, Program, Subroutine
from armillary.programs.languages import must_be_text, must_have_lines
from armillary.regular_file import read_regular

__all__ = ["Call", "Flow", "read_text"]

_DEEPEST = 500  # calls inside calls
_NOTHING: tuple[canon.Canon, ...] = ()


@dataclass(frozen=True)
class Call:
    """A subroutine that is running. source: the line that called it."""

    subroutine: str
    source: SourceLine


@dataclass(slots=True)
class _Frame:
    """A call: where to go on, whose locals come back. repeats: how often M98 still calls."""

    program: Program
    back: int
    saved: tuple[list[float] | None, dict[str, float]]
    subroutine: Subroutine
    repeats: int = 1
    counters: dict[int, int] = field(default_factory=dict)


def _nearest(value: float, column: int) -> int:
    if not math.isfinite(value):
        raise LineFault(f"a count of {value}", "expected a finite number", column)
    return math.floor(value + 0.5)


def read_text(path: Path) -> str:
    """The text of a file; bytes that are no UTF-8 become signs that no line may hold outside a comment.

    Raises:
        BadProgram: It cannot be read, or a line is too long to be meant.
    """
    try:
        data = read_regular(path)
    except OSError as error:
        raise NoProgram(f"{path}: {error.strerror}; check the file's name") from None
    must_be_text(path, data)
    text = data.decode("utf-8", "replace")
    must_have_lines(path, text)
    return text


class Flow:
    """The place of a run in its program, and the way there.

    Attributes:
        program, at: The file, and the index of the line that comes next.
        frames: The calls that have not returned, outermost first.
    """

    def __init__(self, program: Program, machine: Machine, execution: Execution) -> None:
        self.program, self.machine, self.execution = program, machine, execution
        self.at = program.first
        self.frames: list[_Frame] = []
        self._counters: dict[int, int] = {}
        self._files: dict[str, Program] = {}
        self._arrived_by_if = False

    @property
    def call_stack(self) -> tuple[Call, ...]:
        """The subroutines that are running, outermost first."""
        return tuple(Call(frame.subroutine.name, frame.program.source(frame.back - 1)) for frame in self.frames)

    def go(self, control: Control, at: int) -> Sequence[canon.Canon]:
        """Carry out an o-word; the commands are those of contexts that M73 brings back.

        Raises:
            LineFault: There is no way on.
        """
        keyword, parameters = control.keyword, self.machine.parameters
        if keyword == "endwhile":
            self.at = control.target
            return _NOTHING
        self.at = at + 1
        if keyword == "while" and not control.closes_do:
            if evaluate(control.values[0], parameters) == 0.0:
                self.at = control.target
        elif keyword in ("if", "elseif", "while"):
            self._condition(control, at)
        elif keyword in ("break", "continue"):
            self.at = control.target
        elif keyword == "else":
            self.at = control.end
        elif keyword == "repeat":
            self._counters[at] = _nearest(evaluate(control.values[0], parameters), control.column)
            if self._counters[at] <= 0:
                self.at = control.target
        elif keyword == "endrepeat":
            self._counters[control.target] -= 1
            if self._counters[control.target] > 0:
                self.at = control.target + 1
        elif keyword == "sub":
            if control.target < 0:
                raise LineFault(f"o{control.label} sub is not closed", f"expected o{control.label} endsub", control.column)
            self.at = control.target
        elif keyword == "call":
            self._call(control)
        elif keyword in ("return", "endsub"):
            return self._return(control, at)
        return _NOTHING

    def _condition(self, control: Control, at: int) -> None:
        if control.keyword == "elseif" and not self._arrived_by_if:
            self.at = control.end
            return
        self._arrived_by_if = False
        if evaluate(control.values[0], self.machine.parameters) != 0:
            self.at = control.target if control.closes_do else at + 1
        elif not control.closes_do:
            self._arrived_by_if = self.program.controls[control.target].keyword == "elseif"
            self.at = control.target if self._arrived_by_if else control.target + 1

    def _call(self, control: Control) -> None:
        parameters, label = self.machine.parameters, control.label
        if not isinstance(label, str):
            label = str(integer(evaluate(label, parameters), "the label", control.column))
        arguments = [evaluate(value, parameters) for value in control.values]
        program, subroutine = self._find(label, control.column)
        if subroutine.plain:
            raise LineFault(f"o{label} is a subroutine that ends with M99", f"expected M98 P{label}", control.column)
        self._enter(program, subroutine, arguments, 1)

    def _enter(self, program: Program, subroutine: Subroutine, arguments: list[float] | None, repeats: int) -> None:
        if len(self.frames) >= _DEEPEST:
            raise LineFault(f"more than {_DEEPEST} calls inside each other", "expected a subroutine that ends")
        saved = self.machine.parameters.enter(arguments)
        self.frames.append(_Frame(self.program, self.at, saved, subroutine, repeats, self._counters))
        self._counters = {}
        self.execution.contexts.append(None)
        self.machine.call_level = len(self.frames)
        self.program, self.at = program, subroutine.start + 1

    def _leave(self, source: SourceLine) -> list[canon.Canon]:
        frame = self.frames.pop()
        self.machine.parameters.leave(frame.saved)
        commands = self.execution.leave(source)
        self.program, self.at, self._counters = frame.program, frame.back, frame.counters
        self.machine.call_level = len(self.frames)
        return commands

    def _return(self, control: Control, at: int) -> list[canon.Canon]:
        if not self.frames or self.frames[-1].subroutine.plain:
            raise LineFault(f"{control.keyword} outside a subroutine of o-words", "expected o... sub, or M99", control.column)
        given = bool(control.values)
        self.machine.result = evaluate(control.values[0], self.machine.parameters) if given else 0.0
        self.machine.result_given = given
        return self._leave(self.program.source(at))

    def _find(self, label: str, column: int) -> tuple[Program, Subroutine]:
        for program in (self.program, *(frame.program for frame in reversed(self.frames)), *self._files.values()):
            if label in program.subroutines:
                return program, program.subroutines[label]
        for folder in self.machine.settings.search_path:
            path = folder / f"{label}.ngc"
            if "/" not in label and "\0" not in label and path.is_file():
                program = self._files[label] = Program(read_text(path), str(path))
                if label in program.subroutines:
                    return program, program.subroutines[label]
                raise LineFault(f"{path} has no o<{label}> sub", "expected the subroutine to be named as its file", column)
        known = sorted(self.program.subroutines)
        raise LineFault(f"there is no subroutine {label}", f"expected one of {known}, or {label}.ngc in the search path", column)

    def call_plain(self, block: Block) -> list[canon.Canon]:
        """M98: call a subroutine that has only a number, so many times.

        Raises:
            LineFault: There is none of that number.
        """
        parameters, column = self.machine.parameters, block.m[0].column
        if not self.machine.settings.plain_subroutines:
            raise LineFault("M98, and such subroutines are switched off", "expected o... call", column)
        if len(block.m) > 1 or block.g or block.settings or not block.words.keys() <= {"p", "l"}:
            raise LineFault("M98 with other words", "expected M98 in a line of its own, with P and L", column)
        if "p" not in block.words:
            raise LineFault("M98 without a subroutine", "expected P", column)
        number = integer(evaluate(block.words["p"].value, parameters), "P", block.words["p"].column)
        repeats = integer(evaluate(block.words["l"].value, parameters), "L", block.words["l"].column) if "l" in block.words else 1
        named = next((name for name in self.program.subroutines if name.isdigit() and int(name) == number), str(number))
        program, subroutine = self._find(named, block.words["p"].column)
        if not subroutine.plain:
            raise LineFault(f"o{named} is a subroutine of o-words", f"expected o{named} call", column)
        if repeats > 0:
            self._enter(program, subroutine, None, repeats)
        return []

    def return_plain(self, source: SourceLine) -> list[canon.Canon]:
        """M99 in a subroutine: once more, or back to where it was called.

        Raises:
            LineFault: The subroutine is one of o-words.
        """
        frame = self.frames[-1]
        if not frame.subroutine.plain:
            raise LineFault("M99 inside a subroutine of o-words", "expected endsub or return")
        frame.repeats -= 1
        if frame.repeats > 0:
            self.at = frame.subroutine.start + 1
            return []
        return self._leave(source)
