"""Inverse kinematics along a path: one branch for all of it, chosen over all solutions."""

from dataclasses import dataclass
from itertools import islice, pairwise, product
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from armillary.model import Model, Scene
from armillary.solvers import kernels
from armillary.solvers.branch import Branch, branch_of, has_branches
from armillary.solvers.chain import Chain, chain_between
from armillary.solvers.closed_form import closed_form_of, solve_closed_form
from armillary.solvers.diagnosis import hindrance_of
from armillary.solvers.errors import SolverError
from armillary.solvers.method import Problem
from armillary.solvers.numeric import distinct, solve_numeric
from armillary.solvers.question import checked_random, checked_tolerance, checked_weights
from armillary.solvers.result import turns_of
from armillary.solvers.target import Hold, Target, rigid_poses
from armillary.spatial import between, rotation_vector

__all__ = ["PathEnd", "PathResult", "solve_path"]

Array = NDArray[np.float64]
MAX_STEP = 0.35  # rad or m that a joint may move between two poses that are taken as neighbours
_STATES = 256  # configurations followed at once
_SUBSTEPS = 16
_ASIDE = 0.3  # how far the middle of a step may be off the path, as a share of the step
_SAME = 1e-4


@dataclass(frozen=True)
class PathEnd:
    """Where a branch ends before the path does.

    Attributes:
        branch: Which, where the arm's branches have names.
        point: The first pose that it does not reach.
        why: In words.
    """

    branch: Branch | None
    point: int
    why: str

    def __str__(self) -> str:
        return f"{f'branch {self.branch}' if self.branch else 'it'} ends before point {self.point}: {self.why}"


@dataclass(frozen=True, eq=False)
class PathResult:
    """The answer to `solve_path`.

    Attributes:
        complete: Whether every pose is reached without a jump.
        q: Joint positions at each pose, shape (N, n); of the poses before the end where it is not complete.
        branch: Of the first configuration, where branches have names.
        cost: Sum of the squared weighted steps.
        ends: Where each branch that was followed ends before the path does, and why; the furthest first.
        seconds: How long it took.
    """

    complete: bool
    q: Array
    branch: Branch | None
    cost: float
    ends: tuple[PathEnd, ...]
    seconds: float

    def __bool__(self) -> bool:
        return self.complete

    def __str__(self) -> str:
        if self.complete:
            return f"all {len(self.q)} poses without a jump{f', from the branch {self.branch}' if self.branch else ''}"
        return f"{len(self.q)} poses, then every branch has ended; the furthest: {self.ends[0] if self.ends else 'none'}"


def solve_path(
    model: Model, T_base_tool: Array, *, seed: Array | None = None, tip: str = "", base: str = "", hold: Hold | str | None = None,
    scene: Scene | None = None, weights: Array | None = None, max_step: float = MAX_STEP,
    tolerance: tuple[float, float] = (1e-5, 1e-5), random: int = 0,
) -> PathResult:  # fmt: skip
    """Joint positions along a path of poses, without a jump from one to the next.

    All solutions of the first pose are followed, each with its full turns, from pose to pose; where two of them meet the cheaper
    one goes on, and of the ways through the one that moves least is taken (dynamic programming). Where neighbours are further
    apart than a step, poses between them are followed too, so that a fast wrist is not taken for a jump; and a configuration that
    would slip over to another branch between two poses is not taken for a step.

    Args:
        T_base_tool: Poses, shape (N, 4, 4).
        seed: Where the robot is: ways that begin near it cost less.
        tip, base, hold, tolerance, random: As for `solve_ik`.
        scene: Every pose is to be free of collisions in it.
        weights: Of each joint's motion, shape (n,); paper 3's rule where left out.
        max_step: What a joint may move between neighbours [rad or m].

    Raises:
        BadTarget: A pose is no rigid transform or not finite; says which.
    """
    start = perf_counter()
    chain = chain_between(model, base, tip or model.tip)
    whole = model.zero() if seed is None else model.valid(seed, "seed").copy()
    own = np.clip(whole[chain.columns], chain.limits[0], chain.limits[1])
    poses = rigid_poses(T_base_tool)
    if not len(poses):
        return PathResult(True, np.empty((0, model.n)), None, 0.0, (), perf_counter() - start)
    if not 0.0 < max_step < 10.0:
        raise SolverError(f"a max_step of {max_step} is none; give what a joint may move between neighbours [rad or m]")
    scale, near = checked_weights(model, chain, weights), checked_tolerance(tolerance)
    search = _Search(model, chain, whole, Hold.of(hold), scene, scale, max_step, near, checked_random(random))
    layers = [search.first(poses[0], own)]
    ends: list[PathEnd] = []
    for number in range(1, len(poses)):
        if not len(layers[-1].states):
            break
        layer, ended = search.next(layers[-1], poses[number - 1], poses[number], number)
        ends += ended
        layers.append(layer)
    if not len(layers[-1].states):
        layers.pop()
        if not layers:
            ends.append(PathEnd(None, 0, search.why_not(poses[0], own)))
    rows = _trace(layers) if layers else np.empty((0, chain.n))
    q = np.tile(whole, (len(rows), 1))
    q[:, chain.columns] = rows
    named = bool(len(rows)) and has_branches(chain)
    return PathResult(
        complete=len(rows) == len(poses), q=q, branch=branch_of(chain, rows[0]) if named else None,
        cost=float(layers[-1].costs.min()) if layers else 0.0, ends=_furthest(ends),
        seconds=perf_counter() - start,
    )  # fmt: skip


def _furthest(ends: list[PathEnd]) -> tuple[PathEnd, ...]:
    """The last end of each branch, furthest first: its other ends are of other full turns."""
    last = {end.branch: end for end in sorted(ends, key=lambda end: end.point)}
    return tuple(sorted(last.values(), key=lambda end: -end.point))


@dataclass(frozen=True, eq=False)
class _Layer:
    """Configurations at one pose, what each cost to come to, and from which of the layer before."""

    states: Array  # (S, k)
    costs: Array  # (S,)
    parents: NDArray[np.int64]  # (S,)


def _trace(layers: list[_Layer]) -> Array:
    """The cheapest way through, shape (layers, k)."""
    index = int(layers[-1].costs.argmin())
    rows = []
    for layer in reversed(layers):
        rows.append(layer.states[index])
        index = int(layer.parents[index])
    return np.array(rows[::-1])


@dataclass(frozen=True, eq=False)
class _Search:
    model: Model
    chain: Chain
    whole: Array
    hold: Hold
    scene: Scene | None
    weights: Array
    max_step: float
    tolerance: tuple[float, float]
    random: int

    def first(self, T: Array, own: Array) -> _Layer:
        """Every solution of the first pose with every full turn that fits, the nearest to the seed where there are many."""
        states = []
        for solution in self._solutions(T, own):
            turns = turns_of(self.chain, self.chain.placed(self.whole, solution))
            # The nearest three of each joint: beyond them lies nothing that a path needs.
            choices = [_nearest_three(turns[column], near) for column, near in zip(self.chain.columns, own, strict=True)]
            states += [np.array(values) for values in islice(product(*choices), 4 * _STATES)]
        states = self._free(states)
        if not states:
            return _Layer(np.empty((0, self.chain.n)), np.empty(0), np.empty(0, dtype=np.int64))
        Q = np.array(states)
        costs = (((Q - own) * self.weights) ** 2).sum(axis=1)
        kept = np.argsort(costs, kind="stable")[:_STATES]
        return _Layer(Q[kept], costs[kept], np.zeros(len(kept), dtype=np.int64))

    def next(self, layer: _Layer, T_from: Array, T_to: Array, number: int) -> tuple[_Layer, list[PathEnd]]:
        """The configurations of the next pose that can be come to, and the branches that end here."""
        arrived, alive = self._move(layer.states, T_from, T_to)
        lost = np.flatnonzero(~alive)
        if len(lost):  # neighbours are far apart, or a joint is fast: through poses between them
            arrived[lost], alive[lost] = self._follow(layer.states[lost], T_from, T_to)
        free = alive.copy()
        free[alive] = self._mask_free(arrived[alive])
        ended = self._ends(layer.states[~alive], T_from, T_to, number)
        ended += self._collisions(layer.states[alive & ~free], arrived[alive & ~free], number)
        parents = np.flatnonzero(free)
        candidates = arrived[parents]
        steps = (((candidates - layer.states[parents]) * self.weights) ** 2).sum(axis=1)
        costs = layer.costs[parents] + steps
        order = np.argsort(costs, kind="stable")
        keep = np.empty(len(order), dtype=np.bool_)
        kernels.separate(np.ascontiguousarray(candidates[order]), np.zeros(self.chain.n, dtype=np.bool_), _SAME, keep)
        chosen = order[keep][:_STATES]
        return _Layer(candidates[chosen], costs[chosen], parents[chosen]), ended

    def _move(self, states: Array, T_from: Array, T_to: Array, limits: Array | None = None) -> tuple[Array, NDArray[np.bool_]]:
        """Each configuration moved to the next pose, and whether it got there within a step and on the way between the two.

        The way is tried in its middle: a configuration that slips over to another branch is off there.
        """
        Q, sizes = np.array(states), np.empty((len(states), 2))
        target = Target.of(T_to, self.hold)
        kernels.polish(*self.chain.geometry, self.chain.limits if limits is None else limits, *target.arrays, Q, sizes)
        near = (sizes[:, 0] <= self.tolerance[0]) & (sizes[:, 1] <= self.tolerance[1])
        off = self.chain.errors(Target.of(between(T_from, T_to, 0.5), self.hold), 0.5 * (states + Q))
        turn = float(np.linalg.norm(rotation_vector(T_to[:3, :3] @ T_from[:3, :3].T)))
        way = float(np.linalg.norm(T_to[:3, 3] - T_from[:3, 3])) + self.chain.radian * turn
        on_it = off[:, 0] + self.chain.radian * off[:, 1] <= _ASIDE * way + 2.0 * self.tolerance[0]
        return Q, near & on_it & (np.abs(Q - states) <= self.max_step).all(axis=1)

    def _follow(self, states: Array, T_from: Array, T_to: Array, limits: Array | None = None) -> tuple[Array, NDArray[np.bool_]]:
        """Each configuration led along poses between two that are neighbours."""
        Q, alive = np.array(states), np.ones(len(states), dtype=bool)
        edges = [between(T_from, T_to, step / _SUBSTEPS) for step in range(_SUBSTEPS + 1)]
        for one, two in pairwise(edges):
            Q[alive], reached = self._move(Q[alive], one, two, limits)
            alive[np.flatnonzero(alive)] = reached
            if not alive.any():
                break
        return Q, alive

    def _collisions(self, states: Array, arrived: Array, number: int) -> list[PathEnd]:
        """The branches whose next configuration touches something, and what."""
        ends: dict[Branch | None, PathEnd] = {}
        for state, there in zip(states, arrived, strict=True):
            branch = branch_of(self.chain, state) if has_branches(self.chain) else None
            if branch not in ends and self.scene is not None:
                contacts = self.scene.contacts(self.chain.placed(self.whole, there))
                pair = f"{contacts[0].first} would touch {contacts[0].second}" if contacts else "it would touch something"
                ends[branch] = PathEnd(branch, number, pair)
        return list(ends.values())

    def _ends(self, states: Array, T_from: Array, T_to: Array, number: int) -> list[PathEnd]:
        """Why configurations end, one for each branch."""
        if not len(states):
            return []
        named = has_branches(self.chain)
        ends: dict[Branch | None, PathEnd] = {}
        limits = self.chain.limits
        for state in states:
            branch = branch_of(self.chain, state) if named else None
            if branch in ends:
                continue
            there, alive = self._follow(state[None], T_from, T_to, self.chain.without_limits)
            over = [i for i in range(self.chain.n) if not limits[0, i] - 1e-9 <= there[0, i] <= limits[1, i] + 1e-9]
            if alive[0] and over:
                i = over[0]
                low, high = limits[0, i], limits[1, i]
                why = f"{self.chain.joints[i]} would have to go to {there[0, i]:.4g}, outside {low:.4g} to {high:.4g}"
            else:
                why = self.why_not(T_to, state)
            ends[branch] = PathEnd(branch, number, why)
        return list(ends.values())

    def why_not(self, T: Array, state: Array) -> str:
        """Why a pose is not come to from a configuration: it cannot be reached at all, or only by a jump."""
        found = self._solutions(T, state)
        if not found:
            problem = self._problem(T, state)
            hindrance = hindrance_of(problem, state)[1]
            return str(hindrance) if hindrance else "it is come to only through a singularity"
        gaps = [np.where(self.chain.turning, (q - state + np.pi) % (2 * np.pi) - np.pi, q - state) for q in found]
        gap = min(gaps, key=lambda values: float(np.abs(values).max()))
        joint = int(np.abs(gap).argmax())
        if not self._free(found):
            return "every solution there collides"
        return f"a singularity: {self.chain.joints[joint]} would have to jump by {abs(gap[joint]):.3g}"

    def _solutions(self, T: Array, near: Array) -> list[Array]:
        problem = self._problem(T, near)
        if self._closed:
            found = solve_closed_form(problem).solutions
            if found:
                return found
        return distinct(self.chain, solve_numeric(problem).solutions, 1e-3)

    def _problem(self, T: Array, near: Array) -> Problem:
        target = Target.of(T, self.hold)
        return Problem(self.model, self.chain, target, near, self.tolerance, 0.02, self.random, every=True)

    @property
    def _closed(self) -> bool:
        return self.hold.form == kernels.POSE and bool(closed_form_of(self.chain).family)

    def _free(self, states: list[Array]) -> list[Array]:
        if self.scene is None:
            return states
        return [state for state in states if self.scene.free(self.chain.placed(self.whole, state))]

    def _mask_free(self, Q: Array) -> NDArray[np.bool_]:
        if self.scene is None:
            return np.ones(len(Q), dtype=bool)
        return np.array([self.scene.free(self.chain.placed(self.whole, state)) for state in Q], dtype=bool)


def _nearest_three(values: tuple[float, ...], near: float) -> list[float]:
    return sorted(values, key=lambda value: abs(value - near))[:3]
