"""Where bones are, from what a capture's channels say."""

import math

import numpy as np
from numpy.typing import NDArray

from armillary.model.compiled import compiled

__all__ = ["turn", "world_poses"]

Array = NDArray[np.float64]


@compiled()
def turn(R: Array, axis: int, angle: float) -> None:
    """R becomes R times a rotation about one of its own axes."""
    c, s = math.cos(angle), math.sin(angle)
    a, b = (axis + 1) % 3, (axis + 2) % 3
    for i in range(3):
        left, right = R[i, a], R[i, b]
        R[i, a] = c * left + s * right
        R[i, b] = c * right - s * left


@compiled()
def world_poses(
    parents: NDArray[np.int64],
    offsets: Array,
    table: NDArray[np.int64],
    values: Array,
    displaced: bool,
    rotations: Array,
    places: Array,
) -> None:
    """Rotation and place of every bone in every frame.

    A position that is told takes the place of the bone's offset, axis by axis. With `displaced` it is added to it, but for roots.

    Args:
        table: Shape (channels, 2): the bone, and what of it: 0 to 2 x, y, z; 3 to 5 a turn about them.
        values: Shape (frames, channels); turns in degrees.
        rotations: Shape (frames, bones, 3, 3), filled. places: Shape (frames, bones, 3), filled.
    """
    local = np.empty(3)
    for f in range(len(values)):
        channel = 0
        for k in range(len(parents)):
            R = rotations[f, k]
            parent = parents[k]
            for i in range(3):
                local[i] = offsets[k, i]
                for j in range(3):
                    R[i, j] = rotations[f, parent, i, j] if parent >= 0 else (1.0 if i == j else 0.0)
            while channel < len(table) and table[channel, 0] == k:
                what = table[channel, 1]
                if what < 3:
                    local[what] = values[f, channel] + (offsets[k, what] if displaced and parent >= 0 else 0.0)
                else:
                    turn(R, what - 3, math.radians(values[f, channel]))
                channel += 1
            for i in range(3):
                place = local[i]
                if parent >= 0:
                    above = rotations[f, parent]
                    place = places[f, parent, i] + above[i, 0] * local[0] + above[i, 1] * local[1] + above[i, 2] * local[2]
                places[f, k, i] = place
