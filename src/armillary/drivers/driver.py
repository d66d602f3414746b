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

from armillary.drivers.errors import WrongOrder

__all__ = ["BufferedDriver", "Capabilities", "Command", "Driver", "Feedback", "Lifecycle", "Stage"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Capabilities:
    """What a motor side can do.

    Attributes:
        velocity, acceleration, torque: Whether it uses these of a command beside the position.
        depth: Set-points that its buffer holds; 0 for a cyclic one.
        interval: From one set-point of its buffer to the next [s].
        own_hold: It can hold and go on by itself, on its path (buffered).
        own_time_base: It can slow its buffer down by itself, on its path (buffered).
        feedback_rate: How often it says where it is [Hz].
        measures_torque: Whether its feedback has torques.
        inputs, outputs: How many digital ones it has.
        watchdog: After this long without a command it brakes by itself [s]. There is none without.
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


@dataclass(eq=False)
class Command:
    """What the joints are to do at a time. Made once and filled in each tick.

    Attributes:
        number: Counts up by one; a motor side takes none twice.
        time: When it holds [s, the executor's clock].
        q, v, a: Positions, velocities, accelerations, shape (n,).
        torque: Feed-forward by inverse dynamics, shape (n,) [N m or N].
        outputs: Digital outputs, bit by bit.
    """

    q: Array
    v: Array
    a: Array
    torque: Array
    number: int = 0
    time: float = 0.0
    outputs: int = 0

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
        """Send a set-point."""

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
