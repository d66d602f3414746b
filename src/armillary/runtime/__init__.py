"""What runs while a robot moves: processes, the channel between them, states, the guard."""

from armillary.runtime.channel import Board, Pipe, memory_folder
from armillary.runtime.errors import BadChannel, RuntimeProblem
from armillary.runtime.states import ENTRY, TRANSITIONS, Event, State, entry_of, next_state

__all__ = [
    "ENTRY",
    "TRANSITIONS",
    "BadChannel",
    "Board",
    "Event",
    "Pipe",
    "RuntimeProblem",
    "State",
    "entry_of",
    "memory_folder",
    "next_state",
]
