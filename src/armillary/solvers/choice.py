"""Which of several solutions is taken, and which full turn of each joint."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from armillary.model import Model
from armillary.solvers.chain import Chain
from armillary.solvers.errors import SolverError
from armillary.solvers.kernels import nearest_turn

__all__ = ["CHOICES", "in_order", "rule_weights"]

Array = NDArray[np.float64]


def rule_weights(k: int) -> Array:
    """Paper 3's weights of k joints, (1, 0.5, 0.5, 0.1, ...): joints near the base are moved least."""
    return np.array([1.0, 0.5, 0.5] + [0.1] * max(0, k - 3))[:k]


def in_order(model: Model, chain: Chain, found: list[Array], seed: Array, choose: str, weights: Array) -> list[Array]:
    """Solutions of the whole model, each at its best full turn, best first.

    Args:
        found: Solutions of the whole model, shape (n,) each.
        seed: What "nearest" is measured from, shape (n,).
        choose: One of `CHOICES`.
        weights: Of the chain's joints, shape (k,); for "nearest".
    """
    try:
        order = CHOICES[choose]
    except KeyError:
        raise SolverError(f"'{choose}' is no way to choose among solutions; there are: {', '.join(CHOICES)}") from None
    return order(model, chain, found, seed, weights)


def _nearest(model: Model, chain: Chain, found: list[Array], seed: Array, weights: Array) -> list[Array]:  # noqa: ARG001
    turned = [_turn(chain, q, seed) for q in found]
    if len(turned) <= 1:
        return turned
    gaps = (np.array(turned)[:, chain.columns] - seed[chain.columns]) * weights
    return [turned[i] for i in np.argsort(np.einsum("ij,ij->i", gaps, gaps), kind="stable")]


def _central(model: Model, chain: Chain, found: list[Array], seed: Array, weights: Array) -> list[Array]:  # noqa: ARG001
    lower, upper = chain.limits[:2]
    bounded = np.isfinite(lower) & np.isfinite(upper) & (upper > lower)
    middle = seed.copy()
    middle[chain.columns[bounded]] = (0.5 * (lower + upper))[bounded]
    turned = [_turn(chain, q, middle) for q in found]

    def off_centre(q: Array) -> float:
        own = q[chain.columns][bounded]
        return float(np.max(np.abs(2 * own - lower[bounded] - upper[bounded]) / (upper - lower)[bounded], initial=0.0))

    return sorted(turned, key=off_centre)


def _manipulable(model: Model, chain: Chain, found: list[Array], seed: Array, weights: Array) -> list[Array]:
    turned = _nearest(model, chain, found, seed, weights)
    return sorted(turned, key=lambda q: -_volume(chain, q[chain.columns]))


def _volume(chain: Chain, own: Array) -> float:
    """Yoshikawa's measure of the tip against the base, which may move too."""
    return float(np.prod(np.linalg.svd(chain.jacobian(own), compute_uv=False)))


def _turn(chain: Chain, q: Array, towards: Array) -> Array:
    """The same solution at the full turns that are nearest to another configuration."""
    turned = q.copy()
    nearest_turn(turned, chain.columns, chain.limits, chain.turning, towards)
    return turned


CHOICES: dict[str, Callable[[Model, Chain, list[Array], Array, Array], list[Array]]] = {
    "nearest": _nearest,
    "central": _central,
    "manipulability": _manipulable,
}
