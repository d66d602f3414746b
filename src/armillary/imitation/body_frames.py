"""The frames of a body's parts, as they would be if nothing of a bone's own were known: by where joints are.

A trunk's and a head's: x forward, y left, z up. A hand's: x along the fingers, z out of its back. An arm's is the trunk's when it
hangs: z against the arm, y across, so that an elbow bends towards x. They say how a bone stands to its part of the body in poses
in which a person stands straight; from then on the bone's own rotation tells.
"""

import numpy as np
from numpy.typing import NDArray

from armillary.imitation.body_parts import FINGERS, SIDES, sided
from armillary.imitation.capture import Poses
from armillary.imitation.matching import Match

__all__ = ["cross", "direction", "frame_of", "frames_of_body", "mean_rotation", "product", "transposed", "turned", "unit"]

Array = NDArray[np.float64]
_HANGS = 0.75  # cosine: an arm that hangs more has its palm to the thigh, one that hangs less to the ground
_AXIS = 0.94  # cosine: a trunk that stands nearly along an axis of the room stands along it


def unit(v: Array) -> Array:
    """Vectors of length 1, shape (..., 3); zero stays zero."""
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.asarray(v / np.where(length > 1e-12, length, 1.0))


def product(A: Array, B: Array) -> Array:
    """Of rotations, shape (..., 3, 3). Written out, so that one frame gives the same bits alone as among many."""
    return np.asarray(
        A[..., :, 0, None] * B[..., None, 0, :]
        + A[..., :, 1, None] * B[..., None, 1, :]
        + A[..., :, 2, None] * B[..., None, 2, :]
    )


def turned(R: Array, v: Array) -> Array:
    """Vectors by rotations, shape (..., 3), as `product`."""
    return np.asarray(R[..., :, 0] * v[..., None, 0] + R[..., :, 1] * v[..., None, 1] + R[..., :, 2] * v[..., None, 2])


def cross(a: Array, b: Array) -> Array:
    """Of vectors, shape (..., 3); numpy's own takes longer to begin than this takes for a frame."""
    a, b = np.broadcast_arrays(a, b)
    out = np.empty(a.shape)
    out[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    out[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    out[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return out


def transposed(R: Array) -> Array:
    return np.swapaxes(R, -1, -2)


def frame_of(first: Array, second: Array, order: tuple[int, int]) -> Array:
    """Frames with one axis along `first` and another as near to `second` as can be, shape (..., 3, 3).

    Args:
        order: Which axes those are.
    """
    one = unit(first)
    other = unit(second - (second * one).sum(axis=-1, keepdims=True) * one)
    third = cross(one, other)
    i, j = order
    k = 3 - i - j
    frame = np.empty((*one.shape, 3))
    frame[..., i], frame[..., j] = one, other
    frame[..., k] = third if (j - i) % 3 == 1 else -third
    return frame


def direction(match: Match, poses: Poses, part: str) -> Array | None:
    """Where a limb's part points, from its joint to the next, or to its end, shape (frames, 3); None where nothing says so."""
    nexts = {"upper_arm": "forearm", "forearm": "hand", "thigh": "shin", "shin": "foot"}
    side, _, name = part.partition("_")
    if part not in match:
        return None
    bone = match[part]
    following = sided(side, nexts[name]) if name in nexts else ""
    if following in match:
        return unit(poses.places[:, match[following]] - poses.places[:, bone])
    tip = _tip(match, part)
    return None if tip is None else unit(turned(poses.rotations[:, bone], tip))


def _tip(match: Match, part: str) -> Array | None:
    """Where a last part ends, in its own frame: in the middle of a hand's knuckles, at its end, or at what hangs on it."""
    bone, side = match[part], part.partition("_")[0]
    fingers = [match.fingers[name][0] for each in FINGERS[1:] if (name := sided(side, each)) in match.fingers]
    knuckles = [offset for each in fingers if (offset := _from(match, bone, each)) is not None]
    if knuckles and part.endswith("_hand"):
        return np.asarray(np.mean(knuckles, axis=0))
    ends = [match.skeleton.bones[bone].end, *(_from(match, bone, below) for below in match.skeleton.children[bone])]
    return next((end for end in ends if end is not None and np.linalg.norm(end) > 1e-9), None)


def _from(match: Match, bone: int, below: int) -> Array | None:
    """From a bone to one that hangs on it, as at rest: between a hand and its knuckles nothing bends."""
    offset, at = np.zeros(3), below
    while at != bone and at >= 0:
        offset, at = offset + match.skeleton.offsets[at], int(match.skeleton.parents[at])
    return offset if at == bone and np.linalg.norm(offset) > 1e-9 else None


def frames_of_body(match: Match, poses: Poses) -> dict[str, Array]:
    """Each part's frame in the room of poses in which a person stands as people stand, shape (frames, 3, 3)."""
    chest = _trunk(match, poses, "upper_arm")
    frames = {"chest": chest, "head": chest, "pelvis": _trunk(match, poses, "thigh") if "left_thigh" in match else chest}
    forward, left, up = chest[..., 0], chest[..., 1], chest[..., 2]
    for side in SIDES:
        arm = direction(match, poses, sided(side, "upper_arm"))
        forearm = direction(match, poses, sided(side, "forearm"))
        if arm is None:
            continue
        frames[sided(side, "upper_arm")] = frame_of(-arm, np.cross(forward, arm), (2, 1))
        hand = direction(match, poses, sided(side, "hand"))
        along = hand if hand is not None else forearm
        if along is None:
            continue
        knuckles = _knuckles(match, poses, side)
        inward = -left if side == "left" else left
        hangs = -(along * up).sum(axis=-1, keepdims=True) > _HANGS
        back = np.where(hangs, -inward, up)
        frames[sided(side, "hand")] = frame_of(along, back, (0, 2)) if knuckles is None else frame_of(along, knuckles, (0, 1))
    return frames


def _trunk(match: Match, poses: Poses, limb: str) -> Array:
    """Of a trunk's part: across by its two limbs, up by the whole trunk, or by the axis of the room that it nearly is along."""
    head = next((match[part] for part in ("head", "neck", "chest") if part in match), 0)
    up = unit(poses.places[:, head] - poses.places[:, match.parts.get("pelvis", 0)])
    mean = unit(up.mean(axis=0))
    axis = int(np.abs(mean).argmax())
    if not mean.any():  # a trunk without a length: as files have it
        up = np.broadcast_to(np.array([0.0, 1.0, 0.0]), up.shape)
    elif abs(mean[axis]) > _AXIS:
        up = np.broadcast_to(np.eye(3)[axis] * np.sign(mean[axis]), up.shape)
    sides = [sided(side, limb) for side in SIDES]
    if all(part in match for part in sides):
        across = poses.places[:, match[sides[0]]] - poses.places[:, match[sides[1]]]
    else:  # one arm only: it is on its side of the chest
        there = next((part for part in sides if part in match), None)
        chest = match.parts.get("chest", 0)
        sign = -1.0 if there is not None and there.startswith("right") else 1.0
        across = (poses.places[:, match[there] if there is not None else chest] - poses.places[:, chest]) * sign
    flat = across - (across * up).sum(axis=-1, keepdims=True) * up
    nowhere = np.linalg.norm(flat, axis=-1, keepdims=True) < 1e-6 * (1e-6 + np.linalg.norm(across, axis=-1, keepdims=True))
    aside = np.eye(3)[int(np.abs(up.mean(axis=0)).argmin())]
    return frame_of(up, np.where(nowhere, aside, across), (2, 1))


def _knuckles(match: Match, poses: Poses, side: str) -> Array | None:
    """Across a hand, to the left where its back is up, shape (frames, 3): from one knuckle to another."""
    names = [sided(side, name) for name in ("index", "middle", "ring", "little") if sided(side, name) in match.fingers]
    if len(names) < 2:
        return None
    first, last = (poses.places[:, match.fingers[name][0]] for name in (names[0], names[-1]))
    return np.asarray(last - first if side == "left" else first - last)


def mean_rotation(rotations: Array) -> Array:
    """The rotation nearest to many, shape (n, 3, 3) to (3, 3)."""
    left, _, right = np.linalg.svd(rotations.mean(axis=0))
    return np.asarray(left @ np.diag([1.0, 1.0, np.linalg.det(left @ right)]) @ right)
