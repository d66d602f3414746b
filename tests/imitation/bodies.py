"""Skeletons of one and the same body, as different tools name and turn its bones."""

import numpy as np
from numpy.typing import NDArray

from armillary.imitation import Bone, Capture, Skeleton
from armillary.spatial import axis_angle_rotation

__all__ = ["FAMILIES", "body", "motion"]

Array = NDArray[np.float64]
# Part of the body, what it hangs on, and where it begins when a person of 1.7 m stands with arms stretched out, y up [cm].
_PLACES: dict[str, tuple[str, tuple[float, float, float]]] = {
    "pelvis": ("", (0.0, 93.0, 0.0)),
    "left_thigh": ("pelvis", (9.0, 91.0, 0.0)),
    "left_shin": ("left_thigh", (9.0, 49.0, 0.0)),
    "left_foot": ("left_shin", (9.0, 7.0, 0.0)),
    "right_thigh": ("pelvis", (-9.0, 91.0, 0.0)),
    "right_shin": ("right_thigh", (-9.0, 49.0, 0.0)),
    "right_foot": ("right_shin", (-9.0, 7.0, 0.0)),
    "spine": ("pelvis", (0.0, 105.0, 0.0)),
    "chest": ("spine", (0.0, 122.0, 0.0)),
    "neck": ("chest", (0.0, 143.0, 0.0)),
    "head": ("neck", (0.0, 152.0, 0.0)),
    "left_collar": ("chest", (3.0, 138.0, 0.0)),
    "left_upper_arm": ("left_collar", (17.0, 138.0, 0.0)),
    "left_forearm": ("left_upper_arm", (46.0, 138.0, 0.0)),
    "left_hand": ("left_forearm", (71.0, 138.0, 0.0)),
    "right_collar": ("chest", (-3.0, 138.0, 0.0)),
    "right_upper_arm": ("right_collar", (-17.0, 138.0, 0.0)),
    "right_forearm": ("right_upper_arm", (-46.0, 138.0, 0.0)),
    "right_hand": ("right_forearm", (-71.0, 138.0, 0.0)),
}
_ENDS = {
    "left_foot": (9.0, 0.0, 14.0), "right_foot": (-9.0, 0.0, 14.0), "head": (0.0, 170.0, 0.0),
    "left_hand": (82.0, 138.0, 0.0), "right_hand": (-82.0, 138.0, 0.0),
}  # fmt: skip


def _sides(pattern: str, left: str, right: str, words: dict[str, str]) -> dict[str, str]:
    return {
        f"{side}_{part}": pattern.format(side=said, part=word)
        for side, said in (("left", left), ("right", right))
        for part, word in words.items()
    }


_NOITOM = {
    "collar": "Shoulder",
    "upper_arm": "Arm",
    "forearm": "ForeArm",
    "hand": "Hand",
    "thigh": "UpLeg",
    "shin": "Leg",
    "foot": "Foot",
}
_JOINTS = {
    "collar": "Collar",
    "upper_arm": "Shoulder",
    "forearm": "Elbow",
    "hand": "Wrist",
    "thigh": "Hip",
    "shin": "Knee",
    "foot": "Ankle",
}
_SEGMENTS = {
    "collar": "Shoulder",
    "upper_arm": "UpperArm",
    "forearm": "LowerArm",
    "hand": "Hand",
    "thigh": "UpperLeg",
    "shin": "LowerLeg",
    "foot": "Foot",
}
_LATIN = {
    "collar": "clavicle",
    "upper_arm": "humerus",
    "forearm": "radius",
    "hand": "wrist",
    "thigh": "femur",
    "shin": "tibia",
    "foot": "foot",
}
_BIPED = {
    "collar": "Clavicle",
    "upper_arm": "UpperArm",
    "forearm": "Forearm",
    "hand": "Hand",
    "thigh": "Thigh",
    "shin": "Calf",
    "foot": "Foot",
}
_TRUNK = {"pelvis": "Hips", "spine": "Spine", "chest": "Spine1", "neck": "Neck", "head": "Head"}
FAMILIES: dict[str, dict[str, str]] = {
    "noitom": _TRUNK | _sides("{side}{part}", "Left", "Right", _NOITOM),
    "mixamo": {part: f"mixamorig:{name}" for part, name in (_TRUNK | _sides("{side}{part}", "Left", "Right", _NOITOM)).items()},
    "xsens joints": _TRUNK | {"spine": "Chest", "chest": "Chest4"} | _sides("{side}{part}", "Left", "Right", _JOINTS),
    "xsens segments": _TRUNK
    | {"pelvis": "Pelvis", "spine": "L5", "chest": "T8"}
    | _sides("{side}{part}", "Left", "Right", _SEGMENTS | {"forearm": "ForeArm"}),
    "bandai": _TRUNK | {"chest": "Chest"} | _sides("{part}_{side}", "L", "R", _SEGMENTS),
    "cmu": {"pelvis": "root", "spine": "lowerback", "chest": "thorax", "neck": "lowerneck", "head": "head"}
    | _sides("{side}{part}", "l", "r", _LATIN),
    "rokoko": _TRUNK | _sides("{side}{part}", "Left", "Right", _NOITOM | {"thigh": "Thigh", "shin": "Shin"}),
    "biped": {part: f"Bip01 {name}" for part, name in (_TRUNK | {"pelvis": "Pelvis"}).items()}
    | _sides("Bip01 {side} {part}", "L", "R", _BIPED),
    "unreal": {"pelvis": "pelvis", "spine": "spine_01", "chest": "spine_02", "neck": "neck_01", "head": "head"}
    | _sides("{part}_{side}", "l", "r", {part: word.lower() for part, word in (_BIPED | {"forearm": "LowerArm"}).items()}),
    "smpl": _TRUNK | {"pelvis": "Pelvis"} | _sides("{side}_{part}", "L", "R", _JOINTS),
    "rigify": {"pelvis": "hips", "spine": "spine", "chest": "chest", "neck": "neck", "head": "head"}
    | _sides(
        "{part}.{side}", "L", "R", _BIPED | {"collar": "shoulder", "upper_arm": "upper_arm", "forearm": "forearm", "shin": "shin"}
    ),
    "nothing": {part: f"bone{k}" for k, part in enumerate(_PLACES)},
}


def body(names: dict[str, str], *, turned: dict[str, Array] | None = None, scale: float = 1.0) -> Skeleton:
    """The body, each bone's own axes turned as asked: then a rotation by that is what makes it stand. scale: Of lengths."""
    order = list(_PLACES)
    own = {part: (turned or {}).get(part, np.eye(3)) for part in order}
    bones = []
    for part in order:
        parent, place = _PLACES[part]
        above = own[parent] if parent else np.eye(3)
        offset = above.T @ (np.array(place) - (np.array(_PLACES[parent][1]) if parent else 0.0)) * scale
        end = own[part].T @ (np.array(_ENDS[part]) - np.array(place)) * scale if part in _ENDS else None
        positions = ("Xposition", "Yposition", "Zposition") if not parent else ()
        bones.append(
            Bone(
                names[part],
                order.index(parent) if parent else -1,
                offset,
                (*positions, "Zrotation", "Xrotation", "Yrotation"),
                end,
            )
        )
    return Skeleton(tuple(bones))


def motion(skeleton: Skeleton, rotations: list[dict[str, Array]], *, turned: dict[str, Array] | None = None) -> Capture:
    """Frames in which parts of the body are turned, seen from what they hang on, as from the body with its arms stretched out."""
    order = list(_PLACES)
    own = {part: (turned or {}).get(part, np.eye(3)) for part in order}
    rows = []
    for frame in rotations:
        row = list(skeleton.offsets[0])
        for part in order:
            parent = _PLACES[part][0]
            above = own[parent] if parent else np.eye(3)
            row += _zxy(above.T @ frame.get(part, np.eye(3)) @ own[part])
        rows.append(row)
    return Capture(skeleton, np.array(rows), 1 / 60, "a test")


def _zxy(R: Array) -> list[float]:
    """Degrees about z, x and y of R = Rz Rx Ry."""
    x = np.arcsin(np.clip(R[2, 1], -1.0, 1.0))
    return [float(np.degrees(each)) for each in (np.arctan2(-R[0, 1], R[1, 1]), x, np.arctan2(-R[2, 0], R[2, 2]))]


def any_turns(seed: int) -> dict[str, Array]:
    """Each bone's own axes somewhere else."""
    random = np.random.default_rng(seed)
    return {
        part: axis_angle_rotation(axis / np.linalg.norm(axis), float(random.uniform(-3.0, 3.0)))
        for part in _PLACES
        if len(axis := random.normal(size=3))
    }
