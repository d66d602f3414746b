"""From one configuration down to where a target is nearest, compiled.

Levenberg and Marquardt's step in its dual form, (J J^T + lambda I) y = e, dq = J^T y: six by six whatever the number of joints. A
joint at its limit that would be pushed out of it takes no part in the step.

No division by zero can be reached, and no infinity but those of the limits, so `fast` leaves out what guards against them.
"""

import numpy as np
from numpy.typing import NDArray

from armillary.model.compiled import compiled
from armillary.solvers.error_kernels import error
from armillary.solvers.forward_kernels import forward

__all__ = ["damped", "descend", "follow", "polish", "shy_away", "step"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
_SHY = 0.3  # so near to its end a joint uses the arm's freedom to get away [rad]


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
def step(q: Array, J: Array, e: Array, lower: Array, upper: Array, damping: float, y: Array) -> None:
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
        step(trial, J, f, limits[0], limits[1], damping, y)
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


@compiled(fast=True)
def shy_away(limits: Array, worth: Array, far: float, q: Array) -> None:
    """Push joints that are near their ends away from them, by a share of what the arm moves; its spare freedom keeps that.

    Args:
        worth: What one unit of each joint is worth [rad], shape (k,).
        far: How far the arm moves meanwhile [rad].
    """
    for j in range(q.shape[0]):
        low, high = limits[0, j], limits[1, j]
        margin = min(_SHY / worth[j], 0.25 * (high - low))
        if q[j] - low < margin:
            q[j] += far / worth[j] * min((low + margin - q[j]) / margin, 1.0) ** 2
        elif high - q[j] < margin:
            q[j] -= far / worth[j] * min((q[j] - high + margin) / margin, 1.0) ** 2


@compiled(fast=True)
def follow(
    chain: Array, kind: Numbers, last: Array, limits: Array, s: Array, targets: Array, form: int, mask: Array, tool_axes: bool,
    tolerance: Array, jump: float, spare: bool, Q: Array, sizes: Array,
) -> int:  # fmt: skip
    """From pose to pose along a path (N, 4, 4), each from where the last two lead; how many were reached without a jump.

    Args:
        s: How far along the path each pose is, ascending, shape (N,).
        jump: What a joint may move between two poses [rad or m].
        spare: The arm has more joints than a pose needs: it keeps them away from their ends.
        Q: The first row is where it begins; takes the others, shape (N, k).
        sizes: Takes what is missing, in m and rad, shape (N, 2).
    """
    k = Q.shape[1]
    e, W, worth = np.empty(6), np.eye(3), np.ones(Q.shape[1])
    for i in range(targets.shape[0]):
        if i > 0:
            for j in range(k):
                Q[i, j] = Q[i - 1, j]
                if i > 1 and not spare:
                    Q[i, j] += (Q[i - 1, j] - Q[i - 2, j]) * (s[i] - s[i - 1]) / (s[i - 1] - s[i - 2])
        if i > 0 and spare:
            pace = 0.0
            for j in range(k):
                pace = max(pace, abs(Q[i - 1, j] - Q[max(i - 2, 0), j]))
            if i > 1:
                shy_away(limits, worth, pace * (s[i] - s[i - 1]) / (s[i - 1] - s[i - 2]), Q[i])
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
