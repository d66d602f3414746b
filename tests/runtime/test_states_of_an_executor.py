"""Every pair of state and event on an executor whose drives tell what was asked of them: the table is what happens."""

import itertools
from collections.abc import Callable

import pytest

from armillary.drivers import IdealDriver
from armillary.runtime import Event, Fault, State, next_state
from armillary.runtime.errors import Refused
from tests.runtime.executor_rig import AWAY, HOME, LIMITS, Clock, Rig


class _Telling(IdealDriver):
    """Ideal drives that keep what was asked of them."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(HOME, LIMITS.acceleration, clock=clock)
        self.asked: list[str] = []

    def enable(self) -> None:
        self.asked.append("enable")
        super().enable()

    def disable(self) -> None:
        self.asked.append("disable")
        super().disable()

    def stop(self) -> None:
        self.asked.append("stop")
        super().stop()

    def close(self) -> None:
        self.asked.append("close")
        super().close()


def brought_to(state: State) -> tuple[Rig, _Telling]:
    rig = Rig(_Telling)
    driver = rig.driver
    assert isinstance(driver, _Telling)
    executor = rig.executor
    if state == State.FAULTED:
        rig.up()
        executor.fail(Fault("number", "", 0.0, 0.0, 0.0, "made by a test", on_path=False))
    elif state != State.OFF:
        executor.power_on()
        if state != State.STOPPED:
            executor.initialise()
        if state not in (State.STOPPED, State.INITIALISING):
            rig.until(State.READY)
        if state in (State.MOVING, State.HOLDING):
            rig.go()
            rig.tick(200)
        if state == State.HOLDING:
            executor.hold()
            rig.tick(1000)
    assert executor.state == state
    driver.asked.clear()
    return rig, driver


def orders(rig: Rig) -> dict[Event, Callable[[], object]]:
    """What brings an event about; INITIALISED and ARRIVED come by themselves."""
    executor = rig.executor
    return {
        Event.POWER_ON: executor.power_on, Event.POWER_OFF: executor.power_off, Event.INITIALISE: executor.initialise,
        Event.MOVE: lambda: rig.go(AWAY + 0.02), Event.HOLD: executor.hold, Event.RESUME: executor.resume,
        Event.STOP: executor.stop, Event.STOP_AND_LATCH: lambda: executor.stop(latch=True),
        Event.STOP_AND_POWER_OFF: lambda: executor.stop(1), Event.STOP_NOW: lambda: executor.stop(0), Event.RESET: executor.reset,
        Event.FAULT: lambda: executor.fail(Fault("number", "", 0.0, 0.0, 0.0, "made by a test", on_path=False)),
    }  # fmt: skip


@pytest.mark.parametrize(("state", "event"), list(itertools.product(State, set(Event) - {Event.INITIALISED, Event.ARRIVED})))
def test_what_the_table_says_is_what_happens(state: State, event: Event) -> None:
    rig, driver = brought_to(state)
    wanted = next_state(state, event)
    stops = (Event.STOP, Event.STOP_AND_LATCH, Event.STOP_AND_POWER_OFF, Event.STOP_NOW)
    if wanted is None and event not in stops:
        with pytest.raises(Refused):
            orders(rig)[event]()
        assert rig.executor.state == state and not driver.asked, "what is refused changes nothing"
        return
    orders(rig)[event]()
    if event in stops and state == State.MOVING:
        rig.tick(3000)  # on its path, which takes a while
    assert rig.executor.state == (wanted if wanted is not None else state)
    if wanted == State.STOPPED and event != Event.POWER_ON:
        assert "stop" in driver.asked, "the entry of STOPPED: a hard stop is sent"
    if wanted == State.INITIALISING:
        assert driver.asked[-1] == "enable"
    if wanted == State.OFF and state != State.OFF:
        assert driver.asked[-1] == "close"


def test_initialised_and_arrived_come_by_themselves() -> None:
    rig, _ = brought_to(State.INITIALISING)
    rig.until(State.READY)
    rig.go()
    rig.until(State.READY, 40_000)


@pytest.mark.parametrize("state", [State.READY, State.MOVING, State.HOLDING])
def test_a_latched_stop_is_left_only_by_initialising(state: State) -> None:
    rig, driver = brought_to(state)
    rig.executor.stop(latch=True)
    rig.tick(3000)
    assert rig.executor.state == State.STOPPED and driver.asked[-1] == "stop"
    for order in (Event.MOVE, Event.RESUME, Event.HOLD):
        with pytest.raises(Refused):
            orders(rig)[order]()
    rig.executor.stop()
    rig.tick(10)
    assert rig.executor.state == State.STOPPED, "a weaker stop does not weaken it"
    rig.executor.initialise()
    rig.until(State.READY)
    rig.go()
    rig.until(State.READY, 40_000)


def test_the_stronger_of_two_stops_counts() -> None:
    for first, then, wanted in (
        ({"latch": True}, {}, State.STOPPED), ({}, {"latch": True}, State.STOPPED), ({"category": 1}, {"latch": True}, State.OFF),
        ({"latch": True}, {"category": 1}, State.OFF),
    ):  # fmt: skip
        rig, _ = brought_to(State.MOVING)
        rig.executor.stop(**first)
        rig.tick(5)
        rig.executor.stop(**then)
        rig.tick(3000)
        assert rig.executor.state == wanted
