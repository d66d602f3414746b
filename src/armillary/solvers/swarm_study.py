"""Paper 3's swarm measured on TIAGo's arm: how often it reaches, how near it comes, what it costs, and what each choice buys."""

from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armillary.description import read_robot
from armillary.model import Model, build_model, frame_pose_batch
from armillary.solvers import kernels
from armillary.solvers.chain import Chain, chain_between
from armillary.solvers.choice import rule_weights
from armillary.solvers.ik import solve_ik
from armillary.solvers.swarm import CLASSIC, IMPROVED, PARTICLES, Schedule, Weighing, polished, swarm
from armillary.solvers.target import Target

__all__ = ["COARSE", "FINE", "NEAR", "SwarmStudy", "Trial", "study_swarms", "tiago_arm"]

Array = NDArray[np.float64]
COARSE = (1e-3, 1e-2)  # m, rad
FINE = (1e-5, 1e-5)
NEAR = 0.1  # how far the previous configuration is from a solution, at most, where it is near [rad], each joint
_BLOCK = 100  # poses whose swarms fly together


@dataclass(frozen=True, eq=False)
class Trial:
    """One method on P poses.

    Attributes:
        method: Its name.
        previous: Where the previous configuration was: "anywhere" or "near".
        errors: What is missing in the end [m], [rad], shape (P, 2).
        moved: Distance from the previous configuration by the rule (8), the root of its sum, shape (P,) [rad].
        seconds: Processor time for each pose, which other programs do not disturb.
        history: What was missing after each generation, shape (T, P, 2), where there are generations.
    """

    method: str
    previous: str
    errors: Array
    moved: Array
    seconds: float
    history: Array | None = None

    def success(self, tolerance: tuple[float, float]) -> float:
        """Share of the poses that are reached within m and rad."""
        return float((self.errors <= tolerance).all(axis=1).mean())

    def quantile(self, share: float) -> tuple[float, float]:
        """Position and rotation error that a share of the poses stays below [m], [rad]."""
        metres, radians = np.quantile(self.errors, share, axis=0)
        return float(metres), float(radians)


@dataclass(frozen=True, eq=False)
class SwarmStudy:
    """All methods on the same poses.

    Attributes:
        short: Share of the poses, by where the previous configuration was, for which the fitness (9), with one half for each
            weight, is lower where the improved swarm ended than at every configuration known to reach: there the fitness
            misleads, not the search.
    """

    poses: int
    generations: int
    random: int
    trials: tuple[Trial, ...]
    short: dict[str, float]

    def trial(self, method: str, previous: str) -> Trial:
        return next(trial for trial in self.trials if (trial.method, trial.previous) == (method, previous))


def tiago_arm() -> Model:
    """TIAGo's seven arm joints, all others at rest; the tool is arm_tool_link.

    Raises:
        UnknownRobot: The extra `robots` is not installed; the message says how.
    """
    return build_model(read_robot("tiago"), joints=[f"arm_{i}_joint" for i in range(1, 8)], tip="arm_tool_link")


@dataclass(frozen=True, eq=False)
class _Bench:
    """The poses that every method is given."""

    model: Model
    chain: Chain
    targets: Array  # T_base_tip, (P, 4, 4)
    made_by: Array  # the configurations that made them, (P, k)
    previous: dict[str, Array]  # (P, k)
    random: int
    tell: Callable[[str], None] | None

    def say(self, text: str) -> None:
        if self.tell is not None:
            self.tell(text)


class _Flight(NamedTuple):
    method: str
    previous: str
    schedule: Schedule
    rule: float = 1.0
    weighing: Weighing = Weighing.GENERATION


# The schedule and the weights are compared where the rule misleads least: near.
_FLIGHTS = (
    _Flight("classic", "anywhere", CLASSIC),
    _Flight("improved", "anywhere", IMPROVED),
    _Flight("improved, no rule", "anywhere", IMPROVED, rule=0.0),
    _Flight("classic", "near", CLASSIC),
    _Flight("improved", "near", IMPROVED),
    _Flight("improved, to the letter", "near", IMPROVED, weighing=Weighing.EVALUATION),
    _Flight("improved, weights fixed", "near", IMPROVED, weighing=Weighing.NEVER),
)


def study_swarms(
    model: Model, *, poses: int = 1000, generations: int = 200, random: int = 0, tell: Callable[[str], None] | None = None
) -> SwarmStudy:
    """Every method on poses of random configurations inside the limits, of a model that is one arm.

    The previous configuration is drawn inside the limits too ("anywhere"), or within NEAR of the one that made the pose.

    Args:
        tell: Is given a line of progress now and then.
    """
    chain = chain_between(model, "", model.tip)
    low, high = chain.limits[2:]
    rng = np.random.default_rng([random, 3])  # another stream than the swarms': no particle may begin at an answer
    made_by = rng.uniform(low, high, (poses, chain.n))
    previous = {
        "anywhere": rng.uniform(low, high, made_by.shape),
        "near": np.clip(made_by + rng.uniform(-NEAR, NEAR, made_by.shape), low, high),
    }
    bench = _Bench(model, chain, frame_pose_batch(model, made_by, model.tip), made_by, previous, random, tell)
    trials: list[Trial] = []
    for where in previous:
        trials += [_flown(bench, flight, generations) for flight in _FLIGHTS if flight.previous == where]
        trials += [_solved(bench, method, where, solve) for method, solve in _SOLVERS.items()]
    return SwarmStudy(poses, generations, random, tuple(trials), {where: _short(bench, trials, where) for where in previous})


def _flown(bench: _Bench, flight: _Flight, generations: int) -> Trial:
    """A swarm for each pose, a block of them at a time."""
    seeds = bench.previous[flight.previous]
    swarm(bench.chain, bench.targets[:1], seeds[:1], generations=1)  # compiles what is not compiled yet
    parts = []
    start = process_time()
    for first in range(0, len(seeds), _BLOCK):
        bench.say(f"{flight.method}, previous {flight.previous}: {first} of {len(seeds)} poses")
        block = slice(first, first + _BLOCK)
        parts.append(
            swarm(
                bench.chain, bench.targets[block], seeds[block], schedule=flight.schedule, generations=generations,
                rule=flight.rule, weighing=flight.weighing, random=bench.random + first,
            )
        )  # fmt: skip
    seconds = (process_time() - start) / len(seeds)
    q, history = np.concatenate([part.q for part in parts]), np.concatenate([part.history for part in parts], axis=1)
    return Trial(flight.method, flight.previous, history[-1], _moved(q, seeds), seconds, history)


def _solved(bench: _Bench, method: str, where: str, solve: Callable[[_Bench, Array, Array], Array]) -> Trial:
    """A solver that is asked for one pose after another."""
    seeds = bench.previous[where]
    q = np.array([solve(bench, bench.targets[0], seeds[0])] * len(seeds))  # compiles what is not compiled yet
    start = process_time()
    for index, (T, seed) in enumerate(zip(bench.targets, seeds, strict=True)):
        if index % _BLOCK == 0:
            bench.say(f"{method}, previous {where}: {index} of {len(seeds)} poses")
        q[index] = solve(bench, T, seed)
    seconds = (process_time() - start) / len(seeds)
    errors = np.empty((len(seeds), 2))
    for index, T in enumerate(bench.targets):
        kernels.errors_at(*bench.chain.geometry, *Target.of(T).arrays, q[index : index + 1], errors[index : index + 1])
    return Trial(method, where, errors, _moved(q, seeds), seconds)


def _ours(bench: _Bench, T: Array, seed: Array) -> Array:
    return solve_ik(bench.model, T, seed=seed, method="swarm", random=bench.random).q


def _numeric(bench: _Bench, T: Array, seed: Array) -> Array:
    return solve_ik(bench.model, T, seed=seed, method="numeric", random=bench.random).q


def _scattered(bench: _Bench, T: Array, seed: Array) -> Array:
    """What is left of ours without the swarm: the descents, from the seed and as many starts, but all of them random."""
    low, high = bench.chain.limits[2:]
    rng = np.random.default_rng([bench.random, 4])
    starts = np.concatenate([seed[None], rng.uniform(low, high, (2 * PARTICLES, bench.chain.n))])
    found = polished(bench.chain, Target.of(T), starts, FINE)
    return np.asarray(found[_moved(found, seed).argmin()]) if len(found) else seed


_SOLVERS: dict[str, Callable[[_Bench, Array, Array], Array]] = {
    "ours: swarm, polish": _ours,
    "polish, no swarm": _scattered,
    "numeric": _numeric,
}


def _moved(q: Array, seeds: Array) -> Array:
    """Distance by the rule (8), the root of its sum, shape (P,)."""
    return np.asarray(np.linalg.norm((q - seeds) * rule_weights(q.shape[1]), axis=1))


def _short(bench: _Bench, trials: list[Trial], where: str) -> float:
    """See `SwarmStudy.short`. Where nothing is missing, (9) is the rule alone."""
    here = {trial.method: trial for trial in trials if trial.previous == where}
    least = _moved(bench.made_by, bench.previous[where]) ** 2
    for trial in here.values():
        reached = (trial.errors <= FINE).all(axis=1)
        least = np.where(reached, np.minimum(least, trial.moved**2), least)
    ended = here["improved"]
    return float((0.5 * ended.errors.sum(axis=1) + ended.moved**2 < least).mean())
