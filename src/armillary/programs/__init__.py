"""Programs: what every language ends in, and the languages."""

from armillary.programs.commands import Command, Dwell, MoveArc, MoveJoints, MoveLine, MovePose, SourceLine
from armillary.programs.errors import BadProgram
from armillary.programs.moves_file import read_moves

__all__ = ["BadProgram", "Command", "Dwell", "MoveArc", "MoveJoints", "MoveLine", "MovePose", "SourceLine", "read_moves"]
