"""The numeric solver's inner loops, compiled by numba and kept on disk.

Levenberg and Marquardt's step in its dual form, (J J^T + lambda I) y = e, dq = J^T y: six by six whatever the number of joints.
The damping is scaled by the error, so that far from the target steps are careful and near it they are Newton's. A joint at
its limit that would be pushed out of it takes no part in the step. A try that stops halving its error is given up early,
since another start costs less than patience.

Everything is written out over small arrays, because a call takes ten microseconds. No division by zero can be reached, and no
infinity but those of the limits, so `fastmath` leaves out what guards against them.
"""

import numpy as np
from numpy.typing import NDArray

from armillary.model.compiled import compiled

__all__ = [
    "AXIS",
    "MASK",
    "POINT",
    "POSE",
    "clamp",
    "confirm",
    "cosines",
    "damped",
    "descend",
    "error",
    "errors_at",
    "follow",
    "forward",
    "nearest_turn",
    "polish",
    "rigid",
    "search",
    "search_many",
    "separate",
    "solve",
]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
Singles = NDArray[np.float32]

# How the rotation counts.
POSE = 0  # wholly
POINT = 1  # not at all
AXIS = 2  # one axis of the tool is to point along the target's
MASK = 3  # some components of the rotation vector


# pi / 2 in two parts: the first has 33 bits, so that its product with a small whole number is exact.
_QUARTER_HIGH = np.floor(np.pi / 2 * 2.0**32) / 2.0**32
_QUARTER_LOW = np.pi / 2 - _QUARTER_HIGH


@compiled(fast=True)
def cosines(angles: Array, cos: Array, sin: Array) -> None:
    """Cosines and sines, to 1e-15 for angles of a few turns.

    Taylor's series within an eighth of a turn, without a call or a branch, so that the compiler takes four at a time.
    """
    for i in range(angles.shape[0]):
        turns = np.rint(angles[i] * (2.0 / np.pi))
        r = (angles[i] - turns * _QUARTER_HIGH) - turns * _QUARTER_LOW
        z = r * r
        s = r * (1.0 + z * (-1 / 6 + z * (1 / 120 + z * (-1 / 5040 + z * (1 / 362880 + z * (
            -1 / 39916800 + z * (1 / 6227020800 - z / 1307674368000)))))))  # fmt: skip
        c = 1.0 + z * (-1 / 2 + z * (1 / 24 + z * (-1 / 720 + z * (1 / 40320 + z * (
            -1 / 3628800 + z * (1 / 479001600 + z * (-1 / 87178291200 + z / 20922789888000)))))))  # fmt: skip
        quarter = turns - 4.0 * np.floor(0.25 * turns)
        odd = quarter - 2.0 * np.floor(0.5 * quarter)
        cos[i] = (c + odd * (s - c)) * (-1.0 if quarter == 1.0 or quarter == 2.0 else 1.0)
        sin[i] = (s + odd * (c - s)) * (-1.0 if quarter >= 2.0 else 1.0)


@compiled(fast=True)
def forward(q: Array, chain: Array, kind: Numbers, last: Array, R: Array, at: Array, turn: Array, J: Array) -> None:
    """Pose of the tip into R (3, 4), and its Jacobian into J (6, k), at the tip along the base's axes.

    Args:
        chain: One row a joint of the chain: R (9, row by row) and p (3) from the joint before, ratio, offset.
        kind: One row a joint: whether it slides, the column of q that it follows, whether q is taken as it is.
        last: R (9) and p (3) of the tip behind the last joint.
        at, turn: Scratch, (m, 6) and (3, m): each joint's axis and origin; its value, cosine and sine.
    """
    m, k = chain.shape[0], q.shape[0]
    value, cos, sin = turn[0], turn[1], turn[2]
    for i in range(m):
        value[i] = q[kind[i, 1]] * chain[i, 12] + chain[i, 13]
    cosines(value, cos, sin)
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0
    px, py, pz = 0.0, 0.0, 0.0
    for i in range(m):
        f = chain[i]
        px += r00 * f[9] + r01 * f[10] + r02 * f[11]
        py += r10 * f[9] + r11 * f[10] + r12 * f[11]
        pz += r20 * f[9] + r21 * f[10] + r22 * f[11]
        a00 = r00 * f[0] + r01 * f[3] + r02 * f[6]
        a01 = r00 * f[1] + r01 * f[4] + r02 * f[7]
        a02 = r00 * f[2] + r01 * f[5] + r02 * f[8]
        a10 = r10 * f[0] + r11 * f[3] + r12 * f[6]
        a11 = r10 * f[1] + r11 * f[4] + r12 * f[7]
        a12 = r10 * f[2] + r11 * f[5] + r12 * f[8]
        a20 = r20 * f[0] + r21 * f[3] + r22 * f[6]
        a21 = r20 * f[1] + r21 * f[4] + r22 * f[7]
        a22 = r20 * f[2] + r21 * f[5] + r22 * f[8]
        at[i, 0], at[i, 1], at[i, 2] = a02, a12, a22
        at[i, 3], at[i, 4], at[i, 5] = px, py, pz
        if kind[i, 0]:
            px += a02 * value[i]
            py += a12 * value[i]
            pz += a22 * value[i]
            r00, r01, r02, r10, r11, r12, r20, r21, r22 = a00, a01, a02, a10, a11, a12, a20, a21, a22
        else:
            c, s = cos[i], sin[i]
            r00, r01, r02 = a00 * c + a01 * s, a01 * c - a00 * s, a02
            r10, r11, r12 = a10 * c + a11 * s, a11 * c - a10 * s, a12
            r20, r21, r22 = a20 * c + a21 * s, a21 * c - a20 * s, a22
    f = last
    px += r00 * f[9] + r01 * f[10] + r02 * f[11]
    py += r10 * f[9] + r11 * f[10] + r12 * f[11]
    pz += r20 * f[9] + r21 * f[10] + r22 * f[11]
    for j in range(3):
        R[0, j] = r00 * f[j] + r01 * f[3 + j] + r02 * f[6 + j]
        R[1, j] = r10 * f[j] + r11 * f[3 + j] + r12 * f[6 + j]
        R[2, j] = r20 * f[j] + r21 * f[3 + j] + r22 * f[6 + j]
    R[0, 3], R[1, 3], R[2, 3] = px, py, pz
    if m > k:  # some follow others: their columns add up
        J[:, :] = 0.0
    for i in range(m):
        column, s = kind[i, 1], chain[i, 12]
        x, y, z = at[i, 0] * s, at[i, 1] * s, at[i, 2] * s
        if kind[i, 0]:
            u, v, w, x, y, z = x, y, z, 0.0, 0.0, 0.0
        else:
            dx, dy, dz = px - at[i, 3], py - at[i, 4], pz - at[i, 5]
            u, v, w = y * dz - z * dy, z * dx - x * dz, x * dy - y * dx
        if m > k:
            J[0, column] += u
            J[1, column] += v
            J[2, column] += w
            J[3, column] += x
            J[4, column] += y
            J[5, column] += z
        else:
            J[0, column], J[1, column], J[2, column] = u, v, w
            J[3, column], J[4, column], J[5, column] = x, y, z


@compiled(fast=True)
def _turn_between(A: Array, B: Array, e: Array) -> float:
    """Rotation vector of A B^T into e[3:], for rotations A and B (their first three columns); returns the angle."""
    e00 = A[0, 0] * B[0, 0] + A[0, 1] * B[0, 1] + A[0, 2] * B[0, 2]
    e11 = A[1, 0] * B[1, 0] + A[1, 1] * B[1, 1] + A[1, 2] * B[1, 2]
    e22 = A[2, 0] * B[2, 0] + A[2, 1] * B[2, 1] + A[2, 2] * B[2, 2]
    e21 = A[2, 0] * B[1, 0] + A[2, 1] * B[1, 1] + A[2, 2] * B[1, 2]
    e12 = A[1, 0] * B[2, 0] + A[1, 1] * B[2, 1] + A[1, 2] * B[2, 2]
    e02 = A[0, 0] * B[2, 0] + A[0, 1] * B[2, 1] + A[0, 2] * B[2, 2]
    e20 = A[2, 0] * B[0, 0] + A[2, 1] * B[0, 1] + A[2, 2] * B[0, 2]
    e10 = A[1, 0] * B[0, 0] + A[1, 1] * B[0, 1] + A[1, 2] * B[0, 2]
    e01 = A[0, 0] * B[1, 0] + A[0, 1] * B[1, 1] + A[0, 2] * B[1, 2]
    x, y, z = e21 - e12, e02 - e20, e10 - e01
    s, c = np.sqrt(x * x + y * y + z * z), e00 + e11 + e22 - 1.0
    if c > 0.0 and s < 0.2:  # the arcsine's series, to 1e-12 of the angle: without a call, and exact at zero
        half = 0.25 * s * s
        scale = 0.5 * (1.0 + half * (1 / 6 + half * (3 / 40 + half * (15 / 336 + half * (105 / 3456)))))
        angle = scale * s
    elif s > 1e-7:
        angle = np.arctan2(s, c)
        scale = angle / s
    else:  # half a turn: E = 2 n n^T - I, and the largest diagonal entry tells n without cancellation
        angle = np.pi
        x, y, z = e00 + 1.0, 0.5 * (e01 + e10), 0.5 * (e02 + e20)
        if e11 > e00 and e11 >= e22:
            x, y, z = 0.5 * (e01 + e10), e11 + 1.0, 0.5 * (e12 + e21)
        elif e22 > e00 and e22 > e11:
            x, y, z = 0.5 * (e02 + e20), 0.5 * (e12 + e21), e22 + 1.0
        scale = np.pi / np.sqrt(x * x + y * y + z * z)
    e[3], e[4], e[5] = x * scale, y * scale, z * scale
    return angle


@compiled(fast=True)
def _project(rows: Array, k: int, x: float, y: float, z: float) -> None:
    """Take out of three rows what lies along a unit vector."""
    for j in range(k):
        s = rows[0, j] * x + rows[1, j] * y + rows[2, j] * z
        rows[0, j] -= s * x
        rows[1, j] -= s * y
        rows[2, j] -= s * z


@compiled(fast=True)
def _select(rows: Array, k: int, W: Array, mask: Array) -> None:
    """Of three rows, express them in W's axes and keep those of the mask."""
    for j in range(k):
        x, y, z = rows[0, j], rows[1, j], rows[2, j]
        for i in range(3):
            rows[i, j] = mask[i] * (W[0, i] * x + W[1, i] * y + W[2, i] * z)


@compiled(fast=True)
def error(target: Array, form: int, mask: Array, W: Array, R: Array, J: Array, e: Array, size: Array) -> None:
    """What is missing to the target into e (6,), its size in m and rad into size; rows that do not count leave J too.

    Args:
        target: T_base_tip, shape (4, 4).
        mask: Which of x, y, z and of the rotation's components count (1.0 or 0.0), in W's axes; for AXIS the last three
            are the tool's axis that is to point along the target's.
        W: Axes of the mask, shape (3, 3).
    """
    k = J.shape[1]
    e[0], e[1], e[2] = target[0, 3] - R[0, 3], target[1, 3] - R[1, 3], target[2, 3] - R[2, 3]
    if form == POSE:
        size[1] = _turn_between(target, R, e)
        size[0] = np.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2])
        return
    if mask[0] * mask[1] * mask[2] == 0.0:
        _select(e.reshape(6, 1)[:3], 1, W, mask[:3])
        _select(J[:3], k, W, mask[:3])
    size[0] = np.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2])
    if form == POINT:
        e[3] = e[4] = e[5] = 0.0
        J[3:] = 0.0
        size[1] = 0.0
    elif form == AXIS:
        a, b, c = mask[3], mask[4], mask[5]
        x = R[0, 0] * a + R[0, 1] * b + R[0, 2] * c
        y = R[1, 0] * a + R[1, 1] * b + R[1, 2] * c
        z = R[2, 0] * a + R[2, 1] * b + R[2, 2] * c
        u = target[0, 0] * a + target[0, 1] * b + target[0, 2] * c
        v = target[1, 0] * a + target[1, 1] * b + target[1, 2] * c
        w = target[2, 0] * a + target[2, 1] * b + target[2, 2] * c
        e[3], e[4], e[5] = y * w - z * v, z * u - x * w, x * v - y * u
        s, c = np.sqrt(e[3] * e[3] + e[4] * e[4] + e[5] * e[5]), x * u + y * v + z * w
        size[1] = np.arctan2(s, c)
        if s > 1e-9:
            scale = size[1] / s
            e[3], e[4], e[5] = e[3] * scale, e[4] * scale, e[5] * scale
        elif c < 0.0:  # opposite: about any axis across
            if abs(x) < 0.6:
                e[3], e[4], e[5] = 0.0, np.pi * z, -np.pi * y
            else:
                e[3], e[4], e[5] = -np.pi * z, 0.0, np.pi * x
        _project(J[3:], k, x, y, z)
    else:
        angle = _turn_between(target, R, e)
        # The rotation vector's own derivative: what is not counted may be large, so I is not near enough.
        # d = w - (t x w) / 2 + b t x (t x w), with t the rotation vector.
        t0, t1, t2 = e[3], e[4], e[5]
        b = 1.0 / 12.0
        if angle > 1e-3:
            half = 0.5 * angle
            b = (1.0 - half * np.cos(half) / max(np.sin(half), 1e-6)) / (angle * angle)
        for j in range(k):
            x, y, z = J[3, j], J[4, j], J[5, j]
            u, v, w = t1 * z - t2 * y, t2 * x - t0 * z, t0 * y - t1 * x
            J[3, j] = x + 0.5 * u + b * (t1 * w - t2 * v)
            J[4, j] = y + 0.5 * v + b * (t2 * u - t0 * w)
            J[5, j] = z + 0.5 * w + b * (t0 * v - t1 * u)
        _select(e.reshape(6, 1)[3:], 1, W, mask[3:])
        _select(J[3:], k, W, mask[3:])
        size[1] = np.sqrt(e[3] * e[3] + e[4] * e[4] + e[5] * e[5])


@compiled(fast=True)
def damped(J: Array, damping: float, e: Array, y: Array) -> None:
    """Solve (J J^T + damping I) y = e, shapes (6, k) and (6,), by L D L^T.

    Written out in scalars: loops of six cost the compiler its registers, and this is half of an iteration.
    """
    a00 = a10 = a11 = a20 = a21 = a22 = a30 = a31 = a32 = a33 = a40 = a41 = a42 = a43 = a44 = a50 = a51 = a52 = a53 = a54 = (
        a55
    ) = 0.0
    for c in range(J.shape[1]):
        j0, j1, j2, j3, j4, j5 = J[0, c], J[1, c], J[2, c], J[3, c], J[4, c], J[5, c]
        a00 += j0 * j0
        a10 += j1 * j0
        a11 += j1 * j1
        a20 += j2 * j0
        a21 += j2 * j1
        a22 += j2 * j2
        a30 += j3 * j0
        a31 += j3 * j1
        a32 += j3 * j2
        a33 += j3 * j3
        a40 += j4 * j0
        a41 += j4 * j1
        a42 += j4 * j2
        a43 += j4 * j3
        a44 += j4 * j4
        a50 += j5 * j0
        a51 += j5 * j1
        a52 += j5 * j2
        a53 += j5 * j3
        a54 += j5 * j4
        a55 += j5 * j5
    d0 = 1.0 / max(a00 + damping, 1e-14)
    u10 = a10
    l10 = u10 * d0
    d1 = 1.0 / max(a11 + damping - u10 * l10, 1e-14)
    u20 = a20
    l20 = u20 * d0
    u21 = a21 - u20 * l10
    l21 = u21 * d1
    d2 = 1.0 / max(a22 + damping - u20 * l20 - u21 * l21, 1e-14)
    u30 = a30
    l30 = u30 * d0
    u31 = a31 - u30 * l10
    l31 = u31 * d1
    u32 = a32 - u30 * l20 - u31 * l21
    l32 = u32 * d2
    d3 = 1.0 / max(a33 + damping - u30 * l30 - u31 * l31 - u32 * l32, 1e-14)
    u40 = a40
    l40 = u40 * d0
    u41 = a41 - u40 * l10
    l41 = u41 * d1
    u42 = a42 - u40 * l20 - u41 * l21
    l42 = u42 * d2
    u43 = a43 - u40 * l30 - u41 * l31 - u42 * l32
    l43 = u43 * d3
    d4 = 1.0 / max(a44 + damping - u40 * l40 - u41 * l41 - u42 * l42 - u43 * l43, 1e-14)
    u50 = a50
    l50 = u50 * d0
    u51 = a51 - u50 * l10
    l51 = u51 * d1
    u52 = a52 - u50 * l20 - u51 * l21
    l52 = u52 * d2
    u53 = a53 - u50 * l30 - u51 * l31 - u52 * l32
    l53 = u53 * d3
    u54 = a54 - u50 * l40 - u51 * l41 - u52 * l42 - u53 * l43
    l54 = u54 * d4
    d5 = 1.0 / max(a55 + damping - u50 * l50 - u51 * l51 - u52 * l52 - u53 * l53 - u54 * l54, 1e-14)
    y0 = e[0]
    y1 = e[1] - l10 * y0
    y2 = e[2] - l20 * y0 - l21 * y1
    y3 = e[3] - l30 * y0 - l31 * y1 - l32 * y2
    y4 = e[4] - l40 * y0 - l41 * y1 - l42 * y2 - l43 * y3
    y5 = e[5] - l50 * y0 - l51 * y1 - l52 * y2 - l53 * y3 - l54 * y4
    y5 = y5 * d5
    y4 = y4 * d4 - l54 * y5
    y3 = y3 * d3 - l43 * y4 - l53 * y5
    y2 = y2 * d2 - l32 * y3 - l42 * y4 - l52 * y5
    y1 = y1 * d1 - l21 * y2 - l31 * y3 - l41 * y4 - l51 * y5
    y0 = y0 * d0 - l10 * y1 - l20 * y2 - l30 * y3 - l40 * y4 - l50 * y5
    y[0], y[1], y[2], y[3], y[4], y[5] = y0, y1, y2, y3, y4, y5


@compiled(fast=True)
def _step(q: Array, J: Array, e: Array, lower: Array, upper: Array, damping: float, y: Array) -> None:
    """One damped step of q towards the error's zero, inside the limits. J loses the columns of joints that are held."""
    k = q.shape[0]
    for j in range(k):
        below, above = q[j] <= lower[j], q[j] >= upper[j]
        if below or above:
            s = J[0, j] * e[0] + J[1, j] * e[1] + J[2, j] * e[2] + J[3, j] * e[3] + J[4, j] * e[4] + J[5, j] * e[5]
            if (s < 0.0 and below) or (s > 0.0 and above):
                for i in range(6):
                    J[i, j] = 0.0
    damped(J, damping, e, y)
    y0, y1, y2, y3, y4, y5 = y[0], y[1], y[2], y[3], y[4], y[5]
    for j in range(k):
        s = J[0, j] * y0 + J[1, j] * y1 + J[2, j] * y2 + J[3, j] * y3 + J[4, j] * y4 + J[5, j] * y5
        q[j] = min(max(q[j] + s, lower[j]), upper[j])


@compiled(fast=True)
def search(
    chain: Array, kind: Numbers, last: Array, limits: Array, starts: Array, poses: Singles,
    target: Array, form: int, mask: Array, W: Array, tolerance: Array, budget: int, random: NDArray[np.uint64],
    progress: Array, q: Array, best: Array,
) -> bool:  # fmt: skip
    """Look for joint values that reach the target; True, with them in q, where it is found.

    Called again with the same `progress`, `q` and `best` it goes on where its budget ended.

    Args:
        limits: Lower, upper, and the range that random starts are drawn from: shape (4, k).
        starts, poses: Known configurations (s, k) and their tip's R and p, column by column (12, s): restarts begin with those
            whose pose is nearest to the target.
        budget: Iterations at most.
        random: State of the random numbers, shape (1,); not zero.
        progress: Iterations, restarts, the best cost so far, its size in m and in rad. All zero to begin with.
        q: The seed at first; the solution where one is found.
        best: The configuration that came nearest.
    """
    m, k = chain.shape[0], q.shape[0]
    lower, upper = limits[0], limits[1]
    scratch = np.empty(26 + 9 * m + 6 * k)  # one piece of memory for all
    R, e, y, size = scratch[:12].reshape(3, 4), scratch[12:18], scratch[18:24], scratch[24:26]
    at, turn = scratch[26 : 26 + 6 * m].reshape(m, 6), scratch[26 + 6 * m : 26 + 9 * m].reshape(3, m)
    J = scratch[26 + 9 * m :].reshape(6, k)
    state = random[0]
    cost_of = np.empty(0, dtype=np.float32)
    done = 0
    fresh = progress[0] == 0.0
    if fresh:
        progress[2] = 1e300
        for j in range(k):
            q[j] = min(max(q[j], lower[j]), upper[j])
    while done < budget:
        if not fresh:
            progress[1] += 1.0
            if progress[1] <= 24.0 and starts.shape[0] > 0:
                if cost_of.shape[0] == 0:
                    cost_of = _costs(poses, target, form, mask)
                    for _ in range(int(progress[1]) - 1):
                        cost_of[np.argmin(cost_of)] = 1e30
                nearest = np.argmin(cost_of)
                cost_of[nearest] = 1e30
                for j in range(k):
                    q[j] = starts[nearest, j]
            else:
                for j in range(k):
                    state ^= state << np.uint64(13)
                    state ^= state >> np.uint64(7)
                    state ^= state << np.uint64(17)
                    share = (state >> np.uint64(11)) * (1.0 / 9007199254740992.0)
                    q[j] = limits[2, j] + share * (limits[3, j] - limits[2, j])
        fresh = False
        least, slow = 1e300, 0
        for _ in range(60):
            done += 1
            forward(q, chain, kind, last, R, at, turn, J)
            error(target, form, mask, W, R, J, e, size)
            cost = 0.0
            for i in range(6):
                cost += e[i] * e[i]
            if cost < progress[2]:
                progress[2], progress[3], progress[4] = cost, size[0], size[1]
                for j in range(k):
                    best[j] = q[j]
            if size[0] < tolerance[0] and size[1] < tolerance[1]:
                progress[0] += done
                random[0] = state
                return True
            slow = slow + 1 if cost > 0.5 * least else 0
            if slow >= 2:
                break
            least = min(least, cost)
            _step(q, J, e, lower, upper, 0.03 * cost + 1e-9, y)
    progress[0] += done
    random[0] = state
    return False


@compiled(fast=True)
def _costs(poses: Singles, target: Array, form: int, mask: Array) -> Singles:
    """How far each known pose is from the target, roughly: squared metres and squared chord of the rotation."""
    count = poses.shape[1]
    out, goal = np.empty(count, dtype=np.float32), np.zeros(12, dtype=np.float32)
    for r in range(3):
        goal[9 + r] = target[r, 3]
        for c in range(3):
            if form in (POSE, MASK):
                goal[3 * r + c] = target[r, c]
            elif form == AXIS:
                along = target[r, 0] * mask[3] + target[r, 1] * mask[4] + target[r, 2] * mask[5]
                goal[3 * r + c] = 2.0 * along * mask[3 + c]
    # One row of all poses after another, which the compiler turns into vector instructions.
    for s in range(count):
        x, y, z = poses[9, s] - goal[9], poses[10, s] - goal[10], poses[11, s] - goal[11]
        out[s] = x * x + y * y + z * z
    if form != POINT:
        for r in range(3):
            a, b, c = goal[3 * r], goal[3 * r + 1], goal[3 * r + 2]
            for s in range(count):
                out[s] -= a * poses[3 * r, s] + b * poses[3 * r + 1, s] + c * poses[3 * r + 2, s]
    return out


@compiled(fast=True)
def errors_at(
    chain: Array, kind: Numbers, last: Array, target: Array, form: int, mask: Array, W: Array, Q: Array, sizes: Array
) -> None:
    """Size of what is missing at each row of Q, in m and rad, into sizes (N, 2)."""
    m = chain.shape[0]
    R, at, turn, J, e = np.empty((3, 4)), np.empty((m, 6)), np.empty((3, m)), np.empty((6, Q.shape[1])), np.empty(6)
    for i in range(Q.shape[0]):
        forward(Q[i], chain, kind, last, R, at, turn, J)
        error(target, form, mask, W, R, J, e, sizes[i])


@compiled()
def confirm(sizes: Array, tolerance: Array, limits: Array, Q: Array, good: NDArray[np.bool_]) -> bool:
    """Mark the rows of Q that are finite, inside the limits and near enough to the target; True where all are."""
    every = True
    for i in range(Q.shape[0]):
        good[i] = sizes[i, 0] <= tolerance[0] and sizes[i, 1] <= tolerance[1]
        for j in range(Q.shape[1]):
            if not (Q[i, j] >= limits[0, j] - 1e-9 and Q[i, j] <= limits[1, j] + 1e-9 and abs(Q[i, j]) < 1e9):
                good[i] = False
        every = every and good[i]
    return every


@compiled()
def clamp(q: Array, columns: Numbers, limits: Array, own: Array) -> bool:
    """The chain's joints of a whole configuration, inside their limits, into own; True where they were so already."""
    inside = True
    for j in range(own.shape[0]):
        value = q[columns[j]]
        own[j] = min(max(value, limits[0, j]), limits[1, j])
        if abs(own[j] - value) > 1e-9:
            inside = False
    return inside


@compiled()
def nearest_turn(q: Array, columns: Numbers, limits: Array, turning: NDArray[np.bool_], towards: Array) -> None:
    """Change the chain's joints of a whole configuration by the full turns that bring them nearest to another, inside limits."""
    turn = 2.0 * np.pi
    for j in range(columns.shape[0]):
        if not turning[j]:
            continue
        value, wanted = q[columns[j]], towards[columns[j]]
        least, most = np.ceil((limits[0, j] - 1e-9 - value) / turn), np.floor((limits[1, j] + 1e-9 - value) / turn)
        turns = min(max(np.rint((wanted - value) / turn), least), most)
        if turns != 0.0 and least <= most:
            q[columns[j]] = min(max(value + turns * turn, limits[0, j]), limits[1, j])


@compiled()
def rigid(T: Array) -> float:
    """How far a 4 x 4 array is from a rigid transform: the largest entry of R^T R - I and of the last row's error.

    Infinite for a mirror image and for what is not finite.
    """
    worst = abs(T[3, 0]) + abs(T[3, 1]) + abs(T[3, 2]) + abs(T[3, 3] - 1.0)
    for i in range(3):
        for j in range(i + 1):
            s = T[0, i] * T[0, j] + T[1, i] * T[1, j] + T[2, i] * T[2, j]
            if i == j:
                s -= 1.0
            worst = max(worst, abs(s)) if s == s else np.inf
        if not abs(T[i, 3]) < 1e9:
            worst = np.inf
    det = (
        T[0, 0] * (T[1, 1] * T[2, 2] - T[1, 2] * T[2, 1])
        - T[0, 1] * (T[1, 0] * T[2, 2] - T[1, 2] * T[2, 0])
        + T[0, 2] * (T[1, 0] * T[2, 1] - T[1, 1] * T[2, 0])
    )
    return worst if det > 0.0 and worst == worst else np.inf


@compiled(fast=True)
def descend(
    chain: Array, kind: Numbers, last: Array, limits: Array, target: Array, form: int, mask: Array, W: Array, length: float,
    iterations: int, q: Array, e: Array, size: Array,
) -> int:  # fmt: skip
    """From q down to the nearest configuration whose error is least, into q; its error into e and size.

    A step that does not lessen the error is taken back and damped more (Marquardt's rule), so that it settles where no step
    does: at the target, or as near as this branch comes.

    Args:
        length: What one radian is worth in metres.
    """
    m, k = chain.shape[0], q.shape[0]
    R, at, turn, J = np.empty((3, 4)), np.empty((m, 6)), np.empty((3, m)), np.empty((6, k))
    y, trial = np.empty(6), np.empty(k)
    f = np.empty(6)
    least, damping = 1e300, 1e-6
    for j in range(k):
        q[j] = min(max(q[j], limits[0, j]), limits[1, j])
        trial[j] = q[j]
    used = 0
    for _ in range(iterations):
        used += 1
        forward(trial, chain, kind, last, R, at, turn, J)
        error(target, form, mask, W, R, J, f, size)
        for i in range(3, 6):
            f[i] *= length
            for j in range(k):
                J[i, j] *= length
        cost = 0.0
        for i in range(6):
            cost += f[i] * f[i]
        if cost < least:
            gain = least - cost
            for j in range(k):
                q[j] = trial[j]
            least, damping = cost, max(damping * 0.2, 1e-12)
            if gain < 1e-14 * least or least < 1e-26:
                break
        else:
            damping = damping * 8.0
            if damping > 1e6:
                break
            for j in range(k):
                trial[j] = q[j]
            forward(trial, chain, kind, last, R, at, turn, J)
            error(target, form, mask, W, R, J, f, size)
            for i in range(3, 6):
                f[i] *= length
                for j in range(k):
                    J[i, j] *= length
        _step(trial, J, f, limits[0], limits[1], damping, y)
    forward(q, chain, kind, last, R, at, turn, J)
    error(target, form, mask, W, R, J, e, size)
    return used


@compiled(fast=True)
def polish(
    chain: Array, kind: Numbers, last: Array, limits: Array, target: Array, form: int, mask: Array, W: Array,
    Q: Array, sizes: Array,
) -> None:  # fmt: skip
    """Bring each row of Q from near a solution onto it, and the size of what is then missing into sizes (N, 2)."""
    e = np.empty(6)
    for i in range(Q.shape[0]):
        descend(chain, kind, last, limits, target, form, mask, W, 1.0, 40, Q[i], e, sizes[i])


@compiled()
def solve(
    numbers: Array, places: Numbers, starts: Array, poses: Singles, target: Array, form: int, rules: Array, budget: int,
    random: int, seed: Array, q: Array, progress: Array,
) -> int:  # fmt: skip
    """One question from end to end, so that it is one call: `rigid`, `clamp`, `search` and `nearest_turn`.

    Its arguments are packed, since each array costs a tenth of a microsecond to hand over.

    Args:
        numbers: `chain`, `last` and `limits` of `search`, one after the other.
        places: k and m; `kind` (m, 2); `columns` (k,); whether each of the k turns fully.
        rules: The tolerance (2,), the mask (6,) and its axes (3, 3), one after the other.
        seed, q: Configurations of the whole model, shape (n,): where it is, and the solution or what came nearest.
        progress: As of `search`, shape (5,).

    Returns:
        0 not reached, 1 reached; 2 more where the seed was outside its limits; -1 where the target is no rigid transform.
    """
    if not rigid(target) <= 1e-12:
        return -1
    k, m = places[0], places[1]
    chain, last = numbers[: 14 * m].reshape(m, 14), numbers[14 * m : 14 * m + 12]
    limits = numbers[14 * m + 12 :].reshape(4, k)
    kind, columns, turning = places[2 : 2 + 2 * m].reshape(m, 2), places[2 + 2 * m : 2 + 2 * m + k], places[2 + 2 * m + k :]
    own, best, state = np.empty(k), np.empty(k), np.empty(1, dtype=np.uint64)
    answer = 0 if clamp(seed, columns, limits, own) else 2
    progress[:] = 0.0
    state[0] = np.uint64(random)
    if search(
        chain, kind, last, limits, starts, poses, target, form, rules[2:8], rules[8:].reshape(3, 3), rules[:2], budget, state,
        progress, own, best,
    ):  # fmt: skip
        answer += 1
    else:
        own[:] = best
    for j in range(q.shape[0]):
        q[j] = seed[j]
    for j in range(k):
        q[columns[j]] = own[j]
    nearest_turn(q, columns, limits, turning > 0, seed)
    return answer


@compiled(fast=True)
def search_many(
    chain: Array, kind: Numbers, last: Array, limits: Array, starts: Array, poses: Singles,
    turning: NDArray[np.bool_], targets: Array, form: int, mask: Array, tool_axes: bool, tolerance: Array, budget: int,
    Q: Array, sizes: Array, counts: Array, reached: NDArray[np.bool_],
) -> None:  # fmt: skip
    """`search` for each of many targets (N, 4, 4), from each row of Q, which takes the solution or what came nearest.

    Args:
        tool_axes: Whether the mask is in each target's own axes, or in the base's.
        sizes: Takes what is missing, in m and rad, shape (N, 2).
        counts: Takes iterations and restarts, shape (N, 2).
    """
    random, progress, best, W = np.empty(1, dtype=np.uint64), np.empty(5), np.empty(Q.shape[1]), np.eye(3)
    seed, every = np.empty(Q.shape[1]), np.arange(Q.shape[1])
    for i in range(targets.shape[0]):
        target = targets[i]
        if tool_axes:
            W[:] = target[:3, :3]
        random[0] = np.uint64(88172645463325252)
        progress[:] = 0.0
        seed[:] = Q[i]
        reached[i] = search(
            chain, kind, last, limits, starts, poses, target, form, mask, W, tolerance, budget, random, progress, Q[i], best
        )
        if not reached[i]:
            Q[i] = best
        nearest_turn(Q[i], every, limits, turning, seed)
        sizes[i, 0], sizes[i, 1] = progress[3], progress[4]
        counts[i, 0], counts[i, 1] = progress[0], progress[1]


@compiled(fast=True)
def follow(
    chain: Array, kind: Numbers, last: Array, limits: Array, s: Array, targets: Array, form: int, mask: Array, tool_axes: bool,
    tolerance: Array, jump: float, Q: Array, sizes: Array,
) -> int:  # fmt: skip
    """From pose to pose along a path (N, 4, 4), each from where the last two lead; how many were reached without a jump.

    Args:
        s: How far along the path each pose is, ascending, shape (N,).
        jump: What a joint may move between two poses [rad or m].
        Q: The first row is where it begins; takes the others, shape (N, k).
        sizes: Takes what is missing, in m and rad, shape (N, 2).
    """
    k = Q.shape[1]
    e, W = np.empty(6), np.eye(3)
    for i in range(targets.shape[0]):
        if i > 0:
            for j in range(k):
                Q[i, j] = Q[i - 1, j]
                if i > 1:
                    Q[i, j] += (Q[i - 1, j] - Q[i - 2, j]) * (s[i] - s[i - 1]) / (s[i - 1] - s[i - 2])
        if tool_axes:
            W[:] = targets[i, :3, :3]
        for attempt in range(2):
            descend(chain, kind, last, limits, targets[i], form, mask, W, 1.0, 60, Q[i], e, sizes[i])
            if sizes[i, 0] <= tolerance[0] and sizes[i, 1] <= tolerance[1]:
                break
            if i > 0 and attempt == 0:
                Q[i] = Q[i - 1]  # the way bends: from where it was
        far = 0.0
        if i > 0:
            for j in range(k):
                far = max(far, abs(Q[i, j] - Q[i - 1, j]))
        if sizes[i, 0] > tolerance[0] or sizes[i, 1] > tolerance[1] or far > jump:
            return i
    return targets.shape[0]


@compiled()
def separate(Q: Array, turning: NDArray[np.bool_], tolerance: float, keep: NDArray[np.bool_]) -> None:
    """Mark the rows of Q that differ from every marked row before them by more than full turns."""
    for i in range(Q.shape[0]):
        keep[i] = True
        for other in range(i):
            if not keep[other]:
                continue
            same = True
            for j in range(Q.shape[1]):
                gap = Q[i, j] - Q[other, j]
                if turning[j]:
                    gap -= 2.0 * np.pi * np.rint(gap / (2.0 * np.pi))
                if abs(gap) >= tolerance:
                    same = False
                    break
            if same:
                keep[i] = False
                break
