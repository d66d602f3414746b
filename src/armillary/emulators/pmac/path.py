"""Commanded motion of several motors as a chain of cubics, made from moves one by one.

Written anew from the manual, not shared with the driver's side: so that the two check each other.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["LinearMaker", "Maker", "Piece", "SplineMaker", "rest"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Piece:
    """A cubic of all motors.

    Attributes:
        duration: s.
        coefficients: Shape (4, n), lowest order first [counts, counts/s, ...].
    """

    duration: float
    coefficients: Array

    def position(self, t: float) -> Array:
        c = self.coefficients
        return c[0] + t * (c[1] + t * (c[2] + t * c[3]))

    def velocity(self, t: float) -> Array:
        c = self.coefficients
        return c[1] + t * (2.0 * c[2] + t * 3.0 * c[3])


def rest(position: Array, duration: float) -> Piece:
    """Standing for a time."""
    return Piece(duration, np.stack([position, *(np.zeros_like(position),) * 3]))


class Maker(Protocol):
    """Makes pieces of moves. What it has made so far goes on; only `end` brings it to rest."""

    def end(self) -> list[Piece]: ...


class SplineMaker:
    """SPLINE1: each move is of the same time, and bent by the moves before and behind it.

    Attributes:
        time: Of each move [s].
    """

    def __init__(self, start: Array, time: float) -> None:
        self.time = time
        self._before, self._point = start, start
        self._position, self._velocity = start, np.zeros_like(start)

    def push(self, point: Array) -> Piece:
        """Take the next point; the piece that leads to the waypoint of the one before it."""
        T = self.time
        position = (self._before + 4.0 * self._point + point) / 6.0
        velocity = (point - self._before) / (2.0 * T)
        mean = (position - self._position) / T
        piece = Piece(
            T,
            np.stack([
                self._position, self._velocity, (3.0 * mean - 2.0 * self._velocity - velocity) / T,
                (self._velocity + velocity - 2.0 * mean) / T**2,
            ]),
        )  # fmt: skip
        self._before, self._point = self._point, point
        self._position, self._velocity = position, velocity
        return piece

    def end(self) -> list[Piece]:
        last = self._point
        return [self.push(last), self.push(last)]


class LinearMaker:
    """LINEAR: constant speed, blended into the next move over the acceleration time."""

    def __init__(self, start: Array) -> None:
        self._position, self._target = start, start
        self._velocity = np.zeros_like(start)
        self._ramp, self._smooth = 0.0, False

    def push(self, target: Array, time: float, ramp: float, smooth: bool) -> list[Piece]:
        """Take the next move: the acceleration to its speed, and the way at this speed until the next blend begins.

        Args:
            time: Of the move [s], no less than `ramp`.
            ramp: Of the acceleration [s].
            smooth: It is S-shaped (TS).
        """
        time = max(time, ramp, 1e-6)
        velocity = (target - self._target) / time
        pieces = self._accelerate(velocity, ramp, smooth)
        if time > ramp:
            pieces.append(self._append(time - ramp, np.zeros_like(target), np.zeros_like(target)))
        self._target, self._ramp, self._smooth = target, ramp, smooth
        return pieces

    def end(self) -> list[Piece]:
        pieces = self._accelerate(np.zeros_like(self._velocity), self._ramp, self._smooth)
        return [*pieces, rest(self._target, 0.0)]

    def _accelerate(self, velocity: Array, ramp: float, smooth: bool) -> list[Piece]:
        change = velocity - self._velocity
        if ramp <= 0.0:
            self._velocity = velocity
            return []
        if not smooth:
            return [self._append(ramp, change / (2.0 * ramp), np.zeros_like(change))]
        half = 0.5 * ramp
        bend = change / (6.0 * half * half)  # half of the change in half of the time: 3 c t^2 = change / 2
        first = self._append(half, np.zeros_like(change), bend)
        return [first, self._append(half, 3.0 * bend * half, -bend)]

    def _append(self, duration: float, second: Array, third: Array) -> Piece:
        piece = Piece(duration, np.stack([self._position, self._velocity, second, third]))
        self._position, self._velocity = piece.position(duration), piece.velocity(duration)
        return piece
