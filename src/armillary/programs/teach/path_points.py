"""The fewest samples of a recorded path through which a smooth curve stays near all the others."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["corners_of", "fewest_points"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
_ROUNDS = 64  # of adding; each adds to every stretch that is not near enough, so a few are usual
_TRIES = 150  # of taking away


def corners_of(q: Array, tolerance: float) -> Numbers:
    """Which rows are needed so that straight lines between them stay near all the others (Douglas and Peucker).

    Args:
        q: Shape (k, n).
        tolerance: How far each column may be off.

    Returns:
        Row numbers, ascending; the first and the last are always there.
    """
    kept = np.zeros(len(q), dtype=bool)
    kept[[0, -1]] = True
    stretches = [(0, len(q) - 1)]
    while stretches:
        first, last = stretches.pop()
        if last - first < 2:
            continue
        way, inner = q[last] - q[first], q[first + 1 : last] - q[first]
        size = float(way @ way)
        share = np.clip(inner @ way / size, 0.0, 1.0) if size > 1e-18 else np.zeros(len(inner))
        off = np.abs(inner - share[:, None] * way).max(axis=1)
        worst = int(off.argmax())
        if off[worst] > tolerance:
            middle = first + 1 + worst
            kept[middle] = True
            stretches += [(first, middle), (middle, last)]
    return np.flatnonzero(kept)


def fewest_points(first: Numbers, deviation: Callable[[Numbers], Array]) -> Numbers:
    """Rows that are enough: to those given others are added where the curve is too far off, and what is not needed is taken away.

    Args:
        first: Row numbers to begin with, ascending, both ends among them.
        deviation: How far the curve through some rows is from each row, as a share of what is allowed, shape (k,).

    Returns:
        Row numbers, ascending. None of the inner ones can be left out alone, unless there are very many.
    """
    points = first
    for _ in range(_ROUNDS):
        off = deviation(points)
        added = [
            begin + 1 + int(off[begin + 1 : end].argmax())
            for begin, end in pairwise(points.tolist())
            if end - begin > 1 and off[begin + 1 : end].max() > 1.0
        ]
        if not added:
            break
        points = np.union1d(points, np.array(added, dtype=np.int64))
    return _without_the_needless(points, deviation)


def _without_the_needless(points: Numbers, deviation: Callable[[Numbers], Array]) -> Numbers:
    tries, place = 0, 1
    while place < len(points) - 1 and tries < _TRIES:
        fewer = np.delete(points, place)
        tries += 1
        if deviation(fewer).max() <= 1.0:
            points = fewer
        else:
            place += 1
    return points
