"""What a browser is told of the robot and its world, and what it draws them with."""

import io
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from urllib.parse import urljoin

import numpy as np
import pytest
import trimesh
from fastapi import FastAPI
from starlette.routing import Mount

from armillary.description.cell import Frame, Plane, Workspace, WorldObject
from armillary.description.geometry import Box, Capsule, Cylinder, Geometry, Material, Mesh, Pose, Shape, Sphere
from armillary.description.library import known_robots
from armillary.description.mesh import load_mesh
from armillary.description.robot import Link, Robot
from armillary.description.urdf import read_urdf_text, write_urdf
from armillary.interfaces.http.drawn_meshes import DrawnMesh, DrawnMeshes
from armillary.interfaces.http.robot_page import RobotPage, drawn_by_shapes, drawn_robot, led_frame, notes_of
from armillary.interfaces.http.roles import Role
from armillary.interfaces.http.routes import ROUTERS
from armillary.interfaces.http.routes import robot as routes
from armillary.model import Model, build_model, frame_pose, load_model
from armillary.runtime import StationSettings
from armillary.runtime.prepared import prepare

from .conftest import Browser

RED = (0.8, 0.1, 0.0, 1.0)
WITH_MESHES = ("ur5", "panda", "g1_29dof_rev_1_0", "tiago")
DRAWN = ("cobot6", "industrial6", "mobile6", "inmoov", "inmoov:right_hand", *WITH_MESHES)


@pytest.fixture
def app(app: FastAPI) -> FastAPI:
    if routes.router not in ROUTERS:
        app.router.routes = [route for route in app.router.routes if not isinstance(route, Mount)]  # without the page
        app.include_router(routes.router, prefix="/api")
    return app


@pytest.fixture
def viewer(app: FastAPI) -> Browser:
    return Browser(app, "Vera", Role.VIEWER)


def model_of(name: str) -> Model:
    source, _, group = name.partition(":")
    if source not in {robot.name for robot in known_robots()}:
        pytest.skip(f"{source} is not installed: pip install armillary[robots]")
    return load_model(source, group=group or None)


def scene_of_glb(data: bytes) -> trimesh.Scene:
    return trimesh.load_scene(io.BytesIO(data), file_type="glb")


def colours(scene: trimesh.Scene) -> list[list[float]]:
    """Base colours of the parts, as glTF has them: linear."""
    return [(np.array(each.visual.material.baseColorFactor) / 255.0).tolist() for each in scene.geometry.values()]


def screen(linear: list[float]) -> list[float]:
    """A linear colour as screens take it."""
    return [12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055 for c in linear[:3]]


# What is told.


def test_the_robot_is_told_with_joints_limits_home_and_states(viewer: Browser, app: FastAPI) -> None:
    said, prepared = viewer.get("/api/robot").json(), app.state.desk.prepared
    assert [joint["name"] for joint in said["joints"]] == list(prepared.model.joints)
    assert [joint["lower"] for joint in said["joints"]] == pytest.approx(prepared.model.lower.tolist())
    assert [joint["velocity"] for joint in said["joints"]] == pytest.approx(prepared.model.velocity.tolist())
    assert {joint["unit"] for joint in said["joints"]} == {"rad"}
    assert said["home"] == pytest.approx(prepared.start.tolist())
    assert [state["name"] for state in said["states"]] == ["home", "zero"]
    assert said["states"][1]["q"] == [0.0] * 6
    assert (said["name"], said["base"], said["tip"], said["tool"], said["driver"]) == (
        "cobot6",
        "base",
        "tool",
        "flange",
        "ideal",
    )
    assert set(said) == {
        "name", "source", "joints", "base", "tip", "tool", "frames", "home", "states", "driver", "assumptions", "notes",
        "by_shapes",
    }  # fmt: skip


def test_joints_that_slide_are_in_metres_and_those_without_limits_have_none(viewer: Browser, app: FastAPI) -> None:
    desk = app.state.desk
    desk.prepared = replace(desk.prepared, model=model_of("mobile6"), description=None)
    joints = {joint["name"]: joint for joint in viewer.get("/api/robot").json()["joints"]}
    model = desk.prepared.model
    free = [name for name, low in zip(model.joints, model.lower, strict=True) if not np.isfinite(low)]
    assert free and all(joints[name]["lower"] is None and joints[name]["upper"] is None for name in free)
    assert {joint["unit"] for joint in joints.values()} == {"rad", "m"}


def test_the_world_is_told_in_full(viewer: Browser, app: FastAPI, tmp_path: Path) -> None:
    desk = app.state.desk
    file = tmp_path / "part.stl"
    trimesh.creation.box(extents=(1.0, 2.0, 3.0)).export(file)
    shapes: dict[str, Shape] = {
        "box": Box((1.0, 2.0, 3.0)), "sphere": Sphere(0.2), "cylinder": Cylinder(0.1, 0.5), "capsule": Capsule(0.1, 0.4),
        "mesh": Mesh("part.stl", str(file), (0.1, 0.1, 0.1)),
    }  # fmt: skip
    things = tuple(WorldObject(name=kind, shape=shape, pose=Pose((1, 2, 3), (0, 0, np.pi / 2))) for kind, shape in shapes.items())
    space = Workspace(box_min=(-1, -1, 0), box_max=(1, 1, 2), planes=(Plane(point=(0, 0, 0), normal=(0, 0, 1)),), tool_speed=0.5)
    frames = (Frame(name="table", parent="base", pose=Pose((0.1, 0.2, 0.3), (0.0, 0.0, 1.0))),)
    desk.prepared = replace(
        desk.prepared, description=replace(desk.prepared.description, world=things, workspace=space, frames=frames)
    )
    said = viewer.get("/api/world").json()
    assert {thing["shape"]: thing["size"] for thing in said["objects"]} == {
        "box": [1, 2, 3], "sphere": [0.2], "cylinder": [0.1, 0.5], "capsule": [0.1, 0.4], "mesh": [1, 1, 1],
    }  # fmt: skip
    assert all(thing["xyz"] == [1, 2, 3] for thing in said["objects"])
    assert said["objects"][0]["quaternion"] == pytest.approx([np.sqrt(0.5), 0, 0, np.sqrt(0.5)])
    assert said["workspace"] == {
        "box_min": [-1, -1, 0], "box_max": [1, 1, 2], "planes": [{"point": [0, 0, 0], "normal": [0, 0, 1]}], "tool_speed": 0.5,
    }  # fmt: skip
    assert said["frames"] == [{"name": "table", "parent": "base", "xyz": [0.1, 0.2, 0.3], "rpy": [0.0, 0.0, 1.0]}]
    model = desk.prepared.model
    assert said["base"]["xyz"] == pytest.approx(frame_pose(model, model.zero(), "base")[:3, 3].tolist())
    mesh = viewer.get(next(thing["mesh"] for thing in said["objects"] if thing["mesh"]))
    assert scene_of_glb(mesh.content).extents == pytest.approx([0.1, 0.2, 0.3])


@pytest.mark.parametrize(
    "path", ["/api/robot", "/api/robot/urdf", "/api/robot/mesh/0.glb", "/api/world", "/api/world/mesh/0.glb"]
)
def test_nobody_is_told_without_logging_in(app: FastAPI, path: str) -> None:
    assert Browser(app).get(path).status_code == 401


# What is drawn.


def test_the_urdf_is_served_with_meshes_that_load_relative_to_it(viewer: Browser, app: FastAPI, tmp_path: Path) -> None:
    trimesh.creation.box().export(tmp_path / "box.stl")
    looks = tuple(
        Geometry(shape, material=Material("paint", rgba))
        for shape, rgba in (
            (Mesh("box.stl", str(tmp_path / "box.stl")), RED), (Mesh("box.stl", str(tmp_path / "box.stl")), (0, 0, 1, 1)),
            (Mesh("box.stl", str(tmp_path / "box.stl"), (2, 2, 2)), RED), (Capsule(0.1, 0.3), RED),
        )
    )  # fmt: skip
    desk = app.state.desk
    model = build_model(Robot("painted", (Link("base", visuals=looks),), ()))
    app.state.robot_page = RobotPage(replace(desk.prepared, model=model))
    answer = viewer.get("/api/robot/urdf")
    assert answer.headers["content-type"].startswith("text/xml")
    names = [element.get("filename") for element in ET.fromstring(answer.text).iter("mesh")]
    assert names == ["mesh/0.glb", "mesh/1.glb", "mesh/0.glb", "mesh/2.glb"], "one file in one colour is one mesh, at any size"
    for name in names:
        mesh = viewer.get(urljoin("/api/robot/urdf", name))
        assert mesh.status_code == 200 and mesh.headers["content-type"] == "model/gltf-binary"
        assert scene_of_glb(mesh.content).geometry
    again = viewer.get("/api/robot/mesh/0.glb", headers={"if-none-match": mesh_tag(viewer)})
    assert again.status_code == 304 and not again.content


def mesh_tag(viewer: Browser) -> str:
    return viewer.get("/api/robot/mesh/0.glb").headers["etag"]


def test_a_mesh_that_is_not_there_is_said(viewer: Browser) -> None:
    answer = viewer.get("/api/robot/mesh/7.glb")
    assert answer.status_code == 404 and "there is no mesh 7" in answer.json()["detail"]


@pytest.mark.parametrize("name", DRAWN)
def test_what_is_drawn_stands_where_the_model_says(name: str) -> None:
    """Links, the tool and the cell's frames alike, wherever the joints are: mimics follow, held joints are held."""
    model = model_of(name)
    model = Model(replace(model.spec, base=Pose((0.1, -0.2, 0.3), (0.4, 0.5, -0.6))))
    text = write_urdf(drawn_robot(model.spec, DrawnMeshes()))
    drawn = read_urdf_text(text).robot
    assert drawn is not None
    rng = np.random.default_rng(1)
    for q in model.random(rng, 5):
        poses = drawn.poses(dict(zip(model.joints, q.tolist(), strict=True)))
        for frame in model.frames:
            assert np.abs(poses[frame] - frame_pose(model, q, frame)).max() < 1e-9, frame


@pytest.mark.parametrize("name", DRAWN)
def test_a_drawing_holds_back_no_joint(name: str) -> None:
    """urdf-loader clamps what has limits; the robot is drawn where it is, outside them too."""
    model = model_of(name)
    for element in ET.fromstring(write_urdf(drawn_robot(model.spec, DrawnMeshes()))).findall("joint"):
        limit = element.find("limit")
        assert element.get("type") in ("continuous", "prismatic", "fixed")
        assert (limit is not None) == (element.get("type") == "prismatic")
        assert limit is None or float(limit.get("upper", "0")) >= 1000.0


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_MESHES)
def test_every_mesh_of_a_robot_is_a_glb_of_the_same_size(name: str) -> None:
    model, meshes = model_of(name), DrawnMeshes()
    drawn_robot(model.spec, meshes)
    looks = [each for link in model.spec.robot.links for each in link.visuals if isinstance(each.shape, Mesh)]
    assert len(meshes) > 0
    for look in looks:
        shape = look.shape
        assert isinstance(shape, Mesh) and shape.path is not None
        number = meshes.number(DrawnMesh(replace(shape, scale=(1.0, 1.0, 1.0)), look.material.rgba if look.material else None))
        scene = scene_of_glb(meshes.glb(number).data)
        assert np.abs(scene.bounds - load_mesh(shape.path).bounds).max() < 1e-6, shape.filename


# Meshes one by one.


def test_what_has_no_colour_gets_the_descriptions(tmp_path: Path) -> None:
    trimesh.creation.box().export(tmp_path / "box.stl")
    meshes = DrawnMeshes()
    red = meshes.number(DrawnMesh(Mesh("box.stl", str(tmp_path / "box.stl")), RED))
    plain = meshes.number(DrawnMesh(Mesh("box.stl", str(tmp_path / "box.stl"))))
    assert screen(colours(scene_of_glb(meshes.glb(red).data))[0]) == pytest.approx(RED[:3], abs=0.03)
    assert screen(colours(scene_of_glb(meshes.glb(plain).data))[0]) == pytest.approx([0.75, 0.76, 0.78], abs=0.03)


def test_a_file_keeps_its_own_colours(tmp_path: Path) -> None:
    (tmp_path / "own.mtl").write_text("newmtl blue\nKd 0.1 0.2 0.9\n")
    (tmp_path / "own.obj").write_text("mtllib own.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl blue\nf 1 2 3\n")
    meshes = DrawnMeshes()
    number = meshes.number(DrawnMesh(Mesh("own.obj", str(tmp_path / "own.obj")), RED))
    assert screen(colours(scene_of_glb(meshes.glb(number).data))[0]) == pytest.approx([0.1, 0.2, 0.9], abs=0.03)


def test_a_collada_file_is_drawn_in_its_own_unit(tmp_path: Path) -> None:
    text = trimesh.exchange.dae.export_collada(trimesh.creation.box(extents=(100.0, 200.0, 300.0))).decode()
    assert text.count("</asset>") == 1
    (tmp_path / "box.dae").write_text(text.replace("<up_axis>", '<unit name="millimeter" meter="0.001"/><up_axis>', 1))
    meshes = DrawnMeshes()
    number = meshes.number(DrawnMesh(Mesh("box.dae", str(tmp_path / "box.dae"))))
    assert scene_of_glb(meshes.glb(number).data).extents == pytest.approx([0.1, 0.2, 0.3])


def test_a_capsule_is_centred_on_its_frame() -> None:
    meshes = DrawnMeshes()
    scene = scene_of_glb(meshes.glb(meshes.number(DrawnMesh(Capsule(0.1, 0.4), RED))).data)
    assert scene.bounds[:, 2] == pytest.approx([-0.3, 0.3], abs=1e-6)
    assert scene.bounds[:, 0] == pytest.approx([-0.1, 0.1], abs=2e-3)


def test_the_same_content_is_converted_once(tmp_path: Path) -> None:
    for name in ("one.stl", "two.stl"):
        trimesh.creation.box().export(tmp_path / name)
    meshes = DrawnMeshes()
    one, two = (meshes.number(DrawnMesh(Mesh(name, str(tmp_path / name)))) for name in ("one.stl", "two.stl"))
    assert one != two and meshes.glb(one) is meshes.glb(two) is meshes.glb(one)


def test_a_broken_mesh_is_an_error_that_names_it(viewer: Browser, app: FastAPI, tmp_path: Path) -> None:
    (tmp_path / "broken.stl").write_text("nothing")
    look = Geometry(Mesh("broken.stl", str(tmp_path / "broken.stl")))
    model = build_model(Robot("broken", (Link("base", visuals=(look,)),), ()))
    app.state.robot_page = RobotPage(replace(app.state.desk.prepared, model=model))
    answer = viewer.get("/api/robot/mesh/0.glb")
    assert answer.status_code == 409 and "broken.stl" in answer.json()["detail"]


def test_a_robot_without_looks_is_drawn_by_what_it_collides_with() -> None:
    robot = Robot("plain", (Link("base", collisions=(Geometry(Box((1.0, 1.0, 1.0))),)),), ())
    assert drawn_robot(build_model(robot).spec, DrawnMeshes()).links[0].visuals[0].shape == Box((1.0, 1.0, 1.0))


def test_a_mesh_that_was_not_found_is_not_drawn_and_noted(app: FastAPI) -> None:
    prepared = app.state.desk.prepared
    first, *others = prepared.model.spec.robot.links
    first = replace(first, visuals=(Geometry(Mesh("gone.stl", None)),))
    model = Model(replace(prepared.model.spec, robot=replace(prepared.model.spec.robot, links=(first, *others))))
    page = RobotPage(replace(prepared, model=model))
    assert len(page.meshes) == 0 and "gone.stl" not in page.urdf
    assert any(first.name in note and "was not found" in note for note in notes_of(page.prepared))


@pytest.mark.slow
def test_a_hand_leads_no_tool_and_says_so() -> None:
    hand = prepare(StationSettings(source="inmoov", group="right_hand"))
    assert led_frame(hand) == ""
    assert any("lead no tool" in note for note in notes_of(hand))


def test_a_robot_whose_looks_were_not_found_is_drawn_by_its_collision_shapes() -> None:
    lost = Geometry(Mesh("package://nowhere/link.dae", None, (1.0, 1.0, 1.0)))
    bare = Link("base", visuals=(lost,), collisions=(Geometry(Box((1.0, 1.0, 1.0))),))
    seen = Link("base", visuals=(lost, Geometry(Sphere(0.1))), collisions=bare.collisions)
    assert drawn_by_shapes(Robot("bare", (bare,), ())) and drawn_by_shapes(Robot("plain", (replace(bare, visuals=()),), ()))
    assert not drawn_by_shapes(Robot("seen", (seen,), ()))
    (link,) = drawn_robot(build_model(Robot("bare", (bare,), ())).spec, DrawnMeshes()).links
    assert [each.shape for each in link.visuals] == [Box((1.0, 1.0, 1.0))]


def test_it_is_told_whether_a_robot_is_drawn_by_its_shapes(viewer: Browser) -> None:
    assert viewer.get("/api/robot").json()["by_shapes"] is False
