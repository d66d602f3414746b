"""The cycle for a motor side that plays set-points from a buffer, by its own clock.

Set-points are written ahead, as far as there is room. So the robot is behind what has been written, and a stop that was only left
out of what is written next would come too late: holding, stopping and slowing are the motor side's own, where it can. What is
compared with the feedback is the set-point that is being played.
"""

from typing import Any, cast

import numpy as np

from armillary.drivers import BufferedDriver, Driver, Stage
from armillary.model import Model
from armillary.runtime.errors import Refused, RuntimeProblem
from armillary.runtime.executor import Executor
from armillary.runtime.guard import Fault
from armillary.runtime.source import External, Source, Track
from armillary.runtime.states import Event, State

__all__ = ["BufferedExecutor"]

_AT_ONCE = 8  # set-points that are written in one tick
_STILL = 5  # reports without motion after which it stands
_RESTS = 1e-6  # rad or m a report
_TAKES = 5.0  # s in which a motor side takes the first set-point of a motion


class BufferedExecutor(Executor):
    """A robot's motion, tick by tick, on a buffered motor side."""

    def __init__(self, model: Model, driver: Driver, **others: Any) -> None:
        """Args as for `Executor`; the driver must be a `BufferedDriver`."""
        super().__init__(model, driver, **others)
        capabilities = driver.capabilities
        if capabilities.depth < 1 or not capabilities.interval > 0.0:
            raise RuntimeProblem("a buffered motor side needs a depth and an interval between its set-points")
        self._interval, self._own = capabilities.interval, capabilities
        self._ring = np.zeros((2 * capabilities.depth + 2 * _AT_ONCE, 3, model.n))  # set-points that were written, by number
        self._written = self._still = 0
        self._paced = 0.0  # s of the motion that have gone by, at the rate that is asked for
        self._before, self._seen = np.full(model.n, np.nan), -1.0
        self._halted = False

    @property
    def moves(self) -> bool:
        return self._source is not None and (self._still < _STILL or not (self._source.stands or self._halted))

    def follow(self) -> None:
        raise Refused("this motor side plays a buffer: it cannot follow another master's set-points")

    def _wire(self) -> BufferedDriver:
        return cast(BufferedDriver, self.driver.driver)

    def _read(self) -> None:
        super()._read()
        if self.state == State.READY and self._source is None:
            self._written = 0
        if self.feedback.time != self._seen:  # what is told again says nothing of whether it moves
            moved = np.abs(self.feedback.q - self._before).max()
            self._still = self._still + 1 if moved <= _RESTS else 0
            self._before[:], self._seen = self.feedback.q, self.feedback.time
        if self._source is not None:
            self._show_played()  # before it is held against the feedback

    def _sample(self) -> None:
        source = self._driven_source()
        if source is None:
            return
        self._paced += self.period * (self.rate if self._own.own_time_base else 1.0)
        if not self._halted and self.driver.stage == Stage.ENABLED:
            self._fill(source)
        self._show_played()
        if self._written == 0 and not self._halted and not source.stands and self._paced > _TAKES * self.rate > 0.0:
            text = f"the motor side has taken no set-point for {_TAKES:g} s; reset, and look at its own state"
            self.fail(Fault("driver", "", self._paced, _TAKES, self._now, text, on_path=False))
            return
        played = self.feedback.number >= self._written and self.feedback.left == 0
        if self._halted and self._still >= _STILL and self.state != State.HOLDING:
            self._wire().clear()
            self.command.q[:] = self.feedback.q
            self._rests(source)
        elif source.stands and played and self._still >= _STILL:
            self._rests(source)

    def _fill(self, source: Source) -> None:
        """Write ahead what there is room for."""
        command, by_hand = self.command, isinstance(source, Track) and source.while_pressed and not source.resumable
        for _ in range(min(self._wire().room, _AT_ONCE)):
            if source.stands and (source.at_end or self._written > 0):
                return
            # A jog comes piece by piece, a moment ahead of where it is: written as fast as there is room, each piece would be
            # driven to the stop that it ends with.
            if by_hand and (self._written + 1) * self._interval > self._paced:
                return
            joints = source.advance(self._interval)
            self._written += 1
            self._ring[self._written % len(self._ring)] = joints[:3]
            command.q[:], command.v[:], command.a[:] = joints[0], joints[1], joints[2]
            self._check_and_write()
            if self.state == State.FAULTED:
                return

    def _check_and_write(self) -> None:
        command = self.command
        fault = self.guard.check_command(command, self._now)
        if fault is not None:
            self.fail(fault)
            return
        command.number, command.time = self._written, self._now
        self._feed_forward.fill(command)
        self._wire().write(command)

    def _show_played(self) -> None:
        """What is commanded is what is being played, not what was written last."""
        number = self.feedback.number  # 0 before the first: where it stands is in that row
        if 0 <= number <= self._written:
            command, row = self.command, self._ring[number % len(self._ring)]
            command.q[:], command.v[:], command.a[:] = row[0], row[1], row[2]
            if self._halted and self._still >= _STILL:
                command.v[:] = command.a[:] = 0.0

    def _limit(self) -> None:
        """Each was looked at before it was written."""

    def _write(self) -> None:
        """Was done ahead."""

    def _next(self) -> None:
        super()._next()
        self._halted = False
        self._still, self._written, self._paced = 0, 0, 0.0
        self._ring[0] = 0.0
        self._ring[0, 0] = self.command.q
        self._wire().clear()
        if self._own.own_time_base:
            self._wire().time_base(self.rate)

    @property
    def _own_rate(self) -> float:
        return 1.0 if self._own.own_time_base else self.rate

    def _halt(self) -> None:
        if self._own.own_hold:
            self._wire().hold()
            self._halted = True
        else:
            super()._halt()

    def _go(self) -> None:
        if self._own.own_time_base:
            self._wire().time_base(self.rate)
        elif self._source is not None and not isinstance(self._source, External):
            super()._go()
        if self._halted:
            self._halted = False
            self._still = 0
            self._wire().resume()

    def _enter(self, event: Event, text: str = "") -> None:
        super()._enter(event, text)
        if self._source is None and self._halted:
            self._halted = False
            self._wire().clear()
            self.command.q[:] = self.feedback.q
            self._wire().resume()
