"""Which bone of a skeleton is which part of the body."""

import itertools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from armillary.imitation.body_parts import ARM, FINGERS, LEG, PARTS, SIDES, finger, sided
from armillary.imitation.bone_names import NamedBone, names_of_bones
from armillary.imitation.bone_structure import bones_below, parts_by_structure
from armillary.imitation.capture import Poses, poses_at_rest
from armillary.imitation.errors import ImitationError, UnknownSkeleton
from armillary.imitation.skeleton import Skeleton
from armillary.regular_file import read_regular

__all__ = ["LARGEST", "Match", "match", "read_overrides"]

Overrides = Mapping[str, str | list[str]]
LARGEST = 1e9  # of a length, in whatever unit: no person's bone is so long, and products of it are still numbers
_FINGER_NAMES = tuple(sided(side, name) for side in SIDES for name in FINGERS)


@dataclass(frozen=True)
class Match:
    """Bones by the part of the body that they are.

    Attributes:
        parts: Which bone each part is, by its place in the skeleton; only those that were found.
        fingers: Of each finger that was found, its bones from the knuckle on.
        how: How each was found: "name", "structure" or "file".
    """

    skeleton: Skeleton
    parts: Mapping[str, int]
    fingers: Mapping[str, tuple[int, ...]]
    how: Mapping[str, str] = field(default_factory=dict)

    def __contains__(self, part: str) -> bool:
        return part in self.parts

    def __getitem__(self, part: str) -> int:
        return self.parts[part]

    def has_arm(self, side: str) -> bool:
        return sided(side, "upper_arm") in self.parts and sided(side, "forearm") in self.parts

    def rows(self) -> list[tuple[str, str, str]]:
        """Part, bones, and how it was found, for people to look at."""
        names = self.skeleton.names
        rows = [(part, names[self.parts[part]], self.how.get(part, "")) for part in PARTS if part in self.parts]
        return rows + [
            (part, ", ".join(names[bone] for bone in bones), self.how.get(part, ""))
            for part in _FINGER_NAMES
            if (bones := self.fingers.get(part))
        ]


def match(skeleton: Skeleton, poses: Poses | None = None, overrides: Overrides | None = None) -> Match:
    """Find the parts of the body: by names first, by structure what they do not tell.

    Args:
        poses: Of some frames, to tell left from right by; as at rest without.
        overrides: Bones that somebody has named: of a finger several, "" for a part that is to be left out.

    Raises:
        UnknownSkeleton: There is no arm in it.
        ImitationError: An override names a part or a bone that is not there, or a bone is longer than any is.
    """
    for own in skeleton.bones:
        longest = max(float(np.abs(each).max()) for each in (own.offset, own.end) if each is not None)
        if not longest <= LARGEST:
            raise ImitationError(f"the bone {own.name!r} is {longest:g} long, in whatever unit; mend its OFFSET")
    if poses is not None and not (np.abs(poses.places) <= LARGEST).all():
        poses = None  # positions that are none tell no left from right
    named = names_of_bones(skeleton.names)
    parts = _by_names(skeleton, named)
    how = dict.fromkeys(parts, "name")
    if not _is_whole(skeleton, parts):
        where = poses if poses is not None and len(poses.places) else poses_at_rest(skeleton)
        shape = parts_by_structure(skeleton, where)
        for part, bone in shape.items():
            if part not in parts and bone not in parts.values():
                parts[part], how[part] = bone, "structure"
        if not _is_whole(skeleton, parts) and _is_whole(skeleton, shape):  # names that lead astray are worse than none
            parts, how = shape, dict.fromkeys(shape, "structure")
    fingers = _fingers(skeleton, named, parts)
    how |= dict.fromkeys(fingers, "name")
    if overrides:
        _override(skeleton, overrides, parts, fingers, how)
        _make_whole(skeleton, parts, fingers, how)
    if not any(_arm_is_whole(skeleton, parts, side) for side in SIDES):
        raise UnknownSkeleton(skeleton.names)
    return Match(skeleton, parts, fingers, how)


def read_overrides(path: Path | str) -> dict[str, str | list[str]]:
    """A file that says which bones are which parts: `left_upper_arm = "bone_7"`, `left_index = ["a", "b"]`, `head = ""`.

    Raises:
        ImitationError: It cannot be read, or says something else.
    """
    try:
        read = tomllib.loads(read_regular(Path(path)).decode("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ImitationError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    for part, bones in read.items():
        if not isinstance(bones, str) and not (isinstance(bones, list) and all(isinstance(each, str) for each in bones)):
            raise ImitationError(f"{path}: {part} is to be the name of a bone, or of a finger a list of them")
    return read


def _override(
    skeleton: Skeleton,
    overrides: Overrides,
    parts: dict[str, int],
    fingers: dict[str, tuple[int, ...]],
    how: dict[str, str],
) -> None:
    for part, said in overrides.items():
        if part not in PARTS and part not in _FINGER_NAMES:
            raise ImitationError(f"{part} is no part of the body; there are: {', '.join((*PARTS, *_FINGER_NAMES))}")
        bones = [said] if isinstance(said, str) else list(said)
        parts.pop(part, None)
        if part.endswith(("_upper_arm", "_collar")) and how.get("chest") != "file":
            parts.pop("chest", None)  # it follows from the arms
        fingers.pop(part, None)
        if bones in ([], [""]):
            continue
        for bone in bones:
            if bone not in skeleton:
                raise ImitationError(f"{part}: there is no bone {bone!r}; there are: {', '.join(skeleton.names[:80])}")
        if part in _FINGER_NAMES and any(skeleton.parents[skeleton.index(bone)] < 0 for bone in bones):
            raise ImitationError(f"{part}: a root is no bone of a finger")
        if part in _FINGER_NAMES:
            fingers[part] = tuple(skeleton.index(bone) for bone in bones)
        elif len(bones) > 1:
            raise ImitationError(f"{part} is one bone; {len(bones)} are said")
        else:
            parts[part] = skeleton.index(bones[0])
        how[part] = "file"


def _make_whole(skeleton: Skeleton, parts: dict[str, int], fingers: dict[str, tuple[int, ...]], how: dict[str, str]) -> None:
    """Of bones that somebody has named: the chest that follows from the arms, and no arm whose bones do not hang together.

    Raises:
        ImitationError: A forearm that was named does not hang on the upper arm, or an arm on nothing at all.
    """
    names = skeleton.names
    for side in SIDES:
        upper, fore = (parts.get(sided(side, part)) for part in ("upper_arm", "forearm"))
        if upper is None or fore is None or _arm_is_whole(skeleton, parts, side):
            continue
        said = [part for part in ("upper_arm", "forearm") if how.get(sided(side, part)) == "file"]
        if len(said) == 2:
            raise ImitationError(
                f"{side}_forearm, '{names[fore]}', does not hang on {side}_upper_arm, '{names[upper]}'; name bones that do"
            )
        for part in ("upper_arm", "forearm", "hand"):  # what was found does not fit what was said
            if part not in said:
                parts.pop(sided(side, part), None)
        for part in [each for each in fingers if each.startswith(side)]:
            fingers.pop(part)
    if "chest" not in parts and any(sided(side, "upper_arm") in parts for side in SIDES):
        chest = _chest(skeleton, parts)
        if chest is None:
            arm = next(parts[sided(side, "upper_arm")] for side in SIDES if sided(side, "upper_arm") in parts)
            raise ImitationError(
                f"the arm that begins with '{names[arm]}' hangs on no bone, so that nothing is its chest; name bones below one"
            )
        parts["chest"], how["chest"] = chest, "structure"


def _by_names(skeleton: Skeleton, named: list[NamedBone]) -> dict[str, int]:
    """Each part's bone that is nearest to the root; a bone that is said to be another's double ("__Hand") only without it."""
    firsts: dict[tuple[str, str], int] = {}
    order = sorted(range(len(named)), key=lambda k: (skeleton.names[k].startswith("__"), k))
    for k in order:
        if named[k].meaning:
            firsts.setdefault((named[k].meaning, named[k].side), k)
    parts: dict[str, int] = {}
    for side in SIDES:
        own = {meaning: k for (meaning, where), k in firsts.items() if where == side}
        upper_arm = own.get("upper_arm", own.get("arm", own.get("shoulder")))
        thigh = own.get("thigh", own.get("pelvis", own.get("leg")))  # a hip with a side is where a thigh begins
        shin = own.get("shin", own["leg"] if "leg" in own and own["leg"] != thigh else None)
        collar = own.get("collar", own["shoulder"] if "shoulder" in own and own["shoulder"] != upper_arm else None)
        limb = {
            "collar": collar, "upper_arm": upper_arm, "forearm": own.get("forearm"), "hand": own.get("hand"),
            "thigh": thigh, "shin": shin, "foot": own.get("foot"), "toes": own.get("toes"),
        }  # fmt: skip
        parts |= {sided(side, part): bone for part, bone in limb.items() if bone is not None}
    pelvis = firsts.get(("pelvis", ""), firsts.get(("root", "")))
    if pelvis is not None:
        parts["pelvis"] = pelvis
    for part in ("neck", "head"):
        if (part, "") in firsts:
            parts[part] = firsts[part, ""]
    chest = _chest(skeleton, parts)
    if chest is not None:
        parts["chest"] = chest
    return parts


def _ways_up(skeleton: Skeleton, bone: int) -> list[int]:
    """What a bone hangs on, from its parent to the root."""
    way: list[int] = []
    while (bone := int(skeleton.parents[bone])) >= 0:
        way.append(bone)
    return way


def _chest(skeleton: Skeleton, parts: Mapping[str, int]) -> int | None:
    """What both arms hang on; one arm's: what it hangs on."""
    limbs = [
        parts.get(sided(side, "collar"), parts[sided(side, "upper_arm")]) for side in SIDES if sided(side, "upper_arm") in parts
    ]
    ways = [_ways_up(skeleton, bone) for bone in limbs]
    return next((bone for bone in ways[0] if all(bone in way for way in ways)), None) if ways else None


def _arm_is_whole(skeleton: Skeleton, parts: Mapping[str, int], side: str) -> bool:
    return _follow(skeleton, [parts.get(sided(side, part), -1) for part in ("upper_arm", "forearm")])


def _follow(skeleton: Skeleton, bones: list[int]) -> bool:
    """Whether each is there and hangs on the one before."""
    if min(bones) < 0:
        return False
    return all(lower != upper and upper in _ways_up(skeleton, lower) for upper, lower in itertools.pairwise(bones))


def _is_whole(skeleton: Skeleton, parts: Mapping[str, int]) -> bool:
    """Whether both arms are there, each bone on the one before."""
    for side in SIDES:
        bones = [parts[name] for part in ARM if (name := sided(side, part)) in parts]
        if not _arm_is_whole(skeleton, parts, side) or not _follow(skeleton, bones):
            return False
        legs = [parts[name] for part in LEG if (name := sided(side, part)) in parts]
        if legs and not _follow(skeleton, legs):
            return False
    return True


def _fingers(skeleton: Skeleton, named: list[NamedBone], parts: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
    """The bones of each finger; the palm's (Noitom's InHand, MakeHuman's metacarpals) are none of them."""
    found: dict[str, list[int]] = {}
    for side in SIDES:
        numbers = sorted({bone.number for bone in named if bone.meaning == "finger" and bone.side == side and bone.number >= 0})
        least = numbers[0] if numbers else 0
        hand = parts.get(sided(side, "hand"))
        below = None if hand is None else bones_below(skeleton, hand)
        for k, bone in enumerate(named):
            if bone.meaning != "finger" or bone.side != side or (below is not None and k not in below):
                continue
            number = bone.finger if bone.finger >= 0 else bone.number - least
            word = skeleton.names[k].lower()
            if 0 <= number < len(FINGERS) and "inhand" not in word and "metacarpal" not in word:
                found.setdefault(finger(side, number), []).append(k)
    return {name: tuple(bones) for name, bones in found.items()}
