"""Writing a robot and reading that again gives the same robot."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armillary.description import (
    Box,
    Capsule,
    Cylinder,
    Geometry,
    Inertial,
    Joint,
    JointType,
    Limits,
    Link,
    Material,
    Mesh,
    Mimic,
    Pose,
    Robot,
    Sphere,
    known_robots,
    read_robot,
    read_urdf_text,
    write_srdf,
    write_urdf,
)
from armillary.description.library import extra_robots_folder

from .test_urdf_reading import WHOLE

number = st.floats(-100, 100, allow_nan=False).filter(lambda v: v == 0 or abs(v) > 1e-200)
size = st.floats(1e-3, 10)
vector = st.tuples(number, number, number)
pose = st.builds(Pose, vector, vector)
shape = st.one_of(
    st.builds(Box, st.tuples(size, size, size)),
    st.builds(Cylinder, size, size),
    st.builds(Capsule, size, size),
    st.builds(Sphere, size),
    st.builds(Mesh, st.just("package://p/part.stl"), st.none(), st.tuples(size, size, size)),
)
name = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=8).filter(str.strip)
colour = st.tuples(*[st.floats(0, 1)] * 4)


@st.composite
def robots(draw: st.DrawFn) -> Robot:
    """Random trees with random joints, shapes and masses."""
    names = draw(st.lists(name, min_size=1, max_size=6, unique=True))
    material = draw(st.one_of(st.none(), st.builds(Material, st.just("m"), colour)))
    links = []
    for link in names:
        moment = draw(st.floats(0.01, 10))
        inertial = Inertial(draw(size), draw(pose), (moment, 0.0, 0.0, moment, 0.0, moment))
        geometries = tuple(Geometry(s, draw(pose), "", material) for s in draw(st.lists(shape, max_size=2)))
        links.append(Link(link, inertial, geometries, geometries))
    joints: list[Joint] = []
    for index in range(1, len(names)):
        kind = draw(st.sampled_from(JointType))
        lower, upper = sorted(draw(st.tuples(number, number)))
        limits = Limits(lower, upper, draw(size), draw(size))
        if kind in (JointType.CONTINUOUS, JointType.PLANAR, JointType.FLOATING):
            limits = Limits(None, None, draw(size), draw(size))
        axis = draw(st.sampled_from([(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.6, 0.8)]))
        free = [j.name for j in joints if j.type.is_single and j.mimic is None]
        mimic = None
        if kind.is_single and free and draw(st.booleans()):
            mimic = Mimic(draw(st.sampled_from(free)), draw(number), draw(number))
        bare = kind in (JointType.FIXED, JointType.FLOATING)
        joints.append(
            Joint(
                f"j{index}", kind, names[draw(st.integers(0, index - 1))], names[index], draw(pose),
                (1.0, 0.0, 0.0) if bare else axis, None if kind is JointType.FIXED else limits, mimic,
            )
        )  # fmt: skip
    used = any(link.visuals for link in links) and material is not None
    return Robot(draw(name).strip(), tuple(links), tuple(joints), (material,) if used and material else ())


@given(robot=robots())
def test_any_robot_is_read_back_as_it_was_written(robot: Robot) -> None:
    again = read_urdf_text(write_urdf(robot)).unwrap()
    assert again == robot


def test_everything_urdf_can_say_is_written_back() -> None:
    robot = read_urdf_text(WHOLE).unwrap()
    assert read_urdf_text(write_urdf(robot)).unwrap() == robot


@pytest.mark.parametrize("robot", [r.name for r in known_robots() if r.source == "bundled"])
def test_bundled_robots_are_read_back_as_they_were_written(robot: str, tmp_path: Path) -> None:
    read = read_robot(robot)
    path = tmp_path / "out.urdf"
    path.write_text(write_urdf(read, folder=tmp_path))
    assert read_robot(path) == read


def test_meshes_are_still_found_from_another_folder(tmp_path: Path, write: Callable[..., Path]) -> None:
    write(b"solid", "there/mesh.stl")
    text = WHOLE.replace("meshes/part.stl", "mesh.stl")
    robot = read_robot(write(text, "there/robot.urdf"))
    out = tmp_path / "here" / "robot.urdf"
    out.parent.mkdir()
    out.write_text(write_urdf(robot, folder=out.parent))
    assert read_robot(out) == robot


def test_groups_and_states_are_written_as_srdf(tmp_path: Path) -> None:
    if extra_robots_folder() is None:
        pytest.skip("the extra 'robots' is not installed")
    robot = read_robot("panda")
    assert robot.semantics.groups and robot.semantics.states and robot.semantics.disabled_collisions
    out = tmp_path / "again.srdf"
    out.write_text(write_srdf(robot))
    assert read_robot("panda", srdf=out).semantics == robot.semantics


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('<material name="blue">', '<material name=" ">'),
        ('type="pr2/WristTransmission"', 'type=" "'),
        ('name="v1"', 'name=" "'),
        ('<gazebo reference="a">', '<gazebo reference="&lt;&quot;&#10;">'),
    ],
    ids=["blank material", "blank transmission type", "blank visual name", "quoted extension"],
)
def test_what_the_fuzzer_found_is_written_back(old: str, new: str) -> None:
    assert old in WHOLE
    reading = read_urdf_text(WHOLE.replace(old, new))
    if reading.robot is not None:
        assert read_urdf_text(write_urdf(reading.robot)).unwrap() == reading.robot
    else:
        assert [problem.kind.name for problem in reading.problems if problem.is_error] == ["transmission-type"]
