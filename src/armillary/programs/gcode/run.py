"""A program as it runs: canonical commands one at a time, with its place, its parameters and its modes to be seen."""

from collections.abc import Iterator
from pathlib import Path

from armillary.programs.commands import SourceLine
from armillary.programs.errors import BadProgram
from armillary.programs.gcode import canon
from armillary.programs.gcode.active_modes import ActiveModes, active_modes
from armillary.programs.gcode.compiler import Assign, Move
from armillary.programs.gcode.errors import LineFault
from armillary.programs.gcode.execution import Execution
from armillary.programs.gcode.flat_lines import read_flat
from armillary.programs.gcode.flow import Call, Flow, read_text
from armillary.programs.gcode.machine import Machine, MachineSettings
from armillary.programs.gcode.parameters import Parameters
from armillary.programs.gcode.program import Control, Program
from armillary.programs.gcode.start_line import from_line
from armillary.programs.gcode.steps import Inputs, Steps
from armillary.programs.gcode.straight import source_line, straight

__all__ = ["GcodeRun"]

_AT_ONCE = 256  # lines that are read together where none runs again
_BLOCK = 4  # how many o-words a line of words is as much work as
_BEFORE = 10  # budgets that may be used up before the start line, where nothing is given out


class GcodeRun:
    """One run of a program. Iterate over it once for its commands; it can be left at any moment.

    Attributes:
        parameters: Numbered and named, as they are now; they change as the program runs.
        machine: The state in full: position, offsets, tools.
        work: How many lines of loops and subroutines have run, a long one counted as several.
        idle_budget: How much of that may be done in a row without a command.
    """

    def __init__(
        self,
        source: Path | str,
        *,
        parameters: Parameters | None = None,
        machine: MachineSettings | Machine | None = None,
        inputs: Inputs | None = None,
        start_line: int = 1,
        idle_budget: int = 1_000_000,
    ) -> None:
        """A run that has not begun.

        Args:
            source: A file, or the text itself.
            parameters: What they are at the start.
            machine: Axes, start, tools and units; or a machine that goes on from the run before, with its modes and parameters.
            inputs: Called for M66, after its command has been taken; its result is #5399.
            start_line: Lines before it are carried out for their modes, offsets and parameters only: nothing moves, waits or is
                said. The first move then begins from wherever the machine is, and must be straight.
            idle_budget: How many lines of loops may run in a row without a command, before a loop counts as endless. A line
                counts once more for every 32 characters, as what it computes may be long.

        Raises:
            BadGcode: The o-words do not fit together.
            BadProgram: The file cannot be read, or the parameters hold an offset that cannot be.
        """
        text, file = (source, "") if isinstance(source, str) else (read_text(source), str(source))
        try:
            if isinstance(machine, Machine):
                self.machine, self.parameters = machine, machine.parameters
                machine.program_end = False
            else:
                self.parameters = parameters or Parameters()
                self.machine = Machine(machine or MachineSettings(), self.parameters)
        except LineFault as fault:
            raise BadProgram(f"{file}: {fault.what}; {fault.advice}") from None
        execution = Execution(self.machine)
        self._flow = Flow(Program(text, file), self.machine, execution)
        self._steps = Steps(self._flow, execution, inputs, self._has_begun)
        self.idle_budget, self.work, self._stopped = idle_budget, 0, False
        self._start_line, self._begun = start_line, start_line <= 1
        self._stream = self._commands()

    def __iter__(self) -> Iterator[canon.Canon]:
        return self._stream

    @property
    def line(self) -> int:
        """The line that is being carried out, from 1, in the file that is running; 0 before the first."""
        return self.machine.line

    @property
    def file(self) -> str:
        """The file that is running, which a call may have changed; "" for a text."""
        return self._flow.program.file

    @property
    def begun(self) -> bool:
        """Whether the start line has been reached."""
        return self._begun

    @property
    def in_main(self) -> bool:
        """Whether no subroutine is running."""
        return not self._flow.frames

    @property
    def call_stack(self) -> tuple[Call, ...]:
        """The subroutines that are running, outermost first."""
        return self._flow.call_stack

    @property
    def modes(self) -> ActiveModes:
        """The G and M codes in force, and F, S and T."""
        return active_modes(self.machine)

    def stop(self) -> None:
        """End the run at its next line, from any thread; what was given out stays given."""
        self._stopped = True

    def endless(self) -> BadProgram:
        """What to say of a loop that has used up the budget."""
        return self._flow.program.error(self.machine.line - 1, self._endless())

    def _endless(self) -> LineFault:
        what = f"{self.idle_budget} lines have run without a command"
        return LineFault(what, "expected a loop that ends; a long line counts as several")

    def _has_begun(self) -> bool:
        """Whether the start line has been reached."""
        if not self._begun and not self._flow.frames and self.machine.line >= self._start_line:
            self._begun = True
        return self._begun

    def _commands(self) -> Iterator[canon.Canon]:
        try:
            yield from (self._all_commands() if self._begun else from_line(self._before(), self._has_begun))
        except LineFault as fault:
            raise self._flow.program.error(self.machine.line - 1, fault) from None

    def _before(self) -> Iterator[canon.Canon]:
        """All commands, as long as the start line is reached."""
        for command in self._all_commands():
            if not self._begun and self.work > _BEFORE * self.idle_budget:
                raise LineFault(
                    f"line {self._start_line} is not reached", "start at an earlier line, or leave the loop before it"
                )
            yield command

    def _all_commands(self) -> Iterator[canon.Canon]:
        flow, machine = self._flow, self.machine
        yield from self._beginning()
        while flow.at < flow.program.last and not machine.program_end and not self._stopped:
            yield from (self._lines_of_loops() if flow.program.again[flow.at] else self._lines_that_run_once())
        if machine.program_end or self._stopped:
            return
        machine.line = flow.program.last
        if flow.frames:
            raise LineFault("the file ends inside a subroutine", "expected endsub or M99")
        if flow.program.percent:
            machine.line = flow.program.last + 1
            yield canon.Finish(flow.program.source(flow.program.last))

    def _beginning(self) -> list[canon.Canon]:
        machine, where = self.machine, SourceLine(self._flow.program.file, 0)
        return [
            canon.UseLengthUnits(where, 1.0),
            canon.SetG5xOffset(where, machine.modes.system, tuple(machine.origin)),
            canon.SetG92Offset(where, tuple(machine.g92)),
            canon.SetXyRotation(where, machine.angle),
            canon.SetFeedReference(where),
        ]

    def _lines_of_loops(self) -> Iterator[canon.Canon]:
        """Lines that can run again, as long as they follow each other: each is read once and kept."""
        flow, machine, modes, parameters = self._flow, self.machine, self.machine.modes, self.parameters
        program, at, numbers = flow.program, flow.at, self.parameters.numbers
        since, given, limit = at, True, 0
        blocks, again, last, starts = program.blocks, program.again, program.last, program.lines.starts
        read, move, carry_out = self._steps.read, self._steps.move, self._steps.carry_out
        while at < last and again[at]:
            machine.line = at + 1
            step = blocks[at] or read(program, at)
            if type(step) is Move:
                at += 1
                command = step.command
                if (
                    command is None
                    or step.start is not machine.position
                    or step.stamp != machine.stamp
                    or (step.motion < 0 and step.moved != modes.motion)
                ):
                    flow.at, given = at, True
                    yield from move(step, program, at - 1)
                    continue
                machine.position, modes.motion, given = command.position, step.moved, True
                yield command
            elif type(step) is Assign:
                numbers[step.number] = step.value(parameters)
                at += 1
            else:
                if given:
                    given, limit = False, self.work + self.idle_budget
                work = self.work + at - since + (starts[at + 1] - starts[since] >> 5) + (1 if type(step) is Control else _BLOCK)
                self.work = work
                if work > limit:
                    raise self._endless()
                flow.at = at + 1
                for each in flow.go(step, at) if type(step) is Control else carry_out(step, program, at):
                    given = True
                    yield each
                since = at = flow.at
                if flow.program is not program or machine.program_end or self._stopped:
                    return
        flow.at = at

    def _lines_that_run_once(self) -> Iterator[canon.Canon]:
        """Lines that cannot run again, as long as they follow each other: read many at a time, and not kept."""
        flow, machine, modes = self._flow, self.machine, self.machine.modes
        program, at, file = flow.program, flow.at, flow.program.file
        end = program.again.find(1, at, program.last)
        end = program.last if end < 0 else end
        plain, read, carry_out = self._plain(), self._steps.read, self._steps.carry_out
        while at < end:
            for g, x, y, z, a, b, c, f, other in read_flat(program.lines.between(at, min(at + _AT_ONCE, end))):
                at += 1
                machine.line = at
                motion = (10 if g == "1" else 0) if g else modes.motion
                feed = float(f) if f else modes.feed
                if other or not plain or not (x or y or z or a or b or c) or (motion != 0 and (motion != 10 or not feed)):
                    if not (other or g or x or y or z or a or b or c or f):
                        continue
                    flow.at = at
                    yield from carry_out(read(program, at - 1), program, at - 1)
                    if flow.at != at or flow.program is not program or machine.program_end or self._stopped:
                        return
                    plain = self._plain()
                    continue
                source, unit, here = source_line(file, at), modes.unit, machine.position
                if f:
                    modes.feed = feed
                    yield canon.SetFeedRate(source, feed * unit)
                machine.position = position = (
                    float(x) * unit if x else here[0],
                    float(y) * unit if y else here[1],
                    float(z) * unit if z else here[2],
                    float(a) if a else here[3],
                    float(b) if b else here[4],
                    float(c) if c else here[5],
                    here[6],
                    here[7],
                    here[8],
                )
                modes.motion = motion
                machine.cycle_start = None
                yield straight(motion, source, position)
        flow.at = at

    def _plain(self) -> bool:
        """Whether a flat line needs no more than its numbers, in the modes that are in force."""
        return self.machine.modes.absolute and not self.machine.modes.inverse_time and self._steps.has_six_axes
