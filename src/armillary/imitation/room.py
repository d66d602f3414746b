"""The room that a person was captured in, seen upright: x where the person looks at first, z up, the pelvis over the middle."""

import numpy as np
from numpy.typing import NDArray

from armillary.imitation.body_frames import frame_of, unit
from armillary.imitation.matching import Match

__all__ = ["Room", "sides_of_bones"]

Array = NDArray[np.float64]


class Room:
    """How a capture's room stands to an upright one. Made once, so that what is seen does not turn with the person."""

    def __init__(self, match: Match, places: Array, chest: Array) -> None:
        """Args:
        places: Of bones in some frames, shape (frames, bones, 3). chest: Its frames in the room, shape (frames, 3, 3).
        """
        self._pelvis = match.parts.get("pelvis", 0)
        head = next((match[part] for part in ("head", "neck", "chest") if part in match), self._pelvis)
        trunk = (places[:, head] - places[:, self._pelvis]).mean(axis=0)
        axis = int(np.abs(trunk).argmax())
        up = np.eye(3)[axis] * (1.0 if trunk[axis] >= 0.0 else -1.0)
        ahead = unit(chest[0, :, 0] - (chest[0, :, 0] @ up) * up)
        if np.linalg.norm(ahead) < 0.5:  # who lies down looks up
            ahead = np.roll(up, 1)
        self._R_room_world, self._up = frame_of(up, ahead, (2, 0)), up

    def upright(self, places: Array) -> Array:
        """Places as seen there, with the pelvis above the middle, shape (..., bones, 3)."""
        pelvis = places[..., self._pelvis : self._pelvis + 1, :]
        ground = pelvis - (pelvis @ self._up)[..., None] * self._up
        return np.asarray((places - ground) @ self._R_room_world)


def sides_of_bones(match: Match) -> tuple[str, ...]:
    """Of every bone: "left", "right", or "" for the trunk. What hangs on an arm or a leg is on its side."""
    sides = [""] * len(match.skeleton)
    for part, bone in match.parts.items():
        side = part.partition("_")[0]
        if side in ("left", "right"):
            sides[bone] = side
    for bone, parent in enumerate(match.skeleton.parents):
        if parent >= 0 and not sides[bone]:
            sides[bone] = sides[parent]
    return tuple(sides)
