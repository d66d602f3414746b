"""All ways to reach a pose: the solutions with their branches, inside the joints' limits and outside, free or not."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from armillary.model import Model, Scene
from armillary.solvers import Chain, IkResult, Problem, Target, chain_between, solve_ik
from armillary.solvers.branch import branch_of, has_branches
from armillary.solvers.closed_form import closed_form_of, solve_closed_form
from armillary.solvers.result import Hindrance

__all__ = ["PoseSolution", "PoseSolutions", "pose_solutions"]

Array = NDArray[np.float64]
_BUDGET = 0.1  # s for arms without a closed form
_MOST = 16  # that are shown of an arm which has endlessly many
_SAME = 1e-6  # rad or m between solutions that are one
_BRANCHES = ("front", "back", "up", "down", "plain", "flipped")  # in this order; others, where there are no names, by joints


@dataclass(frozen=True, eq=False)
class PoseSolution:
    """One way to reach a pose.

    Attributes:
        q: Joint positions of the whole robot, shape (n,), at the full turns that are nearest to where it is.
        branch: "front · up · plain"; "" where the arm's geometry has no such names.
        inside: Whether all joints are inside their limits.
        collides: Whether parts meet there.
        why: What is outside, or meets; "" where nothing is wrong.
    """

    q: Array
    branch: str
    inside: bool
    collides: bool
    why: str


@dataclass(frozen=True, eq=False)
class PoseSolutions:
    """All that are known of a pose, in an order that does not depend on where the robot is.

    Attributes:
        chosen: The nearest that is inside the limits and free, or at least inside; -1 where there is none.
        why: Why there is none.
        hindrance: What holds it in parts, for who says it in other words and units; None where it is not known.
    """

    found: tuple[PoseSolution, ...]
    chosen: int
    why: str
    hindrance: Hindrance | None = None


def pose_solutions(model: Model, T_base_tool: Array, now: Array, scene: Scene, *, tip: str) -> PoseSolutions:
    """Every solution where a closed form exists, those outside the limits too; otherwise some that are found in a moment.

    Args:
        T_base_tool: In what the arm stands on.
        now: Where the robot is, shape (n,).
        scene: For this call alone: it has scratch of its own.
    """
    base = model.reference
    result = solve_ik(model, T_base_tool, seed=now, tip=tip, base=base, every=True, budget=_BUDGET)
    chain = chain_between(model, base, tip)
    inside = _apart(chain, list(result.found)) if result.reached else []
    known = [*inside, *(q for q in _without_limits(model, chain, T_base_tool, now) if not _among(chain, q, inside))]
    described = [_described(model, chain, q, scene) for q in known]
    order = sorted(range(len(known)), key=lambda k: _rank(chain, described[k]))
    nearest = next((k for k in range(len(inside)) if not described[k].collides), 0 if inside else -1)  # `found` is nearest first
    chosen = order.index(nearest) if nearest >= 0 else -1
    if chosen >= 0:
        return PoseSolutions(tuple(described[k] for k in order), chosen, "")
    return PoseSolutions(tuple(described[k] for k in order), chosen, _why(result), result.hindrance)


def _apart(chain: Chain, found: list[Array]) -> list[Array]:
    """Of many solutions, nearest first, the nearest and those that differ most from it and from each other, in the same order."""
    if len(found) <= _MOST:
        return found
    own = np.array(found)[:, chain.columns]
    kept, gap = [0], np.linalg.norm(own - own[0], axis=1)
    while len(kept) < _MOST:
        kept.append(int(gap.argmax()))
        gap = np.minimum(gap, np.linalg.norm(own - own[kept[-1]], axis=1))
    return [found[k] for k in sorted(kept)]


def _why(result: IkResult) -> str:
    return f"the pose cannot be reached: {result.hindrance}" if result.hindrance is not None else "the pose cannot be reached"


def _without_limits(model: Model, chain: Chain, T_base_tool: Array, now: Array) -> list[Array]:
    """What the closed form gives where joints had no limits, each at the full turns that come nearest to them."""
    key = ("without limits", chain.base, chain.tip)
    loose: Chain = model.derived.setdefault(key, replace(chain, limits=chain.without_limits))
    if not closed_form_of(loose).family:
        return []
    own = np.clip(now[chain.columns], *chain.limits[:2])
    problem = Problem(model, loose, Target.of(T_base_tool), own, (1e-5, 1e-5), _BUDGET, 0, True)
    return [chain.placed(now, _turned(chain, q)) for q in solve_closed_form(problem).solutions]


def _turned(chain: Chain, own: Array) -> Array:
    """A solution at the full turns that are inside the limits, or come nearest to them."""
    lower, upper = chain.limits[:2]
    ended = np.isfinite(lower) & np.isfinite(upper)
    middle = np.clip(0.0, lower, upper)
    middle[ended] = 0.5 * (lower + upper)[ended]
    return np.where(chain.turning, own - 2.0 * np.pi * np.rint((own - middle) / (2.0 * np.pi)), own)


def _among(chain: Chain, q: Array, known: list[Array]) -> bool:
    """Whether a solution is known already, full turns aside."""
    for other in known:
        gap = (q - other)[chain.columns]
        gap = np.where(chain.turning, gap - 2.0 * np.pi * np.rint(gap / (2.0 * np.pi)), gap)
        if np.abs(gap).max() < _SAME:
            return True
    return False


def _described(model: Model, chain: Chain, q: Array, scene: Scene) -> PoseSolution:
    branch = branch_of(chain, q[chain.columns]) if has_branches(chain) else None
    name = f"{branch.shoulder} · {branch.elbow} · {branch.wrist}" if branch is not None else ""
    outside = model.outside(chain.placed(model.zero(), q[chain.columns]))  # of the joints that lead the tool
    touching = scene.contacts(q)
    said = [*outside, *(f"{each.first} and {each.second} collide" for each in touching[:1])]
    return PoseSolution(q, name, not outside, bool(touching), "; ".join(said))


def _rank(chain: Chain, solution: PoseSolution) -> tuple[object, ...]:
    """Where a solution stands: by its branch, and then by its joints, full turns aside."""
    names = tuple(_BRANCHES.index(word) for word in solution.branch.split(" · ")) if solution.branch else ()
    own = solution.q[chain.columns]
    wrapped = np.where(chain.turning, (own + np.pi + 1e-4) % (2.0 * np.pi), own)
    return (names, tuple(np.round(wrapped, 3).tolist()))
