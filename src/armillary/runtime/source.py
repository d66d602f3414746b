"""Where set-points come from: a proven motion, or another master's set-points through a filter."""

from collections import deque
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from armillary.drivers import Command
from armillary.motion import MotionLimits, Pace, SetPointFilter
from armillary.runtime.carried_set_point import CarriedSetPoint
from armillary.runtime.handover import Handover
from armillary.runtime.inputs_outputs import TimedOutput

__all__ = ["External", "Source", "Track"]

Array = NDArray[np.float64]
_SAME = (1e-6, 1e-4, 5e-2)  # by which position, velocity and acceleration may differ where two pieces meet; limits' shares

_FIRST = 0.5  # s in which another master's first set-point must come
_STALE = 0.1  # s without a set-point of another master after which it stops


class Source(Protocol):
    """Gives the next set-point, and can be slowed and stopped.

    Attributes:
        certified: Whether what it gives is proven.
        motion: A number for it.
    """

    certified: bool
    motion: int

    @property
    def stands(self) -> bool:
        """Whether it does not move any more."""

    @property
    def at_end(self) -> bool:
        """Whether there is nothing more to come."""

    @property
    def progress(self) -> float: ...

    @property
    def origin(self) -> str: ...

    @property
    def time(self) -> float: ...

    def ask(self, rate: float) -> None:
        """Another rate; 0 stops."""

    def advance(self, dt: float) -> Array:
        """Positions, velocities, accelerations a moment later, in rows."""


class Track:
    """A proven motion being driven, and the pieces that carry it on."""

    certified = True

    def __init__(self, first: Handover, limits: MotionLimits, rate: float) -> None:
        self.motion, self.while_pressed, self.resumable = first.motion, first.while_pressed, first.resumable
        self._limits, self._until = limits, first.until
        self._pace = Pace(first.trajectory, limits, rate=min(rate, 1.0), most=first.most)
        self._outputs: deque[TimedOutput] = deque(first.outputs)  # that are still to be set
        self._mark = 0  # of the output that was set last
        if rate > 1.0:
            self._pace.ask(rate)

    @property
    def stands(self) -> bool:
        return self._pace.stands

    @property
    def at_end(self) -> bool:
        return self._pace.at_end

    @property
    def progress(self) -> float:
        return min(self._pace.time / self._pace.trajectory.duration, 1.0)

    @property
    def time(self) -> float:
        return self._pace.own_time

    def expects_more(self, dt: float) -> bool:
        """Whether the next piece must come before it goes on by dt, where time can wait for it."""
        return 0.0 < self._until <= self._pace.own_time + dt * self._pace.rate

    def expect_no_more(self) -> None:
        """What it has is all."""
        self._until = 0.0

    @property
    def end(self) -> Array:
        """Where it ends, as far as it is known."""
        return self._pace.trajectory.end.q

    @property
    def origin(self) -> str:
        trajectory = self._pace.trajectory
        if not trajectory.origins:
            return ""
        k = int(np.searchsorted(trajectory.knots, self._pace.time, side="right")) - 1
        return trajectory.origins[min(max(k, 0), len(trajectory.origins) - 1)]

    def set_outputs(self, command: Command) -> None:
        """Put those outputs into what is sent that it has come past."""
        while self._outputs and self._outputs[0].time < self._pace.own_time:
            due = self._outputs.popleft()
            self._mark = due.mark
            due.output.set(command)

    def drop_outputs(self) -> None:
        """It does not go on: what it has not come past is not set."""
        self._outputs.clear()

    def ask(self, rate: float) -> None:
        self._pace.ask(rate)

    def go_on(self, piece: Handover) -> str:
        """Take the next piece; why not, or ""."""
        if self._pace.asked == 0.0:
            return "it is being stopped"
        if (piece.while_pressed, piece.resumable) != (self.while_pressed, self.resumable):
            return "what is held to run and what is not cannot be one motion"
        if piece.at < self._pace.own_time:
            return f"it comes too late: the motion is {self._pace.own_time - piece.at:.3f} s past where it begins"
        try:
            here = self._pace.state_at(piece.at)
        except ValueError:
            return "it begins where the motion never is"
        start, limits = piece.trajectory.start, self._limits
        gaps = (
            np.abs(start.q - here.q),
            np.abs(start.v - here.v) / limits.velocity,
            np.abs(start.a - here.a) / limits.acceleration,
        )
        for gap, borne, what in zip(gaps, _SAME, ("position", "velocity", "acceleration"), strict=True):
            if not gap.max() <= borne:
                return f"{limits.joints[int(gap.argmax())]} would jump in {what}: it does not go on from this motion"
        # Taken at once or not at all: one that waited for a ramp to end could be passed by, and all behind it would be elsewhere.
        if not self._pace.can_change(piece.at, piece.trajectory):
            return "it comes too late: the speed is being changed, and so near ahead the motion cannot be"
        self._pace.change(piece.at, piece.trajectory)
        self._until = piece.until
        self._replace_outputs(piece)
        return ""

    def advance(self, dt: float) -> Array:
        return self._pace.advance(dt)

    def _replace_outputs(self, piece: Handover) -> None:
        """What is to be set from a piece's begin on is what the piece says, without what was set, or will be, before."""
        while self._outputs and self._outputs[-1].time >= piece.at:
            self._outputs.pop()
        last = self._outputs[-1].mark if self._outputs else self._mark
        self._outputs.extend(each for each in piece.outputs if each.mark > last)


class External:
    """Set-points of another master, uncertified: through a filter that keeps velocity, acceleration and jerk.

    Between two of them the newest is carried on by its velocity, for as long as one can be on its way.
    """

    certified = False
    while_pressed = False

    def __init__(self, limits: MotionLimits, period: float, q: Array) -> None:
        self.motion = 0
        self._filter = SetPointFilter(limits, q, period=period)
        self._carried = CarriedSetPoint(q, limits.acceleration)
        self._ends = False

    @property
    def stands(self) -> bool:
        return self._filter.rests

    @property
    def at_end(self) -> bool:
        return self._ends and self._filter.rests

    @property
    def progress(self) -> float:
        return 0.0

    @property
    def origin(self) -> str:
        return "external"

    @property
    def time(self) -> float:
        return 0.0

    def ask(self, rate: float) -> None:
        if rate == 0.0:
            self._ends = True
            self._filter.stop()

    def follow(self, q: Array, v: Array, age: float, since: float, *, holds: bool = False) -> str:
        """The other master's newest set-point; why it is to be stopped, or "".

        Args:
            age: Of the set-point [s]. since: For how long he has been followed [s].
            holds: It says to come to rest wherever that is soonest, until the next that does not.
        """
        if age > _STALE:  # that may be one from before: he is given time for his first
            return "the other master is silent" if since > _FIRST else ""
        if not (np.isfinite(q).all() and np.isfinite(v).all()):
            return "the other master's set-points are no numbers"
        if holds:
            self._filter.stop()
        elif not self._ends:
            self._carried.take(q, v, age, since)
            self._filter.ask(self._carried.q, self._carried.v)
        return ""

    def advance(self, dt: float) -> Array:  # noqa: ARG002  (its step is fixed)
        return self._filter.step()
