"""A person's posture is the same, whoever captured it."""

from pathlib import Path

import numpy as np
import pytest

from armillary.imitation import (
    Bone,
    Capture,
    Match,
    Person,
    Poses,
    Skeleton,
    UnknownSkeleton,
    match,
    parse_bvh,
    poses_of,
    read_bvh,
    read_overrides,
)
from armillary.imitation.body_parts import ARM
from armillary.imitation.errors import ImitationError
from armillary.spatial import axis_angle_rotation
from tests.imitation.bodies import FAMILIES, any_turns, body, motion

X, Y, Z = np.eye(3)
# Seen in the room of the capture: x left, y up, z forward. Left arm down, right arm ahead with the elbow at a right angle, the
# forearm up; the head looks to the left.
GESTURE = {
    "left_upper_arm": axis_angle_rotation(Z, -np.pi / 2),
    "right_upper_arm": axis_angle_rotation(Y, np.pi / 2),
    "right_forearm": axis_angle_rotation(Z, -np.pi / 2),
    "head": axis_angle_rotation(Y, 0.5),
}
STANDS: dict[str, np.ndarray] = {}


def is_the_gesture(person: Person, poses: Poses, frame: int = 0) -> None:
    postures = person.postures(poses)
    assert np.allclose(postures.arms[frame], [[0, 0, -1], [1, 0, 0]], atol=1e-6)
    assert np.allclose(postures.forearms[frame], [[0, 0, -1], [0, 0, 1]], atol=1e-6)
    assert np.allclose(postures.head[frame][:, 0], [np.cos(0.5), np.sin(0.5), 0.0], atol=1e-6)
    assert np.allclose(postures.hands[frame, 1][:, 0], [0, 0, 1], atol=1e-6)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_of_names_is_understood(family: str) -> None:
    names = FAMILIES[family]
    skeleton = body(names)
    found = match(skeleton)
    expected = {part: name for part, name in names.items() if part != "spine"}
    assert {part: skeleton.names[bone] for part, bone in found.parts.items()} == expected
    assert set(found.how.values()) == ({"structure"} if family == "nothing" else {"name"})


@pytest.mark.parametrize("family", ["noitom", "nothing"])
@pytest.mark.parametrize("scale", [1.0, 0.01, 10.0, 1 / 2.54, 0.01 / (0.0254 / 0.45)])
def test_a_posture_does_not_depend_on_names_and_units(family: str, scale: float) -> None:
    skeleton = body(FAMILIES[family], scale=scale)
    capture = motion(skeleton, [GESTURE])
    person = Person.of_capture(capture, match(skeleton, capture.poses))
    is_the_gesture(person, capture.poses)
    assert abs(person.stature.height - 1.7) < 0.06
    assert abs(person.stature.metres * scale - 0.01) < 1e-6, str(person.stature)


@pytest.mark.parametrize("seed", range(5))
def test_bones_may_have_any_axes_once_calibrated(seed: int) -> None:
    turned = any_turns(seed)
    skeleton = body(FAMILIES["noitom"], turned=turned)
    capture = motion(skeleton, [STANDS, GESTURE], turned=turned)
    found = match(skeleton, capture.poses)
    poses = capture.poses
    person = Person.of_capture(capture, found).calibrated(Poses(poses.rotations[:1], poses.places[:1]))
    is_the_gesture(person, poses, 1)
    assert person.said == "a calibration"


def test_what_cannot_stand_is_learnt_from_the_motion() -> None:
    """LAFAN's bones lie along x at rest: spine and legs point the same way."""
    along_x = {
        part: axis_angle_rotation(Z, angle)
        for part, angle in {
            "pelvis": np.pi / 2, "spine": np.pi / 2, "chest": np.pi / 2, "neck": np.pi / 2, "head": np.pi / 2,
            "left_thigh": -np.pi / 2, "left_shin": -np.pi / 2, "right_thigh": -np.pi / 2, "right_shin": -np.pi / 2,
            "right_upper_arm": np.pi, "right_forearm": np.pi, "right_hand": np.pi,
        }.items()
    }  # fmt: skip
    skeleton = body(FAMILIES["noitom"], turned=along_x)
    turns = [{"head": axis_angle_rotation(Y, angle)} for angle in np.linspace(-0.6, 0.6, 11)]
    capture = motion(skeleton, [*turns, GESTURE | {"head": np.eye(3)}], turned=along_x)
    person = Person.of_capture(capture, match(skeleton, capture.poses))
    assert "average" in person.said
    postures = person.postures(capture.poses)
    assert np.allclose(postures.arms[-1], [[0, 0, -1], [1, 0, 0]], atol=1e-6)
    assert np.allclose(postures.head[0][:, 0], [np.cos(0.6), -np.sin(0.6), 0.0], atol=1e-3)


def test_a_mirror_swaps_the_sides() -> None:
    capture = motion(body(FAMILIES["noitom"]), [GESTURE])
    postures = Person.of_capture(capture, match(capture.skeleton)).postures(capture.poses)
    mirror = postures.mirrored()
    assert np.allclose(mirror.arms[0], [[1, 0, 0], [0, 0, -1]], atol=1e-6)
    assert np.allclose(mirror.head[0][:, 0], [np.cos(0.5), -np.sin(0.5), 0.0], atol=1e-6)
    assert mirror.known == postures.known
    again = mirror.mirrored()
    assert all(
        np.allclose(getattr(again, name), getattr(postures, name)) for name in ("hands", "upper_arms", "forearms", "waist")
    )
    assert np.allclose(np.linalg.det(mirror.upper_arms), 1.0) and np.allclose(np.linalg.det(mirror.hands), 1.0)


def test_an_arm_that_becomes_straight_keeps_its_turn() -> None:
    """The bone's own twist takes over from the bend, without a jump."""
    bends = np.linspace(1.2, -0.02, 300)
    frames = [{"right_forearm": axis_angle_rotation(Y, bend)} for bend in bends]
    capture = motion(body(FAMILIES["noitom"]), frames)
    arms = Person.of_capture(capture, match(capture.skeleton)).postures(capture.poses).upper_arms[:, 1]
    steps = np.abs(np.diff(arms, axis=0)).max(axis=(1, 2))
    assert steps.max() < 0.01


def test_fingers_curl() -> None:
    text = b"""HIERARCHY
ROOT Hips { OFFSET 0 90 0 CHANNELS 3 Zrotation Xrotation Yrotation
 JOINT Spine { OFFSET 0 20 0 CHANNELS 3 Zrotation Xrotation Yrotation
  JOINT Head { OFFSET 0 40 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site { OFFSET 0 20 0 } }
  JOINT LeftArm { OFFSET 15 30 0 CHANNELS 3 Zrotation Xrotation Yrotation
   JOINT LeftForeArm { OFFSET 30 0 0 CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT LeftHand { OFFSET 25 0 0 CHANNELS 3 Zrotation Xrotation Yrotation
     JOINT LeftHandIndex1 { OFFSET 9 0 3 CHANNELS 3 Zrotation Xrotation Yrotation
      JOINT LeftHandIndex2 { OFFSET 4 0 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site { OFFSET 3 0 0 } } }
     JOINT LeftHandPinky1 { OFFSET 9 0 -3 CHANNELS 3 Zrotation Xrotation Yrotation End Site { OFFSET 3 0 0 } } } } } } }
MOTION
Frames: 2
Frame Time: 0.01
""".replace(b"{", b"\n{\n").replace(b"}", b"\n}\n").replace(b" OFFSET", b"\nOFFSET").replace(b" CHANNELS", b"\nCHANNELS").replace(
        b" JOINT", b"\nJOINT").replace(b" End Site", b"\nEnd Site")  # fmt: skip
    straight = ["0"] * 27
    bent = ["0"] * 18 + ["-90", "0", "0", "-90", "0", "0"] + ["-45", "0", "0"]
    capture = parse_bvh(text + b"\n".join(" ".join(row).encode() for row in (straight, bent)) + b"\n")
    found = match(capture.skeleton)
    assert [capture.skeleton.names[bone] for bone in found.fingers["left_index"]] == ["LeftHandIndex1", "LeftHandIndex2"]
    postures = Person.of_capture(capture, found).postures(capture.poses)
    assert np.allclose(postures.curls[0], 0.0) and np.allclose(postures.curls[1, 0], [0, 1, 0, 0, 0.5])
    assert {"left_index", "left_little", "left_hand"} <= postures.known and "right_hand" not in postures.known
    assert np.allclose(postures.hands[0, 0], np.array([Y, -X, Z]).T @ np.eye(3)), "palm down, fingers to the left"


def test_what_is_matched_is_shown_and_can_be_overridden(tmp_path: Path) -> None:
    skeleton = body(FAMILIES["nothing"])
    said = tmp_path / "matching.toml"
    said.write_text('head = ""\nleft_hand = "bone12"\nleft_index = ["bone13"]\n')
    found = match(skeleton, overrides=read_overrides(said))
    assert "head" not in found and skeleton.names[found["left_hand"]] == "bone12"
    assert ("left_hand", "bone12", "file") in found.rows() and ("left_index", "bone13", "file") in found.rows()
    for text, what in (
        ('left_wing = "bone1"', "no part of the body"),
        ('head = "skull"', "no bone 'skull'"),
        ('head = ["bone1", "bone2"]', "is one bone"),
    ):
        said.write_text(text)
        with pytest.raises(ImitationError, match=what):
            match(skeleton, overrides=read_overrides(said))
    for text in ("head = 3", "head = [1]", "head ="):
        said.write_text(text)
        with pytest.raises(ImitationError, match=r"matching\.toml"):
            read_overrides(said)
    with pytest.raises(ImitationError, match=r"none\.toml"):
        read_overrides(tmp_path / "none.toml")


def hung(parents: dict[str, str], places: dict[str, tuple[float, float, float]]) -> Skeleton:
    """Bones by name, each with what it hangs on and where it is from there."""
    order = list(parents)
    rotations = ("Zrotation", "Xrotation", "Yrotation")
    return Skeleton(
        tuple(
            Bone(name, order.index(above) if above else -1, np.array(places.get(name, (10.0, 0.0, 0.0))), rotations)
            for name, above in parents.items()
        )
    )


ONE_ARM = hung({"a": "", "b": "a", "c": "b", "d": "c"}, {"a": (0.0, 0.0, 0.0), "b": (15.0, 0.0, 0.0), "c": (30.0, 0.0, 0.0)})


@pytest.mark.parametrize("more", [{}, {"left_hand": "d"}, {"chest": ""}, {"chest": "a"}, {"chest": "a", "pelvis": "a"}])
def test_bones_that_somebody_names_are_enough(more: dict[str, str]) -> None:
    """An arm on a root and nothing else: the chest follows from it, and what is not told is not known."""
    with pytest.raises(UnknownSkeleton):
        match(ONE_ARM)
    found = match(ONE_ARM, overrides={"left_upper_arm": "b", "left_forearm": "c"} | more)
    assert ONE_ARM.names[found["chest"]] == "a"
    capture = Capture(ONE_ARM, np.zeros((2, 12)), 0.01)
    postures = Person.of_capture(capture, found).postures(capture.poses)
    assert postures.known == {"left_upper_arm", "left_forearm"} | ({"left_hand"} if "left_hand" in more else set())
    assert np.allclose(np.linalg.det(postures.chest), 1.0) and np.allclose(postures.arms[0, 0], [0, 1, 0])


def test_bones_that_cannot_be_an_arm_are_refused_in_words() -> None:
    for overrides, what in (
        ({"left_upper_arm": "c", "left_forearm": "b"}, "does not hang on left_upper_arm"),
        ({"left_upper_arm": "a", "left_forearm": "b"}, "hangs on no bone"),
        ({"left_upper_arm": "b", "left_forearm": "c", "left_index": "a"}, "a root is no bone of a finger"),
    ):
        with pytest.raises(ImitationError, match=what):
            match(ONE_ARM, overrides=overrides)


def test_the_other_arm_that_is_named_moves_the_chest() -> None:
    skeleton = body(FAMILIES["nothing"])
    names = dict(zip(FAMILIES["nothing"], skeleton.names, strict=True))
    said = {f"{side}_{part}": names[f"{side}_{part}"] for side in ("left", "right") for part in ("upper_arm", "forearm", "hand")}
    found = match(skeleton, overrides=said)
    assert skeleton.names[found["chest"]] == names["chest"] and found.has_arm("left") and found.has_arm("right")


def test_a_hand_that_nobody_tells_of_is_steady_at_every_bend_of_the_elbow() -> None:
    frames = [{"left_forearm": axis_angle_rotation(Y, -bend)} for bend in np.linspace(0.0, 2.5, 251)]
    capture = motion(body(FAMILIES["noitom"]), frames)
    person = Person.of_capture(capture, match(capture.skeleton, overrides={"left_hand": ""}))
    hands = person.postures(capture.poses).hands[:, 0]
    assert np.allclose(hands @ np.swapaxes(hands, -1, -2), np.eye(3))
    assert np.abs(np.diff(hands, axis=0)).max() < 0.03, "it turns as the forearm does, also at a right angle"


FINGERED = hung(
    {
        "Hips": "", "Spine": "Hips", "Head": "Spine", "LeftArm": "Spine", "LeftForeArm": "LeftArm", "LeftHand": "LeftForeArm",
        "LeftHandIndex1": "LeftHand", "LeftHandIndex2": "LeftHandIndex1", "LeftHandPinky1": "LeftHand",
        "LeftHandPinky2": "LeftHandPinky1", "LeftHandThumb1": "LeftHand", "LeftHandThumb2": "LeftHandThumb1",
    },
    {
        "Hips": (0, 90, 0), "Spine": (0, 20, 0), "Head": (0, 40, 0), "LeftArm": (15, 30, 0), "LeftForeArm": (30, 0, 0),
        "LeftHand": (25, 0, 0), "LeftHandIndex1": (9, 0, 3), "LeftHandIndex2": (4, 0, 0), "LeftHandPinky1": (9, 0, -3),
        "LeftHandPinky2": (3, 0, 0), "LeftHandThumb1": (3, 0, 3), "LeftHandThumb2": (3, 0, 3),
    },
)  # fmt: skip


def curls_of(rest: dict[str, tuple[float, float, float]], then: dict[str, tuple[float, float, float]]) -> dict[str, float]:
    """Of the left hand, learnt in one frame and told in another; turns about z, x and y [deg]."""
    values = np.zeros((2, 36))
    for row, turns in enumerate((rest, then)):
        for name, turn in turns.items():
            at = 3 * FINGERED.index(name)
            values[row, at : at + 3] = turn
    capture = Capture(FINGERED, values, 0.01)
    poses = capture.poses
    person = Person(match(FINGERED), Poses(poses.rotations[:1], poses.places[:1]))
    return dict(zip(("thumb", "index", "middle", "ring", "little"), person.postures(poses).curls[1, 0].tolist(), strict=True))


def test_a_finger_is_bent_as_far_as_it_was_since_it_was_learnt() -> None:
    """Whatever the file calls no turn: here a straight finger has 40 degrees."""
    rest = {"LeftHandIndex1": (-40.0, 0.0, 0.0)}
    assert curls_of(rest, rest)["index"] == pytest.approx(0.0, abs=1e-12)
    assert curls_of(rest, {"LeftHandIndex1": (-130.0, 0.0, 0.0)})["index"] == pytest.approx(1.0)


def test_to_spread_fingers_is_no_bend_and_to_stretch_them_is_less_than_none() -> None:
    spread = curls_of({}, {"LeftHandIndex1": (0.0, 0.0, -25.0), "LeftHandPinky1": (0.0, 0.0, 25.0)})
    assert spread["index"] == pytest.approx(0.0, abs=1e-9) and spread["little"] == pytest.approx(0.0, abs=1e-9)
    assert curls_of({}, {"LeftHandIndex1": (20.0, 0.0, 0.0)})["index"] < -0.1


def test_a_thumb_folds_across_the_palm() -> None:
    """It points ahead and aside; folded it turns towards the little finger, below the palm."""
    folded = curls_of({}, {"LeftHandThumb1": (-10.0, 0.0, 40.0)})
    opened = curls_of({}, {"LeftHandThumb1": (0.0, 0.0, -30.0)})
    assert folded["thumb"] > 0.15 > 0.0 > opened["thumb"]


def test_frames_that_are_no_numbers_teach_nothing() -> None:
    capture = motion(body(FAMILIES["noitom"]), [STANDS])
    poses = Poses(capture.poses.rotations, capture.poses.places * np.nan)
    with pytest.raises(ImitationError, match="none; stand again"):
        Person(match(capture.skeleton), poses)


def test_a_skeleton_without_arms_is_refused() -> None:
    capture = parse_bvh(
        b"HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n"
        b"MOTION\nFrames: 1\nFrame Time: 0.01\n0 0 0\n"
    )
    with pytest.raises(UnknownSkeleton, match="left_upper_arm"):
        match(capture.skeleton)


def test_positions_from_the_rest_are_told_from_those_of_a_parent() -> None:
    """MakeHuman writes zeros for all bones that are not moved, others where they are."""
    skeleton = parse_bvh(
        b"HIERARCHY\nROOT Hips\n{\nOFFSET 0 9 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
        b"JOINT Head\n{\nOFFSET 0 5 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
        b"End Site\n{\nOFFSET 0 1 0\n}\n}\n}\n"
        b"MOTION\nFrames: 1\nFrame Time: 0.01\n0 9 0 0 0 0 0 0 0 0 0 0\n"
    )
    assert skeleton.displaced and np.allclose(skeleton.poses.places[0, 1], [0, 14, 0])
    values = np.array([[0, 9, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0.0]])
    assert np.allclose(poses_of(skeleton.skeleton, values).places[0, 1], [0, 14, 0])


def test_a_match_knows_its_arms() -> None:
    found = match(body(FAMILIES["noitom"]))
    assert isinstance(found, Match) and found.has_arm("left") and "left_toes" not in found


SHARED = sorted((Path(__file__).parents[3] / "shared" / "data" / "bvh").glob("*.bvh"))
NO_PERSON = {"maya_walk.bvh", "pybvh_full_precision_frame_time.bvh"}  # it is cut off; hips and a head


@pytest.mark.skipif(not SHARED, reason="../shared/data/bvh is not there")
@pytest.mark.parametrize("path", [path for path in SHARED if path.name not in NO_PERSON], ids=lambda path: path.name)
def test_every_tools_files_are_understood(path: Path) -> None:
    capture = read_bvh(path)
    found = match(capture.skeleton, capture.poses)
    assert all(found.how[f"{side}_{part}"] == "name" for side in ("left", "right") for part in (*ARM, "thigh", "shin", "foot"))
    person = Person.of_capture(capture, found)
    assert 1.45 < person.stature.height < 1.95 and person.stature.unit
    postures = person.postures(capture.poses)
    rotations = [
        postures.chest,
        postures.head,
        postures.waist,
        *(postures.upper_arms[:, k] for k in (0, 1)),
        postures.hands[:, 0],
    ]
    for each in rotations:
        assert np.allclose(each @ np.swapaxes(each, -1, -2), np.eye(3)) and np.allclose(np.linalg.det(each), 1.0)
    # A person's shoulders are beside the trunk, and people look ahead more than behind.
    assert len(postures) == 0 or np.median(postures.head[:, 0, 0]) > 0.6
