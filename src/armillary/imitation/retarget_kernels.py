"""One limb that is to point as a person's does: the nearest configuration inside its limits, frame after frame, compiled.

A limb is a chain of joints; a task says where a line between two of its points is to point (or a point to be). Each frame is
solved from the one before by damped Gauss-Newton steps in which joints that stand at a limit and would leave it take no part.
Shoulder and elbow are solved first, then the wrist with what they left: a hand that cannot be turned further does not take the
forearm with it.

A row of `joints` says of a task: the joints that carry its two points (-1: what the chain hangs on), its kind, its stage.
"""

import math

import numpy as np
from numpy.typing import NDArray

from armillary.model.compiled import compiled

__all__ = ["DIRECTION", "POSITION", "limb_errors", "place_of", "solve_frames", "solve_starts"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
DIRECTION, POSITION = 0, 1
_STAGES = 2
_ROUNDS = 24
_DONE = 1e-9  # rad or m of a step
_SHORT = 1e-9  # m: a line without a direction
_DRIFT = 0.02  # of the way to rest, a frame
# Half of a sum of squares that is good enough to look for nothing better (1.1 degrees); the share of it that another
# configuration must have left, in so many frames on end, to take over; and how many frames it is given to show it.
_GOOD, _BETTER, _WINS, _TRIED = 2e-4, 0.7, 8, 3


@compiled()
def _forward(q: Array, numbers: Array, driver: Numbers, R: Array, p: Array, axes: Array) -> None:
    """Pose and axis of every joint of a chain.

    Args:
        numbers: A row of each: R (9) and p (3) from the one before, axis (3), whether it slides, ratio, offset.
    """
    work = np.empty((3, 3))
    for k in range(len(driver)):
        row = numbers[k]
        for i in range(3):
            place = 0.0
            for j in range(3):
                value = 0.0
                for m in range(3):
                    above = R[k - 1, i, m] if k > 0 else (1.0 if i == m else 0.0)
                    value += above * row[3 * m + j]
                work[i, j] = value
                above = R[k - 1, i, j] if k > 0 else (1.0 if i == j else 0.0)
                place += above * row[9 + j]
            p[k, i] = place + (p[k - 1, i] if k > 0 else 0.0)
        for i in range(3):
            axes[k, i] = work[i, 0] * row[12] + work[i, 1] * row[13] + work[i, 2] * row[14]
        value = q[driver[k]] * row[16] + row[17] if driver[k] >= 0 else row[17]
        if row[15] != 0.0:
            for i in range(3):
                p[k, i] += axes[k, i] * value
                for j in range(3):
                    R[k, i, j] = work[i, j]
        else:
            c, s = math.cos(value), math.sin(value)
            x, y, z = row[12], row[13], row[14]
            v = 1.0 - c
            t00, t01, t02 = x * x * v + c, x * y * v - z * s, x * z * v + y * s
            t10, t11, t12 = y * x * v + z * s, y * y * v + c, y * z * v - x * s
            t20, t21, t22 = z * x * v - y * s, z * y * v + x * s, z * z * v + c
            for i in range(3):
                R[k, i, 0] = work[i, 0] * t00 + work[i, 1] * t10 + work[i, 2] * t20
                R[k, i, 1] = work[i, 0] * t01 + work[i, 1] * t11 + work[i, 2] * t21
                R[k, i, 2] = work[i, 0] * t02 + work[i, 1] * t12 + work[i, 2] * t22


@compiled()
def _place(k: int, at: Array, R: Array, p: Array, out: Array) -> None:
    """Where a point of joint k is; -1 is what the chain hangs on."""
    for i in range(3):
        out[i] = at[i] if k < 0 else p[k, i] + R[k, i, 0] * at[0] + R[k, i, 1] * at[1] + R[k, i, 2] * at[2]


@compiled()
def place_of(numbers: Array, driver: Numbers, k: int, at: Array, q: Array, out: Array) -> None:
    """Where a point of joint k is in a configuration."""
    R, p, axes = np.empty((len(driver), 3, 3)), np.empty((len(driver), 3)), np.empty((len(driver), 3))
    _forward(q, numbers, driver, R, p, axes)
    _place(k, at, R, p, out)


@compiled()
def _residuals(
    numbers: Array, driver: Numbers, joints: Numbers, points: Array, weights: Array, goal: Array, stage: int, q: Array,
    R: Array, p: Array, axes: Array, out: Array,
) -> float:  # fmt: skip
    """What is left of a stage's tasks, weighted, into out (tasks, 3); half of the sum of squares."""
    first, second = np.empty(3), np.empty(3)
    _forward(q, numbers, driver, R, p, axes)
    cost = 0.0
    for t in range(len(joints)):
        if joints[t, 3] != stage:
            out[t] = 0.0
            continue
        _place(joints[t, 0], points[t, :3], R, p, first)
        _place(joints[t, 1], points[t, 3:], R, p, second)
        size = 1.0
        if joints[t, 2] == DIRECTION:
            size = 0.0
            for i in range(3):
                second[i] -= first[i]
                size += second[i] * second[i]
            size = max(math.sqrt(size), _SHORT)
        for i in range(3):
            out[t, i] = weights[t] * (second[i] / size - goal[t, i])
            cost += 0.5 * out[t, i] * out[t, i]
    return cost


@compiled()
def _slopes(
    numbers: Array, driver: Numbers, joints: Numbers, points: Array, weights: Array, stage: int,
    R: Array, p: Array, axes: Array, J: Array,
) -> None:  # fmt: skip
    """How residuals change with each column, at the configuration that R, p and axes are of. J: Shape (tasks, 3, columns)."""
    first, second, line, change = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    J[:] = 0.0
    for t in range(len(joints)):
        if joints[t, 3] != stage:
            continue
        _place(joints[t, 0], points[t, :3], R, p, first)
        _place(joints[t, 1], points[t, 3:], R, p, second)
        size = 1.0
        if joints[t, 2] == DIRECTION:
            size = 0.0
            for i in range(3):
                line[i] = second[i] - first[i]
                size += line[i] * line[i]
            size = max(math.sqrt(size), _SHORT)
            for i in range(3):
                line[i] /= size
        for k in range(len(driver)):
            if driver[k] < 0:
                continue
            ratio, slides = numbers[k, 16], numbers[k, 15] != 0.0
            change[:] = 0.0
            for which in range(2):
                if joints[t, which] < k or (which == 0 and joints[t, 2] == POSITION):
                    continue
                at = first if which == 0 else second
                sign = -ratio if which == 0 else ratio
                if slides:
                    for i in range(3):
                        change[i] += sign * axes[k, i]
                else:
                    x, y, z = at[0] - p[k, 0], at[1] - p[k, 1], at[2] - p[k, 2]
                    change[0] += sign * (axes[k, 1] * z - axes[k, 2] * y)
                    change[1] += sign * (axes[k, 2] * x - axes[k, 0] * z)
                    change[2] += sign * (axes[k, 0] * y - axes[k, 1] * x)
            if joints[t, 2] == DIRECTION:
                along = line[0] * change[0] + line[1] * change[1] + line[2] * change[2]
                for i in range(3):
                    J[t, i, driver[k]] += weights[t] * (change[i] - along * line[i]) / size
            else:
                for i in range(3):
                    J[t, i, driver[k]] += weights[t] * change[i]


@compiled()
def _solve_free(A: Array, g: Array, free: Numbers, damping: float, L: Array, step: Array) -> bool:
    """The step of the joints that take part, by Cholesky; False where there is none."""
    n = len(g)
    for i in range(n):
        step[i] = 0.0
        if free[i] == 0:
            continue
        for j in range(i + 1):
            if free[j] == 0:
                continue
            value = A[i, j] + (damping if i == j else 0.0)
            for m in range(j):
                if free[m] != 0:
                    value -= L[i, m] * L[j, m]
            if i == j:
                if value <= 0.0:
                    return False
                L[i, i] = math.sqrt(value)
            else:
                L[i, j] = value / L[j, j]
    for i in range(n):
        if free[i] != 0:
            value = -g[i]
            for m in range(i):
                if free[m] != 0:
                    value -= L[i, m] * step[m]
            step[i] = value / L[i, i]
    for i in range(n - 1, -1, -1):
        if free[i] != 0:
            value = step[i]
            for m in range(i + 1, n):
                if free[m] != 0:
                    value -= L[m, i] * step[m]
            step[i] = value / L[i, i]
    return True


@compiled()
def _solve(
    numbers: Array, driver: Numbers, joints: Numbers, points: Array, weights: Array, goal: Array,
    lower: Array, upper: Array, rest: Array, pull: float, stages: Numbers, stage: int, q: Array,
) -> float:  # fmt: skip
    """Bring q as near to the tasks as it goes from where it is.

    Args:
        rest: Where joints that no task needs go, shape (columns,). pull: How strongly.

    Returns:
        What is left: half of the sum of squares of the tasks alone.
    """
    n, tasks = len(q), len(joints)
    R, p, axes = np.empty((len(driver), 3, 3)), np.empty((len(driver), 3)), np.empty((len(driver), 3))
    residual, tried, J = np.empty((tasks, 3)), np.empty((tasks, 3)), np.empty((tasks, 3, n))
    A, L, g, step, other = np.empty((n, n)), np.zeros((n, n)), np.empty(n), np.zeros(n), np.empty(n)
    free = np.ones(n, dtype=np.int64)
    left = _residuals(numbers, driver, joints, points, weights, goal, stage, q, R, p, axes, residual)
    cost = left
    for i in range(n):
        cost += 0.5 * pull * (q[i] - rest[i]) ** 2
    damping = 1e-6
    for _ in range(_ROUNDS):
        _slopes(numbers, driver, joints, points, weights, stage, R, p, axes, J)
        for i in range(n):
            g[i] = pull * (q[i] - rest[i])
            for t in range(tasks):
                for c in range(3):
                    g[i] += J[t, c, i] * residual[t, c]
            for j in range(i + 1):
                value = pull if i == j else 0.0
                for t in range(tasks):
                    for c in range(3):
                        value += J[t, c, i] * J[t, c, j]
                A[i, j] = value
                A[j, i] = value
            held = (q[i] <= lower[i] and g[i] > 0.0) or (q[i] >= upper[i] and g[i] < 0.0)
            free[i] = 0 if held or stages[i] != stage else 1
        moved, better = 0.0, False
        for _ in range(12):
            if _solve_free(A, g, free, damping, L, step):
                moved = 0.0
                for i in range(n):
                    other[i] = min(max(q[i] + step[i], lower[i]), upper[i])
                    moved = max(moved, abs(other[i] - q[i]))
                value = _residuals(numbers, driver, joints, points, weights, goal, stage, other, R, p, axes, tried)
                whole = value
                for i in range(n):
                    whole += 0.5 * pull * (other[i] - rest[i]) ** 2
                if whole <= cost:
                    better = True
                    break
            damping = max(damping * 8.0, 1e-5)
        if not better:
            break
        q[:], residual[:] = other, tried
        gained, cost, left = cost - whole, whole, value
        damping = max(damping * 0.2, 1e-9)
        if moved < _DONE or gained < 1e-13:
            break
    return left


@compiled()
def _solve_stages(
    numbers: Array, driver: Numbers, joints: Numbers, points: Array, weights: Array, goal: Array,
    lower: Array, upper: Array, rest: Array, pull: float, stages: Numbers, q: Array,
) -> float:  # fmt: skip
    """One stage after the other; what is left of all."""
    left = 0.0
    for stage in range(_STAGES):
        left += _solve(numbers, driver, joints, points, weights, goal, lower, upper, rest, pull, stages, stage, q)
    return left


@compiled()
def solve_frames(
    numbers: Array, driver: Numbers, joints: Numbers, points: Array, weights: Array, goals: Array,
    lower: Array, upper: Array, rest: Array, starts: Array, pull: float, stages: Numbers, Q: Array, memory: Array, left: Array,
) -> None:  # fmt: skip
    """Every frame from the one before.

    Beside it another configuration follows the same frames, from a start of its own: where a limit once led the limb astray, that
    one does better, and after some frames of it takes its place.

    Args:
        goals: Shape (frames, tasks, 3). Q: Shape (frames + 1, columns); its first row is where it begins, the others are filled.
        memory: Of the other one, shape (columns + 3,): where it is, how many frames it has followed, for how many it has been
            better, and which start it came from. Kept from call to call.
        left: What is left of each frame, shape (frames,), filled.
    """
    n = Q.shape[1]
    q, near, other = Q[0].copy(), np.empty(n), memory[:n].copy()
    age, wins, start = int(memory[n]), int(memory[n + 1]), int(memory[n + 2])
    for f in range(len(goals)):
        # Joints that nothing asks for stay near where they were, and drift to their place of rest.
        for i in range(n):
            near[i] = q[i] + _DRIFT * (rest[i] - q[i])
        left[f] = _solve_stages(numbers, driver, joints, points, weights, goals[f], lower, upper, near, pull, stages, q)
        if left[f] > _GOOD:
            if age == 0:
                start = (start + 1) % len(starts)
                other[:] = starts[start]
            for i in range(n):
                near[i] = other[i] + _DRIFT * (rest[i] - other[i])
            value = _solve_stages(numbers, driver, joints, points, weights, goals[f], lower, upper, near, pull, stages, other)
            age += 1
            wins = wins + 1 if value < _BETTER * left[f] else 0
            if wins >= _WINS:
                q[:], left[f] = other, value
                age, wins = 0, 0
            elif wins == 0 and age >= _TRIED:
                age = 0
        else:
            age, wins = 0, 0
        Q[f + 1] = q
    memory[:n] = other
    memory[n], memory[n + 1], memory[n + 2] = age, wins, start


@compiled()
def solve_starts(
    numbers: Array, driver: Numbers, joints: Numbers, points: Array, weights: Array, goal: Array,
    lower: Array, upper: Array, starts: Array, pull: float, stages: Numbers, best: Array,
) -> float:  # fmt: skip
    """One frame from many starts, shape (starts, columns): the best configuration into `best`; what is left of it."""
    least = np.inf
    for s in range(len(starts)):
        q = starts[s].copy()
        left = _solve_stages(numbers, driver, joints, points, weights, goal, lower, upper, starts[s], pull, stages, q)
        if left < least - 1e-12:
            least = left
            best[:] = q
    return least


@compiled()
def limb_errors(numbers: Array, driver: Numbers, joints: Numbers, points: Array, goals: Array, Q: Array, out: Array) -> None:
    """How far tasks are off, in every frame: an angle [rad] of a direction, a distance [m] of a position.

    Args:
        Q: Shape (frames, columns). out: Shape (frames, tasks), filled.
    """
    R, p, axes = np.empty((len(driver), 3, 3)), np.empty((len(driver), 3)), np.empty((len(driver), 3))
    first, second = np.empty(3), np.empty(3)
    for f in range(len(goals)):
        _forward(Q[f], numbers, driver, R, p, axes)
        for t in range(len(joints)):
            _place(joints[t, 0], points[t, :3], R, p, first)
            _place(joints[t, 1], points[t, 3:], R, p, second)
            if joints[t, 2] == DIRECTION:
                x, y, z = second[0] - first[0], second[1] - first[1], second[2] - first[2]
                a, b, c = goals[f, t, 0], goals[f, t, 1], goals[f, t, 2]
                u, v, w = y * c - z * b, z * a - x * c, x * b - y * a
                out[f, t] = math.atan2(math.sqrt(u * u + v * v + w * w), x * a + y * b + z * c)
            else:
                x, y, z = second[0] - goals[f, t, 0], second[1] - goals[f, t, 1], second[2] - goals[f, t, 2]
                out[f, t] = math.sqrt(x * x + y * y + z * z)
