"""What may be wrong with a set-point, looked at by every driver before it goes to a real motor.

The executor's guard has looked at it before. But a driver may be used without one, and the limits of a motor that several joints
move do not bound each of them: only here every joint is known by itself.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armillary.drivers.driver import Command, bad_analog

__all__ = ["SetPointCheck"]

Array = NDArray[np.float64]
_BORNE = 1e-5  # rad or m beyond a limit, and this share of the limit twice: rounding, as far as the executor's guard bears it


class SetPointCheck:
    """Numbers that are none, and positions outside the joints' limits."""

    def __init__(self, joints: Sequence[str], lower: ArrayLike = -np.inf, upper: ArrayLike = np.inf) -> None:
        """Args:
        joints: Their names, in the order of q.
        lower, upper: Their limits, shape (n,) or one for all [rad or m].
        """
        self._joints = tuple(joints)
        n = len(self._joints)
        self._lower, self._upper = np.broadcast_to(lower, n).astype(float), np.broadcast_to(upper, n).astype(float)
        slack = [_BORNE + 2.0 * _BORNE * np.where(np.isfinite(edge), np.abs(edge), 0.0) for edge in (self._lower, self._upper)]
        self._low, self._high = self._lower - slack[0], self._upper + slack[1]

    def wrong(self, command: Command) -> str:
        """What is wrong, in words; "" for nothing."""
        finite = np.isfinite(command.q) & np.isfinite(command.v) & np.isfinite(command.a)
        if not finite.all():
            k = int(finite.argmin())
            return f"{self._joints[k]}: the command is no number: position {command.q[k]}, velocity {command.v[k]}"
        inside = (command.q >= self._low) & (command.q <= self._high)
        if not inside.all():
            k = int(inside.argmin())
            edges = f"{self._lower[k]:.4f} to {self._upper[k]:.4f}"
            return f"{self._joints[k]}: the command's position {command.q[k]:.4f} is outside its limits, {edges}; plan it anew"
        return bad_analog(command.analog)
