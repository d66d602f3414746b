"""Paper 3's particle swarm for inverse kinematics, the classic one, and ours: a swarm, then a numeric polish.

A particle is a configuration. Each flies on, drawn to its own best place and to the best place of all:

    v <- W v + C1 rand() (own best - x) + C2 rand() (best of all - x),   x <- x + v                          (4), (5)
    f = w_P E_P + w_O E_R + sum_k [w_k (q_k - previous_k)]^2,   w_P = rand(0, 1),   w_O = 1 - w_P                 (9)

The paper's errata, and what stands in their place:

- (7) lacks the absolute value of the quaternions' product: q and -q are one rotation. E_R here is the angle of the rotation
  that is missing, 0 to pi. (9) calls it E_O.
- (9) draws w_P at each evaluation, so that one particle's fitness differs between calls, and a place that drew w_P near 0 or 1
  while one of its errors was small is kept for good. Here each swarm draws w_P once a generation, and a best place is kept with
  its three terms, not with their sum: every generation weighs places old and new alike.
- The least of (9) need not be at the target, for the rule (8), its last term, is zero only where nothing moves. E_P and E_R are
  norms, whose kink at zero holds against a gentle slope (an exact penalty): after a small move the least is a configuration
  that reaches, and of those the one that moves least. But the rule's slope, 2 w_k^2 (q_k - previous_k), grows with the move
  until it outweighs the kink, and the least of (9) is then short of the target. `swarm_study` measures how often.
- It is silent on limits, on speed, on whether rand() is one number or one a joint, and on the number of generations. Here a
  particle that would leave a joint's limits stops there, its speed along that joint too; no joint moves more than a fifth of its
  range in a generation; and rand() is drawn for each joint, as Kennedy and Eberhart do.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armillary.solvers import kernels
from armillary.solvers.chain import Chain
from armillary.solvers.choice import rule_weights
from armillary.solvers.errors import SolverError
from armillary.solvers.method import Found, Problem
from armillary.solvers.numeric import distinct, solve_numeric
from armillary.solvers.target import Target

__all__ = [
    "CLASSIC",
    "IMPROVED",
    "PARTICLES",
    "Generation",
    "Schedule",
    "Swarms",
    "Weighing",
    "fitness",
    "fly",
    "polished",
    "solve_swarm",
    "swarm",
]

Array = NDArray[np.float64]
PARTICLES = 50
_FASTEST = 0.2  # of a joint's range, in one generation
_WORST = 1e9  # a term of what has not been measured yet
# Ours. Ten generations leave the swarm spread over several basins; in more it gathers in one, which may hold no solution.
_GENERATIONS = 10
_FEWEST = 4  # particles
_PER_GENERATION, _PER_PARTICLE = 1e-4, 4e-4  # of the budget, in seconds: they take half and an eighth of that


@dataclass(frozen=True)
class Schedule:
    """How W, C1 and C2 go from their start to their end by eq. (10); where the two are equal, they stay.

    Attributes:
        inertia: W: how much of its speed a particle keeps.
        own: C1: how much it is drawn to its own best place.
        shared: C2: how much it is drawn to the best place of all.
    """

    inertia: tuple[float, float]
    own: tuple[float, float]
    shared: tuple[float, float]

    def at(self, share: float) -> tuple[float, float, float]:
        """W, C1 and C2 when a share t/T of the generations is over, 0 to 1."""
        return _between(self.inertia, share), _between(self.own, share), _between(self.shared, share)


def _between(ends: tuple[float, float], share: float) -> float:
    start, end = ends
    return (start - end) * share**2 + (end - start) * 2 * share + start  # (10)


# Paper 3's.
IMPROVED = Schedule(inertia=(0.9, 0.4), own=(1.5, 2.5), shared=(2.5, 1.5))
# Kennedy and Eberhart's, with inertia and weights of Clerc and Kennedy's constriction (2002): the usual baseline, which needs
# no tuning. The older W near 1, C = 2 does not settle.
CLASSIC = Schedule(inertia=(0.7298, 0.7298), own=(1.49618, 1.49618), shared=(1.49618, 1.49618))


class Weighing(Enum):
    """When w_P of eq. (9) is drawn."""

    GENERATION = "once a generation"
    EVALUATION = "at each evaluation"  # to the letter of the paper
    NEVER = "never: one half"


class Generation(NamedTuple):
    """P swarms of N particles as one generation finds them; the arrays are overwritten by the next.

    Attributes:
        x, terms: Where the particles are, shape (P, N, k), and E_P [m], E_R [rad] and the rule (8) [rad^2] there, (P, N, 3).
        best, best_terms: The best place of each particle so far, and its terms.
        weights: Of the three terms in this generation, shape (P, 1, 3), or (P, N, 3) where each particle draws its own.
        leader: Which particle's best place is the best of all, shape (P,).
    """

    x: Array
    terms: Array
    best: Array
    best_terms: Array
    weights: Array
    leader: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Swarms:
    """What P swarms found.

    Attributes:
        q: The best place of each swarm, shape (P, k).
        history: What was missing at the best place of all in each generation [m], [rad], shape (T, P, 2).
    """

    q: Array
    history: Array

    @property
    def errors(self) -> Array:
        """What is missing at the end [m], [rad], shape (P, 2)."""
        return np.asarray(self.history[-1])


def swarm(
    chain: Chain, targets: Array, seeds: Array, *, schedule: Schedule = IMPROVED, particles: int = PARTICLES,
    generations: int = 200, rule: float = 1.0, weighing: Weighing = Weighing.GENERATION, random: int = 0,
) -> Swarms:  # fmt: skip
    """One swarm for each of P poses, all at once: paper 3's algorithm 1.

    Args:
        targets: T_base_tip, shape (P, 4, 4).
        seeds: The previous configurations, which the rule (8) measures from, shape (P, k).
        schedule: IMPROVED or CLASSIC, or another.
        generations: T of eq. (10), which the paper does not print.
        rule: What the rule term counts: 1 as printed, 0 leaves it out.
        weighing: When the weights of (9) are drawn.
        random: Number that all randomness follows from.

    Raises:
        BadTarget: A pose is no rigid transform or not finite.
        SolverError: No particles, no generations, or another number of seeds than of poses.
    """
    known = [Target.of(T, what=f"pose {index}") for index, T in enumerate(targets)]
    if particles < 1 or generations < 1 or np.shape(seeds) != (len(known), chain.n):
        raise SolverError(
            f"a swarm of {particles} particles for {generations} generations, {len(known)} poses and seeds of shape "
            f"{np.shape(seeds)}: give one of each at least, and {chain.n} joint values for each pose"
        )
    history = np.empty((generations, len(known), 2))
    everyone = np.arange(len(known))
    flight = fly(
        chain, known, np.asarray(seeds, dtype=float), schedule=schedule, particles=particles, generations=generations,
        rule=rule, weighing=weighing, random=random,
    )  # fmt: skip
    for t, now in enumerate(flight):
        history[t] = now.best_terms[everyone, now.leader, :2]
    return Swarms(now.best[everyone, now.leader], history)


def fly(
    chain: Chain, targets: Sequence[Target], seeds: Array, *, schedule: Schedule, particles: int, generations: int,
    rule: float = 1.0, weighing: Weighing = Weighing.GENERATION, random: int = 0,
) -> Iterator[Generation]:  # fmt: skip
    """The generations of one swarm for each target, each as soon as its bests are known. Arguments as of `swarm`."""
    rng = np.random.default_rng(random)
    shape = (len(targets), particles, chain.n)
    lower, upper, low, high = chain.limits
    fastest = _FASTEST * (high - low)
    x, v = rng.uniform(low, high, shape), np.zeros(shape)
    terms = np.empty((*shape[:2], 3))
    best, best_terms, kept = x.copy(), np.full_like(terms, _WORST), np.full(shape[:2], _WORST)
    everyone = np.arange(len(targets))
    for t in range(generations):
        _measure(chain, targets, seeds, x, terms)
        weights = _weights(rng, shape, rule, weighing)
        value = fitness(terms, weights)
        if weighing is not Weighing.EVALUATION:
            kept = fitness(best_terms, weights)
        better = value < kept
        np.copyto(best, x, where=better[..., None])
        np.copyto(best_terms, terms, where=better[..., None])
        kept = np.where(better, value, kept)
        leader = kept.argmin(axis=1)
        yield Generation(x, terms, best, best_terms, weights, leader)
        inertia, own, shared = schedule.at(t / generations)
        v *= inertia
        v += own * rng.random(shape) * (best - x)
        v += shared * rng.random(shape) * (best[everyone, leader][:, None] - x)
        np.clip(v, -fastest, fastest, out=v)
        x += v
        v[(x < lower) | (x > upper)] = 0.0
        np.clip(x, lower, upper, out=x)


def fitness(terms: Array, weights: Array) -> Array:
    """Eq. (9): the terms of each particle (P, N, 3), weighed. Shape (P, N)."""
    return np.asarray(np.einsum("pnk,pnk->pn", terms, np.broadcast_to(weights, terms.shape)))


def _weights(rng: np.random.Generator, shape: tuple[int, int, int], rule: float, weighing: Weighing) -> Array:
    weights = np.empty((shape[0], shape[1] if weighing is Weighing.EVALUATION else 1, 3))
    weights[..., 0] = 0.5 if weighing is Weighing.NEVER else rng.random(weights.shape[:2])
    weights[..., 1] = 1.0 - weights[..., 0]
    weights[..., 2] = rule
    return weights


def _measure(chain: Chain, targets: Sequence[Target], seeds: Array, x: Array, terms: Array) -> None:
    """E_P, E_R and the rule (8) of each particle into terms."""
    sizes = np.empty((x.shape[1], 2))
    for index, target in enumerate(targets):
        kernels.errors_at(*chain.geometry, *target.arrays, x[index], sizes)
        terms[index, :, :2] = sizes
    moved = (x - seeds[:, None]) * rule_weights(chain.n)
    np.einsum("pnk,pnk->pn", moved, moved, out=terms[:, :, 2])


def polished(chain: Chain, target: Target, starts: Array, tolerance: tuple[float, float]) -> Array:
    """Configurations that reach a target, from starts (N, k) brought down onto it. Shape (at most N, k)."""
    Q, sizes = starts.copy(), np.empty((len(starts), 2))
    kernels.polish(*chain.geometry, chain.limits, *target.arrays, Q, sizes)
    return np.asarray(Q[(sizes[:, 0] <= tolerance[0]) & (sizes[:, 1] <= tolerance[1])])


def solve_swarm(problem: Problem) -> Found:
    """Ours: a short flight of the improved swarm, then numeric descents from where the particles began and were best.

    What the descents reach are the solutions; where none does, the numeric solver goes on from the best particle. The size of
    the swarm follows from the budget, not from the clock, so that the same question gets the same answer.
    """
    chain, target, seeds = problem.chain, problem.target, problem.seed[None]
    end = perf_counter() + problem.budget
    particles = int(np.clip(problem.budget / _PER_PARTICLE, _FEWEST, PARTICLES))
    generations = int(np.clip(problem.budget / _PER_GENERATION, 1, _GENERATIONS))
    flight = fly(
        chain, [target], seeds, schedule=IMPROVED, particles=particles, generations=generations, random=problem.random
    )  # fmt: skip
    for t, now in enumerate(flight):
        if t == 0:
            began = now.x[0].copy()
    found = polished(chain, target, np.concatenate([seeds, began, now.best[0]]), problem.tolerance)
    if len(found):
        return Found(distinct(chain, found, 1e-2), iterations=generations)
    rest = max(end - perf_counter(), 0.0)
    more = solve_numeric(problem._replace(seed=now.best[0, now.leader[0]].copy(), budget=rest))
    return more._replace(iterations=more.iterations + generations, restarts=more.restarts + 1)
