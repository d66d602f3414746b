"""The way of the joints along a line of the tool, grown piece by piece while a robot moves on it, compiled.

A line is a pose and a direction. Its way is a row of knots: a configuration, how far along the line it is, and how far along the
way (the largest motion of a joint). It is parametrised by the joints' motion and not by the tool's, so that it stays smooth where
the tool is at the edge of its reach, and so that joints may turn while the tool stands still. Between two knots it is a cubic.

Where a line ends, it is looked for other ways on: configurations with the same pose of the tool from which it goes on, and a
motion to them with the tool at rest. One small trial at a time, since a tick is short.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armillary.model.compiled import compiled
from armillary.solvers.kernels import descend, error, forward, shy_away

__all__ = [
    "AT", "BACK", "COUNT", "ENDED", "FRESH", "HORIZON", "KNOTS", "PACE", "SEED", "STEP", "TRIAL", "WALK", "Arm", "along", "apart",
    "append", "begin", "extend", "forget_passed", "look_aside", "rates", "settle", "value",
]  # fmt: skip

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

KNOTS = 160
# What a line remembers from tick to tick: how many knots there are, where on the way it is and how fast, the next step along the
# line, whether the way ends at its last knot, whether its length is what limits the speed, which trial aside comes next, how many
# knots a walk has, from how far ahead its end is being brought back, and where its random numbers are.
COUNT, AT, PACE, STEP, ENDED, HORIZON, TRIAL, WALK, BACK, SEED = range(10)
FRESH = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 12345.0)

_LEAST = 1e-6  # the shortest step along a line [m]
_MOST = 0.05  # and the longest
_NUDGE = 0.03  # how far beside a configuration is tried where its slope shows no way [rad]
_ASIDE = (0.03, 0.1, 0.3, 0.8, 1.5, 2.5)  # how far away other configurations are looked for, trial by trial [rad]
_FURTHER = (0.03, 0.01, 0.1)  # how far on along the line [m]
_SMOOTH = 0.94  # cosine of a bend at a knot that asks for smaller steps
_SHARP = 3e-4  # by which a cubic may leave the straight ways between knots [rad]
_FINEST = 5e-4  # knots that close are not parted further for a bend's sake [rad]
_PACE = 0.03  # between the knots of a walk [rad]


class Arm(NamedTuple):
    """What a line needs to know of a robot: its chain, limits, what of a pose counts, and what motions are worth.

    Attributes:
        length: What one radian of the tool is worth [m].
        worth: What one unit of each joint is worth [rad].
        spare: It has more joints than a pose needs.
    """

    chain: Array
    kind: Numbers
    last: Array
    limits: Array
    form: int
    mask: Array
    in_tool: bool
    length: float
    worth: Array
    spare: bool


@compiled()
def along(line: Array, twist: Array, in_tool: bool, s: float, out: Array) -> None:
    """The pose on a line at a distance, shape (4, 4): straight on and turning about the twist, or a screw in the tool's axes."""
    x, y, z = twist[3] * s, twist[4] * s, twist[5] * s
    angle = np.sqrt(x * x + y * y + z * z)
    small = angle < 1e-3
    a = 1.0 - angle**2 / 6.0 if small else np.sin(angle) / angle
    b = 0.5 - angle**2 / 24.0 if small else (1.0 - np.cos(angle)) / angle**2
    c = 1.0 / 6.0 - angle**2 / 120.0 if small else (angle - np.sin(angle)) / angle**3
    px, py, pz = twist[0] * s, twist[1] * s, twist[2] * s
    if not in_tool:
        for j in range(3):
            u, v, w = line[0, j], line[1, j], line[2, j]
            cx, cy, cz = y * w - z * v, z * u - x * w, x * v - y * u
            out[0, j] = u + a * cx + b * (y * cz - z * cy)
            out[1, j] = v + a * cy + b * (z * cx - x * cz)
            out[2, j] = w + a * cz + b * (x * cy - y * cx)
        out[0, 3], out[1, 3], out[2, 3] = line[0, 3] + px, line[1, 3] + py, line[2, 3] + pz
    else:
        cx, cy, cz = y * pz - z * py, z * px - x * pz, x * py - y * px
        px, py, pz = (
            px + b * cx + c * (y * cz - z * cy), py + b * cy + c * (z * cx - x * cz), pz + b * cz + c * (x * cy - y * cx)
        )  # fmt: skip
        # exp(w) = I + a [w] + b [w]^2, times the line's rotation from the left
        r00, r11, r22 = 1.0 - b * (y * y + z * z), 1.0 - b * (x * x + z * z), 1.0 - b * (x * x + y * y)
        r01, r02, r12 = b * x * y - a * z, b * x * z + a * y, b * y * z - a * x
        r10, r20, r21 = b * x * y + a * z, b * x * z - a * y, b * y * z + a * x
        for i in range(3):
            u, v, w = line[i, 0], line[i, 1], line[i, 2]
            out[i, 0] = u * r00 + v * r10 + w * r20
            out[i, 1] = u * r01 + v * r11 + w * r21
            out[i, 2] = u * r02 + v * r12 + w * r22
            out[i, 3] = line[i, 3] + u * px + v * py + w * pz
    out[3, 0] = out[3, 1] = out[3, 2] = 0.0
    out[3, 3] = 1.0


@compiled()
def begin(knots: Array, slopes: Array, state: Array, q: Array, s: float) -> None:
    """A way with one knot, at rest."""
    k = q.shape[0]
    knots[0, :k] = q
    knots[0, k], knots[0, k + 1] = s, 0.0
    slopes[0] = 0.0
    state[COUNT], state[AT], state[PACE], state[ENDED], state[HORIZON], state[WALK] = 1.0, 0.0, 0.0, 0.0, 1.0, 0.0


@compiled()
def value(knots: Array, slopes: Array, i: int, at: float, out: Array) -> None:
    """Configuration and distance along the line at a place of piece i, shape (k + 1,)."""
    n = out.shape[0]
    h = knots[i + 1, n] - knots[i, n]
    u = (at - knots[i, n]) / h
    a, b = u * u * (3.0 - 2.0 * u), u * (1.0 - u) * (1.0 - u) * h
    c = -u * u * (1.0 - u) * h
    for j in range(n):
        out[j] = knots[i, j] + a * (knots[i + 1, j] - knots[i, j]) + b * slopes[i, j] + c * slopes[i + 1, j]


@compiled()
def rates(knots: Array, slopes: Array, i: int, at: float, out: Array) -> None:
    """How configuration and distance change along the way, at a place of piece i, shape (k + 1,)."""
    n = out.shape[0]
    h = knots[i + 1, n] - knots[i, n]
    u = (at - knots[i, n]) / h
    a, b, c = 6.0 * u * (1.0 - u) / h, (1.0 - u) * (1.0 - 3.0 * u), u * (3.0 * u - 2.0)
    for j in range(n):
        out[j] = a * (knots[i + 1, j] - knots[i, j]) + b * slopes[i, j] + c * slopes[i + 1, j]


@compiled()
def append(arm: Arm, knots: Array, slopes: Array, state: Array, q: Array, s: float) -> None:
    """One more knot; the slope of the one before is settled by it, that of the last is still open."""
    k, i = q.shape[0], int(state[COUNT])
    far = 0.0
    for j in range(k):
        knots[i, j] = q[j]
        far = max(far, arm.worth[j] * abs(q[j] - knots[i - 1, j]))
    knots[i, k] = s
    knots[i, k + 1] = knots[i - 1, k + 1] + max(far, 0.1 * abs(s - knots[i - 1, k]), 1e-7)
    h = knots[i, k + 1] - knots[i - 1, k + 1]
    sharp = False  # a corner that a cubic would cut is not rounded: it stops there
    if i >= 2:
        g = knots[i - 1, k + 1] - knots[i - 2, k + 1]
        for j in range(k):
            change = arm.worth[j] * abs((knots[i, j] - knots[i - 1, j]) / h - (knots[i - 1, j] - knots[i - 2, j]) / g)
            sharp = sharp or 4.0 / 27.0 * change * max(g, h) ** 2 / (g + h) > _SHARP
    for j in range(k + 1):
        now = (knots[i, j] - knots[i - 1, j]) / h
        slopes[i, j] = now
        if i == 1 and state[PACE] == 0.0:
            slopes[0, j] = now
        elif i >= 2:
            g = knots[i - 1, k + 1] - knots[i - 2, k + 1]
            then = (knots[i - 1, j] - knots[i - 2, j]) / g
            slope = 0.0 if sharp else (h * then + g * now) / (g + h)
            if j < k:
                x, y, z, reach = knots[i - 2, j], knots[i - 1, j], knots[i, j], 0.3 * max(g, h) * abs(slope)
                if min(x, y, z) - arm.limits[0, j] < reach or arm.limits[1, j] - max(x, y, z) < reach:  # keep cubics inside
                    most = 3.0 * min(abs(then), abs(now)) if then * now > 0.0 else 0.0
                    slope = min(max(slope, -most), most)
            slopes[i - 1, j] = slope
            if i == 2 and state[PACE] == 0.0 and state[AT] == 0.0:
                slopes[0, j] = then if sharp else 2.0 * then - slopes[1, j]
    state[COUNT] = i + 1.0


@compiled()
def turning(arm: Arm, knots: Array, i: int, q: Array) -> float:
    """Cosine of the angle between the way into knot i - 1 and the way on from there to q."""
    k = q.shape[0]
    mixed = one = two = 0.0
    for j in range(k):
        a, b = arm.worth[j] * (knots[i - 1, j] - knots[i - 2, j]), arm.worth[j] * (q[j] - knots[i - 1, j])
        mixed, one, two = mixed + a * b, one + a * a, two + b * b
    return mixed / np.sqrt(one * two) if one > 1e-20 and two > 1e-20 else 1.0


@compiled()
def forget_passed(knots: Array, slopes: Array, state: Array) -> int:
    """Let go of the knots behind; returns the piece that it is in."""
    k, count = knots.shape[1] - 2, int(state[COUNT])
    i = 0
    while i < count - 2 and knots[i + 1, k + 1] <= state[AT]:
        i += 1
    if i >= 8 and i > count // 4:  # now and then, and one stays behind
        gone = i - 1
        for m in range(count - gone):
            knots[m] = knots[m + gone]
            slopes[m] = slopes[m + gone]
        state[COUNT] = count - gone
        i = 1
    return i


@compiled()
def settle(arm: Arm, target: Array, iterations: int, q: Array, e: Array, size: Array) -> float:
    """Bring q to a pose; what is missing then [m]."""
    W = target[:3, :3].copy() if arm.in_tool else np.eye(3)
    descend(arm.chain, arm.kind, arm.last, arm.limits, target, arm.form, arm.mask, W, arm.length, iterations, q, e, size)
    return size[0] + arm.length * size[1]


@compiled()
def _is_straight(arm: Arm, here: Array, there: Array, q: Array, to: Array, most: float) -> bool:
    """Whether the straight way in joint space between two configurations keeps to the line between their poses, in its middle."""
    k, m = q.shape[0], arm.chain.shape[0]
    R, at, turn, J = np.empty((4, 4)), np.empty((m, 6)), np.empty((3, m)), np.empty((6, k))
    e, f, size = np.empty(6), np.empty(6), np.empty(2)
    W = here[:3, :3].copy() if arm.in_tool else np.eye(3)
    forward(0.5 * (q + to), arm.chain, arm.kind, arm.last, R, at, turn, J)
    error(here, arm.form, arm.mask, W, R, J, e, size)
    error(here, arm.form, arm.mask, W, there, J, f, size)
    square = mixed = 0.0
    for i in range(6):
        weight = 1.0 if i < 3 else arm.length**2
        square += weight * f[i] * f[i]
        mixed += weight * e[i] * f[i]
    share = min(max(mixed / square, 0.0), 1.0) if square > 1e-24 else 0.0
    off = 0.0
    for i in range(6):
        off += (1.0 if i < 3 else arm.length**2) * (e[i] - share * f[i]) ** 2
    return np.sqrt(off) <= most


@compiled()
def apart(arm: Arm, q: Array, to: Array) -> float:
    far = 0.0
    for j in range(q.shape[0]):
        far = max(far, arm.worth[j] * abs(to[j] - q[j]))
    return far


@compiled()
def extend(arm: Arm, line: Array, twist: Array, in_tool: bool, knots: Array, slopes: Array, state: Array, spacing: float) -> None:
    """Try for one more knot. Where the line goes no further the way is marked as ended."""
    k, i = arm.worth.shape[0], int(state[COUNT]) - 1
    e, size, here, there, to = np.empty(6), np.empty(2), np.empty((4, 4)), np.empty((4, 4)), np.empty(k)
    q, s, step = knots[i, :k], knots[i, k], min(max(state[STEP], _LEAST), _MOST)
    along(line, twist, in_tool, s + step, there)
    to[:] = q
    if arm.spare:  # from where it is: what it did with its freedom before is not to go on
        shy_away(arm.limits, arm.worth, spacing, to)
    elif i > 0 and s - knots[i - 1, k] > 1e-12:
        stretch = min(step / (s - knots[i - 1, k]), 2.0)
        for j in range(k):
            to[j] += stretch * (q[j] - knots[i - 1, j])
    missing = settle(arm, there, 10, to, e, size)
    far = apart(arm, q, to)
    fits = missing <= min(0.01 * step, 1e-5)
    bends = fits and i > 0 and 2.0 * _FINEST < far <= 1.6 * spacing and turning(arm, knots, i + 1, to) < _SMOOTH
    if bends and step > 1.01 * _LEAST:
        state[STEP] = max(0.4 * step, _LEAST)  # the way bends: smaller steps show how
        return
    if fits and far <= 1.6 * spacing:
        along(line, twist, in_tool, s, here)
        if _is_straight(arm, here, there, q, to, 1e-5 + 0.3 * arm.length * far * far + 0.02 * step):
            append(arm, knots, slopes, state, to, s + step)
            state[STEP], state[TRIAL] = step * min(max(spacing / max(far, 1e-9), 0.5), 2.0), 0.0
            return
    if step > 1.01 * _LEAST:
        state[STEP] = max(step * (min(max(0.8 * spacing / far, 0.1), 0.6) if fits else 0.35), _LEAST)
    else:
        state[ENDED] = 1.0


@compiled()
def _random(state: Array) -> float:
    """The next of a row of numbers between -1 and 1 (Park and Miller's)."""
    state[SEED] = (state[SEED] * 16807.0) % 2147483647.0
    return 2.0 * state[SEED] / 2147483647.0 - 1.0


@compiled()
def look_aside(
    arm: Arm, line: Array, twist: Array, in_tool: bool, knots: Array, slopes: Array, state: Array, walk: Array
) -> bool:
    """One trial to get on from the last knot of an ended way, at rest there. True: a way has been found and begun.

    First whether the line goes on beside the configuration, where its slope shows nothing. Then configurations further on along
    the line, which are brought back to where the tool is, and a walk to them with the tool at rest.
    """
    k, i = arm.worth.shape[0], int(state[COUNT]) - 1
    e, size, here, there, to = np.empty(6), np.empty(2), np.empty((4, 4)), np.empty((4, 4)), np.empty(k)
    q, s = knots[i, :k].copy(), knots[i, k]
    along(line, twist, in_tool, s, here)
    if state[WALK] == 1.0:
        if not _come_back(arm, line, twist, in_tool, s, q, state, walk):
            state[WALK] = 0.0
        return False
    if state[WALK] > 1.0:
        return _walk_on(arm, here, knots, slopes, state, walk, q, s)
    trial = int(state[TRIAL])
    state[TRIAL] += 1.0
    beside = trial < 24
    for j in range(k):
        to[j] = q[j] + (_NUDGE if beside else _ASIDE[trial % len(_ASIDE)]) * _random(state) / arm.worth[j]
    if beside:
        step = (3e-4, 1e-4, 3e-5, 1e-5)[trial % 4]
        along(line, twist, in_tool, s + step, there)
        if settle(arm, there, 25, to, e, size) > 0.01 * step:
            return False
        far = apart(arm, q, to)
        if far > 0.1 or not _is_straight(arm, here, there, q, to, 1e-5 + 0.1 * arm.length * far * far + 0.1 * step):
            return False
        begin(knots, slopes, state, q, s)
        append(arm, knots, slopes, state, to, s + step)
        state[STEP] = 0.5 * step
        return True
    step = _FURTHER[trial // len(_ASIDE) % len(_FURTHER)]
    along(line, twist, in_tool, s + step, there)
    if settle(arm, there, 30, to, e, size) > 1e-6:
        return False
    walk[0] = to
    state[WALK], state[BACK] = 1.0, step
    return False


@compiled()
def _come_back(arm: Arm, line: Array, twist: Array, in_tool: bool, s: float, q: Array, state: Array, walk: Array) -> bool:
    """From walk[0], further on along the line, back to where the tool is; False where that leads nowhere new."""
    k = q.shape[0]
    e, size, there, to = np.empty(6), np.empty(2), np.empty((4, 4)), np.empty(k)
    for _ in range(5):
        step = 0.6 * state[BACK]
        if step < 1e-5:
            step = 0.0
        along(line, twist, in_tool, s + step, there)
        to[:] = walk[0]
        if settle(arm, there, 10, to, e, size) > 1e-6 or apart(arm, to, walk[0]) > 0.4:
            return False
        walk[0] = to
        state[BACK] = step
        if step == 0.0:
            if apart(arm, q, to) < 1e-5:
                return False
            walk[1] = q
            state[WALK] = 2.0
            break
    return True


@compiled()
def _walk_on(arm: Arm, here: Array, knots: Array, slopes: Array, state: Array, walk: Array, q: Array, s: float) -> bool:
    """A few steps with the tool at rest, from walk[1] on, towards walk[0]; True when they lead there and have become the way."""
    k = q.shape[0]
    e, size, to = np.empty(6), np.empty(2), np.empty(k)
    for _ in range(3):
        count = int(state[WALK])
        x = walk[count - 1]
        left = apart(arm, x, walk[0])
        if left < 1.5 * _PACE:
            if not _is_straight(arm, here, here, x, walk[0], 1e-5 + 0.3 * arm.length * left * left):
                state[WALK] = 0.0
                return False
            begin(knots, slopes, state, q, s)
            for m in range(2, count):
                append(arm, knots, slopes, state, walk[m], s)
            append(arm, knots, slopes, state, walk[0], s)
            state[STEP] = 1e-5
            return True
        for j in range(k):
            to[j] = x[j] + _PACE / left * (walk[0, j] - x[j])
        off = settle(arm, here, 8, to, e, size)
        far = apart(arm, x, to)
        if (
            count >= walk.shape[0]
            or off > 1e-6
            or far > 2.0 * _PACE
            or apart(arm, to, walk[0]) > left - 0.1 * _PACE
            or not _is_straight(arm, here, here, x, to, 1e-5 + 0.3 * arm.length * far * far)
        ):
            state[WALK] = 0.0
            return False
        walk[count] = to
        state[WALK] += 1.0
    return False
