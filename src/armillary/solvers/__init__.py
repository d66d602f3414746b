"""Inverse kinematics: `solve_ik` for a pose, `solve_path` along many, `solve_ik_batch` for many at once, `Jog` for a velocity."""

from armillary.solvers.batch import BatchResult, solve_ik_batch
from armillary.solvers.branch import Branch
from armillary.solvers.chain import Chain, chain_between
from armillary.solvers.differential import Jog, JogStep
from armillary.solvers.errors import BadTarget, SolverError, UnknownMethod
from armillary.solvers.ik import solve_ik
from armillary.solvers.method import Found, Method, Problem, find_method, known_methods
from armillary.solvers.path import PathEnd, PathResult, solve_path
from armillary.solvers.result import Hindrance, IkResult, Solution
from armillary.solvers.target import Hold, Target
from armillary.solvers.warm import needs_compiling, warm_up

__all__ = [
    "BadTarget",
    "BatchResult",
    "Branch",
    "Chain",
    "Found",
    "Hindrance",
    "Hold",
    "IkResult",
    "Jog",
    "JogStep",
    "Method",
    "PathEnd",
    "PathResult",
    "Problem",
    "Solution",
    "SolverError",
    "Target",
    "UnknownMethod",
    "chain_between",
    "find_method",
    "known_methods",
    "needs_compiling",
    "solve_ik",
    "solve_ik_batch",
    "solve_path",
    "warm_up",
]
