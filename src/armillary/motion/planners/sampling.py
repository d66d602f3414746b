"""Free ways between configurations by OMPL's sampling planners, made shorter."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from armillary.model import Scene
from armillary.motion.clearance import pair_levers
from armillary.motion.errors import BadMotion, NoMotion

__all__ = ["PLANNERS", "FreePath", "edge_step", "find_free_path"]

Array = NDArray[np.float64]
PLANNERS = ("RRTConnect", "RRTstar", "InformedRRTstar")
_STEP, _WAY = 0.05, 0.04  # between two looks on an edge: rad or m of a joint, and m of any point of the robot


@dataclass(frozen=True, eq=False)
class FreePath:
    """A way round obstacles.

    Attributes:
        points: Configurations, joined by straight lines, shape (N, n).
        goal: Which of the goals it ends at.
        seconds: How long it took.
        looks: How often a configuration was checked.
    """

    points: Array
    goal: int
    seconds: float
    looks: int


def find_free_path(
    scene: Scene, start: Array, goals: Sequence[Array], *, planner: str = "RRTConnect", budget: float = 5.0, seed: int = 0,
    clearance: float = 0.0,
) -> FreePath:  # fmt: skip
    """A way from a configuration to one of several that touches nothing.

    The same seed gives the same way, as long as the budget does not end it.

    Args:
        goals: Configurations that will all do, best first.
        planner: One of `PLANNERS`.
        budget: Seconds at most; the planners with a star use all of it for a shorter way.
        clearance: Distance to be kept [m].

    Raises:
        NoMotion: Start or all goals collide (which pair, how deep, and a free configuration nearby), or no way was found.
    """
    if planner not in PLANNERS:
        raise BadMotion(f"there is no planner '{planner}'; there are: {', '.join(PLANNERS)}")
    begin = perf_counter()
    model = scene.model
    start = model.valid(start, "start")
    _must_be_free(scene, start, "the start", clearance)
    free = [
        i
        for i, goal in enumerate(goals)
        if not model.outside(goal) and scene.free(model.valid(goal, "goal"), clearance=clearance)
    ]
    if not free:
        if not len(goals):
            raise NoMotion("there is no goal: nothing reaches it")
        _must_be_free(scene, np.asarray(goals[0]), "the goal", clearance)
        raise NoMotion(f"the goal is outside its limits: {model.outside(goals[0])[0]}")
    looks = _Looks(scene, clearance)
    for i in free:  # the straight line first: it is what a person expects where nothing is in the way
        if looks.edge(start, goals[i]):
            return FreePath(np.array([start, goals[i]]), i, perf_counter() - begin, looks.count)
        break
    points = _planned(looks, start, [goals[i] for i in free], planner, budget, seed)
    points = _shorter(looks, points, np.random.default_rng(seed))
    last = min(range(len(free)), key=lambda i: float(np.abs(goals[free[i]] - points[-1]).max()))
    return FreePath(points, free[last], perf_counter() - begin, looks.count)


def edge_step(scene: Scene) -> float:
    """How far a joint may move between two looks, so that no point of a long arm moves past something thin [rad or m]."""
    levers = pair_levers(scene)
    return min(_STEP, _WAY / max(float(levers.max(initial=0.0)), 1e-6))


class _Looks:
    """Counts how often configurations are checked, and checks edges from their middle outwards."""

    def __init__(self, scene: Scene, clearance: float) -> None:
        self.scene, self.clearance, self.count = scene, clearance, 0
        self.step = edge_step(scene)

    def free(self, q: Array) -> bool:
        self.count += 1
        return self.scene.free(q, clearance=self.clearance)

    def edge(self, a: Array, b: Array) -> bool:
        steps = int(np.ceil(float(np.abs(b - a).max()) / self.step))
        if steps <= 1:
            return self.free(b)
        # In an order that visits every part of the edge early: a hit is then found soon.
        shares = np.arange(1, steps + 1) / steps
        stride = 1
        while stride * 2 < steps:
            stride *= 2
        done = np.zeros(steps, dtype=bool)
        while stride >= 1:
            for i in range(stride - 1, steps, stride):
                if not done[i]:
                    done[i] = True
                    if not self.free(a + shares[i] * (b - a)):
                        return False
            stride //= 2
        return True


def _planned(looks: _Looks, start: Array, goals: list[Array], planner: str, budget: float, seed: int) -> Array:
    """What OMPL finds."""
    from ompl import base, geometric, util

    util.setLogLevel(util.LogLevel.LOG_NONE)
    util.RNG.setSeed(seed + 1)  # zero is refused
    model = looks.scene.model
    n = model.n
    low = np.where(np.isfinite(model.lower), model.lower, -np.pi)
    high = np.where(np.isfinite(model.upper), model.upper, np.pi)
    low, high = np.minimum(low, start), np.maximum(high, start)
    space = base.RealVectorStateSpace(n)
    box = base.RealVectorBounds(n)
    for i in range(n):
        box.setLow(i, float(low[i]))
        box.setHigh(i, float(high[i]))
    space.setBounds(box)
    information = base.SpaceInformation(space)
    values = np.empty(n)

    def is_free(state: object) -> bool:
        for i in range(n):
            values[i] = state[i]  # type: ignore[index]
        return looks.free(values)

    information.setStateValidityChecker(is_free)
    information.setStateValidityCheckingResolution(looks.step / float(space.getMaximumExtent()))
    information.setup()
    task = base.ProblemDefinition(information)
    task.addStartState(_state(space, start))
    ends = base.GoalStates(information)
    for goal in goals:
        ends.addState(_state(space, goal))
    task.setGoal(ends)
    search = getattr(geometric, planner)(information)
    search.setRange(0.8)
    search.setProblemDefinition(task)
    search.setup()
    begin = perf_counter()
    solved = search.solve(float(budget))
    if not task.hasExactSolution():
        tree = base.PlannerData(information)
        search.getPlannerData(tree)
        raise NoMotion(
            f"no way was found by {planner} in {perf_counter() - begin:.2g} s ({tree.numVertices()} configurations, "
            f"{looks.count} looks, {solved}); give it more time, another seed, or more room"
        )
    path = task.getSolutionPath()
    return np.array([[path.getState(k)[i] for i in range(n)] for k in range(path.getStateCount())])


def _state(space: object, q: Array) -> object:
    state = space.allocState()  # type: ignore[attr-defined]
    for i, value in enumerate(q):
        state[i] = float(value)
    return state


def _shorter(looks: _Looks, points: Array, rng: np.random.Generator, tries: int = 120) -> Array:
    """Cut corners: between two places on the way, anywhere on its edges, go straight where that is free."""
    path = list(points)
    for _ in range(tries):
        if len(path) < 3:
            break
        lengths = np.array([float(np.linalg.norm(b - a)) for a, b in itertools.pairwise(path)])
        total = float(lengths.sum())
        one, two = np.sort(rng.uniform(0.0, total, 2))
        i, a = _place(path, lengths, float(one))
        j, b = _place(path, lengths, float(two))
        if i == j or float(np.linalg.norm(b - a)) >= (two - one) * (1.0 - 1e-6):
            continue
        if looks.edge(a, b):
            path = [*path[: i + 1], a, b, *path[j + 1 :]]
            path = [path[0], *(q for p, q in itertools.pairwise(path) if float(np.abs(q - p).max()) > 1e-9)]
    for i in range(len(path) - 2, 0, -1):  # what lies on a line, or is not needed
        if looks.edge(path[i - 1], path[i + 1]):
            del path[i]
    return np.array(path)


def _place(path: list[Array], lengths: Array, way: float) -> tuple[int, Array]:
    edges = np.concatenate([[0.0], np.cumsum(lengths)])
    i = int(np.clip(np.searchsorted(edges, way, side="right") - 1, 0, len(lengths) - 1))
    share = (way - edges[i]) / max(float(lengths[i]), 1e-12)
    return i, path[i] + share * (path[i + 1] - path[i])


def _must_be_free(scene: Scene, q: Array, what: str, clearance: float) -> None:
    model = scene.model
    said = model.outside(q)
    if said:
        raise NoMotion(f"{what} is outside its limits: {said[0]}")
    if scene.free(q, clearance=clearance):
        return
    contacts = scene.contacts(q, clearance=clearance)
    pair = (
        f"{contacts[0].first} is {contacts[0].depth * 1e3:.3g} mm inside {contacts[0].second}"
        if contacts
        else "it touches something"
    )
    near = _free_nearby(scene, q, clearance)
    hint = f"; {np.array2string(near, precision=3, separator=', ')} nearby is free" if near is not None else ""
    raise NoMotion(f"{what} collides: {pair}{hint}")


def _free_nearby(scene: Scene, q: Array, clearance: float) -> Array | None:
    """The nearest free configuration of some hundred tries, ever further away."""
    model, rng = scene.model, np.random.default_rng(0)
    for width in (0.02, 0.05, 0.1, 0.2, 0.4):
        tries = np.clip(q + width * rng.uniform(-1.0, 1.0, (40, model.n)), model.lower, model.upper)
        good = [each for each in tries if scene.free(each, clearance=clearance)]
        if good:
            return min(good, key=lambda each: float(np.linalg.norm(each - q)))
    return None
