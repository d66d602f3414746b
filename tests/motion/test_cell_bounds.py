"""What a cell says holds for every motion in it: workspace, tool speed, motors, world."""

from pathlib import Path

import numpy as np
import pytest

from armillary.description import CellDescription, open_cell
from armillary.description.source import find_source
from armillary.model import Model, cell_model, load_model
from armillary.motion import (
    BadMotion,
    Bounds,
    NoMotion,
    State,
    bounds_of,
    jerk_limited_to,
    limits_of,
    plan_joints,
    plan_spline,
    retarget,
    scene_of,
)

HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
GOAL = HOME + np.array([0.8, -0.3, 0.4, 0.0, 0.3, 0.5])


def cell_with(tmp_path: Path, text: str) -> tuple[Model, CellDescription]:
    """The cobot in a cell with more lines."""
    urdf = find_source("cobot6")
    path = tmp_path / "cell.toml"
    path.write_text(f'version = 1\nname = "test"\n[robot]\nfile = "{urdf}"\n{text}')
    fitted = open_cell(path)
    return cell_model(fitted), fitted.cell


def test_the_tools_speed_is_kept_by_moves_of_the_joints(tmp_path: Path) -> None:
    model, cell = cell_with(tmp_path, "[workspace]\ntool_speed = 0.1\n")
    bounds = bounds_of(cell, model)
    plan = plan_joints(model, HOME, GOAL, bounds=bounds)
    assert plan and 0.9 < plan.certificate.use["tool speed"] <= 1.0
    quintic = plan_joints(model, HOME, GOAL, profile="quintic", bounds=bounds)
    assert quintic and "the tool may move at 0.1 m/s at most" in quintic.notes[0]
    assert plan.trajectory.duration < quintic.trajectory.duration, "slow only where it must be"
    curve = plan_spline(model, [HOME, 0.5 * (HOME + GOAL) + 0.05, GOAL], bounds=bounds)
    assert curve and 0.9 < curve.certificate.use["tool speed"] <= 1.0


def test_box_and_planes(tmp_path: Path) -> None:
    model, cell = cell_with(
        tmp_path,
        "[workspace]\nbox_min = [-5, -5, -5]\nbox_max = [0.3, 5.0, 5.0]\n"
        "[[workspace.planes]]\npoint = [0, 0, 5]\nnormal = [0, 0, -1]\n",
    )
    plan = plan_joints(model, HOME, GOAL, bounds=bounds_of(cell, model))
    assert not plan and [violation.kind for violation in plan.certificate.violations] == ["workspace"]
    assert "upper x" in str(plan.certificate)


def test_a_shared_motor_slows_the_whole(tmp_path: Path) -> None:
    model, cell = cell_with(
        tmp_path,
        '[actuation]\njoints = ["joint_2", "joint_3"]\ncoupling = [[1, 0], [1, 1]]\ncounts_per_unit = [1000, 1000]\n'
        "motor_speed = [5000, 500]\nmotor_acceleration = [50000, 4000]\n",
    )
    bounds = bounds_of(cell, model)
    goal = HOME + np.array([0.0, 0.5, 0.5, 0.0, 0.0, 0.0])
    free, plan = plan_joints(model, HOME, goal), plan_joints(model, HOME, goal, bounds=bounds)
    assert plan and plan.trajectory.duration > free.trajectory.duration
    assert "motor 2 can do no more" in plan.notes[0]
    assert max(plan.certificate.use["motor speed"], plan.certificate.use["motor acceleration"]) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("line", ["motor_speed = [1]", "motor_speed = [1, -2]", "motor_acceleration = [0, 1]"])
def test_motor_limits_that_are_none_are_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(Exception, match="numbers above zero"):
        cell_with(tmp_path, f'[actuation]\njoints = ["joint_2", "joint_3"]\n{line}\n')


def test_what_stands_in_the_cell_is_seen(tmp_path: Path) -> None:
    model, cell = cell_with(tmp_path, '[[world]]\nname = "wall"\nshape = "box"\nsize = [0.05, 2, 3]\nxyz = [0.5, 0.0, 1.0]\n')
    plan = plan_joints(model, HOME - np.array([1.9, 0, 0, 0, 0, 0]), HOME, bounds=Bounds(scene=scene_of(cell, model)))
    assert not plan and "wall" in str(plan.certificate)


class TestRetarget:
    model = load_model("cobot6")

    def test_from_the_middle_of_a_motion_to_another_goal(self) -> None:
        """Position, velocity and acceleration go on; the limits hold; it ends at rest where it was sent."""
        first = plan_joints(self.model, HOME, GOAL).trajectory
        rng = np.random.default_rng(0)
        for time in rng.uniform(0.0, first.duration, 20):
            state = first.at(float(time))
            goal = HOME + rng.uniform(-0.5, 0.5, 6)
            plan = retarget(self.model, state, goal)
            assert plan, str(plan.certificate)
            start = plan.trajectory.start
            assert start.q == pytest.approx(state.q, abs=1e-12) and start.v == pytest.approx(state.v, abs=1e-12)
            assert start.a == pytest.approx(state.a, abs=1e-12)
            assert plan.trajectory.end.q == pytest.approx(goal, abs=1e-7)

    def test_what_cannot_be_is_refused(self) -> None:
        zero = np.zeros(6)
        with pytest.raises(NoMotion, match="outside its limits"):
            retarget(self.model, State(HOME, zero, zero, zero), HOME + 20.0)
        with pytest.raises(BadMotion):
            jerk_limited_to(limits_of(self.model), State(HOME, zero + np.nan, zero, zero), GOAL)
