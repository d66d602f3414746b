"""One drive of the profile CiA 402: its states, its own interpolation, its servo loop and its motor. No bus.

Positions are in counts. The servo loop is a critically damped second-order one with velocity feed-forward; the motor gives no
more than a greatest acceleration and speed, so a set-point that is too fast is not followed and ends in a following error.
"""

import math
from collections import deque
from dataclasses import dataclass

from armillary.protocols.cia402 import Control, DriveState, Mode, Status, next_drive_state, status_of
from armillary.protocols.cia402_emergency import Emergency

__all__ = ["Drive", "DriveSettings", "MotorLimits"]

_BANDWIDTH = 2.0 * math.pi * 40.0  # rad/s
_BRAKE = 60.0  # 1/s: how a motor without power loses its speed to its brake
_RELEASE = 0.02  # s that the brake takes to let go
_FINE = 0.01  # counts: what is nearer than this, and slower in a second, rests
_STEP = 0.001  # s: of the servo loop at most
_POWERED = (DriveState.ENABLED, DriveState.QUICK_STOP, DriveState.FAULT_REACTION)


@dataclass(frozen=True)
class MotorLimits:
    """What motor and amplifier can do at most [counts/s, counts/s^2]."""

    speed: float = 2.0e7
    acceleration: float = 2.0e8


@dataclass
class DriveSettings:
    """What a master writes into a drive's objects. Counts and seconds.

    Attributes:
        mode: Of operation.
        period: From one set-point to the next (60C2h) [s]. cubic: Whether velocity offsets shape what is between (60C0h below 0).
        following, following_time: The following error that is a fault when it lasts so long (6065h, 6066h).
        window: Within which a target is reached (6067h).
        lower, upper: Software position limits (607Dh).
        speed, acceleration, deceleration: Of profile position (6081h, 6083h, 6084h).
        quick_stop: Deceleration (6085h).
        sync_patience: Without SYNC for so long it is a fault [s].
    """

    mode: int = Mode.NONE
    period: float = 0.01
    cubic: bool = False
    following: float = 20000.0
    following_time: float = 0.01
    window: float = 10.0
    lower: float = -(2.0**31)
    upper: float = 2.0**31 - 1
    speed: float = 1.0e5
    acceleration: float = 1.0e6
    deceleration: float = 1.0e6
    quick_stop: float = 5.0e6
    sync_patience: float = 0.1


class Drive:
    """A drive and its motor.

    Attributes:
        state, control: Its state, and the control word that it heard last.
        position, velocity, demand, demand_velocity: Where it is and should be [counts, counts/s].
        torque: What it gives, in thousandths of the most.
        error: The code of its last error (603Fh).
        emergencies: What is to be said about it.
        friction: A share of the most acceleration that is lost; 1 is a motor that is stuck.
    """

    def __init__(self, position: float = 0.0, limits: MotorLimits | None = None) -> None:
        self.limits, self.settings = limits or MotorLimits(), DriveSettings()
        self.state, self.control = DriveState.SWITCH_ON_DISABLED, 0
        self.position = self.demand = self.target = float(position)
        self.velocity = self.demand_velocity = self.torque = self.friction = 0.0
        self.error = 0
        self.emergencies: deque[Emergency] = deque()
        self.syncs = 0  # set-points that were taken with SYNC
        self._released = self._since_sync = self._off_for = 0.0
        self._piece: tuple[float, float, float, float] | None = None  # from, its velocity, to, its velocity
        self._into = 0.0  # s of it that have passed
        self._goal: float | None = None  # of profile position
        self._next_goal: float | None = None
        self._taken = self._limited = False

    @property
    def powered(self) -> bool:
        """Whether the motor has power."""
        return self.state in _POWERED

    @property
    def stands(self) -> bool:
        return self.demand_velocity == 0.0 and abs(self.velocity) < 1.0

    @property
    def following_error(self) -> float:
        return self.demand - self.position if self.state in _POWERED else 0.0

    @property
    def status(self) -> int:
        """The status word."""
        word = status_of(self.state) | Status.REMOTE
        if self._limited:
            word |= Status.INTERNAL_LIMIT
        if self._off_for > 0.0:
            word |= Status.FOLLOWING_ERROR
        if self.settings.mode == Mode.CYCLIC_POSITION and self.state is DriveState.ENABLED:
            word |= Status.FOLLOWS
        if self.settings.mode == Mode.PROFILE_POSITION:
            reached = self._goal is None and abs(self.demand - self.position) <= self.settings.window
            word |= (Status.FOLLOWS if self._taken else Status(0)) | (Status.TARGET_REACHED if reached else Status(0))
        return int(word)

    def reset(self) -> None:
        """As after its power was switched on; the motor is where it was."""
        fresh = Drive(self.position, self.limits)
        self.__dict__.update({**fresh.__dict__, "friction": self.friction, "velocity": self.velocity})

    def choose(self, mode: int) -> None:
        """Take a mode of operation; what was to be done in another is forgotten."""
        if mode != self.settings.mode:
            self.settings.mode, self.target = mode, self.demand
            self._piece = self._goal = self._next_goal = None
            self._taken, self._since_sync = False, 0.0

    def hear(self, control: int) -> None:
        """Take a control word."""
        before, self.control = self.control, control
        after = next_drive_state(self.state, control, before)
        if self.state is DriveState.FAULT and after is not self.state:
            self.error = 0
            self.emergencies.append(Emergency(0))
        if after is DriveState.ENABLED and self.state is DriveState.SWITCHED_ON and self._released < _RELEASE:
            return  # the brake lets go first
        self._enter(after)
        if self.state is DriveState.ENABLED and self.settings.mode == Mode.PROFILE_POSITION:
            self._hear_profile(control, before)

    def sync(self, offset: float = 0.0) -> None:
        """SYNC: the target counts from now on. offset: The velocity that it is to be reached with, where that is used."""
        self._since_sync = 0.0
        if self.state is not DriveState.ENABLED or self.settings.mode != Mode.CYCLIC_POSITION:
            return
        self.syncs += 1
        goal = min(max(self.target, self.settings.lower), self.settings.upper)
        self._limited = goal != self.target
        self._piece, self._into = (self.demand, self.demand_velocity, goal, offset), 0.0

    def fail(self, code: int) -> None:
        """Brake for an error by the quick stop's ramp, then switch off."""
        if self.state in (DriveState.FAULT, DriveState.FAULT_REACTION):
            return
        self.error = code
        self.emergencies.append(Emergency(code, 0x21 if code >> 8 == 0x86 else 0x11 if code >> 8 == 0x81 else 0x01))
        self._enter(DriveState.FAULT_REACTION if self.state in _POWERED else DriveState.FAULT)

    def pass_time(self, seconds: float) -> None:
        """Let time pass, in steps of its servo loop."""
        for _ in range(max(1, math.ceil(seconds / _STEP - 1e-9)) if seconds > 0.0 else 0):
            step = min(_STEP, seconds)
            seconds -= step
            self._step(step)

    def _enter(self, state: DriveState) -> None:
        if state is self.state:
            return
        if state not in _POWERED or not self.powered:
            self.demand, self.demand_velocity, self.target = self.position, 0.0, self.position
        elif self.demand_velocity == 0.0:
            self.demand_velocity = self.velocity  # between two set-points: it moves all the same
        if state is not DriveState.SWITCHED_ON and state not in _POWERED:
            self._released = 0.0
        self._piece = self._goal = self._next_goal = None
        self._taken = self._limited = False
        self._off_for = self._since_sync = 0.0
        self.state = state

    def _hear_profile(self, control: int, before: int) -> None:
        if control & Control.NEW_SET_POINT and not before & Control.NEW_SET_POINT:
            goal = self.target + (self.demand if control & Control.RELATIVE else 0.0)
            inside = min(max(goal, self.settings.lower), self.settings.upper)
            self._limited, self._taken = inside != goal, True
            if self._goal is None or control & Control.AT_ONCE:
                self._goal, self._next_goal = inside, None
            else:
                self._next_goal = inside
        elif not control & Control.NEW_SET_POINT:
            self._taken = False

    def _step(self, dt: float) -> None:
        if self.state is DriveState.SWITCHED_ON:
            self._released += dt
            if self._released >= _RELEASE and next_drive_state(self.state, self.control) is DriveState.ENABLED:
                self._enter(DriveState.ENABLED)
        if not self.powered:
            self.velocity *= math.exp(-_BRAKE * dt)
            self.velocity = 0.0 if abs(self.velocity) < 1.0 else self.velocity
            self.position += dt * self.velocity
            self.demand, self.torque = self.position, 0.0
            return
        now = self.demand
        self._command(dt)
        self._servo(now, dt)
        self._watch(dt)

    def _command(self, dt: float) -> None:
        if self.state is not DriveState.ENABLED:
            self._slow_down(self.settings.quick_stop, dt)
        elif self.settings.mode == Mode.CYCLIC_POSITION:
            self._interpolate(dt)
        elif self.settings.mode == Mode.PROFILE_POSITION and self.control & Control.HALT:
            self._slow_down(self.settings.deceleration, dt)
        elif self.settings.mode == Mode.PROFILE_POSITION and self._goal is not None:
            self._go(self._goal, dt)
        else:
            self._slow_down(self.settings.deceleration, dt)

    def _interpolate(self, dt: float) -> None:
        """On the way from where it was at SYNC to the target: a line, or a cubic where velocities are given."""
        self._since_sync += dt
        if self._piece is None:
            self._slow_down(self.settings.deceleration, dt)
            return
        T, (p, v, goal, end) = self.settings.period, self._piece
        self._into += dt
        u = self._into / T
        if u >= 1.0 - 1e-9:
            late = self._into - T
            # A set-point that is late: a cubic goes on for as long as it took to come here, a line ends.
            goes_on = self.settings.cubic and late <= T
            self.demand, self.demand_velocity = goal + (end * late if goes_on else 0.0), end if goes_on else 0.0
            if not self.settings.cubic and late <= 1e-6:
                self.demand_velocity = (goal - p) / T  # SYNC comes now
        elif self.settings.cubic:
            a, b = v * T, end * T
            self.demand = p + u * (a + u * (3.0 * (goal - p) - 2.0 * a - b + u * (2.0 * (p - goal) + a + b)))
            self.demand_velocity = (a + u * (2.0 * (3.0 * (goal - p) - 2.0 * a - b) + 3.0 * u * (2.0 * (p - goal) + a + b))) / T
        else:
            self.demand, self.demand_velocity = p + u * (goal - p), (goal - p) / T

    def _go(self, goal: float, dt: float) -> None:
        settings, left = self.settings, goal - self.demand
        step = settings.deceleration * dt
        most = min(settings.speed, math.sqrt(0.25 * step * step + 2.0 * settings.deceleration * abs(left)) - 0.5 * step)
        change = (settings.acceleration if abs(self.demand_velocity) < most else settings.deceleration) * dt
        wanted = math.copysign(most, left)
        self.demand_velocity += min(max(wanted - self.demand_velocity, -change), change)
        if abs(left) <= max(abs(self.demand_velocity) * dt, step * dt) and abs(self.demand_velocity) <= 2.0 * step:
            self.demand, self.demand_velocity = goal, 0.0
            self._goal, self._next_goal = self._next_goal, None
        else:
            self.demand += self.demand_velocity * dt

    def _slow_down(self, deceleration: float, dt: float) -> None:
        speed = self.demand_velocity
        slower = math.copysign(max(abs(speed) - deceleration * dt, 0.0), speed)
        self.demand += 0.5 * (speed + slower) * dt
        self.demand_velocity = slower + 0.0
        if self.state is DriveState.FAULT_REACTION and self.stands:
            self._enter(DriveState.FAULT)

    def _servo(self, demand: float, dt: float) -> None:
        """A step from where it was demanded to be at its beginning."""
        error, limits = demand - self.position, self.limits
        if demand == self.demand and abs(error) < _FINE and abs(self.velocity) < _FINE / dt and self.demand_velocity == 0.0:
            self.position, self.velocity, self.torque = self.demand, 0.0, 0.0
            return
        most = limits.acceleration * (1.0 - self.friction)
        wanted = _BANDWIDTH * _BANDWIDTH * error + 2.0 * _BANDWIDTH * (self.demand_velocity - self.velocity)
        given = min(max(wanted, -most), most)
        self.torque = 1000.0 * min(max(wanted / limits.acceleration, -1.0), 1.0)
        self.velocity = 0.0 if self.friction >= 1.0 else min(max(self.velocity + dt * given, -limits.speed), limits.speed)
        self.position += dt * self.velocity

    def _watch(self, dt: float) -> None:
        settings = self.settings
        self._off_for = self._off_for + dt if abs(self.demand - self.position) > settings.following else 0.0
        if self.state is not DriveState.ENABLED:
            return
        if self._off_for > settings.following_time:
            self.fail(0x8611)
        elif settings.mode == Mode.CYCLIC_POSITION and self._since_sync > max(settings.sync_patience, 5.0 * settings.period):
            self.fail(0x8700)
