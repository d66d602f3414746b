"""The solvers' inner loops, compiled by numba and kept on disk: what the solvers take of them, in one place."""

from armillary.solvers.descent_kernels import damped, descend, follow, polish, shy_away
from armillary.solvers.error_kernels import AXIS, MASK, POINT, POSE, error, errors_along, errors_at, rigid
from armillary.solvers.forward_kernels import cosines, forward
from armillary.solvers.search_kernels import search, search_many, solve
from armillary.solvers.turn_kernels import clamp, confirm, nearest_turn, separate

__all__ = [
    "AXIS",
    "MASK",
    "POINT",
    "POSE",
    "clamp",
    "confirm",
    "cosines",
    "damped",
    "descend",
    "error",
    "errors_along",
    "errors_at",
    "follow",
    "forward",
    "nearest_turn",
    "polish",
    "rigid",
    "search",
    "search_many",
    "separate",
    "shy_away",
    "solve",
]
