"""Parameters: the numbered ones, the named ones, and those that the machine answers itself."""

from collections.abc import Callable, Mapping

__all__ = ["FIRST_SYSTEM", "G28_HOME", "G30_HOME", "G92_OFFSET", "LAST", "LOCALS", "Parameters", "system_parameter"]

LAST = 5602
LOCALS = 31  # 1 to 30 belong to the subroutine that runs
G28_HOME, G30_HOME, G92_OFFSET = 5161, 5181, 5211
FIRST_SYSTEM = 5221  # G54; each next coordinate system is 20 further, its rotation is the tenth


def system_parameter(system: int) -> int:
    """The parameter that holds x of coordinate system 1 to 9."""
    return FIRST_SYSTEM + 20 * (system - 1)


class Parameters:
    """Every parameter of a program. Lengths are in the machine's units, as LinuxCNC's .var file has them.

    Attributes:
        numbers: By number; 1 to 30 are those of the subroutine that runs.
        names: Local named parameters of the subroutine that runs.
        shared: Global named parameters, whose names begin with an underscore.
        live: Numbered parameters that the machine answers (position, tool).
        answers: Named parameters that the machine answers; they cannot be set.
    """

    def __init__(self, numbered: Mapping[int, float] | None = None) -> None:
        self.numbers = [0.0] * (LAST + 1)
        self.numbers[5220] = 1.0
        self.numbers[5599] = 1.0  # (DEBUG,) says something
        for number, value in (numbered or {}).items():
            self.numbers[number] = float(value)
        self.names: dict[str, float] = {}
        self.shared: dict[str, float] = {}
        self.live: dict[int, Callable[[], float]] = {}
        self.answers: dict[str, Callable[[], float]] = {}

    def read(self, number: int) -> float:
        """A numbered parameter, from the machine where that answers it."""
        answer = self.live.get(number)
        return answer() if answer is not None else self.numbers[number]

    def exists(self, name: str) -> bool:
        """Whether a named parameter has a value."""
        return name in self.answers or name in (self.shared if name.startswith("_") else self.names)

    def enter(self, arguments: list[float] | None) -> tuple[list[float] | None, dict[str, float]]:
        """Fresh locals for a subroutine, with its arguments; returns the caller's, for leave. None: only names are its own."""
        saved = self.numbers[1:LOCALS] if arguments is not None else None, self.names
        if arguments is not None:
            self.numbers[1:LOCALS] = arguments + [0.0] * (LOCALS - 1 - len(arguments))
        self.names = {}
        return saved

    def leave(self, saved: tuple[list[float] | None, dict[str, float]]) -> None:
        """The caller's locals again."""
        numbers, self.names = saved
        if numbers is not None:
            self.numbers[1:LOCALS] = numbers
