"""A person who moves, made up: arms that swing and bend, a head that looks around, fingers that close; told as BVH does."""

import numpy as np
from numpy.typing import NDArray

from armillary.imitation.capture import Capture
from armillary.imitation.skeleton import Bone, Skeleton

__all__ = ["moving_person"]

Array = NDArray[np.float64]
_TURNS = ("Yrotation", "Xrotation", "Zrotation")
_ALL = ("Xposition", "Yposition", "Zposition", *_TURNS)
_FINGERS = ("Thumb", "Index", "Middle", "Ring", "Pinky")


def moving_person(frames: int, rate: float, seed: int = 0, *, frequency: float = 0.1) -> Capture:
    """A capture of 51 bones at rest in a T, x to the left and y up, in cm.

    Args:
        rate: Frames a second. frequency: Of the slowest of its swings [Hz].
    """
    bones: list[Bone] = []

    def add(name: str, parent: int, offset: tuple[float, float, float], end: tuple[float, float, float] | None = None) -> int:
        channels = _ALL if parent < 0 else _TURNS
        bones.append(Bone(name, parent, np.array(offset), channels, None if end is None else np.array(end)))
        return len(bones) - 1

    hips = add("Hips", -1, (0.0, 95.0, 0.0))
    for side, sign in (("Right", -1.0), ("Left", 1.0)):
        up = add(f"{side}UpLeg", hips, (9.0 * sign, -2.0, 0.0))
        knee = add(f"{side}Leg", up, (0.0, -43.0, 0.0))
        add(f"{side}Foot", knee, (0.0, -42.0, 0.0), (0.0, -6.0, 15.0))
    chest = add("Spine1", add("Spine", hips, (0.0, 12.0, 0.0)), (0.0, 20.0, 0.0))
    add("Head", add("Neck", chest, (0.0, 22.0, 0.0)), (0.0, 9.0, 0.0), (0.0, 18.0, 0.0))
    for side, sign in (("Right", -1.0), ("Left", 1.0)):
        shoulder = add(f"{side}Shoulder", chest, (3.0 * sign, 15.0, 0.0))
        arm = add(f"{side}Arm", shoulder, (14.0 * sign, 0.0, 0.0))
        hand = add(f"{side}Hand", add(f"{side}ForeArm", arm, (29.0 * sign, 0.0, 0.0)), (26.0 * sign, 0.0, 0.0))
        for k, name in enumerate(_FINGERS):
            first = add(f"{side}Hand{name}1", hand, ((3.0 if k == 0 else 9.0) * sign, 0.0, 4.0 - 2.0 * k))
            second = add(f"{side}Hand{name}2", first, (4.0 * sign, 0.0, 0.0))
            add(f"{side}Hand{name}3", second, (2.5 * sign, 0.0, 0.0), (2.0 * sign, 0.0, 0.0))
    skeleton = Skeleton(tuple(bones))
    values = np.zeros((frames, skeleton.channel_count))
    values[:, 1] = 95.0
    random, times = np.random.default_rng(seed), np.arange(frames) / rate
    column = {
        (skeleton.names[bone], int(what)): k for k, (bone, what) in enumerate(skeleton.channel_table)
    }  # a bone's name, and 3 to 5 for a turn about x, y, z

    def swing(name: str, axis: int, middle: float, by: float) -> None:
        """Turn a bone to and fro [degrees]."""
        waves = [(random.uniform(1.0, 2.5), random.uniform(0.0, 6.28), share) for share in (0.7, 0.3)]
        moved = sum(share * np.sin(2 * np.pi * frequency * speed * times + phase) for speed, phase, share in waves)
        values[:, column[name, 3 + axis]] = middle + by * moved

    for side, sign in (("Right", -1.0), ("Left", 1.0)):
        swing(f"{side}Arm", 2, -60.0 * sign, 18.0)
        swing(f"{side}Arm", 1, -25.0 * sign, 20.0)
        swing(f"{side}ForeArm", 1, -60.0 * sign, 40.0)
        swing(f"{side}Hand", 0, 0.0, 25.0)
        for name in _FINGERS:
            for k in (1, 2, 3):
                swing(f"{side}Hand{name}{k}", 2, -35.0 * sign, 30.0)
    swing("Head", 1, 0.0, 30.0)
    swing("Head", 0, 5.0, 12.0)
    return Capture(skeleton, values, 1.0 / rate, "a person made up")
