"""Closed forms: every solution, each of them one, on arms of every maker; and at singular poses."""

from pathlib import Path

import numpy as np
import pytest

from armillary.description import read_robot
from armillary.model import Model, build_model, frame_pose, load_model
from armillary.solvers import chain_between, solve_ik
from armillary.solvers.closed_form import closed_form_of
from armillary.spatial import transform_from_xyz_rpy
from tests.solvers.arms import EXTRA, SIX, arm, arm_of, chain_of, error_at, same

MAKERS = [
    "abb/abb_irb2400_support/urdf/irb2400.urdf",
    "abb/abb_irb6640_support/urdf/irb6640_185_280.urdf",
    "kuka_experimental/kuka_kr120_support/urdf/kr120r2500pro.urdf",
    "_expanded_by_ros_xacro/lrmate200id.urdf",
    "urdf_files_dataset/urdf_files/ros-industrial/xacro_generated/fanuc/fanuc_m20ib_support/urdf/m20ib25.urdf",
    "urdf_files_dataset/urdf_files/ros-industrial/xacro_generated/staubli/staubli_tx2_60_support/urdf/tx2_60.urdf",
    "urdf_files_dataset/urdf_files/ros-industrial/staubli/staubli_rx160_support/urdf/rx160.urdf",
]


@pytest.mark.parametrize("name", SIX)
def test_the_generating_configuration_is_always_among_the_solutions(name: str) -> None:
    check_generating(arm(name), 300)


@pytest.mark.parametrize("file", MAKERS)
def test_so_on_the_arms_of_other_makers(file: str, shared_data: Path) -> None:
    check_generating(arm_of(shared_data / "urdf" / file), 100)


def check_generating(model: Model, count: int) -> None:
    chain, rng = chain_of(model), np.random.default_rng(11)
    assert closed_form_of(chain).family
    for _ in range(count):
        q = model.random(rng)
        T = frame_pose(model, q, model.tip)
        result = solve_ik(model, T, seed=model.random(rng))
        assert result.method == "closed_form" and result.complete
        assert any(same(chain, solution, q) for solution in result.found)
        for solution in result.found:
            assert max(error_at(model, solution, T)) < 1e-9
            assert not model.outside(solution)
        for i, one in enumerate(result.found):
            assert not any(same(chain, one, other) for other in result.found[:i])


def test_industrial6_has_eight_for_the_first_command_of_paper_2() -> None:
    model = load_model("industrial6")
    result = solve_ik(model, transform_from_xyz_rpy((0, 1.1744, 1.176), (0, 0, 0)))
    assert len(result.solutions) == 8
    assert len({str(solution.branch) for solution in result.solutions}) == 8
    chain = chain_between(model, "", "tool")
    for expected in [
        (0, -0.209901244, -0.683131666, 0, 0.893032910, 0),
        (0, -1.744322688, -3.053117138, 0, -1.485745480, 0),
        (np.pi, 0.613119955, 2.585399018, np.pi, 0.056926320, 0),
        (np.pi, 1.703910340, -0.038462515, np.pi, -1.476144829, 0),
    ]:
        assert any(same(chain, solution, np.array(expected), 1e-8) for solution in result.found)


@pytest.mark.parametrize("name", SIX)
def test_singular_poses_have_solutions(name: str) -> None:
    """Wrist aligned, elbow straight, both; from the configuration itself and from elsewhere."""
    model, rng = arm(name), np.random.default_rng(5)
    straight = elbow_straight(model)
    for case in range(60):
        q = model.random(rng)
        if case % 3 != 1:
            q[4] = 0.0
        if case % 3 != 0:
            q[2] = straight
        q = np.clip(q, model.lower, model.upper)
        T = frame_pose(model, q, model.tip)
        for seed in (q, model.random(rng)):
            result = solve_ik(model, T, seed=seed)
            assert result.reached, f"{case}: {result}"
            assert np.isfinite(result.q).all() and max(error_at(model, result.q, T)) < 1e-5
            assert not model.outside(result.q)
        # Where solutions form a curve, the one that the robot stands in is the nearest.
        assert solve_ik(model, T, seed=q).q == pytest.approx(q, abs=1e-4)


def elbow_straight(model: Model) -> float:
    """The position of joint 3 at which the wrist is furthest from the shoulder."""
    grid = np.linspace(max(model.lower[2], -np.pi), min(model.upper[2], np.pi), 20001)
    wrist = model.spec.robot.joint(model.joints[4]).child
    shoulder = model.spec.robot.joint(model.joints[1]).child

    def far(value: float) -> float:
        q = model.zero()
        q[2] = value
        q[3] = 0.0
        return float(np.linalg.norm(frame_pose(model, q, wrist)[:3, 3] - frame_pose(model, q, shoulder)[:3, 3]))

    best = grid[int(np.argmax([far(value) for value in grid[::100]])) * 100]
    for width in (1e-1, 1e-3, 1e-5):
        near = np.linspace(best - width, best + width, 201)
        best = near[int(np.argmax([far(value) for value in near]))]
    return float(np.clip(best, model.lower[2], model.upper[2]))


def test_shoulder_over_the_base_has_solutions() -> None:
    """The wrist's centre on axis 1: any turn of joint 1 will do."""
    model, rng = arm("mobile6"), np.random.default_rng(0)
    wrist = model.spec.robot.joint("joint_5").child
    found = 0
    for _ in range(200):
        q = model.random(rng)
        axis = frame_pose(model, q, model.spec.robot.joint("joint_1").child)[:3, 3]
        # Bring the wrist over the base with joint 2 and 3 held: a root of its distance ahead of the axis.
        values = np.linspace(model.lower[2], model.upper[2], 400)
        ahead = []
        for value in values:
            q[2] = value
            gap = frame_pose(model, q, wrist)[:3, 3] - axis
            ahead.append(gap[0] * np.cos(q[0]) + gap[1] * np.sin(q[0]))
        change = np.flatnonzero(np.diff(np.sign(ahead)))
        if not len(change):
            continue
        low, high = values[change[0]], values[change[0] + 1]
        for _ in range(60):
            q[2] = 0.5 * (low + high)
            gap = frame_pose(model, q, wrist)[:3, 3] - axis
            side = gap[0] * np.cos(q[0]) + gap[1] * np.sin(q[0])
            low, high = (q[2], high) if np.sign(side) == np.sign(ahead[change[0]]) else (low, q[2])
        T = frame_pose(model, q, model.tip)
        for seed in (q, model.random(rng)):
            result = solve_ik(model, T, seed=seed)
            assert result.reached and max(error_at(model, result.q, T)) < 1e-5
        found += 1
    assert found > 20


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in EXTRA if name in ("panda", "xarm7")])
def test_seven_joints_fall_through_and_say_so(name: str) -> None:
    model = arm(name)
    result = solve_ik(model, frame_pose(model, model.zero(), model.tip), seed=model.random(np.random.default_rng(0)))
    assert result.method == "numeric" and result.reached
    assert result.notes == ("no closed form: it has 7 joints, not 6",)


def test_a_skew_arm_is_solved_numerically_and_says_so(tmp_path: Path) -> None:
    """An arm whose axes are neither parallel nor crossing."""
    rows = "\n".join(
        f'[[joints]]\nname = "j{i}"\na = {0.11 + 0.03 * i}\nalpha = {0.4 + 0.13 * i}\nd = {0.2 - 0.02 * i}\n'
        f'lower = -3.0\nupper = 3.0\nvelocity = 2.0\n'
        for i in range(6)
    )  # fmt: skip
    file = tmp_path / "skew.toml"
    file.write_text(f'name = "skew"\nconvention = "standard"\n{rows}')
    model = build_model(read_robot(file))
    rng = np.random.default_rng(0)
    for _ in range(50):
        T = frame_pose(model, model.random(rng), model.tip)
        result = solve_ik(model, T, seed=model.random(rng))
        assert result.reached and result.method == "numeric"
        assert result.notes == ("no closed form: its axes are in no arrangement with a closed form",)
    several = solve_ik(model, T, every=True, budget=0.2)
    assert len(several.found) >= 1 and not several.complete
