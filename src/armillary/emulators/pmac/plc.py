"""A PLC program: computed again and again, beside motion."""

from armillary.emulators.pmac.expression import Variables
from armillary.emulators.pmac.program import Act, Program
from armillary.emulators.pmac.refusal import Refusal
from armillary.emulators.pmac.statement import Kind

__all__ = ["Plc"]


class Plc:
    """A PLC program and whether it is computed.

    Attributes:
        number: 0 is the foreground one, computed more often than the others.
    """

    def __init__(self, number: int, program: Program) -> None:
        self.number, self.program, self.enabled = number, program, False
        self._at = 0

    def may_run(self, switch: float) -> bool:
        """Whether I5 lets it: bit 0 for program 0, bit 1 for the others."""
        return self.enabled and bool(int(switch) & (1 if self.number == 0 else 2))

    def scan(self, variables: Variables, act: Act) -> None:
        """Compute it once: to its end, or to the end of a loop's round."""
        try:
            self._at, _ = self.program.run(self._at, variables, act, lambda statement: statement.kind == Kind.STOP)
        except (ArithmeticError, Refusal, ValueError):
            self.enabled, self._at = False, 0
        if self.program.ended(self._at):
            self._at = 0

    def restart(self) -> None:
        self._at = 0
