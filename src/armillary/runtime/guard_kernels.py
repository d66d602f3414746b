"""What the guard looks at in every cycle, compiled: which joint breaks which rule, and nothing is made."""

import numpy as np
from numpy.typing import NDArray

from armillary.model.compiled import compiled

__all__ = [
    "FOLLOWING",
    "NOTHING",
    "NUMBER",
    "POSITION",
    "TORQUE",
    "VELOCITY",
    "look_at_command",
    "look_at_feedback",
    "look_at_motors",
]

Array = NDArray[np.float64]
NOTHING, NUMBER, POSITION, VELOCITY, FOLLOWING, TORQUE = range(6)


@compiled()
def look_at_command(q: Array, v: Array, a: Array, low: Array, high: Array, fast: Array) -> tuple[int, int]:
    """What is wrong with a command, and of which joint."""
    for j in range(q.shape[0]):
        if not (np.isfinite(q[j]) and np.isfinite(v[j]) and np.isfinite(a[j])):
            return NUMBER, j
        if q[j] < low[j] or q[j] > high[j]:
            return POSITION, j
        if abs(v[j]) > fast[j]:
            return VELOCITY, j
    return NOTHING, -1


@compiled()
def look_at_feedback(
    q: Array, v: Array, measured: Array, torque: Array, effort: Array, following: float, per_speed: float
) -> tuple[int, int]:
    """What is wrong with where the joints are, held against the command, and of which. Torques that are NaN are not measured."""
    for j in range(q.shape[0]):
        if not np.isfinite(measured[j]):
            return NUMBER, j
        if abs(q[j] - measured[j]) > following + per_speed * abs(v[j]):
            return FOLLOWING, j
        if abs(torque[j]) > 1.05 * effort[j]:
            return TORQUE, j
    return NOTHING, -1


@compiled()
def look_at_motors(v: Array, motors: Array, fast: Array) -> int:
    """The motor that would have to be faster than it can, or -1."""
    for m in range(motors.shape[0]):
        speed = 0.0
        for j in range(v.shape[0]):
            speed += motors[m, j] * v[j]
        if not abs(speed) <= fast[m]:
            return m
    return -1
