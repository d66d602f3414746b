"""Values that a caller gave, checked at the door."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from armillary.programs import Move
from armillary.runtime import Refused

__all__ = ["Values", "check_move", "given_numbers", "given_share", "given_six", "given_three"]

Array = NDArray[np.float64]
Values = Sequence[float] | Array


def given_share(speed: float) -> float:
    if not 0.0 < speed <= 1.0:
        raise Refused(f"a speed of {speed} is none; give a share above 0 and up to 1")
    return speed


def given_numbers(values: Values, what: str) -> Array:
    try:
        return np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise Refused(f"{what} is {values!r}; give numbers") from None


def given_three(values: Values, what: str) -> tuple[float, float, float]:
    found = given_numbers(values, what)
    if found.shape != (3,) or not np.isfinite(found).all():
        raise Refused(f"{what} is {values}; give three finite numbers")
    return float(found[0]), float(found[1]), float(found[2])


def given_six(values: Values, what: str, of: str) -> Array:
    """Six finite numbers; `of` says which, for the message."""
    found = given_numbers(values, what)
    if found.shape != (6,) or not np.isfinite(found).all():
        raise Refused(f"{values} is no {what}; give {of}")
    return found


def check_move(command: Move) -> None:
    """Raises:
    Refused: Its speed or its blend is none.
    """
    speed = getattr(command, "speed", None)
    if speed is not None and not 0.0 < speed < np.inf:
        raise Refused(f"a tool speed of {speed} m/s is none; give one above zero")
    if not 0.0 <= command.blend < np.inf:
        raise Refused(f"a blend of {command.blend} m is none; give zero or more")
