"""Inputs and outputs of every motor side, under an executor: what is set comes back, and what cannot be meant is refused."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armillary.drivers import Capabilities, Command, Driver, DriverError, Feedback, IdealDriver
from armillary.drivers.driver import MOST_ANALOG, MOST_DIGITAL, ForcedInputs
from armillary.drivers.physics import PhysicsDriver
from armillary.motion import limits_of, plan_joints
from armillary.protocols.twin import Mode
from armillary.runtime import Executor, Fault, Handover, Refused, State
from armillary.runtime.driver_host import DriverHost
from armillary.runtime.hosted_driver import HostedDriver
from armillary.runtime.station_channels import StationChannels
from armillary.twin.server import Server
from tests.runtime.playing_driver import PlayingDriver
from tests.twin.serving import model_of, physics_of, serving

MODEL = model_of("cobot6")
HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
AWAY = HOME + np.array([1.4, -0.3, 0.4, 0.2, 0.3, 0.6])


class Real(IdealDriver):
    """One that says it is real, with fewer inputs and outputs."""

    @property
    def capabilities(self) -> Capabilities:
        return replace(super().capabilities, simulated=False, outputs=4, inputs=4, analog_outputs=0, analog_inputs=1)


class Wired:
    """A motor side of a kind, and executors of it; time is the test's."""

    def __init__(self, kind: str, folder: Path, stack: ExitStack, *, outputs_off_on_fault: bool = False) -> None:
        self.now, self._off = 0.0, outputs_off_on_fault
        self._host: DriverHost | None = None
        self._server: Server | None = None
        self.driver = self._driver_of(kind, folder, stack)
        self.start()

    def _driver_of(self, kind: str, folder: Path, stack: ExitStack) -> Driver:
        if kind == "physics":
            self._server = stack.enter_context(serving(physics_of("cobot6", start=HOME, mode=Mode.LOCK_STEP)))
            driver = PhysicsDriver(("127.0.0.1", self._server.port), MODEL.joints, lock_step=True)
            stack.callback(driver.close)
            return driver
        made = (Real if kind == "real" else IdealDriver)(HOME, limits_of(MODEL).acceleration, clock=lambda: self.now)
        if kind != "hosted":
            return made
        stack.callback(StationChannels(folder, 6).close)
        self._host = DriverHost(folder, made, 6)
        return HostedDriver(folder, 6)

    def start(self) -> None:
        """A new executor: the one before, if any, has ended without a word, and its sockets with it."""
        if self._server is not None:
            self.driver.close()
            self.let_go()
        self.executor = Executor(MODEL, self.driver, outputs_off_on_fault=self._off)

    def let_go(self) -> None:
        """Wait until a twin has noticed that its master is gone: it takes one at a time."""
        end = time.monotonic() + 10.0
        while self._server is not None and self._server._master is not None:
            assert time.monotonic() < end
            time.sleep(0.001)

    def tick(self, count: int = 1) -> None:
        for _ in range(count):
            self.now += 0.001
            self.executor.tick(self.now)
            if self._host is not None:
                self._host.look()

    def up(self) -> "Wired":
        self.executor.power_on()
        self.executor.initialise()
        for _ in range(100):
            if self.executor.state == State.READY:
                return self
            self.tick()
        raise AssertionError(f"it does not become ready: {self.executor.fault}")

    def go(self) -> None:
        plan = plan_joints(MODEL, self.executor.command.q.copy(), AWAY)
        self.executor.run(Handover(plan.trajectory, plan.certificate))
        self.tick(100)
        assert self.executor.state == State.MOVING

    @property
    def inputs(self) -> tuple[int, list[float]]:
        return self.executor.feedback.inputs, self.executor.feedback.analog.tolist()


Wiring = Callable[..., Wired]
EVERY = pytest.mark.parametrize("kind", ["ideal", "physics", "hosted"])


@pytest.fixture
def wire(tmp_path: Path) -> Iterator[Wiring]:
    with ExitStack() as stack:
        yield lambda kind, **options: Wired(kind, tmp_path, stack, **options)


@EVERY
def test_what_is_set_comes_back_in_the_tick_after_it_was_sent(wire: Wiring, kind: str) -> None:
    rig = wire(kind).up()
    expected, analog = 0, [0.0] * MOST_ANALOG
    rig.tick()
    assert rig.inputs == (expected, analog), "all begin at zero"
    for index in (0, 5, MOST_DIGITAL - 1):
        rig.executor.set_output(index, True)
        rig.executor.set_output(index % MOST_ANALOG, -1.5 * index - 0.25)
        expected, analog[index % MOST_ANALOG] = expected | 1 << index, -1.5 * index - 0.25
        rig.tick(2)  # it is sent in the first, and read in the second
        assert rig.inputs == (expected, analog)
    rig.executor.set_output(5, False)
    rig.tick(2)
    assert rig.inputs == (1 | 1 << MOST_DIGITAL - 1, analog)


@EVERY
def test_outputs_stay_when_motion_stops_at_a_fault_and_without_power(wire: Wiring, kind: str) -> None:
    rig = wire(kind).up()
    rig.executor.set_output(3, True)
    rig.executor.set_output(2, 4.5)
    rig.go()
    rig.executor.stop()
    rig.tick(1000)
    assert rig.executor.state == State.READY and rig.inputs == (8, [0.0, 0.0, 4.5, *[0.0] * 5])
    rig.executor.fail(Fault("test", "", 0.0, 0.0, rig.now, "of the test's", on_path=False))
    rig.tick(5)
    assert rig.executor.fault is not None and rig.inputs[0] == 8
    rig.executor.reset()
    rig.let_go()
    rig.executor.initialise()
    rig.tick(5)
    assert rig.executor.state == State.READY and rig.inputs == (8, [0.0, 0.0, 4.5, *[0.0] * 5])
    rig.executor.power_off()
    rig.tick(5)
    rig.let_go()
    rig.up().tick(2)
    assert rig.inputs[0] == 8


@EVERY
@pytest.mark.parametrize("on_path", [True, False])
def test_outputs_go_off_with_a_fault_where_that_is_asked_for(wire: Wiring, kind: str, on_path: bool) -> None:
    rig = wire(kind, outputs_off_on_fault=True).up()
    rig.executor.set_output(3, True)
    rig.executor.set_output(2, 4.5)
    rig.go()
    assert rig.inputs[0] == 8
    before = rig.executor.feedback.q.copy()
    rig.executor.fail(Fault("test", "", 0.0, 0.0, rig.now, "of the test's", on_path=on_path))
    rig.tick(2)
    assert rig.inputs == (0, [0.0] * MOST_ANALOG)
    assert rig.executor.moves == on_path, "on its path it is still stopping"
    rig.tick(800)
    assert not rig.executor.moves and np.abs(rig.executor.feedback.q - before).max() > 1e-3, "it braked, and did not jump back"
    rig.executor.reset()
    rig.let_go()
    rig.executor.initialise()
    rig.tick(5)
    assert rig.executor.state == State.READY and rig.inputs[0] == 0, "a reset does not bring them back"


@EVERY
def test_an_executor_that_is_started_again_begins_at_zero(wire: Wiring, kind: str) -> None:
    rig = wire(kind).up()
    rig.executor.set_output(7, True)
    rig.executor.set_output(0, 2.0)
    rig.executor.simulate_input(1, True)
    rig.tick(2)
    assert rig.inputs[0] == 1 << 7 | 2
    rig.start()
    rig.executor.power_on()
    rig.tick(2)
    assert rig.inputs == (1 << 7, [2.0, *[0.0] * 7]), "left alone, the motor side keeps them"
    rig.executor.initialise()
    rig.tick(6)
    assert rig.executor.state == State.READY and rig.inputs == (0, [0.0] * MOST_ANALOG)


@EVERY
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e200, "on", None, [1.0], 1j, np.complex128(1), 10**400])
def test_a_value_that_is_none_is_refused_and_nothing_changes(wire: Wiring, kind: str, value: object) -> None:
    rig = wire(kind).up()
    rig.executor.set_output(1, 3.0)
    with pytest.raises(Refused, match="is no value; give"):
        rig.executor.set_output(1, value)
    rig.tick(3)
    assert rig.inputs[1][1] == 3.0 and rig.executor.state == State.READY


@EVERY
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_motor_side_brakes_at_an_analogue_output_that_is_no_number(wire: Wiring, kind: str, bad: float) -> None:
    """Nobody sends one; were it sent, its outputs would stay."""
    rig = wire(kind).up()
    rig.executor.set_output(6, True)
    rig.tick(2)
    rig.executor.command.analog[4], rig.executor.command.outputs = bad, 0
    rig.tick(4)
    assert rig.executor.state == State.FAULTED and f"analogue output 4: the command's value is {bad}" in str(rig.executor.fault)
    assert rig.inputs == (1 << 6, [0.0] * MOST_ANALOG)


def test_outputs_that_there_are_not(wire: Wiring) -> None:
    rig = wire("real").up()
    rig.executor.set_output(3, True)
    for index in (4, -1, 99):
        with pytest.raises(Refused, match=f"no digital output {index}: the motor side has 4, from 0 to 3"):
            rig.executor.set_output(index, True)
    with pytest.raises(Refused, match="no analogue output 0: the motor side has none"):
        rig.executor.set_output(0, 1.0)
    for none in (1.0, "1", None, True):
        with pytest.raises(Refused, match="is no index of an output"):
            rig.executor.set_output(none, True)
    assert rig.executor.command.outputs == 8


def test_nothing_is_set_while_nothing_is_sent(wire: Wiring) -> None:
    rig = wire("ideal")
    with pytest.raises(Refused, match="while it is OFF"):
        rig.executor.set_output(0, True)
    rig.up().executor.fail(Fault("test", "", 0.0, 0.0, rig.now, "of the test's"))
    with pytest.raises(Refused, match="while it is FAULTED"):
        rig.executor.set_output(0, True)
    assert rig.executor.command.outputs == 0


def test_a_motor_side_with_a_buffer_says_that_it_cannot_yet() -> None:
    driver = PlayingDriver(HOME, lambda: 0.0)
    driver.capabilities = replace(driver.capabilities, outputs=1)
    with pytest.raises(Refused, match="plays a buffer"):
        Executor(MODEL, driver).set_output(0, True)


@EVERY
def test_an_input_is_held_until_it_is_let_go(wire: Wiring, kind: str) -> None:
    rig = wire(kind).up()
    rig.executor.set_output(0, True)
    rig.executor.set_output(0, 1.5)
    rig.tick(2)
    rig.executor.simulate_input(0, False)
    rig.executor.simulate_input(9, True)
    rig.executor.simulate_input(0, -7.0)
    assert rig.inputs == (1 << 9, [-7.0, *[0.0] * 7]), "at once"
    rig.tick(5)
    assert rig.inputs == (1 << 9, [-7.0, *[0.0] * 7]), "and from then on"
    rig.executor.simulate_input(0, None)
    rig.executor.simulate_input(0, None, analog=True)
    assert rig.inputs == (1 << 9 | 1, [1.5, *[0.0] * 7])
    rig.executor.simulate_input(9, None)
    rig.tick(5)
    assert rig.inputs == (1, [1.5, *[0.0] * 7]), "what the motor side says"


def test_the_inputs_of_a_real_motor_side_are_not_made_up(wire: Wiring) -> None:
    rig = wire("real").up()
    for value in (True, 1.0, None):
        with pytest.raises(Refused, match="of a real motor side cannot be simulated"):
            rig.executor.simulate_input(0, value)
    rig.tick()
    assert rig.inputs[0] == 0


def test_inputs_that_cannot_be_held(wire: Wiring) -> None:
    rig = wire("ideal")
    with pytest.raises(Refused, match="no digital input 32: the motor side has 32, from 0 to 31"):
        rig.executor.simulate_input(MOST_DIGITAL, True)
    with pytest.raises(Refused, match="no analogue input 8"):
        rig.executor.simulate_input(MOST_ANALOG, None, analog=True)
    with pytest.raises(Refused, match="nan is no value"):
        rig.executor.simulate_input(0, np.nan)


HELD = st.lists(st.tuples(st.integers(0, MOST_DIGITAL - 1), st.sampled_from([True, False, None])), max_size=20)


@given(held=HELD, heard=st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=5), silent=st.booleans())
def test_what_is_held_stands_over_what_is_heard_and_leaves_no_trace(
    held: list[tuple[int, bool | None]], heard: list[int], silent: bool
) -> None:
    forced, feedback = ForcedInputs(), Feedback.of(1)
    for index, value in held:
        forced.hold(index, value)
    last = dict(held)
    for word in heard:
        forced.lift(feedback)
        if not silent:  # a motor side that says nothing new leaves the feedback as it is
            feedback.inputs = word
        forced.press(feedback)
        for index in range(MOST_DIGITAL):
            own = False if silent else bool(word >> index & 1)
            wanted = last.get(index)
            assert bool(feedback.inputs >> index & 1) == (own if wanted is None else wanted)
    forced.lift(feedback)
    assert feedback.inputs == (0 if silent else heard[-1]) and np.isnan(feedback.analog).all()


def test_there_is_a_most_of_each() -> None:
    assert Capabilities(inputs=MOST_DIGITAL, analog_outputs=MOST_ANALOG).analog_outputs == MOST_ANALOG
    with pytest.raises(DriverError, match="a motor side with 9 analog inputs; it may have 0 to 8"):
        Capabilities(analog_inputs=MOST_ANALOG + 1)
    with pytest.raises(DriverError, match="33 outputs"):
        Capabilities(outputs=MOST_DIGITAL + 1)


def test_buffers_begin_as_nothing_is_heard_and_nothing_is_set() -> None:
    assert np.array_equal(Command.of(3).analog, np.zeros(MOST_ANALOG)) and np.isnan(Feedback.of(3).analog).all()
