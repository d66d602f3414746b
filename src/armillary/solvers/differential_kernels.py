"""One tick of a jog, compiled: which joint velocities move the tip along the asked direction, as fast as limits allow.

Not by inverting the Jacobian, which has no inverse where it matters: by solving for the pose a little ahead on the asked line
and moving towards it. Far from singularities that is the same velocity. Near one it is the chord of the motion and stays
finite, and from inside one it is a way out, which first derivatives do not show. Where nothing ahead can be reached, the
look-ahead shrinks until something can, and the speed with it: the tip settles at the edge of its reach instead of hitting it.
Where a direction is lost until joints have turned elsewhere (an aligned wrist), they turn while the tip stands still.
"""

import numpy as np
from numpy.typing import NDArray

from armillary.model.compiled import compiled
from armillary.solvers.kernels import POSE, damped, descend, error, forward

__all__ = ["BLOCKED", "FAR", "HELD", "NEAR", "SLOWED", "TURNING", "UNHINDERED", "tick"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

# What slows a motion: nothing, a joint, what is ahead, joints that turn first, everything.
UNHINDERED, SLOWED, HELD, TURNING, BLOCKED = range(5)
NEAR, FAR = 0.02, 0.6  # how far ahead is looked: for the direction, and at most for the speed [s at the asked speed]
_SHORTEST = NEAR / 256.0
_PATIENCE = 200  # ticks in which a goal must come nearer
_GROW = 1.1  # how fast the first look goes further again, each tick: slowly, so that it does not come and go at an edge
_CURVE, _BRAKE = 0.4, 0.4  # shares of the acceleration that may go into following a bend, and into braking before what is ahead
_ASIDE = 0.1  # how far the way to the pose ahead may leave the line, as a share of its length
_TURNS = np.array([0.1, -0.1, 0.35, -0.35, 0.9, -0.9, 1.6, -1.6])  # self-motions to look for a way on from [rad]


@compiled()
def _ahead(line: Array, twist: Array, time: float, out: Array) -> None:
    """The pose that the line's twist leads to within a time: straight on, turning about the twist's axis. Shape (4, 4)."""
    x, y, z = twist[3] * time, twist[4] * time, twist[5] * time
    angle = np.sqrt(x * x + y * y + z * z)
    a = 1.0 - angle * angle / 6.0 if angle < 1e-4 else np.sin(angle) / angle
    b = 0.5 - angle * angle / 24.0 if angle < 1e-4 else (1.0 - np.cos(angle)) / (angle * angle)
    for j in range(3):
        u, v, w = line[0, j], line[1, j], line[2, j]
        cx, cy, cz = y * w - z * v, z * u - x * w, x * v - y * u
        out[0, j] = u + a * cx + b * (y * cz - z * cy)
        out[1, j] = v + a * cy + b * (z * cx - x * cz)
        out[2, j] = w + a * cz + b * (x * cy - y * cx)
        out[j, 3] = line[j, 3] + twist[j] * time
    out[3, 0] = out[3, 1] = out[3, 2] = 0.0
    out[3, 3] = 1.0


@compiled()
def tick(
    chain: Array, kind: Numbers, last: Array, limits: Array, velocity: Array, acceleration: Array, dt: float, length: float,
    fair: float, form: int, mask: Array, in_tool: bool, twist: Array, stop: bool, line: Array, q: Array, before: Array,
    memory: Array, goal: Array, out: Array, why: Numbers,
) -> float:  # fmt: skip
    """Joint velocities for the next tick into out (k,); returns the share of the asked speed that they keep.

    Args:
        limits: Lower and upper in its first two rows.
        velocity, acceleration: Limits of each joint, shape (k,).
        dt: Length of a tick [s].
        length: What one radian is worth [m].
        fair: A speed of the tip that joints give easily [m/s]; what is asked is never taken for less.
        form, mask, in_tool: What of the poses on the line counts.
        twist: Asked velocity of the tip along the base's axes: linear [m/s], angular [rad/s].
        stop: Brake on this line.
        line: The line's pose beside the tip, shape (4, 4); moved along with it.
        q, before: Where the joints are, and the velocities of the tick before.
        memory: From tick to tick: how far ahead was looked first, which self-motion is tried next, whether `goal` is being
            turned to, which share of the asked speed the joints could give, and how near the goal is and since when it has
            come no nearer. Begins as [NEAR, 0, 0, 1, 0, 0].
        goal: Where joints turn to while the tip stands, shape (k,).
        why: Takes what slows the motion (UNHINDERED, ...) and which joint, -1 for none.
    """
    k = q.shape[0]
    # More than the joints can give would look too far ahead: the twist is taken at the share that they could give last time.
    share = memory[3]
    twist = twist * share
    low, high = np.empty(k), np.empty(k)
    _bounds(limits, velocity, acceleration, dt, q, before, low, high)
    speed = np.sqrt(twist[0] ** 2 + twist[1] ** 2 + twist[2] ** 2) + length * np.sqrt(
        twist[3] ** 2 + twist[4] ** 2 + twist[5] ** 2
    )
    why[0], why[1] = UNHINDERED, -1
    e, size, W = np.empty(6), np.empty(2), np.eye(3)
    R, at, turn = np.empty((4, 4)), np.empty((chain.shape[0], 6)), np.empty((3, chain.shape[0]))
    J, target = np.empty((6, k)), np.empty((4, 4))
    forward(q, chain, kind, last, R, at, turn, J)
    R[3] = line[3]
    if speed < 1e-12:  # asked to stand: brake along the motion
        line[:] = R
        out[:] = before
        _along(out, low, high, 0.0, before, why)
        return 0.0
    # Move the line's pose to beside the tip.
    _ahead(line, twist, _past(R, line, twist, length, J, e, size), target)
    line[:] = target
    W = line[:3, :3].copy() if in_tool else np.eye(3)
    error(line, form, mask, W, R, J, e, size)
    off = size[0] + length * size[1]  # how far from the line it is already
    ahead, times = np.empty((5, k)), np.zeros(5)  # configurations on the way, the present one first, and when they are due
    ahead[0] = q
    room = min(NEAR, _GROW * memory[0])
    found = False
    for attempt in range(5):
        if attempt < 3:
            ahead[1] = q
        else:  # from beside it: at a singularity the way on has no slope to follow
            for j in range(k):
                middle = 0.5 * (limits[0, j] + limits[1, j])
                inwards = 1.0 if not np.isfinite(middle) or middle >= q[j] else -1.0
                ahead[1, j] = q[j] + (0.03 if attempt == 3 else -0.03) * inwards * (1.0 + 0.37 * ((j * 5) % 7) / 7.0)
        _ahead(line, twist, room, target)
        descend(chain, kind, last, limits, target, form, mask, W, length, 12 if attempt < 3 else 20, ahead[1], e, size)
        if size[0] + length * size[1] <= 0.02 * room * speed and _is_straight(
            chain,
            kind,
            last,
            form,
            mask,
            W,
            line,
            twist,
            off + _ASIDE * room * speed,
            length,
            q,
            ahead[1],
            R,
            at,
            turn,
            J,
            e,
            size,
        ):
            found = True
            break
        if attempt < 2:
            room = max(0.5 * room, _SHORTEST)
    memory[0] = room
    if not found:
        if room <= 1.01 * _SHORTEST and _turn_aside(
            chain, kind, last, limits, form, mask, W, line, twist, speed, length, q, memory, goal, velocity, out
        ):
            _along(out, low, high, 1.0, before, why)
            still = 0.0
            for j in range(k):
                still = max(still, abs(out[j]))
            if still < 1e-3:  # held by a joint's end: another self-motion next time
                memory[2] = 0.0
            why[0] = TURNING if still >= 1e-3 else BLOCKED
            return 0.0
        why[0] = BLOCKED if room <= 1.01 * _SHORTEST else HELD
        out[:] = before
        _along(out, low, high, 0.0 if why[0] == BLOCKED else 0.9, before, why)
        return 0.0
    memory[1] = memory[2] = 0.0
    times[1] = room
    slowest = 0.0
    for j in range(k):
        out[j] = (ahead[1, j] - q[j]) / room
        slowest = max(slowest, abs(out[j]) / acceleration[j])
    fastest = 0.0
    for j in range(k):
        fastest = max(fastest, abs(out[j]) / velocity[j])
    wanted = share / fastest if fastest > 1.0 else share * min(1.05, 1.0 / max(fastest, 1e-6))
    memory[3] = min(1.0, max(wanted, fair * share / speed))  # not for a singularity's sake: only what no posture could give
    far = min(max(0.75 * slowest, 0.05), FAR)  # as far as it takes to stop, and half as far again
    if stop:
        _along(out, low, high, 0.0, before, why)
        return 0.0
    count, wall = _look(chain, kind, last, limits, form, mask, W, line, twist, speed, length, far, room < NEAR, ahead, times)
    cap = _speed(velocity, acceleration, ahead, times, count, wall, why)
    if share < 1.0 and why[0] == UNHINDERED:
        why[0] = SLOWED
    return share * _along(out, low, high, cap, before, why)


@compiled()
def _past(T: Array, line: Array, twist: Array, length: float, J: Array, e: Array, size: Array) -> float:
    """How far along the line a pose is from the line's own [s at the asked speed]; e then holds the whole difference."""
    error(T, POSE, np.ones(6), np.eye(3), line, J, e, size)
    past = twist[0] * e[0] + twist[1] * e[1] + twist[2] * e[2] + length**2 * (twist[3] * e[3] + twist[4] * e[4] + twist[5] * e[5])
    square = twist[0] ** 2 + twist[1] ** 2 + twist[2] ** 2 + length**2 * (twist[3] ** 2 + twist[4] ** 2 + twist[5] ** 2)
    return past / square


@compiled()
def _look(
    chain: Array, kind: Numbers, last: Array, limits: Array, form: int, mask: Array, W: Array, line: Array, twist: Array,
    speed: float, length: float, far: float, near_wall: bool, ahead: Array, times: Array,
) -> tuple[int, bool]:  # fmt: skip
    """Configurations further on, behind the first; how many there are then, and whether the way ends behind the last."""
    k = ahead.shape[1]
    if near_wall:
        return 2, True
    e, size, target = np.empty(6), np.empty(2), np.empty((4, 4))
    count = 2
    for part in range(3):
        time = (0.25, 0.55, 1.0)[part] * far
        if time <= times[count - 1] * 1.5:
            continue
        for attempt in range(3):
            before, step = times[count - 1], time - times[count - 1]
            stretch = step / (before - times[count - 2])
            _ahead(line, twist, time, target)
            for j in range(k):
                ahead[count, j] = ahead[count - 1, j] + stretch * (ahead[count - 1, j] - ahead[count - 2, j])
            descend(chain, kind, last, limits, target, form, mask, W, length, 12, ahead[count], e, size)
            jump = 0.0
            for j in range(k):
                jump = max(jump, abs(ahead[count, j] - ahead[count - 1, j]))
            if size[0] + length * size[1] <= 0.02 * step * speed and jump < 1.0:
                times[count] = time
                count += 1
                if attempt > 0:
                    return count, True
                break
            time = before + 0.5 * step  # the way ends between: how far it goes, roughly
            if attempt == 2:
                return count, True
    return count, False


@compiled()
def _speed(velocity: Array, acceleration: Array, ahead: Array, times: Array, count: int, wall: bool, why: Numbers) -> float:
    """The share of the asked speed from which all that is seen ahead can be taken: speeds, bends, and the end of the way."""
    k = ahead.shape[1]
    share = 0.0 if wall else 1.0
    if wall:
        why[0] = HELD
    for i in range(count - 1, 0, -1):  # from the furthest piece back to the present one
        span = times[i] - times[i - 1]
        brake, most, tight = 1e9, 1.0, -1
        for j in range(k):
            d = abs(ahead[i, j] - ahead[i - 1, j]) / span
            if d * most > velocity[j]:
                most, tight = velocity[j] / d, j
            turn = 0.0
            if i + 1 < count:
                turn = abs((ahead[i + 1, j] - ahead[i, j]) / (times[i + 1] - times[i]) - (ahead[i, j] - ahead[i - 1, j]) / span)
                turn /= 0.5 * (times[i + 1] - times[i - 1])
            if turn * most * most > _CURVE * acceleration[j]:
                most, tight = np.sqrt(_CURVE * acceleration[j] / turn), j
            if d > 1e-9:
                brake = min(brake, _BRAKE * acceleration[j] / d)
        share = min(np.sqrt(share * share + 2.0 * brake * span), 1.0)
        if most < share:
            share = most
            why[0], why[1] = SLOWED, tight
    return share


@compiled()
def _bounds(
    limits: Array, velocity: Array, acceleration: Array, dt: float, q: Array, before: Array, low: Array, high: Array
) -> None:
    """What each joint allows in this tick: its speed, its acceleration, and room to brake before its end."""
    for j in range(q.shape[0]):
        a = acceleration[j]
        rise, fall = max(limits[1, j] - q[j], 0.0), max(q[j] - limits[0, j], 0.0)
        up, down = np.sqrt(a * a * dt * dt + 2.0 * a * rise) - a * dt, np.sqrt(a * a * dt * dt + 2.0 * a * fall) - a * dt
        high[j], low[j] = min(velocity[j], up, before[j] + a * dt), max(-velocity[j], -down, before[j] - a * dt)
        if low[j] > high[j]:  # it cannot brake in time: it brakes as hard as it may
            low[j] = high[j] = before[j] - a * dt if high[j] < before[j] else before[j] + a * dt


@compiled()
def _is_straight(
    chain: Array, kind: Numbers, last: Array, form: int, mask: Array, W: Array, line: Array, twist: Array, most: float,
    length: float, q: Array, there: Array, R: Array, at: Array, turn: Array, J: Array, e: Array, size: Array,
) -> bool:  # fmt: skip
    """Whether the straight way in joint space from q to `there` leaves the line by at most so much: tried in its middle."""
    k = q.shape[0]
    half, beside = np.empty(k), np.empty((4, 4))
    far = 0.0
    for j in range(k):
        half[j] = 0.5 * (q[j] + there[j])
        far = max(far, abs(there[j] - q[j]))
    if far < 0.02:
        return True
    forward(half, chain, kind, last, R, at, turn, J)
    R[3] = line[3]
    _ahead(line, twist, _past(R, line, twist, length, J, e, size), beside)
    error(beside, form, mask, W, R, J, e, size)
    return size[0] + length * size[1] <= most


@compiled()
def _turn_aside(
    chain: Array, kind: Numbers, last: Array, limits: Array, form: int, mask: Array, W: Array, line: Array, twist: Array,
    speed: float, length: float, q: Array, memory: Array, goal: Array, velocity: Array, out: Array,
) -> bool:  # fmt: skip
    """Joints turn, the tip stands still, until the asked direction is there again; False where no such turning is known.

    One self-motion is tried in each tick, since a tick is short: along what the Jacobian leaves free, and from there to the
    pose ahead. What is found is turned to as far as it lies along the free motions.
    """
    k = q.shape[0]
    R, at, turn = np.empty((3, 4)), np.empty((chain.shape[0], 6)), np.empty((3, chain.shape[0]))
    J, e, size, y, free, there = np.empty((6, k)), np.empty(6), np.empty(2), np.empty(6), np.empty(k), np.empty(k)
    target = np.empty((4, 4))
    forward(q, chain, kind, last, R, at, turn, J)
    if memory[2] == 0.0:
        number = int(memory[1]) % _TURNS.shape[0]
        memory[1] += 1.0
        again = int(memory[1]) // _TURNS.shape[0]  # another mixture of the free motions each time round
        for j in range(k):
            free[j] = (1.0 + 0.37 * ((j * 5 + 3 * again) % 7) / 7.0) * (-1.0 if (again >> (j % 6)) & 1 else 1.0)
        largest = _leave_free(J, free, y, e)
        if largest < 1e-3:
            return False
        for j in range(k):
            there[j] = q[j] + _TURNS[number] * free[j] / largest
        _ahead(line, twist, 0.5 * NEAR, target)
        descend(chain, kind, last, limits, target, form, mask, W, length, 30, there, e, size)
        if size[0] + length * size[1] > 0.01 * NEAR * speed:
            return False
        goal[:] = there
        memory[2], memory[4], memory[5] = 1.0, 1e9, 0.0
    whole = 0.0
    for j in range(k):
        free[j] = goal[j] - q[j]
        whole = max(whole, abs(free[j]))
    memory[5] += 1.0
    if whole < memory[4] - 1e-3:
        memory[4], memory[5] = whole, 0.0
    largest = _leave_free(J, free, y, e)
    if memory[5] > _PATIENCE or largest < 0.3 * whole or whole < 1e-3:  # what is left is no self-motion: another one next time
        memory[2] = 0.0
        return False
    fastest = 1e9
    for j in range(k):
        if abs(free[j]) > 0.01 * largest:
            fastest = min(fastest, 0.3 * velocity[j] / abs(free[j]))
    # Back onto the line what drifted, within a few ticks.
    back = q.copy()
    descend(chain, kind, last, limits, line, form, mask, W, length, 6, back, e, size)
    for j in range(k):
        out[j] = min(fastest, 5.0) * free[j] + 50.0 * (back[j] - q[j])
    return True


@compiled()
def _leave_free(J: Array, motion: Array, y: Array, e: Array) -> float:
    """Of a joint motion, leave what does not move the tip; returns its largest entry."""
    k = motion.shape[0]
    for i in range(6):
        e[i] = 0.0
        for j in range(k):
            e[i] += J[i, j] * motion[j]
    damped(J, 1e-6, e, y)
    largest = 0.0
    for j in range(k):
        for i in range(6):
            motion[j] -= J[i, j] * y[i]
        largest = max(largest, abs(motion[j]))
    return largest


@compiled()
def _along(out: Array, low: Array, high: Array, cap: float, before: Array, why: Numbers) -> float:
    """Scale velocities by one share, up to `cap`, so that every joint keeps its bounds; returns the share."""
    k = out.shape[0]
    least, most, tight = 0.0, 1.0, -1
    largest = 0.0
    for j in range(k):
        largest = max(largest, abs(out[j]))
    for j in range(k):
        d = out[j]
        if abs(d) < 1e-4 * largest + 1e-12:  # rounding, which must not hold the others where a joint is at its end
            if low[j] > 1e-4 * largest + 1e-12 or high[j] < -1e-4 * largest - 1e-12:
                least, most = 1.0, 0.0
            continue
        one, two = low[j] / d, high[j] / d
        if one > two:
            one, two = two, one
        least = max(least, one)
        if two < most:
            most, tight = two, j
    if least <= most:
        share = max(least, min(cap, most))
        if most < cap and why[0] != BLOCKED:
            why[0], why[1] = SLOWED, tight
        for j in range(k):
            out[j] = min(max(share * out[j], low[j]), high[j])
        return share
    # The motion before points elsewhere. What of it lies along the new direction is kept, the rest is taken away, all joints
    # together, so that the tip turns from one direction into the other and does nothing else on the way.
    share, square = 0.0, 0.0
    for j in range(k):
        share += out[j] * before[j]
        square += out[j] * out[j]
    share = min(max(share / max(square, 1e-18), 0.0), cap, 1.0)
    pace = 1.0
    for j in range(k):
        change = share * out[j] - before[j]
        if change > 1e-12:
            pace = min(pace, max(high[j] - before[j], 0.0) / change)
        elif change < -1e-12:
            pace = min(pace, max(before[j] - low[j], 0.0) / -change)
    for j in range(k):
        out[j] = min(max(before[j] + pace * (share * out[j] - before[j]), low[j]), high[j])
    return share
