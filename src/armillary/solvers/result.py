"""What inverse kinematics answers: reached or not, where, by which solutions, and what stands in the way."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from armillary.solvers.branch import Branch, branch_of, has_branches
from armillary.solvers.chain import Chain

__all__ = ["Hindrance", "IkResult", "Solution"]

Array = NDArray[np.float64]
_TURNS = 4


@dataclass(frozen=True, eq=False)
class Solution:
    """One way to reach a target.

    Attributes:
        q: Joint positions of the whole model, shape (n,) [rad or m], inside the limits.
        branch: Which posture it is; None where the arm's geometry has no such names.
        margin: Distance to the nearest limit of the joints that move the tip [rad or m]; infinite where there is none.
        tightest: The joint that is nearest to its limit.
        turns: For each joint of the model the positions that put the tip in the same place and fit inside the limits: full
            turns apart where the joint turns, at most four to each side. `q` holds one of each.
    """

    q: Array
    branch: Branch | None
    margin: float
    tightest: str
    turns: tuple[tuple[float, ...], ...]

    def configurations(self) -> Iterator[Array]:
        """Every configuration that differs from q by full turns alone and fits inside the limits, q's own among them."""
        for values in product(*self.turns):
            yield np.array(values)

    @property
    def count(self) -> int:
        """How many `configurations` there are."""
        return prod(len(values) for values in self.turns)


@dataclass(frozen=True)
class Hindrance:
    """What keeps a target from being reached.

    Attributes:
        kind: "reach", "limit", "orientation", "collision" or "branch".
        text: In words.
        amount: How far off [m, or rad for "orientation" and "limit" of a turning joint].
        joints: The joints at their limits, where it is they.
    """

    kind: str
    text: str
    amount: float = 0.0
    joints: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text


@dataclass(eq=False)  # not frozen: that alone would take as long as the solver
class IkResult:
    """The answer to `solve_ik`.

    Attributes:
        reached: Whether q puts the tip on the target, inside the limits.
        q: Joint positions of the whole model, shape (n,): the chosen solution, or the nearest there is.
        error: What is left at q [m], [rad], as far as it counts.
        method: Which method answered.
        seconds: How long it took.
        iterations, restarts: Of a numeric method.
        complete: Whether `solutions` are all there are, full turns aside.
        hindrance: What holds it, where it is not reached.
        nearest: T_base_tip at q where it is not reached: the nearest pose that can be.
        notes: What else the user should know: a seed outside its limits, a geometry without a closed form.
    """

    reached: bool
    q: Array
    error: tuple[float, float]
    method: str
    seconds: float
    iterations: int = 0
    restarts: int = 0
    complete: bool = False
    hindrance: Hindrance | None = None
    nearest: Array | None = None
    notes: tuple[str, ...] = ()
    chain: Chain | None = field(default=None, repr=False)
    found: tuple[Array, ...] = field(default=(), repr=False)  # solutions of the whole model, as they were found

    @cached_property
    def solutions(self) -> tuple[Solution, ...]:
        """All solutions that are known, the chosen one first; worked out when first asked for."""
        if self.chain is None:
            return ()
        return tuple(describe_solution(self.chain, q) for q in self.found)

    def __bool__(self) -> bool:
        return self.reached

    def __str__(self) -> str:
        if self.reached:
            return f"reached by {self.method} in {self.seconds * 1e3:.2f} ms, {len(self.found)} solutions"
        return f"not reached: {self.hindrance}"


def describe_solution(chain: Chain, q: Array) -> Solution:
    """A solution with its branch, its distance to the limits, and its full turns."""
    own = q[chain.columns]
    room = np.minimum(own - chain.limits[0], chain.limits[1] - own)
    tight = int(room.argmin())
    return Solution(
        q=q, branch=branch_of(chain, own) if has_branches(chain) else None, margin=float(room[tight]),
        tightest=chain.joints[tight], turns=turns_of(chain, q),
    )  # fmt: skip


def turns_of(chain: Chain, q: Array) -> tuple[tuple[float, ...], ...]:
    """For each joint, its position and those full turns away that fit inside the limits, lowest first.

    A joint without limits has one: all its turns are the same to the robot.
    """
    turns: list[tuple[float, ...]] = [(float(value),) for value in q]
    for place, column in enumerate(chain.columns):
        lower, upper = chain.limits[0, place], chain.limits[1, place]
        if not chain.turning[place] or not (np.isfinite(lower) and np.isfinite(upper)):
            continue
        value, turn = float(q[column]), 2 * np.pi
        first, last = int(np.ceil((lower - 1e-9 - value) / turn)), int(np.floor((upper + 1e-9 - value) / turn))
        first, last = max(first, -_TURNS), min(last, _TURNS)  # of a joint with very wide limits
        if last > first:
            turns[column] = tuple(min(max(value + k * turn, lower), upper) for k in range(first, last + 1))
    return tuple(turns)
