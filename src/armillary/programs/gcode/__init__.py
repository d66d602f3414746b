"""G-code (RS274/NGC as LinuxCNC reads it): text in, canonical commands out, no machine needed."""

from armillary.programs.gcode.canon import Canon
from armillary.programs.gcode.canon_text import format_canon, format_program
from armillary.programs.gcode.errors import BadGcode
from armillary.programs.gcode.interpreter import interpret
from armillary.programs.gcode.machine import MachineSettings, Tool
from armillary.programs.gcode.parameters import Parameters

__all__ = ["BadGcode", "Canon", "MachineSettings", "Parameters", "Tool", "format_canon", "format_program", "interpret"]
