"""Poses along the pieces of a tool path, compiled: many pieces in one call.

A piece is one row of numbers. A straight or round one: rotation where it begins (9), axis (3) and angle per s of its turning,
point where it begins or that it goes round (3), and direction (3); or radius, and the directions outwards (3) and along (3). A
curve: 7 polynomials of degree five, position and unnormalised quaternion.
"""

import numpy as np
from numpy.typing import NDArray

from armillary.model.compiled import compiled
from armillary.motion.kernels import value

__all__ = ["CURVE", "LINE", "ROUND", "WIDTH", "nearest", "tool_states"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
LINE, ROUND, CURVE = range(3)
WIDTH = 42


@compiled()
def tool_states(
    kind: Numbers, table: Array, which: Numbers, s: Array, T: Array, dp: Array, ddp: Array, w: Array, dw: Array
) -> None:
    """Poses (N, 4, 4) and derivatives (N, 3) at places s (N,) of rows `which` (N,), each from its row's start."""
    for n in range(len(s)):
        row = table[which[n]]
        T[n, 3, 0] = T[n, 3, 1] = T[n, 3, 2] = 0.0
        T[n, 3, 3] = 1.0
        if kind[which[n]] == CURVE:
            _curve(row, s[n], T[n], dp[n], ddp[n], w[n], dw[n])
            continue
        _turned(row, s[n], T[n])
        for i in range(3):
            w[n, i] = row[9 + i] * row[12]
            dw[n, i] = 0.0
        if kind[which[n]] == LINE:
            for i in range(3):
                T[n, i, 3] = row[13 + i] + s[n] * row[16 + i]
                dp[n, i], ddp[n, i] = row[16 + i], 0.0
        else:
            radius = row[16]
            sine, cosine = np.sin(s[n] / radius), np.cos(s[n] / radius)
            for i in range(3):
                out, along = row[17 + i], row[20 + i]
                T[n, i, 3] = row[13 + i] + radius * (cosine * out + sine * along)
                dp[n, i], ddp[n, i] = cosine * along - sine * out, -(cosine * out + sine * along) / radius


@compiled()
def _turned(row: Array, s: float, T: Array) -> None:
    """The rotation of a straight or round piece: its first one, turned about its axis."""
    angle = row[12] * s
    sine, rest = np.sin(angle), 2.0 * np.sin(0.5 * angle) ** 2
    x, y, z = row[9], row[10], row[11]
    for j in range(3):
        a, b, c = row[j], row[3 + j], row[6 + j]
        along = (x * a + y * b + z * c) * rest
        T[0, j] = a * (1.0 - rest) + sine * (y * c - z * b) + x * along
        T[1, j] = b * (1.0 - rest) + sine * (z * a - x * c) + y * along
        T[2, j] = c * (1.0 - rest) + sine * (x * b - y * a) + z * along


@compiled()
def _curve(row: Array, s: float, T: Array, dp: Array, ddp: Array, w: Array, dw: Array) -> None:
    for i in range(3):
        c = row[6 * i : 6 * i + 6]
        T[i, 3], dp[i], ddp[i] = value(c, s, 0), value(c, s, 1), value(c, s, 2)
    Q, dQ, ddQ = np.empty(4), np.empty(4), np.empty(4)
    size = 0.0
    for i in range(4):
        c = row[18 + 6 * i : 24 + 6 * i]
        Q[i], dQ[i], ddQ[i] = value(c, s, 0), value(c, s, 1), value(c, s, 2)
        size += Q[i] * Q[i]
    size = np.sqrt(size)
    rate = 0.0  # of the size
    for i in range(4):
        Q[i] /= size
        rate += Q[i] * dQ[i]
    dq, ddq = np.empty(4), np.empty(4)
    change = 0.0
    for i in range(4):
        dq[i] = (dQ[i] - rate * Q[i]) / size
        change += dq[i] * dQ[i] + Q[i] * ddQ[i]
    for i in range(4):
        ddq[i] = (ddQ[i] - change * Q[i] - rate * dq[i]) / size - (rate / size) * dq[i]
    a, x, y, z = Q[0], Q[1], Q[2], Q[3]
    T[0, 0], T[0, 1], T[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - a * z), 2 * (x * z + a * y)
    T[1, 0], T[1, 1], T[1, 2] = 2 * (x * y + a * z), 1 - 2 * (x * x + z * z), 2 * (y * z - a * x)
    T[2, 0], T[2, 1], T[2, 2] = 2 * (x * z - a * y), 2 * (y * z + a * x), 1 - 2 * (x * x + y * y)
    _twice_vector(dq, Q, w)
    _twice_vector(ddq, Q, dw)


@compiled()
def _twice_vector(a: Array, b: Array, out: Array) -> None:
    """Twice the vector part of a times the conjugate of b, quaternions (w, x, y, z)."""
    out[0] = 2.0 * (b[0] * a[1] - a[0] * b[1] - (a[2] * b[3] - a[3] * b[2]))
    out[1] = 2.0 * (b[0] * a[2] - a[0] * b[2] - (a[3] * b[1] - a[1] * b[3]))
    out[2] = 2.0 * (b[0] * a[3] - a[0] * b[3] - (a[1] * b[2] - a[2] * b[1]))


@compiled()
def nearest(
    kind: Numbers, table: Array, starts: Array, radian: float, places: Array, poses: Array, off: Array, turned: Array
) -> None:
    """How far poses (N, 4, 4), in order along a path, are from it: in m into off (N,), in rad into turned (N,).

    Each is held against the point of the path that is nearest to where it should be; or, where that is not known, looked for
    from where the one before was and as much further as the tool has come since: a path that crosses itself is followed and not
    cut short.

    Args:
        starts: s at which each row begins, and the end, shape (k + 1,).
        radian: What a radian of turning counts [m].
        places: s at which the poses should be, ascending, shape (N,); empty where it is not known: the first is looked for on the
            first pieces.
    """
    T, dp, ddp, w, dw = np.empty((1, 4, 4)), np.empty((1, 3)), np.empty((1, 3)), np.empty((1, 3)), np.empty((1, 3))
    which, local = np.zeros(1, dtype=np.int64), np.zeros(1)
    last, length = len(starts) - 2, starts[len(starts) - 1]
    s, row, gap = 0.0, 0, np.empty(3)
    least = 1e300
    known = len(places) > 0
    for first in range(0 if known else min(2, last + 1)):  # the first pose may be anywhere on the first pieces
        for part in range(17):
            which[0], local[0] = first, (starts[first + 1] - starts[first]) * part / 16.0
            tool_states(kind, table, which, local, T, dp, ddp, w, dw)
            far = radian * _turn(T[0], poses[0], gap)
            for i in range(3):
                far += abs(poses[0, i, 3] - T[0, i, 3])
            if far < least - 1e-12:
                least, s = far, starts[first] + local[0]
    reach = 0.0
    for n in range(len(poses)):
        floor = s if n > 0 and not known else 0.0
        if known:
            s = places[n]
            reach = max(places[n] - places[n - 1] if n > 0 else 0.0, 1e-6)
        elif n > 0:
            way = 0.0
            for i in range(3):
                way += (poses[n, i, 3] - poses[n - 1, i, 3]) ** 2
            s += np.sqrt(way) if way > 1e-18 else radian * _turn(poses[n - 1], poses[n], gap)
            reach = max(reach, s - floor)
        stride = 2.0 * reach
        for attempt in range(2):
            for _ in range(6):
                s = min(max(s, floor), length)  # never back: where it turns round it would follow the way that it came
                while row < last and starts[row + 1] <= s:
                    row += 1
                while row > 0 and starts[row] > s:
                    row -= 1
                which[0], local[0] = row, s - starts[row]
                tool_states(kind, table, which, local, T, dp, ddp, w, dw)
                turned[n] = _turn(T[0], poses[n], gap)
                far = along = square = 0.0
                for i in range(3):
                    d = poses[n, i, 3] - T[0, i, 3]
                    far += d * d
                    along += d * dp[0, i] + radian * radian * gap[i] * w[0, i]
                    square += dp[0, i] ** 2 + radian * radian * w[0, i] ** 2
                off[n] = np.sqrt(far)
                step = along / square if square > 1e-18 else 0.0
                if (
                    n > 0 or known
                ):  # where a path turns round it hardly moves: a step from there would leap to another stretch of it
                    step = min(max(step, -stride), stride)
                if abs(step) < 1e-9 or (s + step <= floor and s == floor) or (s + step >= length and s == length):
                    break
                s += step
            if attempt > 0 or n == 0 or known or off[n] + radian * turned[n] < 1e-7:
                break
            # The way between two poses may be longer than straight from one to the other: it is looked for further on, until the
            # path has come four times as far. Where it turns round it hardly moves, so that s has to go on for long.
            best, found, ahead, come, parts = off[n] + radian * turned[n], s, floor, 0.0, 0
            share = max(reach / 8.0, 1e-9)
            while come < 4.0 * reach and ahead < length and parts < 300:
                which[0] = row
                while which[0] < last and starts[which[0] + 1] <= ahead:
                    which[0] += 1
                while which[0] > 0 and starts[which[0]] > ahead:
                    which[0] -= 1
                local[0] = ahead - starts[which[0]]
                tool_states(kind, table, which, local, T, dp, ddp, w, dw)
                far = speed = bend = 0.0
                for i in range(3):
                    far += (poses[n, i, 3] - T[0, i, 3]) ** 2
                    speed += dp[0, i] ** 2 + radian * radian * w[0, i] ** 2
                    bend += ddp[0, i] ** 2 + radian * radian * dw[0, i] ** 2
                far = np.sqrt(far) + radian * _turn(T[0], poses[n], gap)
                # As far on as the path comes by a share in: speed h + bend h^2 / 2.
                speed, bend = np.sqrt(speed), np.sqrt(bend)
                root = speed + np.sqrt(speed * speed + 2.0 * bend * share)
                span = (starts[which[0] + 1] - starts[which[0]]) / 16.0
                if root * span > 2.0 * share:
                    span = 2.0 * share / root
                if far < best:
                    best, found, stride = far, ahead, max(2.0 * reach, span)
                come += (speed + 0.5 * bend * span) * span
                ahead += span
                parts += 1
            s = found


@compiled()
def _turn(A: Array, B: Array, out: Array) -> float:
    """The angle from one rotation to another, and (for small ones) its vector into out."""
    total = 0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        one = two = 0.0
        for m in range(3):
            one += B[k, m] * A[j, m]
            two += B[j, m] * A[k, m]
            total += (A[i, m] - B[i, m]) ** 2
        out[i] = 0.5 * (one - two)
    return 2.0 * np.arcsin(min(np.sqrt(total / 8.0), 1.0))
