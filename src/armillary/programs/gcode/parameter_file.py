"""The file in which parameters outlast a program, in the form of LinuxCNC's .var files: a number and a value on each line."""

import math
from pathlib import Path

from armillary.programs.errors import BadProgram
from armillary.programs.gcode.parameters import LAST, Parameters
from armillary.regular_file import read_regular
from armillary.whole_file import CannotWrite, write_whole

__all__ = ["BadParameterFile", "read_parameters", "write_parameters"]

# What LinuxCNC keeps whether or not the file held it before: the homes, the offset of G92, the coordinate systems.
_KEPT = (*range(5161, 5170), *range(5181, 5190), *range(5210, 5220), 5220)
_KEPT += tuple(first + i for first in range(5221, 5400, 20) for i in range(10))


class BadParameterFile(BadProgram):
    """A file of parameters that cannot be trusted; nothing of it is used.

    Attributes:
        line: Where, from 1; 0 for the file as a whole.
    """

    def __init__(self, path: Path, line: int, what: str, advice: str) -> None:
        self.path, self.line = path, line
        super().__init__(f"{path}{f':{line}' if line else ''}: {what}; {advice}")


def read_parameters(path: Path, *, keep_g92: bool = True) -> Parameters:
    """Parameters as a file has them; all zero where there is no file yet.

    Args:
        keep_g92: Whether the offset of G92 outlasts the program that set it (LinuxCNC's DISABLE_G92_PERSISTENCE = 0).

    Raises:
        BadParameterFile: A line is not a number of a parameter and its value, or the numbers do not rise.
    """
    try:
        text = read_regular(path).decode("ascii")
    except FileNotFoundError:
        return Parameters()
    except (OSError, UnicodeDecodeError) as error:
        raise BadParameterFile(path, 0, f"it cannot be read ({error})", "take it from a backup, or remove it") from None
    found: dict[int, float] = {}
    for index, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        number, value = _entry(path, index, line)
        if found and number <= max(found):
            raise BadParameterFile(path, index, f"#{number} comes after #{max(found)}", "put the numbers in rising order")
        found[number] = value
    if not keep_g92:
        found |= dict.fromkeys(range(5210, 5220), 0.0)
    return Parameters(found)


def _entry(path: Path, index: int, line: str) -> tuple[int, float]:
    advice = "expected the number of a parameter and its value, as in `5221 12.5`; correct it, or take the file from a backup"
    words = line.split()
    try:
        number, value = int(words[0]), float(words[1])
    except (ValueError, IndexError):
        raise BadParameterFile(path, index, f"{line.strip()[:60]!r} is no parameter", advice) from None
    if not 1 <= number <= LAST or not math.isfinite(value) or len(words) != 2:
        raise BadParameterFile(path, index, f"{line.strip()[:60]!r} is no parameter", advice)
    return number, value


def parameters_text(parameters: Parameters) -> str:
    """What is kept of parameters: those above 30 that are not zero, and always those that hold offsets and homes."""
    numbers = parameters.numbers
    kept = sorted({*_KEPT, *(number for number in range(31, 5400) if numbers[number] != 0.0)})
    return "".join(f"{number}\t{numbers[number]!r}\n" for number in kept if math.isfinite(numbers[number]))


def write_parameters(path: Path, parameters: Parameters | str) -> None:
    """Save parameters, or their text, so that a cut of power leaves the file as it was or as it is to be, never half of it.

    Raises:
        BadParameterFile: It cannot be written.
    """
    text = parameters if isinstance(parameters, str) else parameters_text(parameters)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
    except (OSError, CannotWrite) as error:
        why = error.why if isinstance(error, CannotWrite) else error.strerror
        raise BadParameterFile(path, 0, f"it cannot be written ({why})", "check the folder and its rights") from None
