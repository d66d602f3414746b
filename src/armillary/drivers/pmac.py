"""A PMAC over Ethernet (paper 2): set-points as control points of its own spline, in its rotary buffer, by its own clock.

It holds, slows down and goes on by the PMAC's time base, on the path, however much is in its buffer. What it says of the robot
comes from a PLC program that is made from the actuation model. That program also holds when this driver is not heard any more.
"""

import random
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from armillary.description.robot import JointType
from armillary.drivers.driver import Capabilities, Command, Feedback
from armillary.drivers.errors import DriverError
from armillary.drivers.pmac_axes import PmacAxes, axes_of
from armillary.drivers.pmac_motion import PmacMotion
from armillary.drivers.pmac_options import OPTIONS, PmacOptions, read_options
from armillary.drivers.pmac_points import REACH
from armillary.drivers.pmac_report import PmacReport, faults_of, read_report, report_request
from armillary.drivers.pmac_session import PmacSession
from armillary.drivers.registry import DriverRequest
from armillary.drivers.set_point_check import SetPointCheck
from armillary.motion import MotionLimits, limits_of
from armillary.protocols.pmac import BadPmac
from armillary.protocols.pmac_status import CoordinateStatus, MotorStatus

__all__ = ["PmacDriver", "PmacState", "make_pmac"]

Array = NDArray[np.float64]
_RATE = 250.0  # Hz: of reports, where the PMAC answers so fast
_BRIEFLY = 0.003  # s that `read` may wait for an answer: it has a process of its own
_BEGINS = 8  # points in the rotary buffer before it runs
_FEW = 4  # points left in it at which it is held until more come
_STANDS = 3.0  # s in which what was stopped stands, as in the paper
_POWERS = 1.0  # s in which motors are powered
_NEAR = 0.02  # rad or m from where the robot is commanded to be at which a motion may begin
_GOES_ON = 0.01  # s for which a report is carried on
_NO_SPEED, _NO_FORCE = 1e-9, 1e-6  # of a joint that rests [rad/s, rad/s^2]
_SPEED = 12  # reports that a velocity is taken from


class PmacState(Enum):
    """The paper's states."""

    STOP = "stop"
    INIT = "init"
    MOVE = "move"


class PmacDriver:
    """A `BufferedDriver` for a PMAC.

    Attributes:
        state: Stop until it is enabled and after a stop; Init once it is set up; Move while there is something to be played.
        lines: Points that the PMAC has taken since it was opened.
    """

    def __init__(
        self, options: PmacOptions, axes: PmacAxes, limits: MotionLimits, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._options, self._axes, self._limits, self._clock = options, axes, limits, clock
        self._check_of = SetPointCheck(axes.joints, limits.lower, limits.upper)
        self._depth = options.ahead + REACH
        self._capabilities = Capabilities(
            depth=self._depth, interval=options.segment, own_hold=True, own_time_base=True, feedback_rate=_RATE,
            watchdog=options.watchdog,
        )  # fmt: skip
        self._session: PmacSession | None = None
        self._request = report_request(options, axes)
        self._forget()

    def _forget(self) -> None:
        self.state = PmacState.STOP
        self.lines = 0
        self._enabled = self._asked = False  # a report is asked for
        self._fault = self._lost = ""
        self._token = 0
        self._report: PmacReport | None = None
        self._known: tuple[MotorStatus, ...] = ()
        self._past: deque[tuple[float, Array]] = deque(maxlen=_SPEED)
        self._no_motion()
        self._held = False
        self._clearing = 0.0  # since when it waits to stand, to be cleared
        self._early: list[tuple[int, Array, bool]] = []  # set-points that came meanwhile

    def _no_motion(self) -> None:
        self._motion = PmacMotion(self._options.lead)
        self._played = self._calculated = 0
        self._running = self._halted = self._starves = self._over = False
        self._confirmed = False  # it was seen running
        self._heard = self._clock()
        self._speeds: dict[int, Array] = {}  # of set-points by number, until they are played [rad/s or m/s]

    @property
    def capabilities(self) -> Capabilities:
        return self._capabilities

    @property
    def room(self) -> int:
        """One before a motion: what is written at once is far ahead of a robot that still stands, and compared with it."""
        last, played = self._progress
        if not self._takes:
            return 0
        return 1 if last == played else max(self._depth - (last - played), 0)

    def open(self) -> None:
        """Raises:
        DriverError: Nothing answers, what answers is no Turbo PMAC, or somebody else drives it.
        """
        self.close()
        session = PmacSession(self._options, self._axes, self._limits, self._depth, clock=self._clock)
        try:
            session.begin()
        except DriverError:
            session.drop()
            raise
        self._session = session

    def enable(self) -> None:
        """Init: all that a motion needs is set up anew, and the motors are powered.

        Raises:
            DriverError: It cannot be set up; says why.
        """
        session = self._need()
        self._forget()
        self._token = random.randrange(1, 8_000_000)
        try:
            session.set_up(self._token)
            report = self._powered(session)
        except DriverError:
            with suppress(DriverError):
                session.power_off()  # some motors may have got power before it failed
            raise
        self._known, self._enabled, self.state = report.motors, True, PmacState.INIT

    def write(self, command: Command) -> None:
        if not self._takes:
            return
        last, _ = self._progress
        if command.number <= last:
            return
        if problem := self._wrong(command, last):
            self._brake(problem)
            return
        slow = bool(np.abs(command.v).max() < _NO_SPEED)
        rests = slow and bool(np.abs(command.a).max() < _NO_FORCE)
        self._early.append((command.number, self._axes.to_axes(command.q), rests))
        self._speeds[command.number] = command.v.copy()
        self._speeds.pop(command.number - 2 * self._depth, None)
        self._over, self._heard = slow, self._clock()
        self._work(0.0)

    def read(self, feedback: Feedback) -> bool:
        if self._session is None:
            return False
        before = self._report
        self._work(_BRIEFLY)
        feedback.fault = self._lost or self._fault
        feedback.enabled = self._enabled and not self._lost
        report = self._report
        if report is None:
            return bool(feedback.fault)
        feedback.q[:] = self._axes.to_joints(report.axes)
        feedback.v[:] = self._velocity()
        if not report.stands and self._played in self._speeds:  # between reports it goes on as it was told to
            age = min(self._clock() - report.sent, _GOES_ON)
            feedback.q += self._speeds[self._played] * (age * report.percent / 100.0)
        last, played = self._progress
        feedback.number, feedback.left, feedback.time = max(played, min(last, 1)), last - played, report.sent
        return report is not before

    def stop(self) -> None:
        """Brake at once by the motors' own deceleration, and empty the buffer, which would be played again otherwise."""
        if self._session is not None and self._enabled and not self._lost:
            self._session.abort()
        self._after_stop()

    def disable(self) -> None:
        if self._session is not None and self._enabled and not self._lost:
            try:
                self._session.power_off()
            except DriverError as error:
                self._lost = str(error)
        self._after_stop()
        self._enabled = False

    def close(self) -> None:
        self.disable()
        if self._session is not None:
            self._session.end(lost=bool(self._lost))
        self._session = None
        self._forget()

    def hold(self) -> None:
        self._held = True
        self._halt_or_go()

    def resume(self) -> None:
        self._held = False
        self._halt_or_go()

    def time_base(self, rate: float) -> None:
        """Above 1 it stays 1: what is proven of a motion is proven for that."""
        if self._session is not None and self._enabled and not self._lost:
            self._session.order(f"%{100.0 * min(max(rate, 0.0), 1.0):.3f}")

    def clear(self) -> None:
        """Throw away what has not been played, once it stands."""
        self._early, self._held = [], False
        if self._motion.taken and not self._clearing:
            self._clearing = self._clock()

    @property
    def _takes(self) -> bool:
        return self._enabled and self.state != PmacState.STOP and not self._lost

    @property
    def _progress(self) -> tuple[int, int]:
        """The last set-point of the present motion, and the one that is being played."""
        if self._clearing:  # what is in the buffer is of the one before
            return self._early[-1][0] if self._early else 0, 0
        return self._early[-1][0] if self._early else self._motion.taken, self._played

    def _need(self) -> PmacSession:
        if self._session is None:
            raise DriverError("the PMAC is not connected; open it first")
        return self._session

    def _powered(self, session: PmacSession) -> PmacReport:
        """A report in which all motors have power."""
        until = self._clock() + _POWERS
        while not (report := self._now(session)).powered:
            if self._clock() > until:
                raise DriverError(faults_of(report, self._axes) or "the PMAC's motors cannot be powered")
            time.sleep(0.01)
        return report

    def _now(self, session: PmacSession) -> PmacReport:
        """A report that is waited for."""
        try:
            self._report = read_report(session.ask(self._request), len(self._axes.joints), self._clock())
        except BadPmac as error:
            raise session.lost(str(error)) from None
        return self._report

    def _wrong(self, command: Command, last: int) -> str:
        missing = f"set-points {last + 1} to {command.number - 1} are missing" if command.number != last + 1 else ""
        return missing or self._check_of.wrong(command)

    def _work(self, patience: float) -> None:
        """Send what is to be sent and hear what is said, without raising: what is wrong becomes a fault."""
        session = self._session
        if session is None or self._lost:
            return
        try:
            if self._clearing:
                self._clear_when_it_stands(session)
            self._feed(session)
            if not self._asked:
                self._asked = True
                motion, sent = self._motion, self._motion.sent
                request = f"{self._request} {session.heartbeat}" if self._enabled else self._request
                session.order(request, lambda lines, at: self._reported(lines, at, motion, sent))
            session.pump(patience)
        except DriverError as error:
            if session.is_lost:
                self._lost = str(error)
                self._after_stop()
            elif self.state == PmacState.STOP and self._fault:
                self._asked = False  # it was braked for a fault before; what is refused now comes of it
            else:
                self._brake(str(error))

    def _clear_when_it_stands(self, session: PmacSession) -> None:
        report, waited = self._report, self._clock() - self._clearing
        fresh = report is not None and report.sent > self._clearing
        if (fresh and report is not None and report.stands) or waited > _STANDS:
            session.empty()
            self._clearing, self._asked, self.state = 0.0, False, PmacState.INIT
            self._no_motion()
            self._now(session)

    def _feed(self, session: PmacSession) -> None:
        """Set-points become points, points become lines; it runs when enough are there, and is held when too few are."""
        motion = self._motion
        if not self._takes or self._clearing:
            return
        if self._early and self._report is not None and not self._take_early(self._report):
            return
        quiet = self._clock() - self._heard
        if motion.taken and not motion.ended and self._over and quiet > self._options.segment:
            motion.rest()  # it has no velocity any more, and nothing follows
        while motion.points:
            taken = session.send_points(motion.points, begins=motion.sent == 0)
            motion.sent += taken
            self.lines += taken
        if not self._running and motion.sent and (motion.ended or motion.sent >= _BEGINS) and not self._held:
            session.order("R")
            self._running, self.state = True, PmacState.MOVE
        left = motion.made - self._calculated
        self._starves = self._running and not motion.ended and left <= (_BEGINS if self._starves else _FEW)
        self._halt_or_go()

    def _take_early(self, report: PmacReport) -> bool:
        """Hand over set-points that waited; False where a motion begins elsewhere."""
        motion = self._motion
        first = self._early[0][1]
        if motion.taken == 0:
            apart = np.abs(self._axes.to_joints(first - report.goals))
            if not apart.max() <= _NEAR + self._options.segment * self._limits.velocity[int(apart.argmax())]:
                joint = self._axes.joints[int(apart.argmax())]
                self._brake(f"{joint}: the motion begins {apart.max():.4f} away from where the PMAC has it; plan it anew")
                return False
        for number, axes, rests in self._early:
            motion.take(number, axes, report.goals, rests=rests)
        self._early = []
        return True

    def _halt_or_go(self) -> None:
        session, halt = self._session, self._held or self._starves
        if session is None or self._lost or not self._running or self._clearing or halt == self._halted:
            return
        session.order("H" if halt else "R", first=halt)
        self._halted = halt

    def _reported(self, lines: tuple[str, ...], at: float, motion: PmacMotion, sent: int) -> None:
        """Take a report. `sent`: points of the motion that had been sent before it was asked for."""
        self._asked = False
        try:
            report = read_report(lines, len(self._axes.joints), at)
        except BadPmac as error:
            raise self._need().lost(str(error)) from None
        self._report = report
        self._past.append((at, self._axes.to_joints(report.axes)))
        if motion is self._motion and sent:
            # The line that sets the mode waits before the points.
            self._calculated = max(sent - report.waiting, self._calculated) if report.waiting <= sent else 0
            self._played = motion.played(self._calculated, report.goals)
            if self._running and motion.ended and sent == motion.made and report.played:
                self._played, self.state = motion.taken, PmacState.INIT
        if self._enabled:
            self._check(report, started=motion is self._motion and sent > 0)

    def _check(self, report: PmacReport, *, started: bool) -> None:
        if self.state == PmacState.STOP and self._fault:
            return
        if report.token != self._token:
            self._brake("another master has set this PMAC up for itself; see that only one drives it, then reset")
        elif problem := faults_of(report, self._axes, self._known, running=self._confirmed):
            self._brake(problem)
        elif not report.armed and self.state == PmacState.MOVE:
            self._brake(f"the PMAC heard nothing for {self._options.watchdog:g} s and has held by itself; reset")
        elif started and self._confirmed and not report.system & CoordinateStatus.PROGRAM_RUNNING:
            self._brake("the motion was ended by somebody else; see that only one drives it, then reset")
        self._confirmed = self._running and not self._clearing and bool(report.system & CoordinateStatus.PROGRAM_RUNNING)
        if not report.stands or any(status & MotorStatus.STOPPED_ON_LIMIT for status in self._known):
            self._known = tuple(old & new for old, new in zip(self._known, report.motors))

    def _brake(self, why: str) -> None:
        self._fault = self._fault or why
        self.stop()

    def _after_stop(self) -> None:
        self.state = PmacState.STOP
        self._early, self._clearing, self._held, self._asked = [], 0.0, False, False
        self._no_motion()

    def _velocity(self) -> Array | float:
        """From the last reports [rad/s or m/s]; NaN before there are two."""
        if len(self._past) < 2:
            return np.nan
        (before, there), (now, here) = self._past[0], self._past[-1]
        return (here - there) / (now - before) if now > before else np.nan


def make_pmac(request: DriverRequest) -> PmacDriver:
    """The driver for what cell.toml says.

    Raises:
        DriverError: An option is missing or cannot be, or the robot's motors are not known.
    """
    request.only(*OPTIONS)
    model, options = request.model, read_options(request.options)
    slides = [model.spec.robot.joint(joint).type is JointType.PRISMATIC for joint in model.joints]
    return PmacDriver(options, axes_of(request.coupling, model.joints, slides, options.motors), limits_of(model))
