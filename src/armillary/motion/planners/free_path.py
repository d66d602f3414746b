"""Free ways between configurations: checked, found by a planner, made shorter."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from armillary.model import Scene
from armillary.motion.clearance import pair_levers
from armillary.motion.errors import BadMotion, NoMotion
from armillary.plugin import Plugins

__all__ = ["FreePath", "Looks", "Planner", "edge_step", "find_free_path", "known_planners"]

Array = NDArray[np.float64]
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
        planner: One of `known_planners()`.
        budget: Seconds at most; the planners with a star use all of it for a shorter way.
        clearance: Distance to be kept [m].

    Raises:
        NoMotion: Start or all goals collide (which pair, how deep, and a free configuration nearby), or no way was found.
    """
    search = _PLANNERS.find(planner)
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
    looks = Looks(scene, clearance)
    for i in free:  # the straight line first: it is what a person expects where nothing is in the way
        if looks.edge(start, goals[i]):
            return FreePath(np.array([start, goals[i]]), i, perf_counter() - begin, looks.count)
        break
    points = np.asarray(search(looks, start, [np.asarray(goals[i]) for i in free], budget, seed), dtype=float)
    if planner not in _OURS:
        _must_lead(looks, points, start, planner)
    points = _shorter(looks, points, np.random.default_rng(seed))
    last = min(range(len(free)), key=lambda i: float(np.abs(goals[free[i]] - points[-1]).max()))
    return FreePath(points, free[last], perf_counter() - begin, looks.count)


def edge_step(scene: Scene) -> float:
    """How far a joint may move between two looks, so that no point of a long arm moves past something thin [rad or m]."""
    levers = pair_levers(scene)
    return min(_STEP, _WAY / max(float(levers.max(initial=0.0)), 1e-6))


class Looks:
    """What a planner asks of the world: whether a configuration is free, and whether the straight way between two is.

    Attributes:
        scene: The robot (`scene.model`) and its world.
        step: How far a joint may move between two looks [rad or m].
        count: How often a configuration was checked.
    """

    def __init__(self, scene: Scene, clearance: float) -> None:
        self.scene, self.clearance, self.count = scene, clearance, 0
        self.step = edge_step(scene)

    def free(self, q: Array) -> bool:
        """Whether a configuration touches nothing."""
        self.count += 1
        return self.scene.free(q, clearance=self.clearance)

    def edge(self, a: Array, b: Array) -> bool:
        """Whether the straight way between two configurations touches nothing; looked at from its middle outwards."""
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


Planner = Callable[[Looks, Array, list[Array], float, int], Array]


def _of_ompl(name: str) -> Callable[[], Planner]:
    def load() -> Planner:
        from armillary.motion.planners.ompl_planner import plan_by_ompl

        return partial(plan_by_ompl, name)

    return load


_OURS = ("RRTConnect", "RRTstar", "InformedRRTstar")
_PLANNERS: Plugins[Planner] = Plugins(
    "armillary.planners", "planner", {name: _of_ompl(name) for name in _OURS}, error=BadMotion
)  # fmt: skip


def known_planners() -> list[str]:
    """Names of the planners that there are, ours first. Others are entry points of installed packages in `armillary.planners`:
    functions of `Looks`, start, goals, budget [s] and seed that return configurations joined by free straight ways, shape (N, n),
    or raise `NoMotion`."""
    return _PLANNERS.names


def _must_lead(looks: Looks, points: Array, start: Array, planner: str) -> None:
    """Refuse what a planner of another package says where it is no free way."""
    if points.ndim != 2 or points.shape[1] != len(start) or len(points) < 2 or not np.isfinite(points).all():
        raise NoMotion(f"what the planner {planner} gave back, of shape {points.shape}, is no way of {len(start)} joints")
    if np.abs(points[0] - start).max() > 1e-9:
        raise NoMotion(f"the way of the planner {planner} does not begin at the start")
    if not all(looks.edge(a, b) for a, b in itertools.pairwise(points)):
        raise NoMotion(f"the way of the planner {planner} is not free")


def _shorter(looks: Looks, points: Array, rng: np.random.Generator, tries: int = 120) -> Array:
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
