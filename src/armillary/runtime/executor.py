"""One cycle of a robot that moves: read, watch, sample, check, write. No process and no clock of its own.

Whatever is held here ends at rest: trajectories end there, and every way out of a motion (hold, stop, fault) is on its path where
that can be done. Nothing is taken that is not proven for this robot, these limits and this world, or does not begin where the
robot is.
"""

from collections import deque
from collections.abc import Callable
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from armillary.drivers import Command, Driver, Feedback, Lifecycle, Stage
from armillary.drivers.driver import ForcedInputs
from armillary.model import Model
from armillary.motion import Bounds, MotionLimits, limits_of
from armillary.motion.certificate import world_hash
from armillary.runtime.errors import Refused, RuntimeProblem
from armillary.runtime.feed_forward import FeedForward
from armillary.runtime.guard import Fault, Guard, Tolerances
from armillary.runtime.handover import Handover
from armillary.runtime.happening import Happening
from armillary.runtime.histogram import Histograms
from armillary.runtime.inputs_outputs import check_outputs, hold_input, settable_output
from armillary.runtime.motion_queue import MotionQueue
from armillary.runtime.source import External, Source, Track
from armillary.runtime.states import Event, State, next_state, stronger_stop

__all__ = ["Executor"]

Array = NDArray[np.float64]
_HERE = 0.01  # rad or m: a motion must begin this near to where the robot is
_EVENTS = 1000  # that are kept until somebody takes them
_ENABLES = 5.0  # s that the drives may take to be enabled
_RELEASED = 0.1  # s without a press after which what is held to run stops
_DRIVEN = (State.READY, State.MOVING, State.HOLDING)  # in which set-points are sent


class Executor:
    """A robot's motion, tick by tick.

    Attributes:
        state: What it is in.
        fault: Why it is FAULTED, or None.
        command, feedback: What was sent and heard last. forced: Inputs that are held at a value.
        times: How late the ticks began, how long they took, and how long each of their steps did.
    """

    def __init__(
        self, model: Model, driver: Driver, *, limits: MotionLimits | None = None, world: str | None = None,
        period: float = 0.001, tolerances: Tolerances | None = None, bounds: Bounds | None = None,
        outputs_off_on_fault: bool = False,
    ) -> None:  # fmt: skip
        """Args:
        world: The hash of model, limits and world that proofs must be bound to (`world_hash`); of the robot alone where left out.
        period: Of a tick [s].
        bounds: Whose motors' limits every command is held to.
        outputs_off_on_fault: A fault sets all outputs to zero; they stay as they are otherwise.
        """
        if not 0.0005 <= period <= 0.01:
            raise RuntimeProblem(f"a period of {period} s; give 0.001 to 0.004 s")
        self.model, self.limits, self.period = model, limits or limits_of(model), period
        self.world = world or world_hash(model, self.limits, None, bounds)
        self.driver = Lifecycle(driver)
        self._feed_forward = FeedForward(model)
        self.guard = Guard(self.limits, model.effort, tolerances, bounds=bounds)
        self.guard.bear_lag(driver.capabilities.interval)
        self.state = State.OFF
        self.command, self.feedback = Command.of(model.n), Feedback.of(model.n)
        self.forced, self._outputs_off, self._off_unsaid = ForcedInputs(), outputs_off_on_fault, False
        self.happenings: deque[Happening] = deque(maxlen=_EVENTS)
        self.rate = 1.0
        self._source: Source | None = None
        self._queue = MotionQueue()
        self._one = False  # hold at the end of this motion, whatever is queued
        self._then: Event | None = None  # what follows when a stop on the path has come to rest
        self._why, self._since = "", 0.0
        self._now = 0.0
        self.fault: Fault | None = None
        self.overruns = 0
        self._late = self._quiet = self._unpressed = 0.0
        self._steps: list[tuple[str, Callable[[], None]]] = [
            ("read", self._read), ("guard", self._watch), ("sample", self._sample), ("limit", self._limit),
            ("write", self._write),
        ]  # fmt: skip
        self.times = Histograms("lateness", "work", *(name for name, _ in self._steps), "hear", "say", "cycle")

    # Orders. Each is followed at once, or refused with nothing changed.

    def power_on(self) -> None:
        """Reach the motor side; no power to the motors yet."""
        self._must(Event.POWER_ON)
        self.driver.open()
        self._enter(Event.POWER_ON)

    def initialise(self) -> None:
        """Clear buffers and enable the drives; READY follows when they say so."""
        self._must(Event.INITIALISE)
        self._clear()
        self.driver.disable()
        if self.driver.stage == Stage.CLOSED:  # after a fault, or powered off while it was faulted
            self.driver.open()
        self.feedback.fault, self.feedback.enabled = "", False
        self.driver.enable()
        self._since = self._now
        self._enter(Event.INITIALISE)

    def run(self, handover: Handover) -> None:
        """Move along a proven trajectory: behind what is moved already, or as the next piece of it.

        Raises:
            Refused: It is not proven for this robot, limits and world, begins elsewhere, or sets outputs that there are not.
        """
        self._must(Event.MOVE)
        if self._then is not None:
            raise Refused("it is being stopped; wait until it stands")
        if refusal := handover.refusal(self.world):
            raise Refused(refusal)
        check_outputs(self.driver.driver.capabilities, handover.outputs)
        if handover.at > 0.0:
            self._go_on(handover)
            return
        allowed = np.minimum(_HERE, self.limits.velocity * self.period)  # no more than a joint may move in a tick
        if refusal := handover.begins_elsewhere(self._begins_at(handover), allowed):
            raise Refused(refusal)
        if self._queue.has_last(handover):
            self._queue.pop()  # it goes further now, from the same start
        self._queue.append(handover)
        if self._source is None:
            self._next()
        self._enter(Event.MOVE)

    def follow(self) -> None:
        """Follow another master's set-points from now on, uncertified, until it is stopped or they cease."""
        self._must(Event.MOVE)
        if self._source is not None:
            raise Refused("it moves; wait until it stands")
        self._source = External(self.limits, self.period, self.command.q)
        self._since = self._now
        self._enter(Event.MOVE, "follows set-points of another master, uncertified")

    def set_point(self, q: Array, v: Array, age: float, *, holds: bool = False) -> None:
        """The other master's newest set-point (see `External.follow`). Old ones, and those that are no numbers, stop it."""
        source = self._source
        if not isinstance(source, External) or self._then is not None or self.state != State.MOVING:
            return
        if why := source.follow(q, v, age, self._now - self._since, holds=holds):
            self.stop(2, why)

    def hold(self) -> None:
        """Stop on the path, to go on later."""
        self._must(Event.HOLD)
        if isinstance(self._source, External):
            raise Refused("another master's motion cannot be held; stop it")
        self._halt()
        self._enter(Event.HOLD)

    def resume(self) -> None:
        """Go on from a hold."""
        self._must(Event.RESUME)
        self._one = False
        self._go()
        self._enter(Event.RESUME)

    def step(self) -> None:
        """Go on from a hold, to the end of the present motion; there it holds again where another one is queued."""
        self.resume()
        self._one = True

    def override(self, rate: float) -> None:
        """Let the motion, and those that follow, run at a share of its speed."""
        if not 0.0 <= rate <= 2.0:
            raise Refused(f"an override of {rate} is none; give 0 to 2")
        self.rate = float(rate)
        if self._source is not None and self.state == State.MOVING and self._then is None:
            self._go()

    def set_output(self, index: object, value: object) -> None:
        """Set an output from the next tick on: a digital one for a truth value, an analogue one for a number.

        Raises:
            Refused: There is no such output, the value is none, or nothing is sent to the motor side now.
        """
        output = settable_output(self.driver.driver.capabilities, index, value)
        if self.state not in _DRIVEN:
            raise Refused(f"an output cannot be set while it is {self.state.name}: nothing is sent; power on, or reset, first")
        output.set(self.command)

    def simulate_input(self, index: object, value: object, *, analog: bool = False) -> None:
        """Hold an input at a value from now on, whatever the motor side says; None lets it go. Not of real motor sides.

        Args:
            value: A truth value for a digital one, a number for an analogue one.
            analog: Which kind None lets go.
        """
        hold_input(self.forced, self.driver.driver.capabilities, self.feedback, index, value, analog=analog)

    def stop(self, category: int = 2, why: str = "", *, latch: bool = False) -> None:
        """Stop: 2 on the path (`latch`: until initialised), 1 and then power off, 0 power off at once; never refused."""
        if category not in (0, 1, 2):
            raise Refused(f"there is no stop of category {category}; there are 0, 1 and 2")
        event = Event.STOP_AND_POWER_OFF if category == 1 else Event.STOP_AND_LATCH if latch else Event.STOP
        self._drop_what_follows()
        self._why, self._one = why, False
        if category == 0:
            self._power_off(Event.STOP_NOW, why)
        elif self.moves:
            self._halt()
            self._then = stronger_stop(self._then, event)
        elif category == 1:
            self._power_off(event, why)
        elif next_state(self.state, event) is not None:
            self._source = None
            self._enter(event, why)

    def power_off(self) -> None:
        """Power off a robot that stands."""
        self._must(Event.POWER_OFF)
        if self.moves:
            raise Refused("it still moves; wait until it stands, or stop it with category 1 or 0")
        self._power_off(Event.POWER_OFF)

    def reset(self) -> None:
        """Leave a fault, by a person's will."""
        self._must(Event.RESET)
        self._clear()
        self.fault = None
        self._enter(Event.RESET)
        self.driver.close()  # a lost link is made anew, and nothing on it is heard again
        self.feedback.fault = ""

    # The tick.

    def tick(self, now: float, *, late: float = 0.0, station_quiet: float = 0.0, unpressed: float = 0.0) -> None:
        """One cycle.

        Args:
            now: The executor's clock [s].
            late: By how much this tick begins too late [s].
            station_quiet: Since the station's last sign of life [s].
            unpressed: Since somebody was last known to hold to run [s].
        """
        begin = perf_counter()
        self._now, self._late, self._quiet, self._unpressed = now, late, station_quiet, unpressed
        times, before, k = self.times.times, begin, 2
        for _, step in self._steps:
            step()
            after = perf_counter()
            times[k] = after - before
            before, k = after, k + 1
        times[0], times[1] = late, before - begin
        self.times.add()
        self.overruns += before - begin > self.period

    @property
    def moves(self) -> bool:
        """Whether the joints are being moved."""
        return self._source is not None and not self._source.stands

    @property
    def queued(self) -> int:
        """How many motions wait behind the present one."""
        return len(self._queue)

    @property
    def progress(self) -> float:
        """How much of the present motion is done, 0 to 1."""
        return 1.0 if self._source is None else self._source.progress

    @property
    def origin(self) -> str:
        """Where the present piece of motion comes from (a program's line), or ""."""
        return "" if self._source is None else self._source.origin

    @property
    def motion(self) -> tuple[int, float]:
        """The number of the present motion, and its own time [s]."""
        return (0, 0.0) if self._source is None else (self._source.motion, self._source.time)

    @property
    def waits(self) -> bool:
        """Whether the next piece of its motion must come before time may go on, where time can wait (in lock-step)."""
        return isinstance(self._source, Track) and self._then is None and self._source.expects_more(self.period)

    def no_more(self, motion: int) -> None:
        """No further piece of a motion is to come."""
        if isinstance(self._source, Track) and self._source.motion == motion:
            self._source.expect_no_more()

    @property
    def round_trip(self) -> float:
        """How long the motor side took to answer last, where it says so [s]; NaN otherwise."""
        return float(getattr(self.driver.driver, "round_trip", np.nan))

    @property
    def certified(self) -> bool:
        """Whether what moves now is proven."""
        return self._source is None or self._source.certified

    def _read(self) -> None:
        forced = self.forced
        if forced.pressed:
            forced.lift(self.feedback)
        if self.driver.stage != Stage.CLOSED:
            self.driver.read(self.feedback)
        if forced.any:
            forced.press(self.feedback)
        if self.state == State.INITIALISING and (self.feedback.fault or self._now - self._since > _ENABLES):
            why = self.feedback.fault or f"they are not enabled after {_ENABLES:g} s"
            self.fail(Fault("driver", "", self._now - self._since, _ENABLES, self._now, f"the drives: {why}", on_path=False))
        elif self.state == State.INITIALISING and self.feedback.enabled and np.isfinite(self.feedback.q).all():
            # From where the robot is, and not from where it was: nothing jumps.
            # A robot that hangs a hair outside its range is commanded to its edge: from outside nothing could be planned.
            inside = np.clip(self.feedback.q, self.limits.lower, self.limits.upper)
            near = np.abs(inside - self.feedback.q).max() < _HERE
            self.command.q[:], self.command.v[:], self.command.a[:] = inside if near else self.feedback.q, 0.0, 0.0
            self._enter(Event.INITIALISED)

    def _watch(self) -> None:
        brakes = self.state == State.FAULTED and self._source is not None
        if self.driver.stage != Stage.ENABLED or not (brakes or self.state in (State.READY, State.MOVING, State.HOLDING)):
            return
        found = self.guard.check_time(self._late, self._quiet, self.moves, self._now)
        self.fail(found or self.guard.check_feedback(self.command, self.feedback, self._now))

    def _sample(self) -> None:
        source = self._driven_source()
        if source is None:
            return
        joints = source.advance(self.period)
        self.command.q[:], self.command.v[:], self.command.a[:] = joints[0], joints[1], joints[2]
        if isinstance(source, Track):
            source.set_outputs(self.command)
        if source.stands:
            self._rests(source)

    def _driven_source(self) -> Source | None:
        """What is to be moved along now, if anything; it is stopped or held where it is held to run and nobody does any more."""
        source = self._source
        if source is None:
            self.command.v[:] = self.command.a[:] = 0.0
        elif isinstance(source, Track) and self._let_go_of(source) and self._then is None and not source.resumable:
            self.stop(2, "released")
        elif isinstance(source, Track) and self._let_go_of(source) and self.state == State.MOVING and self._then is None:
            self.hold()  # in every tick: whoever resumes it must hold it too
        return source

    def _let_go_of(self, motion: Handover | Track) -> bool:
        return motion.while_pressed and self._unpressed > _RELEASED

    def _rests(self, source: Source) -> None:
        """The motion stands: at its end, on hold, or stopped."""
        self.command.v[:] = self.command.a[:] = 0.0
        if self.state == State.FAULTED:
            self._source = None
            self.driver.stop()
            if self._then == Event.STOP_AND_POWER_OFF:
                self._power_off(Event.STOP_AND_POWER_OFF)
        elif self._then == Event.STOP_AND_POWER_OFF:
            self._power_off(Event.STOP_AND_POWER_OFF, self._why)
        elif self._then is not None:
            event, self._then, self._source = self._then, None, None
            self._enter(event, self._why)
        elif source.at_end and self._queue:
            self._next()
        elif source.at_end:
            self._source, self._one = None, False
            self._enter(Event.ARRIVED)

    def _limit(self) -> None:
        if self.state in _DRIVEN or self._source is not None:
            self.fail(self.guard.check_command(self.command, self._now, proven=self.certified))

    def _write(self) -> None:
        stopping = self.state == State.FAULTED and self._source is not None
        off, self._off_unsaid = self._off_unsaid, False
        if self.driver.stage != Stage.ENABLED or not (self.state in _DRIVEN or stopping or off):
            return
        command = self.command
        if off and not stopping and np.isfinite(self.feedback.q).all():
            # Stopped hard, it follows nothing; one that did would stay where it is.
            command.q[:], command.v[:], command.a[:] = self.feedback.q, 0.0, 0.0
        command.number += 1
        command.time = self._now
        self._feed_forward.fill(command)
        self.driver.write(command)

    # What the orders and the tick share.

    @property
    def _end(self) -> Array:
        """Where the present motion ends."""
        return self._source.end if isinstance(self._source, Track) else self.command.q

    def _begins_at(self, handover: Handover) -> Array:
        """Where the robot will be when a motion begins."""
        if isinstance(self._source, Track) and handover.motion != 0 and self._source.motion == handover.motion:
            raise Refused("this motion has begun; go on from it")
        return self._queue.begins_at(handover, self._end)

    def _go_on(self, handover: Handover) -> None:
        source = self._source
        if not isinstance(source, Track) or source.motion != handover.motion:
            raise Refused(f"motion {handover.motion}, which it goes on from, is not being moved")
        if self._queue:
            raise Refused("another motion is queued behind this one")
        if self.state != State.MOVING:
            raise Refused(f"the motion is {self.state.name}; it goes on when that is over")
        if refusal := source.go_on(handover):
            raise Refused(refusal)

    def _next(self) -> None:
        """Begin with the next motion of the queue; on hold where motions are gone through one by one."""
        if self._one and self._source is not None:
            self._one = False
            self._source = Track(self._queue.popleft(), self.limits, 0.0)
            self._enter(Event.HOLD, "one step done")
        else:
            first = self._queue.popleft()  # a hold that let a motion end holds this one; what nobody holds to run does not begin
            stays = self.state == State.HOLDING or self._let_go_of(first)
            self._source = Track(first, self.limits, 0.0 if stays else self._own_rate)

    @property
    def _own_rate(self) -> float:
        """At which a motion's time runs here; a motor side may have the rest."""
        return self.rate

    def _drop_what_follows(self) -> None:
        """Forget what is queued, and the outputs that the present motion has not come to."""
        self._queue.clear()
        if isinstance(self._source, Track):
            self._source.drop_outputs()

    def _halt(self) -> None:
        """Slow down to a stop, on the path."""
        if self._source is not None:
            self._source.ask(0.0)

    def _go(self) -> None:
        """Go on at the rate that is asked for."""
        if self._source is not None:
            self._source.ask(self.rate)

    def _must(self, event: Event) -> None:
        if next_state(self.state, event) is None:
            raise Refused(f"'{event.name.lower().replace('_', ' ')}' cannot be followed while it is {self.state.name}")

    def _enter(self, event: Event, text: str = "") -> None:
        to = next_state(self.state, event)
        assert to is not None
        self.state = to
        self.happenings.append(Happening(self._now, event, to, text))
        if to == State.STOPPED and self.driver.stage != Stage.CLOSED:
            self.driver.stop()

    def fail(self, fault: Fault | None) -> None:
        """Take a fault, if there is one: it latches."""
        if fault is None:
            return
        if self.state == State.FAULTED:
            # It brakes on the path for a fault before. What that cannot be trusted with any more ends it at once.
            if not fault.on_path and self._source is not None:
                self._let_go()
            return
        self.fault = fault
        self._drop_what_follows()
        if self._then != Event.STOP_AND_POWER_OFF:
            self._then = None
        self._enter(Event.FAULT, fault.text)
        if self._outputs_off:
            self.command.outputs, self.command.analog[:], self._off_unsaid = 0, 0.0, True
        if fault.on_path and self.moves:
            self._halt()
        else:
            self._let_go()

    def _let_go(self) -> None:
        """Leave the motion to the drives' own stop; power off behind it where that was asked for."""
        self._source = None
        self.driver.stop()
        if self._then == Event.STOP_AND_POWER_OFF:
            self._power_off(Event.STOP_AND_POWER_OFF)

    def _power_off(self, event: Event, why: str = "") -> None:
        self._clear()
        self.driver.close()
        self.feedback.enabled = False
        if next_state(self.state, event) is not None:
            self._enter(event, why)

    def _clear(self) -> None:
        self._source, self._then, self._one = None, None, False
        self._queue.clear()
