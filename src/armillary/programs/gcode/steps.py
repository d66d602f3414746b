"""Lines carried out, each in the way of its kind: straight moves and arcs quickly, all others in full."""

import math
from collections.abc import Callable, Iterator, Sequence

from armillary.programs.gcode import canon
from armillary.programs.gcode.codes import AXES, LARGEST
from armillary.programs.gcode.compiler import Arc, Assign, Block, Move, compile_block
from armillary.programs.gcode.errors import LineFault
from armillary.programs.gcode.execution import Execution, apply_settings
from armillary.programs.gcode.flow import Flow
from armillary.programs.gcode.machine import Machine
from armillary.programs.gcode.moves import arc
from armillary.programs.gcode.plain_lines import PlainLines, true_column
from armillary.programs.gcode.program import Control, Program
from armillary.programs.gcode.straight import source_line, straight

__all__ = ["Inputs", "Step", "Steps"]

Step = Arc | Assign | Block | Control | Move
Inputs = Callable[[canon.WaitInput], float]


class Steps:
    """Reads lines and carries them out on one machine.

    Attributes:
        has_six_axes: Whether programs may use X, Y, Z, A, B and C.
    """

    def __init__(self, flow: Flow, execution: Execution, inputs: Inputs | None, inputs_are_asked: Callable[[], bool]) -> None:
        self.machine: Machine = flow.machine
        self.parameters = flow.machine.parameters
        self.inputs_are_asked = inputs_are_asked
        self._flow, self._execution, self._inputs = flow, execution, inputs
        axes = self.machine.settings.axes.lower()
        self.has_six_axes = set("xyzabc") <= set(axes)
        self._axes = frozenset(AXES.index(letter) for letter in axes)
        self._arc_words = frozenset(axes + "ijkrpf")
        self._plain_lines = PlainLines()

    def read(self, program: Program, at: int) -> Step:
        """A line, read.

        Raises:
            LineFault: It cannot be taken.
        """
        line = program.lines[at]
        if self.machine.settings.block_delete and line.lstrip().startswith("/"):
            return Block()
        plain = None if program.again[at] or at in program.controls else self._plain_lines.read(line)
        return plain or program.read_block(at)

    def carry_out(self, step: Step, program: Program, at: int) -> Iterator[canon.Canon]:
        """The commands of one line of whatever kind."""
        if isinstance(step, Control):
            yield from self._flow.go(step, at)
        elif isinstance(step, Move):
            yield from self.move(step, program, at)
        elif isinstance(step, Assign):
            self.parameters.numbers[step.number] = step.value(self.parameters)
        elif isinstance(step, Arc):
            yield from self._arc(step, program, at)
        else:
            for command in self._block(step, program, at):
                yield command
                if isinstance(command, canon.WaitInput):
                    self._wait(command)

    def _block(self, block: Block, program: Program, at: int) -> Sequence[canon.Canon]:
        codes = block.m_codes or {}
        if not (block.g or block.m or block.words or block.comments):
            apply_settings(block.settings, self.machine)
            return ()
        self.machine.stamp += 1
        try:
            if 11 in codes:
                return self._flow.call_plain(block)
            if codes.get(4, (0, 0))[0] == 99 and self._flow.frames:
                return self._flow.return_plain(program.source(at))
            return self._execution.run(block, program.source(at))
        except LineFault as fault:
            if block.plain:
                fault.column = true_column(program.lines[at], fault.column)
            raise

    def _arc(self, step: Arc, program: Program, at: int) -> Sequence[canon.Canon]:
        """An arc; whatever is not as usual is carried out in full, which also says what is wrong."""
        machine, modes, parameters = self.machine, self.machine.modes, self.parameters
        motion = step.motion if step.motion >= 0 else modes.motion
        words = step.constant
        if words is None:
            words = {letter: value(parameters) if callable(value) else value for letter, value in step.words.items()}
        feed = words.get("f", modes.feed)
        if motion in (20, 30) and 0.0 < feed < math.inf and not modes.inverse_time and words.keys() <= self._arc_words:
            try:
                commands = arc(machine, motion == 20, words, source_line(program.file, at + 1))
            except (LineFault, ArithmeticError, ValueError):
                commands = []
            if commands:
                modes.motion, machine.cycle_start = motion, None
                if "f" not in words:
                    return commands
                modes.feed = feed
                return canon.SetFeedRate(commands[0].source, feed * modes.unit), *commands
        whole = step if step.block is not None else compile_block(program.lines[at])
        return self._block(whole.block if isinstance(whole, Arc) and whole.block else Block(), program, at)

    def move(self, step: Move, program: Program, at: int) -> Sequence[canon.Canon]:
        """A straight move, remembered in its step; a line that only looks like one is carried out in full."""
        machine, modes, start = self.machine, self.machine.modes, self.machine.position
        motion = step.motion if step.motion >= 0 else modes.motion
        feed = modes.feed if step.feed is None else step.feed(self.parameters) if callable(step.feed) else step.feed
        usual = motion == 0 or (motion == 10 and feed > 0.0)
        if not usual or modes.inverse_time or not 0.0 <= feed < math.inf or not step.indices <= self._axes:
            return self._block(step.block, program, at)
        end, unit, parameters = list(start), modes.unit, self.parameters
        for index, value in step.axes:
            number = value(parameters) if callable(value) else value
            number = number * unit if index < 3 or index > 5 else number
            end[index] = number = number if modes.absolute else end[index] + number
            if not abs(number) < LARGEST:
                advice = f"expected less than {LARGEST:g}"
                raise LineFault(f"a position of {number:g}", advice, self._column(step, program, at, index))
        position, command = tuple(end), step.command
        modes.motion, machine.cycle_start = motion, None
        if command is None or command.position != position or step.moved != motion or not step.constant:
            command = straight(motion, source_line(program.file, at + 1), position)
        machine.position = command.position
        step.start, step.stamp, step.moved, step.command = start, machine.stamp, motion, command if step.constant else None
        if step.feed is None:
            return (command,)
        modes.feed = feed
        return canon.SetFeedRate(command.source, feed * unit), command

    def _column(self, step: Move, program: Program, at: int, index: int) -> int | None:
        column = step.block.words[AXES[index]].column
        return true_column(program.lines[at], column) if step.block.plain else column

    def _wait(self, command: canon.WaitInput) -> None:
        if not self.inputs_are_asked():
            return
        if self._inputs is None:
            raise LineFault("M66 asks for an input and there are none", "pass inputs to interpret")
        self.parameters.numbers[5399] = float(self._inputs(command))
