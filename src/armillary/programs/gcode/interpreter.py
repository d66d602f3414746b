"""The interpreter in one call: a program's text in, canonical commands out, one at a time."""

from collections.abc import Iterator
from pathlib import Path

from armillary.programs.gcode import canon
from armillary.programs.gcode.machine import MachineSettings
from armillary.programs.gcode.parameters import Parameters
from armillary.programs.gcode.run import GcodeRun
from armillary.programs.gcode.steps import Inputs

__all__ = ["interpret"]


def interpret(
    source: Path | str,
    *,
    parameters: Parameters | None = None,
    machine: MachineSettings | None = None,
    inputs: Inputs | None = None,
) -> Iterator[canon.Canon]:
    """The canonical commands of a program, the short way of `GcodeRun`, whose arguments these are.

    It is a generator: it can be closed at any moment, and an endless loop that commands something is no harm.

    Raises:
        BadGcode: A line cannot be run, before anything of it is done.
        BadProgram: The file cannot be read.
    """
    return iter(GcodeRun(source, parameters=parameters, machine=machine, inputs=inputs))
