"""What was captured of a person: a skeleton, and its channels frame by frame."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from armillary.imitation.pose_kernels import world_poses
from armillary.imitation.skeleton import Skeleton

__all__ = ["Capture", "Poses", "poses_at_rest", "poses_of", "positions_are_displacements"]

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
        values = np.asarray(self.values, dtype=float)
        if values.flags.writeable:  # the caller's own stays the caller's
            values = values.copy()
            values.setflags(write=False)
        object.__setattr__(self, "values", values)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def duration(self) -> float:
        """From the first frame to the last [s]."""
        return max(len(self.values) - 1, 0) * self.period

    @cached_property
    def poses(self) -> Poses:
        """Of every frame."""
        return poses_of(self.skeleton, self.values, displaced=self.displaced)

    @cached_property
    def displaced(self) -> bool:
        """Whether positions of bones are told as seen from where they are at rest, as MakeHuman does, not from their parent."""
        return positions_are_displacements(self.skeleton, self.values)


def poses_at_rest(skeleton: Skeleton) -> Poses:
    """Where bones are when nothing is turned, as one frame."""
    return Poses(np.broadcast_to(np.eye(3), (1, len(skeleton), 3, 3)), skeleton.rest[None])


def positions_are_displacements(skeleton: Skeleton, values: Array) -> bool:
    """Whether the positions that are told of bones other than roots are near zero, where their offsets are not.

    Args:
        values: Some frames, shape (frames, channels).
    """
    bone, what = skeleton.channel_table.T
    told = np.flatnonzero((what < 3) & (skeleton.parents[bone] >= 0))
    if not len(told) or not len(values):
        return False
    offsets = skeleton.offsets[bone[told], what[told]]
    return bool(np.abs(values[:, told]).sum() < 0.5 * np.abs(values[:, told] - offsets).sum())


def poses_of(skeleton: Skeleton, values: Array, *, displaced: bool = False) -> Poses:
    """Where bones are in frames, shape (frames, channels). displaced: See `Capture.displaced`."""
    rotations, places = np.empty((len(values), len(skeleton), 3, 3)), np.empty((len(values), len(skeleton), 3))
    world_poses(
        skeleton.parents,
        skeleton.offsets,
        skeleton.channel_table,
        np.ascontiguousarray(values, dtype=float),
        displaced,
        rotations,
        places,
    )
    return Poses(rotations, places)
