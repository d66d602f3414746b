"""Where the tip of a chain is and how it moves with the joints, compiled.

Written out in scalars over small arrays, because it is a third of an iteration that takes half a microsecond.
"""

import numpy as np
from numpy.typing import NDArray

from armillary.model.compiled import compiled

__all__ = ["cosines", "forward"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

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
        kind: One row a joint: whether it slides, and the column of q that it follows.
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
