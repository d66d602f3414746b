"""An IK method of one's own: a function of a Problem. As an entry point of a package it is found by name (docs/solvers.md)."""

import numpy as np

from armillary.model import frame_pose, load_model
from armillary.solvers import Found, Problem, Target, chain_between


def random_search(problem: Problem) -> Found:
    """The best of many random configurations, drawn ever nearer to the best so far."""
    rng = np.random.default_rng(problem.random)
    low, high = problem.chain.limits[2:]
    best, gap, width = problem.seed, np.inf, 1.0
    for _ in range(40):
        for q in np.clip(best + width * rng.uniform(low - high, high - low, (200, problem.chain.n)), low, high):
            off = float(np.linalg.norm(problem.chain.pose(q)[:3, 3] - problem.target.T[:3, 3]))
            if off < gap:
                best, gap = q, off
        width *= 0.7
    return Found([best] if gap < problem.tolerance[0] else [], best=best)


cobot = load_model("cobot6")
chain = chain_between(cobot, "", "tool")  # from the world, which frame_pose is in
target = Target.of(frame_pose(cobot, np.full(6, 0.4), "tool"))
found = random_search(Problem(cobot, chain, target, np.zeros(6), tolerance=(1e-3, 1e-3)))
print(
    "found" if found.solutions else "not found", "- what a method finds, solve_ik checks by forward kinematics before it is used"
)
