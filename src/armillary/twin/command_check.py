"""Whether a command can be meant."""

import numpy as np
from numpy.typing import NDArray

from armillary.protocols.twin import JointCommand
from armillary.twin.setpoint import SetPoint

__all__ = ["CommandCheck"]

Array = NDArray[np.float64]
_JUMP = 0.05  # rad or m; a command further away than this, and than ten periods at full speed, is a mistake
_INF = float("inf")
_WORDS = {"q": "position", "v": "velocity", "a": "acceleration", "torque": "torque"}


class CommandCheck:
    """Looks at every command before it is followed."""

    def __init__(self, joints: tuple[str, ...], velocity: Array, period: float) -> None:
        """Args:
        velocity: The most of each joint, shape (n,).
        """
        self._joints = joints
        self._far = velocity * (10.0 * period) + _JUMP

    def __call__(self, command: JointCommand, setpoint: SetPoint) -> str:
        """What is wrong with a command, in words; "" for nothing. It goes on from where the servos are, or were told to be."""
        sums, shape = 0.0, self._far.shape
        for values in (command.q, command.v, command.a, command.torque):
            if values.shape != shape:
                return f"a command of {values.size} values; there are {shape[0]} joints"
            sums += float(values.dot(values))
        if not sums < _INF:
            return self._not_a_number(command)
        beyond = np.abs(command.q - setpoint.q) - self._far
        if beyond.max() > 0.0:
            beyond = np.minimum(beyond, np.abs(command.q - setpoint.told) - self._far)
        if beyond.max() > 0.0:
            j = int(beyond.argmax())
            return f"{self._joints[j]}: a command to {command.q[j]:.4g}, from {setpoint.q[j]:.4g} in one step"
        return ""

    def _not_a_number(self, command: JointCommand) -> str:
        for name, what in _WORDS.items():
            values = getattr(command, name)
            small = np.abs(values) < 1e150
            if not small.all():
                j = int(small.argmin())
                return f"{self._joints[j]}: the command's {what} is {values[j]}"
        return "the command's values are beyond all bounds"
