"""A script that runs: commands out, one at a time, and what is in force while it does."""

from collections.abc import Iterator

from armillary.programs.commands import Command, End, SourceLine, Stop
from armillary.programs.script.compiler import END, compile_script
from armillary.programs.script.errors import Fault
from armillary.programs.script.jumps import bodies_of, walk
from armillary.programs.script.memory import Memory, Modes
from armillary.programs.script.scope import Scope
from armillary.programs.script.script import Script
from armillary.programs.script.statements import Comment
from armillary.programs.script.steps import SETTINGS, Step, compile_step
from armillary.programs.surroundings import Surroundings

__all__ = ["BUDGET", "ScriptRun", "check"]

BUDGET = 1_000_000  # steps between two commands, those of long lines counted as several


def check(script: Script, surroundings: Surroundings) -> None:
    """That nothing can be known to be wrong with a script before it runs.

    Raises:
        BadScript: All that is.
    """
    compile_script(script, surroundings)


class ScriptRun:
    """The commands of a script, computed one at a time as they are asked for, so that inputs are read when it is there.

    Attributes:
        line: Of the statement that was run last, from 1; 0 before the first.
    """

    def __init__(self, script: Script, surroundings: Surroundings, *, start_line: int = 0, budget: int = BUDGET) -> None:
        """A run from a line on. What earlier lines outside of blocks set (variables, points, modes) is in force there.

        Args:
            budget: Steps between two commands, those of long lines counted as several, above which a loop is taken to be endless.

        Raises:
            BadScript: All that can be known to be wrong; of a script that is long, what comes is read as it runs.
        """
        self.script, self.line, self._budget = script, 0, budget
        self._surroundings, self._start_line = surroundings, start_line
        self._memory = Memory(surroundings.points, surroundings.inputs)
        self._code = None if script.is_long else compile_script(script, surroundings)
        self._commands = self._run_long() if self._code is None else self._run()

    @property
    def variables(self) -> dict[str, float]:
        """All variables, those of the subroutine that is running over those of the program."""
        return {**self._memory.variables, **self._memory.calls[-1].parameters}

    @property
    def modes(self) -> Modes:
        """Tool, frame, speeds and units in force."""
        return self._memory.modes

    @property
    def call_stack(self) -> tuple[tuple[str, int], ...]:
        """The subroutines that are running, outermost first, each with the line that called it."""
        return tuple((call.name, call.line) for call in self._memory.calls[1:])

    def __iter__(self) -> Iterator[Command]:
        return self

    def __next__(self) -> Command:
        return next(self._commands)

    def _do(self, line: int, step: Step) -> Command | int | None:
        self.line = line
        try:
            return step(self._memory)
        except Fault as fault:
            raise self.script.error(fault) from None

    def _run(self) -> Iterator[Command]:
        assert self._code is not None
        steps, work, position, left = self._code.steps, self._code.work, self._start(), self._budget
        while position != END:
            line, step = steps[position]
            result = self._do(line, step)
            left -= work[position]
            if result is None:
                position += 1
            elif isinstance(result, int):
                position = result
            else:
                yield result
                if isinstance(result, Stop):
                    return
                position, left = position + 1, self._budget
            if left <= 0:
                raise self.script.error(self._endless(line))
        yield self._end()

    def _endless(self, line: int) -> Fault:
        return Fault(
            f"{self._budget} steps without a command: this loop does not end", "put a motion, DWELL or WAIT into it", (line, 1)
        )

    def _end(self) -> End:
        return End(source=SourceLine(self.script.file, len(self.script.lines)))

    def _start(self) -> int:
        """The step to begin with; what earlier lines set is done."""
        assert self._code is not None
        if self._start_line <= 1:
            return 0
        self._refuse_inside()
        settings = {statement.at[0] for statement in self.script.statements if isinstance(statement, SETTINGS)}
        for line, position in self._code.starts:
            if line >= self._start_line:
                return position
            if line in settings:
                self._do(line, self._code.steps[position][1])
        raise self.script.error(
            Fault(f"nothing is left to run from line {self._start_line} on", "start before it", (self._start_line, 1))
        )

    def _refuse_inside(self) -> None:
        for statement in self.script.statements:
            inside = [inner.at[0] for body in bodies_of(statement) for inner in walk(body)]
            if inside and statement.at[0] < self._start_line <= max(inside):
                raise self.script.error(
                    Fault(
                        f"line {self._start_line} is inside the block that begins in line {statement.at[0]}",
                        "start at a line outside of all blocks", (self._start_line, 1),
                    )
                )  # fmt: skip

    def _run_long(self) -> Iterator[Command]:
        scope = Scope(self.script.file, self._surroundings)
        for statement in self.script.flat():
            line = statement.at[0]
            if isinstance(statement, Comment) or (line < self._start_line and not isinstance(statement, SETTINGS)):
                continue
            if isinstance(statement, SETTINGS):
                scope.declare((statement,))
            try:
                step = compile_step(statement, scope)
            except Fault as fault:
                raise self.script.error(fault) from None
            result = self._do(line, step)
            if isinstance(result, Command):
                yield result
                if isinstance(result, Stop):
                    return
        yield self._end()
