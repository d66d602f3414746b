"""All solutions at once, for six turning joints whose geometry has a closed form.

EAIK finds the geometry (a spherical wrist, three parallel axes, and so on) and solves it by subproblems. Two things are put
right here. It is wrong without a word where parallel axes point in opposite directions, so axes are turned to agree first and
the signs put back after. And where a subproblem has no exact solution it returns the least-squares one, so every solution is
checked by forward kinematics and polished or dropped. A geometry is used only after it has given back known configurations.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from armillary.solvers import kernels
from armillary.solvers.chain import Chain
from armillary.solvers.method import Found, Problem
from armillary.solvers.numeric import distinct

__all__ = ["ClosedForm", "closed_form_of", "solve_closed_form"]

Array = NDArray[np.float64]
EXACT = 1e-9  # what a solution of a closed form may be off [m], [rad]
_FREE = np.array([[-np.inf] * 6, [np.inf] * 6, [-np.pi] * 6, [np.pi] * 6])
_PARALLEL = 1e-7
_SINGULAR = 1e-7  # determinant below which a pose's solutions form a curve, of which some are given
_NEAR = 0.05  # m, rad from the target to the seed's pose, within which the solution that it leads to is looked for


@dataclass(frozen=True, eq=False)
class ClosedForm:
    """The closed form of a chain, or why there is none.

    Attributes:
        family: The geometry, in EAIK's words; "" where there is no closed form.
        why_not: Why there is none.
        signs: Which way each axis was turned, shape (6,).
    """

    family: str
    why_not: str
    signs: Array
    solver: object = None


@lru_cache(maxsize=64)
def closed_form_of(chain: Chain) -> ClosedForm:
    """The closed form of a chain's geometry."""
    none = np.ones(chain.n)
    if chain.n != 6:
        return ClosedForm("", f"it has {chain.n} joints, not 6", none)
    if not chain.plain:
        return ClosedForm("", "some of its joints follow others", none)
    if chain.kind[:, 0].any():
        return ClosedForm("", "some of its joints slide", none)
    from eaik.pybindings import EAIK

    H, P, R_tip, signs = _axes(chain)
    solver = EAIK.Robot(H.T, P.T, R_tip, [], True)
    if not solver.has_known_decomposition():
        return ClosedForm("", "its axes are in no arrangement with a closed form", none)
    form = ClosedForm(str(solver.get_kinematic_family()), "", signs, solver)
    missed = _missed(chain, form)
    if missed:
        return ClosedForm("", f"the closed form of its family ({form.family}) misses {missed} of 32 known configurations", none)
    return form


def solve_closed_form(problem: Problem) -> Found:
    """All solutions inside the limits, full turns aside; none where the chain or the target has no closed form."""
    form = closed_form_of(problem.chain)
    if not form.family:
        return Found([], notes=(f"no closed form: {form.why_not}",))
    if problem.target.form != kernels.POSE:
        return Found([], notes=("no closed form: only whole poses have one",))
    solutions, doubtful = _solutions(problem.chain, form, problem.target.T)
    singular = bool(solutions) and float(np.abs(np.linalg.det(problem.chain.jacobians(np.array(solutions)))).min()) < _SINGULAR
    near = problem.chain.errors(problem.target, problem.seed[None])[0]
    if doubtful or singular or near.max() < _NEAR:  # the seed may stand where a curve of solutions passes: it is the nearest
        solutions = distinct(problem.chain, [*_beside(problem), *solutions])
    return Found(_inside(problem.chain, solutions), complete=not singular)


def _solutions(chain: Chain, form: ClosedForm, target: Array, *, mend: bool = True) -> tuple[list[Array], bool]:
    """Solutions without regard to limits, between -pi and pi, and whether the pose is singular or nearly so."""
    answer = form.solver.calculate_IK(target)  # type: ignore[attr-defined]
    Q = np.array(answer.Q, dtype=float).reshape(-1, 6) * form.signs
    Q = Q[np.isfinite(Q).all(axis=1)]
    if not len(Q):
        return [], True
    Q = np.ascontiguousarray((Q + np.pi) % (2 * np.pi) - np.pi)
    sizes = np.empty((len(Q), 2))
    mask, W = np.ones(6), np.eye(3)
    kernels.errors_at(*chain.geometry, target, kernels.POSE, mask, W, Q, sizes)
    wrong = (sizes > 0.1 * EXACT).any(axis=1)
    if wrong.any() and mend:
        again, left = np.ascontiguousarray(Q[wrong]), np.empty((int(wrong.sum()), 2))
        kernels.polish(*chain.geometry, _FREE, target, kernels.POSE, mask, W, again, left)
        Q[wrong], sizes[wrong] = again, left
    good = Q[(sizes <= EXACT).all(axis=1)]
    kept = distinct(chain, (good + np.pi) % (2 * np.pi) - np.pi)
    return kept, bool(wrong.any()) or len(kept) < len(Q)


def _beside(problem: Problem) -> list[Array]:
    """At a singular pose solutions form curves: the one that the seed leads to is worth having."""
    chain, target = problem.chain, problem.target
    q, e, size = problem.seed.copy(), np.empty(6), np.empty(2)
    kernels.descend(
        *chain.geometry, chain.limits, *target.arrays, 1.0, 200,
        q, e, size,
    )  # fmt: skip
    return [q] if (size <= EXACT).all() else []


def _inside(chain: Chain, solutions: list[Array]) -> list[Array]:
    """Those that some full turn brings inside the limits, so turned."""
    kept = []
    for q in solutions:
        turned = q.copy()
        kernels.nearest_turn(turned, np.arange(chain.n), chain.limits, chain.turning, np.clip(q, *chain.limits[:2]))
        if ((turned >= chain.limits[0] - 1e-9) & (turned <= chain.limits[1] + 1e-9)).all():
            kept.append(np.clip(turned, *chain.limits[:2]))
    return kept


def _axes(chain: Chain) -> tuple[Array, Array, Array, Array]:
    """Directions and offsets of the axes at zero in the base, the tip's rotation, and the signs that make parallels agree."""
    H, points = chain.axes(np.zeros(6))
    T = chain.pose(np.zeros(6))
    points = np.vstack([points, T[:3, 3]])
    signs = np.ones(6)
    for i in range(6):
        for j in range(i):
            if np.abs(H[i] + H[j]).max() < _PARALLEL:
                H[i], signs[i] = -H[i], -1.0
                break
            if np.abs(H[i] - H[j]).max() < _PARALLEL:
                break
    return H, np.diff(points, axis=0, prepend=np.zeros((1, 3))), T[:3, :3], signs


def _missed(chain: Chain, form: ClosedForm) -> int:
    """Of 32 random configurations, how many are not among the solutions of their own pose."""
    rng = np.random.default_rng(0)
    missed = 0
    for q in rng.uniform(-np.pi, np.pi, (32, 6)):
        found, _ = _solutions(chain, form, chain.pose(q), mend=False)
        missed += len(distinct(chain, [*found, q], 1e-5)) > len(found)
    return missed
