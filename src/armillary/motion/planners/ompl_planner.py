"""Ways around obstacles by OMPL's sampling planners."""

from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ompl import base, geometric, util

from armillary.motion.errors import NoMotion
from armillary.motion.planners.free_path import Looks

__all__ = ["plan_by_ompl"]

Array = NDArray[np.float64]


def plan_by_ompl(planner: str, looks: Looks, start: Array, goals: list[Array], budget: float, seed: int) -> Array:
    """Configurations joined by free straight ways, shape (N, n), by one of OMPL's planners."""
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

    def is_free(state: Any) -> bool:
        for i in range(n):
            values[i] = state[i]
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


def _state(space: Any, q: Array) -> Any:
    state = space.allocState()
    for i, value in enumerate(q):
        state[i] = float(value)
    return state
