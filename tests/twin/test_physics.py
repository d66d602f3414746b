"""The robot with mass: it agrees with the model, follows, brakes, and never says what is not."""

from typing import Any

import numpy as np
import pytest

from armillary.description import open_cell
from armillary.description.geometry import Box
from armillary.description.library import BUNDLED, extra_robots_folder
from armillary.model import Scene, inverse_dynamics, load_model
from armillary.motion import bounds_of, limits_of, plan_joints
from armillary.protocols.twin import JointCommand, Mode
from armillary.twin.physics import Physics
from armillary.twin.settings import BadTwin, TwinSettings
from tests.twin.serving import model_of, physics_of

EXTRA = ["ur5", "panda", "xarm7", "tiago", "g1_29dof_rev_1_0", "icub", "romeo", "allegro_left_hand", "human"]
HAS_EXTRA = extra_robots_folder() is not None
ALL = [*BUNDLED, *(pytest.param(name, marks=pytest.mark.slow) for name in EXTRA if HAS_EXTRA)]
EXACT = ["cobot6", *(["ur5", "panda"] if HAS_EXTRA else [])]


def no_friction(name: str) -> dict[str, float]:
    return {moving.name: 0.0 for moving in model_of(name).tree.moving}


def command_at(physics: Physics, t: float, reach: np.ndarray, number: int) -> JointCommand:
    """A swing out and back, with the torques that the model gives."""
    model, w = physics.model, 5.0
    q = physics_start(physics) + reach * (1 - np.cos(w * t)) / 2
    v, a = reach * w * np.sin(w * t) / 2, reach * w * w * np.cos(w * t) / 2
    return JointCommand(number, t, q, v, a, inverse_dynamics(model, q, v, a) + physics.passive * v, 0)


def physics_start(physics: Physics) -> np.ndarray:
    return physics.model.zero()


def swing(physics: Physics, periods: int, share: float = 0.2) -> tuple[float, float]:
    """Swing for a while; the largest following error, and how far torque and motion disagree, relative to the largest torque."""
    model = physics.model
    room = np.where(np.isfinite(model.upper - model.lower), model.upper - model.lower, 1.0)
    reach = np.minimum(share, 0.3 * room) * np.where(model.zero() + 0.3 * room > model.upper, -1.0, 1.0)
    physics.enable()
    behind = apart = 0.0
    for k in range(1, periods):
        command = command_at(physics, k * physics.settings.period, reach, k)
        assert physics.follow(command), physics.fault
        physics.advance()
        needed = inverse_dynamics(model, physics.q.copy(), physics.v.copy(), physics.a.copy()) + physics.passive * physics.v
        apart = max(apart, float(np.abs(needed - physics.torque).max() / np.abs(physics.torque).max()))
        behind = max(behind, float(np.abs(physics.q - command.q).max()))
    return behind, apart


@pytest.mark.parametrize("name", EXACT)
def test_position_velocity_acceleration_and_torque_are_of_one_instant(name: str) -> None:
    physics = physics_of(name, friction=no_friction(name))
    behind, apart = swing(physics, 400)
    assert apart < 1e-6 and behind < 4e-4 and physics.fault == ""


@pytest.mark.parametrize("name", ALL)
def test_every_robot_stands_still_and_swings(name: str) -> None:
    model = model_of(name)
    physics = physics_of(name, friction=no_friction(name))
    physics.advance(300)
    assert np.abs(physics.q - model.zero()).max() < 1e-6 and np.abs(physics.v).max() < 1e-6
    behind, _ = swing(physics, 600)
    assert behind < 0.01 and physics.fault == ""


@pytest.mark.parametrize("name", BUNDLED)
def test_friction_of_the_description_is_felt_and_borne(name: str) -> None:
    physics = physics_of(name)
    behind, _ = swing(physics, 400)
    assert behind < 0.05 and physics.fault == ""


@pytest.mark.parametrize("name", ["inmoov", "mobile6"])
def test_mimics_follow_exactly(name: str) -> None:
    physics = physics_of(name)
    assert physics.model.tree.S is not None
    swing(physics, 200)
    data = physics._data
    assert data.qpos == pytest.approx(physics.model.full(physics.q), abs=1e-12)
    assert data.qvel == pytest.approx(physics.model.tree.S @ physics.v, abs=1e-12)


def test_a_planned_motion_is_followed_closely() -> None:
    physics = physics_of("cobot6", friction=no_friction("cobot6"))
    model, start = physics.model, physics.model.zero()
    trajectory = plan_joints(model, start, start + 0.6).trajectory
    physics.enable()
    worst = 0.0
    for k in range(1, int(trajectory.duration / 0.001)):
        state = trajectory.at(k * 0.001)
        torque = inverse_dynamics(model, state.q, state.v, state.a) + physics.passive * state.v
        physics.follow(JointCommand(k, 0.0, state.q, state.v, state.a, torque, 0))
        physics.advance()
        worst = max(worst, float(np.abs(physics.q - state.q).max()))
    assert worst < 2e-3 and physics.fault == ""


def test_wrong_masses_show_as_torques_that_the_model_does_not_expect() -> None:
    none = no_friction("cobot6")
    heavy, right = physics_of("cobot6", mass_scale=1.05, friction=none), physics_of("cobot6", friction=none)
    assert heavy.torque == pytest.approx(1.05 * right.torque, rel=1e-9)
    errors = swing(heavy, 300)[0], swing(right, 300)[0]
    assert errors[1] < errors[0] < 0.05


def test_an_encoder_counts() -> None:
    counts = 2**17
    physics = physics_of("cobot6", encoder_counts=counts)
    swing(physics, 300)
    steps = physics.q * counts / (2 * np.pi)
    assert steps == pytest.approx(np.round(steps), abs=1e-6)
    true = physics._data
    assert physics.q == pytest.approx(true.qpos, abs=2 * np.pi / counts)
    assert physics.v == pytest.approx(true.qvel, abs=0.1) and not np.array_equal(physics.v, true.qvel)


def moving_at(speed: float, **settings: Any) -> tuple[Physics, int]:
    """A robot whose first joint moves, and the number of the last command."""
    physics = physics_of("cobot6", friction=no_friction("cobot6"), **settings)
    physics.enable()
    v, a = np.zeros(6), np.zeros(6)
    for k in range(1, 301):
        v[0] = speed * min(k / 200, 1.0)
        q = physics.setpoint.q + v * 0.001
        physics.follow(JointCommand(k, 0.0, q, v, a, inverse_dynamics(physics.model, q, v, a) + physics.passive * v, 3))
        physics.advance()
    assert physics.v[0] == pytest.approx(speed, rel=0.02) and physics.inputs == 3
    return physics, 300


@pytest.mark.parametrize("stop", ["brake", "disable"])
def test_it_brakes_with_the_limits_of_its_joints_and_holds(stop: str) -> None:
    physics, _ = moving_at(0.5)
    limit = limits_of(physics.model).acceleration[0]
    begin = physics.setpoint.q[0]
    getattr(physics, stop)()
    periods = int(0.5 / limit / 0.001) + 2
    physics.advance(periods)
    assert physics.setpoint.stands and physics.setpoint.q[0] - begin == pytest.approx(0.25 / (2 * limit), rel=0.01)
    physics.advance(400)
    stood = physics.q.copy()
    assert physics.stands and stood == pytest.approx(physics.setpoint.q, abs=1e-4)
    physics.advance(200)
    assert physics.q == pytest.approx(stood, abs=1e-5)


def test_after_braking_it_follows_only_when_enabled_anew() -> None:
    physics, number = moving_at(0.3)
    physics.brake("because")
    still = JointCommand(number + 1, 0.0, physics.setpoint.q.copy(), np.zeros(6), np.zeros(6), np.zeros(6), 0)
    assert not physics.follow(still) and physics.braking and physics.fault == "because"
    physics.enable()
    assert physics.enabled and not physics.braking and physics.fault == "" and physics.number == 0


def test_outputs_come_back_while_it_brakes_and_is_disabled_too() -> None:
    physics, number = moving_at(0.3)
    far, zero = physics.setpoint.q + 1.0, np.zeros(6)
    for k, bring in enumerate((physics.brake, physics.disable)):
        bring()
        before = physics.setpoint.q.copy()
        assert not physics.follow(JointCommand(number + 1 + k, 0.0, far, zero, zero, zero, 6 + k, np.full(8, 0.5 + k)))
        assert physics.inputs == 6 + k and physics.analog.tolist() == [0.5 + k] * 8
        assert np.array_equal(physics.setpoint.q, before) and physics.fault == "", "its set-point is not looked at"


@pytest.mark.parametrize(("what", "value"), [("analog", np.nan), ("q", 1.0)])
def test_of_a_command_that_cannot_be_meant_no_output_is_taken(what: str, value: float) -> None:
    physics, zero = physics_of("cobot6"), np.zeros(6)
    physics.enable()
    q, analog = np.zeros(6), np.full(8, 0.5)
    (q if what == "q" else analog)[2] = value
    assert not physics.follow(JointCommand(1, 0.0, q, zero, zero, zero, 3, analog))
    assert physics.braking and ("analogue output 2" in physics.fault) == (what == "analog")
    assert physics.inputs == 0 and not physics.analog.any()


BAD = [
    ("q", 2, np.nan, "position is nan"),
    ("v", 0, np.inf, "velocity is inf"),
    ("torque", 5, -np.inf, "torque is -inf"),
    ("q", 1, 1.0, "a command to 1, from 0 in one step"),
]


@pytest.mark.parametrize(("what", "joint", "value", "said"), BAD)
def test_a_command_that_cannot_be_meant_brakes_and_is_named(what: str, joint: int, value: float, said: str) -> None:
    physics = physics_of("cobot6")
    physics.enable()
    arrays = {name: np.zeros(6) for name in ("q", "v", "a", "torque")}
    arrays[what][joint] = value
    assert not physics.follow(JointCommand(1, 0.0, **arrays, outputs=0))
    assert physics.braking and said in physics.fault and physics.model.joints[joint] in physics.fault
    physics.advance(50)
    assert np.isfinite(physics.q).all() and np.abs(physics.q).max() < 1e-6


def test_a_command_of_another_number_of_joints_brakes() -> None:
    physics = physics_of("cobot6")
    physics.enable()
    five = np.zeros(5)
    assert not physics.follow(JointCommand(1, 0.0, five, five, five, five, 0))
    assert "there are 6 joints" in physics.fault


def test_physics_that_comes_apart_stands_still_and_says_so() -> None:
    physics = physics_of("cobot6")
    physics.advance(5)
    physics._data.qvel[:] = 1e200
    physics.advance(3)
    assert "came apart" in physics.fault and not physics.enabled and physics.braking
    for values in (physics.q, physics.v, physics.a, physics.torque):
        assert np.isfinite(values).all()
    assert physics.q == pytest.approx(physics.model.zero(), abs=1e-6)
    physics.enable()
    physics.advance(100)
    assert physics.fault == "" and physics.q == pytest.approx(physics.model.zero(), abs=1e-5)


def test_efforts_are_kept() -> None:
    physics = physics_of("cobot6")
    physics.enable()
    zero = np.zeros(6)
    physics.follow(JointCommand(1, 0.0, zero, zero, zero, np.full(6, 1e6), 0))
    physics.advance()
    assert (np.abs(physics.torque) <= physics.model.effort).all()


def test_it_is_stopped_by_a_wall() -> None:
    model = load_model("cobot6")
    scene = Scene(model)
    start = model.zero()
    free = Physics(model, TwinSettings(contacts=False), start)
    tip = max(range(len(scene.parts)), key=lambda k: scene._world(scene.parts[k], start)[:3, 3] @ [1.0, 1.0, 0.0])
    p = scene._world(scene.parts[tip], start)[:3, 3]
    beside = np.cross([0.0, 0.0, 1.0], p / np.linalg.norm(p[:2]))
    T = np.eye(4)
    T[:3, 3] = p + 0.25 * beside
    scene.add("wall", Box((0.2, 0.2, 0.5)), T)
    walled = Physics(model, TwinSettings(), start, scene=scene)
    seen, reached = 0, []
    for physics in (free, walled):
        physics.enable()
        zero = np.zeros(6)
        for k in range(1, 1500):
            q = start.copy()
            q[0] += 0.5 * min(k / 1000, 1.0)
            v = np.array([0.5 if k < 1000 else 0.0, 0, 0, 0, 0, 0])
            physics.follow(JointCommand(k, 0.0, q, v, zero, inverse_dynamics(model, q, v, zero), 0))
            physics.advance()
            count, touches = physics.touches()
            seen = max(seen, count)
            assert all(touch.depth > 0 and touch.force >= 0 and 0 in (touch.first, touch.second) for touch in touches)
        reached.append(float(physics.q[0]))
    assert reached[0] == pytest.approx(0.5, abs=0.01) and seen > 0
    assert reached[1] < 0.45, "the wall was in the way"


def test_parts_that_touch_at_the_start_are_named_and_left_alone() -> None:
    model = load_model("cobot6")
    scene = Scene(model)
    T = scene._world(scene.parts[-1], model.zero())
    scene.add("vice", Box((0.05, 0.05, 0.05)), T)
    physics = Physics(model, TwinSettings(), model.zero(), scene=scene)
    assert any("vice" in said and "where it starts" in said for said in physics.assumptions)
    physics.advance(100)
    assert physics.touches()[0] == 0 and physics.q == pytest.approx(model.zero(), abs=1e-6)


def test_settings_go_through_json_and_are_strict() -> None:
    settings = TwinSettings(mode=Mode.LOCK_STEP, friction={"joint_1": 2.0}, encoder_counts=2**17, mass_scale=1.05)
    assert TwinSettings.from_json(settings.to_json()) == settings
    assert TwinSettings.from_json({}) == TwinSettings()
    for values, said in (
        ({"priod": 0.001}, "the nearest is 'period'"),
        ({"mode": "slow"}, "lock_step"),
        ({"steps": 0}, "give 1 to 100"),
        ({"steps": 2.5}, "whole number"),
        ({"watchdog": float("nan")}, "watchdog is nan"),
        ({"mass_scale": True}, "mass_scale is True"),
        ({"damping": {"j": -1.0}}, "damping of j"),
        ({"friction": 3.0}, "no table"),
        ({"contacts": 1}, "neither"),
    ):
        with pytest.raises(BadTwin, match=said):
            TwinSettings.from_json(values)


def test_a_setting_for_a_joint_that_is_not_there_is_refused() -> None:
    with pytest.raises(BadTwin, match="'elbow9' that does not move"):
        physics_of("cobot6", friction={"elbow9": 1.0})


@pytest.mark.parametrize("name", ["industrial6", "mobile6"])
def test_coupled_motors_pull_at_all_their_joints(name: str) -> None:
    """A linkage (a3 = q2 + q3), a differential: what was asked is followed, and torques are the joints' still."""
    model = load_model(name)
    coupling = bounds_of(open_cell(name).cell, model).coupling
    assert coupling is not None and not np.array_equal(coupling.ratios, np.eye(len(coupling.joints)))
    start, end = model.zero(), model.zero()
    columns = [model.column(joint) for joint in coupling.joints]
    end[columns] += 0.2
    settings = TwinSettings(contacts=False, friction=dict.fromkeys(model.joints, 0.0))
    physics, alone = Physics(model, settings, start, coupling=coupling), Physics(model, settings, start)
    off = []
    for each in (physics, alone):
        each.enable()
        worst = 0.0
        for k in range(1, 2001):
            s = min(k / 1500, 1.0)
            law = s**3 * (10 - 15 * s + 6 * s * s)
            rate = (30 * s**2 * (1 - s) ** 2) / 1.5
            change = (60 * s * (1 - s) * (1 - 2 * s)) / 1.5**2
            q, v, a = start + law * (end - start), rate * (end - start), change * (end - start)
            each.follow(JointCommand(k, 0.0, q, v, a, inverse_dynamics(model, q, v, a), 0))
            each.advance()
            assert not each.fault
            worst = max(worst, float(np.abs(each.q - q).max()))
        off.append(worst)
        # M a + bias + passive = torque of the joints, whatever the motors are.
        balance = inverse_dynamics(model, each.q, each.v, each.a) + each.passive * each.v
        assert np.abs(balance - each.torque)[columns].max() < 1e-9 * max(1.0, np.abs(each.torque).max())
    assert off[0] < 2e-3 and off[1] < 2e-3, off
    motors = physics._force
    assert np.allclose(physics.torque[columns], coupling.ratios.T @ motors[columns])
    assert not np.allclose(physics.torque[columns], motors[columns])
