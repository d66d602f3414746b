"""Marks in a motion that is made from many commands: from where on each sets its outputs.

A command's line travels with its piece of path to the time at which that is driven. So does a mark on it: a number, which counts
the commands with outputs up to this one. Those behind carry it on: where rounded corners leave nothing of a short one, the mark
is found on the next. Marks never leave the planner.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from armillary.motion import Trajectory
from armillary.programs import Move, SourceLine
from armillary.programs.outputs_with_motion import MotionOutputs
from armillary.runtime.inputs_outputs import Output, TimedOutput

__all__ = ["MotionMarks", "outputs_at_begin", "without_marks"]

_SIGN = "\x1f"  # the unit separator: it stands in no line's name
_BEFORE_THE_END = 1e-6  # s: what is set with the last of a motion is set before that is over
_MARK = re.compile(f"{_SIGN}[0-9]+")


@dataclass(frozen=True)
class MarkedLine(SourceLine):
    """A line with a mark behind its name."""

    mark: int = 0

    def __str__(self) -> str:
        return f"{super().__str__()}{_SIGN}{self.mark}"


def without_marks(text: str) -> str:
    """A text with no marks behind the lines that it names."""
    return _MARK.sub("", text)


def outputs_at_begin(outputs: MotionOutputs) -> tuple[TimedOutput, ...]:
    """Outputs that are set as a motion begins."""
    return tuple(TimedOutput(0.0, Output(index, value), 1) for index, value in outputs)


class MotionMarks:
    """The marks of one motion, in the order of its commands."""

    def __init__(self) -> None:
        self._last = 0
        self._outputs: dict[int, MotionOutputs] = {}  # of each mark whose place may still change
        self._times: dict[int, float] = {}  # of each of those, as the executor knows it [s of the motion's own time]

    def put_on(self, moves: Sequence[Move]) -> list[Move]:
        """The commands that are to come next, marked; they count when they are `taken`."""
        mark, found = self._last, list[Move]()
        for move in moves:
            mark += bool(move.outputs)
            source = MarkedLine(move.source.file, move.source.line, mark) if mark else move.source
            found.append(replace(move, source=source))
        return found

    def take(self, moves: Sequence[Move]) -> None:
        """The next commands of the motion."""
        for move in moves:
            if move.outputs:
                self._last += 1
                self._outputs[self._last] = move.outputs

    def split(
        self, trajectory: Trajectory, begins: Sequence[tuple[float, str]], at: float
    ) -> tuple[Trajectory, tuple[TimedOutput, ...]]:  # fmt: skip
        """A piece of the motion without its marks, and when outputs are to be set that lie in it.

        Args:
            begins: From which time of the piece on each line is driven [s], in their order.
            at: The motion's own time at which it begins [s]. What the executor knows to be set before stays as it is.
        """
        if not self._last:
            return trajectory, ()
        marks, times = [_mark_of(origin) for _, origin in begins], [time for time, _ in begins]
        latest = max(trajectory.duration - _BEFORE_THE_END, 0.0)
        found: list[TimedOutput] = []
        for mark, outputs in self._outputs.items():
            if self._times.get(mark, at) < at:
                continue
            k = bisect_left(marks, mark)
            time = at + (min(times[k], latest) if k < len(times) else latest)
            found += [TimedOutput(time, Output(index, value), mark) for index, value in outputs]
        return replace(trajectory, origins=tuple(without_marks(origin) for origin in trajectory.origins)), tuple(found)

    def handed_over(self, outputs: Sequence[TimedOutput]) -> None:
        """The executor has taken a piece with these: those of earlier pieces that are not among them are set for good."""
        self._times = {each.mark: each.time for each in outputs}
        self._outputs = {mark: self._outputs[mark] for mark in self._times}


def _mark_of(origin: str) -> int:
    found = origin.rpartition(_SIGN)
    return int(found[2]) if found[1] else 0
