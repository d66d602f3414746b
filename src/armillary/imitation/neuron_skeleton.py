"""The skeleton that Axis Neuron broadcasts: 59 bones, of which two differ between its older and its newer form."""

from enum import Enum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armillary.imitation.errors import ImitationError
from armillary.imitation.skeleton import POSITIONS, Bone, Skeleton

__all__ = ["ROTATION_ORDER", "NeuronForm", "default_offsets", "neuron_names", "neuron_parents", "neuron_skeleton"]

Array = NDArray[np.float64]
ROTATION_ORDER = ("Yrotation", "Xrotation", "Zrotation")  # R = Ry Rx Rz
_FINGERS = ("Index", "Middle", "Ring", "Pinky")


class NeuronForm(Enum):
    """Which of the two: the numbers of a frame do not tell. older has Spine3 and one bone of the neck, newer two of the neck."""

    OLDER = "older"
    NEWER = "newer"


def _hand(side: str) -> list[tuple[str, str]]:
    hand = f"{side}Hand"
    rows = [(f"{hand}Thumb1", hand), (f"{hand}Thumb2", f"{hand}Thumb1"), (f"{hand}Thumb3", f"{hand}Thumb2")]
    for finger in _FINGERS:
        chain = [hand, f"{side}InHand{finger}", *(f"{hand}{finger}{k}" for k in (1, 2, 3))]
        rows += [(chain[k + 1], chain[k]) for k in range(4)]
    return rows


def _table(form: NeuronForm) -> list[tuple[str, str]]:
    """Each bone and what it hangs on, in the order of a frame's numbers."""
    rows = [("Hips", "")]
    for side in ("Right", "Left"):
        rows += [(f"{side}UpLeg", "Hips"), (f"{side}Leg", f"{side}UpLeg"), (f"{side}Foot", f"{side}Leg")]
    trunk = ["Hips", "Spine", "Spine1", "Spine2"]
    trunk += ["Spine3", "Neck", "Head"] if form is NeuronForm.OLDER else ["Neck", "Neck1", "Head"]
    rows += [(trunk[k + 1], trunk[k]) for k in range(6)]
    chest = "Spine3" if form is NeuronForm.OLDER else "Spine2"
    for side in ("Right", "Left"):
        rows += [(f"{side}Shoulder", chest), (f"{side}Arm", f"{side}Shoulder"), (f"{side}ForeArm", f"{side}Arm")]
        rows += [(f"{side}Hand", f"{side}ForeArm"), *_hand(side)]
    return rows


_NAMES = {form: tuple(name for name, _ in _table(form)) for form in NeuronForm}
assert all(len(names) == 59 and len(set(names)) == 59 for names in _NAMES.values())

# A person of 1.7 m with arms stretched out, palms down: where bones begin, from what they hang on, x left, y up, z forward [cm].
# Proportions of our own, by Drillis and Contini's shares of the stature; of the left side, the right one mirrors it.
_TRUNK = {
    NeuronForm.OLDER: {"Spine": 10.0, "Spine1": 10.5, "Spine2": 10.5, "Spine3": 10.5, "Neck": 10.5, "Head": 9.0},
    NeuronForm.NEWER: {"Spine": 9.0, "Spine1": 15.0, "Spine2": 13.0, "Neck": 15.0, "Neck1": 4.5, "Head": 4.5},
}
_COLLAR_BELOW_NECK = 4.0
_LIMBS = {
    "UpLeg": (9.0, -2.0, 0.0), "Leg": (0.0, -41.6, 0.0), "Foot": (0.0, -41.8, 0.0), "Arm": (15.0, 0.0, 0.0),
    "ForeArm": (31.6, 0.0, 0.0), "Hand": (24.8, 0.0, 0.0), "HandThumb1": (2.6, 0.0, 3.0), "HandThumb2": (3.5, 0.0, 1.5),
    "HandThumb3": (2.8, 0.0, 1.2), "InHandIndex": (3.2, 0.4, 2.0), "InHandMiddle": (3.3, 0.5, 0.7),
    "InHandRing": (3.2, 0.4, -0.5), "InHandPinky": (3.0, 0.3, -1.6),
}  # fmt: skip
_FINGER_LENGTHS = {"Index": (5.6, 3.9, 2.3), "Middle": (5.4, 4.3, 2.7), "Ring": (5.0, 4.0, 2.6), "Pinky": (4.6, 3.1, 1.9)}
_ENDS = {
    "Foot": (0.0, -6.6, 15.0), "HandThumb3": (2.1, 0.0, 0.9),
    **{f"Hand{finger}3": (2.0, 0.0, 0.0) for finger in _FINGERS},
}  # fmt: skip
_TOP = (0.0, 19.0, 0.0)  # of the head


def neuron_names(form: NeuronForm = NeuronForm.NEWER) -> tuple[str, ...]:
    """The bones' names, in the order of a frame's numbers."""
    return _NAMES[form]


def neuron_parents(form: NeuronForm = NeuronForm.NEWER) -> list[int]:
    """What each hangs on; -1 for the first."""
    names = _NAMES[form]
    return [names.index(parent) if parent else -1 for _, parent in _table(form)]


def _sided(name: str) -> tuple[str, float]:
    """A name without its side, and which way x is on that side; 0 on neither."""
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        if name.startswith(side):
            return name.removeprefix(side), sign
    return name, 0.0


def _offset(name: str, form: NeuronForm) -> tuple[float, float, float]:
    plain, sign = _sided(name)
    if name == "Hips":
        return 0.0, 92.0, 0.0
    if not sign:
        return 0.0, _TRUNK[form][name], 0.0
    if plain == "Shoulder":
        return 3.0 * sign, _TRUNK[form]["Neck"] - _COLLAR_BELOW_NECK, 0.0
    if plain in _LIMBS:
        x, y, z = _LIMBS[plain]
        return x * sign, y, z
    finger, number = plain.removeprefix("Hand")[:-1], int(plain[-1])
    return _FINGER_LENGTHS[finger][number - 1] * sign, 0.0, 0.0


def default_offsets(form: NeuronForm = NeuronForm.NEWER) -> Array:
    """Where bones begin, of a person of 1.7 m, for streams that do not tell, shape (59, 3) [cm]."""
    return np.array([_offset(name, form) for name in _NAMES[form]])


def _end(name: str) -> Array | None:
    plain, sign = _sided(name)
    if name == "Head":
        return np.array(_TOP)
    return np.array(_ENDS[plain]) * (sign, 1.0, 1.0) if plain in _ENDS and sign else None


def neuron_skeleton(
    form: NeuronForm = NeuronForm.NEWER, *, displacement: bool = False, offsets: ArrayLike | None = None
) -> Skeleton:
    """The skeleton of frames with displacement (354 channels) or without (180).

    Args:
        offsets: Where bones begin, from what they hang on, shape (59, 3) [cm]; those of a person of 1.7 m without.

    Raises:
        ImitationError: There are more or fewer offsets than bones.
    """
    table = default_offsets(form) if offsets is None else np.array(offsets, dtype=float)
    names = _NAMES[form]
    if table.shape != (len(names), 3):
        raise ImitationError(f"offsets of shape {table.shape}; the skeleton has {len(names)} bones: ({len(names)}, 3)")
    parents = neuron_parents(form)
    return Skeleton(
        tuple(
            Bone(
                name,
                parents[k],
                table[k],
                (*POSITIONS, *ROTATION_ORDER) if displacement or k == 0 else ROTATION_ORDER,
                _end(name),
            )
            for k, name in enumerate(names)
        )
    )
