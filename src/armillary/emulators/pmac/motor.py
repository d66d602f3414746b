"""One motor: what it is commanded, what its servo loop and its mass make of that, and what stops it.

Positions are in counts, times in seconds; PMAC's own set-up variables are per millisecond. The servo loop is a critically damped
second-order one with velocity feed-forward; the drive gives no more than a greatest acceleration and speed, so a command that is
too fast is not followed, and ends in a fatal following error.
"""

import math
from dataclasses import dataclass
from enum import Enum

__all__ = ["MOST_COUNTS", "Event", "Motor", "MotorLimits"]

MOST_COUNTS = 2.0**35  # the range of a position register
_BANDWIDTH = 2.0 * math.pi * 40.0  # rad/s
_COASTING = 30.0  # 1/s: how a motor without power loses its speed
_FINE = 0.01  # counts: what is nearer than this, and slower in a second, rests
_TIMES = 32.0  # parts of a count in a motor's registers, times Ixx08


class Event(Enum):
    """What happened to a motor in a step that the whole controller must answer to."""

    NONE = 0
    FOLLOWING = 1
    AMPLIFIER = 2
    LIMIT = 3


@dataclass(frozen=True)
class MotorLimits:
    """What drive and motor can do at most.

    Attributes:
        speed: counts/s.
        acceleration: counts/s^2.
    """

    speed: float = 2.0e7
    acceleration: float = 2.0e8


class Motor:
    """A motor and its servo loop.

    Attributes:
        position, velocity: Where it is and how fast [counts, counts/s].
        desired, desired_velocity: Where it is commanded to be.
        closed: The servo loop is closed, so the amplifier is on.
        fatal, amplifier_fault, limit_stopped, homed, homing, aborting: As its status words say.
        positive_switch, negative_switch, amplifier_broken: Inputs, for those who test what happens then.
        friction: A share of the greatest acceleration that is lost; 1 is a motor that is stuck.
    """

    def __init__(self, number: int, i: dict[int, float], limits: MotorLimits, position: float = 0.0) -> None:
        self.number, self.limits, self._i, self._base = number, limits, i, 100 * number
        self.position = self.desired = position
        self.velocity = self.desired_velocity = 0.0
        self.closed = self.fatal = self.amplifier_fault = self.limit_stopped = self.homed = self.homing = self.aborting = False
        self.positive_switch = self.negative_switch = self.amplifier_broken = False
        self.friction = 0.0
        self._target: float | None = None  # of a jog; infinite for one without end

    def setting(self, offset: int) -> float:
        """Its I-variable Ixx`offset`."""
        return self._i.get(self._base + offset, 0.0)

    @property
    def activated(self) -> bool:
        return self.setting(0) != 0.0

    @property
    def jogging(self) -> bool:
        return self._target is not None

    @property
    def following_error(self) -> float:
        return self.desired - self.position if self.closed else 0.0

    @property
    def warned(self) -> bool:
        limit = self.setting(12) / 16.0
        return self.fatal or (self.closed and limit > 0.0 and abs(self.following_error) > limit)

    @property
    def still_commanded(self) -> bool:
        """The loop is closed and it is commanded to stand."""
        return self.closed and self.desired_velocity == 0.0 and not self.jogging and not self.aborting

    @property
    def in_position(self) -> bool:
        return self.still_commanded and abs(self.following_error) <= self.setting(28) / 16.0

    @property
    def rests(self) -> bool:
        """Nothing will change by itself."""
        if not self.closed:
            return self.velocity == 0.0
        return self.still_commanded and self.velocity == 0.0 and self.position == self.desired and not self.amplifier_broken

    @property
    def positive_limit(self) -> bool:
        limit = self.setting(13)
        return self.positive_switch or (limit != 0.0 and self.position > limit)

    @property
    def negative_limit(self) -> bool:
        limit = self.setting(14)
        return self.negative_switch or (limit != 0.0 and self.position < limit)

    def register(self, commanded: bool) -> float:
        """Its position register: in parts of a count, 1 / (Ixx08 * 32)."""
        scale = self.setting(8) * _TIMES
        if commanded:
            return float(round((self.desired if self.closed else self.position) * scale))
        return math.floor(self.position * _TIMES + 0.5) / _TIMES * scale  # the encoder interpolates to 1/32 of a count

    def close_loop(self) -> None:
        """Power on and hold where it is, where it was open; faults of before are forgotten."""
        if not self.closed and self.activated and not self.amplifier_broken:
            self.closed, self.fatal, self.amplifier_fault, self.aborting = True, False, False, False
            self.desired, self.desired_velocity = self.position, 0.0

    def kill(self) -> None:
        """Power off: it coasts."""
        self.closed, self.aborting, self.homing, self._target = False, False, False, None
        self.desired_velocity = 0.0

    def abort(self) -> None:
        """Decelerate by Ixx15, whatever it was doing."""
        self.close_loop()
        self._target, self.homing = None, False
        self.aborting = self.desired_velocity != 0.0

    def jog_to(self, target: float) -> None:
        """Go to a position [counts], or on and on for an infinite one; by the jog's own speed and acceleration."""
        self.close_loop()
        self.aborting, self.limit_stopped = False, False
        self._target = target

    def jog_stop(self) -> None:
        """Close the loop and stand; where it jogs, decelerate first."""
        self.close_loop()
        if self._target is not None:
            rate = self._jog_rate()
            self._target = self.desired + math.copysign(self.desired_velocity**2 / (2.0 * rate), self.desired_velocity)

    def home_here(self) -> None:
        """What is now commanded is the home position."""
        error = self.following_error
        self.desired = 0.0
        self.position = -error
        self.homed, self.homing = True, False

    def step(self, dt: float) -> Event:
        """Let time pass; the coordinate system has said before what is desired."""
        if self.amplifier_broken and self.closed:
            self.amplifier_fault = True
            return Event.AMPLIFIER
        if not self.closed:
            self.velocity *= math.exp(-_COASTING * dt)
            if abs(self.velocity) < 1.0:
                self.velocity = 0.0
            self.position += dt * self.velocity
            self.desired = self.position
            return Event.NONE
        if self.aborting:
            self._decelerate(dt)
        elif self._target is not None:
            self._jog(dt)
        self._servo(dt)
        limit = self.setting(11) / 16.0
        if limit > 0.0 and not abs(self.desired - self.position) <= limit:
            self.fatal = True
            return Event.FOLLOWING
        return self._limit()

    def _limit(self) -> Event:
        towards = self.desired_velocity
        if not self.aborting and ((towards > 0.0 and self.positive_limit) or (towards < 0.0 and self.negative_limit)):
            self.limit_stopped = True
            return Event.LIMIT
        return Event.NONE

    def _servo(self, dt: float) -> None:
        error = self.desired - self.position
        if abs(error) < _FINE and abs(self.velocity) < _FINE / dt and self.desired_velocity == 0.0:
            self.position, self.velocity = self.desired, 0.0
            return
        w = _BANDWIDTH
        most = self.limits.acceleration * (1.0 - self.friction)
        acceleration = w * w * error + 2.0 * w * (self.desired_velocity - self.velocity)
        self.velocity += dt * min(max(acceleration, -most), most)
        if self.friction >= 1.0:
            self.velocity = 0.0
        self.velocity = min(max(self.velocity, -self.limits.speed), self.limits.speed)
        self.position += dt * self.velocity

    def _decelerate(self, dt: float) -> None:
        change = max(self.setting(15), 1e-6) * 1e6 * dt
        speed = self.desired_velocity
        slower = math.copysign(max(abs(speed) - change, 0.0), speed)
        self.desired += 0.5 * (speed + slower) * dt
        self.desired_velocity = slower
        if slower == 0.0:
            self.aborting, self.desired_velocity = False, 0.0

    def _jog_rate(self) -> float:
        ramp = max(self.setting(20) + self.setting(21), 1.0)  # ms
        return max(min(self.setting(19), self.setting(22) / ramp), 1e-6) * 1e6

    def _jog(self, dt: float) -> None:
        assert self._target is not None
        rate, left = self._jog_rate(), self._target - self.desired
        step = rate * dt
        most = abs(self.setting(23) if self.homing else self.setting(22)) * 1e3
        if math.isfinite(left):
            most = min(most, math.sqrt(0.25 * step * step + 2.0 * rate * abs(left)) - 0.5 * step)  # stops in whole steps
        wanted = math.copysign(most, left)
        self.desired_velocity += min(max(wanted - self.desired_velocity, -step), step)
        move = self.desired_velocity * dt
        if math.isfinite(left) and abs(left) <= max(abs(move), step * dt) and abs(self.desired_velocity) <= 2.0 * step:
            self.desired, self.desired_velocity, self._target = self._target, 0.0, None
            if self.homing:
                self.home_here()
        else:
            self.desired += move
