"""A trajectory made slower until it can be proven: what is too fast, too hard or too strong on its path becomes less so."""

from collections.abc import Callable

from armillary.motion.certificate import Certificate, Violation
from armillary.motion.trajectory import Trajectory

__all__ = ["slowed_until_it_holds"]

_ORDERS = {"velocity": 1, "tool speed": 1, "motor": 1, "acceleration": 2, "jerk": 3}  # by which power of time it becomes less
_GENTLER = 1.2  # where torques are too much: gravity's share stays, so nobody knows by how much
_ROOM = 1.0 + 1e-6
_TRIES = 40


def slowed_until_it_holds(
    trajectory: Trajectory, prove: Callable[[Trajectory], Certificate], most: float
) -> tuple[Trajectory, Certificate, float]:
    """The same path, slower by as little as needed.

    Args:
        most: How many times slower at most.

    Returns:
        The trajectory, its certificate, which does not hold where nothing helped, and how many times slower it is.
    """
    factor, slowed = 1.0, trajectory
    certificate = prove(trajectory)
    for _ in range(_TRIES):
        needed = max((_needed(each) for each in certificate.violations), default=1.0)
        if certificate.holds or not 1.0 < needed * factor <= most:
            break
        factor *= needed
        slowed = trajectory.slowed(factor)
        certificate = prove(slowed)
    return slowed, certificate, factor


def _needed(violation: Violation) -> float:
    """How many times slower one limit would be kept; infinity where that does not help."""
    if violation.kind == "torque":
        return _GENTLER
    order = _ORDERS.get(violation.kind)
    if order is None:
        return float("inf")
    return max(abs(violation.value / violation.limit), 1.0) ** (1.0 / order) * _ROOM
