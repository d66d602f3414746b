"""A person's posture: where head, arms, hands and fingers point, seen from the chest, whatever skeleton it was captured with."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.imitation.body_frames import direction, frame_of, frames_of_body, mean_rotation, unit
from armillary.imitation.body_parts import FINGERS, SIDES, finger, sided
from armillary.imitation.capture import Capture, Poses, poses_at_rest
from armillary.imitation.errors import ImitationError
from armillary.imitation.matching import Match
from armillary.imitation.stature import Stature, stature_of

__all__ = ["Person", "Postures"]

Array = NDArray[np.float64]
_LOOKED_AT = 600  # frames, where the pose at rest says nothing
# Sines of an elbow's bend between which the plane that it bends in is taken from the bone's own twist, and from the bend.
_STRAIGHT, _BENT = 0.12, 0.4
_RAISED = 0.5  # cosine between trunk and an arm that nobody holds so at rest
_UPRIGHT = 0.8  # cosine between trunk and legs of a body at rest that stands


@dataclass(frozen=True, eq=False)
class Postures:
    """What a person does, frame by frame. Directions and rotations are seen from the chest: x forward, y left, z up.

    Attributes:
        chest: In the room, shape (frames, 3, 3).
        waist: The chest, seen from the pelvis, shape (frames, 3, 3).
        head: Shape (frames, 3, 3).
        upper_arms: Left and right, shape (frames, 2, 3, 3): z against the arm, the elbow bends towards x.
        forearms: Where they point, shape (frames, 2, 3).
        hands: Shape (frames, 2, 3, 3): x along the fingers, z out of the back.
        curls: How far each finger is bent, thumb first, shape (frames, 2, 5): 0 is straight, 1 a right angle at every joint.
        known: Which of all these the skeleton tells: "head", "left_hand", "right_index", ...
    """

    chest: Array
    waist: Array
    head: Array
    upper_arms: Array
    forearms: Array
    hands: Array
    curls: Array
    known: frozenset[str]

    def __len__(self) -> int:
        return len(self.chest)

    @property
    def arms(self) -> Array:
        """Where upper arms point, shape (frames, 2, 3)."""
        return -self.upper_arms[..., 2]

    def mirrored(self) -> "Postures":
        """As in a mirror: the left arm does what the right one did."""
        flip = np.array([1.0, -1.0, 1.0])
        turned = flip[:, None] * flip
        return Postures(
            self.chest * turned,
            self.waist * turned,
            self.head * turned,
            self.upper_arms[:, ::-1] * turned,
            self.forearms[:, ::-1] * flip,
            self.hands[:, ::-1] * turned,
            self.curls[:, ::-1],
            frozenset(each.replace("left_", "\0").replace("right_", "left_").replace("\0", "right_") for each in self.known),
        )


class Person:
    """How a skeleton's bones stand to the body they belong to, and with that what its frames mean."""

    def __init__(self, match: Match, poses: Poses, *, said: str = "") -> None:
        """Args:
        poses: Some in which the person stands as people do: upright, looking ahead, arms at the sides or stretched out.
        said: Which they were, in words.
        """
        if not len(poses.places):
            raise ImitationError("there is no frame to learn from how the person's bones stand to the body")
        self.match, self.said = match, said
        self.stature: Stature = stature_of(match)
        self._alignments: Mapping[str, Array] = {
            part: mean_rotation(np.swapaxes(poses.rotations[:, match[part]], -1, -2) @ frames)
            for part, frames in frames_of_body(match, poses).items()
            if part in match
        }

    @classmethod
    def of_capture(cls, capture: Capture, match: Match) -> "Person":
        """By the pose at rest where that is a person who stands; else by what the person does on average."""
        rest = poses_at_rest(match.skeleton)
        if _stands(match, rest) or not len(capture):
            return cls(match, rest, said="the skeleton's pose at rest")
        step = max(1, len(capture) // _LOOKED_AT)
        poses = capture.poses
        return cls(match, Poses(poses.rotations[::step], poses.places[::step]), said="the whole of the motion, on average")

    def calibrated(self, poses: Poses) -> "Person":
        """Learnt anew from frames in which the person stands straight, arms stretched out or hanging."""
        return Person(self.match, poses, said="a calibration")

    def postures(self, poses: Poses) -> Postures:
        """What frames mean."""
        count = len(poses.places)
        chest = self._frames(poses, "chest")
        assert chest is not None  # a match has an arm, and that hangs on something
        pelvis = self._frames(poses, "pelvis")
        head = self._frames(poses, "head")
        inverse, straight = np.swapaxes(chest, -1, -2), np.broadcast_to(np.eye(3), (count, 3, 3))
        upper_arms, hands = np.empty((count, 2, 3, 3)), np.empty((count, 2, 3, 3))
        forearms, curls = np.empty((count, 2, 3)), np.zeros((count, 2, len(FINGERS)))
        known = {"head"} if head is not None else set[str]()
        for k, side in enumerate(SIDES):
            if not self.match.has_arm(side):  # it hangs
                upper_arms[:, k], forearms[:, k] = np.eye(3), (0.0, 0.0, -1.0)
                hands[:, k] = frame_of(np.array([0.0, 0.0, -1.0]), np.array([0.0, 1.0 - 2.0 * k, 0.0]), (0, 2))
                continue
            arm, forearm = self._arm(poses, side)
            upper_arms[:, k] = inverse @ arm
            forearms[:, k] = np.einsum("fij,fj->fi", inverse, forearm)
            known |= {sided(side, "upper_arm"), sided(side, "forearm")}
            hand = self._frames(poses, sided(side, "hand"))
            if hand is None:
                hands[:, k] = frame_of(forearms[:, k], upper_arms[:, k, :, 0], (0, 2))
            else:
                hands[:, k] = inverse @ hand
                known.add(sided(side, "hand"))
            for number in range(len(FINGERS)):
                bend = self._curl(poses, finger(side, number))
                if bend is not None:
                    curls[:, k, number] = bend
                    known.add(finger(side, number))
        return Postures(
            chest,
            straight if pelvis is None else np.swapaxes(pelvis, -1, -2) @ chest,
            straight if head is None else inverse @ head,
            upper_arms,
            forearms,
            hands,
            curls,
            frozenset(known),
        )

    def _frames(self, poses: Poses, part: str) -> Array | None:
        """A part's frame in the room."""
        if part not in self._alignments:
            return None
        return np.asarray(poses.rotations[:, self.match[part]] @ self._alignments[part])

    def _arm(self, poses: Poses, side: str) -> tuple[Array, Array]:
        """An upper arm's frame, and where the forearm points, in the room.

        About its own length an arm is turned as its elbow bends; as long as it is straight, as the bone says.
        """
        upper, fore = direction(self.match, poses, sided(side, "upper_arm")), direction(self.match, poses, sided(side, "forearm"))
        assert upper is not None
        if fore is None:
            fore = upper
        own = self._frames(poses, sided(side, "upper_arm"))
        assert own is not None
        across = np.cross(fore, upper)
        bend = np.linalg.norm(across, axis=-1, keepdims=True)
        share = np.clip((bend - _STRAIGHT) / (_BENT - _STRAIGHT), 0.0, 1.0)
        share = share * share * (3.0 - 2.0 * share)
        return frame_of(-upper, share * unit(across) + (1.0 - share) * own[..., 1], (2, 1)), fore

    def _curl(self, poses: Poses, name: str) -> Array | None:
        """How far a finger is bent, at its knuckle and along it."""
        bones = self.match.fingers.get(name)
        if not bones:
            return None
        rotations, skeleton = poses.rotations, self.match.skeleton
        ways = [
            unit(rotations[:, bone] @ along)
            for bone, below in zip(bones, (*bones[1:], -1), strict=True)
            if np.linalg.norm(along := self._along(bone, below)) > 1e-9
        ]
        if not ways:
            return None
        first = skeleton.parents[bones[0]]
        # At rest a thumb stands off the hand, and that is no bend of it: what counts is how the knuckle has turned since.
        knuckle = np.swapaxes(rotations[:, first], -1, -2) @ rotations[:, bones[0]]
        turned = np.arccos(np.clip((np.trace(knuckle, axis1=-2, axis2=-1) - 1.0) / 2.0, -1.0, 1.0))
        bends = [np.arccos(np.clip((one * other).sum(axis=-1), -1.0, 1.0)) for one, other in itertools.pairwise(ways)]
        return np.asarray((turned + sum(bends)) / (0.5 * np.pi * (1 + len(bends))))

    def _along(self, bone: int, below: int) -> Array:
        """From a finger's bone to the next, in its own frame."""
        if below >= 0:
            return np.asarray(self.match.skeleton.offsets[below])
        end = self.match.skeleton.bones[bone].end
        return np.zeros(3) if end is None else end


def _stands(match: Match, rest: Poses) -> bool:
    """Whether a pose at rest is that of a person who stands: the legs below the trunk, the arms on both sides of it."""
    places = rest.places[0]
    head = next(match[part] for part in ("head", "neck", "chest") if part in match)
    trunk = places[head] - places[match.parts.get("pelvis", 0)]
    if np.linalg.norm(trunk) < 1e-9:
        return False
    if all(sided(side, part) in match for side in SIDES for part in ("thigh", "foot")):
        legs = sum(places[match[sided(side, "thigh")]] - places[match[sided(side, "foot")]] for side in SIDES)
        if unit(np.asarray(legs)) @ unit(trunk) < _UPRIGHT:
            return False
    if not all(match.has_arm(side) for side in SIDES):
        return True
    arms = [direction(match, rest, sided(side, "upper_arm")) for side in SIDES]
    if any(arm is not None and arm[0] @ unit(trunk) > _RAISED for arm in arms):
        return False
    across = places[match["left_upper_arm"]] - places[match["right_upper_arm"]]
    return bool(np.linalg.norm(across) > 1e-9 and abs(unit(across) @ unit(trunk)) < 0.5)
