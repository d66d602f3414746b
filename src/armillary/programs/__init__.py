"""Programs: what every language ends in, and the languages."""

from armillary.programs.commands import (
    Command,
    Dwell,
    End,
    Keep,
    Move,
    MoveArc,
    MoveCircle,
    MoveJoints,
    MoveLine,
    MovePose,
    MoveSpline,
    Pause,
    Say,
    SetOutput,
    SourceLine,
    Stop,
    WaitInput,
)
from armillary.programs.errors import BadProgram
from armillary.programs.moves_file import read_moves
from armillary.programs.surroundings import Inputs, NoInputs, Point, Surroundings

__all__ = [
    "BadProgram", "Command", "Dwell", "End", "Inputs", "Keep", "Move", "MoveArc", "MoveCircle", "MoveJoints", "MoveLine",
    "MovePose", "MoveSpline", "NoInputs", "Pause", "Point", "Say", "SetOutput", "SourceLine", "Stop", "Surroundings", "WaitInput",
    "read_moves",
]  # fmt: skip
