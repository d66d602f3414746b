"""Kinematics against plain matrices, finite differences and the papers' own formulas."""

import pickle
import threading
from math import cos, pi, sin
from pathlib import Path

import numpy as np
import pytest

from armillary.description import Pose, read_robot
from armillary.model import (
    BadConfiguration,
    Model,
    Reference,
    UnknownFrame,
    UnknownJoint,
    build_model,
    frame_jacobian,
    frame_jacobian_batch,
    frame_jacobian_rate,
    frame_pose,
    frame_pose_batch,
    frame_poses,
    frame_twist,
    load_model,
    manipulability,
    singular_values,
)
from armillary.spatial import inverse

from .robots import ALL, configurations, model_of, tip_of


@pytest.mark.parametrize("name", ALL)
def test_every_frame_stands_where_a_product_of_plain_matrices_puts_it(name: str) -> None:
    model = model_of(name)
    for q in configurations(model, 5):
        expected = model.spec.robot.poses(dict(zip(model.joints, q, strict=True)))
        found = frame_poses(model, q)
        for frame, T in expected.items():
            assert np.abs(found[frame] - T).max() < 1e-12, frame
        tip = tip_of(model)
        assert np.array_equal(frame_pose(model, q, tip), found[tip])
        out = np.empty((4, 4))
        assert frame_pose(model, q, tip, out=out) is out and np.array_equal(out, found[tip])


@pytest.mark.parametrize("reference", list(Reference))
@pytest.mark.parametrize("name", ALL)
def test_the_jacobian_is_the_derivative_of_the_pose(name: str, reference: Reference) -> None:
    model = model_of(name)
    tip = tip_of(model)
    h = 1e-6
    for q in configurations(model, 2):
        J = frame_jacobian(model, q, tip, reference=reference)
        T = frame_pose(model, q, tip)
        for column in range(model.n):
            step = np.zeros(model.n)
            step[column] = h
            ahead, behind = frame_pose(model, q + step, tip), frame_pose(model, q - step, tip)
            numeric = _twist((ahead - behind) / (2 * h), T, reference)
            assert np.abs(J[:, column] - numeric).max() < 1e-7, model.joints[column]


def _twist(dT: np.ndarray, T: np.ndarray, reference: Reference) -> np.ndarray:
    """Twist of a moving frame, expressed as asked."""
    W = dT[:3, :3] @ T[:3, :3].T
    omega = np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]]) / 2
    linear = dT[:3, 3]
    if reference is Reference.MIXED:
        return np.r_[linear, omega]
    if reference is Reference.LOCAL:
        return np.r_[T[:3, :3].T @ linear, T[:3, :3].T @ omega]
    return np.r_[linear - np.cross(omega, T[:3, 3]), omega]


@pytest.mark.parametrize("reference", list(Reference))
@pytest.mark.parametrize("name", ALL)
def test_the_jacobians_rate_is_its_derivative_along_the_motion(name: str, reference: Reference) -> None:
    model = model_of(name)
    tip = tip_of(model)
    rng = np.random.default_rng(1)
    q, v, h = model.random(rng), rng.normal(size=model.n), 1e-6
    ahead = frame_jacobian(model, q + h * v, tip, reference=reference)
    behind = frame_jacobian(model, q - h * v, tip, reference=reference)
    rate = frame_jacobian_rate(model, q, v, tip, reference=reference)
    assert np.abs(rate - (ahead - behind) / (2 * h)).max() < 1e-6
    twist = frame_twist(model, q, v, tip, reference=reference)
    assert np.abs(twist - frame_jacobian(model, q, tip, reference=reference) @ v).max() < 1e-12


@pytest.mark.parametrize("name", ALL)
def test_many_at_once_are_each_by_itself(name: str) -> None:
    model = model_of(name)
    tip = tip_of(model)
    Q = configurations(model, 40)
    T, J = frame_pose_batch(model, Q, tip), frame_jacobian_batch(model, Q, tip)
    for q, T_one, J_one in zip(Q, T, J, strict=True):
        assert np.abs(frame_pose(model, q, tip) - T_one).max() < 1e-12
        assert np.abs(frame_jacobian(model, q, tip) - J_one).max() < 1e-12


def test_cobot6_is_paper_5s_printed_closed_form() -> None:
    """Paper 5, section IV A: the elements of 0T6 as printed, with s234 = sin(t2 + t3 - t4)."""
    model = load_model("cobot6")
    a2, a3, d1, d3, d4, d5, d6 = 0.436, 0.436, 0.1235, 0.0325, 0.1364, 0.1364, 0.0864
    for q in configurations(model, 200):
        t1, t2, t3, t4, t5, t6 = q
        s1, c1, s2, c2, s5, c5, s6, c6 = sin(t1), cos(t1), sin(t2), cos(t2), sin(t5), cos(t5), sin(t6), cos(t6)
        s23, c23, s234, c234 = sin(t2 + t3), cos(t2 + t3), sin(t2 + t3 - t4), cos(t2 + t3 - t4)
        n = (c6 * (s1 * s5 + c234 * c1 * c5) + s234 * c1 * s6, s234 * s1 * s6 - c6 * (c1 * s5 - c234 * c5 * s1),
             s234 * c5 * c6 - c234 * s6)  # fmt: skip
        o = (s234 * c1 * c6 - s6 * (s1 * s5 + c234 * c1 * c5), s6 * (c1 * s5 - c234 * c5 * s1) + s234 * c6 * s1,
             -c234 * c6 - s234 * c5 * s6)  # fmt: skip
        a = (c234 * c1 * s5 - c5 * s1, c1 * c5 + c234 * s1 * s5, s234 * s5)
        p = (
            d3 * s1 - d4 * s1 + d5 * s234 * c1 + a3 * c23 * c1 + a2 * c1 * c2 - d6 * c5 * s1 + d6 * c234 * c1 * s5,
            d4 * c1 - d3 * c1 + d6 * (c1 * c5 + c234 * s1 * s5) + d5 * s234 * s1 + a3 * c23 * s1 + a2 * c2 * s1,
            d1 - d5 * c234 + a3 * s23 + a2 * s2 + d6 * s5 * s234,
        )
        poses = frame_poses(model, q)
        T_base_tool = inverse(poses["base"]) @ poses["tool0"]
        assert np.abs(T_base_tool[:3] - np.column_stack([n, o, a, p])).max() < 1e-12


def test_continuous_joints_are_plain_angles() -> None:
    model = load_model("mobile6")
    q = model.zero()
    q[model.column("left_track_joint")] = 7.0
    turned = frame_pose(model, q, "left_sprocket")
    q[model.column("left_track_joint")] = 7.0 - 2 * pi
    assert np.abs(frame_pose(model, q, "left_sprocket") - turned).max() < 1e-12


def test_the_cells_tool_and_base_are_honoured() -> None:
    robot = read_robot("cobot6")
    plain = build_model(robot)
    tooled = build_model(robot, base=Pose((1.0, 2.0, 3.0), (0.0, 0.0, pi / 2)), frames=[("tool", "tool0", Pose((0.0, 0.0, 0.1)))])
    for q in configurations(plain, 5):
        expected = tooled.spec.base.matrix @ frame_pose(plain, q, "tool0") @ Pose((0.0, 0.0, 0.1)).matrix
        assert np.abs(frame_pose(tooled, q, "tool") - expected).max() < 1e-12


def test_held_joints_stay_where_they_are_held() -> None:
    robot = read_robot("inmoov")
    arm = build_model(robot, joints=["r_elbow_flex_joint", "r_shoulder_lift_joint"], at={"waist_pan_joint": 0.5})
    assert arm.joints == ("r_shoulder_lift_joint", "r_elbow_flex_joint")  # parents before children
    whole = build_model(robot)
    q = whole.zero()
    q[whole.column("waist_pan_joint")] = 0.5
    q[whole.column("r_shoulder_lift_joint")], q[whole.column("r_elbow_flex_joint")] = -1.0, -0.7
    assert np.abs(frame_pose(arm, np.array([-1.0, -0.7]), "r_palm") - frame_pose(whole, q, "r_palm")).max() < 1e-12


def test_singular_values_tell_a_stretched_arm() -> None:
    model = load_model("cobot6")
    stretched, bent = np.zeros(6), np.array([0.0, 0.5, -1.0, 0.3, 1.0, 0.0])
    assert singular_values(model, stretched, "tool0")[-1] < 1e-12
    assert manipulability(model, stretched, "tool0") < 1e-12
    assert singular_values(model, bent, "tool0")[-1] > 0.05


def test_a_model_is_pickled_as_what_it_was_built_from() -> None:
    model = load_model("inmoov", group="right_arm")
    again: Model = pickle.loads(pickle.dumps(model))
    assert again == model and again is not model and hash(again) == hash(model) and again.digest == model.digest
    q = model.random(np.random.default_rng(0))
    assert np.array_equal(frame_pose(again, q, "tool"), frame_pose(model, q, "tool"))


def test_two_models_of_different_values_differ() -> None:
    robot = read_robot("cobot6")
    plain = build_model(robot)
    assert plain == build_model(robot)
    assert plain != build_model(robot, gravity=(0.0, 0.0, -1.62))
    assert plain.digest != build_model(robot, gravity=(0.0, 0.0, -1.62)).digest


def test_arrays_of_a_model_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="read-only"):
        load_model("cobot6").lower[0] = 0.0


def test_many_threads_may_ask_one_model() -> None:
    model = model_of("inmoov")
    Q = configurations(model, 300)
    expected = [frame_pose(model, q, "r_palm") for q in Q]
    wrong: list[int] = []

    def work(start: int) -> None:
        for i in range(start, 300, 4):
            if not np.array_equal(frame_pose(model, Q[i], "r_palm"), expected[i]):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize(
    ("q", "said"),
    [
        ([0.0] * 5, r"q has shape \(5,\), and cobot6 has 6 joints"),
        ([0.0] * 5 + [float("nan")], "joint_6 = nan"),
        ([0.0] * 5 + [float("inf")], "joint_6 = inf"),
        ("zero", "not a list of 6 numbers"),
        (None, "6 joints"),
    ],
)
def test_a_bad_configuration_is_refused_with_its_joint(q: object, said: str) -> None:
    model = load_model("cobot6")
    with pytest.raises(BadConfiguration, match=said):
        frame_pose(model, q, "tool0")  # type: ignore[arg-type]
    with pytest.raises(BadConfiguration):
        frame_jacobian(model, q, "tool0")  # type: ignore[arg-type]
    with pytest.raises(BadConfiguration):
        frame_pose_batch(model, [q, q], "tool0")  # type: ignore[arg-type]


def test_lists_and_whole_numbers_are_taken() -> None:
    model = load_model("cobot6")
    expected = frame_pose(model, np.zeros(6), "tool0")
    assert np.array_equal(frame_pose(model, [0] * 6, "tool0"), expected)  # type: ignore[arg-type]
    assert np.array_equal(frame_pose(model, np.zeros(6, dtype=np.float32), "tool0"), expected)


def test_unknown_frames_and_joints_are_answered_with_the_nearest() -> None:
    model = load_model("cobot6")
    with pytest.raises(UnknownFrame, match="nearest first, there are: tool0"):
        frame_pose(model, np.zeros(6), "tol0")
    with pytest.raises(UnknownJoint, match="it commands: joint_"):
        model.column("joint_7")
    with pytest.raises(UnknownJoint):
        build_model(read_robot("cobot6"), joints=["tool0_joint"])


def test_outside_the_limits_is_allowed_and_said() -> None:
    model = load_model("industrial6")
    q = np.zeros(6)
    q[1] = 4.0
    assert frame_pose(model, q, "tool0").shape == (4, 4)
    assert model.outside(q) == ["joint_2 at 4 is outside -2.269 to 2.269"]
    assert model.outside(np.zeros(6)) == []


def test_a_model_from_a_dh_table_and_from_its_urdf_agree(tmp_path: Path) -> None:
    from armillary.description import write_urdf
    from armillary.model import gravity_torque

    table = tmp_path / "arm.toml"
    rows = "".join(
        f"[[joints]]\na = {a}\nalpha = {alpha}\nd = {d}\ntheta = {theta}\nlower = -3\nupper = 3\n"
        "mass = 2.0\ncom = [0.05, 0.0, 0.1]\ninertia = [0.02, 0.0, 0.0, 0.02, 0.0, 0.01]\n"
        for a, alpha, d, theta in ((0.1, 0.3, 0.2, 0.1), (0.4, -1.2, 0.0, -0.5), (0.3, 0.7, 0.1, 1.0))
    )
    for convention in ("standard", "modified"):
        table.write_text(f'convention = "{convention}"\n{rows}')
        model = load_model(table)
        exported = tmp_path / f"{convention}.urdf"
        exported.write_text(write_urdf(model.spec.robot))
        other = load_model(exported)
        for q in configurations(model, 20):
            assert np.abs(frame_pose(model, q, "flange") - frame_pose(other, q, "flange")).max() < 1e-12
            assert np.abs(gravity_torque(model, q) - gravity_torque(other, q)).max() < 1e-12
