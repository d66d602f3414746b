"""The search for a configuration that reaches a target, compiled.

The damping is scaled by the error, so that far from the target steps are careful and near it they are Newton's. A try that stops
halving the square of its error is given up early, since another start costs less than patience.
"""

import numpy as np
from numpy.typing import NDArray

from armillary.model.compiled import compiled
from armillary.solvers.descent_kernels import step
from armillary.solvers.error_kernels import AXIS, MASK, POINT, POSE, error, rigid
from armillary.solvers.forward_kernels import forward
from armillary.solvers.turn_kernels import clamp, nearest_turn

__all__ = ["search", "search_many", "solve"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
Singles = NDArray[np.float32]


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
            step(q, J, e, lower, upper, 0.03 * cost + 1e-9, y)
    progress[0] += done
    random[0] = state
    return False


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
