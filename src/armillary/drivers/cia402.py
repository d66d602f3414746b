"""Drives of the profile CiA 402 on a CAN bus: cyclic synchronous position, a set-point for each with every SYNC.

Orders (the control word) count at once, set-points with SYNC, so a stop never waits for one. Heartbeats go both ways: drives that
hear none any more brake by themselves, and a drive that is not heard is a fault. All that is sent is sent by one thread, once a
period; what a drive says is taken in by another.
"""

import threading
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from armillary.drivers.cia402_bus import Cia402Bus
from armillary.drivers.cia402_cycle import Cia402Cycle
from armillary.drivers.cia402_nodes import Cia402Nodes
from armillary.drivers.cia402_options import OPTIONS, Cia402Options, coupling_of, read_options
from armillary.drivers.cia402_profile import ProfileMove
from armillary.drivers.cia402_set_point import SetPoint
from armillary.drivers.cia402_setup import DriveBounds, set_up, within
from armillary.drivers.driver import Capabilities, Command, Feedback
from armillary.drivers.errors import DriverError
from armillary.drivers.registry import DriverRequest
from armillary.drivers.set_point_check import SetPointCheck
from armillary.motion import MotionLimits, limits_of
from armillary.protocols.cia402 import Control, DriveState, Object, control_towards
from armillary.protocols.cia402_pdo import PDO_IDS

__all__ = ["Cia402Driver", "make_cia402"]

Array = NDArray[np.float64]
_ENABLES = 4.0  # s: the executor gives drives up that are not enabled after 5
_LISTENS = 0.2  # s: for another master, before anything is said
_STANDS = 0.5  # s that are waited for drives to have no power
_AGAIN = 20  # periods after which an order is said again
_LONGEST = 0.5  # s that commands may have been kept waiting
_OPERATIONAL, _PRE_OPERATIONAL = 1, 128
_MOST = 2.0**31 - 1


class Cia402Driver:
    """A robot whose motors are CiA 402 drives.

    Attributes:
        sent: Set-points that were sent since it was opened, for all drives together one.
    """

    def __init__(
        self, options: Cia402Options, joints: tuple[str, ...], matrix: Array, zero: Array, limits: MotionLimits, *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        """Args:
        joints: Their names, in the order of q.
        matrix: Counts of each motor for a rad or m of each joint, shape (n, n). zero: Counts at zero, shape (n,).
        """
        self._options, self._joints, self._clock, self._limits = options, joints, clock, limits
        self._check = SetPointCheck(joints, limits.lower, limits.upper)
        self._matrix, self._zero, self._back = matrix, zero, np.linalg.inv(matrix)
        self._names = [", ".join(joints[j] for j in np.flatnonzero(row)) for row in matrix]
        self._capabilities = Capabilities(
            velocity=True, acceleration=True, interval=options.sync, feedback_rate=1.0 / options.reports,
            measures_torque=bool(options.rated_torque), watchdog=options.watchdog,
        )  # fmt: skip
        self._orders = options.eds.carrier("receive", Object.CONTROL_WORD)
        self._points = options.eds.carrier("receive", Object.TARGET_POSITION)
        self._speed = 1.5 * np.abs(matrix) @ limits.velocity  # counts/s that set-points may ask for
        self._lock = threading.RLock()
        self._bus: Cia402Bus | None = None
        self._cycle: Cia402Cycle | None = None
        self._begin()

    def _begin(self) -> None:
        n = len(self._joints)
        self._nodes = Cia402Nodes(self._options, self._names, self._clock)
        self._goal = DriveState.SWITCH_ON_DISABLED
        self._enabled: bool = False
        self._enabling: float = 0.0  # since when, or 0
        self._stopped: bool = False
        self._fault: str = ""
        self._lost: str = ""
        self._words = [0] * n
        self._said = [-_AGAIN] * n  # in which period each was told last
        self._targets, self._aimed = np.zeros(n), 0.0  # counts of the last set-point, and when it held
        self._led: Array | None = None  # where that set-point led; None before there is one
        self._point: SetPoint | None = None
        self._profile: ProfileMove | None = None
        self._started: float = np.inf
        self._turns: int = 0
        self.sent: int = 0
        self._before = (-np.inf, np.zeros(n), np.zeros(n))  # of the last feedback: time, counts, velocity

    @property
    def capabilities(self) -> Capabilities:
        return self._capabilities

    @property
    def cycle(self) -> Cia402Cycle | None:
        """The beat of the bus, while it is open."""
        return self._cycle

    def open(self) -> None:
        """Raises:
        DriverError: The bus or a drive is not there, or another master is.
        """
        self.close()
        self._begin()
        bus = Cia402Bus(self._options, self._nodes.hear)
        try:
            time.sleep(_LISTENS)
            if self._nodes.other:
                raise DriverError(self._nodes.other)
            for node in self._options.nodes:
                bus.order(_PRE_OPERATIONAL, node)
            for slot, node in enumerate(self._options.nodes):
                set_up(bus, node, self._options, self._bounds(slot))
            for node in self._options.nodes:
                bus.order(_OPERATIONAL, node)
        except DriverError:
            bus.close()
            raise
        self._nodes.forget()
        self._bus, self._started = bus, self._clock()
        self._cycle = Cia402Cycle(bus, self._options, self._turn)
        self._cycle.start()

    def enable(self) -> None:
        with self._lock:
            self._nodes.forget()
            self._enabled, self._stopped, self._fault, self._point = False, False, "", None
            self._profile = None
            self._enabling, self._goal = self._clock(), DriveState.ENABLED
            self._said = [-_AGAIN] * len(self._said)

    def write(self, command: Command) -> None:
        now = self._clock()
        with self._lock:
            point = self._point
            if not self._enabled or self._stopped or self._profile or (point is not None and command.number <= point.number):
                return
            if problem := self._too_far(command) or self._check.wrong(command):
                self._brake(problem)
                return
            self._point = SetPoint.of(command, now)

    def read(self, feedback: Feedback) -> bool:
        if self._bus is None:
            return False
        with self._lock:
            self._watch(self._clock())
            nodes, rated = self._nodes, self._options.rated_torque
            counts, heard = nodes.counts.copy(), float(nodes.heard.min())
            if np.isfinite(heard):
                feedback.q[:] = self._back @ (counts - self._zero)
                feedback.v[:] = self._back @ self._velocity(counts, heard)
                if rated:
                    # Each motor moves one joint here, whose rated torque it is; its direction is that of its counts.
                    feedback.torque[:] = nodes.torque / 1000.0 * np.array(rated) * np.sign(np.diag(self._matrix))
                feedback.time = heard
            feedback.number = 0 if self._point is None else self._point.number
            feedback.enabled = self._enabled and not self._lost
            feedback.fault = self._lost or self._fault
            return bool(np.isfinite(heard))

    def stop(self) -> None:
        """Quick stop: each drive brakes by its own ramp, from the next frame on, and stays stopped with power."""
        with self._lock:
            if self._enabled or self._enabling:
                self._goal = DriveState.QUICK_STOP if self._enabled else DriveState.SWITCH_ON_DISABLED
                self._stopped, self._enabling, self._profile = True, 0.0, None
                self._order()

    def disable(self) -> None:
        with self._lock:
            self._enabled, self._enabling, self._goal, self._profile = False, 0.0, DriveState.SWITCH_ON_DISABLED, None
            self._order()
        until = self._clock() + _STANDS
        while self._bus is not None and not self._lost and self._clock() < until:
            if not any(self._nodes.state(k) in (DriveState.ENABLED, DriveState.QUICK_STOP) for k in range(len(self._joints))):
                return
            time.sleep(0.002)

    def close(self) -> None:
        bus, cycle = self._bus, self._cycle
        if bus is None:
            return
        self.disable()
        self._bus = self._cycle = None
        if cycle is not None:
            cycle.end()
        try:
            for node in self._options.nodes:
                bus.order(_PRE_OPERATIONAL, node)
        except DriverError:
            pass  # it is gone already
        bus.close()

    def move_by_profile(self, q: Array, *, duration: float) -> None:
        """Go to joint positions by the drives' own profiles (profile position), all in about the same time [s]; waits for it.

        For bringing a robot somewhere without our planner: nothing is checked but the limits of its joints.

        Raises:
            DriverError: It is not enabled, or the drives do not get there.
        """
        goal = np.asarray(q, dtype=float)
        if self._bus is None or not self._enabled or self._stopped:
            raise DriverError("the drives are not enabled; enable them first")
        if not ((goal >= self._limits.lower) & (goal <= self._limits.upper)).all():
            raise DriverError("a goal outside the limits of the joints; give one inside")
        counts = self._matrix @ goal + self._zero
        move = ProfileMove(self._bus, self._options.nodes, self._targets.copy(), counts, duration, sync=self._options.sync)
        move.prepare()
        with self._lock:
            self._point, self._profile = None, move
        try:
            move.wait(lambda: self._lost or self._fault or ("it was stopped" if self._stopped else ""), self._clock)
        finally:
            with self._lock:
                self._targets, self._led, self._profile = np.round(move.goal), None, None
            if not self._lost:
                move.leave()

    # Once a period, in the cycle's own thread.

    def _turn(self, due: float) -> None:
        """Orders and set-points for the SYNC that is due."""
        now = self._clock()
        with self._lock:
            self._turns += 1
            self._watch(now)
            self._order()
            if self._bus is None or self._goal is not DriveState.ENABLED:
                return
            velocity = np.zeros(len(self._joints))
            if not self._enabled or self._point is None:
                self._aimed = max(due, now)
            if not self._enabled:
                self._targets, self._led = self._nodes.counts.copy(), None  # where it is: nothing jumps when it is enabled
            elif self._profile is not None:
                self._targets, self._led = np.round(self._profile.goal), None
            elif self._point is not None:
                velocity = self._aim(self._point, max(due, now))
            self._send_points(velocity)

    def _aim(self, point: SetPoint, instant: float) -> Array:
        """Where the drives are to go by the next SYNC but one; the velocity there [counts/s]."""
        q, v = point.at(instant)
        q = np.clip(q, np.minimum(self._limits.lower, point.q), np.maximum(self._limits.upper, point.q))
        goals = np.round(self._matrix @ q + self._zero)
        # Commands may have been kept waiting: how far they are apart says how far they may lead.
        held = point.until(instant)
        # From where the one before led: behind a pause of this computer the targets are still on their way there.
        before = self._led if self._led is not None else self._targets
        leap, passed = np.abs(goals - before), min(max(held - self._aimed, 0.0), _LONGEST)
        borne = self._speed * (passed + self._options.sync) + 2.0
        if not (leap <= borne).all():
            k = int((leap - borne).argmax())
            self._brake(f"{self._names[k]}: a set-point leaps by {leap[k]:.0f} counts; {borne[k]:.0f} are borne: plan it anew")
            return np.zeros(len(q))
        self._aimed, self._led = held, goals
        most = self._speed * self._options.sync + 2.0  # behind a pause of this computer it is caught up with, not leapt
        way = goals - self._targets
        share = min(1.0, float((most / np.maximum(np.abs(way), 1e-9)).min()))  # of all alike: on a straight line there
        self._targets = self._targets + np.round(share * way)
        return self._matrix @ v

    def _send_points(self, velocity: Array) -> None:
        bus = self._bus
        if bus is None or self._goal is not DriveState.ENABLED:
            return
        base = PDO_IDS["receive"][self._points.number - 1]
        offset = velocity if self._options.velocity_offset else np.zeros(len(velocity))
        for slot, node in enumerate(self._options.nodes):
            values: dict[int, int] = {Object.TARGET_POSITION: int(self._targets[slot])}
            values[Object.VELOCITY_OFFSET] = within(float(offset[slot]))
            if self._points == self._orders:
                values[Object.CONTROL_WORD] = self._words[slot]
            bus.send(base + node, self._points.write(values))
        self.sent += 1

    def _order(self) -> None:
        """Control words, where they are to change, or have not been obeyed."""
        bus = self._bus
        if bus is None or bus.lost:
            return
        base = PDO_IDS["receive"][self._orders.number - 1]
        for slot, node in enumerate(self._options.nodes):
            word = control_towards(self._nodes.state(slot), self._goal, self._words[slot])
            if self._profile is not None and word & Control.ENABLE_OPERATION:
                word |= self._profile.bits
            same = word == self._words[slot]
            if same and self._turns - self._said[slot] < _AGAIN:
                continue
            falls = bool(self._words[slot] & Control.FAULT_RESET) and not word & Control.FAULT_RESET
            if falls and self._turns - self._said[slot] < 2:
                continue  # the drive must see the bit before it falls
            self._words[slot], self._said[slot] = int(word), self._turns
            values: dict[int, int] = {Object.CONTROL_WORD: int(word), Object.TARGET_POSITION: int(self._targets[slot])}
            try:
                bus.send(base + node, self._orders.write(values))
            except DriverError as error:
                self._lose(str(error))
                return

    def _watch(self, now: float) -> None:
        """What is wrong becomes a fault, and drives that still can brake."""
        bus, nodes = self._bus, self._nodes
        if bus is None or self._lost:
            return
        if problem := bus.lost or nodes.lost(now, self._started):
            self._lose(problem)
        elif self._enabling and nodes.are(DriveState.ENABLED):
            self._enabling, self._enabled = 0.0, True
        elif self._enabling and now - self._enabling > _ENABLES:
            slot = next(k for k in range(len(self._joints)) if nodes.state(k) is not DriveState.ENABLED)
            self._brake(
                nodes.complaint(enabled=False) or nodes.complaint(enabled=True) or f"{nodes.name(slot)} cannot be enabled"
            )
        elif self._enabled and not self._stopped:
            quiet = now - self._point.heard if self._point is not None and self._point.moving else 0.0
            if problem := nodes.complaint(enabled=True):
                self._brake(problem)
            elif quiet > self._options.watchdog:
                self._brake(f"no command for {1e3 * quiet:.0f} ms")

    def _too_far(self, command: Command) -> str:
        if not np.isfinite(command.q).all():
            return ""  # it is no number, which is said as such
        counts = self._matrix @ command.q + self._zero
        beyond = np.abs(counts) >= _MOST
        if not beyond.any():
            return ""
        k = int(beyond.argmax())
        return f"{self._names[k]}: {counts[k]:.0f} counts do not fit into a drive's position"

    def _brake(self, why: str) -> None:
        self._fault = self._fault or why
        self.stop()

    def _lose(self, why: str) -> None:
        """A node or the bus is gone: the others are told to stop, and brake by themselves where they do not hear it."""
        if not self._lost:
            self.stop()
            self._lost, self._stopped = why, True

    def _velocity(self, counts: Array, heard: float) -> Array:
        """From the last two reports, which are whole periods apart [counts/s]."""
        before, where, velocity = self._before
        if heard > before:
            period = self._options.reports
            passed = max(round((heard - before) / period), 1) * period if np.isfinite(before) else np.inf
            velocity = (counts - where) / passed
            self._before = (heard, counts, velocity)
        return velocity

    def _bounds(self, slot: int) -> DriveBounds:
        """What a drive is told of its own limits."""
        row, limits = self._matrix[slot], self._limits
        moved = np.flatnonzero(row)
        following = within(max(self._options.following_error * float(np.abs(row).sum()), 1.0))
        braking = within(max(float(np.abs(row) @ np.minimum(limits.acceleration, 1e3)), 1.0))
        lower = upper = None
        if len(moved) == 1 and np.isfinite([limits.lower[moved[0]], limits.upper[moved[0]]]).all():
            j = moved[0]
            ends = sorted(row[j] * edge + self._zero[slot] for edge in (limits.lower[j], limits.upper[j]))
            slack = 1e-3 * abs(row[j]) + 2.0  # a robot that hangs a hair outside its range is not stuck there
            lower, upper = within(ends[0] - slack), within(ends[1] + slack)
        return DriveBounds(lower, upper, following, braking)


def make_cia402(request: DriverRequest) -> Cia402Driver:
    """The driver for what cell.toml says.

    Raises:
        DriverError: An option is missing or cannot be, or the robot's motors are not known.
    """
    request.only(*OPTIONS)
    model, options = request.model, read_options(request.options, request.model.joints)
    matrix, zero = coupling_of(options, model.joints, request.coupling)
    if options.rated_torque and np.count_nonzero(matrix - np.diag(np.diag(matrix))):
        raise DriverError("driver.options: rated_torque is of joints that have a motor each; leave it out for coupled ones")
    return Cia402Driver(options, model.joints, matrix, zero, limits_of(model))
