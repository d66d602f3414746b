"""The newest command, refined to the instant at which the drives take it.

Commands come every millisecond with position, velocity and acceleration; drives take a set-point every 1 to 50 ms, with SYNC.
What they take is where the trajectory is at that instant: the parabola of the newest command, a few milliseconds long. The drive
itself then goes there in one period, so what it does is the trajectory, one period later, and chords between the set-points.
"""

import numpy as np
from numpy.typing import NDArray

from armillary.drivers.driver import Command

__all__ = ["SetPoint"]

Array = NDArray[np.float64]
_FURTHEST = 0.01  # s: beyond this a command is not continued
_OTHER_CLOCK = 0.2  # s: a time so far from the present is of another clock


class SetPoint:
    """A command and when it holds.

    Attributes:
        number: Of the command. moving: Whether it has a velocity. heard: When it came [s].
    """

    def __init__(self, q: Array) -> None:
        self.q, self.v, self.a = np.array(q, dtype=float), np.zeros(len(q)), np.zeros(len(q))
        self.number, self.time, self.heard = 0, -np.inf, -np.inf

    @property
    def moving(self) -> bool:
        return bool(np.abs(self.v).max(initial=0.0) > 0.0)

    @classmethod
    def of(cls, command: Command, now: float) -> "SetPoint":
        made = cls(command.q)
        made.v[:], made.a[:] = command.v, command.a
        made.number, made.heard = command.number, now
        made.time = command.time if 0.0 <= now - command.time < _OTHER_CLOCK else now
        return made

    def until(self, time: float) -> float:
        """The time [s] that it is continued to, when it is asked for at another."""
        return self.time + (min(max(time - self.time, 0.0), _FURTHEST) if self.moving else 0.0)

    def at(self, time: float) -> tuple[Array, Array]:
        """Positions and velocities at a time [s] that is not before it."""
        dt = self.until(time) - self.time
        return self.q + dt * (self.v + 0.5 * dt * self.a), self.v + dt * self.a
