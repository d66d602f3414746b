"""Faster, slower, stop: how a trajectory's own time is driven, compiled.

The rate at which a trajectory's time runs follows a law on a lattice of short steps, with constant acceleration in each, and
what is driven is the law's mean over a window of M steps. So the mean's jerk is constant in each step. A ramp brakes or speeds up
as hard as the joints' accelerations allow; where the joints would then break a limit, velocity, acceleration or jerk, the ramp
is made gentler in the steps that have a part in it. A ramp of no steepness at all is the trajectory as it was, which is proven.
"""

import numpy as np
from numpy.typing import NDArray

from armillary.model.compiled import compiled
from armillary.motion.kernels import value

__all__ = ["NOT_NOW", "TOO_LONG", "advance", "plan_ramp"]

Array = NDArray[np.float64]
TOO_LONG, NOT_NOW = -1, -2
_ROUNDS = 60
_LESS = 0.85  # of a ramp's steepness is left at most where it is too steep


@compiled()
def _piece(knots: Array, s: float, piece: int) -> int:
    while piece < len(knots) - 2 and knots[piece + 1] <= s:
        piece += 1
    while piece > 0 and knots[piece] > s:
        piece -= 1
    return piece


@compiled()
def _steepest(knots: Array, c: Array, limits: Array, s: float, v: float, piece: int, up: bool) -> float:
    """The law's largest acceleration, or braking, that the joints' accelerations allow at a place and rate; not below zero."""
    d = min(max(s - knots[piece], 0.0), knots[piece + 1] - knots[piece])
    low, high = -1e3, 1e3
    for j in range(c.shape[1]):
        a, b = value(c[piece, j], d, 1), value(c[piece, j], d, 2) * v * v
        if abs(a) > 1e-9:
            one, two = (-limits[1, j] - b) / a, (limits[1, j] - b) / a
            low, high = max(low, min(one, two)), min(high, max(one, two))
    return max(high, 0.0) if up else max(-low, 0.0)


@compiled()
def _steepness(knots: Array, c: Array, limits: Array, s: float, v: float, piece: int, up: bool, ahead: float) -> float:
    """The law's largest acceleration, or braking, here and as far ahead as the mean will still feel it."""
    least = 1e3
    for part in range(4):
        at = min(s + ahead * part / 3.0, knots[len(knots) - 1])
        piece = _piece(knots, at, piece)
        least = min(least, _steepest(knots, c, limits, at, v, piece, up))
    return least


@compiled()
def _over(knots: Array, c: Array, limits: Array, piece: int, s: float, v: float, a: float, jerk: float) -> float:
    """The largest share of a limit that the joints use."""
    d = min(max(s - knots[piece], 0.0), knots[piece + 1] - knots[piece])
    most = 0.0
    for j in range(c.shape[1]):
        p1, p2, p3 = value(c[piece, j], d, 1), value(c[piece, j], d, 2), value(c[piece, j], d, 3)
        most = max(most, abs(p1 * v) / limits[0, j], abs(p1 * a + p2 * v * v) / limits[1, j])
        most = max(most, abs(p1 * jerk + 3.0 * p2 * v * a + p3 * v * v * v) / limits[2, j])
    return most


@compiled()
def plan_ramp(
    knots: Array, c: Array, limits: Array, tolerance: float, step: float, past: Array, law: Array, mean: Array, goal: float,
    before: Array, ramp: Array, gentle: Array,
) -> int:  # fmt: skip
    """Accelerations of the law from its present rate to another, step by step, into ramp (K,); how many.

    TOO_LONG where it does not end within K steps, NOT_NOW where nothing was found that keeps the limits.

    Args:
        knots, c: The trajectory, as pieces over its own time.
        limits: Velocity, acceleration and jerk of the joints, shape (3, n).
        tolerance: By which share a limit may be exceeded: rounding.
        step: Of the lattice [s].
        past: The law's accelerations in the last M steps, oldest first, shape (M,).
        law: Where the law is in the trajectory's time and its rate, shape (2,).
        mean: The mean's place, rate and acceleration, shape (3,).
        goal: The rate to come to, 0 to stop.
        before: What the law would have done otherwise, step by step: a ramp that is broken off. Where the new one is too steep
            it goes on as that does.
        gentle: Room for how far each step is the new ramp's, shape (K,).
    """
    K, M = len(ramp), len(past)
    window, up = M * step, goal > law[1]
    gentle[:] = 1.0
    count = 0
    for _ in range(_ROUNDS):
        s, v, piece, count = law[0], law[1], 0, 0
        while v != goal:
            if count >= K:
                return TOO_LONG
            piece = _piece(knots, s, piece)
            u = min(_steepness(knots, c, limits, s, v, piece, up, window * max(v, goal)), 1.0 / window)
            u = gentle[count] * (u if up else -u) + (1.0 - gentle[count]) * (before[count] if count < len(before) else 0.0)
            u = max(u, -v / step)
            u = min(u, (goal - v) / step) if up else max(u, (goal - v) / step)
            ramp[count] = u
            s += step * (v + 0.5 * step * u)
            v = goal if abs(v + step * u - goal) < 1e-12 else v + step * u
            count += 1
            if s >= knots[len(knots) - 1]:  # the trajectory ends before the ramp does
                break
        # What the joints do while the mean follows.
        place, rate, a = mean[0], mean[1], mean[2]
        piece = _piece(knots, place, 0)
        fine = True
        for k in range(count + M):
            now, then = ramp[k] if k < count else 0.0, past[k] if k < M else (ramp[k - M] if k - M < count else 0.0)
            jerk = (now - then) / window
            worst = 0.0
            for share in range(3):
                d = 0.5 * share * step
                at = place + d * (rate + d * (0.5 * a + d * jerk / 6.0))
                v, u = rate + d * (a + 0.5 * d * jerk), a + d * jerk
                while piece < len(knots) - 2 and knots[piece + 1] <= at:  # jerk may step at a knot: both sides of it
                    worst = max(worst, _over(knots, c, limits, piece, knots[piece + 1], v, u, jerk))
                    piece += 1
                    worst = max(worst, _over(knots, c, limits, piece, knots[piece], v, u, jerk))
                    if knots[piece + 1] <= at:
                        worst = max(worst, _over(knots, c, limits, piece, 0.5 * (knots[piece] + knots[piece + 1]), v, u, jerk))
                worst = max(worst, _over(knots, c, limits, piece, at, v, u, jerk))
            if worst > 1.0 + tolerance:
                fine = False
                less = min(max(1.0 - 1.5 * (worst - 1.0), 0.3), _LESS)
                for m in range(max(k - M, 0), min(k + 1, count)):
                    gentle[m] = min(gentle[m], gentle[m] * less) if gentle[m] > 0.01 else 0.0
            place += step * (rate + step * (0.5 * a + step * jerk / 6.0))
            rate += step * (a + 0.5 * step * jerk)
            a += step * jerk
            if place >= knots[len(knots) - 1]:
                break
        if fine:
            return count
    return NOT_NOW


@compiled()
def advance(step: float, past: Array, law: Array, mean: Array, u: float) -> None:
    """One step of the lattice: the law with an acceleration, the mean after it. `past` is a row that moves on."""
    M = len(past)
    jerk = (u - past[0]) / (M * step)
    mean[0] += step * (mean[1] + step * (0.5 * mean[2] + step * jerk / 6.0))
    mean[1] += step * (mean[2] + 0.5 * step * jerk)
    mean[2] += step * jerk
    law[0] += step * (law[1] + 0.5 * step * u)
    law[1] += step * u
    for m in range(M - 1):
        past[m] = past[m + 1]
    past[M - 1] = u
