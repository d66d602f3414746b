"""A robot that does what it is told: the next tick it is there. With the watchdog that every motor side has."""

from collections.abc import Callable
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from armillary.drivers.driver import MOST_ANALOG, MOST_DIGITAL, Capabilities, Command, Feedback, bad_analog

__all__ = ["IdealDriver"]

Array = NDArray[np.float64]


class IdealDriver:
    """Follows without error or delay. Left alone for longer than its watchdog it brakes, and follows again once it is enabled.

    Its outputs are wired to its inputs.
    """

    def __init__(
        self, start: Array, acceleration: Array, *, clock: Callable[[], float] = monotonic, watchdog: float = 0.02
    ) -> None:
        """Args:
        start: Where it stands, shape (n,).
        acceleration: With which it brakes by itself, shape (n,).
        clock: Its own time [s].
        """
        self._q, self._v = np.array(start, dtype=float), np.zeros(len(start))
        self._a = np.zeros(len(start))
        self._acceleration, self._clock = np.array(acceleration, dtype=float), clock
        self._capabilities = Capabilities(
            velocity=True, acceleration=True, torque=True, measures_torque=True, inputs=MOST_DIGITAL, outputs=MOST_DIGITAL,
            watchdog=watchdog, analog_inputs=MOST_ANALOG, analog_outputs=MOST_ANALOG, simulated=True,
        )  # fmt: skip
        self._torque = np.zeros(len(start))
        self._enabled = self._braking = False
        self._fault, self._number, self._outputs, self._analog = "", 0, 0, np.zeros(MOST_ANALOG)
        self._heard = self._moved = clock()

    @property
    def capabilities(self) -> Capabilities:
        return self._capabilities

    def open(self) -> None:
        self._heard = self._moved = self._clock()

    def enable(self) -> None:
        self._enabled, self._braking, self._fault, self._number = True, False, "", 0
        self._heard = self._moved = self._clock()

    def write(self, command: Command) -> None:
        self._pass_time()
        if command.number <= self._number:
            return
        follows = self._enabled and not self._braking
        if wrong := bad_analog(command.analog):
            if follows:
                self._braking, self._fault = True, wrong
            return
        self._outputs, self._analog[:] = command.outputs, command.analog
        if not follows:
            return
        self._q[:], self._v[:], self._a[:], self._torque[:] = command.q, command.v, command.a, command.torque
        self._number, self._heard = command.number, self._clock()

    def read(self, feedback: Feedback) -> bool:
        self._pass_time()
        feedback.q[:], feedback.v[:], feedback.a[:], feedback.torque[:] = self._q, self._v, self._a, self._torque
        feedback.number, feedback.time = self._number, self._moved
        feedback.enabled, feedback.fault, feedback.inputs = self._enabled, self._fault, self._outputs
        feedback.analog[:] = self._analog
        return True

    def stop(self) -> None:
        self._pass_time()
        self._braking = True

    def disable(self) -> None:
        self._pass_time()
        self._enabled, self._braking = False, True  # brakes fall in

    def close(self) -> None:
        self._enabled = False

    def _pass_time(self) -> None:
        now = self._clock()
        quiet = now - self._heard
        if quiet > self._capabilities.watchdog and self._enabled and not self._braking and np.abs(self._v).max() > 0.0:
            self._braking = True
            self._fault = f"no command for {quiet * 1e3:.0f} ms"
            self._moved = self._heard + self._capabilities.watchdog
        if self._braking:
            passed = max(now - self._moved, 0.0)
            stop = np.abs(self._v) / self._acceleration
            rest = np.minimum(passed, stop)
            self._q += self._v * rest - 0.5 * np.sign(self._v) * self._acceleration * rest**2
            self._v -= np.sign(self._v) * self._acceleration * rest
            self._v[stop <= passed] = 0.0
            self._a[:] = -np.sign(self._v) * self._acceleration
        self._moved = now
