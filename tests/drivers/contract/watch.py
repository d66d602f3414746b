"""Where the motors of a motor side are, by the emulator's own account, while something is done with it."""

import threading
import time
from types import TracebackType
from typing import Self

import numpy as np

from armillary.motion import Trajectory
from tests.drivers.contract.motor_side import Array, MotorSide

__all__ = ["Watch"]

_PERIOD = 0.02  # s between looks
_ENDS = 5.0  # s


class Watch:
    """Looks again and again, in a thread, from `with` to its end."""

    def __init__(self, side: MotorSide) -> None:
        self._side, self._times, self._places = side, list[float](), list[Array]()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._ended.set()
        self._thread.join(_ENDS)

    def _look(self) -> None:
        while not self._ended.wait(_PERIOD):
            before = time.monotonic()
            place = self._side.place()
            self._times.append(before)
            self._places.append(place)

    @property
    def places(self) -> Array:
        """All of them, shape (k, n)."""
        return np.stack(self._places)

    def off(self, trajectory: Trajectory) -> float:
        """How far the motors were from where the trajectory ever is, at worst [rad]."""
        path = trajectory.sample(np.linspace(0.0, trajectory.duration, 3000))[:, 0]
        return max(float(np.abs(path - q).max(axis=1).min()) for q in self.places)

    def moved_until(self, within: float) -> float:
        """When they were last farther than so much from where they ended [s]."""
        away = np.abs(self.places - self.places[-1]).max(axis=1) > within
        return self._times[int(np.flatnonzero(away)[-1]) + 1] if away.any() else -np.inf
