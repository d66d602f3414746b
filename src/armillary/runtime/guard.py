"""What is watched in every cycle, and what a fault is."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from armillary.drivers import Command, Feedback
from armillary.motion import Bounds, MotionLimits
from armillary.runtime import guard_kernels as kernels
from armillary.runtime.recent_commands import RecentCommands

__all__ = ["Fault", "Guard", "Tolerances"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Fault:
    """Something that was wrong: latched until a person resets it.

    Attributes:
        kind: "following", "position", "velocity", "torque", "driver", "station", "late", "number" or "motors".
        joint: Which, or "".
        value, limit: What it was and what it may be.
        time: When [s, the executor's clock].
        text: In words.
        on_path: Whether the stop that it causes can still be on the path.
    """

    kind: str
    joint: str
    value: float
    limit: float
    time: float
    text: str
    on_path: bool = True

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Tolerances:
    """How much is borne.

    Attributes:
        following: Between command and feedback at rest [rad or m]...
        following_time: ...and for each unit of speed: what a drive lags behind [s].
        driver_silence: Without news from the driver [s].
        station_silence: Without a sign of life from the station while something moves [s].
        lateness: Of a tick [s].
        slack: By which share a command may be over a limit: rounding.
    """

    following: float = 0.02
    following_time: float = 0.05
    driver_silence: float = 0.05
    station_silence: float = 0.5
    lateness: float = 0.02
    slack: float = 2e-3


class Guard:
    """Looks at every command before it is sent and at every feedback."""

    def __init__(
        self, limits: MotionLimits, effort: Array, tolerances: Tolerances | None = None, *, bounds: Bounds | None = None
    ) -> None:
        """Args:
        effort: The most torque of each joint, shape (n,); infinity for none known.
        bounds: Whose motors' speeds and accelerations are watched, where it names motors.
        """
        self.limits, self.effort, self.tolerances = limits, np.asarray(effort, dtype=float), tolerances or Tolerances()
        slack = self.tolerances.slack
        self._low = limits.lower - 1e-6 - slack * np.where(np.isfinite(limits.lower), np.abs(limits.lower), 0.0) * 0.01
        self._high = limits.upper + 1e-6 + slack * np.where(np.isfinite(limits.upper), np.abs(limits.upper), 0.0) * 0.01
        self._fast = limits.velocity * (1.0 + slack)
        self._motors, self._motor_speed, self._motor_acceleration = _motors(limits, bounds, slack)
        self._recent: RecentCommands | None = None

    def bear_pauses(self, seconds: float, period: float) -> None:
        """A motor side that a busy computer keeps waiting is behind by so long at most: where it was commanded to be then counts.
        One that the same computer leaves without commands is ahead, since it carries on: where that leads to counts too.

        Args:
            period: Between commands [s].
        """
        self._recent = RecentCommands(len(self.limits.joints), seconds, period)

    def bear_lag(self, seconds: float) -> None:
        """A motor side whose set-points are so far apart is behind by that at most."""
        self.tolerances = replace(self.tolerances, following_time=self.tolerances.following_time + seconds)

    def check_command(self, command: Command, time: float, *, proven: bool = True) -> Fault | None:
        """Before it is sent: numbers, positions, velocities of joints and motors; accelerations of motors where it is not proven.

        The motors' range needs no look of its own: they are where the joints are, and those are inside theirs.
        """
        if self._recent is not None:
            self._recent.note(command.q, command.v, time)
        kind, j = kernels.look_at_command(command.q, command.v, command.a, self._low, self._high, self._fast)
        if kind == kernels.NOTHING:
            return self._check_motors(command, time, proven=proven) if len(self._motors) else None
        q, v = float(command.q[j]), float(command.v[j])
        if kind == kernels.NUMBER:
            text = f"the command is no number: position {q}, velocity {v}, acceleration {command.a[j]}"
            return self._fault("number", j, q, 0.0, time, text, on_path=False)
        if kind == kernels.POSITION:
            low, high = float(self.limits.lower[j]), float(self.limits.upper[j])
            text = f"the command's position {q:.4g} is outside {low:.4g} to {high:.4g}"
            return self._fault("position", j, q, high if q > high else low, time, text, on_path=False)
        most = float(self.limits.velocity[j])
        return self._fault("velocity", j, v, most, time, f"the command's velocity {v:.4g} is over {most:.4g}", on_path=False)

    def check_feedback(self, command: Command, feedback: Feedback, time: float) -> Fault | None:
        """What the drives say: complaints, silence, following error, torque."""
        tolerances = self.tolerances
        if feedback.fault:
            return Fault("driver", "", 0.0, 0.0, time, f"the drives say: {feedback.fault}", on_path=False)
        quiet = time - feedback.time
        if quiet > tolerances.driver_silence:
            text = f"nothing was heard from the drives for {quiet * 1e3:.0f} ms"
            return Fault("driver", "", quiet, tolerances.driver_silence, time, text, on_path=False)
        kind, j = self._look(command, feedback, tolerances.following)
        if kind == kernels.FOLLOWING and self._was_there(feedback, time):
            kind, j = self._look(command, feedback, np.inf)
        if kind == kernels.NOTHING:
            return None
        if kind == kernels.NUMBER:
            q = float(feedback.q[j])
            return self._fault("number", j, q, 0.0, time, f"the measured position is {q}")
        if kind == kernels.FOLLOWING:
            off = abs(float(command.q[j] - feedback.q[j]))
            allowed = tolerances.following + tolerances.following_time * abs(float(command.v[j]))
            text = f"it is {off:.4g} away from its command; {allowed:.4g} is borne at this speed"
            return self._fault("following", j, off, allowed, time, text)
        torque, most = float(feedback.torque[j]), float(self.effort[j])
        return self._fault("torque", j, torque, most, time, f"its torque is {torque:.4g}; it may be {most:.4g}")

    def _look(self, command: Command, feedback: Feedback, following: float) -> tuple[int, int]:
        per_speed = self.tolerances.following_time
        return kernels.look_at_feedback(command.q, command.v, feedback.q, feedback.torque, self.effort, following, per_speed)

    def _was_there(self, feedback: Feedback, time: float) -> bool:
        """Whether the robot is where it was commanded to be a moment ago, and that is borne."""
        return self._recent is not None and bool((self._recent.apart(feedback.q, time) <= self.tolerances.following).all())

    def check_time(self, lateness: float, station_quiet: float, moving: bool, time: float) -> Fault | None:
        """The executor's own punctuality, and whether the station lives."""
        tolerances = self.tolerances
        if lateness > tolerances.lateness:
            text = f"a tick was {lateness * 1e3:.1f} ms late; {tolerances.lateness * 1e3:.1f} ms are borne"
            return Fault("late", "", lateness, tolerances.lateness, time, text)
        if moving and station_quiet > tolerances.station_silence:
            text = f"no sign of life from the station for {station_quiet * 1e3:.0f} ms"
            return Fault("station", "", station_quiet, tolerances.station_silence, time, text)
        return None

    def _check_motors(self, command: Command, time: float, *, proven: bool) -> Fault | None:
        m = kernels.look_at_motors(command.v, self._motors, self._motor_speed)
        if m >= 0:
            speed, most = float(self._motors[m] @ command.v), float(self._motor_speed[m])
            text = f"motor {m + 1} would turn at {speed:.4g} counts/s; it may at {most:.4g}"
            return Fault("motors", f"motor {m + 1}", speed, most, time, text, on_path=False)
        m = -1 if proven else kernels.look_at_motors(command.a, self._motors, self._motor_acceleration)
        if m < 0:
            return None
        steep, most = float(self._motors[m] @ command.a), float(self._motor_acceleration[m])
        text = f"motor {m + 1} would be accelerated by {steep:.4g} counts/s^2; it may by {most:.4g}"
        return Fault("motors", f"motor {m + 1}", steep, most, time, text, on_path=False)

    def _fault(self, kind: str, j: int, value: float, limit: float, time: float, text: str, *, on_path: bool = True) -> Fault:
        joint = self.limits.joints[j]
        return Fault(kind, joint, value, limit, time, f"{joint}: {text}", on_path)


def _motors(limits: MotionLimits, bounds: Bounds | None, slack: float) -> tuple[Array, Array, Array]:
    """Motor speeds from joint velocities, shape (m, n) [counts per rad or m], and the most of each [counts/s], [counts/s^2]."""
    if bounds is None or bounds.coupling is None or (bounds.motor_velocity is None and bounds.motor_acceleration is None):
        return np.zeros((0, len(limits.joints))), np.zeros(0), np.zeros(0)
    rows = np.zeros((len(bounds.coupling.joints), len(limits.joints)))
    columns = [limits.joints.index(joint) for joint in bounds.coupling.joints]
    rows[:, columns] = bounds.coupling.matrix
    fast, steep = (
        np.full(len(rows), np.inf) if most is None else np.asarray(most, dtype=float) * (1.0 + slack)
        for most in (bounds.motor_velocity, bounds.motor_acceleration)
    )
    return rows, fast, steep
