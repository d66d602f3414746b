"""The table of states: every pair of state and event."""

import itertools
from pathlib import Path

import pytest

from armillary.runtime import ENTRY, TRANSITIONS, Event, State, entry_of, next_state
from armillary.runtime.states import as_drawing, as_table


@pytest.mark.parametrize(("state", "event"), list(itertools.product(State, Event)))
def test_every_pair(state: State, event: Event) -> None:
    to = next_state(state, event)
    if event == Event.FAULT:
        assert to == State.FAULTED, "a fault is a fault in every state"
    if state == State.FAULTED:
        assert to in (None, State.FAULTED) or event == Event.RESET, "only a reset leaves a fault"
    if to == State.MOVING:
        assert state in (State.READY, State.MOVING, State.HOLDING), "nothing moves that was not initialised"
    if event in (Event.STOP, Event.STOP_AND_LATCH, Event.STOP_NOW, Event.STOP_AND_POWER_OFF) and state != State.OFF:
        assert to is not None, "a stop is never refused"
        assert to not in (State.MOVING, State.HOLDING, State.INITIALISING)
    if event == Event.INITIALISED:
        assert to is None or state == State.INITIALISING
    if event == Event.RESUME:
        assert to is None or state == State.HOLDING


def test_every_state_can_be_reached_and_left() -> None:
    reached = {State.OFF}
    while True:
        more = {to for (state, _), to in TRANSITIONS.items() if state in reached} | reached
        if more == reached:
            break
        reached = more
    assert reached == set(State)
    for state in State:
        assert any(one == state and to != state for (one, _), to in TRANSITIONS.items())
        assert entry_of(state) == ENTRY[state] != ""


def test_the_docs_show_and_draw_the_table() -> None:
    text = (Path(__file__).parents[2] / "docs" / "runtime.md").read_text()
    assert as_table() in text
    assert f"```mermaid\n{as_drawing()}\n```" in text
