"""The parts of a body that a robot can have too, by the names used here."""

__all__ = ["ARM", "FINGERS", "LEG", "PARTS", "SIDES", "TRUNK", "finger", "mirrored", "sided"]

SIDES = ("left", "right")
TRUNK = ("pelvis", "chest", "neck", "head")
ARM = ("collar", "upper_arm", "forearm", "hand")
LEG = ("thigh", "shin", "foot", "toes")
FINGERS = ("thumb", "index", "middle", "ring", "little")


def sided(side: str, part: str) -> str:
    return f"{side}_{part}"


def finger(side: str, number: int) -> str:
    """0 is the thumb, 4 the little one."""
    return sided(side, FINGERS[number])


# Every part that one bone stands for; a finger has several.
PARTS = (*TRUNK, *(sided(side, part) for side in SIDES for part in (*ARM, *LEG)))


def mirrored(part: str) -> str:
    """The same part of the other side."""
    if part.startswith("left_"):
        return "right_" + part.removeprefix("left_")
    return "left_" + part.removeprefix("right_") if part.startswith("right_") else part
