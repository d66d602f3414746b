"""One cycle of a robot that moves: read, watch, sample, check, write. No process and no clock of its own.

Whatever is held here ends at rest: trajectories end there, and every way out of a motion (hold, stop, fault) is on its path where
that can be done. Nothing is taken that is not proven for this robot, these limits and this world, or does not begin where the
robot is.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from armillary.drivers import Command, Driver, Feedback, Lifecycle, Stage
from armillary.model import Model, inverse_dynamics
from armillary.motion import Certificate, MotionLimits, Pace, Trajectory, limits_of
from armillary.motion.certificate import segment_hashes, world_hash
from armillary.runtime.errors import RuntimeProblem
from armillary.runtime.guard import Fault, Guard, Tolerances
from armillary.runtime.histogram import Histogram
from armillary.runtime.states import Event, State, next_state

__all__ = ["Executor", "Happening", "Refused"]

Array = NDArray[np.float64]
_HERE = 0.01  # rad or m: a motion must begin this near to where the robot is
_EVENTS = 1000  # that are kept until somebody takes them


class Refused(RuntimeProblem):
    """An order that cannot be followed now; nothing has changed."""


@dataclass(frozen=True)
class Happening:
    """Something that happened: for the recording and for people.

    Attributes:
        time: [s, the executor's clock].
        event: What.
        state: Which state it led to.
        text: More, in words.
    """

    time: float
    event: Event
    state: State
    text: str = ""


class Executor:
    """A robot's motion, tick by tick.

    Attributes:
        state: What it is in.
        fault: Why it is FAULTED, or None.
        command, feedback: What was sent and heard last.
        steps: How long each step of the tick took.
        lateness, work: Of the ticks: how late they began, and how long they took.
    """

    def __init__(
        self, model: Model, driver: Driver, *, limits: MotionLimits | None = None, world: str | None = None,
        period: float = 0.001, tolerances: Tolerances | None = None,
    ) -> None:  # fmt: skip
        """Args:
        world: The hash of model, limits and world that proofs must be bound to (`world_hash`); of the robot alone where left out.
        period: Of a tick [s].
        """
        if not 0.0005 <= period <= 0.01:
            raise RuntimeProblem(f"a period of {period} s; give 0.001 to 0.004 s")
        self.model, self.limits, self.period = model, limits or limits_of(model), period
        self.world = world or world_hash(model, self.limits, None)
        self.driver = Lifecycle(driver)
        self.guard = Guard(self.limits, model.effort, tolerances)
        self.state = State.OFF
        self.command, self.feedback = Command.of(model.n), Feedback.of(model.n)
        self.happenings: deque[Happening] = deque(maxlen=_EVENTS)
        self.rate = 1.0
        self._pace: Pace | None = None
        self._queue: deque[Trajectory] = deque()
        self._then: Event | None = None  # what follows when a stop on the path has come to rest
        self._now = 0.0
        self.fault: Fault | None = None
        self.overruns = 0
        self.lateness, self.work = Histogram(), Histogram()
        self._late = self._quiet = 0.0
        self._steps: list[tuple[str, Callable[[], None]]] = [
            ("read", self._read), ("guard", self._watch), ("sample", self._sample), ("limit", self._limit),
            ("write", self._write),
        ]  # fmt: skip
        self.steps = {name: Histogram() for name, _ in self._steps}

    # Orders. Each is followed at once, or refused with nothing changed.

    def power_on(self) -> None:
        """Reach the motor side; no power to the motors yet."""
        self._must(Event.POWER_ON)
        self.driver.open()
        self._enter(Event.POWER_ON)
        self.driver.stop()

    def initialise(self) -> None:
        """Clear buffers and enable the drives; READY follows when they say so."""
        self._must(Event.INITIALISE)
        self._clear()
        self.driver.disable()
        if self.driver.stage == Stage.CLOSED:  # it was powered off while it was faulted
            self.driver.open()
        self.driver.enable()
        self._enter(Event.INITIALISE)

    def run(self, trajectory: Trajectory, certificate: Certificate) -> None:
        """Move along a proven trajectory; behind what is moved already where something is.

        Raises:
            Refused: It is not proven for this robot, its limits and its world, or does not begin where the robot is then.
        """
        self._must(Event.MOVE)
        if self._then is not None:
            raise Refused("it is being stopped; wait until it stands")
        if not certificate:
            raise Refused(f"this motion is not proven: {certificate}")
        if certificate.bound_to != self.world or certificate.segments != segment_hashes(trajectory):
            raise Refused("this motion is not proven: its proof is of another motion, robot, limits, tool or world")
        here = self._ends_at
        start = trajectory.start
        gap = np.abs(start.q - here)
        if gap.max() > _HERE or np.abs(start.v).max() > 1e-6:
            joint = self.model.joints[int(gap.argmax())]
            raise Refused(f"it begins {gap.max():.4g} away from where {joint} is; plan from there")
        self._queue.append(trajectory)
        if self._pace is None:
            self._next()
        self._enter(Event.MOVE)

    def hold(self) -> None:
        """Stop on the path, to go on later."""
        self._must(Event.HOLD)
        if self._pace is not None:
            self._pace.ask(0.0)
        self._enter(Event.HOLD)

    def resume(self) -> None:
        """Go on from a hold."""
        self._must(Event.RESUME)
        if self._pace is not None:
            self._pace.ask(self.rate)
        self._enter(Event.RESUME)

    def override(self, rate: float) -> None:
        """Let the motion, and those that follow, run at a share of its speed."""
        if not 0.0 <= rate <= 2.0:
            raise Refused(f"an override of {rate} is none; give 0 to 2")
        self.rate = float(rate)
        if self._pace is not None and self.state == State.MOVING and self._then is None:
            self._pace.ask(self.rate)

    def stop(self, category: int = 2) -> None:
        """Stop: 2 on the path, 1 on the path and then power off, 0 power off at once. Never refused."""
        if category not in (0, 1, 2):
            raise Refused(f"there is no stop of category {category}; there are 0, 1 and 2")
        self._queue.clear()
        if category == 0:
            self._power_off(Event.STOP_NOW)
        elif self._pace is not None and not self._pace.stands:
            self._pace.ask(0.0)
            self._then = Event.STOP if category == 2 else Event.STOP_AND_POWER_OFF
        elif category == 1:
            self._power_off(Event.STOP_AND_POWER_OFF)
        else:
            self._pace = None
            self._enter(Event.STOP)

    def power_off(self) -> None:
        """Power off a robot that stands."""
        self._must(Event.POWER_OFF)
        self._power_off(Event.POWER_OFF)

    def reset(self) -> None:
        """Leave a fault, by a person's will."""
        self._must(Event.RESET)
        self._clear()
        self.fault = None
        self.driver.disable()
        self._enter(Event.RESET)
        self.driver.stop()

    # The tick.

    def tick(self, now: float, *, late: float = 0.0, station_quiet: float = 0.0) -> None:
        """One cycle.

        Args:
            now: The executor's clock [s].
            late: By how much this tick begins too late [s].
            station_quiet: Since the station's last sign of life [s].
        """
        begin = perf_counter()
        self._now, self._late, self._quiet = now, late, station_quiet
        self.lateness.add(late)
        before = begin
        for name, step in self._steps:
            step()
            after = perf_counter()
            self.steps[name].add(after - before)
            before = after
        self.work.add(before - begin)
        self.overruns += before - begin > self.period

    @property
    def moves(self) -> bool:
        """Whether the joints are being moved."""
        return self._pace is not None and not self._pace.stands

    @property
    def progress(self) -> float:
        """How much of the present motion is done, 0 to 1."""
        return 1.0 if self._pace is None else self._pace.time / self._pace.trajectory.duration

    @property
    def origin(self) -> str:
        """Where the present piece of motion comes from (a program's line), or ""."""
        if self._pace is None or not self._pace.trajectory.origins:
            return ""
        trajectory = self._pace.trajectory
        k = int(np.searchsorted(trajectory.knots, self._pace.time, side="right")) - 1
        return trajectory.origins[min(max(k, 0), len(trajectory.origins) - 1)]

    def _read(self) -> None:
        if self.driver.stage != Stage.CLOSED:
            self.driver.read(self.feedback)
        if self.state == State.INITIALISING and self.feedback.enabled and np.isfinite(self.feedback.q).all():
            # From where the robot is, and not from where it was: nothing jumps.
            self.command.q[:], self.command.v[:], self.command.a[:] = self.feedback.q, 0.0, 0.0
            self._enter(Event.INITIALISED)

    def _watch(self) -> None:
        if self.driver.stage != Stage.ENABLED or self.state in (State.OFF, State.STOPPED, State.INITIALISING, State.FAULTED):
            return
        found = self.guard.check_time(self._late, self._quiet, self.moves, self._now)
        self._fail(found or self.guard.check_feedback(self.command, self.feedback, self._now))

    def _sample(self) -> None:
        pace = self._pace
        if pace is None:
            self.command.v[:] = self.command.a[:] = 0.0
            return
        joints = pace.advance(self.period)
        self.command.q[:], self.command.v[:], self.command.a[:] = joints[0], joints[1], joints[2]
        if pace.at_end and self._then is None and self._queue:
            self._next()
        elif pace.stands:
            self._rests()

    def _rests(self) -> None:
        """The motion stands: at its end, on hold, or stopped."""
        pace = self._pace
        assert pace is not None
        self.command.v[:] = self.command.a[:] = 0.0
        if self.state == State.FAULTED:
            self._pace = None
            self.driver.stop()
        elif self._then == Event.STOP_AND_POWER_OFF:
            self._power_off(Event.STOP_AND_POWER_OFF)
        elif self._then is not None:
            event, self._then, self._pace = self._then, None, None
            self._enter(event)
        elif pace.at_end:
            self._pace = None
            self._enter(Event.ARRIVED)

    def _limit(self) -> None:
        if self.state in (State.READY, State.MOVING, State.HOLDING):
            self._fail(self.guard.check_command(self.command, self._now))

    def _write(self) -> None:
        stopping = self.state == State.FAULTED and self._pace is not None
        if self.driver.stage != Stage.ENABLED or not (self.state in (State.READY, State.MOVING, State.HOLDING) or stopping):
            return
        command = self.command
        command.number += 1
        command.time = self._now
        command.torque[:] = inverse_dynamics(self.model, command.q, command.v, command.a)
        self.driver.write(command)

    # What the orders and the tick share.

    @property
    def _ends_at(self) -> Array:
        """Where the robot will be when all that is queued is done."""
        if self._queue:
            return self._queue[-1].end.q
        return self._pace.trajectory.end.q if self._pace is not None else self.command.q

    def _next(self) -> None:
        self._pace = Pace(self._queue.popleft(), self.limits, rate=min(self.rate, 1.0))
        if self.rate > 1.0:
            self._pace.ask(self.rate)

    def _must(self, event: Event) -> None:
        if next_state(self.state, event) is None:
            raise Refused(f"'{event.name.lower().replace('_', ' ')}' cannot be followed while it is {self.state.name}")

    def _enter(self, event: Event, text: str = "") -> None:
        to = next_state(self.state, event)
        assert to is not None
        self.state = to
        self.happenings.append(Happening(self._now, event, to, text))

    def _fail(self, fault: Fault | None) -> None:
        if fault is None or self.state == State.FAULTED:
            return
        self.fault = fault
        self._queue.clear()
        self._then = None
        self._enter(Event.FAULT, fault.text)
        if fault.on_path and self._pace is not None and not self._pace.stands:
            self._pace.ask(0.0)
        else:
            self._pace = None
            self.driver.stop()

    def _power_off(self, event: Event) -> None:
        self._clear()
        self.driver.close()
        if next_state(self.state, event) is not None:
            self._enter(event)

    def _clear(self) -> None:
        self._pace, self._then = None, None
        self._queue.clear()
