"""The interpreter: a program's text in, canonical commands out, one at a time."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from armillary.programs.commands import SourceLine
from armillary.programs.errors import BadProgram
from armillary.programs.gcode import canon
from armillary.programs.gcode.codes import AXES
from armillary.programs.gcode.compiler import Block, Kind, Move, flat_move
from armillary.programs.gcode.errors import LineFault
from armillary.programs.gcode.execution import Execution, apply_settings
from armillary.programs.gcode.expressions import evaluate, integer
from armillary.programs.gcode.machine import Machine, MachineSettings
from armillary.programs.gcode.messages import comment_command
from armillary.programs.gcode.parameters import Parameters
from armillary.programs.gcode.program import Control, Program, Subroutine

__all__ = ["interpret"]

_DEEPEST = 500  # calls inside calls
_IDLE = 3_000_000  # o-words and lines in a row without a command, before a loop counts as stuck
Inputs = Callable[[canon.WaitInput], float]


def interpret(
    source: Path | str,
    *,
    parameters: Parameters | None = None,
    machine: MachineSettings | None = None,
    inputs: Inputs | None = None,
) -> Iterator[canon.Canon]:
    """The canonical commands of a program. It is a generator: it can be closed at any moment, and an endless loop is no harm.

    Args:
        source: A file, or the text itself.
        parameters: What they are at the start; they change as the program runs.
        machine: Axes, start, tools and units.
        inputs: Called for M66, after its command has been taken; its result is #5399.

    Raises:
        BadGcode: A line cannot be run, before anything of it is done.
        BadProgram: The file cannot be read.
    """
    text, file = (source, "") if isinstance(source, str) else (_read(source), str(source))
    settings, start = machine or MachineSettings(), parameters or Parameters()
    return _Run(Program.read(text, file), Machine(settings, start), inputs).commands()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise BadProgram(f"{path}: {error.strerror}; check the file's name") from None


@dataclass(slots=True)
class _Frame:
    """A call: where to go on, whose locals come back. repeats: how often M98 still calls."""

    program: Program
    back: int
    saved: tuple[list[float], dict[str, float]] | None
    subroutine: Subroutine
    repeats: int = 1
    counters: dict[int, int] = field(default_factory=dict)


class _Run:
    """One run of a program."""

    def __init__(self, program: Program, machine: Machine, inputs: Inputs | None) -> None:
        self.program, self.machine, self.inputs = program, machine, inputs
        self.execution = Execution(machine)
        self.frames: list[_Frame] = []
        self.counters: dict[int, int] = {}
        self.block_delete = machine.settings.block_delete
        self.files: dict[str, Program] = {}
        self.at = program.first
        self.has_xyz = set("xyz") <= set(machine.settings.axes.lower())
        self.axes = {AXES.index(letter) for letter in machine.settings.axes.lower()}

    def commands(self) -> Iterator[canon.Canon]:
        yield from self._beginning()
        machine, modes, parameters = self.machine, self.machine.modes, self.machine.parameters
        idle = 0
        while self.at < self.program.last:
            program, at = self.program, self.at
            idle += 1
            if idle > _IDLE:
                raise program.error(at, LineFault(f"{_IDLE} lines have run without a command", "expected a loop that ends"))
            if program.controls and at in program.controls:
                found = self._control(program.controls[at])
                if found:
                    yield from found
                continue
            block = program.blocks[at] or self._compile(program, at)
            self.at = at + 1
            machine.line = at + 1
            if isinstance(block, Move):
                motion = block.motion if block.motion >= 0 else modes.motion // 10
                quick = (
                    modes.absolute
                    and modes.unit == 1.0
                    and (motion == 0 or (motion == 1 and modes.feed and not modes.inverse_time))
                )
                if quick:
                    idle = 0
                    yield self._quick_move(program, at, block, motion)
                    continue
                block = block.full()
            if block.kind == Kind.ASSIGN:
                try:
                    value = block.settings[0].value
                    parameters.numbers[block.number] = value(parameters) if callable(value) else value
                except LineFault as fault:
                    raise program.error(at, fault) from None
                continue
            if block.kind == Kind.NOTHING:
                continue
            for command in self._general(program, at, block):
                idle = 0
                yield command
                if type(command) is canon.WaitInput:
                    self._wait(program, at, command)
            if machine.program_end:
                return
        if self.frames:
            raise self.program.error(
                self.program.last - 1, LineFault("the file ends inside a subroutine", "expected endsub or M99")
            )
        if self.program.percent:
            yield canon.Finish(self.program.source(self.program.last))

    def _quick_move(self, program: Program, at: int, block: Move, motion: int) -> canon.Canon:
        """A straight move in mm and absolute mode, which needs no more than its numbers."""
        machine = self.machine
        position = machine.position
        if block.constant:
            for index, value in block.axes:
                position[index] = value  # type: ignore[assignment]
        else:
            try:
                parameters = machine.parameters
                values = [(index, value(parameters) if callable(value) else value) for index, value in block.axes]
            except LineFault as fault:
                raise program.error(at, fault) from None
            for _, number in values:
                if not math.isfinite(number):
                    raise program.error(at, LineFault(f"a position of {number}", "expected a finite number"))
            for index, number in values:
                position[index] = number
        machine.modes.motion, machine.cycle_start = motion * 10, None
        source = SourceLine(program.file, at + 1)
        return canon.StraightFeed(source, tuple(position)) if motion else canon.StraightTraverse(source, tuple(position))

    def _beginning(self) -> list[canon.Canon]:
        machine, where = self.machine, SourceLine(self.program.file, 0)
        return [
            canon.UseLengthUnits(where, 1.0),
            canon.SetG5xOffset(where, machine.modes.system, tuple(machine.origin)),
            canon.SetG92Offset(where, tuple(machine.g92)),
            canon.SetXyRotation(where, machine.angle),
            canon.SetFeedReference(where),
        ]

    def _compile(self, program: Program, at: int) -> Block | Move:
        line = program.lines[at]
        flat = flat_move(line) if self.has_xyz else None
        if flat is not None:
            if program.controls:
                program.blocks[at] = flat
            return flat
        if self.block_delete and line.lstrip().startswith("/"):
            program.blocks[at] = Block()
            return Block()
        block = program.block(at)
        if isinstance(block, Move) and any(index not in self.axes for index, _ in block.axes):
            return block.full()  # which says what is wrong
        return block

    def _general(self, program: Program, at: int, block: Block) -> list[canon.Canon]:
        machine = self.machine
        machine.line = at + 1
        try:
            if block.kind == Kind.SET:
                apply_settings(block.settings, machine)
                return []
            codes = block.m_codes or {}
            if 11 in codes:
                return self._call_plain(block, at)
            if codes.get(4, (0, 0))[0] == 99 and self.frames:
                return self._return_plain(program.source(at))
            return self.execution.run(block, program.source(at))
        except LineFault as fault:
            raise program.error(at, fault) from None

    def _wait(self, program: Program, at: int, command: canon.WaitInput) -> None:
        if self.inputs is None:
            raise program.error(at, LineFault("M66 asks for an input and there are none", "pass inputs to interpret", None))
        self.machine.parameters.numbers[5399] = float(self.inputs(command))

    def _control(self, control: Control) -> list[canon.Canon]:
        program, at = self.program, self.at
        self.machine.line = at + 1
        if self.block_delete and program.lines[at].lstrip().startswith("/"):
            self.at = at + 1
            return []
        try:
            return self._go(control, at)
        except LineFault as fault:
            raise program.error(at, fault) from None

    def _go(self, control: Control, at: int) -> list[canon.Canon]:
        """Set where to go on; the commands are those of contexts that M73 brings back."""
        keyword, parameters = control.keyword, self.machine.parameters
        self.at = at + 1
        if keyword in ("while", "if", "elseif"):
            return self._condition(control, at)
        if keyword in ("endwhile", "break", "continue"):
            if keyword == "break":
                self.counters.pop(at, None)
            self.at = control.target
        elif keyword == "else":
            self.at = control.end
        elif keyword == "repeat":
            count = integer(evaluate(control.values[0], parameters), "the count", control.column)
            self.counters[at] = count
            if count <= 0:
                self.at = control.target
        elif keyword == "endrepeat":
            self.counters[control.target] -= 1
            if self.counters[control.target] > 0:
                self.at = control.target + 1
        elif keyword == "sub":
            if control.target < 0:
                raise LineFault(f"o{control.label} sub is not closed", f"expected o{control.label} endsub", control.column)
            self.at = control.target
        elif keyword == "call":
            self._call(control)
        elif keyword in ("return", "endsub"):
            return self._return(control, at)
        return []

    def _condition(self, control: Control, at: int) -> list[canon.Canon]:
        if control.keyword == "elseif" and not self._arrived_by_if:
            self.at = control.end
            return []
        self._arrived_by_if = False
        true = evaluate(control.values[0], self.machine.parameters) != 0
        if control.closes_do:
            self.at = control.target if true else at + 1
        elif not true and control.keyword == "while":
            self.at = control.target
        elif not true:
            self.at = control.target
            following = self.program.controls[control.target]
            if following.keyword == "elseif":
                self._arrived_by_if = True
            else:
                self.at = control.target + 1
        return []

    _arrived_by_if = False

    def _call(self, control: Control) -> None:
        parameters = self.machine.parameters
        label = control.label
        if not isinstance(label, str):
            label = str(integer(evaluate(label, parameters), "the label", control.column))
        arguments = [evaluate(value, parameters) for value in control.values]
        program, subroutine = self._find(label, control.column)
        if subroutine.plain:
            raise LineFault(f"o{label} is a subroutine that ends with M99", f"expected M98 P{label}", control.column)
        self._enter(program, subroutine, parameters.enter(arguments), 1)

    def _enter(
        self, program: Program, subroutine: Subroutine, saved: tuple[list[float], dict[str, float]] | None, repeats: int
    ) -> None:
        if len(self.frames) >= _DEEPEST:
            raise LineFault(f"more than {_DEEPEST} calls inside each other", "expected a subroutine that ends")
        self.frames.append(_Frame(self.program, self.at, saved, subroutine, repeats, self.counters))
        self.counters = {}
        self.execution.contexts.append(None)
        self.machine.call_level = len(self.frames)
        self.program, self.at = program, subroutine.start + 1

    def _leave(self, source: SourceLine) -> list[canon.Canon]:
        frame = self.frames.pop()
        if frame.saved is not None:
            self.machine.parameters.leave(frame.saved)
        commands = self.execution.leave(source)
        self.program, self.at, self.counters = frame.program, frame.back, frame.counters
        self.machine.call_level = len(self.frames)
        return commands

    def _return(self, control: Control, at: int) -> list[canon.Canon]:
        if not self.frames or self.frames[-1].subroutine.plain:
            raise LineFault(f"{control.keyword} outside a subroutine of o-words", "expected o... sub, or M99", control.column)
        given = bool(control.values)
        result = evaluate(control.values[0], self.machine.parameters) if given else 0.0
        self.machine.result, self.machine.result_given = result, given
        return self._leave(self.program.source(at))

    def _find(self, label: str, column: int) -> tuple[Program, Subroutine]:
        for program in (self.program, *(frame.program for frame in reversed(self.frames)), *self.files.values()):
            if label in program.subroutines:
                return program, program.subroutines[label]
        for folder in self.machine.settings.search_path:
            path = folder / f"{label}.ngc"
            if "/" not in label and path.is_file():
                program = self.files[label] = Program.read(_read(path), str(path))
                if label in program.subroutines:
                    return program, program.subroutines[label]
                raise LineFault(f"{path} has no o<{label}> sub", "expected the subroutine to be named as its file", column)
        known = sorted(self.program.subroutines)
        raise LineFault(f"there is no subroutine {label}", f"expected one of {known}, or {label}.ngc in the search path", column)

    def _call_plain(self, block: Block, at: int) -> list[canon.Canon]:
        parameters = self.machine.parameters
        for comment in block.comments:
            comment_command(comment, parameters, self.program.source(at))
        column = block.m[0].column
        if "p" not in block.words:
            raise LineFault("M98 without a subroutine", "expected P", column)
        number = integer(evaluate(block.words["p"].value, parameters), "P", column)
        repeats = integer(evaluate(block.words["l"].value, parameters), "L", column) if "l" in block.words else 1
        named = next((name for name in self.program.subroutines if name.isdigit() and int(name) == number), str(number))
        program, subroutine = self._find(named, column)
        if not subroutine.plain:
            raise LineFault(f"o{named} is a subroutine of o-words", f"expected o{named} call", column)
        if repeats > 0:
            self._enter(program, subroutine, None, repeats)
        return []

    def _return_plain(self, source: SourceLine) -> list[canon.Canon]:
        frame = self.frames[-1]
        if not frame.subroutine.plain:
            raise LineFault("M99 inside a subroutine of o-words", "expected endsub or return")
        frame.repeats -= 1
        if frame.repeats > 0:
            self.at = frame.subroutine.start + 1
            return []
        return self._leave(source)
