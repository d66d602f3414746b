"""What was captured of a person: a skeleton, and its channels frame by frame."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from armillary.imitation.pose_kernels import world_poses
from armillary.imitation.skeleton import Skeleton

__all__ = ["Capture", "Poses", "poses_of"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Poses:
    """Where bones are in the room of the capture.

    Attributes:
        rotations: Shape (frames, bones, 3, 3).
        places: Where each begins, shape (frames, bones, 3), in the file's unit.
    """

    rotations: Array
    places: Array


@dataclass(frozen=True, eq=False)
class Capture:
    """A motion as it was recorded.

    Attributes:
        values: Shape (frames, channels): positions in the file's unit, rotations in degrees.
        period: Between two frames [s].
        source: The file, or what else it came from.
        notes: What was odd about it, and how it was taken.
    """

    skeleton: Skeleton
    values: Array
    period: float
    source: str = ""
    notes: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        self.values.setflags(write=False)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def duration(self) -> float:
        """From the first frame to the last [s]."""
        return max(len(self.values) - 1, 0) * self.period

    @cached_property
    def poses(self) -> Poses:
        """Of every frame."""
        return poses_of(self.skeleton, self.values)


def poses_of(skeleton: Skeleton, values: Array) -> Poses:
    """Where bones are in frames, shape (frames, channels)."""
    rotations, places = np.empty((len(values), len(skeleton), 3, 3)), np.empty((len(values), len(skeleton), 3))
    world_poses(
        skeleton.parents, skeleton.offsets, skeleton.channel_table, np.ascontiguousarray(values, dtype=float), rotations, places
    )
    return Poses(rotations, places)
