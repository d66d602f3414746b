"""Robot commands, as in `P0001 MOVEJ_RPY_LSPB {TCP} 0 1174.4 1176 0 0 0 [20] (mm,deg,s) {B}`: text in, commands out."""

from armillary.programs.script.errors import BadScript, Problem
from armillary.programs.script.formatter import format_script
from armillary.programs.script.memory import Modes
from armillary.programs.script.run import ScriptRun, check
from armillary.programs.script.script import Script, parse

__all__ = ["BadScript", "Modes", "Problem", "Script", "ScriptRun", "check", "format_script", "parse"]
