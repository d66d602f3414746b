"""Towards a set-point that moves: the velocity to go with, and where a stop would end, compiled."""

import numpy as np
from numpy.typing import NDArray

from armillary.model.compiled import compiled

__all__ = ["stops_outside", "wanted"]

Array = NDArray[np.float64]
# A velocity is taken up with a delay, since jerk is limited. A loop around a delay is stable only while its gain is small enough:
# 0.8 of jerk over acceleration near the set-point, and so much of the acceleration counted on for braking further away.
_RATE, _FASTEST = 0.8, 20.0  # 1/s
_BRAKES = 0.25


@compiled()
def _towards(distance: float, acceleration: float, jerk: float) -> float:
    """The velocity with which a distance may be approached: what can be braked, and slowly where it is small."""
    size = abs(distance)
    rate = min(_RATE * jerk / acceleration, _FASTEST)
    speed = min(rate * size, np.sqrt(2.0 * _BRAKES * acceleration * size))
    return speed if distance >= 0.0 else -speed


@compiled()
def wanted(
    q: Array, goal: Array, v: Array, lower: Array, upper: Array, velocity: Array, acceleration: Array, jerk: Array, out: Array
) -> None:
    """Velocities that follow a set-point (goal, passed at v) from q, inside limits and ranges. All of shape (n,)."""
    for j in range(q.shape[0]):
        speed = v[j] + _towards(min(max(goal[j], lower[j]), upper[j]) - q[j], acceleration[j], jerk[j])
        most, least = _towards(upper[j] - q[j], acceleration[j], jerk[j]), _towards(lower[j] - q[j], acceleration[j], jerk[j])
        speed = min(max(speed, least), most)
        out[j] = min(max(speed, -velocity[j]), velocity[j])


@compiled()
def _stop(v: float, a: float, most: float, jerk: float) -> float:
    """How far a joint still goes that moves with v >= 0 and a and is stopped, within acceleration and jerk."""
    # As if it began to brake from no acceleration: later where it still speeds up, earlier where it slows down already.
    t = a / jerk
    begin = v + 0.5 * a * abs(t)
    if a < 0.0:
        begin = v + 0.5 * a * a / jerk
    if begin <= 0.0:
        return 0.0
    brake = min(most, np.sqrt(begin * jerk))
    ramp = brake / jerk
    way = 0.5 * begin * (2.0 * ramp + max(begin / brake - ramp, 0.0))
    if a >= 0.0:
        return way + v * t + 0.5 * a * t * t - jerk * t * t * t / 6.0
    t = -t
    return way - (begin * t - jerk * t * t * t / 6.0)


@compiled()
def stops_outside(q: Array, v: Array, a: Array, lower: Array, upper: Array, acceleration: Array, jerk: Array, out: Array) -> bool:
    """Whether a stop from here would end outside the range of a joint; of which into out."""
    found = False
    for j in range(q.shape[0]):
        forward = v[j] > 0.0 or (v[j] == 0.0 and a[j] > 0.0)
        sign = 1.0 if forward else -1.0
        end = q[j] + sign * _stop(sign * v[j], sign * a[j], acceleration[j], jerk[j])
        out[j] = end > upper[j] if forward else end < lower[j]
        found = found or out[j] != 0.0
    return found
