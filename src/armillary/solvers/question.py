"""What every solver's front checks of its arguments, in one place."""

import numpy as np
from numpy.typing import NDArray

from armillary.model import BadConfiguration, Model
from armillary.solvers.chain import Chain
from armillary.solvers.choice import rule_weights
from armillary.solvers.errors import SolverError

__all__ = ["checked_budget", "checked_random", "checked_tolerance", "checked_weights"]

Array = NDArray[np.float64]


def checked_tolerance(tolerance: tuple[float, float]) -> tuple[float, float]:
    """Metres and radians, above zero."""
    try:
        metres, radians = (float(value) for value in tolerance)
    except (TypeError, ValueError):
        raise SolverError(f"a tolerance of {tolerance!r} is none; give metres and radians") from None
    if not (0.0 < metres < 1e6 and 0.0 < radians < 1e6):
        raise SolverError(f"a tolerance of {metres} m and {radians} rad cannot be met; give two numbers above zero")
    return metres, radians


def checked_budget(budget: float) -> float:
    """Seconds, above zero and at most an hour."""
    try:
        seconds = float(budget)
    except (TypeError, ValueError):
        raise SolverError(f"a budget of {budget!r} is none; give seconds") from None
    if not 0.0 < seconds <= 3600.0:
        raise SolverError(f"a budget of {seconds} s is none; give seconds above zero, at most 3600")
    return seconds


def checked_random(random: int) -> int:
    """A whole number from 0 to 2^32 - 1."""
    try:
        number = int(random)
    except (TypeError, ValueError, OverflowError):
        number = -1
    if number != random or not 0 <= number < 2**32:
        raise SolverError(f"random = {random!r} is no seed; give a whole number from 0 to {2**32 - 1}")
    return number


def checked_weights(model: Model, chain: Chain, weights: Array | None) -> Array:
    """The chain's share of the weights of all joints; paper 3's rule where none are given. Shape (k,)."""
    if weights is None:
        return rule_weights(chain.n)
    try:
        given = np.asarray(weights, dtype=float)
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.shape != (model.n,) or not ((given >= 0) & (given < 1e9)).all():
        raise BadConfiguration(f"weights {weights!r} are not {model.n} numbers, none below zero; give one for each joint")
    return np.asarray(given[chain.columns])
