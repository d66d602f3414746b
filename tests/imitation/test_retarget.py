"""A robot does what a person does, as far as its joints go."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from armillary.description import read_robot
from armillary.description.library import extra_robots_folder
from armillary.imitation import ImitationError, Person, Postures, Retarget, body_of, match
from armillary.imitation.limb import Limb
from armillary.imitation.retarget_kernels import POSITION
from armillary.model import Model, build_model, frame_pose, load_model
from armillary.spatial import axis_angle_rotation
from tests.imitation.bodies import FAMILIES, body, motion

Array = NDArray[np.float64]
X, Y, Z = np.eye(3)
_ROBOTS = {
    "talos": "talos_data/robots/talos_reduced.urdf",
    "tiago": "tiago_description/robots/tiago.urdf",
    "tiago_dual": "tiago_description/robots/tiago_dual.urdf",
    "g1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "romeo": "romeo_description/urdf/romeo.urdf",
    "icub": "icub_description/robots/icub.urdf",
    "baxter": "baxter_description/urdf/baxter.urdf",
}
OWN = ("inmoov", "cobot6", "industrial6")


def model_of(name: str) -> Model:
    if name in OWN:
        return load_model(name)
    folder = extra_robots_folder()
    if folder is None:
        pytest.skip("the extra robots is not installed")
    return load_model(folder / _ROBOTS[name])


def goals_of(limb: Limb, Q: Array) -> Array:
    """What a limb's tasks are in configurations of its own: what a person would have to do to be followed there."""
    goals = np.zeros((len(Q), len(limb.tasks), 3))
    for f, q in enumerate(Q):
        for k, task in enumerate(limb.tasks):
            ends = [limb.place(point, q) for point in (task.first, task.second)]
            goals[f, k] = ends[1] if task.kind == POSITION else (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
    return goals


@pytest.mark.parametrize("name", [*OWN, *_ROBOTS])
def test_what_a_robot_can_do_it_does(name: str) -> None:
    """From its own configurations to directions and back: the directions are the same."""
    retarget = Retarget(model_of(name))
    random = np.random.default_rng(5)
    for _, limb in retarget.limbs():
        low, high = np.maximum(limb.lower, -2.5), np.minimum(limb.upper, 2.5)
        Q = random.uniform(low, high, (25, len(limb.columns)))
        for goal in goals_of(limb, Q):
            found, _ = limb.best(goal)
            assert limb.errors(goal[None], found[None]).max() < 1e-3
            assert (limb.lower <= found).all() and (found <= limb.upper).all()


@pytest.mark.parametrize("name", ["inmoov", "talos", "g1"])
def test_a_motion_is_followed_without_jumps(name: str) -> None:
    """Through a smooth motion of its own joints, some of them out to their ends."""
    retarget = Retarget(model_of(name))
    times = np.linspace(0.0, 6.0, 720)
    for _, limb in retarget.limbs():
        middle, half = 0.5 * (limb.lower + limb.upper), 0.5 * (limb.upper - limb.lower)
        Q = middle + 0.9 * half * np.sin(times[:, None] * (0.5 + 0.3 * np.arange(len(limb.columns))))
        goals = goals_of(limb, Q)
        found, _ = limb.follow(goals, begin=Q[0])
        errors = limb.errors(goals, found)
        assert np.median(errors) < 1e-4 and np.percentile(errors, 99) < np.radians(1.0)
        assert (limb.lower <= found).all() and (found <= limb.upper).all()


def test_kinematics_are_the_models() -> None:
    model = load_model("inmoov")
    retarget = Retarget(model)
    random = np.random.default_rng(1)
    arm = retarget.body.arms[1]
    limb = dict(retarget.limbs())["right"]
    for _ in range(20):
        q = model.random(random)
        # The chain begins at the chest, the model at the world.
        T_world_torso, T_world_hand = frame_pose(model, q, "torso_link"), frame_pose(model, q, "r_hand_link")
        palm = limb.place(arm.palm, q[limb.columns])
        carrier, T = model.tree.carriers["r_hand_link"]
        assert carrier == arm.palm.joint
        p_hand = np.linalg.inv(T) @ np.append(arm.palm.place, 1.0)
        torso, T_chest_torso = model.tree.carriers["torso_link"]
        assert torso == retarget.body.chest
        expected = T_chest_torso @ np.linalg.inv(T_world_torso) @ T_world_hand @ p_hand
        assert np.allclose(palm, expected[:3], atol=1e-12)


def postures(*frames: dict[str, Array]) -> Postures:
    capture = motion(body(FAMILIES["noitom"]), list(frames))
    return Person.of_capture(capture, match(capture.skeleton)).postures(capture.poses)


def test_inmoov_does_what_it_is_shown() -> None:
    """Arms hang with bent elbows, forearms ahead; the head looks to the left and down."""
    down = {"left_upper_arm": axis_angle_rotation(Z, -1.3), "right_upper_arm": axis_angle_rotation(Z, 1.3)}
    bent = {"left_forearm": axis_angle_rotation(Y, -1.0), "right_forearm": axis_angle_rotation(Y, 1.0)}
    look = {"head": axis_angle_rotation(Y, 0.6) @ axis_angle_rotation(X, 0.2)}
    retarget = Retarget(load_model("inmoov"))
    followed = retarget.follow(postures(down | bent | look))
    model, q = retarget.model, followed.q[0]
    for name in ("left_upper_arm", "left_forearm", "right_upper_arm", "right_forearm", "head"):
        assert followed.errors[name][0] < np.radians(0.1), name
    assert abs(q[model.column("head_pan_joint")] - 0.6) < 0.05 and q[model.column("head_tilt_joint")] > 0.1
    for side in "lr":  # its elbows bend to the negative
        assert q[model.column(f"{side}_elbow_flex_joint")] < -0.5
    assert not model.outside(q)


def test_fingers_close_as_the_persons_do() -> None:
    retarget = Retarget(load_model("inmoov"))
    open_hand = postures({})
    told = open_hand.known | {f"left_{each}" for each in ("thumb", "index", "middle", "ring", "little")}
    fist = Postures(**{**vars(open_hand), "curls": np.ones_like(open_hand.curls), "known": told})
    model = retarget.model
    for q, share in ((retarget.follow(open_hand).q[0], 0.0), (retarget.follow(fist).q[0], 1.0)):
        for finger in ("thumb", "index", "middle", "ring", "pinky"):
            column = model.column(f"l_{finger}_joint")
            assert np.isclose(q[column], share * model.upper[column])


def test_an_only_arm_follows_one_hand() -> None:
    """The wrist of cobot6 goes where the person's does, as far out of the shoulder as its arm is long."""
    ahead = {"right_upper_arm": axis_angle_rotation(Y, np.pi / 2), "right_forearm": axis_angle_rotation(X, -1.0)}
    retarget = Retarget(load_model("cobot6"))
    followed = retarget.follow(postures(ahead))
    assert followed.errors["right_place"][0] < 0.01
    assert set(followed.errors) == {"right_place", "right_hand"}


def test_a_robot_without_an_arm_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cart.urdf"
    path.write_text(
        '<robot name="cart"><link name="a"/><link name="b"/><joint name="wheel" type="continuous"><parent link="a"/>'
        '<child link="b"/><axis xyz="0 0 1"/></joint></robot>'
    )
    with pytest.raises(ImitationError, match="no arm"):
        body_of(build_model(read_robot(path)))


def test_what_moves_what_is_shown() -> None:
    rows = dict(body_of(load_model("inmoov")).rows())
    assert rows["right arm"].split(", ")[3] == "r_elbow_flex_joint" and "head_pan_joint" in rows["head"]


def _joint(name: str, parent: str, axis: str, origin: str, limits: str = "-3 3", kind: str = "revolute") -> str:
    lower, upper = limits.split()
    return (
        f'<link name="{name}_link"/><joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{name}_link"/>'
        f'<origin {origin}/><axis xyz="{axis}"/><limit lower="{lower}" upper="{upper}" effort="9" velocity="2"/></joint>'
    )


def _arm(side: str, parent: str, origin: str) -> str:
    """Three joints of a shoulder, an elbow 0.3 m below it and a wrist as far again."""
    made = _joint(f"{side}_shoulder_pitch", parent, "0 1 0", origin)
    made += _joint(f"{side}_shoulder_roll", f"{side}_shoulder_pitch_link", "1 0 0", "")
    made += _joint(f"{side}_shoulder_yaw", f"{side}_shoulder_roll_link", "0 0 1", "")
    made += _joint(f"{side}_elbow", f"{side}_shoulder_yaw_link", "0 1 0", 'xyz="0 0 -0.3"', "-2.5 0")
    made += _joint(f"{side}_wrist", f"{side}_elbow_link", "0 0 1", 'xyz="0 0 -0.3"')
    return made + (
        f'<link name="{side}_palm"/><joint name="{side}_palm_fixed" type="fixed"><parent link="{side}_wrist_link"/>'
        f'<child link="{side}_palm"/><origin xyz="0 0 -0.1"/></joint>'
    )


def _robot(tmp_path: Path, joints: str) -> Model:
    path = tmp_path / "robot.urdf"
    path.write_text(f'<robot name="made"><link name="base_link"/>{joints}</robot>')
    return build_model(read_robot(path))


def test_each_arm_is_led_from_what_it_hangs_on(tmp_path: Path) -> None:
    """Arms on two slides of which one is mounted turned: both still point where the person's do."""
    slides = _joint("left_slide", "base_link", "0 0 1", 'xyz="0 0.2 1" rpy="0 0 1.2"', "0 0.1", "prismatic")
    slides += _joint("right_slide", "base_link", "0 0 1", 'xyz="0 -0.2 1" rpy="0 0 -0.4"', "0 0.1", "prismatic")
    arms = _arm("left", "left_slide_link", 'rpy="0 0 -1.2"') + _arm("right", "right_slide_link", 'rpy="0 0 0.4"')
    model = _robot(tmp_path, slides + arms)
    retarget = Retarget(model)
    assert retarget.body.chest == -1
    ahead = {
        "left_upper_arm": axis_angle_rotation(Y, -1.2), "right_upper_arm": axis_angle_rotation(Y, 0.9),
        "left_forearm": axis_angle_rotation(Z, 0.7), "right_forearm": axis_angle_rotation(Z, -0.6),
    }  # fmt: skip
    wanted = postures(ahead)
    q = retarget.follow(wanted).q[0]
    for k, side in enumerate(("left", "right")):
        places = [frame_pose(model, q, f"{side}_{name}")[:3, 3] for name in ("shoulder_yaw_link", "elbow_link", "wrist_link")]
        upper, fore = (np.diff(places, axis=0)[i] / 0.3 for i in (0, 1))
        assert np.allclose(upper, wanted.arms[0, k], atol=1e-3) and np.allclose(fore, wanted.forearms[0, k], atol=1e-3)


def test_a_jaw_that_slides_is_open_at_its_far_end(tmp_path: Path) -> None:
    model = _robot(
        tmp_path,
        _arm("right", "base_link", 'xyz="0 0 1"')
        + _joint("right_gripper_finger", "right_palm", "0 1 0", 'xyz="0 0 -0.1"', "0 0.04", "prismatic"),
    )
    retarget = Retarget(model)
    told = postures({}).known | {f"right_{each}" for each in ("index", "middle", "ring", "little")}
    column = model.column("right_gripper_finger")
    for curl, expected in ((0.0, 0.04), (1.0, 0.0), (0.5, 0.02), (-0.3, 0.04)):
        hand = postures({})
        hand = Postures(**{**vars(hand), "curls": np.full_like(hand.curls, curl), "known": told})
        assert retarget.follow(hand).q[0, column] == pytest.approx(expected)


def test_an_only_arm_looks_where_it_reaches() -> None:
    """industrial6 stretches along y at zero, cobot6 along x."""
    for name, ahead in (("industrial6", [0.0, 1.0, 0.0]), ("cobot6", None)):
        body_ = body_of(load_model(name))
        forward = body_.R_chest_body[:, 0]
        arm = Retarget(load_model(name)).body.arms[0]
        assert np.allclose(arm.R_carrier_body, body_.R_chest_body) and abs(forward[2]) < 1e-9
        if ahead is not None:
            assert np.allclose(forward, ahead, atol=1e-6)


def test_what_the_person_does_not_tell_stays_at_rest_and_counts_nowhere() -> None:
    """No head, no right hand, no left arm: the robot's keep their places, and no error is said of them."""
    skeleton = body(FAMILIES["noitom"])
    capture = motion(skeleton, [{"head": axis_angle_rotation(Y, 0.5), "right_upper_arm": axis_angle_rotation(Z, 0.8)}] * 3)
    found = match(skeleton, overrides={"head": "", "right_hand": "", "left_upper_arm": "", "left_forearm": "", "left_hand": ""})
    told = Person.of_capture(capture, found).postures(capture.poses)
    retarget = Retarget(load_model("inmoov"))
    followed = retarget.follow(told)
    assert set(followed.errors) == {"waist", "waist_up", "right_upper_arm", "right_forearm"}
    limbs = dict(retarget.limbs())
    for name in ("head", "left"):
        assert np.allclose(followed.q[:, limbs[name].columns], limbs[name].rest), name
    wrist = retarget.model.column("r_wrist_roll_joint")
    assert np.allclose(followed.q[:, wrist], np.clip(0.0, retarget.model.lower[wrist], retarget.model.upper[wrist]), atol=1e-6)
    for arm in retarget.body.arms:
        assert all(np.allclose(followed.q[:, each.column], each.straight) for each in arm.fingers)
