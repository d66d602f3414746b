"""What an IK method is given and gives back, and how methods are found by name."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armillary.model import Model
from armillary.plugin import Plugins
from armillary.solvers.chain import Chain
from armillary.solvers.errors import SolverError, UnknownMethod
from armillary.solvers.target import Target

__all__ = ["Found", "Method", "Problem", "find_method", "known_methods"]

Array = NDArray[np.float64]


class Problem(NamedTuple):
    """One question to an IK method: plain values.

    Attributes:
        model: The robot.
        chain: The k joints between base and tip; the method works on these alone.
        target: What is to be reached, in the chain's base.
        seed: Where to start, inside the limits, shape (k,).
        tolerance: What counts as reached [m], [rad].
        budget: Seconds at most.
        random: Number that all randomness follows from.
        every: Whether all solutions are asked for, or one.
    """

    model: Model
    chain: Chain
    target: Target
    seed: Array
    tolerance: tuple[float, float] = (1e-5, 1e-5)
    budget: float = 0.02
    random: int = 0
    every: bool = False


class Found(NamedTuple):
    """What a method found. Whoever asked checks every solution by forward kinematics and the limits.

    Attributes:
        solutions: Configurations of the chain that reach the target, shape (k,) each.
        best: The nearest that it came, where there is no solution.
        complete: Whether these are all there are, full turns aside.
        iterations, restarts: How long it took.
        notes: What the user should know.
    """

    solutions: list[Array]
    best: Array | None = None
    complete: bool = False
    iterations: int = 0
    restarts: int = 0
    notes: tuple[str, ...] = ()


Method = Callable[[Problem], Found]


def known_methods() -> list[str]:
    """Names of the methods that there are, ours first."""
    return _METHODS.names


def find_method(name: str) -> Method:
    """A method by its name: ours, or one that an installed package declares as an entry point in `armillary.ik_methods`.

    Raises:
        UnknownMethod: There is none; the message lists those there are.
        SolverError: The package that declares it cannot be imported.
    """
    return _METHODS.find(name)


def _numeric() -> Method:
    from armillary.solvers.numeric import solve_numeric

    return solve_numeric


def _closed_form() -> Method:
    from armillary.solvers.closed_form import solve_closed_form

    return solve_closed_form


def _swarm() -> Method:
    from armillary.solvers.swarm import solve_swarm

    return solve_swarm


_METHODS: Plugins[Method] = Plugins(
    "armillary.ik_methods", "IK method", {"closed_form": _closed_form, "numeric": _numeric, "swarm": _swarm},
    error=SolverError, unknown=UnknownMethod, also=("auto",),
)  # fmt: skip
