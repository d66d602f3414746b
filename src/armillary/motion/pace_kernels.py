"""Faster, slower, stop: how a trajectory's own time is driven, compiled.

The rate at which a trajectory's time runs follows a law on a lattice of short steps, with constant acceleration in each, and
what is driven is the law's mean over a window of M steps. So the mean's jerk is constant in each step. In every step the law is
accelerated, or braked, as much as there is room for: so much that if it were left alone from then on, the joints would keep
their velocity, acceleration and jerk limits until the mean has settled. A settled mean is the trajectory at a lower rate, which
is proven. So there is always a way on, and where the trajectory uses all of a limit the ramp waits.
"""

import numpy as np
from numpy.typing import NDArray

from armillary.model.compiled import compiled
from armillary.motion.kernels import value

__all__ = ["advance", "joints_now", "steepest", "used"]

Array = NDArray[np.float64]
_HALVINGS = 8
_AIMED = 0.95  # share of a limit that ramps aim at where the trajectory leaves that much


@compiled()
def _piece(knots: Array, s: float, piece: int) -> int:
    while piece < len(knots) - 2 and knots[piece + 1] <= s:
        piece += 1
    while piece > 0 and knots[piece] > s:
        piece -= 1
    return piece


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
def used(knots: Array, c: Array, limits: Array, most: float, step: float, past: Array, mean: Array, u: float, hold: int) -> float:
    """The largest share of a limit that the joints use when the law has one acceleration for some steps and none from then on.

    Once it is above `most` the rest is not looked at.
    """
    M = len(past)
    place, rate, a = mean[0], mean[1], mean[2]
    piece = _piece(knots, place, 0)
    end, worst = knots[len(knots) - 1], 0.0
    for k in range(M + hold):
        now = u if k < hold else 0.0
        then = past[k] if k < M else u
        jerk = (now - then) / (M * step)
        for share in range(5):
            d = 0.25 * share * step
            at = place + d * (rate + d * (0.5 * a + d * jerk / 6.0))
            v, w = rate + d * (a + 0.5 * d * jerk), a + d * jerk
            while piece < len(knots) - 2 and knots[piece + 1] <= at:  # jerk may step at a knot: both sides, and what is between
                worst = max(worst, _over(knots, c, limits, piece, knots[piece + 1], v, w, jerk))
                piece += 1
                worst = max(worst, _over(knots, c, limits, piece, knots[piece], v, w, jerk))
                if knots[piece + 1] <= at:
                    worst = max(worst, _over(knots, c, limits, piece, 0.5 * (knots[piece] + knots[piece + 1]), v, w, jerk))
            if at < end:
                worst = max(worst, _over(knots, c, limits, piece, at, v, w, jerk))
        if worst > most:
            break
        place += step * (rate + step * (0.5 * a + step * jerk / 6.0))
        rate += step * (a + 0.5 * step * jerk)
        a += step * jerk
        if place >= end:
            break
    return worst


@compiled()
def _fits(knots: Array, c: Array, limits: Array, most: float, step: float, past: Array, mean: Array, u: float, hold: int) -> bool:
    """Whether an acceleration leaves the joints within so much of their limits, for one step and for several."""
    if used(knots, c, limits, most, step, past, mean, u, 1) > most:
        return False
    return hold == 1 or used(knots, c, limits, most, step, past, mean, u, hold) <= most


@compiled()
def steepest(
    knots: Array, c: Array, limits: Array, most: float, step: float, past: Array, law: Array, mean: Array, goal: float
) -> float:  # fmt: skip
    """The law's acceleration in the next step on its way to a rate, 0 to stop: as much as there is room for.

    Args:
        knots, c: The trajectory, as pieces over its own time.
        limits: Velocity, acceleration and jerk of the joints, shape (3, n).
        most: The share of a limit that may be used: 1, and rounding.
        step: Of the lattice [s].
        past: The law's accelerations in the last M steps, oldest first, shape (M,).
        law: Where the law is in the trajectory's time and its rate, shape (2,).
        mean: The mean's place, rate and acceleration, shape (3,).
    """
    whole = (goal - law[1]) / step
    if abs(whole) < 1e-9:
        return whole
    quick = 2.0 / (len(past) * step)  # no faster than from rest to the full rate in half a window
    wanted = min(max(whole, -quick), quick)
    # Not brake to the very edge: what is at a limit now would hold up all further braking until it has left the window.
    if wanted < 0.0:
        most = min(max(_AIMED, used(knots, c, limits, most, step, past, mean, 0.0, 1)), most)
    # And as if it were held for a while: what is right for one step alone may be all that a window has room for.
    hold = max(1, min(len(past) // 2, int(np.ceil(whole / wanted))))
    if _fits(knots, c, limits, most, step, past, mean, wanted, hold):
        return wanted
    good, bad = 0.0, 1.0
    for _ in range(_HALVINGS):
        share = 0.5 * (good + bad)
        if _fits(knots, c, limits, most, step, past, mean, share * wanted, hold):
            good = share
        else:
            bad = share
    return good * wanted


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


@compiled()
def joints_now(knots: Array, c: Array, mean: Array, into: float, jerk: float, now: Array, out: Array) -> None:
    """Positions, velocities, accelerations and jerks of the joints into out (4, n).

    Args:
        mean: The mean's place, rate and acceleration when the present step of the lattice began.
        into, jerk: How long ago that was, and the mean's jerk since then.
        now: Takes the trajectory's time, its rate and how fast that changes, shape (3,).
    """
    end = knots[len(knots) - 1]
    time = min(mean[0] + into * (mean[1] + into * (0.5 * mean[2] + into * jerk / 6.0)), end)
    rate, rise = max(mean[1] + into * (mean[2] + 0.5 * into * jerk), 0.0), mean[2] + into * jerk
    now[0], now[1], now[2] = time, rate, rise
    low, high = 0, len(knots) - 2
    while low < high:  # the piece that the time is in
        middle = (low + high + 1) // 2
        if knots[middle] <= time:
            low = middle
        else:
            high = middle - 1
    d = min(max(time - knots[low], 0.0), knots[low + 1] - knots[low])
    for j in range(c.shape[1]):
        row = c[low, j]
        p1, p2, p3 = value(row, d, 1), value(row, d, 2), value(row, d, 3)
        out[0, j] = value(row, d, 0)
        out[1, j] = p1 * rate
        out[2, j] = p2 * rate * rate + p1 * rise
        out[3, j] = p3 * rate**3 + 3.0 * p2 * rate * rise + p1 * jerk
