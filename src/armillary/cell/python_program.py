"""Programs in Python, on the Cell interface."""

import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from armillary.errors import ArmillaryError
from armillary.programs import BadProgram
from armillary.programs.languages import read_program

if TYPE_CHECKING:
    from armillary.cell.cell import Cell

__all__ = ["run_python"]


def run_python(cell: "Cell", path: Path) -> None:
    """Run a file of Python, in which `cell` is the cell. It is trusted as any Python program that one starts is.

    Raises:
        BadProgram: It is no Python, or it failed; says the line.
    """
    text = read_program(path)
    try:
        code = compile(text, str(path), "exec")
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", 0) or 0
        raise BadProgram(f"{path}:{line}: it is no Python: {getattr(error, 'msg', error)}") from None
    sys.path.insert(0, str(path.parent))
    try:
        exec(code, {"__name__": "__main__", "__file__": str(path), "cell": cell})
    except SystemExit as end:
        if end.code not in (None, 0):
            raise BadProgram(f"{path}: it ended with {end.code}") from None
    except Exception as error:
        raise BadProgram(f"{path}:{_line_of(error, path)}: {_words(error)}") from None
    finally:
        sys.path.remove(str(path.parent))


def _line_of(error: Exception, path: Path) -> int:
    """The line of the file itself in which it went wrong, the innermost."""
    lines = [frame.lineno or 0 for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return lines[-1] if lines else 0


def _words(error: Exception) -> str:
    return str(error) if isinstance(error, ArmillaryError) else f"{type(error).__name__}: {error}"
