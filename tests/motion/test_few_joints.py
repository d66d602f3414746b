"""Arms of fewer than six joints along paths of the tool: what they can hold is held, and what they cannot is said."""

from pathlib import Path

import numpy as np
import pytest

from armillary.model import Model, Scene, load_model
from armillary.motion import Bounds, LookAhead, Segment, line, plan_joints, plan_tool, tool_pose
from armillary.solvers import Hold, Jog, chain_between
from armillary.spatial import rotation_from_rpy, rotation_vector

SCARA = """\
name = "scara"
convention = "standard"
[[joints]]
a_mm = 250
d_mm = 300
lower_deg = -140
upper_deg = 140
velocity = 4.0
[[joints]]
a_mm = 200
alpha_deg = 180
lower_deg = -150
upper_deg = 150
velocity = 5.0
[[joints]]
type = "prismatic"
lower_mm = 0
upper_mm = 180
velocity = 0.8
[[joints]]
lower_deg = -360
upper_deg = 360
velocity = 10
"""

STARTS = np.array([0.35, 1.05, 0.05, 0.17])


@pytest.fixture(scope="module")
def scara(tmp_path_factory: pytest.TempPathFactory) -> Model:
    path: Path = tmp_path_factory.mktemp("scara") / "scara.toml"
    path.write_text(SCARA)
    return load_model(path)


def turned(model: Model, q: np.ndarray, by: float) -> np.ndarray:
    """The tool's pose at q, moved a little and turned about the world's z."""
    T = tool_pose(model, q).copy()
    T[:3, 3] += (0.02, -0.05, 0.01)
    T[:3, :3] = rotation_from_rpy([0.0, 0.0, by]) @ T[:3, :3]
    return T


def off(model: Model, q: np.ndarray, T: np.ndarray) -> tuple[float, float]:
    """How far the tool is from a pose: m, rad."""
    here = tool_pose(model, q)
    return float(np.linalg.norm(here[:3, 3] - T[:3, 3])), float(np.linalg.norm(rotation_vector(here[:3, :3].T @ T[:3, :3])))


def test_a_scara_turns_its_tool_along_a_line(scara: Model) -> None:
    goal = turned(scara, STARTS, 0.6)
    path = line(tool_pose(scara, STARTS), goal)
    plan = plan_tool(scara, STARTS, path, feed=0.2)
    assert plan and not any("held" in note for note in plan.notes)
    ahead = LookAhead(scara, STARTS)
    assert ahead.add([Segment(path)]) == []
    for motion in (plan.trajectory, ahead.all().trajectory):
        assert off(scara, motion.end.q, goal) == pytest.approx((0.0, 0.0), abs=1e-5)
        middle = path.at([0.5 * path.length]).T[0]
        nearest = min(off(scara, q, middle) for q in motion.sample(np.linspace(0.0, motion.duration, 400))[:, 0])
        assert nearest[0] < 1e-3 and nearest[1] < 2e-2, "all along, not only at the end"


def test_a_scara_is_jogged_about_its_tool(scara: Model) -> None:
    jog, q = Jog(scara), STARTS.copy()
    for _ in range(300):
        q = q + 0.001 * jog.step(q, [0.0, 0.0, 0.0, 0.0, 0.0, 0.3]).dq
    moved, angle = off(scara, q, tool_pose(scara, STARTS))
    assert moved < 1e-3 and angle > 0.05


def test_what_an_arm_can_hold_is_told_by_how_it_is_built(scara: Model) -> None:
    for model in (scara, load_model("cobot6")):
        assert chain_between(model, "", model.tip).holds == Hold.pose()


def test_what_is_not_held_and_not_checked_is_said(tmp_path: Path) -> None:
    """Four joints that turn about crossing axes hold a position; and a table has no shapes."""
    row = "[[joints]]\na_mm = {}\nalpha_deg = {}\nlower_deg = -170\nupper_deg = 170\nvelocity = 2\n"
    joints = "".join(row.format(*each) for each in ((0, 90), (300, 0), (250, 0), (100, 0)))
    (tmp_path / "arm.toml").write_text(f'name = "arm"\nconvention = "standard"\n{joints}')
    model = load_model(tmp_path / "arm.toml")
    q = np.array([0.2, 0.7, -1.0, 0.4])
    assert chain_between(model, "", model.tip).holds == Hold.position()
    bounds = Bounds(scene=Scene(model))
    path = line(tool_pose(model, q), turned(model, q, 0.3))
    ahead = LookAhead(model, q)
    assert ahead.add([Segment(path)]) == []
    for plan in (plan_tool(model, q, path, bounds=bounds), ahead.all(bounds)):
        assert plan and plan.certificate.clearance is None
        assert any("only position is held" in note for note in plan.notes)
        assert any("collisions are not checked: no link has a collision shape" in note for note in plan.notes)
        assert not any("proven looks" in each for each in plan.certificate.checked)
    plan = plan_joints(load_model("cobot6"), np.zeros(6), np.full(6, 0.1), bounds=Bounds(scene=Scene(load_model("cobot6"))))
    assert plan.certificate.clearance is not None and not plan.notes
