"""What runs while a robot moves: processes, the channel between them, states, the guard."""

from armillary.runtime.channel import Board, Pipe, memory_folder
from armillary.runtime.errors import BadChannel, Refused, RuntimeProblem
from armillary.runtime.executor import Executor
from armillary.runtime.guard import Fault, Guard, Tolerances
from armillary.runtime.handover import Handover
from armillary.runtime.happening import Happening
from armillary.runtime.histogram import Histogram, Histograms
from armillary.runtime.states import ENTRY, TRANSITIONS, Event, State, entry_of, next_state
from armillary.runtime.station import Station
from armillary.runtime.station_settings import StationSettings

__all__ = [
    "ENTRY",
    "TRANSITIONS",
    "BadChannel",
    "Board",
    "Event",
    "Executor",
    "Fault",
    "Guard",
    "Handover",
    "Happening",
    "Histogram",
    "Histograms",
    "Pipe",
    "Refused",
    "RuntimeProblem",
    "State",
    "Station",
    "StationSettings",
    "Tolerances",
    "entry_of",
    "memory_folder",
    "next_state",
]
