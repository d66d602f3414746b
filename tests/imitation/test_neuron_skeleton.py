"""Axis Neuron's skeleton, and other people's motion on it."""

import numpy as np
import pytest
from numpy.typing import NDArray

from armillary.imitation import (
    Capture,
    ImitationError,
    NeuronForm,
    Person,
    UnknownSkeleton,
    bvh_text,
    match,
    neuron_capture,
    neuron_skeleton,
    parse_bvh,
    read_bvh,
)
from armillary.imitation.body_parts import PARTS
from armillary.imitation.neuron_skeleton import default_offsets, neuron_names, neuron_parents
from armillary.spatial import axis_angle_rotation
from tests.imitation.bodies import FAMILIES, any_turns, body, motion
from tests.imitation.test_bvh import SHARED, SMALL

Array = NDArray[np.float64]


def angle(one: Array, other: Array) -> float:
    """The greatest between directions [degree]."""
    return float(np.degrees(np.arccos(np.clip((one * other).sum(axis=-1), -1.0, 1.0))).max())


def waving(frames: int = 12) -> list[dict[str, Array]]:
    x, y, z = np.eye(3)
    return [
        {
            "left_upper_arm": axis_angle_rotation(z, -1.2 + 0.1 * k) @ axis_angle_rotation(x, 0.05 * k),
            "left_forearm": axis_angle_rotation(y, -0.08 * k),
            "right_upper_arm": axis_angle_rotation(z, 1.3 - 0.05 * k),
            "head": axis_angle_rotation(y, 0.04 * k) @ axis_angle_rotation(x, 0.02 * k),
            "pelvis": axis_angle_rotation(y, 0.1 * k),
            "spine": axis_angle_rotation(x, 0.03 * k),
            "left_thigh": axis_angle_rotation(x, -0.05 * k),
        }
        for k in range(frames)
    ]


def test_the_two_forms_differ_at_bones_10_and_11_alone() -> None:
    older, newer = neuron_names(NeuronForm.OLDER), neuron_names(NeuronForm.NEWER)
    assert len(older) == len(newer) == 59
    assert [k for k in range(59) if older[k] != newer[k]] == [10, 11]
    assert older[10:12] == ("Spine3", "Neck") and newer[10:12] == ("Neck", "Neck1")
    assert older[neuron_parents(NeuronForm.OLDER)[13]] == "Spine3" and newer[neuron_parents(NeuronForm.NEWER)[13]] == "Spine2"


@pytest.mark.parametrize("form", NeuronForm)
def test_channels_are_those_of_the_frames(form: NeuronForm) -> None:
    with_, without = neuron_skeleton(form, displacement=True), neuron_skeleton(form)
    assert (with_.channel_count, without.channel_count) == (354, 180)
    assert without.bones[0].channels == ("Xposition", "Yposition", "Zposition", "Yrotation", "Xrotation", "Zrotation")
    assert without.bones[1].channels == ("Yrotation", "Xrotation", "Zrotation")
    assert np.all(with_.parents[1:] < np.arange(1, 59)) and with_.parents[0] == -1


@pytest.mark.parametrize("form", NeuronForm)
def test_a_body_without_displacements_is_a_person_of_usual_size(form: NeuronForm) -> None:
    skeleton = neuron_skeleton(form)
    found = match(skeleton)
    assert {*PARTS} - {*found.parts} == {"left_toes", "right_toes"} and len(found.fingers) == 10
    person = Person.of_capture(Capture(skeleton, np.zeros((0, 180)), 0.01), found)
    assert person.stature.unit == "cm" and person.stature.height == pytest.approx(1.7, abs=0.02)
    left, right = (skeleton.rest[skeleton.index(f"{side}HandIndex3")] for side in ("Left", "Right"))
    assert left == pytest.approx(right * (-1.0, 1.0, 1.0)) and skeleton.rest[:, 1].min() > 0.0


def test_offsets_of_another_number_are_refused() -> None:
    with pytest.raises(ImitationError, match="59 bones"):
        neuron_skeleton(offsets=np.zeros((58, 3)))


@pytest.mark.parametrize("form", NeuronForm)
@pytest.mark.parametrize("family", ["noitom", "mixamo", "xsens joints", "bandai", "cmu", "biped", "nothing"])
def test_any_skeleton_turns_the_suits_bones_as_its_person_does(family: str, form: NeuronForm) -> None:
    turned = any_turns(3) if family in ("cmu", "bandai") else None
    there = body(FAMILIES[family], turned=turned, scale=0.01)
    capture = motion(there, waving(), turned=turned)
    suit = neuron_capture(capture, form)
    assert suit.values.shape == (12, 354) and suit.skeleton.names == neuron_names(form)
    theirs = Person.of_capture(capture, match(there, capture.poses)).postures(capture.poses)
    ours = Person.of_capture(suit, match(suit.skeleton)).postures(suit.poses)
    for one, other in ((theirs.arms, ours.arms), (theirs.forearms, ours.forearms), (theirs.head[..., 0], ours.head[..., 0])):
        assert angle(one, other) < 0.01
    assert angle(theirs.chest[..., 2], ours.chest[..., 2]) < 0.01


def suit_file(form: NeuronForm, *, displacement: bool) -> Capture:
    random = np.random.default_rng(4)
    skeleton = neuron_skeleton(form, displacement=displacement)
    values = np.cumsum(random.normal(0.0, 1.0, (20, skeleton.channel_count)), axis=0)
    rows = skeleton.channel_table
    places = [k for k, (bone, what) in enumerate(rows) if what < 3]
    values[:, places] = skeleton.offsets[rows[places, 0], rows[places, 1]]
    return Capture(skeleton, values, 1 / 125, "suit.bvh")


@pytest.mark.parametrize("form", NeuronForm)
@pytest.mark.parametrize("displacement", [True, False])
def test_a_file_of_the_suit_goes_over_number_by_number(form: NeuronForm, displacement: bool) -> None:
    capture = suit_file(form, displacement=displacement)
    suit = neuron_capture(parse_bvh(bvh_text(capture).encode()), form)
    rows = suit.values.reshape(20, 59, 6)
    if displacement:
        assert np.array_equal(suit.values, capture.values)
    assert np.array_equal(rows[:, :, 3:].reshape(20, -1), capture.values[:, suit_rotations(capture)])
    assert np.allclose(rows[:, 1:, :3], default_offsets(form)[1:]) and suit.period == 1 / 125


def suit_rotations(capture: Capture) -> list[int]:
    return [k for k, (_, what) in enumerate(capture.skeleton.channel_table) if what >= 3]


@pytest.mark.parametrize("form", NeuronForm)
def test_a_file_of_the_other_form_keeps_what_hands_and_head_do(form: NeuronForm) -> None:
    other = next(each for each in NeuronForm if each is not form)
    capture = suit_file(other, displacement=True)
    suit = neuron_capture(capture, form)
    for name in ("LeftHand", "RightForeArm", "Head", "Hips", "LeftLeg", "RightHandIndex2"):
        one, two = (each.poses.rotations[:, each.skeleton.index(name)] for each in (capture, suit))
        assert np.allclose(one, two, atol=1e-9)


def test_another_rate_turns_on_between_frames() -> None:
    capture = suit_file(NeuronForm.NEWER, displacement=True)
    suit = neuron_capture(capture, NeuronForm.NEWER, rate=250.0)
    assert suit.period == 1 / 250 and len(suit) == 39
    assert np.allclose(suit.poses.rotations[::2], capture.poses.rotations, atol=1e-9)
    half = neuron_capture(capture, NeuronForm.NEWER, rate=62.5)
    assert len(half) == 10 and np.allclose(half.poses.rotations, capture.poses.rotations[::2], atol=1e-9)


def test_what_cannot_be_worn_is_refused() -> None:
    with pytest.raises(UnknownSkeleton, match="no arm"):
        neuron_capture(parse_bvh(SMALL.encode()))
    capture = suit_file(NeuronForm.NEWER, displacement=True)
    with pytest.raises(ImitationError, match="no frame"):
        neuron_capture(Capture(capture.skeleton, np.zeros((0, 354)), 0.01, "none.bvh"))


@pytest.mark.parametrize("name", ["noitom_PN_Pro_armature.bvh", "noitom_PNS_armature.bvh"])
def test_bones_are_in_the_order_of_noitoms_own_files(name: str) -> None:
    if not (SHARED / name).is_file():
        pytest.skip("../shared is not there")
    skeleton = read_bvh(SHARED / name).skeleton
    form = NeuronForm.OLDER if "Pro" in name else NeuronForm.NEWER
    assert skeleton.names == neuron_names(form) and skeleton.parents.tolist() == neuron_parents(form)
    ours = neuron_skeleton(form, displacement=True)
    assert [bone.channels for bone in skeleton.bones] == [bone.channels for bone in ours.bones]
