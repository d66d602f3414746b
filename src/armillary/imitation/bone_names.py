"""What bones are, by what people call them: the words of Noitom, CMU, LAFAN, Mixamo, Xsens, Bandai, Rokoko, MakeHuman, ..."""

import re
from collections import Counter
from dataclasses import dataclass

from armillary.imitation.body_parts import FINGERS

__all__ = ["SIDE_WORDS", "NamedBone", "name_of_bone", "names_of_bones", "words_of"]

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
SIDE_WORDS = {
    "left": "left",
    "l": "left",
    "lt": "left",
    "lft": "left",
    "right": "right",
    "r": "right",
    "rt": "right",
    "rgt": "right",
}
# What is no part of the body: ends that are drawn as bones, helpers of a mesh, targets of a rig.
_NO_BONE = {
    "end", "nub", "site", "effector", "twist", "ik", "pole", "target", "helper", "roll", "eye", "jaw", "tongue", "breast",
    "dummy", "prop", "ref", "reference", "weapon", "glasses", "hair", "tail",
}  # fmt: skip
_MEANINGS = {
    "pelvis": {"hips", "hip", "pelvis", "lowertorso", "hipcenter", "hipscenter"},
    "root": {"root", "base", "origin", "world", "armature", "skeleton", "reference"},
    "spine": {
        "spine", "chest", "abdomen", "lowerback", "upperback", "thorax", "torso", "back", "ab", "waist", "upperchest",
        "spinebase", "spinemid", "spineshoulder", "ribcage", "stomach", "uppertorso", "spinechest", "spinenavel", "lowerspine",
        "midspine", "upperspine", "t", "sternum",
    },
    "neck": {"neck", "lowerneck", "upperneck", "cervical"},
    "head": {"head", "skull"},
    "collar": {"collar", "clavicle", "clav", "scapula", "shoulderblade", "collarbone", "innershoulder"},
    "shoulder": {"shoulder", "shldr", "sho"},
    "upper_arm": {"upperarm", "uparm", "uarm", "humerus", "armupper", "bicep", "armtop", "upperarmbone"},
    "arm": {"arm"},
    "forearm": {"forearm", "lowerarm", "lowarm", "loarm", "farm", "radius", "elbow", "armlower", "ulna", "elb", "forearmbone"},
    "hand": {"hand", "wrist", "palm", "wri"},
    "thigh": {"upperleg", "upleg", "uleg", "thigh", "femur", "legupper", "upperlegbone"},
    "leg": {"leg"},
    "shin": {"lowerleg", "lowleg", "loleg", "lleg", "shin", "calf", "tibia", "knee", "crus", "leglower", "shank"},
    "foot": {"foot", "ankle", "ank"},
    "toes": {"toe", "toes", "toebase", "ball", "forefoot", "football", "metatarsal"},
}  # fmt: skip
_MEANING = {word: meaning for meaning, words in _MEANINGS.items() for word in words}
_FINGERS = {
    "thumb": 0, "index": 1, "middle": 2, "mid": 2, "ring": 3, "pinky": 4, "pinkie": 4, "little": 4, "small": 4, "pink": 4,
}  # fmt: skip
_NUMBERED_FINGER = {"finger", "digit", "metacarpal"}
# Xsens numbers its spine by the vertebrae.
_VERTEBRA = re.compile(r"^[ltc]\d{1,2}$")


@dataclass(frozen=True)
class NamedBone:
    """What a name says.

    Attributes:
        meaning: pelvis, root, spine, neck, head, collar, shoulder, upper_arm, arm, forearm, hand, thigh, leg, shin, foot, toes or
            finger; "" where it says nothing. Shoulder, arm and leg mean different bones in different skeletons.
        side: left, right, or "".
        finger: 0 for the thumb to 4; -1 where it is none, or the name tells none.
        number: Of a finger that has only a number; -1 where there is none.
    """

    meaning: str = ""
    side: str = ""
    finger: int = -1
    number: int = -1


def names_of_bones(names: tuple[str, ...]) -> list[NamedBone]:
    """What each name of a skeleton says; what all of them begin with says nothing."""
    plain = [_without_space(name) for name in names]
    firsts = Counter(words[0] for words in map(words_of, plain) if words)
    shared = {word for word, count in firsts.items() if count > 0.6 * len(plain) and count > 3 and word not in SIDE_WORDS}
    return [name_of_bone(name, shared) for name in plain]


def name_of_bone(name: str, shared: set[str] | None = None) -> NamedBone:
    """What one name says. shared: Words that its skeleton begins every name with."""
    plain = _without_space(name)
    if _VERTEBRA.match(plain.lower()):
        return NamedBone("spine")
    words = [word for k, word in enumerate(words_of(plain)) if not (k == 0 and shared and word in shared)]
    side, words = _side_of(words)
    numbers = [int(word) for word in words if word.isdigit()]
    words = [word for word in words if not word.isdigit()]
    if not words or words[-1] in _NO_BONE or words[0] in _NO_BONE:
        return NamedBone(side=side)
    for word in words:
        if word in _FINGERS and side and "toe" not in words and "foot" not in words:
            return NamedBone("finger", side, _FINGERS[word])
    if any(word in _NUMBERED_FINGER for word in words) and side and numbers:
        return NamedBone("finger", side, -1, numbers[0])
    return NamedBone(_meaning(words), side)


def _meaning(words: list[str]) -> str:
    """Of all words together, else without those before it: "b upper arm" is an upper arm, "hip joint" no hip."""
    for begin in range(len(words)):
        found = _MEANING.get("".join(words[begin:]))
        if found:
            return found
    return ""


def _without_space(name: str) -> str:
    """Without the name of what it belongs to."""
    return re.split(r"[:|/]", name.strip())[-1]


def words_of(name: str) -> list[str]:
    """The words that a name is made of: by capitals, digits and whatever is no letter."""
    return [word.lower() for word in _WORD.findall(name)]


def _side_of(words: list[str]) -> tuple[str, list[str]]:
    """The side that is said, and what else is: in a word of its own (Left, L, .R), or before a word that is known (lhumerus)."""
    for k, word in enumerate(words):
        if word in SIDE_WORDS:
            return SIDE_WORDS[word], words[:k] + words[k + 1 :]
    for k, word in enumerate(words):
        for begin in ("left", "right", "l", "r"):
            rest = word.removeprefix(begin)
            if (
                rest != word
                and (rest in _MEANING or rest in _FINGERS or rest in ("fingers", "hipjoint"))
                and word not in _MEANING
            ):
                return SIDE_WORDS[begin], [*words[:k], rest, *words[k + 1 :]]
    return "", words


assert set(_FINGERS.values()) == set(range(len(FINGERS)))
