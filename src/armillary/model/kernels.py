"""Kinematics and dynamics of many configurations, compiled by numba and kept on disk.

Written out in scalars over flat arrays, without the GIL, so that a batch is split over threads. Only `batch.py` imports this
file, and only when it is first asked: importing numba takes half a second.
"""

import numpy as np
from numpy.typing import NDArray

from armillary.model.compiled import compiled

__all__ = ["chain_jacobians", "chain_poses", "torques"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]


@compiled()
def _turn(axis: Array, angle: float, R: Array) -> None:
    """Rodrigues' formula into R."""
    x, y, z = axis[0], axis[1], axis[2]
    c, s = np.cos(angle), np.sin(angle)
    v = 1.0 - c
    R[0, 0], R[0, 1], R[0, 2] = x * x * v + c, x * y * v - z * s, x * z * v + y * s
    R[1, 0], R[1, 1], R[1, 2] = y * x * v + z * s, y * y * v + c, y * z * v - x * s
    R[2, 0], R[2, 1], R[2, 2] = z * x * v - y * s, z * y * v + x * s, z * z * v + c


@compiled()
def _product(A: Array, B: Array, out: Array) -> None:
    for i in range(3):
        for j in range(3):
            out[i, j] = A[i, 0] * B[0, j] + A[i, 1] * B[1, j] + A[i, 2] * B[2, j]


@compiled()
def _along(
    q: Array, R_fixed: Array, p_fixed: Array, axis: Array, prismatic: Numbers, driver: Numbers, ratio: Array, offset: Array,
    R: Array, p: Array, turn: Array, work: Array, axes: Array, origins: Array,
) -> None:  # fmt: skip
    """Walk one configuration out along a chain; R and p end at the last joint, axes and origins keep each joint's."""
    R[:] = 0.0
    R[0, 0] = R[1, 1] = R[2, 2] = 1.0
    p[:] = 0.0
    for k in range(axis.shape[0]):
        for i in range(3):
            p[i] += R[i, 0] * p_fixed[k, 0] + R[i, 1] * p_fixed[k, 1] + R[i, 2] * p_fixed[k, 2]
        _product(R, R_fixed[k], work)
        for i in range(3):
            axes[k, i] = work[i, 0] * axis[k, 0] + work[i, 1] * axis[k, 1] + work[i, 2] * axis[k, 2]
            origins[k, i] = p[i]
        value = q[driver[k]] * ratio[k] + offset[k]
        if prismatic[k]:
            for i in range(3):
                p[i] += axes[k, i] * value
                R[i, 0], R[i, 1], R[i, 2] = work[i, 0], work[i, 1], work[i, 2]
        else:
            _turn(axis[k], value, turn)
            _product(work, turn, R)


@compiled()
def chain_poses(
    Q: Array, R_fixed: Array, p_fixed: Array, axis: Array, prismatic: Numbers, driver: Numbers, ratio: Array, offset: Array,
    R_last: Array, p_last: Array, out: Array,
) -> None:  # fmt: skip
    """T_world_frame of each row of Q into out (N, 4, 4), for the frame behind a chain of joints."""
    R, turn, work, p = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty(3)
    axes, origins = np.empty((axis.shape[0], 3)), np.empty((axis.shape[0], 3))
    for n in range(Q.shape[0]):
        _along(Q[n], R_fixed, p_fixed, axis, prismatic, driver, ratio, offset, R, p, turn, work, axes, origins)
        for i in range(3):
            for j in range(3):
                out[n, i, j] = R[i, 0] * R_last[0, j] + R[i, 1] * R_last[1, j] + R[i, 2] * R_last[2, j]
            out[n, i, 3] = p[i] + R[i, 0] * p_last[0] + R[i, 1] * p_last[1] + R[i, 2] * p_last[2]
            out[n, 3, i] = 0.0
        out[n, 3, 3] = 1.0


@compiled()
def chain_jacobians(
    Q: Array, R_fixed: Array, p_fixed: Array, axis: Array, prismatic: Numbers, driver: Numbers, ratio: Array, offset: Array,
    p_last: Array, out: Array,
) -> None:  # fmt: skip
    """Jacobians at the frame's origin along world axes of each row of Q into out (N, 6, n), which must hold zeros."""
    R, turn, work, p = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty(3)
    axes, origins, tip = np.empty((axis.shape[0], 3)), np.empty((axis.shape[0], 3)), np.empty(3)
    for n in range(Q.shape[0]):
        _along(Q[n], R_fixed, p_fixed, axis, prismatic, driver, ratio, offset, R, p, turn, work, axes, origins)
        for i in range(3):
            tip[i] = p[i] + R[i, 0] * p_last[0] + R[i, 1] * p_last[1] + R[i, 2] * p_last[2]
        for k in range(axis.shape[0]):
            column, s = driver[k], ratio[k]
            x, y, z = axes[k, 0] * s, axes[k, 1] * s, axes[k, 2] * s
            if prismatic[k]:
                out[n, 0, column] += x
                out[n, 1, column] += y
                out[n, 2, column] += z
            else:
                u, v, w = tip[0] - origins[k, 0], tip[1] - origins[k, 1], tip[2] - origins[k, 2]
                out[n, 0, column] += y * w - z * v
                out[n, 1, column] += z * u - x * w
                out[n, 2, column] += x * v - y * u
                out[n, 3, column] += x
                out[n, 4, column] += y
                out[n, 5, column] += z


@compiled()
def torques(
    Q: Array, V: Array, A: Array, parent: Numbers, R_fixed: Array, p_fixed: Array, axis: Array, prismatic: Numbers,
    driver: Numbers, ratio: Array, offset: Array, mass: Array, com: Array, inertia: Array, gravity: Array, out: Array,
) -> None:  # fmt: skip
    """Inverse dynamics of each row by Newton and Euler's recursion into out (N, n), which must hold zeros.

    Each joint's quantities are in its own frame, at its origin (Craig, chapter 6); gravity is an acceleration of the base.
    """
    m = axis.shape[0]
    R, p, turn = np.empty((m, 3, 3)), np.empty((m, 3)), np.empty((3, 3))
    w, dw, a, f, t = np.empty((m, 3)), np.empty((m, 3)), np.empty((m, 3)), np.empty((m, 3)), np.empty((m, 3))
    u, h = np.empty(3), np.empty(3)
    for n in range(Q.shape[0]):
        for k in range(m):
            value = Q[n, driver[k]] * ratio[k] + offset[k]
            rate, change = V[n, driver[k]] * ratio[k], A[n, driver[k]] * ratio[k]
            x, y, z = axis[k, 0], axis[k, 1], axis[k, 2]
            if prismatic[k]:
                for i in range(3):
                    p[k, i] = p_fixed[k, i] + (R_fixed[k, i, 0] * x + R_fixed[k, i, 1] * y + R_fixed[k, i, 2] * z) * value
                    R[k, i, 0], R[k, i, 1], R[k, i, 2] = R_fixed[k, i, 0], R_fixed[k, i, 1], R_fixed[k, i, 2]
            else:
                _turn(axis[k], value, turn)
                _product(R_fixed[k], turn, R[k])
                p[k, 0], p[k, 1], p[k, 2] = p_fixed[k, 0], p_fixed[k, 1], p_fixed[k, 2]
            j = parent[k]
            if j < 0:
                w0 = w1 = w2 = d0 = d1 = d2 = 0.0
                u[0], u[1], u[2] = -gravity[0], -gravity[1], -gravity[2]
            else:
                w0, w1, w2, d0, d1, d2 = w[j, 0], w[j, 1], w[j, 2], dw[j, 0], dw[j, 1], dw[j, 2]
                # u = a + dw x p + w x (w x p), the parent's acceleration at this joint's origin
                h[0], h[1], h[2] = w1 * p[k, 2] - w2 * p[k, 1], w2 * p[k, 0] - w0 * p[k, 2], w0 * p[k, 1] - w1 * p[k, 0]
                u[0] = a[j, 0] + d1 * p[k, 2] - d2 * p[k, 1] + w1 * h[2] - w2 * h[1]
                u[1] = a[j, 1] + d2 * p[k, 0] - d0 * p[k, 2] + w2 * h[0] - w0 * h[2]
                u[2] = a[j, 2] + d0 * p[k, 1] - d1 * p[k, 0] + w0 * h[1] - w1 * h[0]
            for i in range(3):
                w[k, i] = R[k, 0, i] * w0 + R[k, 1, i] * w1 + R[k, 2, i] * w2
                dw[k, i] = R[k, 0, i] * d0 + R[k, 1, i] * d1 + R[k, 2, i] * d2
                a[k, i] = R[k, 0, i] * u[0] + R[k, 1, i] * u[1] + R[k, 2, i] * u[2]
            v0, v1, v2 = x * rate, y * rate, z * rate
            # w x (axis rate), before the joint's own turning is added
            c0, c1, c2 = w[k, 1] * v2 - w[k, 2] * v1, w[k, 2] * v0 - w[k, 0] * v2, w[k, 0] * v1 - w[k, 1] * v0
            if prismatic[k]:
                a[k, 0] += 2 * c0 + x * change
                a[k, 1] += 2 * c1 + y * change
                a[k, 2] += 2 * c2 + z * change
            else:
                dw[k, 0] += c0 + x * change
                dw[k, 1] += c1 + y * change
                dw[k, 2] += c2 + z * change
                w[k, 0] += v0
                w[k, 1] += v1
                w[k, 2] += v2
            # Force and moment that the body needs, at the joint's origin.
            w0, w1, w2, d0, d1, d2 = w[k, 0], w[k, 1], w[k, 2], dw[k, 0], dw[k, 1], dw[k, 2]
            r0, r1, r2 = com[k, 0], com[k, 1], com[k, 2]
            h[0], h[1], h[2] = w1 * r2 - w2 * r1, w2 * r0 - w0 * r2, w0 * r1 - w1 * r0
            f[k, 0] = mass[k] * (a[k, 0] + d1 * r2 - d2 * r1 + w1 * h[2] - w2 * h[1])
            f[k, 1] = mass[k] * (a[k, 1] + d2 * r0 - d0 * r2 + w2 * h[0] - w0 * h[2])
            f[k, 2] = mass[k] * (a[k, 2] + d0 * r1 - d1 * r0 + w0 * h[1] - w1 * h[0])
            for i in range(3):
                h[i] = inertia[k, i, 0] * w0 + inertia[k, i, 1] * w1 + inertia[k, i, 2] * w2
                t[k, i] = inertia[k, i, 0] * d0 + inertia[k, i, 1] * d1 + inertia[k, i, 2] * d2
            t[k, 0] += w1 * h[2] - w2 * h[1] + r1 * f[k, 2] - r2 * f[k, 1]
            t[k, 1] += w2 * h[0] - w0 * h[2] + r2 * f[k, 0] - r0 * f[k, 2]
            t[k, 2] += w0 * h[1] - w1 * h[0] + r0 * f[k, 1] - r1 * f[k, 0]
        for k in range(m - 1, -1, -1):
            side = f if prismatic[k] else t
            out[n, driver[k]] += ratio[k] * (side[k, 0] * axis[k, 0] + side[k, 1] * axis[k, 1] + side[k, 2] * axis[k, 2])
            j = parent[k]
            if j >= 0:
                for i in range(3):
                    u[i] = R[k, i, 0] * f[k, 0] + R[k, i, 1] * f[k, 1] + R[k, i, 2] * f[k, 2]
                    h[i] = R[k, i, 0] * t[k, 0] + R[k, i, 1] * t[k, 1] + R[k, i, 2] * t[k, 2]
                f[j, 0] += u[0]
                f[j, 1] += u[1]
                f[j, 2] += u[2]
                t[j, 0] += h[0] + p[k, 1] * u[2] - p[k, 2] * u[1]
                t[j, 1] += h[1] + p[k, 2] * u[0] - p[k, 0] * u[2]
                t[j, 2] += h[2] + p[k, 0] * u[1] - p[k, 1] * u[0]
