"""Letters of G-code that are joints of their own: a turntable beside an arm."""

from pathlib import Path

import numpy as np
import pytest

from armillary.cell import surroundings_of
from armillary.cell.surroundings import options_for
from armillary.model import frame_pose, load_model
from armillary.motion import BadMotion, Bounds, limits_of
from armillary.programs import BadProgram, MoveLine, MovePose
from armillary.programs.gcode.language import GCODE
from armillary.runtime.command_planning import CommandPlanner
from armillary.runtime.prepared import description_of

AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}
JOINTS = [("one", "base", "z", 0.0), ("two", "l1", "y", 0.3), ("three", "l2", "y", 0.4), ("four", "l3", "z", 0.2),
          ("five", "l4", "y", 0.2), ("six", "l5", "z", 0.1)]  # fmt: skip


def joint(name: str, parent: str, child: str, axis: str, xyz: str, kind: str = "revolute") -> str:
    return (
        f'<link name="{child}"><inertial><mass value="1"/>'
        '<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>'
        f'</link><joint name="{name}" type="{kind}"><origin xyz="{xyz}"/><parent link="{parent}"/><child link="{child}"/>'
        f'<axis xyz="{axis}"/><limit lower="-6" upper="6" effort="100" velocity="2"/></joint>'
    )


@pytest.fixture
def cell(tmp_path: Path) -> Path:
    arm = "".join(joint(name, parent, f"l{k}", AXES[axis], f"0 0 {z}") for k, (name, parent, axis, z) in enumerate(JOINTS, 1))
    table = joint("table", "base", "plate", AXES["z"], "0.8 0 0") + joint(
        "slide", "base", "sled", AXES["x"], "0 2 0", "prismatic"
    )
    (tmp_path / "arm.urdf").write_text(f'<robot name="arm"><link name="base"/>{arm}{table}</robot>')
    names = ", ".join(f'"{name}"' for name, *_ in JOINTS)
    (tmp_path / "cell.toml").write_text(
        f'version = 1\n[robot]\nfile = "arm.urdf"\n[groups.all]\njoints = [{names}, "table", "slide"]\ntip = "l6"\n'
        '[gcode]\naxes = { A = "table", U = "slide" }\n'
    )
    return tmp_path / "cell.toml"


def test_a_turntable_and_a_slide_go_evenly_beside_the_tool(cell: Path) -> None:
    model = load_model(cell)
    start = model.zero()
    start[[1, 2, 4]] = 0.5, 0.9, 0.6
    around = surroundings_of(model, start=start)
    planner = CommandPlanner(model, limits_of(model), Bounds())
    program = "G21 G91 F3000\nG1 Z-20 A90 U50\nF600 G1 A-45\nM2\n"
    first, second, *_ = list(GCODE.run(program, around, options_for(description_of(str(cell)), GCODE)))
    assert isinstance(first, MoveLine) and dict(first.extra) == pytest.approx({"table": np.pi / 2, "slide": 0.05})
    assert first.rpy_from is None, "A is no angle of the tool here"
    plan = planner.plan(first, start)
    assert plan, plan.certificate
    end = plan.trajectory.end.q
    assert end[model.column("table")] == pytest.approx(np.pi / 2) and end[model.column("slide")] == pytest.approx(0.05)
    moved = frame_pose(model, end, "l6") - frame_pose(model, start, "l6")
    assert moved[:3, 3] == pytest.approx([0, 0, -0.02], abs=1e-6) and np.abs(moved[:3, :3]).max() < 1e-6
    for t in np.linspace(0.0, plan.trajectory.duration, 9):
        q = plan.trajectory.at(float(t)).q
        gone = (frame_pose(model, q, "l6")[2, 3] - frame_pose(model, start, "l6")[2, 3]) / -0.02
        assert q[model.column("table")] == pytest.approx(gone * np.pi / 2, abs=1e-4), "in step with the tool"
    alone = planner.plan(second, end)  # type: ignore[arg-type]
    assert alone.trajectory.end.q[model.column("table")] == pytest.approx(np.pi / 4)
    assert alone.trajectory.duration == pytest.approx(4.5, rel=0.01), "45 degrees at 600 degrees a minute"


def test_by_joints_to_a_pose_and_a_place_of_the_table(cell: Path) -> None:
    model = load_model(cell)
    start = model.zero()
    start[[1, 2, 4]] = 0.5, 0.9, 0.6
    program = "G21 G91\nG0 Z-20 A90\nM2\n"
    first = next(iter(GCODE.run(program, surroundings_of(model, start=start), options_for(description_of(str(cell)), GCODE))))
    assert isinstance(first, MovePose)
    end = CommandPlanner(model, limits_of(model), Bounds()).plan(first, start).trajectory.end.q
    assert end[model.column("table")] == pytest.approx(np.pi / 2)
    assert frame_pose(model, end, "l6")[2, 3] == pytest.approx(frame_pose(model, start, "l6")[2, 3] - 0.02, abs=1e-5)


def test_a_joint_that_carries_the_tool_or_is_not_there_is_refused(cell: Path) -> None:
    model = load_model(cell)
    planner = CommandPlanner(model, limits_of(model), Bounds())
    start = model.zero()
    start[[1, 2, 4]] = 0.5, 0.9, 0.6
    here = frame_pose(model, start, "l6")
    x, y, z = here[:3, 3]
    with pytest.raises(BadMotion, match="carries the tool"):
        planner.plan(MoveLine(xyz=(x, y, z), rpy=(0, 0, 0), relative="", extra=(("two", 0.1),), speed=0.1), start)
    with pytest.raises(BadProgram, match="'wheel'"):
        GCODE.run("G0 A1", surroundings_of(model, start=start), {"axes": (("A", "wheel"),)})
