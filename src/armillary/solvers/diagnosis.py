"""Why a target is not reached: beyond reach, a limit, or the orientation; and the nearest pose that is."""

import numpy as np
from numpy.typing import NDArray

from armillary.solvers.chain import Chain
from armillary.solvers.method import Problem
from armillary.solvers.numeric import nearest_reachable
from armillary.solvers.result import Hindrance
from armillary.solvers.target import Hold, Target

__all__ = ["hindrance_of"]

Array = NDArray[np.float64]
_AT_LIMIT = 1e-6


def hindrance_of(problem: Problem, best: Array) -> tuple[Array, Hindrance | None]:
    """The configuration of the chain that comes nearest, and what holds it there; nothing where it is the target after all.

    Args:
        best: The nearest that the solver came.
    """
    chain, target = problem.chain, problem.target
    length = chain.radian
    q = nearest_reachable(chain, target, [best, problem.seed], length=length)
    sizes = chain.errors(target, q[None])[0].tolist()
    if sizes[0] <= problem.tolerance[0] and sizes[1] <= problem.tolerance[1]:
        return q, None
    held = _at_limits(chain, q)
    if any(target.hold.weights[:3]):
        axes = "tool" if target.hold.in_tool else "base"
        point = Target.of(target.T, Hold.mask([*target.hold.weights[:3], 0, 0, 0], axes=axes))
        there = nearest_reachable(chain, point, [q, best], length=length)
        short = float(chain.errors(point, there[None])[0, 0])
        if short > problem.tolerance[0]:
            return q, _short(problem, point, there, q, short, length)
    loose = nearest_reachable(chain, target, [q, best, problem.seed], length=length, limits=chain.without_limits)
    off = chain.errors(target, loose[None])[0].tolist()
    if off[0] <= problem.tolerance[0] and off[1] <= problem.tolerance[1]:
        turned = _inside(chain, loose)
        over = [i for i in range(chain.n) if not chain.limits[0, i] - _AT_LIMIT <= turned[i] <= chain.limits[1, i] + _AT_LIMIT]
        if over or held:
            return q, Hindrance("limit", _limit_in_words(chain, over, turned, held, q), _over(chain, over, turned),
                                _names(chain, over or held))  # fmt: skip
    advice = "; hold the position and one axis instead" if target.hold.constraints == 6 else "; hold less"
    if chain.n < target.hold.constraints:
        return q, Hindrance(
            "orientation",
            f"{chain.n} joints cannot hold {target.hold.constraints} directions at once: the position can be reached, this "
            f"orientation with it only to {_off(problem, sizes)}{advice}",
            sizes[1], _names(chain, held),
        )  # fmt: skip
    moved = any(target.hold.weights[:3])
    text = "the position can be reached, but not with this orientation" if moved else "this orientation cannot be reached"
    text += f": the nearest pose to both is off by {_off(problem, sizes)}"
    return q, Hindrance("orientation", text, float(sizes[1]), _names(chain, held))


def _short(problem: Problem, point: Target, there: Array, q: Array, short: float, length: float) -> Hindrance:
    """The position itself is not reached: beyond all reach, or held by limits."""
    chain = problem.chain
    loose = nearest_reachable(chain, point, [there, q], length=length, limits=chain.without_limits)
    further = float(chain.errors(point, loose[None])[0, 0])
    if further > 0.5 * short and further > problem.tolerance[0]:
        return Hindrance("reach", f"beyond reach by {_distance(short)}", short)
    joints = _at_limits(chain, there)
    text = f"out of reach by {_distance(short)} {_limits_in_words(chain, joints, there)}"
    return Hindrance("limit", text, short, _names(chain, joints))


def _at_limits(chain: Chain, q: Array) -> list[int]:
    near = np.minimum(q - chain.limits[0], chain.limits[1] - q) < _AT_LIMIT
    return [int(index) for index in np.flatnonzero(near)]


def _inside(chain: Chain, q: Array) -> Array:
    """Full turns of a configuration that come nearest to the limits' middle."""
    low, high = chain.limits[2:]
    turned = q - 2 * np.pi * np.rint((q - 0.5 * (low + high)) / (2 * np.pi))
    return np.where(chain.turning, turned, q)


def _over(chain: Chain, over: list[int], q: Array) -> float:
    return max((float(max(chain.limits[0, i] - q[i], q[i] - chain.limits[1, i])) for i in over), default=0.0)


def _names(chain: Chain, indices: list[int]) -> tuple[str, ...]:
    return tuple(chain.joints[index] for index in indices)


def _limits_in_words(chain: Chain, joints: list[int], q: Array) -> str:
    said = [f"{chain.joints[i]} at its {_which(chain, i, q)}" for i in joints]
    return "with " + " and ".join(said) if said else "inside the limits"


def _limit_in_words(chain: Chain, over: list[int], turned: Array, held: list[int], q: Array) -> str:
    """A solution without limits names what would have to give; else the joints that stand at their limits do."""
    if over:
        said = []
        for i in over:
            lower, upper = chain.limits[0, i], chain.limits[1, i]
            said.append(f"{chain.joints[i]} would have to be at {turned[i]:.4g}, outside {lower:.4g} to {upper:.4g}")
        return "beyond the limits: " + " and ".join(said)
    return "held by " + " and ".join(f"{chain.joints[i]} at its {_which(chain, i, q)}" for i in held)


def _which(chain: Chain, index: int, q: Array) -> str:
    upper = chain.limits[1, index] - q[index] < q[index] - chain.limits[0, index]
    return f"{'upper' if upper else 'lower'} limit ({chain.limits[1 if upper else 0, index]:.4g})"


def _off(problem: Problem, sizes: list[float]) -> str:
    parts = [_angle(sizes[1])] if sizes[1] > problem.tolerance[1] else []
    if sizes[0] > problem.tolerance[0]:
        parts.append(_distance(sizes[0]))
    return " and ".join(parts)


def _distance(metres: float) -> str:
    return f"{metres * 1e3:.3g} mm" if metres < 1.0 else f"{metres:.3f} m"


def _angle(radians: float) -> str:
    return f"{np.rad2deg(radians):.3g} degrees"
