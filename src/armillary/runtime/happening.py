"""Something that happened to a robot: for the recording and for people."""

from dataclasses import dataclass

from armillary.runtime.states import Event, State

__all__ = ["Happening"]


@dataclass(frozen=True)
class Happening:
    """Something that happened: for the recording and for people.

    Attributes:
        time: [s, the executor's clock].
        event: What.
        state: Which state it led to.
        text: More, in words.
    """

    time: float
    event: Event
    state: State
    text: str = ""
