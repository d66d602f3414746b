"""A robot that follows goals frame by frame inside its limits of position, velocity and acceleration, compiled.

Velocities and accelerations are differences between frames. A joint may only ever be as fast as it can still stop before its end
at the next frames: with a step `D = a dt^2` of position that braking gains a frame, a speed of `u D / dt` needs
`u + (u - 1) + (u - 2) + ...` such steps.
"""

import math

import numpy as np
from numpy.typing import NDArray

from armillary.model.compiled import compiled

__all__ = [
    "allowed_speed", "brake_step", "brake_to_look", "limit_frames", "limit_step", "slide_step", "smooth_frames",
    "stopping_distance", "unproven_pairs",
]  # fmt: skip

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Numbers = NDArray[np.int64]
# Of a limit, so that rounding makes no violation of it; and of what a joint brakes with before its end, so that it always can.
_WHOLE, _SURE = 1.0 - 1e-9, 1.0 - 1e-6


@compiled()
def allowed_speed(distance: float, acceleration: float, dt: float) -> float:
    """The largest speed of the next step from which a joint still stops within a distance, that step included."""
    if not distance > 0.0:
        return 0.0
    if not acceleration < np.inf or not distance < np.inf:
        return distance / dt
    D = acceleration * dt * dt
    x = distance / D
    m = math.floor(0.5 * (math.sqrt(1.0 + 8.0 * x) - 1.0))
    return (x / (m + 1.0) + 0.5 * m) * acceleration * dt


@compiled()
def stopping_distance(speed: float, acceleration: float, dt: float) -> float:
    """How far a joint still goes after a step at a speed, when it brakes from then on."""
    if not acceleration < np.inf:
        return 0.0
    u = speed / (acceleration * dt)
    m = math.floor(u)
    return (m * u - 0.5 * m * (m + 1.0)) * acceleration * dt * dt


@compiled()
def _box(q: float, v: float, lower: float, upper: float, velocity: float, acceleration: float, dt: float) -> tuple[float, float]:
    """Least and largest speed of the next step."""
    gain = acceleration * dt
    sure = acceleration * _SURE
    low = max(-velocity, v - gain, -allowed_speed(q - lower, sure, dt))
    high = min(velocity, v + gain, allowed_speed(upper - q, sure, dt))
    # Where a limit has just become smaller, it is braked as hard as can be until it is kept.
    return min(low, v + gain), max(high, v - gain)


@compiled()
def limit_step(
    goal: Array, before: Array, q: Array, v: Array, dt: float, lower: Array, upper: Array, velocity: Array, acceleration: Array,
    braked: Flags, q_next: Array, v_next: Array,
) -> None:  # fmt: skip
    """One step towards a goal, as fast as it can be reached without running past it.

    Args:
        before: The goal one frame before. braked: Which joints stop instead.
    """
    for i in range(len(q)):
        a = acceleration[i] * _WHOLE
        low, high = _box(q[i], v[i], lower[i], upper[i], velocity[i] * _WHOLE, a, dt)
        if braked[i]:
            speed = 0.0
        else:
            # Seen from the goal, which moves: the joint comes up to it only as fast as it can stop there.
            off = before[i] - q[i]
            near = allowed_speed(abs(off), a, dt)
            speed = (goal[i] - before[i]) / dt + (near if off > 0.0 else -near)
        speed = min(max(speed, low), high)
        place = min(max(q[i] + speed * dt, lower[i]), upper[i])
        q_next[i], v_next[i] = place, (place - q[i]) / dt


@compiled()
def brake_step(q: Array, v: Array, dt: float, acceleration: Array) -> bool:
    """One step of braking, in place; False where nothing moved any more."""
    moved = False
    for i in range(len(q)):
        speed = max(abs(v[i]) - acceleration[i] * _WHOLE * dt, 0.0)
        moved = moved or v[i] != 0.0
        v[i] = speed if v[i] > 0.0 else -speed
        q[i] += v[i] * dt
    return moved


@compiled()
def _reserve(k: int, levers: Array, seen: Array, q: Array, stops: Array) -> float:
    """How much nearer a pair can have come since it was looked at, and still comes while the robot brakes."""
    way = 0.0
    for i in range(len(q)):
        if levers[k, i] > 0.0:
            way += levers[k, i] * (abs(q[i] - seen[k, i]) + stops[i])
    return way


@compiled()
def unproven_pairs(
    q: Array, v: Array, dt: float, acceleration: Array, levers: Array, seen: Array, distances: Array, margins: Array,
    stops: Array, found: Numbers,
) -> int:  # fmt: skip
    """Pairs that could come nearer than their margin before the robot has stopped, into `found`; how many."""
    count = 0
    for i in range(len(q)):
        stops[i] = stopping_distance(abs(v[i]), acceleration[i] * _WHOLE, dt)
    for k in range(len(distances)):
        if not distances[k] - _reserve(k, levers, seen, q, stops) > margins[k]:
            found[count] = k
            count += 1
    return count


@compiled()
def brake_to_look(
    q: Array, v: Array, dt: float, acceleration: Array, levers: Array, near: Numbers, seen: Array, distances: Array,
    margins: Array, found: Numbers,
) -> int:  # fmt: skip
    """Brake, in place, up to the first frame in which pairs must be looked at; 0 where the robot stops before.

    Args:
        near: The pairs that count, rows of `levers` and of `margins`, shape (N,); below zero is one that counts no more.
        seen, distances: Where those were looked at, and how far apart they were, shape (N, n) and (N,).
        found: Which of the N to look at, filled.
    """
    while brake_step(q, v, dt, acceleration):
        count = 0
        for row in range(len(near)):
            k = near[row]
            if k < 0:
                continue
            way = 0.0
            for i in range(len(q)):
                way += levers[k, i] * abs(q[i] - seen[row, i])
            if not distances[row] - way > margins[k]:
                found[count] = row
                count += 1
        if count > 0:
            return count
    return 0


@compiled()
def limit_frames(
    goals: Array, begin: int, before: Array, q: Array, v: Array, dt: float, lower: Array, upper: Array, velocities: Array,
    acceleration: Array, levers: Array, seen: Array, distances: Array, margins: Array, Q: Array, V: Array,
) -> int:  # fmt: skip
    """Steps towards goals, shape (frames, n), from `begin` on, up to the first in which pairs of parts must be looked at.

    Args:
        before: The goal before `begin`. q, v: Where the robot is, kept up to date.
        velocities: Limits of each frame, shape (frames, n).
        levers, seen, distances, margins: Of P pairs: how much nearer they come with each joint, where they were looked at, how
            far apart they were then, and how far apart they have to be.
        Q, V: Shape (frames, n), filled.

    Returns:
        The frame that was not made; the number of frames where all were.
    """
    n = len(q)
    braked, stops, found = np.zeros(n, dtype=np.bool_), np.empty(n), np.empty(len(distances), dtype=np.int64)
    for f in range(begin, len(goals)):
        limit_step(goals[f], before, q, v, dt, lower, upper, velocities[f], acceleration, braked, Q[f], V[f])
        if unproven_pairs(Q[f], V[f], dt, acceleration, levers, seen, distances, margins, stops, found) > 0:
            return f
        q[:], v[:], before[:] = Q[f], V[f], goals[f]
    return len(goals)


@compiled()
def slide_step(
    wanted: Array, q: Array, v: Array, dt: float, lower: Array, upper: Array, velocity: Array, acceleration: Array,
    slopes: Array, rooms: Array, q_next: Array, v_next: Array,
) -> None:  # fmt: skip
    """The step nearest to a wanted one in which pairs of parts do not come nearer than there is room (Hildreth, 1957).

    Args:
        wanted: Where the joints would go, shape (n,).
        slopes: How distances change with each joint, shape (pairs, n). rooms: How much nearer each may come [m].
    """
    n, pairs = len(q), len(rooms)
    low, high, step, pressed = np.empty(n), np.empty(n), np.empty(n), np.zeros(pairs)
    for i in range(n):
        least, most = _box(q[i], v[i], lower[i], upper[i], velocity[i] * _WHOLE, acceleration[i] * _WHOLE, dt)
        low[i], high[i] = least * dt, most * dt
    for _ in range(60):
        changed = 0.0
        for k in range(pairs):
            size, value = 1e-12, rooms[k]
            for i in range(n):
                move = wanted[i] - q[i]
                for other in range(pairs):
                    move += pressed[other] * slopes[other, i]
                step[i] = min(max(move, low[i]), high[i])
                value += slopes[k, i] * step[i]
                if low[i] < move < high[i]:
                    size += slopes[k, i] * slopes[k, i]
            if size <= 1e-9:
                for i in range(n):
                    size += slopes[k, i] * slopes[k, i]
            more = max(pressed[k] - value / size, 0.0)
            changed = max(changed, abs(more - pressed[k]) * size)
            pressed[k] = more
        if changed < 1e-9:
            break
    for i in range(n):
        move = wanted[i] - q[i]
        for other in range(pairs):
            move += pressed[other] * slopes[other, i]
        place = min(max(q[i] + min(max(move, low[i]), high[i]), lower[i]), upper[i])
        q_next[i], v_next[i] = place, (place - q[i]) / dt


@compiled()
def smooth_frames(values: Array, dt: float, cutoff: float, slope: float, speed_cutoff: float, state: Array, out: Array) -> None:
    """A One-Euro filter of each column (Casiez, Roussel and Vogel, 2012): still where nothing moves, quick where something does.

    Args:
        values: Shape (frames, n). out: Likewise, filled.
        cutoff: At rest [Hz]. slope: How much it grows with the speed [Hz per unit a second]. speed_cutoff: Of the speed [Hz].
        state: Value, speed and whether there is one, shape (3, n), kept from call to call.
    """
    share = 1.0 / (1.0 + 1.0 / (2.0 * math.pi * speed_cutoff * dt))
    for f in range(len(values)):
        for i in range(values.shape[1]):
            if state[2, i] == 0.0:
                state[0, i], state[1, i], state[2, i] = values[f, i], 0.0, 1.0
            else:
                state[1, i] += share * ((values[f, i] - state[0, i]) / dt - state[1, i])
                own = 1.0 / (1.0 + 1.0 / (2.0 * math.pi * (cutoff + slope * abs(state[1, i])) * dt))
                state[0, i] += own * (values[f, i] - state[0, i])
            out[f, i] = state[0, i]
