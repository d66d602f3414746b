"""A motion program as it is calculated: statements in, pieces of commanded motion out."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from armillary.emulators.pmac.axis_definition import AXES
from armillary.emulators.pmac.motor import MOST_COUNTS
from armillary.emulators.pmac.path import LinearMaker, Maker, Piece, SplineMaker, rest
from armillary.emulators.pmac.refusal import Code, Refusal
from armillary.emulators.pmac.statement import Kind, Statement
from armillary.emulators.pmac.variables import VariableStore

__all__ = ["MotionProgram", "ToCounts"]

Array = NDArray[np.float64]
ToCounts = Callable[[dict[str, float]], Array]  # axis positions to motor positions
_FEED_AXES = "XYZ"  # whose distance a feed rate is of, until FRAX says otherwise


class MotionProgram:
    """The modal state of a coordinate system's program, and the moves that it makes.

    Attributes:
        mode: SPLINE1, LINEAR or RAPID.
        by_time: Moves are given by time (TM), not by speed (F).
        axes: Where each axis was sent last [user units].
    """

    def __init__(self, system: int, variables: VariableStore) -> None:
        self._variables, self._base = variables, 5000 + 100 * system
        self.reset()

    def reset(self) -> None:
        """As after power-up: linear moves, absolute, at the default feed rate."""
        self.mode, self.by_time = "LINEAR", False
        self._settings = {"TM": 1000.0, "TA": self._default(87), "TS": self._default(88), "F": self._default(89)}
        self._incremental: set[str] = set()
        self.axes: dict[str, float] = dict.fromkeys(AXES, 0.0)
        self._maker: Maker | None = None
        self._counts: Array = np.zeros(0)

    def start(self, axes: dict[str, float], counts: Array) -> None:
        """Begin at rest.

        Args:
            axes: Where the axes are.
            counts: Where the motors are commanded to be.
        """
        self.axes.update(axes)
        self._counts, self._maker = counts, None

    @property
    def open(self) -> bool:
        """What was made so far does not end at rest."""
        return self._maker is not None

    def end(self) -> list[Piece]:
        """Bring what was made so far to rest."""
        pieces = [] if self._maker is None else self._maker.end()
        self._maker = None
        return pieces

    def drop(self) -> None:
        """Forget what was made so far."""
        self._maker = None

    def take(self, statement: Statement, to_counts: ToCounts, speeds: Array) -> list[Piece]:
        """Calculate a statement.

        Args:
            speeds: Of each motor's jog, for RAPID, and its greatest for LINEAR (Ixx16) [counts/s], shape (2, n).
        """
        kind = statement.kind
        if kind == Kind.MOVE:
            return self._move(statement, to_counts, speeds)
        if kind == Kind.MODE:
            ended = self.end() if statement.name != self.mode else []
            self.mode = statement.name
            return ended
        if kind == Kind.SET:
            assert statement.value is not None
            self._settings[statement.name] = abs(statement.value(self._variables))
            if statement.name in ("TM", "F"):
                self.by_time = statement.name == "TM"
        elif kind == Kind.DWELL:
            assert statement.value is not None
            return [*self.end(), rest(self._counts, max(statement.value(self._variables), 0.0) / 1000.0)]
        elif kind == Kind.INCREMENTAL:
            named = {axis for axis, _ in statement.axes}
            self._incremental = self._incremental | named if statement.on else self._incremental - named
        return []

    def _move(self, statement: Statement, to_counts: ToCounts, speeds: Array) -> list[Piece]:
        before, start = dict(self.axes), self._counts
        for axis, expression in statement.axes:
            value = expression(self._variables)
            self.axes[axis] = self.axes[axis] + value if axis in self._incremental else value
        target = self._counts = to_counts(self.axes)
        if not (np.abs(target) <= MOST_COUNTS).all():
            raise Refusal(Code.BAD_PROGRAM)
        if self.mode == "SPLINE1":
            return self._spline(start, target)
        time = self._time(before, [axis for axis, _ in statement.axes])
        distance = np.abs(target - start)
        if self.mode == "RAPID":
            time = _longest(distance, speeds[0])
        time = max(time, _longest(distance, speeds[1]))
        maker = self._maker if isinstance(self._maker, LinearMaker) else LinearMaker(start)
        self._maker = maker
        ramp, bend = self._settings["TA"] / 1000.0, 2.0 * self._settings["TS"] / 1000.0
        return maker.push(target, time, max(ramp, bend), bend >= ramp > 0.0 or (bend > 0.0 and ramp == 0.0))

    def _spline(self, start: Array, target: Array) -> list[Piece]:
        time = max(self._settings["TM" if self.by_time else "TA"], 1.0) / 1000.0
        pieces: list[Piece] = []
        maker = self._maker
        if not isinstance(maker, SplineMaker) or maker.time != time:
            pieces = self.end()  # another time brings the motion to a stop (User Manual, splined moves)
            maker = SplineMaker(start, time)
        self._maker = maker
        return [*pieces, maker.push(target)]

    def _time(self, before: dict[str, float], moved: list[str]) -> float:
        if self.by_time:
            return self._settings["TM"] / 1000.0
        steps = {axis: abs(self.axes[axis] - before[axis]) for axis in moved}
        distance = float(np.sqrt(sum(step**2 for axis, step in steps.items() if axis in _FEED_AXES)))
        if distance == 0.0:
            distance = max(steps.values(), default=0.0)
        return distance / max(self._settings["F"], 1e-9) * self._default(90) / 1000.0

    def _default(self, offset: int) -> float:
        return self._variables.i.get(self._base + offset, 0.0)


def _longest(distance: Array, speed: Array) -> float:
    """How long the slowest motor takes [s]; a speed of 0 is none."""
    return float(max((d / s for d, s in zip(distance, speed) if s > 0.0), default=0.0))
