"""What a PMAC reports while it is driven: where the axes are, what waits in its buffer, its status words; and what is wrong."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.drivers.pmac_axes import PmacAxes
from armillary.drivers.pmac_options import PmacOptions
from armillary.drivers.pmac_setup import ARMED, POSITIONS, TOKEN
from armillary.protocols.pmac import BadPmac
from armillary.protocols.pmac_status import CoordinateStatus, MotorStatus, coordinate_status, motor_status

__all__ = ["PmacReport", "faults_of", "read_report", "report_request"]

Array = NDArray[np.float64]
_MOTOR = {
    MotorStatus.AMPLIFIER_FAULT: "its amplifier reports a fault; look at the drive, then reset",
    MotorStatus.FOLLOWING_FATAL: "it was killed: its following error was too great; is it blocked, or commanded too fast?",
    MotorStatus.STOPPED_ON_LIMIT: "it was stopped by a position limit; move it back, or check its limits",
    MotorStatus.OPEN_LOOP: "it has no power: another motor's fault, or somebody else, has killed it; reset",
}
_SYSTEM = {
    CoordinateStatus.RUN_TIME_ERROR: "a run-time error stopped the program; reset",
}
_STAYS = MotorStatus.STOPPED_ON_LIMIT  # is said until the next motion


@dataclass(frozen=True, eq=False)
class PmacReport:
    """One report.

    Attributes:
        sent: When it was asked for [s].
        system: The coordinate system's status.
        waiting: Lines of the rotary buffer that are not calculated.
        percent: The time base now.
        token: Whose the PMAC is. armed: Whether its watchdog has not tripped.
        axes, goals: Where the axes are, and are commanded to be, shape (n,) [units].
        motors: Their status.
    """

    sent: float
    system: CoordinateStatus
    waiting: int
    percent: float
    token: int
    armed: bool
    axes: Array
    goals: Array
    motors: tuple[MotorStatus, ...]

    @property
    def powered(self) -> bool:
        return all(status & MotorStatus.AMPLIFIER_ON and not status & MotorStatus.OPEN_LOOP for status in self.motors)

    @property
    def stands(self) -> bool:
        """No motor is commanded to move: held, or at the end."""
        return all(status & MotorStatus.DESIRED_VELOCITY_ZERO or status & MotorStatus.OPEN_LOOP for status in self.motors)

    @property
    def played(self) -> bool:
        """It stands, and nothing is left to be played."""
        return self.stands and self.waiting == 0 and not any(status & MotorStatus.MOVE_TIMER for status in self.motors)


def report_request(options: PmacOptions, axes: PmacAxes) -> str:
    """The command that asks for a report."""
    last = options.variables + POSITIONS + 2 * len(axes.joints) - 1
    motors = "".join(f"#{motor}?" for motor in axes.motors)
    return f"&{options.system}?? PR % P{options.variables}..{last} {motors}"


def read_report(lines: tuple[str, ...], n: int, sent: float) -> PmacReport:
    """The report in an answer.

    Raises:
        BadPmac: It is none.
    """
    if len(lines) != 3 + POSITIONS + 3 * n:
        raise BadPmac(f"a report of {len(lines)} lines, not {3 + POSITIONS + 3 * n}")
    try:
        waiting, percent = int(lines[1]), float(lines[2])
        variables = np.array([float(line) for line in lines[3 : 3 + POSITIONS + 2 * n]])
    except ValueError:
        raise BadPmac(f"a report with what is no number: {lines[1:4]}") from None
    if not np.isfinite(variables).all():
        raise BadPmac("a report with what is no number")
    return PmacReport(
        sent, coordinate_status(lines[0]), waiting, percent, int(variables[TOKEN]), bool(variables[ARMED] > 0.0),
        variables[POSITIONS : POSITIONS + n], variables[POSITIONS + n :],
        tuple(motor_status(line) for line in lines[3 + POSITIONS + 2 * n :]),
    )  # fmt: skip


def faults_of(report: PmacReport, axes: PmacAxes, known: tuple[MotorStatus, ...] = (), *, running: bool = False) -> str:
    """What is wrong, in words; "" for nothing.

    Args:
        known: Motors' status when they were enabled: what stays from before is not said again.
        running: Our program was seen running: a run-time error is ours.
    """
    before = known or (MotorStatus(0),) * len(report.motors)
    for flag, words in _MOTOR.items():  # causes before what comes of them
        for row, (status, old) in enumerate(zip(report.motors, before)):
            if status & flag and not (flag & _STAYS and old & flag):
                return f"motor {axes.motors[row]} ({axes.joints_of(row)}): {words}"
    for word, words in _SYSTEM.items():
        if running and report.system & word:
            return f"the coordinate system: {words}"
    return ""
