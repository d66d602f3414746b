"""A move by the drives' own profiles (profile position): where to, how fast, and whether they are there."""

import time
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from armillary.drivers.cia402_bus import Cia402Bus
from armillary.drivers.cia402_setup import within
from armillary.drivers.errors import DriverError
from armillary.protocols.cia402 import Control, Mode, Object, Status

__all__ = ["ProfileMove"]

Array = NDArray[np.float64]
_RAMP = 0.25  # share of the duration in which it speeds up, and as much in which it slows down


class ProfileMove:
    """One move of all drives.

    Attributes:
        goal: Counts, shape (n,). bits: Of the control word, beside those that keep a drive enabled.
    """

    def __init__(
        self, bus: Cia402Bus, nodes: Sequence[int], start: Array, goal: Array, duration: float, *, sync: float
    ) -> None:  # fmt: skip
        """Args:
        start, goal: Counts, shape (n,). duration: [s]. sync: From one SYNC to the next [s].
        """
        self._sync = sync
        self._bus, self._nodes, self._duration = bus, nodes, max(duration, 0.05)
        self.goal, self.bits = goal, Control(0)
        self._speed = np.abs(goal - start) / (self._duration * (1.0 - _RAMP))

    def prepare(self) -> None:
        """Raises:
        DriverError: A drive does not take it.
        """
        for node, speed in zip(self._nodes, self._speed):
            rate = within(max(speed / (_RAMP * self._duration), 1.0))
            self._bus.write(node, Object.PROFILE_VELOCITY, 0, within(max(speed, 1.0)), 4)
            self._bus.write(node, Object.PROFILE_ACCELERATION, 0, rate, 4)
            self._bus.write(node, Object.PROFILE_DECELERATION, 0, rate, 4)
            self._bus.write(node, Object.MODE, 0, Mode.PROFILE_POSITION, 1)

    def wait(self, problem: Callable[[], str], clock: Callable[[], float]) -> None:
        """Have the new set-point taken, and wait until all are there.

        Raises:
            DriverError: Something is wrong meanwhile, or they do not get there.
        """
        until = clock() + 2.0 * self._duration + 2.0
        self._until(lambda word: not word & Status.FOLLOWS, problem, clock, until)
        time.sleep(3.0 * self._sync + 0.02)  # targets count with SYNC, this order at once: they must be there before it
        self.bits = Control.NEW_SET_POINT | Control.AT_ONCE
        self._until(lambda word: bool(word & Status.FOLLOWS), problem, clock, until)
        self.bits = Control(0)
        self._until(lambda word: bool(word & Status.TARGET_REACHED) and not word & Status.FOLLOWS, problem, clock, until)

    def leave(self) -> None:
        """Back to cyclic set-points."""
        for node in self._nodes:
            self._bus.write(node, Object.MODE, 0, Mode.CYCLIC_POSITION, 1)

    def _until(
        self, holds: Callable[[int], bool], problem: Callable[[], str], clock: Callable[[], float], until: float
    ) -> None:  # fmt: skip
        while not all(holds(self._status(node)) for node in self._nodes):
            if said := problem():
                raise DriverError(said)
            if clock() > until:
                raise DriverError("the drives do not get there by their own profiles; look at them, then reset")
            time.sleep(0.005)

    def _status(self, node: int) -> int:
        return int.from_bytes(self._bus.read(node, Object.STATUS_WORD), "little")
