"""Planning around obstacles: six fixed scenes, 50 seeds each, and raw OMPL in the same run.

Ours is `plan_around`: search, shortening, corners rounded, jerk-limited timing and proof. The peer is OMPL's RRTConnect and its
own simplification with the same range and resolution, whose checker is coal on the same hulls and pairs, stopping at the first
hit; no timing, no proof. "search" is our search and shortening alone, which is what the peer does. Rounds alternate.
"""

import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent))
from support.harness import Row, finish, options
from support.scenes import SCENES, Task, task

from armillary.motion import MotionError, find_free_path, plan_around
from armillary.motion.planners.free_path import edge_step

Array = NDArray[np.float64]
CLEARANCE, RANGE = 0.005, 0.8


def raw_ompl(problem: Task, seed: int) -> bool:
    from ompl import base, geometric, util

    util.setLogLevel(util.LogLevel.LOG_NONE)
    util.RNG.setSeed(seed + 1)
    model, scene = problem.model, problem.scene
    scene.free(problem.start)  # margins back to none
    geometry, data, n = scene._geometry, scene._data, model.n
    space, box = base.RealVectorStateSpace(n), base.RealVectorBounds(n)
    for i in range(n):
        box.setLow(i, float(model.lower[i]))
        box.setHigh(i, float(model.upper[i]))
    space.setBounds(box)
    q = np.empty(n)

    def is_free(state: Any) -> bool:
        for i in range(n):
            q[i] = state[i]
        pin.updateGeometryPlacements(model.pin, model.data, geometry, data, q)
        return not pin.computeCollisions(geometry, data, True)

    setup = geometric.SimpleSetup(space)
    setup.setStateValidityChecker(is_free)
    setup.getSpaceInformation().setStateValidityCheckingResolution(edge_step(scene) / float(space.getMaximumExtent()))
    ends = []
    for values in (problem.start, problem.goal):
        state = space.allocState()
        for i, value in enumerate(values):
            state[i] = float(value)
        ends.append(state)
    setup.setStartAndGoalStates(*ends)
    planner = geometric.RRTConnect(setup.getSpaceInformation())
    planner.setRange(RANGE)
    setup.setPlanner(planner)
    setup.setup()
    setup.solve(5.0)
    if not setup.haveExactSolutionPath():
        return False
    setup.simplifySolution(1.0)
    return True


def main() -> None:
    opts = options(__doc__ or "")
    seeds = range(opts.seed * 1000, opts.seed * 1000 + (200 if opts.full else 50))
    rows: list[Row] = []
    for name in SCENES:
        problem = task(name)
        plan_around(problem.model, problem.start, problem.goal, problem.scene, seed=12345)  # loaded
        whole, search, raw, solved = [], [], [], 0
        for number, seed in enumerate(seeds):
            start = time.perf_counter()
            try:
                solved += bool(plan_around(problem.model, problem.start, problem.goal, problem.scene, seed=seed))
            except MotionError as error:
                print(f"{name}, seed {seed}: {error}")
            whole.append(time.perf_counter() - start)
            if number % 10 == 0:
                start = time.perf_counter()
                find_free_path(
                    problem.scene,
                    problem.start,
                    [problem.goal],
                    seed=seed,
                    clearance=CLEARANCE if problem.scene.free(problem.goal, clearance=CLEARANCE) else 0.0,
                )
                search.append(time.perf_counter() - start)
                start = time.perf_counter()
                raw_ompl(problem, seed)
                raw.append(time.perf_counter() - start)
        case = f"{name} ({problem.model.spec.robot.name})"
        rows.append(Row(f"{case}: of {len(seeds)} seeds", "solved", solved / len(seeds), None, "", 1.0, smaller_is_better=False))
        rows.append(Row(f"{case}: planned and proven, median", "ms", statistics.median(whole) * 1e3, None, "", 100.0))
        rows.append(Row(f"{case}: planned and proven, slowest", "ms", max(whole) * 1e3, None, "", None))
        rows.append(
            Row(f"{case}: search", "ms", statistics.median(search) * 1e3, statistics.median(raw) * 1e3, "raw OMPL, raw coal", 1.3)
        )
    finish("planning", opts.seed, rows, opts.json)


if __name__ == "__main__":
    main()
