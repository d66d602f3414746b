"""Any capture as Axis Neuron would broadcast it: on its 59 bones, at its rate."""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from armillary.imitation.body_frames import direction, frame_of
from armillary.imitation.body_parts import SIDES, finger, sided
from armillary.imitation.capture import Capture, Poses, poses_at_rest
from armillary.imitation.errors import ImitationError
from armillary.imitation.matching import Match, Overrides, match
from armillary.imitation.neuron_skeleton import ROTATION_ORDER, NeuronForm, neuron_names, neuron_parents, neuron_skeleton
from armillary.imitation.person import Person, Postures
from armillary.imitation.skeleton import POSITIONS, Skeleton

__all__ = ["neuron_capture"]

Array = NDArray[np.float64]
_FINGERS = ("Thumb", "Index", "Middle", "Ring", "Pinky")
# What the bones of one form turn as, where the file has the other.
_INSTEAD = {
    NeuronForm.NEWER: {"Spine1": "Spine2", "Spine2": "Spine3", "Neck1": "Neck"},
    NeuronForm.OLDER: {"Spine3": "Spine2", "Neck": "Neck1"},
}


def neuron_capture(
    capture: Capture, form: NeuronForm = NeuronForm.NEWER, *, rate: float | None = None, overrides: Overrides | None = None
) -> Capture:
    """A capture with Axis Neuron's skeleton, with displacements (354 channels) [cm, degree].

    A file of Axis Neuron's own bones goes over one to one. Of any other, trunk, head, arms, hands, fingers and legs are matched
    and turn as the person's do; the body is one of 1.7 m.

    Args:
        rate: Frames a second [Hz], by turning on from frame to frame; the capture's own without.
        overrides: Which bones are which, as for `match`.

    Raises:
        UnknownSkeleton: No arm is found in it.
        ImitationError: It has no frame.
    """
    if not len(capture):
        raise ImitationError(f"{capture.source or 'the capture'} has no frame; there is nothing to broadcast")
    own = next((each for each in (form, *NeuronForm) if all(name in capture.skeleton for name in neuron_names(each))), None)
    if own is None or overrides:
        local, places, skeleton = _by_parts(capture, form, overrides)
    else:
        local, places, skeleton = _by_names(capture, own, form)
        if own is form and rate is None and (exact := _exact(capture, skeleton)) is not None:
            return Capture(skeleton, exact, capture.period, capture.source, capture.notes)
    period = capture.period
    if rate is not None and abs(period * rate - 1.0) > 0.002:
        local, places = _resampled(local, places, period, 1.0 / rate)
    values = np.concatenate([np.broadcast_to(skeleton.offsets, (len(local), *skeleton.offsets.shape)), _yxz(local)], axis=2)
    values[:, 0, :3] = places
    return Capture(
        skeleton, values.reshape(len(values), -1), period if rate is None else 1.0 / rate, capture.source, capture.notes
    )


def _exact(capture: Capture, skeleton: Skeleton) -> Array | None:
    """The file's own numbers, where its bones turn in Axis Neuron's order; with its offsets where it tells none."""
    values = np.broadcast_to(
        np.concatenate([skeleton.offsets, np.zeros_like(skeleton.offsets)], axis=1), (len(capture), len(skeleton), 6)
    ).copy()
    column = 0
    for bone in capture.skeleton.bones:
        k, kinds = skeleton.index(bone.name) if bone.name in skeleton else -1, bone.channels
        if k >= 0:
            if tuple(each for each in kinds if each not in POSITIONS) != ROTATION_ORDER:
                return None
            for place, kind in enumerate(kinds):
                to = POSITIONS.index(kind) if kind in POSITIONS else 3 + ROTATION_ORDER.index(kind)
                values[:, k, to] = capture.values[:, column + place]
        column += len(kinds)
    return None if capture.displaced else values.reshape(len(values), -1)


def _by_names(capture: Capture, own: NeuronForm, form: NeuronForm) -> tuple[Array, Array, Skeleton]:
    """Rotations seen from the parent, shape (frames, 59, 3, 3); where the hips are; and the skeleton with the file's lengths."""
    names, there = neuron_names(form), capture.skeleton
    instead = {} if own is form else _INSTEAD[form]
    sources = [there.index(instead.get(name, name)) for name in names]
    offsets = neuron_skeleton(form).offsets.copy() if own is not form else there.offsets[sources]
    if own is not form:
        same = [k for k, name in enumerate(names) if name not in _INSTEAD[form] and name in there and "Shoulder" not in name]
        offsets[same] = there.offsets[[sources[k] for k in same]]
    poses = capture.poses
    return (
        _local(poses.rotations[:, sources], neuron_parents(form)),
        poses.places[:, there.index("Hips")],
        neuron_skeleton(form, displacement=True, offsets=offsets),
    )


def _by_parts(capture: Capture, form: NeuronForm, overrides: Overrides | None) -> tuple[Array, Array, Skeleton]:
    found = match(capture.skeleton, capture.poses, overrides)
    person = Person.of_capture(capture, found)
    skeleton = neuron_skeleton(form, displacement=True)
    rest = poses_at_rest(skeleton)
    theirs = match(skeleton)
    now = _frames(found, capture.poses, person.postures(capture.poses))
    then = _frames(theirs, rest, Person(theirs, rest).postures(rest))
    turn = _upright(now["chest"])
    turned = {part: turn @ frames @ np.swapaxes(then[part], -1, -2) for part, frames in now.items() if part in then}
    world = _world(turned, person.postures(capture.poses).curls, form)
    places = capture.poses.places[:, found.parts.get("pelvis", 0)] @ turn.T * (100.0 * person.stature.metres)
    return _local(world, neuron_parents(form)), places, skeleton


def _frames(found: Match, poses: Poses, postures: Postures) -> dict[str, Array]:
    """Each part's frame in the room, shape (frames, 3, 3)."""
    chest = postures.chest
    pelvis = chest @ np.swapaxes(postures.waist, -1, -2)
    frames = {"chest": chest, "pelvis": pelvis, "head": chest @ postures.head}
    for k, side in enumerate(SIDES):
        arm = chest @ postures.upper_arms[:, k]
        forearm = np.einsum("fij,fj->fi", chest, postures.forearms[:, k])
        frames[sided(side, "upper_arm")] = arm
        frames[sided(side, "forearm")] = frame_of(-forearm, arm[..., 1], (2, 1))
        frames[sided(side, "hand")] = chest @ postures.hands[:, k]
        above = pelvis
        for part in ("thigh", "shin"):
            along = direction(found, poses, sided(side, part))
            above = above if along is None else frame_of(-along, pelvis[..., 1], (2, 1))
            frames[sided(side, part)] = above
    return frames


def _upright(chest: Array) -> Array:
    """From the capture's room to one whose y is up."""
    up = chest[..., 2].mean(axis=0)
    if np.argmax(np.abs(up)) == 2:
        return np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
    if np.argmax(np.abs(up)) == 0:
        return np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    return np.eye(3)


def _world(turned: dict[str, Array], curls: Array, form: NeuronForm) -> Array:
    """How each of the 59 bones is turned in the room, shape (frames, 59, 3, 3)."""
    names = neuron_names(form)
    world: dict[str, Array] = {"Hips": turned["pelvis"], "Head": turned["head"]}
    spine = [name for name in names if name.startswith("Spine")]
    neck = [name for name in names if name.startswith("Neck")]
    for k, name in enumerate(spine, 1):
        world[name] = _between(turned["pelvis"], turned["chest"], k / len(spine))
    for k, name in enumerate(neck, 1):
        world[name] = _between(turned["chest"], turned["head"], k / (len(neck) + 1))
    for number, side in enumerate(SIDES):
        own = side.capitalize()
        parts = {
            "UpLeg": "thigh", "Leg": "shin", "Foot": "shin", "Arm": "upper_arm", "ForeArm": "forearm", "Hand": "hand",
        }  # fmt: skip
        world |= {own + name: turned[sided(side, part)] for name, part in parts.items()}
        world[f"{own}Shoulder"] = turned["chest"]
        for k, word in enumerate(_FINGERS):
            world |= _finger(own, word, turned[sided(side, "hand")], curls[:, number, k])
    assert finger("left", 0) == "left_thumb" and len(_FINGERS) == curls.shape[2]
    return np.stack([world[name] for name in names], axis=1)


def _finger(side: str, word: str, hand: Array, curl: Array) -> dict[str, Array]:
    """A finger's bones: each joint is bent by the same share of a right angle, a thumb's across the palm."""
    axis = np.array([0.0, 1.0, 0.0]) if word == "Thumb" else np.array([0.0, 0.0, -1.0])
    bend = Rotation.from_rotvec(0.5 * np.pi * curl[:, None] * axis * (1.0 if side == "Left" else -1.0)).as_matrix()
    bones = {} if word == "Thumb" else {f"{side}InHand{word}": hand}
    at = hand
    for k in (1, 2, 3):
        at = at @ bend
        bones[f"{side}Hand{word}{k}"] = at
    return bones


def _between(first: Array, second: Array, share: float) -> Array:
    """Rotations on the way from some to others."""
    way = Rotation.from_matrix(np.swapaxes(first, -1, -2).reshape(-1, 3, 3) @ second.reshape(-1, 3, 3)).as_rotvec() * share
    return np.asarray((first.reshape(-1, 3, 3) @ Rotation.from_rotvec(way).as_matrix()).reshape(first.shape))


def _local(world: Array, parents: list[int]) -> Array:
    """Rotations seen from the parent."""
    local = world.copy()
    for k, parent in enumerate(parents):
        if parent >= 0:
            local[:, k] = np.swapaxes(world[:, parent], -1, -2) @ world[:, k]
    return local


def _yxz(R: Array) -> Array:
    """Degrees about y, x and z of R = Ry Rx Rz, shape (..., 3)."""
    sine = np.clip(-R[..., 1, 2], -1.0, 1.0)
    locked = np.abs(sine) > 1.0 - 1e-12  # then y and z turn about the same axis: all of it is y's
    y = np.where(locked, np.arctan2(-R[..., 2, 0], R[..., 0, 0]), np.arctan2(R[..., 0, 2], R[..., 2, 2]))
    z = np.where(locked, 0.0, np.arctan2(R[..., 1, 0], R[..., 1, 1]))
    return np.degrees(np.stack([y, np.arcsin(sine), z], axis=-1))


def _resampled(local: Array, places: Array, period: float, new: float) -> tuple[Array, Array]:
    """At another rate: turned on evenly from frame to frame."""
    last = len(local) - 1
    at = np.arange(int(last * period / new + 1e-9) + 1) * new / period
    low = np.minimum(at.astype(int), max(last - 1, 0))
    high, share = np.minimum(low + 1, last), (at - low)[:, None]
    first = local[low]
    way = Rotation.from_matrix((np.swapaxes(first, -1, -2) @ local[high]).reshape(-1, 3, 3)).as_rotvec()
    turn = Rotation.from_rotvec(way * np.repeat(share, local.shape[1], axis=0)).as_matrix().reshape(first.shape)
    return np.asarray(first @ turn), places[low] + (places[high] - places[low]) * share
