"""A session with a PMAC: what is said to it, from the first word to the last, whatever is being moved."""

import time
from collections import deque
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from armillary.drivers.errors import DriverError
from armillary.drivers.pmac_axes import PmacAxes
from armillary.drivers.pmac_options import PmacOptions
from armillary.drivers.pmac_setup import ARMED, TOKEN, PmacSetup
from armillary.drivers.pmac_wire import PmacRefused, PmacWire
from armillary.motion import MotionLimits
from armillary.protocols.pmac import LONGEST_WRITE, BadPmac
from armillary.protocols.pmac_status import CoordinateStatus, coordinate_status

__all__ = ["PmacSession"]

Array = NDArray[np.float64]
_MOVING = CoordinateStatus.PROGRAM_RUNNING | CoordinateStatus.CONTINUOUS_MOTION
_LOOKS, _LOOK = 4, 0.05  # how often, and how far apart [s], another master's timer is looked at
_STANDS = 3.0  # s in which what was stopped stands
_SCANS = 0.02  # s in which a PLC program has been computed


class PmacSession:
    """What this driver says to a PMAC. Everything names its coordinate system: who else talks may have addressed another."""

    def __init__(
        self,
        options: PmacOptions,
        axes: PmacAxes,
        limits: MotionLimits,
        depth: int,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Raises:
        DriverError: Nothing answers.
        """
        self._options, self._axes, self._clock = options, axes, clock
        self._limits, self._depth = limits, depth
        self._wire = PmacWire(options.host, options.port, options.answers, clock=clock)
        self._own = f"&{options.system}"
        self._setup: PmacSetup | None = None
        self._watched = f"I{options.timer}"
        self._armed = f"P{options.variables + ARMED}"

    def begin(self) -> None:
        """Find out who is there, take the PMAC over at rest and without power.

        Raises:
            DriverError: It is none, or somebody else drives it.
        """
        # A connection that broke may have left a buffer open, which would swallow all that follows.
        self.ask("CLOSE I3=2 I6=1")
        what = self.ask("TYPE VERSION I10")
        if len(what) != 3 or not what[0].upper().startswith("TURBO"):
            raise DriverError(f"at {self._options.host} is no Turbo PMAC: it says {', '.join(what)[:60]!r}")
        try:
            i10 = float(int(what[2][1:], 16)) if what[2].startswith("$") else float(what[2])
        except ValueError:
            raise self.lost(f"its I10 is {what[2][:20]!r}") from None
        self._setup = PmacSetup(self._options, self._axes, self._limits, self._depth, i10)
        self._refuse_another_master()
        self.ask(f"{self._armed}=0")
        if self._status() & _MOVING:
            self.ask(f"{self._own}A")
            until = self._clock() + _STANDS
            while self._status() & CoordinateStatus.CONTINUOUS_MOTION and self._clock() < until:
                time.sleep(0.01)
        self.ask(self._setup.power(on=False))
        self.ask(f"{self._own}DELETE ROT")

    def set_up(self, token: int) -> None:
        """Init: buffers, variables, axes, rotary buffer, PLC program, power.

        Raises:
            DriverError: Something is refused.
        """
        setup = self._setup
        assert setup is not None
        i5 = int(float(self.ask("CLOSE I5")[0]))
        for command in (*setup.buffers(), *setup.variables()):
            self.ask(command)
        for command in setup.definitions():
            try:
                self.ask(command)
            except PmacRefused as error:
                raise DriverError(f"{error} (is its motor in another coordinate system?)") from None
        self.ask(setup.rotary()[0])
        self._write(setup.plc())
        self.ask(f"I5={i5 | 2} ENABLE PLC {self._options.plc}")
        self.ask(f"{self._own}%100 P{self._options.variables + TOKEN}={token}")
        self.ask(self.heartbeat)
        self.ask(setup.power(on=True))
        self.empty()
        time.sleep(_SCANS)

    @property
    def is_lost(self) -> bool:
        """Whether nobody is heard any more."""
        return self._wire.closed

    def ask(self, command: str) -> tuple[str, ...]:
        """Say something and wait for the answer.

        Raises:
            DriverError: It is refused, or the connection is lost.
        """
        return self._wire.ask(command)

    def order(self, command: str, then: Callable[[tuple[str, ...], float], None] | None = None, *, first: bool = False) -> None:
        """Have something said to our coordinate system, soon."""
        self._wire.order(command if command.startswith("&") else self._own + command, then, first=first)

    @property
    def heartbeat(self) -> str:
        """A sign of life, to be said now and then: until its timer has run out, the PLC program lets it move."""
        assert self._setup is not None
        return f"{self._watched}={self._setup.cycles} {self._armed}=1"

    def send_points(self, points: deque[Array], *, begins: bool) -> int:
        """Have as many points written as fit into one request, and take them away; how many.

        Args:
            begins: They are the first of a motion.
        """
        lines = [f"{self._own}OPEN ROT"]
        if begins:
            lines.append(f"SPLINE1 TM{1000.0 * self._options.segment:.0f}")
        room = LONGEST_WRITE - sum(len(line) + 1 for line in lines) - len("CLOSE") - 1
        count = 0
        while points:
            line = self._axes.line(points[0])
            room -= len(line) + 1
            if room < 0:
                break
            lines.append(line)
            points.popleft()
            count += 1
        self._wire.write([*lines, "CLOSE"])
        return count

    def pump(self, patience: float) -> None:
        """Let things be sent and heard.

        Raises: As `ask`.
        """
        self._wire.pump(patience)

    def abort(self) -> None:
        """Brake now, before all that waits to be said; and empty the buffer, which an abort does not."""
        self._wire.forget()
        self._wire.order("CLOSE", first=True)
        self._wire.order(f"{self._own}A", first=True)
        self._empty(aborts=False)

    def empty(self) -> None:
        """Forget what was not played, of a robot that stands.

        Raises: As `ask`.
        """
        self._empty()
        self._wire.settle()

    def power_off(self) -> None:
        """Raises: As `ask`."""
        assert self._setup is not None
        self._wire.forget()
        self.ask(f"CLOSE{self._own}A")
        self.ask(self._setup.power(on=False))
        self.ask(f"{self._armed}=0")

    def end(self, *, lost: bool) -> None:
        """Say farewell, where somebody hears it, and hang up."""
        if not lost and not self.is_lost:
            try:
                self._wire.forget()
                self.ask(f"CLOSE {self._armed}=0 {self._watched}=0")
            except DriverError:
                pass  # it is gone already; its watchdog knows
        self.drop()

    def drop(self) -> None:
        self._wire.close()

    def lost(self, why: str) -> DriverError:
        """The connection cannot be used any more, since what came on it makes no sense."""
        self.drop()
        return DriverError(
            f"the PMAC at {self._options.host}:{self._options.port} is lost: {why}; check who answers there, then reset"
        )

    def _empty(self, *, aborts: bool = True) -> None:
        own = self._own
        for command in ([f"CLOSE{own}A"] if aborts else []) + [f"{own}B0", f"{own}OPEN ROT", f"{own}CLEAR", "CLOSE"]:
            self._wire.order(command)

    def _write(self, lines: list[str]) -> None:
        groups: list[list[str]] = [[]]
        for line in lines:
            if sum(len(each) + 1 for each in groups[-1]) + len(line) + 1 > LONGEST_WRITE:
                groups.append([])
            groups[-1].append(line)
        for group in groups:
            self._wire.write(group)
        self._wire.settle()

    def _status(self) -> CoordinateStatus:
        try:
            return coordinate_status(self.ask(f"{self._own}??")[0])
        except (BadPmac, IndexError) as error:
            raise self.lost(str(error)) from None

    def _refuse_another_master(self) -> None:
        """Whoever drives it keeps its timer up; one who is gone lets it run out."""
        try:
            if float(self.ask(self._armed)[0]) <= 0.0:
                return
            first = float(self.ask(self._watched)[0])
            for _ in range(_LOOKS):
                time.sleep(_LOOK)
            last = float(self.ask(self._watched)[0])
        except (ValueError, IndexError) as error:
            raise self.lost(str(error)) from None
        if last > 0.0 and first - last < 100.0:  # servo cycles, of some 450 that pass
            raise DriverError(
                f"somebody else drives coordinate system {self._options.system} of the PMAC at {self._options.host}; "
                "there can be one master only: close the other, or choose another system and motors"
            )
