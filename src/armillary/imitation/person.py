"""A person's posture: where head, arms, hands and fingers point, seen from the chest, whatever skeleton it was captured with."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.imitation.body_frames import (
    cross,
    direction,
    frame_of,
    frames_of_body,
    mean_rotation,
    product,
    transposed,
    turned,
    unit,
)
from armillary.imitation.body_parts import FINGERS, SIDES, finger, sided
from armillary.imitation.capture import Capture, Poses, poses_at_rest
from armillary.imitation.errors import ImitationError
from armillary.imitation.matching import LARGEST, Match
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
        curls: How far each finger is bent, thumb first, shape (frames, 2, 5): 0 is as it was learnt, 1 a right angle more at
            every joint towards the palm, below 0 away from it.
        known: Which of all these the skeleton tells: "waist", "head", "left_hand", "right_index", ...
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
        both = flip[:, None] * flip
        return Postures(
            self.chest * both,
            self.waist * both,
            self.head * both,
            self.upper_arms[:, ::-1] * both,
            self.forearms[:, ::-1] * flip,
            self.hands[:, ::-1] * both,
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
        if "chest" not in match:
            raise ImitationError(
                'nothing of the skeleton carries its arms as a chest does; name the bone that does in a file (chest = "a bone")'
                " and give it with --matching"
            )
        if not np.isfinite(poses.places).all() or not np.isfinite(poses.rotations).all() or np.abs(poses.places).max() > LARGEST:
            raise ImitationError("frames that the person's stance is to be learnt from have numbers that are none; stand again")
        self.match, self.said = match, said
        self.stature: Stature = stature_of(match)
        self._alignments: Mapping[str, Array] = {
            part: mean_rotation(transposed(poses.rotations[:, match[part]]) @ frames)
            for part, frames in frames_of_body(match, poses).items()
            if part in match
        }
        self._fingers: Mapping[str, list[_Phalanx]] = {
            name: phalanges for name in match.fingers if (phalanges := self._phalanges(poses, name))
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
        """What frames mean. A frame gives the same bits alone as among others."""
        count = len(poses.places)
        chest = self._frames(poses, "chest")
        assert chest is not None  # a match has one
        pelvis = self._frames(poses, "pelvis")
        head = self._frames(poses, "head")
        inverse, straight = transposed(chest), np.broadcast_to(np.eye(3), (count, 3, 3))
        upper_arms, hands = np.empty((count, 2, 3, 3)), np.empty((count, 2, 3, 3))
        forearms, curls = np.empty((count, 2, 3)), np.zeros((count, 2, len(FINGERS)))
        known = {"head"} if head is not None else set[str]()
        if pelvis is not None and self.match["pelvis"] != self.match["chest"]:
            known.add("waist")
        for k, side in enumerate(SIDES):
            outward = 1.0 - 2.0 * k
            if not self.match.has_arm(side):  # it hangs
                upper_arms[:, k], forearms[:, k] = np.eye(3), (0.0, 0.0, -1.0)
                hands[:, k] = frame_of(np.array([0.0, 0.0, -1.0]), np.array([0.0, outward, 0.0]), (0, 2))
                continue
            arm, forearm = self._arm(poses, side)
            upper_arms[:, k] = product(inverse, arm)
            forearms[:, k] = turned(inverse, forearm)
            known |= {sided(side, "upper_arm"), sided(side, "forearm")}
            hand = self._frames(poses, sided(side, "hand"))
            if hand is None:  # as when it hangs: its back looks along the elbow's axis, across which every forearm is
                hands[:, k] = frame_of(forearms[:, k], outward * upper_arms[:, k, :, 1], (0, 2))
            else:
                hands[:, k] = product(inverse, hand)
                known.add(sided(side, "hand"))
            for number in range(len(FINGERS)):
                if (phalanges := self._fingers.get(finger(side, number))) is not None:
                    curls[:, k, number] = _curl(poses, phalanges)
                    known.add(finger(side, number))
        return Postures(
            chest,
            straight if pelvis is None else product(transposed(pelvis), chest),
            straight if head is None else product(inverse, head),
            upper_arms,
            forearms,
            hands,
            curls,
            frozenset(known),
        )

    def alignment(self, part: str) -> Array:
        """R_bone_part: how a part of the body stands in its bone, shape (3, 3); the unit matrix where nothing is known of it."""
        return self._alignments.get(part, np.eye(3))

    def along(self, part: str) -> Array:
        """Where a part of the body points, in its bone, shape (3,); zero where nothing says so."""
        found = direction(self.match, poses_at_rest(self.match.skeleton), part)
        return np.zeros(3) if found is None else found[0]

    def _frames(self, poses: Poses, part: str) -> Array | None:
        """A part's frame in the room."""
        if part not in self._alignments:
            return None
        return product(poses.rotations[:, self.match[part]], self._alignments[part])

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
        across = cross(fore, upper)
        bend = np.linalg.norm(across, axis=-1, keepdims=True)
        share = np.clip((bend - _STRAIGHT) / (_BENT - _STRAIGHT), 0.0, 1.0)
        share = share * share * (3.0 - 2.0 * share)
        return frame_of(-upper, share * unit(across) + (1.0 - share) * own[..., 1], (2, 1)), fore

    def _phalanges(self, poses: Poses, name: str) -> "list[_Phalanx]":
        """How a finger's bones stand to each other, and about which of their axes they bend towards the palm.

        Fingers bend about the line across the hand; a thumb folds across the palm, whichever way it points.
        """
        side, number = (k := name.partition("_"))[0], FINGERS.index(k[2])
        skeleton = self.match.skeleton
        if (hand := self._frames(poses, sided(side, "hand"))) is None:
            return []
        bones = [bone for bone in self.match.fingers[name] if skeleton.parents[bone] >= 0 and skeleton.bones[bone].channels]
        follows = dict(zip(self.match.fingers[name], (*self.match.fingers[name][1:], -1), strict=True))
        ways = {bone: self._along(bone, follows[bone]) for bone in bones}
        bones = [bone for bone in bones if np.linalg.norm(ways[bone]) > 1e-9] or bones  # an end that is drawn as a bone bends not
        found = []
        for bone in bones:
            R_hand_bone = mean_rotation(transposed(hand) @ poses.rotations[:, bone])
            axis = np.array([0.0, 1.0, 0.0])
            if number == 0:
                across = np.array([0.0, 1.0 if side == "left" else -1.0, -0.5])
                fold = np.cross(unit(R_hand_bone @ ways[bone]), unit(across))
                axis = unit(fold) if np.linalg.norm(fold) > 0.1 else axis
            parent = int(skeleton.parents[bone])
            rest = mean_rotation(transposed(poses.rotations[:, parent]) @ poses.rotations[:, bone])
            found.append(_Phalanx(bone, parent, rest, R_hand_bone.T @ axis))
        return found

    def _along(self, bone: int, below: int) -> Array:
        """From a finger's bone to the next, in its own frame."""
        if below >= 0:
            return np.asarray(self.match.skeleton.offsets[below])
        end = self.match.skeleton.bones[bone].end
        return np.zeros(3) if end is None else end


@dataclass(frozen=True, eq=False)
class _Phalanx:
    """A bone of a finger, as it was when it was learnt.

    Attributes:
        rest: Seen from its parent, shape (3, 3).
        axis: About which it bends towards the palm, in its own frame, shape (3,).
    """

    bone: int
    parent: int
    rest: Array
    axis: Array


def _curl(poses: Poses, phalanges: list[_Phalanx]) -> Array:
    """How far a finger is bent since it was learnt, shape (frames,): about its own axes, so that to spread it is no bend."""
    total = np.zeros(len(poses.places))
    for each in phalanges:
        now = product(transposed(poses.rotations[:, each.parent]), poses.rotations[:, each.bone])
        R = product(each.rest.T, now)
        # The twist about the axis (Huyghe, "swing-twist"): a rotation's own quaternion, projected.
        twice = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=-1)
        sine = twice[:, 0] * each.axis[0] + twice[:, 1] * each.axis[1] + twice[:, 2] * each.axis[2]
        total += 2.0 * np.arctan2(sine, 1.0 + R[:, 0, 0] + R[:, 1, 1] + R[:, 2, 2])
    return total / (0.5 * np.pi * len(phalanges))


def _stands(match: Match, rest: Poses) -> bool:
    """Whether a pose at rest is that of a person who stands: the legs below the trunk, the arms on both sides of it."""
    places = rest.places[0]
    head = next((match[part] for part in ("head", "neck", "chest") if part in match), 0)
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
