"""cell.toml: typed, strict, and fitted to its robot."""

from collections.abc import Callable
from math import pi
from pathlib import Path

import pytest

from armillary.description import InvalidCell, known_robots, open_cell, read_cell
from armillary.description.geometry import Box, Cylinder

from ..conftest import ARM

Write = Callable[..., Path]

CELL = """version = 1
name = "demo"

[robot]
file = "robot.urdf"

[groups.arm]
joints = ["shoulder"]
base = "base"
tip = "upper"

[states.home]
group = "arm"
q_deg = [90.0]

[tool]
name = "gripper"
xyz_mm = [0.0, 0.0, 100.0]
rpy_deg = [0.0, 90.0, 0.0]
mass = 0.8
com = [0.0, 0.0, 0.05]
inertia = [0.001, 0.0, 0.0, 0.001, 0.0, 0.001]

[payload]
mass = 2.0

[base]
xyz = [1.0, 2.0, 0.0]

[frames.table]
parent = "world"
xyz = [0.5, 0.0, 0.7]

[limits.shoulder]
lower_deg = -90.0
upper = 1.8
velocity = 1.0
acceleration = 3.0

[actuation]
joints = ["shoulder"]
counts_per_deg = [100.0]

[workspace]
tool_speed = 0.25
box_min = [-1.0, -1.0, 0.0]
box_max = [1.0, 1.0, 2.0]
[[workspace.planes]]
point = [0.0, 0.0, 0.0]
normal = [0.0, 0.0, 2.0]

[driver]
name = "ideal"
[driver.options]
rate = 500

[[world]]
name = "table"
shape = "box"
size = [1.0, 0.5, 0.05]
xyz = [0.5, 0.0, 0.7]
[[world]]
shape = "cylinder"
radius_mm = 50.0
length = 0.4

[collision]
ignore = [["base", "upper"], ["upper", "table"]]
"""


def test_a_whole_cell_is_read_in_si_units(write: Write) -> None:
    write(ARM)
    fitted = open_cell(write(CELL, "cell.toml"))
    cell = fitted.cell
    assert cell.states[0].q == pytest.approx((pi / 2,))
    assert cell.tool.pose.xyz == (0.0, 0.0, 0.1)
    assert cell.tool.pose.rpy == pytest.approx((0.0, pi / 2, 0.0))
    assert (cell.tool.mass.mass, cell.payload.mass) == (0.8, 2.0)
    assert cell.base.xyz == (1.0, 2.0, 0.0)
    assert cell.frames[0].parent == "world"
    (limit,) = fitted.limits
    assert limit.lower == pytest.approx(-pi / 2)
    assert (limit.upper, limit.velocity, limit.acceleration, limit.jerk, limit.effort) == (1.8, 1.0, 3.0, 30.0, 50.0)
    assert limit.defaulted == ("jerk",)
    assert cell.actuation is not None
    assert cell.actuation.counts_per_unit == pytest.approx((100 * 180 / pi,))
    assert cell.actuation.coupling == ((1.0,),)
    assert cell.workspace.planes[0].normal == (0.0, 0.0, 1.0)
    assert cell.driver.options == (("rate", 500),)
    assert [type(thing.shape) for thing in cell.world] == [Box, Cylinder]
    assert cell.world[1].name == "object_2"
    assert cell.ignored_pairs == (("base", "upper"), ("upper", "table"))
    assert [problem.kind.name for problem in fitted.problems] == ["default-limits"]


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("version = 1\n", "", None, "write version = 1"),
        ("version = 1\n", "version = 2\n", 1, "reads version 1"),
        ("[robot]\n", "[robot]\nfiel = 3\n", 5, "the nearest known is 'file'"),
        ("tool_speed", "tool_sped", 45, "the nearest known is 'tool_speed'"),
        ("[groups.arm]", "[group.arm]", 7, "the nearest known is 'groups'"),
        ('file = "robot.urdf"', "", 4, "exactly one of file and name"),
        ('joints = ["shoulder"]\nbase', 'joints = ["sholder"]\nbase', 8, "nearest first, it has: shoulder"),
        ('joints = ["shoulder"]\nbase', 'joints = "shoulder"\nbase', 8, "not a list of names"),
        ('tip = "upper"', 'tip = "uper"', 10, "nearest first, it has: upper"),
        ("q_deg = [90.0]", "q_deg = [90.0, 1.0]", 14, "2 values for the 1 joints"),
        ("q_deg = [90.0]", "q_deg = [170.0]", 14, "outside"),
        ("mass = 0.8", "mass = -0.8", 20, "below 0"),
        ("inertia = [0.001", "inertia = [1.0", 22, "no body has these moments"),
        ("xyz = [1.0, 2.0, 0.0]", "xyz = [1.0, 2.0]", 28, "2 numbers where 3 are needed"),
        ('parent = "world"', 'parent = "wold"', 31, "nearest first, it has: world"),
        ("[limits.shoulder]", "[limits.elbow]", 34, "no joint 'elbow'"),
        ("lower_deg = -90.0", "lower_deg = -900.0", 35, "a cell narrows limits"),
        ("velocity = 1.0", "velocity = 100.0", 37, "above the robot's own 1.5"),
        ("velocity = 1.0", "velocity = 0.0", 37, "not above 0"),
        ("acceleration = 3.0", "acceleration = inf", 38, "not a finite number"),
        ("counts_per_deg = [100.0]", "counts_per_deg = [100.0, 2.0]", None, "2 values for 1 joints"),
        ("counts_per_deg = [100.0]", "counts_per_deg = [0.0]", None, "moves nothing"),
        ("box_min = [-1.0", "box_min = [3.0", 46, "not below box_max"),
        ("normal = [0.0, 0.0, 2.0]", "normal = [0.0, 0.0, 0.0]", None, "length 0"),
        ("size = [1.0, 0.5, 0.05]", "size = [1.0, 0.5, 0.0]", None, "three edges above 0"),
        ('shape = "box"', 'shape = "bax"', None, "nearest first: box"),
        ('["upper", "table"]', '["upper", "chair"]', None, "no link 'chair'"),
        ("version = 1", "version = = 1", 1, "not TOML"),
    ],
)
def test_a_mistake_is_refused_with_file_line_and_the_nearest_name(
    old: str, new: str, line: int | None, said: str, write: Write
) -> None:
    assert old in CELL
    write(ARM)
    path = write(CELL.replace(old, new, 1), "cell.toml")
    with pytest.raises(InvalidCell) as caught:
        open_cell(path)
    assert said in str(caught.value)
    if line is not None:
        assert caught.value.line == line
    assert str(path) in str(caught.value)


def test_a_joint_that_follows_another_cannot_be_in_a_group(write: Write) -> None:
    mimic = """<link name="f"/><joint name="finger" type="revolute"><parent link="upper"/><child link="f"/>
    <axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="1" velocity="1"/><mimic joint="shoulder"/></joint></robot>"""
    write(ARM.replace("</robot>", mimic))
    path = write(CELL.replace('joints = ["shoulder"]\nbase', 'joints = ["shoulder", "finger"]\nbase'), "cell.toml")
    with pytest.raises(InvalidCell, match="it mimics 'shoulder'"):
        open_cell(path)


@pytest.mark.parametrize("name", [robot.name for robot in known_robots() if robot.source == "bundled"])
def test_every_bundled_robot_has_a_cell_that_fits_and_a_home(name: str) -> None:
    fitted = open_cell(name)
    assert fitted.cell.name == name
    assert any(state.name.startswith("home") for state in fitted.cell.states)
    assert not [problem for problem in fitted.problems if problem.is_error]


def test_a_cell_is_read_without_its_robot(write: Write) -> None:
    assert read_cell(write(CELL, "cell.toml")).groups[0].joints == ("shoulder",)
