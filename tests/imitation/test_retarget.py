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
