"""One tick of a jog, compiled: how far the joints go on their way along the asked line, within every limit.

Not by inverting the Jacobian, which has no inverse where it matters: the way of the joints along the line is grown ahead of the
robot (`line_kernels`), and the robot moves on it, at a pace from which it can always stop before the end of what is known. So
the tool leaves its line only by the way's own error, whatever bends there are: they are taken slowly.
"""

import numpy as np
from numpy.typing import NDArray

from armillary.model.compiled import compiled
from armillary.solvers import line_kernels as lines
from armillary.solvers.kernels import AXIS, MASK, POSE, forward
from armillary.solvers.line_kernels import AT, COUNT, ENDED, HORIZON, PACE, STEP, TRIAL, Arm

__all__ = ["BEGIN", "BLOCKED", "FOLLOW", "HELD", "SLOWED", "STOP", "TURN", "TURNING", "UNHINDERED", "tick"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

# What slows a motion: nothing, a joint, the end of the way, joints that turn first, everything.
UNHINDERED, SLOWED, HELD, TURNING, BLOCKED = range(5)
# What is to be done: go on along the line, stop on it, begin another at rest, turn into another while moving.
FOLLOW, STOP, BEGIN, TURN = range(4)
_CURVE, _BRAKE = 0.5, 0.9  # shares of the acceleration that may go into following a bend, and into that and braking together
_FINE, _COARSE = 0.004, 0.05  # between knots, for a robot at rest and a fast one [rad]
_LOST = 0.05  # farther from its way a robot was moved by something else [rad]
_BACK = 0.02  # in which time a robot that is beside its way comes back to it [s]
_EARLY = 0.02  # how long before the end of the way would slow it the way goes on [s]
_PER_TICK = 3  # attempts at knots


@compiled()
def tick(
    chain: Array, kind: Numbers, last: Array, limits: Array, velocity: Array, acceleration: Array, dt: float, length: float,
    worth: Array, form: int, mask: Array, hold_in_tool: bool, twist: Array, speed: float, in_tool: bool, order: int, line: Array,
    q: Array, before: Array, knots: Array, slopes: Array, walk: Array, state: Array, out: Array, why: Numbers,
) -> float:  # fmt: skip
    """Joint velocities for the next tick into out (k,); returns the share of the asked speed that they keep.

    Args:
        limits: Lower and upper in its first two rows.
        velocity, acceleration: Limits of each joint, shape (k,).
        dt: Length of a tick [s].
        length: What one radian of the tool is worth [m].
        worth: What one unit of each joint is worth [rad], shape (k,).
        form, mask, hold_in_tool: What of the poses on the line counts.
        twist: The line's direction: linear and angular parts for one unit of length.
        speed: Asked speed along it [m/s].
        in_tool: The direction is along the tool's own axes.
        order: FOLLOW, STOP, BEGIN or TURN.
        line: Where the line begins, shape (4, 4).
        q, before: Where the joints are, and the velocities of the tick before.
        knots, slopes, walk, state: The way, from tick to tick; see `line_kernels`.
        why: Takes what slows the motion (UNHINDERED, ...) and which joint, -1 for none.
    """
    k = q.shape[0]
    arm = Arm(chain, kind, last, limits, form, mask, hold_in_tool, length, worth, _spare(k, form, mask))
    low, high, here = np.empty(k), np.empty(k), np.empty(k + 1)
    _bounds(limits, velocity, acceleration, dt, q, before, low, high)
    why[0], why[1] = UNHINDERED, -1
    if order == BEGIN:
        _pose(arm, q, line)
        lines.begin(knots, slopes, state, q, 0.0)
        state[STEP], state[TRIAL] = 0.2 * _FINE * length, 0.0
    elif order == TURN and not _turn(arm, velocity, acceleration, twist, speed, in_tool, line, q, before, knots, slopes, state):
        order = STOP
    piece = 0
    if state[COUNT] >= 1.0:
        piece = lines.forget_passed(knots, slopes, state)
        if state[COUNT] >= 2.0:
            lines.value(knots, slopes, piece, state[AT], here)
        else:
            here[:] = knots[0, : k + 1]
        off = 0.0
        for j in range(k):
            off = max(off, worth[j] * abs(q[j] - here[j]))
        if off > _LOST:
            state[COUNT] = 0.0
    if state[COUNT] < 1.0:  # on no way: every joint brakes
        for j in range(k):
            out[j] = min(max(0.0, low[j]), high[j])
        return 0.0
    if order != STOP:
        _grow(arm, acceleration, line, twist, in_tool, knots, slopes, state, walk)
        piece = lines.forget_passed(knots, slopes, state)
    end = int(state[COUNT]) - (1 if state[ENDED] > 0.0 else 2)
    if end < 1:
        for j in range(k):
            out[j] = min(max((here[j] - q[j]) / (dt + _BACK), low[j]), high[j])
        state[PACE] = 0.0
        why[0] = BLOCKED if state[ENDED] > 0.0 and order != STOP else HELD
        return 0.0
    pace = _pace(arm, velocity, acceleration, dt, knots, slopes, state, piece, end, 0.0 if order == STOP else speed, why)
    pace = _within(knots, slopes, piece, end, state[AT], pace, speed, dt, low, high, why)
    at = min(state[AT] + pace * dt, knots[end, k + 1])
    while piece < end - 1 and knots[piece + 1, k + 1] < at:
        piece += 1
    there = np.empty(k + 1)
    lines.value(knots, slopes, piece, at, there)
    keep = _BACK / (_BACK + dt)
    for j in range(k):
        out[j] = min(max((there[j] + keep * (q[j] - here[j]) - q[j]) / dt, low[j]), high[j])
    state[PACE] = (at - state[AT]) / dt
    state[AT] = at
    if order != STOP and state[ENDED] > 0.0 and at >= knots[end, k + 1] - 1e-9:
        why[0] = BLOCKED
    elif order != STOP and there[k] - here[k] <= 1e-12 and state[PACE] > 0.0 and knots[piece + 1, k] == knots[piece, k]:
        why[0] = TURNING
    share = float(there[k] - here[k]) / (dt * speed) if speed > 0.0 else 0.0
    return min(max(share, 0.0), 1.0)


@compiled()
def _spare(k: int, form: int, mask: Array) -> bool:
    """Whether an arm of k joints has more of them than what counts of a pose needs."""
    if form == POSE:
        return k > 6
    needed = mask[0] + mask[1] + mask[2]
    if form == AXIS:
        return k > needed + 2
    return k > needed + (mask[3] + mask[4] + mask[5] if form == MASK else 0)


@compiled()
def _pose(arm: Arm, q: Array, out: Array) -> None:
    m = arm.chain.shape[0]
    forward(q, arm.chain, arm.kind, arm.last, out, np.empty((m, 6)), np.empty((3, m)), np.empty((6, q.shape[0])))
    out[3, 0] = out[3, 1] = out[3, 2] = 0.0
    out[3, 3] = 1.0


@compiled()
def _turn(
    arm: Arm, velocity: Array, acceleration: Array, twist: Array, speed: float, in_tool: bool, line: Array, q: Array,
    before: Array, knots: Array, slopes: Array, state: Array,
) -> bool:  # fmt: skip
    """From the present motion into another line by rounding the corner between them; False where that line leads nowhere.

    The corner lies as far ahead as it takes to change the velocities; the new line begins there.
    """
    k = q.shape[0]
    corner, to, target, ahead = q.copy(), q.copy(), np.empty((4, 4)), np.empty((4, 4))
    time = 0.01
    for attempt in range(2):
        for j in range(k):
            corner[j] = min(max(q[j] + 0.5 * time * before[j], arm.limits[0, j]), arm.limits[1, j])
            to[j] = corner[j]
        _pose(arm, corner, target)
        lines.along(target, twist, in_tool, 0.5 * time * speed, ahead)
        if lines.settle(arm, ahead, 10, to, np.empty(6), np.empty(2)) > 0.01 * time * speed:
            return False
        if attempt == 0:
            longest = 0.01
            for j in range(k):
                new = min(max((to[j] - corner[j]) / (0.5 * time), -velocity[j]), velocity[j])
                longest = max(longest, abs(new - before[j]) / (0.6 * acceleration[j]))
            time = min(longest, 0.3)
    pace = 0.0
    for j in range(k):
        pace = max(pace, arm.worth[j] * abs(before[j]))
    if pace < 1e-6 or lines.apart(arm, q, to) < 1e-7:
        return False
    line[:] = target
    lines.begin(knots, slopes, state, q, -0.5 * time * speed)
    state[PACE] = pace
    lines.append(arm, knots, slopes, state, to, 0.5 * time * speed)
    for j in range(k):
        slopes[0, j] = before[j] / pace
    slopes[0, k] = slopes[1, k]
    state[STEP], state[TRIAL] = max(0.2 * time * speed, 1e-5), 0.0
    return True


@compiled()
def _grow(
    arm: Arm,
    acceleration: Array,
    line: Array,
    twist: Array,
    in_tool: bool,
    knots: Array,
    slopes: Array,
    state: Array,
    walk: Array,
) -> None:
    """Let the way go on as far as the present pace needs, by a few knots at most."""
    k = arm.worth.shape[0]
    if state[ENDED] > 0.0:
        if state[PACE] == 0.0 and state[AT] >= knots[int(state[COUNT]) - 1, k + 1] - 1e-9:
            lines.look_aside(arm, line, twist, in_tool, knots, slopes, state, walk)
        return
    softest = 1e9
    for j in range(k):
        softest = min(softest, arm.worth[j] * acceleration[j])
    spacing = min(max(0.1 * state[PACE] ** 2 / softest, _FINE), _COARSE)
    for _ in range(_PER_TICK):
        room = int(state[COUNT]) < knots.shape[0]
        if state[ENDED] > 0.0 or not room or (state[HORIZON] == 0.0 and int(state[COUNT]) >= 4):
            return
        lines.extend(arm, line, twist, in_tool, knots, slopes, state, spacing)


@compiled()
def _pace(
    arm: Arm, velocity: Array, acceleration: Array, dt: float, knots: Array, slopes: Array, state: Array, piece: int, end: int,
    speed: float, why: Numbers,
) -> float:  # fmt: skip
    """The pace from which all that is known of the way can be taken: speeds, bends, and a stop at its end."""
    k = arm.worth.shape[0]
    stop = speed <= 0.0
    squares, brakes, caps, tights = np.empty(end + 1), np.empty(end), np.empty(end), np.empty(end + 1, dtype=np.int64)
    squares[end], tights[end] = 0.0, -2  # the pace's square at each knot, and what limits it: the end, -1 the speed, else a joint
    for i in range(end - 1, piece - 1, -1):
        h = knots[i + 1, k + 1] - knots[i, k + 1]
        most, by = 1e12, -1
        slowest = min(abs(slopes[i, k]), abs(slopes[i + 1, k]), abs(knots[i + 1, k] - knots[i, k]) / h)
        if not stop and slowest**2 * most > speed * speed:  # roughly: `_within` keeps the asked speed
            most = (speed / slowest) ** 2
        for j in range(k):
            d = (knots[i + 1, j] - knots[i, j]) / h
            m, n = slopes[i, j], slopes[i + 1, j]
            fastest = max(abs(m), abs(n), abs(1.5 * d - 0.25 * (m + n)))
            if fastest * fastest * most > velocity[j] ** 2:
                most, by = (velocity[j] / fastest) ** 2, j
            bend = max(abs(6.0 * d - 4.0 * m - 2.0 * n), abs(6.0 * d - 2.0 * m - 4.0 * n)) / h
            if bend * most > _CURVE * acceleration[j]:
                most, by = _CURVE * acceleration[j] / bend, j
        if most < squares[i + 1]:
            squares[i + 1], tights[i + 1] = most, by
        brake = 1e12
        for j in range(k):  # the braking that is left beside the bend, at the pace with which this piece is entered at most
            d = (knots[i + 1, j] - knots[i, j]) / h
            m, n = slopes[i, j], slopes[i + 1, j]
            fastest = max(abs(m), abs(n), abs(1.5 * d - 0.25 * (m + n)), 1e-9)
            bend = max(abs(6.0 * d - 4.0 * m - 2.0 * n), abs(6.0 * d - 2.0 * m - 4.0 * n)) / h
            entered = min(most, squares[i + 1] + 2.0 * h * acceleration[j] / fastest)
            brake = min(brake, (_BRAKE * acceleration[j] - bend * entered) / fastest)
        brakes[i], caps[i] = brake, most
        squares[i], tights[i] = squares[i + 1] + 2.0 * h * brake, tights[i + 1]
        if squares[i] > most:
            squares[i], tights[i] = most, by
    if stop:
        return 0.0
    pace, tight = 1e12, -1
    for i in range(piece, end):  # this piece, and those that are entered within the tick
        u, left = brakes[i], knots[i + 1, k + 1] - state[AT]
        here, by = max(-u * dt + np.sqrt(u * u * dt * dt + squares[i + 1] + 2.0 * u * left), 0.0), tights[i + 1]
        if i + 1 < end:  # it passes the knot
            here = max(here, np.sqrt(squares[i + 1]))
        if here * here > caps[i]:
            here, by = np.sqrt(caps[i]), tights[i] if squares[i] == caps[i] else -1
        if here < pace:
            pace, tight = here, by
        if state[AT] + pace * dt <= knots[i + 1, k + 1]:
            break
    free = piece  # as far as the end does not slow it
    while free < end and tights[free + 1] != -2:
        free += 1
    state[HORIZON] = 1.0 if tight == -2 or knots[free, k + 1] < state[AT] + pace * (_EARLY + 3.0 * dt) else 0.0
    if tight == -2:
        why[0] = HELD
    elif tight >= 0:
        why[0], why[1] = SLOWED, tight
    return pace


@compiled()
def _within(
    knots: Array, slopes: Array, piece: int, end: int, at: float, pace: float, speed: float, dt: float, low: Array,
    high: Array, why: Numbers,
) -> float:  # fmt: skip
    """The pace nearest to the wanted one, and to the asked speed, with which every joint keeps what it allows in this tick."""
    k = low.shape[0]
    d = np.empty(k + 1)
    wanted = pace
    for _ in range(3):
        middle = min(at + 0.5 * pace * dt, knots[end, k + 1])
        i = piece
        while i < end - 1 and knots[i + 1, k + 1] < middle:
            i += 1
        lines.rates(knots, slopes, i, middle, d)
        least, most, tight = 0.0, 1e18, -1
        largest = 0.0
        for j in range(k):
            largest = max(largest, abs(d[j]))
        for j in range(k):
            if abs(d[j]) < 1e-6 * largest + 1e-12:
                continue
            one, two = low[j] / d[j], high[j] / d[j]
            if one > two:
                one, two = two, one
            least = max(least, one)
            if two < most:
                most, tight = two, j
        if least > most:  # no pace suits all: in the middle each is broken least
            pace = max(0.5 * (least + most), 0.0)
        else:
            pace = min(max(min(wanted, speed / max(abs(float(d[k])), 1e-9)), least), most)
        if most < 0.999 * wanted and most * abs(d[k]) < 0.999 * speed and tight >= 0:
            why[0], why[1] = SLOWED, tight
    return pace


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
