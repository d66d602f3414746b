"""The way that the tool would take, with the program's line of each of its points."""

from math import ceil

import numpy as np
from numpy.typing import NDArray

from armillary.model import Model, frame_pose_batch
from armillary.motion import Plan, Trajectory

__all__ = ["ToolTrace"]

Array = NDArray[np.float64]
_RATE = 30.0  # points a second
_MOST = 20_000  # points that are given
_KEPT = 10 * _MOST  # points that are held, before every second one is left out


class ToolTrace:
    """Planned motions one behind the other, as a polyline.

    Attributes:
        ends: Joint positions [rad or m] where each line's motion ends for the first time, by line.
    """

    def __init__(self, model: Model, tip: str, file: str) -> None:
        """Args:
        tip: The frame that is led; "" for joints that lead none: there is no way to be seen then.
        file: Whose lines are meant; those of others, that it calls, count as 0.
        """
        self._model, self._tip, self._file = model, tip, file
        self._points, self._lines = np.zeros((0, 3)), np.zeros(0, dtype=np.int64)
        self._rate, self._last = _RATE, (0, ())  # type: float, tuple[int, tuple[float, ...]]
        self.ends: dict[int, tuple[float, ...]] = {}

    def add(self, plan: Plan) -> None:
        """The next motion."""
        trajectory = plan.trajectory
        lines = np.array([self._line(origin) for origin in trajectory.origins] or [0] * len(trajectory.durations))
        self._note_ends(trajectory, lines)
        if not self._tip:
            return
        times = np.linspace(0.0, trajectory.duration, max(ceil(trajectory.duration * self._rate), 1) + 1)
        places = np.searchsorted(trajectory.knots[1:-1], times, side="left")
        self._points = np.concatenate([self._points, self._places(trajectory.sample(times)[:, 0])])
        self._lines = np.concatenate([self._lines, lines[places]])
        if len(self._points) > _KEPT:
            self._points, self._lines, self._rate = self._points[::2], self._lines[::2], 0.5 * self._rate

    @property
    def points(self) -> Array:
        """Of the tool, in what the arm stands on, shape (k, 3) [m]."""
        return self._points[self._chosen]

    @property
    def lines(self) -> NDArray[np.int64]:
        """Of each point, shape (k,)."""
        return self._lines[self._chosen]

    def finish(self) -> None:
        """Nothing more comes: the last line has ended too."""
        line, q = self._last
        if line:
            self.ends.setdefault(line, q)

    @property
    def _chosen(self) -> NDArray[np.int64]:
        """Which points are given: evenly, both ends among them."""
        count = len(self._points)
        if count <= _MOST:
            return np.arange(count)
        return np.linspace(0, count - 1, _MOST).round().astype(np.int64)

    def _places(self, q: Array) -> Array:
        model, q = self._model, np.ascontiguousarray(q)
        points: Array = frame_pose_batch(model, q, self._tip)[:, :3, 3]
        if not model.reference:
            return points
        T = frame_pose_batch(model, q, model.reference)
        return np.einsum("kji,kj->ki", T[:, :3, :3], points - T[:, :3, 3])

    def _line(self, origin: str) -> int:
        file, _, line = origin.rpartition(":")
        return int(line) if line.isdigit() and file in (self._file, self._file.rpartition("/")[2]) else 0

    def _note_ends(self, trajectory: Trajectory, lines: NDArray[np.int64]) -> None:
        """A line ends where another begins: not where a motion does, which may be one of several that it needs."""
        if self._last[0] != lines[0]:
            self.finish()
        for k in np.flatnonzero(np.diff(lines)).tolist():
            if lines[k]:
                self.ends.setdefault(int(lines[k]), _numbers(trajectory, float(trajectory.knots[k + 1])))
        self._last = (int(lines[-1]), _numbers(trajectory, trajectory.duration))


def _numbers(trajectory: Trajectory, time: float) -> tuple[float, ...]:
    return tuple(float(value) for value in trajectory.at(time).q)
