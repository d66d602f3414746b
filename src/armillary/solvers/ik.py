"""The one front of inverse kinematics."""

from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from armillary.model import Model, Scene
from armillary.solvers.branch import Branch, branch_of, has_branches
from armillary.solvers.chain import Chain, chain_between
from armillary.solvers.choice import in_order
from armillary.solvers.closed_form import closed_form_of, solve_closed_form
from armillary.solvers.diagnosis import hindrance_of
from armillary.solvers.errors import SolverError
from armillary.solvers.kernels import POSE, clamp, confirm, solve
from armillary.solvers.method import Found, Problem, find_method
from armillary.solvers.numeric import RANDOM, SLICE, solve_numeric
from armillary.solvers.question import checked_budget, checked_random, checked_tolerance, checked_weights
from armillary.solvers.result import Hindrance, IkResult
from armillary.solvers.target import Hold, Target

__all__ = ["solve_ik"]

Array = NDArray[np.float64]
_SQUARE, _FLOAT, _NEAR, _INFINITE, _MOST = (4, 4), np.dtype(np.float64), (1e-5, 1e-5), float("inf"), 2**32
_RULES = np.concatenate([_NEAR, np.ones(6), np.eye(3).ravel()])  # the whole pose, as `kernels.solve` takes it


def solve_ik(
    model: Model, T_base_tool: Array, *, seed: Array | None = None, tip: str = "", base: str = "", hold: Hold | str | None = None,
    method: str = "auto", choose: str = "nearest", branch: Branch | str | None = None, scene: Scene | None = None,
    weights: Array | None = None, tolerance: tuple[float, float] = _NEAR, budget: float = 0.02, every: bool = False,
    random: int = 0,
) -> IkResult:  # fmt: skip
    """Joint positions that put the tip on a pose.

    That a pose cannot be reached is an answer, not an exception: the result says how far it got, what holds it, and the
    nearest pose that can be reached.

    Args:
        T_base_tool: The pose, a rigid transform, shape (4, 4).
        seed: Where the robot is, shape (n,): where the search starts, and what "nearest" is measured from. Joints that do
            not move the tip stay as they are in it. The model's zero where left out.
        tip: The frame that is put there; the model's tool where left out.
        base: The frame that the pose is in; the world where left out. It may itself be moved by joints.
        hold: What of the pose counts (`Hold`, or text such as "axis=z"); all of it where left out.
        method: "auto", or one of `known_methods()`. "auto" takes the closed form where there is one.
        choose: Among several solutions: "nearest" to the seed, "central" (far from limits), or "manipulability". Where only a
            numeric method serves, "nearest" is the first that the seed leads to, and for the others many are looked for.
        branch: Only solutions of this branch, or "same" as the seed's.
        scene: Only solutions that are free of collisions in it.
        weights: Of each joint's distance for "nearest", shape (n,); paper 3's rule where left out.
        tolerance: What counts as reached [m], [rad].
        budget: Seconds at most; a few milliseconds of it say why where it is not reached, which 1 ms is too short for.
        every: Look for more than one solution also where only a numeric method serves.
        random: Number that all randomness follows from; the same question gets the same answer.

    Raises:
        BadTarget: The pose is no rigid transform or not finite.
        BadConfiguration: The seed has another length or is not finite.
        UnknownFrame: No such tip or base; the message names those there are.
        UnknownMethod: No such method.
    """
    start = perf_counter()
    tip = tip or model.tip
    chain = model.derived.get((base, tip)) or chain_between(model, base, tip)
    hold = None if hold is None else Hold.of(hold)
    plain = branch is None and scene is None and weights is None and not every and choose == "nearest"
    if plain and method == "numeric":
        result = _at_once(model, chain, T_base_tool, seed, hold, tolerance, budget, random, start)
        if result is not None:
            return result
    target = Target.of(T_base_tool, hold)
    whole = model.zero() if seed is None else model.valid(seed, "seed").copy()
    own = np.empty(chain.n)
    notes: list[str] = []
    if not clamp(whole, chain.columns, chain.limits, own):
        notes += [f"the seed's {text}: the nearest position inside is used" for text in _outside(model, chain, whole)]
    near, scale = checked_tolerance(tolerance), checked_weights(model, chain, weights)
    budget, random = checked_budget(budget), checked_random(random)
    problem = Problem(model, chain, target, own, near, _without_reasons(budget), random, not plain)
    name, found = _ask(problem, method)
    notes += found.notes
    known = _checked(problem, found, notes)
    nearest = hindrance = None
    if not known:  # nothing found: the nearest there is, which may be a solution that the search ran out of time beside
        closest, hindrance = hindrance_of(problem, own if found.best is None else found.best)
        if hindrance is None:
            name, known = "numeric", [closest]
        else:
            nearest = chain.pose(closest)
    ordered = in_order(model, chain, [chain.placed(whole, q) for q in known or [closest]], whole, choose, scale)
    kept = ordered if hindrance is None else []
    if kept and branch is not None:
        kept, hindrance = _of_branch(chain, kept, branch, own)
    if kept and scene is not None:
        kept, hindrance = _free(scene, kept)
    q = kept[0] if kept else ordered[0]
    metres, radians = chain.errors(target, q[chain.columns][None])[0]
    return IkResult(
        bool(kept), q, (float(metres), float(radians)), name, perf_counter() - start, found.iterations, found.restarts,
        found.complete, hindrance, nearest, tuple(notes), chain, tuple(each.copy() for each in kept),
    )  # fmt: skip


def _without_reasons(budget: float) -> float:
    """What of a budget goes into the search: the rest says why a target is not reached, which takes some milliseconds."""
    return max(budget - 0.004, 0.5 * budget)


def _outside(model: Model, chain: Chain, whole: Array) -> list[str]:
    """What of the chain's joints is outside its limits, in words."""
    moved = set(chain.joints)
    return [text for text in model.outside(whole) if text.split(" ")[0] in moved]


def _at_once(
    model: Model, chain: Chain, T: Array, seed: Array | None, hold: Hold | None, tolerance: tuple[float, float], budget: float,
    random: int, start: float,
) -> IkResult | None:  # fmt: skip
    """The plain question in one compiled call, which is most of them; None where it needs the long way round."""
    whole = model.zero() if seed is None else seed
    try:
        if not (T.flags.carray and whole.flags.carray and T.shape == _SQUARE and T.dtype is whole.dtype is _FLOAT):
            return None
        if not 0.0 < budget <= 3600.0:
            return None
    except (AttributeError, TypeError):  # not arrays: lists, or something worse
        return None
    if whole.shape != (model.n,) or not whole.dot(whole) < _INFINITE or type(random) is not int or not 0 <= random < _MOST:
        return None
    form, rules = (POSE, _RULES) if hold is None and tolerance == _NEAR else _rules(T, hold or Hold.pose(), tolerance)
    q, progress = np.empty(model.n), np.empty(5)
    if solve(*chain.packed, T, form, rules, SLICE, RANDOM + random, whole, q, progress) != 1:
        return None
    iterations, restarts, _, metres, radians = progress.tolist()
    return IkResult(
        True, q, (metres, radians), "numeric", perf_counter() - start, int(iterations), int(restarts), False, None, None, (),
        chain, (q.copy(),),
    )  # fmt: skip


def _rules(T: Array, hold: Hold, tolerance: tuple[float, float]) -> tuple[int, Array]:
    """The hold's form, and tolerance, mask and axes as `kernels.solve` takes them."""
    axes = T[:3, :3] if hold.in_tool else np.eye(3)
    return hold.form, np.concatenate([checked_tolerance(tolerance), hold.weights, axes.ravel()])


def _ask(problem: Problem, method: str) -> tuple[str, Found]:
    """The method's name and what it found."""
    if method != "auto":
        return method, find_method(method)(problem)
    notes: tuple[str, ...] = ()
    if problem.target.form == POSE:
        form = closed_form_of(problem.chain)
        if form.family:
            found = solve_closed_form(problem)
            if found.solutions:
                return "closed_form", found
            # There is none; but a pose that is beyond reach by less than the tolerance still counts.
            problem = problem._replace(budget=0.25 * problem.budget, every=False)
        else:
            notes = (f"no closed form: {form.why_not}",)
    found = solve_numeric(problem)
    return "numeric", found._replace(notes=notes) if notes else found


def _checked(problem: Problem, found: Found, notes: list[str]) -> list[Array]:
    """Solutions of the chain that forward kinematics and the limits confirm, whatever the method says of them."""
    if not found.solutions:
        return []
    try:
        Q = np.array(found.solutions, dtype=float, order="C")
    except (TypeError, ValueError):
        raise SolverError(f"the method gave solutions that are no rows of {problem.chain.n} numbers") from None
    if Q.shape != (len(found.solutions), problem.chain.n):
        raise SolverError(f"the method gave solutions of shape {Q.shape[1:]}; {problem.chain.n} joints were asked for")
    sizes, good = problem.chain.errors(problem.target, Q), np.empty(len(Q), dtype=np.bool_)
    if not confirm(sizes, np.array(problem.tolerance), problem.chain.limits, Q, good):
        notes.append(f"{(~good).sum()} of the method's {len(Q)} solutions are none by forward kinematics and limits: left out")
        Q = Q[good]
    return list(Q)


def _of_branch(chain: Chain, ordered: list[Array], branch: Branch | str, seed: Array) -> tuple[list[Array], Hindrance | None]:
    if not has_branches(chain):
        raise SolverError(
            "this arm's geometry has no branches to choose (six turning joints, axes 2 and 3 parallel, 5 and 6 crossing)"
        )
    wanted = branch_of(chain, seed) if branch == "same" else branch
    if isinstance(wanted, str):
        wanted = Branch.read(wanted)
    there = [branch_of(chain, q[chain.columns]) for q in ordered]
    kept = [q for q, has in zip(ordered, there, strict=True) if has == wanted]
    if kept:
        return kept, None
    names = "; ".join(dict.fromkeys(str(has) for has in there))
    return [], Hindrance("branch", f"no solution on the branch '{wanted}'; there are solutions on: {names}")


def _free(scene: Scene, ordered: list[Array]) -> tuple[list[Array], Hindrance | None]:
    kept = [q for q in ordered if scene.free(q)]
    if kept:
        return kept, None
    contact = scene.contacts(ordered[0])[0]
    return [], Hindrance(
        "collision", f"every solution that is known ({len(ordered)}) collides; the first, {contact.first} with {contact.second}"
    )
