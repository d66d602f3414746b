"""Lines typed one by one ("manual data input"): each is run at once, and what it sets stays for the next."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from armillary.cell.program_run import ProgramRun, RunState
from armillary.errors import ArmillaryError
from armillary.programs import BadProgram
from armillary.programs.languages import language_named
from armillary.programs.outputs_with_motion import MotionOutputs

if TYPE_CHECKING:
    from armillary.cell.cell import Cell

__all__ = ["TypedLines"]


class TypedLines:
    """A session of typed lines in one language: a line means what it would in a program behind the others.

    Attributes:
        lines: What was typed and done.
    """

    def __init__(self, cell: "Cell", language: str = "gcode") -> None:
        """Args:
        language: "gcode", "script", or the name of one from elsewhere.
        """
        self.cell, self.language = cell, language_named(language)
        self._session = self.language.session(cell.options_of(self.language))
        self._outputs: MotionOutputs = ()  # that wait for a line that moves
        self.lines: list[str] = []

    def run(self, line: str, *, begins: Callable[[ProgramRun], None] | None = None, held: bool = False) -> ProgramRun:
        """Run a line, and wait until it is done.

        Args:
            begins: Told of the run before it begins: who watches over it can then pause and stop it.

        Raises:
            ArmillaryError: It cannot be done.
        """
        if "\n" in line.strip():
            raise BadProgram("these are several lines; type one at a time, or write a file")
        waiting, self._outputs = self._outputs, ()
        run = ProgramRun(self.cell, self._session.run(line, self.cell.surroundings()), pauses=False, outputs=waiting, held=held)
        if begins is not None:
            begins(run)
        try:
            run.run()
        except ArmillaryError:
            self._session.forget()
            raise
        if run.state == RunState.ENDED:
            self._outputs = run.outputs
        self.lines.append(line)
        return run
