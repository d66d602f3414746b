"""Paper 4's closed loop: one motion through drives on CAN at several periods of SYNC, step by step, without a clock.

The set-points are the driver's own, in the bytes of its PDOs; the drives are the emulator's own, with their interpolation, servo
loop and motor. Only time is counted instead of waited for, so that every period can be had on any computer, and comes out the
same each time.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.drivers.cia402_set_point import SetPoint
from armillary.drivers.driver import Command
from armillary.emulators.cia402_drive import Drive
from armillary.model import Model, frame_pose_batch
from armillary.motion.refinement_study import RADIUS, START, study_arc
from armillary.protocols.cia402 import Mode, Object, steps_of
from armillary.protocols.cia402_pdo import Pdo, frame_bits, own_eds

__all__ = ["COUNTS", "METHODS", "PERIODS", "LoggedMotion", "bus_load", "study_can"]

Array = NDArray[np.float64]
PERIODS = (0.050, 0.020, 0.010, 0.005, 0.001)  # s
COUNTS = 1.0e6  # for a radian of a joint
METHODS = {  # which set-points, and whether drives are given velocities too
    "linear": ("linear", False),
    "backward": ("backward", False),
    "spline": ("spline", False),
    "exact": ("exact", False),
    "exact, velocities": ("exact", True),
}
_AGE = 0.003  # s: of the newest command, when the driver aims at a SYNC
_SETTLE = 0.3  # s that are run behind the end


@dataclass(frozen=True, eq=False)
class LoggedMotion:
    """One motion through the drives.

    Attributes:
        method: One of METHODS. period: Of SYNC [s].
        times: Shape (N,) [s], every millisecond.
        commanded, demanded, measured: Joint positions: of the trajectory, inside the drives, of the motors, shape (N, n) [rad].
        deviation: Distance of the tool from the true arc, shape (N,) [m].
    """

    method: str
    period: float
    times: Array
    commanded: Array
    demanded: Array
    measured: Array
    deviation: Array

    @property
    def following_error(self) -> float:
        """Between what the drives demanded and where the motors were, at most [rad]."""
        return float(np.abs(self.demanded - self.measured).max())

    @property
    def lag(self) -> float:
        """By how much the motors are behind the trajectory, by the best match of the two in whole milliseconds [s]."""
        most = min(len(self.times) // 4, 150)
        off = [float(np.square(self.measured[k:] - self.commanded[: len(self.times) - k]).mean()) for k in range(most)]
        return float(np.argmin(off)) * float(self.times[1])

    @property
    def jolt(self) -> float:
        """The most acceleration of a motor, from its speeds a millisecond apart [rad/s^2]."""
        step = float(self.times[1])
        return float(np.abs(np.diff(self.measured, n=2, axis=0)).max() / step**2)


def study_can(model: Model, duration: float = 5.0) -> list[LoggedMotion]:
    """The quarter arc of `study_arc`, waypoints every 500 ms, by each method and period."""
    study = study_arc(model, duration)
    centre = frame_pose_batch(model, START[None], model.tip)[0, :3, 3] - np.array([0.0, 0.0, RADIUS])
    found = []
    for method, (motion, velocities) in METHODS.items():
        q = study.motions[motion]
        for period in PERIODS:
            times, demanded, measured = _play(q, float(study.times[1]), period, velocities=velocities)
            gap = frame_pose_batch(model, np.ascontiguousarray(measured), model.tip)[:, :3, 3] - centre
            off = np.hypot(np.hypot(gap[:, 1], gap[:, 2]) - RADIUS, gap[:, 0])
            rest = np.repeat(q[-1:], len(times) - len(q), axis=0)
            found.append(LoggedMotion(method, period, times, np.vstack([q, rest]), demanded, measured, off))
    return found


def bus_load(joints: int, period: float, bitrate: float = 1e6) -> float:
    """Share of a bus that set-points and answers of so many drives take; over 1 does not fit."""
    eds = own_eds()
    sizes = [eds.carrier("receive", Object.TARGET_POSITION).size, eds.carrier("transmit", Object.POSITION).size]
    return frame_bits([0, *sizes * joints]) / (bitrate * period)


def _play(q: Array, step: float, period: float, *, velocities: bool) -> tuple[Array, Array, Array]:
    """Times, and positions inside drives and of motors, for joint positions every so many seconds."""
    v, n = np.gradient(q, step, axis=0), q.shape[1]
    a = np.gradient(v, step, axis=0)
    count = len(q) + round(_SETTLE / step)
    drives = [_enabled(float(np.round(COUNTS * at)), period, cubic=velocities) for at in q[0]]
    pdo, every, age = own_eds().carrier("receive", Object.TARGET_POSITION), round(period / step), round(_AGE / step)
    command, demanded, measured = Command.of(n), np.zeros((count, n)), np.zeros((count, n))
    for k in range(count):
        if k % every == 0:
            newest = min(max(k - age, 0), len(q) - 1)
            over = k - age >= len(q)
            command.q[:], command.time = q[newest], newest * step
            command.v[:], command.a[:] = (0.0, 0.0) if over else (v[newest], a[newest])
            aims, speeds = SetPoint.of(command, command.time).at(k * step)
            _take(drives, _frames(pdo, aims, speeds if velocities else np.zeros(n)), pdo)
        demanded[k] = [drive.demand for drive in drives]
        measured[k] = [drive.position for drive in drives]
        for drive in drives:
            drive.pass_time(step)
    times: Array = np.arange(count, dtype=np.float64) * step
    return times, demanded / COUNTS, measured / COUNTS


def _frames(pdo: Pdo, aims: Array, speeds: Array) -> list[bytes]:
    """The bytes of each drive's set-point."""
    return [
        pdo.write({Object.TARGET_POSITION: round(COUNTS * aim), Object.VELOCITY_OFFSET: round(COUNTS * speed)})
        for aim, speed in zip(aims, speeds)
    ]


def _take(drives: list[Drive], frames: list[bytes], pdo: Pdo) -> None:
    for drive, data in zip(drives, frames):
        values = pdo.read(data) or {}
        drive.target = float(values[Object.TARGET_POSITION])
        drive.sync(float(values[Object.VELOCITY_OFFSET]))


def _enabled(position: float, period: float, *, cubic: bool) -> Drive:
    drive = Drive(position)
    drive.settings.mode, drive.settings.period, drive.settings.cubic = Mode.CYCLIC_POSITION, period, cubic
    drive.settings.following = 0.2 * COUNTS
    for word in steps_of():
        drive.hear(word)
        drive.pass_time(0.03)
    return drive
