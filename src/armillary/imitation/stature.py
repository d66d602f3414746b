"""How large a person is in a file, and which unit that makes likely."""

import itertools
import math
from dataclasses import dataclass

import numpy as np

from armillary.imitation.body_parts import SIDES, sided
from armillary.imitation.matching import Match

__all__ = ["Stature", "stature_of"]

# A person's limbs, as shares of the stature (Drillis and Contini, 1966).
_LEG, _ARM = 0.245 + 0.246, 0.186 + 0.146
_LIKELY = 1.7  # m
_PERSON = (1.0, 2.3)  # m: within this nobody wonders
# CMU's motions, as BVH files have them, count in inches divided by 0.45.
_UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "foot": 0.3048, "dm": 0.1, "inch/0.45": 0.0254 / 0.45}


@dataclass(frozen=True)
class Stature:
    """A person's size.

    Attributes:
        height: Of the person, by the length of limbs [m].
        unit: What the file's lengths are guessed to be in; "" where none makes a person of it.
        metres: How long one of the file's units is [m].
    """

    height: float
    unit: str
    metres: float

    def __str__(self) -> str:
        if not self.unit:
            return f"no unit makes a person of it: taken as {self.height:.2f} m tall"
        return f"lengths are in {self.unit} by the look of it: a person of {self.height:.2f} m"


def stature_of(match: Match) -> Stature:
    """By the length of legs and arms, as the file has them."""
    heights = [
        length / share
        for side in SIDES
        for share, parts in ((_LEG, ("thigh", "shin", "foot")), (_ARM, ("upper_arm", "forearm", "hand")))
        if (length := _length(match, [sided(side, part) for part in parts])) > 0.0
    ]
    height = float(np.median(heights)) if heights else 0.0
    if not height > 0.0 or not math.isfinite(height):
        return Stature(_LIKELY, "", 1.0)
    unit, metres = min(_UNITS.items(), key=lambda each: abs(math.log(height * each[1] / _LIKELY)))
    if not _PERSON[0] <= height * metres <= _PERSON[1]:
        return Stature(_LIKELY, "", _LIKELY / height)
    return Stature(height * metres, unit, metres)


def _length(match: Match, parts: list[str]) -> float:
    """Of the bones between parts, in the file's unit; 0 where one is not there."""
    if any(part not in match for part in parts):
        return 0.0
    total = 0.0
    for upper, lower in itertools.pairwise(parts):
        bone = match[lower]
        while bone != match[upper] and bone >= 0:
            total += float(np.linalg.norm(match.skeleton.offsets[bone]))
            bone = int(match.skeleton.parents[bone])
    return total
