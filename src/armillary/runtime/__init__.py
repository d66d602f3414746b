"""What runs while a robot moves: processes, the channel between them, states, the guard."""

from armillary.runtime.channel import Board, Pipe, memory_folder
from armillary.runtime.errors import BadChannel, RuntimeProblem
from armillary.runtime.executor import Executor, Happening, Refused
from armillary.runtime.guard import Fault, Guard, Tolerances
from armillary.runtime.histogram import Histogram
from armillary.runtime.link import Link
from armillary.runtime.states import ENTRY, TRANSITIONS, Event, State, entry_of, next_state

__all__ = [
    "ENTRY",
    "TRANSITIONS",
    "BadChannel",
    "Board",
    "Event",
    "Executor",
    "Fault",
    "Guard",
    "Happening",
    "Histogram",
    "Link",
    "Pipe",
    "Refused",
    "RuntimeProblem",
    "State",
    "Tolerances",
    "entry_of",
    "memory_folder",
    "next_state",
]
