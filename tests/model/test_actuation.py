"""a = K Ja q + a0: paper 2's two robots, round trips, power, limits; and its listing's wrong line shown wrong."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armillary.description import open_cell
from armillary.description.cell import OneWayCoupling
from armillary.model import BadConfiguration, Coupling, OneWay, SingularActuation, coupling_from, load_model

K_PER_DEGREE = [25532.8278, 25667.8750, 29308.7083, 7110.1274, 13285.5409, 11104.5417]


@cache
def of(name: str) -> Coupling:
    actuation = open_cell(name).cell.actuation
    assert actuation is not None
    return coupling_from(actuation)


number = st.floats(-6, 6)


@pytest.mark.parametrize("name", ["industrial6", "mobile6"])
@given(q=st.lists(number, min_size=6, max_size=6))
def test_joints_to_motors_and_back(name: str, q: list[float]) -> None:
    coupling = of(name)
    assert np.abs(coupling.to_joints(coupling.to_motors(np.array(q))) - q).max() < 1e-12
    assert np.abs(coupling.rates_to_joints(coupling.rates_to_motors(np.array(q))) - q).max() < 1e-12
    assert np.abs(coupling.torque_to_joints(coupling.torque_to_motors(np.array(q))) - q).max() < 1e-11


@pytest.mark.parametrize("name", ["industrial6", "mobile6"])
@given(v=st.lists(number, min_size=6, max_size=6), motor=st.lists(number, min_size=6, max_size=6))
def test_the_same_power_on_both_sides_of_the_transmission(name: str, v: list[float], motor: list[float]) -> None:
    coupling = of(name)
    at_motors = float(np.dot(motor, coupling.rates_to_motors(np.array(v))))
    at_joints = float(np.dot(coupling.torque_to_joints(np.array(motor)), v))
    assert at_joints == pytest.approx(at_motors, rel=1e-9, abs=1e-6)


def test_the_industrial_robots_third_motor_turns_with_joints_2_and_3() -> None:
    coupling = of("industrial6")
    degree = np.pi / 180
    q = np.array([10.0, 20.0, 30.0, 40.0, 50.0, 60.0]) * degree
    expected = np.array(K_PER_DEGREE) * [10, 20, 20 + 30, 40, 50, 60]
    assert coupling.to_motors(q) == pytest.approx(expected, rel=1e-12)


def test_the_printed_feedback_of_joint_3_is_wrong() -> None:
    """Listing 1 prints P3 = (M362 + P2) / K3; the inverse of its own model is q3 = a3 / K3 - q2."""
    coupling = of("industrial6")
    q = np.array([0.0, 20.0, 30.0, 0.0, 0.0, 0.0])  # degrees
    a3 = coupling.to_motors(np.deg2rad(q))[2]
    printed = (a3 + q[1]) / K_PER_DEGREE[2]
    right = a3 / K_PER_DEGREE[2] - q[1]
    assert right == pytest.approx(30.0, abs=1e-9)
    assert printed == pytest.approx(50.0, abs=1e-2)  # 20 degrees off: joint 2's whole angle


def test_the_differential_mixes_pitch_and_roll() -> None:
    coupling = of("mobile6")
    per_radian = 100 * 4096 / (2 * np.pi)
    pitch = coupling.to_motors(np.array([0, 0, 0, 0, 0.2, 0.0]))
    roll = coupling.to_motors(np.array([0, 0, 0, 0, 0.0, 0.2]))
    assert pitch[4:] == pytest.approx([0.1 * per_radian, 0.1 * per_radian])
    assert roll[4:] == pytest.approx([0.1 * per_radian, -0.1 * per_radian])


def test_motor_limits_hold_every_motion_that_the_joints_allow() -> None:
    coupling, model = of("industrial6"), load_model("industrial6")
    limits = coupling.motor_limits(model.lower, model.upper, model.velocity, model.acceleration)
    rng = np.random.default_rng(0)
    for _ in range(200):
        q, v = model.random(rng), rng.uniform(-model.velocity, model.velocity)
        assert coupling.outside(q, v, limits) == []
    # The motor of joint 3 must be able to follow joint 2 as well: faster than joint 3 alone.
    assert limits.velocity[2] == pytest.approx(coupling.matrix[2, 2] * (model.velocity[1] + model.velocity[2]))


def test_a_motor_beyond_its_limits_is_named() -> None:
    coupling, model = of("industrial6"), load_model("industrial6")
    limits = coupling.motor_limits(model.lower / 10, model.upper / 10, model.velocity / 10, model.acceleration)
    said = coupling.outside(np.array([0, 0.3, 0.3, 0, 0, 0]), np.array([0, 1.0, 1.0, 0, 0, 0]), limits)
    assert any(text.startswith("motor 3 at") and "counts is outside" in text for text in said)
    assert any("counts/s is faster than" in text for text in said)


def test_joints_without_ends_give_motors_without_ends() -> None:
    coupling = Coupling(("a", "b"), np.array([[1.0, 0.0], [1.0, 1.0]]), np.ones(2), np.zeros(2))
    limits = coupling.motor_limits(np.array([-np.inf, -1.0]), np.array([np.inf, 1.0]), np.ones(2), np.ones(2))
    assert limits.upper.tolist() == [np.inf, np.inf]
    limits = coupling.motor_limits(np.array([-1.0, -np.inf]), np.array([1.0, np.inf]), np.ones(2), np.ones(2))
    assert limits.upper.tolist() == [1.0, np.inf]


@pytest.mark.parametrize("matrix", [[[1.0, 1.0], [1.0, 1.0]], [[1.0, 0.0], [0.0, 0.0]], [[1.0, 1.0], [1.0, 1.0 + 1e-9]]])
def test_a_singular_coupling_is_refused_with_its_condition_number(matrix: list[list[float]]) -> None:
    with pytest.raises(SingularActuation, match="condition number"):
        Coupling(("a", "b"), np.array(matrix), np.ones(2), np.zeros(2))


def test_shapes_zeros_and_nan_are_refused() -> None:
    with pytest.raises(BadConfiguration, match="2 joints need"):
        Coupling(("a", "b"), np.eye(3), np.ones(2), np.zeros(2))
    with pytest.raises(BadConfiguration, match="0 counts"):
        Coupling(("a", "b"), np.eye(2), np.array([1.0, 0.0]), np.zeros(2))
    with pytest.raises(BadConfiguration, match="not finite"):
        Coupling(("a", "b"), np.eye(2), np.array([1.0, np.nan]), np.zeros(2))


def test_counts_of_a_million_do_not_make_a_coupling_singular() -> None:
    coupling = Coupling(("a", "b"), np.eye(2), np.array([1e7, 1e-3]), np.zeros(2))
    assert coupling.condition == 1.0


def test_one_tendon_bends_many_joints_and_there_is_no_way_back() -> None:
    finger = OneWay(OneWayCoupling(actuator="thumb", joints=("p1", "p2"), ratios=(1.0, 0.5), offsets=(0.0, 0.1)))
    q = finger.to_joints(0.8)
    assert q == pytest.approx([0.8, 0.5])
    assert finger.nearest(q) == pytest.approx((0.8, 0.0))
    x, off = finger.nearest(np.array([0.8, 0.9]))
    assert off > 0.1 and 0.8 < x < 1.1
    assert finger.torque_at_actuator(np.array([1.0, 2.0])) == pytest.approx(2.0)
    with pytest.raises(BadConfiguration, match="moves nothing"):
        OneWay(OneWayCoupling(actuator="x", joints=("a",), ratios=(0.0,), offsets=(0.0,)))


def test_each_of_inmoovs_fingers_is_one_tendon() -> None:
    from armillary.description import read_robot

    robot = read_robot("inmoov")
    for side in "rl":
        for finger, count in {"thumb": 3, "index": 3, "middle": 3, "ring": 4, "pinky": 4}.items():
            tendon = OneWay.of_mimics(robot, f"{side}_{finger}_joint")
            assert len(tendon.joints) == count
            q = tendon.to_joints(0.7)
            assert tendon.nearest(q) == pytest.approx((0.7, 0.0), abs=1e-12)
            assert all(
                robot.joint(name).range[0] <= value <= robot.joint(name).range[1]
                for name, value in zip(tendon.joints, q, strict=True)
            )


def test_the_hey5_hand_is_three_tendons_over_the_joints_of_its_fingers() -> None:
    """The public URDF has no <mimic> for them: a cell says it, and the joints are there by these names."""
    from armillary.description import read_robot
    from armillary.description.library import extra_robots_folder

    if extra_robots_folder() is None:
        pytest.skip("the extra 'robots' is not installed")
    robot = read_robot("tiago")
    moved = 0
    for actuator, fingers in {
        "hand_thumb_joint": ["thumb"],
        "hand_index_joint": ["index"],
        "hand_mrl_joint": ["middle", "ring", "little"],
    }.items():
        robot.joint(actuator)
        joints = tuple(
            joint.name for joint in robot.independent
            if any(joint.name.startswith(f"hand_{finger}_") for finger in fingers) and joint.name != actuator
        )  # fmt: skip
        tendon = OneWay(
            OneWayCoupling(actuator=actuator, joints=joints, ratios=(0.1,) * len(joints), offsets=(0.0,) * len(joints))
        )
        moved += len(tendon.to_joints(1.0))
    assert moved == 33
