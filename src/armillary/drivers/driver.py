"""The contract between the executor and whatever turns the motors.

A motor side takes set-points one by one, in step with the executor (cyclic), or a buffer of them that it plays by its own clock
(buffered). Either way it says what it can do, it is brought up and down in one order, and it promises to brake by itself when
nothing is heard for a while: the executor may die at any moment.
"""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from armillary.drivers.errors import DriverError, WrongOrder
from armillary.protocols.twin import MOST_ANALOG

__all__ = [
    "MOST_ANALOG", "MOST_DIGITAL", "BufferedDriver", "Capabilities", "Command", "Driver", "Feedback", "ForcedInputs", "Lifecycle",
    "Stage", "bad_analog",
]  # fmt: skip

Array = NDArray[np.float64]
MOST_DIGITAL = 32  # digital inputs, and as many outputs: the bits of one number
_INF = float("inf")


@dataclass(frozen=True)
class Capabilities:
    """What a motor side can do.

    Attributes:
        velocity, acceleration, torque: Whether it uses these of a command beside the position.
        depth: Set-points that its buffer holds; 0 for a cyclic one.
        interval: From one set-point of its buffer, or of its own cycle, to the next [s]; 0 where it takes each as it comes. By so
            much it may be behind what is commanded.
        own_hold: It can hold and go on by itself, on its path (buffered).
        own_time_base: It can slow its buffer down by itself, on its path (buffered).
        feedback_rate: How often it says where it is [Hz].
        measures_torque: Whether its feedback has torques.
        inputs, outputs: How many digital ones it has, MOST_DIGITAL of each at most.
        analog_inputs, analog_outputs: How many analogue ones it has, MOST_ANALOG of each at most.
        simulated: It is not real: nobody is hurt where its inputs are made up.
        watchdog: After this long without a command it brakes by itself [s]. There is none without.
        pause: How long it may be left alone by the process that it is hosted in [s]: by so much a command may reach it later. 0
            where its feedback's rate says it.
    """

    velocity: bool = False
    acceleration: bool = False
    torque: bool = False
    depth: int = 0
    interval: float = 0.0
    own_hold: bool = False
    own_time_base: bool = False
    feedback_rate: float = 1000.0
    measures_torque: bool = False
    inputs: int = 0
    outputs: int = 0
    watchdog: float = 0.02
    analog_inputs: int = 0
    analog_outputs: int = 0
    simulated: bool = False
    pause: float = 0.0

    def __post_init__(self) -> None:
        for name in ("inputs", "outputs", "analog_inputs", "analog_outputs"):
            count, most = getattr(self, name), MOST_ANALOG if name.startswith("analog") else MOST_DIGITAL
            if not 0 <= count <= most:
                raise DriverError(f"a motor side with {count} {name.replace('_', ' ')}; it may have 0 to {most}")


@dataclass(eq=False)
class Command:
    """What the joints are to do at a time. Made once and filled in each tick.

    Attributes:
        number: Counts up by one; a motor side takes none twice.
        time: When it holds [s, the executor's clock].
        q, v, a: Positions, velocities, accelerations, shape (n,).
        torque: Feed-forward by inverse dynamics, shape (n,) [N m or N].
        outputs: Digital outputs, bit by bit.
        analog: Analogue outputs, shape (MOST_ANALOG,), finite, in their own units.
        since: When that came in from outside which this answers [s, the machine's clock]; NaN where it answers nothing. How late
            a person's motion goes out is counted from it.
    """

    q: Array
    v: Array
    a: Array
    torque: Array
    number: int = 0
    time: float = 0.0
    outputs: int = 0
    analog: Array = field(default_factory=lambda: np.zeros(MOST_ANALOG))
    since: float = float("nan")

    @classmethod
    def of(cls, n: int) -> "Command":
        return cls(np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n))


@dataclass(eq=False)
class Feedback:
    """Where the joints are. Made once and filled in each tick.

    Attributes:
        number: Of the command that it answers; 0 before the first.
        time: When it was measured [s, the executor's clock].
        q, v, a, torque: Positions, velocities, accelerations, torques, shape (n,); NaN for what is not measured.
        enabled: The drives are on and follow.
        fault: What the motor side complains of, in words; "" for nothing.
        left: Set-points still in its buffer (buffered).
        inputs: Digital inputs, bit by bit.
        analog: Analogue inputs, shape (MOST_ANALOG,), in their own units; NaN where there is none.
        contacts: How many touches of parts the motor side knows of (the twin).
    """

    q: Array
    v: Array
    a: Array
    torque: Array
    number: int = 0
    time: float = 0.0
    enabled: bool = False
    fault: str = ""
    left: int = 0
    inputs: int = 0
    contacts: int = 0
    analog: Array = field(default_factory=lambda: np.full(MOST_ANALOG, np.nan))

    @classmethod
    def of(cls, n: int) -> "Feedback":
        return cls(np.full(n, np.nan), np.full(n, np.nan), np.full(n, np.nan), np.full(n, np.nan))


@runtime_checkable
class Driver(Protocol):
    """The wire to a motor side.

    `write` and `read` are called in each tick and never wait. The others may take their time; they are called while the robot
    stands.
    """

    @property
    def capabilities(self) -> Capabilities: ...

    def open(self) -> None:
        """Reach the motor side, without power to the motors."""

    def enable(self) -> None:
        """Begin to power the drives; `Feedback.enabled` tells when they are."""

    def write(self, command: Command) -> None:
        """Send a set-point, and the outputs with it.

        After `stop` and until it is enabled anew the motor side follows no set-point. Outputs are not the drives': they are taken
        then too. A command that holds what is no number, analogue outputs included, is a mistake: the motor side brakes with a
        fault that says so, and its outputs stay as they are. So they do when it is disabled or closed, or left alone.
        """

    def read(self, feedback: Feedback) -> bool:
        """Take the newest feedback; False where there is none that is new."""

    def stop(self) -> None:
        """Hard stop: brake at once, whatever the path; drives stay enabled where they can."""

    def disable(self) -> None:
        """Power off the drives."""

    def close(self) -> None:
        """Let go of the motor side. Possible at any time, any number of times."""


@runtime_checkable
class BufferedDriver(Driver, Protocol):
    """A motor side that plays set-points from a buffer."""

    @property
    def room(self) -> int:
        """Set-points that may be written now."""

    def hold(self) -> None:
        """Stop on the path by its own means."""

    def resume(self) -> None:
        """Go on on the path."""

    def time_base(self, rate: float) -> None:
        """Play the buffer at a share of its speed."""

    def clear(self) -> None:
        """Throw away what has not been played."""


class ForcedInputs:
    """Inputs that are held at a value, whatever the motor side says.

    Attributes:
        any: Whether there are some.
        pressed: Whether they stand in the feedback now.
        masks: Which digital and which analogue ones, bit by bit.
    """

    def __init__(self) -> None:
        self.any = self.pressed = False
        self.masks = (0, 0)
        self._mask = self._bits = self._heard = 0
        self._held, self._values = np.zeros(MOST_ANALOG, dtype=bool), np.zeros(MOST_ANALOG)
        self._heard_analog = np.full(MOST_ANALOG, np.nan)

    def hold(self, index: int, value: bool | None) -> None:
        """Hold a digital input; None lets it go."""
        bit = 1 << index
        self._mask = self._mask & ~bit if value is None else self._mask | bit
        self._bits = self._bits | bit if value else self._bits & ~bit
        self._note()

    def hold_analog(self, index: int, value: float | None) -> None:
        """Hold an analogue input; None lets it go."""
        self._held[index], self._values[index] = value is not None, value or 0.0
        self._note()

    def _note(self) -> None:
        self.masks = self._mask, sum(1 << int(index) for index in np.flatnonzero(self._held))
        self.any = any(self.masks)

    def lift(self, feedback: Feedback) -> None:
        """Put back what was heard, before something new is."""
        if self.pressed:
            feedback.inputs, self.pressed = self._heard, False
            feedback.analog[:] = self._heard_analog

    def press(self, feedback: Feedback) -> None:
        """Put those that are held over what was heard."""
        self._heard, self.pressed = feedback.inputs, True
        self._heard_analog[:] = feedback.analog
        feedback.inputs = feedback.inputs & ~self._mask | self._bits
        np.copyto(feedback.analog, self._values, where=self._held)


def bad_analog(values: Array) -> str:
    """What is wrong with analogue outputs, in words; "" for nothing."""
    if values.dot(values) < _INF:  # one product in a tick; NaN is not below either
        return ""
    small = np.abs(values) < 1e150
    if small.all():
        return "the command's analogue outputs are beyond all bounds"
    k = int(small.argmin())
    return f"analogue output {k}: the command's value is {values[k]}"


class Stage(IntEnum):
    """How far a driver is brought up."""

    CLOSED = 0
    OPEN = 1
    ENABLED = 2


@dataclass(eq=False)
class Lifecycle:
    """A driver brought up and down in one order: whatever is asked out of order is refused before the driver hears of it."""

    driver: Driver
    stage: Stage = field(default=Stage.CLOSED, init=False)

    def open(self) -> None:
        self._need(Stage.CLOSED, "opened")
        self.driver.open()
        self.stage = Stage.OPEN

    def enable(self) -> None:
        self._need(Stage.OPEN, "enabled")
        self.driver.enable()
        self.stage = Stage.ENABLED

    def write(self, command: Command) -> None:
        self._need(Stage.ENABLED, "written to")
        self.driver.write(command)

    def read(self, feedback: Feedback) -> bool:
        if self.stage == Stage.CLOSED:
            raise WrongOrder("a driver that is closed cannot be read from; open it first")
        return self.driver.read(feedback)

    def stop(self) -> None:
        """Possible from everywhere: what is closed stands already."""
        if self.stage != Stage.CLOSED:
            self.driver.stop()

    def disable(self) -> None:
        if self.stage == Stage.ENABLED:
            self.driver.disable()
            self.stage = Stage.OPEN

    def close(self) -> None:
        if self.stage == Stage.CLOSED:
            return
        try:
            self.disable()
        finally:
            self.stage = Stage.CLOSED
            self.driver.close()

    def _need(self, stage: Stage, what: str) -> None:
        if self.stage != stage:
            raise WrongOrder(f"a driver that is {self.stage.name.lower()} cannot be {what}; it must be {stage.name.lower()}")
