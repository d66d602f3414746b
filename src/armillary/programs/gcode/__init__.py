"""G-code (RS274/NGC as LinuxCNC reads it): text in, canonical commands out, no machine needed."""

from armillary.programs.gcode.active_modes import ActiveModes
from armillary.programs.gcode.canon import Canon
from armillary.programs.gcode.canon_text import format_canon, format_program
from armillary.programs.gcode.check import check
from armillary.programs.gcode.errors import BadGcode
from armillary.programs.gcode.flow import Call
from armillary.programs.gcode.interpreter import interpret
from armillary.programs.gcode.machine import MachineSettings, Tool
from armillary.programs.gcode.parameter_file import BadParameterFile, read_parameters, write_parameters
from armillary.programs.gcode.parameters import Parameters
from armillary.programs.gcode.run import GcodeRun
from armillary.programs.gcode.tool_table import BadToolTable, read_tool_table

__all__ = [
    "ActiveModes", "BadGcode", "BadParameterFile", "BadToolTable", "Call", "Canon", "GcodeRun", "MachineSettings", "Parameters",
    "Tool", "check", "format_canon", "format_program", "interpret", "read_parameters", "read_tool_table", "write_parameters",
]  # fmt: skip
