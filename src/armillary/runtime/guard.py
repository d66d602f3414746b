"""What is watched in every cycle, and what a fault is."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.drivers import Command, Feedback
from armillary.motion import MotionLimits

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

    def __init__(self, limits: MotionLimits, effort: Array, tolerances: Tolerances | None = None) -> None:
        """Args:
        effort: The most torque of each joint, shape (n,); infinity for none known.
        """
        self.limits, self.effort, self.tolerances = limits, np.asarray(effort, dtype=float), tolerances or Tolerances()
        slack = self.tolerances.slack
        self._low = limits.lower - 1e-6 - slack * np.where(np.isfinite(limits.lower), np.abs(limits.lower), 0.0) * 0.01
        self._high = limits.upper + 1e-6 + slack * np.where(np.isfinite(limits.upper), np.abs(limits.upper), 0.0) * 0.01
        self._fast = limits.velocity * (1.0 + slack)

    def check_command(self, command: Command, time: float) -> Fault | None:
        """Before it is sent: numbers, positions, velocities."""
        for name, values in (("position", command.q), ("velocity", command.v), ("acceleration", command.a)):
            if not np.isfinite(values).all():
                j = int(np.flatnonzero(~np.isfinite(values))[0])
                return self._fault(
                    "number", j, float(values[j]), 0.0, time, f"the command's {name} is {values[j]}", on_path=False
                )
        beyond = np.maximum(self._low - command.q, command.q - self._high)
        j = int(beyond.argmax())
        if beyond[j] > 0.0:
            low, high = self.limits.lower[j], self.limits.upper[j]
            text = f"the command's position {command.q[j]:.4g} is outside {low:.4g} to {high:.4g}"
            return self._fault("position", j, float(command.q[j]), float(high), time, text, on_path=False)
        share = np.abs(command.v) / self._fast
        j = int(share.argmax())
        if share[j] > 1.0:
            text = f"the command's velocity {command.v[j]:.4g} is over {self.limits.velocity[j]:.4g}"
            return self._fault("velocity", j, float(command.v[j]), float(self.limits.velocity[j]), time, text, on_path=False)
        return None

    def check_feedback(self, command: Command, feedback: Feedback, time: float) -> Fault | None:
        """What the drives say: complaints, silence, following error, torque."""
        tolerances = self.tolerances
        if feedback.fault:
            return Fault("driver", "", 0.0, 0.0, time, f"the drives say: {feedback.fault}", on_path=False)
        quiet = time - feedback.time
        if quiet > tolerances.driver_silence:
            text = f"nothing was heard from the drives for {quiet * 1e3:.0f} ms"
            return Fault("driver", "", quiet, tolerances.driver_silence, time, text, on_path=False)
        if not np.isfinite(feedback.q).all():
            j = int(np.flatnonzero(~np.isfinite(feedback.q))[0])
            return self._fault("number", j, float(feedback.q[j]), 0.0, time, f"the measured position is {feedback.q[j]}")
        allowed = tolerances.following + tolerances.following_time * np.abs(command.v)
        off = np.abs(command.q - feedback.q)
        j = int((off / allowed).argmax())
        if off[j] > allowed[j]:
            text = f"it is {off[j]:.4g} away from its command; {allowed[j]:.4g} is borne at this speed"
            return self._fault("following", j, float(off[j]), float(allowed[j]), time, text)
        with np.errstate(invalid="ignore"):
            over = np.abs(feedback.torque) > 1.05 * self.effort
        if over.any():
            j = int(np.flatnonzero(over)[0])
            text = f"its torque is {feedback.torque[j]:.4g}; it may be {self.effort[j]:.4g}"
            return self._fault("torque", j, float(feedback.torque[j]), float(self.effort[j]), time, text)
        return None

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

    def _fault(self, kind: str, j: int, value: float, limit: float, time: float, text: str, *, on_path: bool = True) -> Fault:
        joint = self.limits.joints[j]
        return Fault(kind, joint, value, limit, time, f"{joint}: {text}", on_path)
