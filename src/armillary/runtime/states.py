"""What a cell can be in, and what brings it from one state to another: a table."""

from enum import IntEnum

__all__ = ["ENTRY", "TRANSITIONS", "Event", "State", "as_drawing", "as_table", "entry_of", "next_state", "stronger_stop"]


class State(IntEnum):
    """What a cell is in."""

    OFF = 0  # drives without power
    STOPPED = 1  # powered, not to be moved before it is initialised
    INITIALISING = 2  # buffers cleared, drives being enabled
    READY = 3  # stands, and may be moved
    MOVING = 4
    HOLDING = 5  # a motion is held on its path and can go on
    FAULTED = 6  # something was wrong; only a person's reset leaves it


class Event(IntEnum):
    """What happens to a cell."""

    POWER_ON = 0
    POWER_OFF = 1
    INITIALISE = 2
    INITIALISED = 3  # the drives are enabled and say where they are
    MOVE = 4
    ARRIVED = 5
    HOLD = 6
    RESUME = 7
    STOP = 8  # category 2: stop on the path, drives stay enabled
    STOP_AND_POWER_OFF = 9  # category 1: stop on the path, then power off
    STOP_NOW = 10  # category 0: power off at once
    FAULT = 11
    RESET = 12
    STOP_AND_LATCH = 13  # category 2, and not to be moved before it is initialised again: a person's STOP


# (state, event) -> state. What is not here is refused, and nothing changes.
TRANSITIONS: dict[tuple[State, Event], State] = {
    (State.OFF, Event.POWER_ON): State.STOPPED,
    (State.STOPPED, Event.INITIALISE): State.INITIALISING,
    (State.STOPPED, Event.STOP): State.STOPPED,
    (State.INITIALISING, Event.INITIALISED): State.READY,
    (State.INITIALISING, Event.STOP): State.STOPPED,
    (State.READY, Event.MOVE): State.MOVING,
    (State.READY, Event.STOP): State.READY,
    (State.READY, Event.INITIALISE): State.INITIALISING,
    (State.MOVING, Event.MOVE): State.MOVING,
    (State.MOVING, Event.ARRIVED): State.READY,
    (State.MOVING, Event.HOLD): State.HOLDING,
    (State.MOVING, Event.STOP): State.READY,
    (State.HOLDING, Event.RESUME): State.MOVING,
    (State.HOLDING, Event.HOLD): State.HOLDING,
    (State.HOLDING, Event.ARRIVED): State.READY,
    (State.HOLDING, Event.STOP): State.READY,
    (State.FAULTED, Event.STOP): State.FAULTED,
    (State.FAULTED, Event.RESET): State.STOPPED,
    (State.FAULTED, Event.STOP_AND_LATCH): State.FAULTED,
    **{(state, Event.STOP_AND_LATCH): State.STOPPED for state in State if state not in (State.OFF, State.FAULTED)},
    # From everywhere.
    **{(state, Event.POWER_OFF): State.OFF for state in State if state not in (State.MOVING, State.FAULTED)},
    **{(state, Event.STOP_AND_POWER_OFF): State.OFF for state in State if state != State.FAULTED},
    **{(state, Event.STOP_NOW): State.OFF for state in State if state != State.FAULTED},
    **{(State.FAULTED, event): State.FAULTED for event in (Event.STOP_AND_POWER_OFF, Event.STOP_NOW, Event.POWER_OFF)},
    **{(state, Event.FAULT): State.FAULTED for state in State},
}

# What the executor does when a state is entered, in words. Paper 2: Stop, Init, Move.
ENTRY: dict[State, str] = {
    State.OFF: "drives disabled, power off",
    State.STOPPED: "hard stop sent to the drives",
    State.INITIALISING: "buffers cleared, drives enabled",
    State.READY: "the position is held",
    State.MOVING: "the trajectory is sampled in each tick",
    State.HOLDING: "the rate goes to zero on the path",
    State.FAULTED: "stop on the path where that can be done, hard stop otherwise; the fault is latched",
}


def next_state(state: State, event: Event) -> State | None:
    """The state that an event leads to, or None where it is refused."""
    return TRANSITIONS.get((state, event))


def stronger_stop(one: Event | None, two: Event) -> Event:
    """Of two stops that are under way the one that counts: a stronger one is not weakened."""
    stops = (Event.STOP, Event.STOP_AND_LATCH, Event.STOP_AND_POWER_OFF)
    return two if one is None else max(one, two, key=stops.index)


def entry_of(state: State) -> str:
    """What is done when a state is entered."""
    return ENTRY[state]


def as_table() -> str:
    """The table for the docs: a row a state, a column an event."""
    events = list(Event)
    head = "| from | " + " | ".join(event.name.lower().replace("_", " ") for event in events) + " |"
    rule = "|---" * (len(events) + 1) + "|"
    rows = []
    for state in State:
        cells = [next_state(state, event) for event in events]
        rows.append(f"| {state.name} | " + " | ".join("" if cell is None else cell.name for cell in cells) + " |")
    return "\n".join([head, rule, *rows])


def as_drawing() -> str:
    """The table as a drawing (Mermaid); what leads to the same state is left out."""
    lines = ["stateDiagram-v2", "    [*] --> OFF"]
    arrows: dict[tuple[State, State], list[str]] = {}
    for (state, event), to in TRANSITIONS.items():
        arrows.setdefault((state, to), []).append(event.name.lower().replace("_", " "))
    lines += [f"    {one.name} --> {two.name}: {', '.join(names)}" for (one, two), names in arrows.items() if one != two]
    lines += [f"    note right of {state.name}: {ENTRY[state]}" for state in State]
    return "\n".join(lines)
