"""A person's skeleton as motion capture has it: bones that hang on each other, each with its own channels."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["POSITIONS", "ROTATIONS", "Bone", "Skeleton"]

Array = NDArray[np.float64]
POSITIONS = ("Xposition", "Yposition", "Zposition")
ROTATIONS = ("Xrotation", "Yrotation", "Zrotation")


@dataclass(frozen=True, eq=False)
class Bone:
    """A joint of the skeleton and what hangs on it.

    Attributes:
        parent: Its place in the skeleton; -1 for a root.
        offset: From the parent, shape (3,), in the file's unit.
        channels: What a frame tells of it, in this order: of POSITIONS and ROTATIONS. Rotations are made in this order too,
            each about an axis that those before it have turned: Y, X, Z is Ry Rx Rz.
        end: Where it ends, from itself, where no other bone says so, shape (3,).
    """

    name: str
    parent: int
    offset: Array
    channels: tuple[str, ...]
    end: Array | None = None


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Bones, each behind its parent."""

    bones: tuple[Bone, ...]
    _names: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_names", {bone.name: k for k, bone in enumerate(self.bones)})

    def __len__(self) -> int:
        return len(self.bones)

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def index(self, name: str) -> int:
        """A bone's place. Raises KeyError where there is none of the name."""
        return self._names[name]

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(bone.name for bone in self.bones)

    @cached_property
    def parents(self) -> NDArray[np.int64]:
        return np.array([bone.parent for bone in self.bones], dtype=np.int64)

    @cached_property
    def offsets(self) -> Array:
        """Shape (bones, 3)."""
        return np.array([bone.offset for bone in self.bones], dtype=float).reshape(len(self.bones), 3)

    @cached_property
    def channel_count(self) -> int:
        return sum(len(bone.channels) for bone in self.bones)

    @cached_property
    def channel_table(self) -> NDArray[np.int64]:
        """What each channel is, shape (channels, 2): the bone, and 0 to 2 for a position, 3 to 5 for a rotation about x, y, z."""
        kinds = {name: k for k, name in enumerate(POSITIONS + ROTATIONS)}
        rows = [(k, kinds[channel]) for k, bone in enumerate(self.bones) for channel in bone.channels]
        return np.array(rows, dtype=np.int64).reshape(len(rows), 2)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Of each bone, those that hang on it."""
        found: list[list[int]] = [[] for _ in self.bones]
        for k, bone in enumerate(self.bones):
            if bone.parent >= 0:
                found[bone.parent].append(k)
        return tuple(tuple(each) for each in found)

    @cached_property
    def rest(self) -> Array:
        """Where each bone begins when nothing is turned, shape (bones, 3)."""
        places = np.zeros((len(self.bones), 3))
        for k, bone in enumerate(self.bones):
            places[k] = bone.offset + (places[bone.parent] if bone.parent >= 0 else 0.0)
        return places
