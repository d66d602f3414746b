"""What a PMAC is told before it moves: set-up variables, axis definitions, the rotary buffer and the PLC program."""

import numpy as np
from numpy.typing import NDArray

from armillary.drivers.pmac_axes import PmacAxes
from armillary.drivers.pmac_options import PmacOptions
from armillary.motion import MotionLimits

__all__ = ["ARMED", "POSITIONS", "TOKEN", "PmacSetup"]

Array = NDArray[np.float64]
TOKEN, ARMED, POSITIONS = (
    0,
    1,
    2,
)  # of our P-variables: whose it is; whether the watchdog runs; where the axes are, then the goals
_MEMORY, _COMMANDED, _ACTUAL = 0x80, 0x88, 0x8B  # words of a motor; of the first motor's position registers (Turbo PMAC)
_CYCLE = 8388608.0  # I10 is a servo cycle in this part of a millisecond
_BEYOND = 0.01  # rad or m beyond the joints' ends at which the motors' own limits are: ours stop before
_WARNED = 0.5  # of the following error that kills is a warning


class PmacSetup:
    """The commands of a set-up.

    Attributes:
        size: Of the rotary buffer [words].
        cycles: Servo cycles of the watchdog, for the timer.
    """

    def __init__(self, options: PmacOptions, axes: PmacAxes, limits: MotionLimits, depth: int, i10: float) -> None:
        """Args:
        depth: Lines that the rotary buffer must hold.
        i10: What the PMAC says of its servo cycle.
        """
        self._options, self._axes, self._limits, self._i10 = options, axes, limits, i10
        self._cycle = i10 / _CYCLE / 1000.0  # s
        self.cycles = round(options.watchdog / self._cycle)
        self.size = 2 * (depth + 8) * (len(axes.joints) + 1)

    def buffers(self) -> list[str]:
        """Clear buffers, and forget axis definitions of before."""
        own = f"&{self._options.system}"
        return ["CLOSE", "ENDGATHER", "DELETE GATHER", f"{own}DELETE ROT", f"{own}UNDEFINE"]

    def variables(self) -> list[str]:
        """Set-up variables of motors and coordinate system."""
        axes, limits, options = self._axes, self._limits, self._options
        size = np.abs(axes.scale) * axes.units  # counts per rad or m
        reach = [limits.lower - _BEYOND, limits.upper + _BEYOND]
        commands = []
        for row, motor in enumerate(axes.motors):
            moved = size[row] > 0.0
            fatal = 16.0 * float(size[row][moved].max()) * options.following_error
            braking = float(size[row] @ limits.acceleration) * 1e-6  # counts/ms^2
            ends = np.sort([self._counts(row, reach, sign) for sign in (-1.0, 1.0)])
            low, high = (round(float(end)) if np.isfinite(end) else 0 for end in ends)
            commands.append(
                f"I{motor}11={round(fatal)} I{motor}12={round(_WARNED * fatal)} I{motor}13={high} I{motor}14={low} "
                f"I{motor}15={braking:.6f}"
            )
        slew = max(round(self._i10 * self._cycle / options.ramp), 1)
        base = 5000 + 100 * options.system
        commands.append(f"I{base + 94}={slew} I{base + 95}={slew}")
        for motor in axes.motors:
            at = _MEMORY * (motor - 1)
            commands.append(f"M{motor}61->D:${_COMMANDED + at:06X} M{motor}62->D:${_ACTUAL + at:06X}")
        return commands

    def definitions(self) -> list[str]:
        """Axis definitions."""
        return [f"&{self._options.system}{self._axes.definition(row)}" for row in range(len(self._axes.motors))]

    def rotary(self) -> list[str]:
        return [f"&{self._options.system}DEFINE ROT {self.size}"]

    def plc(self) -> list[str]:
        """The lines of our PLC program: where the axes are, and what holds when nobody is heard any more."""
        options, axes = self._options, self._axes
        first, n = options.variables + POSITIONS, len(axes.joints)
        armed = f"P{options.variables + ARMED}"
        return [
            f"OPEN PLC {options.plc}", "CLEAR",
            *(axes.feedback(joint, first + joint) for joint in range(n)),
            *(axes.feedback(joint, first + n + joint, commanded=True) for joint in range(n)),
            f"IF (I{options.timer}<0)", f"IF ({armed}>0)", f'CMD"&{options.system}H"', f"{armed}=0", "ENDIF", "ENDIF", "CLOSE",
        ]  # fmt: skip

    def power(self, on: bool) -> str:
        """Close the motors' loops where they are, or power them off."""
        return "".join(f"#{motor}{'J/' if on else 'K'}" for motor in self._axes.motors)

    def _counts(self, row: int, reach: list[Array], sign: float) -> float:
        """The farthest that joints inside their range take a motor, one way or the other [counts]."""
        scale = self._axes.scale[row] * self._axes.units
        moved = scale != 0.0
        ends = np.where(sign * scale > 0.0, reach[1], reach[0])
        return float(self._axes.zero[row] + scale[moved] @ ends[moved])
