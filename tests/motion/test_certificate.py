"""The proof: every violation is found and named with joint, time, value and line; and it is bound to what it proves."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from armillary.description import Box, open_cell
from armillary.model import Model, Scene, coupling_from, frame_pose, load_model
from armillary.motion import (
    Bounds,
    State,
    Trajectory,
    certify,
    limits_of,
    line,
    plan_joints,
    plan_tool,
    quintic_through,
    tool_pose,
)
from armillary.motion.clearance import pair_levers, sweep
from armillary.motion.profiles import jerk_limited_move, lspb_move, quintic_move
from armillary.solvers import solve_ik
from armillary.spatial import transform

Array = NDArray[np.float64]
HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
GOAL = np.array([-1.0, 1.2, -1.9, -1.0, -1.2, 0.5])


@pytest.fixture(scope="module")
def cobot() -> Model:
    return load_model("cobot6")


@pytest.mark.parametrize("order", [1, 2, 3])
def test_a_broken_limit_is_named(cobot: Model, order: int) -> None:
    limits = limits_of(cobot)
    trajectory = jerk_limited_move(limits, HOME, GOAL)
    assert certify(trajectory, cobot)
    fast = trajectory.slowed(0.98)
    certificate = certify(replace(fast, origins=("part.ngc:12",) * len(fast.durations)), cobot)
    name = ("velocity", "acceleration", "jerk")[order - 1]
    found = [violation for violation in certificate.violations if violation.kind == name]
    worst = np.abs(fast.extrema.values[order]).max(axis=1) / limits.of_order(order)
    assert bool(found) == bool(worst.max() > 1 + 1e-9)
    if found:
        assert found[0].where in cobot.joints and abs(found[0].value) > abs(found[0].limit)
        assert "part.ngc:12" in str(found[0]) and name in " ".join(map(str, certificate.violations))


def test_position_limits_are_exact(cobot: Model) -> None:
    """An overshoot between knots that are both inside."""
    q = np.array([np.zeros(6), np.zeros(6)])
    q[:, 2] = cobot.upper[2] - 0.01
    v = np.zeros((2, 6))
    v[0, 2], v[1, 2] = 0.2, -0.2
    trajectory = quintic_through(cobot.joints, np.array([0.0, 0.5]), q, v, np.zeros((2, 6)))
    found = [violation for violation in certify(trajectory, cobot).violations if violation.kind == "position"]
    assert found and found[0].where == "joint_3" and 0.1 < found[0].time < 0.4


def test_steps_that_were_not_declared_are_found(cobot: Model) -> None:
    honest = lspb_move(limits_of(cobot), HOME, GOAL)
    assert certify(honest, cobot)
    certificate = certify(replace(honest, continuity=2), cobot)
    assert not certificate and any(violation.kind == "continuity" for violation in certificate.violations)


def test_it_must_begin_where_the_robot_is(cobot: Model) -> None:
    trajectory = quintic_move(limits_of(cobot), HOME, GOAL)
    elsewhere = State(HOME + 0.01, np.zeros(6), np.zeros(6), np.zeros(6))
    certificate = certify(trajectory, cobot, bounds=Bounds(start=elsewhere))
    assert [violation.kind for violation in certificate.violations] == ["start"]


def test_torque(cobot: Model) -> None:
    trajectory = quintic_move(limits_of(cobot), HOME, GOAL)
    assert certify(trajectory, cobot, bounds=Bounds(torque=True)).use["torque"] < 1.0
    heavy = certify(trajectory.slowed(0.05), cobot, bounds=Bounds(torque=True))
    assert any(violation.kind == "torque" for violation in heavy.violations)


def test_motors_through_the_coupling() -> None:
    """Joints 2 and 3 at half their speed both turn motor 3, whose speed is their sum."""
    model = load_model("industrial6")
    actuation = open_cell("industrial6").cell.actuation
    assert actuation is not None
    coupling = coupling_from(actuation)
    start, goal = np.zeros(6), np.zeros(6)
    goal[1] = goal[2] = 0.5
    trajectory = quintic_move(limits_of(model), start, goal)
    assert certify(trajectory, model, bounds=Bounds(coupling=coupling))
    fastest = np.full(6, 1e9)
    speed = np.abs(coupling.rates_to_motors(trajectory.at(trajectory.duration / 2).v))
    fastest[2] = 0.9 * speed[2]
    certificate = certify(trajectory, model, bounds=Bounds(coupling=coupling, motor_velocity=fastest))
    found = [violation for violation in certificate.violations if violation.kind == "motor"]
    assert found and found[0].where == "motor 3" and found[0].value == pytest.approx(speed[2], rel=1e-6)


def test_tool_speed_workspace_and_deviation(cobot: Model) -> None:
    T = tool_pose(cobot, HOME)
    E = T.copy()
    E[1, 3] -= 0.5
    path = line(T, E)
    plan = plan_tool(cobot, HOME, path, feed=0.2)
    assert plan
    slow = certify(plan.trajectory, cobot, bounds=Bounds(tool_speed=0.1))
    assert [violation.kind for violation in slow.violations] == ["tool speed"]
    fenced = certify(plan.trajectory, cobot, bounds=Bounds(planes=((np.array([0, E[1, 3] + 0.1, 0]), np.array([0, 1.0, 0])),)))
    assert [violation.kind for violation in fenced.violations] == ["workspace"] and "100 mm beyond plane 1" in str(fenced)
    boxed = certify(plan.trajectory, cobot, bounds=Bounds(box=np.array([[-2, -2, -2], [2, T[1, 3] - 0.1, 2]])))
    assert "the box's upper y" in str(boxed)
    F = E.copy()
    F[2, 3] += 0.01
    off = certify(plan.trajectory, cobot, bounds=Bounds(tool=line(T, F)))
    assert off.violations[0].kind == "deviation" and off.violations[0].value == pytest.approx(0.01, abs=2e-4)


class TestCollision:
    def test_a_wall_is_found_at_the_time_of_contact(self, cobot: Model) -> None:
        trajectory = jerk_limited_move(limits_of(cobot), HOME, GOAL)
        times, samples = trajectory.every(0.001)
        scene = Scene(cobot)
        assert certify(trajectory, cobot, bounds=Bounds(scene=scene))
        middle = frame_pose(cobot, trajectory.at(0.6 * trajectory.duration).q, "link_5")[:3, 3]
        scene.add("ball", Box((0.02, 0.02, 0.02)), transform(np.eye(3), middle))
        first = times[int(np.argmin([scene.free(q) for q in samples[:, 0]]))]
        certificate = certify(trajectory, cobot, bounds=Bounds(scene=scene))
        found = certificate.violations[0]
        assert found.kind == "collision" and "ball" in found.where
        assert found.time <= first + 1e-3 and first - found.time < 0.05

    def test_a_thin_sheet_is_not_stepped_over(self, cobot: Model) -> None:
        """Half a millimetre thick, crossed at speed: samples 10 ms apart all lie on one side or the other."""
        trajectory = jerk_limited_move(limits_of(cobot), HOME, GOAL)
        one, two = (frame_pose(cobot, trajectory.at(t).q, "tool")[:3, 3] for t in (0.5, 0.52))
        ahead = (two - one) / np.linalg.norm(two - one)
        across = np.cross(ahead, [0, 0, 1.0])
        R = np.column_stack([ahead, across / np.linalg.norm(across), np.cross(ahead, across / np.linalg.norm(across))])
        scene = Scene(cobot)
        scene.add("sheet", Box((0.0005, 0.05, 0.05)), transform(R, frame_pose(cobot, trajectory.at(0.51).q, "tool")[:3, 3]))
        assert not certify(trajectory, cobot, bounds=Bounds(scene=scene))

    def test_no_pair_comes_nearer_faster_than_its_levers_say(self, cobot: Model) -> None:
        scene, rng = Scene(cobot), np.random.default_rng(0)
        scene.add("post", Box((0.1, 0.1, 1.0)), transform(np.eye(3), (0.5, 0.2, 0.8)))
        levers, pairs = pair_levers(scene), list(range(len(scene.numbered_pairs)))
        for _ in range(40):
            q = cobot.random(rng)
            step = rng.normal(size=6) * 0.02
            change = np.array(scene.distances(q, pairs)) - np.array(
                scene.distances(np.clip(q + step, cobot.lower, cobot.upper), pairs)
            )
            assert (change <= levers @ np.abs(step) + 1e-6).all()

    def test_the_margin_is_kept(self, cobot: Model) -> None:
        trajectory = quintic_move(limits_of(cobot), HOME, GOAL)
        scene = Scene(cobot, ignored=tuple((a, b) for a in cobot.frames for b in cobot.frames if a < b))
        far = frame_pose(cobot, trajectory.at(0.5 * trajectory.duration).q, "tool")[:3, 3] + [0, 0, -0.3]
        scene.add("table", Box((0.2, 0.2, 0.02)), transform(np.eye(3), far))
        nearest = sweep(scene, trajectory).clearance
        assert nearest > 0.01 and sweep(scene, trajectory, margin=0.5 * nearest).hit is None
        assert sweep(scene, trajectory, margin=nearest + 0.01).hit is not None


def test_the_proof_is_bound_to_what_it_proves(cobot: Model) -> None:
    scene = Scene(cobot)
    plan = plan_joints(cobot, HOME, GOAL, bounds=Bounds(scene=scene))
    certificate, trajectory = plan.certificate, plan.trajectory
    assert certificate.covers(trajectory, cobot, scene=scene)
    assert not certificate.covers(trajectory.slowed(1.0001), cobot, scene=scene)
    assert not certificate.covers(trajectory, cobot), "another world: none"
    assert not certificate.covers(trajectory, cobot, limits_of(cobot).scaled(velocity=0.5), scene)
    assert not certificate.covers(trajectory, load_model("industrial6"), scene=scene)
    scene.add("box", Box((0.1, 0.1, 0.1)), transform(np.eye(3), (2, 2, 2)))
    assert not certificate.covers(trajectory, cobot, scene=scene)
    broken = certify(trajectory.slowed(0.5), cobot)
    assert not broken.covers(trajectory.slowed(0.5), cobot), "a proof that does not hold covers nothing"


def test_a_jump_to_another_branch_is_found_where_the_tool_alone_shows_nothing(cobot: Model) -> None:
    """The tool stays where it is, and the arm is another one from one moment to the next."""
    T = tool_pose(cobot, HOME)
    other = next(each.q for each in solve_ik(cobot, T, seed=HOME, every=True).solutions if np.abs(each.q - HOME).max() > 0.5)
    c = np.zeros((2, 6, 6))
    c[0, :, 0], c[1, :, 0] = HOME, other
    certificate = certify(Trajectory(cobot.joints, np.array([0.5, 0.5]), c), cobot)
    jump = next(violation for violation in certificate.violations if violation.kind == "jump")
    assert not certificate and jump.time == 0.5 and "another branch" in str(jump)
