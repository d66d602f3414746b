"""What is missing to a target, and how it changes with the joints, compiled."""

import numpy as np
from numpy.typing import NDArray

from armillary.model.compiled import compiled
from armillary.solvers.forward_kernels import forward

__all__ = ["AXIS", "MASK", "POINT", "POSE", "error", "errors_along", "errors_at", "rigid"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

# How the rotation counts.
POSE = 0  # wholly
POINT = 1  # not at all
AXIS = 2  # one axis of the tool is to point along the target's
MASK = 3  # some components of the rotation vector


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
        # d = w + (t x w) / 2 + b t x (t x w), with t the rotation vector.
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
def errors_along(
    chain: Array, kind: Numbers, last: Array, targets: Array, form: int, mask: Array, in_tool: bool, Q: Array, sizes: Array
) -> None:
    """What is missing of each configuration (N, k) to its own target (N, 4, 4), in m and rad into sizes (N, 2)."""
    m, k = chain.shape[0], Q.shape[1]
    R, at, turn, J, e = np.empty((3, 4)), np.empty((m, 6)), np.empty((3, m)), np.empty((6, k)), np.empty(6)
    W = np.eye(3)
    for i in range(Q.shape[0]):
        forward(Q[i], chain, kind, last, R, at, turn, J)
        if in_tool:
            W[:] = targets[i, :3, :3]
        error(targets[i], form, mask, W, R, J, e, sizes[i])
