"""Limits and full turns of configurations, compiled."""

import numpy as np
from numpy.typing import NDArray

from armillary.model.compiled import compiled

__all__ = ["clamp", "confirm", "nearest_turn", "separate"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]


@compiled()
def confirm(sizes: Array, tolerance: Array, limits: Array, Q: Array, good: NDArray[np.bool_]) -> bool:
    """Mark the rows of Q that are finite, inside the limits and near enough to the target; True where all are."""
    every = True
    for i in range(Q.shape[0]):
        good[i] = sizes[i, 0] <= tolerance[0] and sizes[i, 1] <= tolerance[1]
        for j in range(Q.shape[1]):
            if not (Q[i, j] >= limits[0, j] - 1e-9 and Q[i, j] <= limits[1, j] + 1e-9 and abs(Q[i, j]) < 1e9):
                good[i] = False
        every = every and good[i]
    return every


@compiled()
def clamp(q: Array, columns: Numbers, limits: Array, own: Array) -> bool:
    """The chain's joints of a whole configuration, inside their limits, into own; True where they were so already."""
    inside = True
    for j in range(own.shape[0]):
        value = q[columns[j]]
        own[j] = min(max(value, limits[0, j]), limits[1, j])
        if abs(own[j] - value) > 1e-9:
            inside = False
    return inside


@compiled()
def nearest_turn(q: Array, columns: Numbers, limits: Array, turning: NDArray[np.bool_], towards: Array) -> None:
    """Change the chain's joints of a whole configuration by the full turns that bring them nearest to another, inside limits."""
    turn = 2.0 * np.pi
    for j in range(columns.shape[0]):
        if not turning[j]:
            continue
        value, wanted = q[columns[j]], towards[columns[j]]
        least, most = np.ceil((limits[0, j] - 1e-9 - value) / turn), np.floor((limits[1, j] + 1e-9 - value) / turn)
        turns = min(max(np.rint((wanted - value) / turn), least), most)
        if turns != 0.0 and least <= most:
            q[columns[j]] = min(max(value + turns * turn, limits[0, j]), limits[1, j])


@compiled()
def separate(Q: Array, turning: NDArray[np.bool_], tolerance: float, keep: NDArray[np.bool_]) -> None:
    """Mark the rows of Q that differ from every marked row before them by more than full turns."""
    for i in range(Q.shape[0]):
        keep[i] = True
        for other in range(i):
            if not keep[other]:
                continue
            same = True
            for j in range(Q.shape[1]):
                gap = Q[i, j] - Q[other, j]
                if turning[j]:
                    gap -= 2.0 * np.pi * np.rint(gap / (2.0 * np.pi))
                if abs(gap) >= tolerance:
                    same = False
                    break
            if same:
                keep[i] = False
                break
