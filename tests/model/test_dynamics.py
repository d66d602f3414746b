"""Dynamics: the laws of mechanics on every robot, and MuJoCo's opinion on three."""

import numpy as np
import pytest
from numpy.typing import NDArray

from armillary.description import (
    Box,
    Geometry,
    Inertial,
    Joint,
    JointType,
    Limits,
    Link,
    Pose,
    Robot,
    read_robot,
    write_urdf,
)
from armillary.model import (
    BadConfiguration,
    Model,
    build_model,
    centre_of_mass,
    coriolis_matrix,
    forward_dynamics,
    gravity_torque,
    inverse_dynamics,
    inverse_dynamics_batch,
    kinetic_energy,
    load_model,
    mass_matrix,
    passive_torque,
    potential_energy,
)

from .robots import ALL, NAMES, configurations, model_of, with_sound_inertia

Array = NDArray[np.float64]
# Not icub: its mass matrix has an eigenvalue of 5e-9 kg m^2 (a placeholder inertia), and explicit steps of 0.1 ms diverge on it.
FALLING = [name for name in NAMES if name != "icub"]


def states(model: Model, count: int = 5, seed: int = 3) -> list[tuple[Array, Array, Array]]:
    rng = np.random.default_rng(seed)
    return [(model.random(rng), rng.normal(size=model.n), rng.normal(size=model.n)) for _ in range(count)]


def scale(*arrays: Array) -> float:
    return max(1.0, *(float(np.abs(array).max()) for array in arrays))


@pytest.mark.parametrize("name", ALL)
def test_forward_dynamics_undoes_inverse_dynamics(name: str) -> None:
    model = model_of(name)
    for q, v, a in states(model):
        tau = inverse_dynamics(model, q, v, a)
        assert np.abs(forward_dynamics(model, q, v, tau) - a).max() < 1e-6 * scale(a)


@pytest.mark.parametrize("name", ALL)
def test_torque_is_mass_times_acceleration_plus_coriolis_plus_gravity(name: str) -> None:
    model = model_of(name)
    for q, v, a in states(model):
        tau = inverse_dynamics(model, q, v, a)
        parts = mass_matrix(model, q) @ a + coriolis_matrix(model, q, v) @ v + gravity_torque(model, q)
        assert np.abs(tau - parts).max() < 1e-9 * scale(tau)


@pytest.mark.parametrize("name", ALL)
def test_the_mass_matrix_is_symmetric_and_gives_the_kinetic_energy(name: str) -> None:
    model = model_of(name)
    for q, v, _ in states(model):
        M = mass_matrix(model, q)
        assert np.abs(M - M.T).max() < 1e-12 * scale(M)
        assert v @ M @ v / 2 == pytest.approx(kinetic_energy(model, q, v), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", ALL)
def test_the_mass_matrix_is_positive_definite(name: str) -> None:
    model = model_of(name)
    for q, _, _ in states(model):
        assert np.linalg.eigvalsh(mass_matrix(model, q)).min() > 0


@pytest.mark.parametrize("name", ALL)
def test_gravity_is_the_slope_of_the_potential_energy(name: str) -> None:
    model = model_of(name)
    h = 1e-6
    q = configurations(model, 1, seed=5)[0]
    g = gravity_torque(model, q)
    for column in range(model.n):
        step = np.zeros(model.n)
        step[column] = h
        slope = (potential_energy(model, q + step) - potential_energy(model, q - step)) / (2 * h)
        assert slope == pytest.approx(g[column], abs=1e-6 * scale(g, np.array([model.mass])))


@pytest.mark.parametrize("name", ALL)
def test_the_change_of_the_mass_matrix_less_twice_coriolis_does_no_work(name: str) -> None:
    model = model_of(name)
    h = 1e-6
    for q, v, _ in states(model, 2):
        rate = (mass_matrix(model, q + h * v) - mass_matrix(model, q - h * v)) / (2 * h)
        N = rate - 2 * coriolis_matrix(model, q, v)
        assert np.abs(N + N.T).max() < 1e-6 * scale(rate)


@pytest.mark.parametrize("name", ALL)
def test_power_in_is_the_rate_of_energy(name: str) -> None:
    model = model_of(name)
    h = 1e-5

    def energy(q: Array, v: Array) -> float:
        return kinetic_energy(model, q, v) + potential_energy(model, q)

    for q, v, a in states(model, 3):
        power = float(inverse_dynamics(model, q, v, a) @ v)
        ahead = energy(q + h * v + h * h * a / 2, v + h * a)
        behind = energy(q - h * v + h * h * a / 2, v - h * a)
        assert (ahead - behind) / (2 * h) == pytest.approx(power, rel=1e-5, abs=1e-5 * scale(np.array([model.mass])))


@pytest.mark.slow
@pytest.mark.parametrize("name", FALLING)
def test_energy_is_conserved_in_free_motion(name: str) -> None:
    """A second of falling and swinging without friction, by Runge and Kutta's fourth-order steps."""
    model = model_of(name)
    rng = np.random.default_rng(7)
    q, v = model.random(rng), 0.3 * rng.normal(size=model.n)
    none = np.zeros(model.n)
    steps = 8000
    h = 1.0 / steps
    start = kinetic_energy(model, q, v) + potential_energy(model, q)
    largest = abs(kinetic_energy(model, q, v))
    for step in range(steps):
        k1, l1 = v, forward_dynamics(model, q, v, none)
        k2, l2 = v + h / 2 * l1, forward_dynamics(model, q + h / 2 * k1, v + h / 2 * l1, none)
        k3, l3 = v + h / 2 * l2, forward_dynamics(model, q + h / 2 * k2, v + h / 2 * l2, none)
        k4, l4 = v + h * l3, forward_dynamics(model, q + h * k3, v + h * l3, none)
        q, v = q + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), v + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
        if step % 100 == 0:
            largest = max(largest, kinetic_energy(model, q, v))
    end = kinetic_energy(model, q, v) + potential_energy(model, q)
    assert abs(end - start) < 1e-6 * max(largest, 1.0)


def test_the_mass_of_a_fixed_root_is_counted() -> None:
    model = load_model("cobot6")
    assert model.mass == pytest.approx(61.22)
    com = centre_of_mass(model, np.zeros(6))
    expected = np.zeros(3)
    robot = read_robot("cobot6")
    T = robot.poses()
    for link in robot.links:
        if link.inertial is not None:
            expected += link.inertial.mass * (T[link.name] @ np.r_[link.inertial.pose.xyz, 1.0])[:3]
    assert com == pytest.approx(expected / robot.mass, abs=1e-12)


def pendulum(mass: float, length: float) -> Robot:
    rod = Link(
        "rod",
        Inertial(mass, Pose((0.0, 0.0, -length)), (1e-9, 0.0, 0.0, 1e-9, 0.0, 1e-9)),
        (Geometry(Box((1.0, 1.0, 1.0))),),
    )
    hinge = Joint("hinge", JointType.CONTINUOUS, "base", "rod", axis=(0.0, 1.0, 0.0), limits=Limits(velocity=1.0))
    return Robot("pendulum", (Link("base"), rod), (hinge,))


def test_a_pendulum_weighs_what_the_book_says() -> None:
    model = build_model(pendulum(2.0, 0.5))
    for angle in np.linspace(-3, 3, 13):
        assert gravity_torque(model, np.array([angle]))[0] == pytest.approx(2.0 * 9.81 * 0.5 * np.sin(angle), abs=1e-12)
    assert mass_matrix(model, np.zeros(1))[0, 0] == pytest.approx(2.0 * 0.25 + 1e-9)


def test_a_payload_adds_its_weight_at_the_tool() -> None:
    robot = read_robot("cobot6")
    plain = build_model(robot)
    loaded = build_model(robot, masses=[("tool0", Inertial(3.0, Pose((0.0, 0.0, 0.1))))])
    q = np.array([0.3, 0.4, -0.9, 0.2, 1.0, 0.5])
    from armillary.model import Reference, frame_jacobian, frame_pose

    J = frame_jacobian(plain, q, "tool0", reference=Reference.MIXED)
    arm = frame_pose(plain, q, "tool0")[:3, :3] @ (0.0, 0.0, 0.1)
    force = np.array([0.0, 0.0, 3.0 * 9.81])
    wrench = np.r_[force, np.cross(arm, force)]
    assert gravity_torque(loaded, q) - gravity_torque(plain, q) == pytest.approx(J.T @ wrench, abs=1e-9)
    assert loaded.mass == pytest.approx(plain.mass + 3.0)


def test_gravity_turns_with_the_base() -> None:
    robot = read_robot("cobot6")
    upright = build_model(robot)
    hanging = build_model(robot, base=Pose((0.0, 0.0, 2.0), (np.pi, 0.0, 0.0)))
    q = np.array([0.3, 0.4, -0.9, 0.2, 1.0, 0.5])
    assert gravity_torque(hanging, q) == pytest.approx(-gravity_torque(upright, q), abs=1e-9)


def test_an_impossible_inertia_is_replaced_and_said() -> None:
    rod = Link("rod", Inertial(1.0, Pose((0.0, 0.0, -0.5)), (0.1, 0.0, 0.0, -0.1, 0.0, 0.1)))
    hinge = Joint("hinge", JointType.CONTINUOUS, "base", "rod", axis=(0.0, 1.0, 0.0), limits=Limits(velocity=1.0))
    model = build_model(Robot("odd", (Link("base"), rod), (hinge,)))
    assert model.assumptions == ("link 'rod': its inertia belongs to no body; the nearest possible one is used",)
    assert mass_matrix(model, np.zeros(1))[0, 0] > 0.25


def test_mimic_joints_are_felt_at_the_joint_they_follow() -> None:
    model = load_model("mobile6")
    q, v, a = np.zeros(9), np.zeros(9), np.zeros(9)
    column = model.column("finger_left_joint")
    a[column] = 1.0
    # Both fingers of 0.12 kg are pushed by the one actuator.
    force = inverse_dynamics(model, q, v, a)[column] - gravity_torque(model, q)[column]
    assert force == pytest.approx(0.24, abs=1e-12)


def test_damping_and_friction_come_from_the_description() -> None:
    model = load_model("cobot6")
    dynamics = read_robot("cobot6").joint("joint_1").dynamics
    assert dynamics is not None
    v = np.zeros(6)
    assert np.array_equal(passive_torque(model, v), np.zeros(6))
    v[0] = -0.5
    assert passive_torque(model, v)[0] == pytest.approx(-0.5 * dynamics.damping - dynamics.friction)


@pytest.mark.parametrize("name", ALL)
def test_torques_of_many_states_are_those_of_each(name: str) -> None:
    model = model_of(name)
    found = states(model, 30)
    Q, V, A = (np.array(column) for column in zip(*found, strict=True))
    for (q, v, a), tau in zip(found, inverse_dynamics_batch(model, Q, V, A), strict=True):
        one = inverse_dynamics(model, q, v, a)
        assert np.abs(one - tau).max() < 1e-9 * scale(one)


def test_what_is_not_finite_is_refused_by_name() -> None:
    model = load_model("cobot6")
    zero, bad = np.zeros(6), np.array([0, 0, np.nan, 0, 0, 0.0])
    for arguments, said in (((bad, zero, zero), "q is not finite: joint_3"), ((zero, bad, zero), "v is not finite: joint_3"),
                            ((zero, zero, bad), "a is not finite: joint_3"), ((zero[:3], zero, zero), "q has shape"),
                            ((zero, zero[:3], zero), "v has shape")):  # fmt: skip
        with pytest.raises(BadConfiguration, match=said):
            inverse_dynamics(model, *arguments)
    with pytest.raises(BadConfiguration, match="not finite in row 1"):
        inverse_dynamics_batch(model, np.array([zero, bad]), np.zeros((2, 6)), np.zeros((2, 6)))


@pytest.mark.parametrize("name", ["ur5", "panda", "tiago"])
def test_mujoco_agrees_on_inverse_dynamics(name: str) -> None:
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    if name not in NAMES:
        pytest.skip("the extra 'robots' is not installed")
    robot = with_sound_inertia(read_robot(name))
    robot = _bare(robot)
    model = build_model(robot)
    text = write_urdf(robot).replace(
        "</robot>", '<mujoco><compiler fusestatic="false" balanceinertia="false"/><option/></mujoco></robot>'
    )
    mj = mujoco.MjModel.from_xml_string(text)
    mj.opt.gravity[:] = (0, 0, -9.81)
    flags = mujoco.mjtDisableBit
    mj.opt.disableflags |= flags.mjDSBL_CONSTRAINT | flags.mjDSBL_CONTACT | flags.mjDSBL_LIMIT | flags.mjDSBL_FRICTIONLOSS
    data = mujoco.MjData(mj)
    address = [mj.joint(joint).qposadr[0] for joint in model.joints]
    assert sorted(address) == list(range(mj.nq))  # every joint of theirs is one of ours
    for q, v, a in states(model, 20):
        data.qpos[address], data.qvel[address], data.qacc[address] = q, v, a
        mujoco.mj_inverse(mj, data)
        theirs = (data.qfrc_inverse + data.qfrc_passive)[address]
        assert np.abs(inverse_dynamics(model, q, v, a) - theirs).max() < 1e-6


def _bare(robot: Robot) -> Robot:
    """Without shapes and extensions, which MuJoCo would weigh or refuse, and without mimics, which are no joints of its own."""
    from dataclasses import replace

    tiny = Inertial(1e-3, Pose(), (1e-6, 0.0, 0.0, 1e-6, 0.0, 1e-6))
    moved = {joint.child for joint in robot.movable}
    links = tuple(
        Link(link.name, tiny if link.name in moved and (not link.inertial or link.inertial.mass <= 0) else link.inertial)
        for link in robot.links
    )
    joints = tuple(replace(joint, mimic=None) for joint in robot.joints)
    return Robot(robot.name, links, joints)
