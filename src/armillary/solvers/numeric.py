"""The numeric solver: from the seed, then from known configurations whose pose is nearest, then from random ones."""

from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from armillary.solvers import kernels
from armillary.solvers.chain import Chain
from armillary.solvers.method import Found, Problem
from armillary.solvers.target import Target

__all__ = ["RANDOM", "SLICE", "distinct", "nearest_reachable", "solve_numeric"]

Array = NDArray[np.float64]
SLICE = 400  # iterations between looks at the clock: a quarter of a millisecond
RANDOM = 88172645463325252  # where random numbers begin
_TRY = 2e-4  # seconds that one more start is reckoned with, when all solutions are asked for


def solve_numeric(problem: Problem) -> Found:
    """One solution, or with `problem.every` as many as the budget finds."""
    q, best, progress = problem.seed.copy(), np.empty(problem.chain.n), np.zeros(5)
    reached = _search(problem, q, best, progress, perf_counter() + problem.budget)
    iterations, restarts = int(progress[0]), int(progress[1])
    if not reached:
        return Found([], best, iterations=iterations, restarts=restarts)
    if not problem.every:
        return Found([q], iterations=iterations, restarts=restarts)
    return _more(problem, q, iterations, restarts)


def _search(problem: Problem, q: Array, best: Array, progress: Array, end: float) -> bool:
    chain, target = problem.chain, problem.target
    state = np.array([RANDOM + problem.random], dtype=np.uint64)
    tolerance = np.array(problem.tolerance)
    while True:
        if kernels.search(
            *chain.geometry, chain.limits, chain.starts, chain.poses, *target.arrays, tolerance, SLICE, state, progress, q, best,
        ):  # fmt: skip
            return True
        if perf_counter() >= end:
            return False


def _more(problem: Problem, first: Array, iterations: int, restarts: int) -> Found:
    """Other solutions, each from another start; none is known to be the last.

    As many starts as the budget has room for, counted and not timed, so that a busy machine gives the same answer.
    """
    found = [first]
    rng = np.random.default_rng(problem.random)
    low, high = problem.chain.limits[2:]
    for _ in range(int(np.clip(problem.budget / _TRY, 16, 400))):
        q, best, progress = rng.uniform(low, high), np.empty(problem.chain.n), np.zeros(5)
        reached = _search(problem, q, best, progress, 0.0)  # one slice
        iterations, restarts = iterations + int(progress[0]), restarts + 1 + int(progress[1])
        if reached:
            found.append(q)
    return Found(distinct(problem.chain, found, 1e-2), iterations=iterations, restarts=restarts)


def distinct(chain: Chain, found: list[Array] | Array, tolerance: float = 1e-6) -> list[Array]:
    """Those that differ by more than full turns, in the order given."""
    Q = np.array(found).reshape(-1, chain.n)
    keep = np.empty(len(Q), dtype=np.bool_)
    kernels.separate(Q, chain.turning, tolerance, keep)
    return list(Q[keep])


def nearest_reachable(chain: Chain, target: Target, begin: list[Array], *, length: float, limits: Array | None = None) -> Array:
    """The configuration that comes nearest to a target which cannot be reached, as far as descents from many starts tell.

    Args:
        begin: Configurations to descend from, besides the known ones that are nearest.
        length: What one radian is worth [m].
        limits: Other limits than the chain's.
    """
    limits = chain.limits if limits is None else limits
    gap = chain.poses[9:] - target.T[:3, 3, None]
    near = np.einsum("is,is->s", gap, gap)
    if target.form != kernels.POINT:
        near -= 2 * length**2 * np.einsum("ij,ijs->s", target.T[:3, :3], chain.poses[:9].reshape(3, 3, -1))
    best, least = begin[0], np.inf
    e, size = np.empty(6), np.empty(2)
    for q in [*begin, *chain.starts[np.argsort(near)[:8]]]:
        q = q.copy()
        kernels.descend(
            *chain.geometry, limits, *target.arrays, length, 300,
            q, e, size,
        )  # fmt: skip
        cost = float(size[0] ** 2 + (length * size[1]) ** 2)
        if cost < least:
            best, least = q, cost
    return best
