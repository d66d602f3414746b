"""Collision: symmetric, monotone, never missed by hulls; obstacles come, move, go and are carried."""

from pathlib import Path

import numpy as np
import pytest
import trimesh
from numpy.typing import NDArray

from armillary.description import Box, Capsule, Cylinder, Geometry, Joint, JointType, Limits, Link, Mesh, Robot, Sphere
from armillary.model import (
    BadConfiguration,
    CollisionError,
    PairSearch,
    Scene,
    UnknownFrame,
    UnknownObstacle,
    build_model,
    frame_pose,
    load_model,
)
from armillary.model.shapes import hull_shape, mesh_triangles
from armillary.spatial import inverse, transform

from .robots import ALL, NAMES, configurations, model_of

Array = NDArray[np.float64]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARMILLARY_CACHE", str(tmp_path / "cache"))


def at(x: float, y: float, z: float) -> Array:
    return transform(np.eye(3), (x, y, z))


@pytest.mark.parametrize("name", ALL)
def test_collision_grows_with_inflation_and_agrees_with_contacts_and_distance(name: str) -> None:
    model = model_of(name)
    scene = Scene(model)
    for q in configurations(model, 10):
        free = [scene.free(q, inflation=margin) for margin in (0.0, 0.01, 0.05)]
        assert free == sorted(free, reverse=True)  # once it collides, more inflation does not free it
        contacts = scene.contacts(q)
        assert (contacts == ()) == free[0]
        nearest = scene.nearest(q)
        if nearest is not None and free[0] and not any(not exact for exact in scene._exact):
            assert nearest.distance > -1e-6


@pytest.mark.parametrize("name", ALL)
def test_many_configurations_at_once_are_each_by_itself(name: str) -> None:
    model = model_of(name)
    scene = Scene(model)
    Q = configurations(model, 60, seed=2)
    assert scene.free_batch(Q).tolist() == [scene.free(q) for q in Q]
    assert scene.free_batch(Q, inflation=0.02).tolist() == [scene.free(q, inflation=0.02) for q in Q]


@pytest.mark.parametrize("name", ["cobot6", "industrial6", "mobile6"])
def test_the_nearest_points_are_as_far_apart_as_the_distance(name: str) -> None:
    model = model_of(name)
    scene = Scene(model)
    for q in configurations(model, 20, seed=4):
        nearest = scene.nearest(q)
        assert nearest is not None
        gap = float(np.linalg.norm(nearest.p_world_first - nearest.p_world_second))
        assert gap == pytest.approx(abs(nearest.distance), abs=1e-6)
        assert (nearest.first, nearest.second) in scene.pairs


def test_collision_does_not_depend_on_the_order_of_the_two() -> None:
    rng = np.random.default_rng(0)
    shapes = [Box((0.3, 0.2, 0.1)), Sphere(0.15), Cylinder(0.1, 0.4), Capsule(0.08, 0.3)]
    for _ in range(60):
        one, two = (shapes[i] for i in rng.integers(0, 4, 2))
        T = transform(_rotation(rng), rng.uniform(-0.4, 0.4, 3))
        a, b = _pair(one, two, T), _pair(two, one, inverse(T))
        assert a.free(np.zeros(1)) == b.free(np.zeros(1))
        first, second = a.nearest(np.zeros(1)), b.nearest(np.zeros(1))
        assert first is not None and second is not None
        assert first.distance == pytest.approx(second.distance, abs=1e-5)


def _rotation(rng: np.random.Generator) -> Array:
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return Q * np.sign(np.linalg.det(Q))


def _pair(one: object, two: object, T: Array) -> Scene:
    """A link with one shape, and an obstacle with the other."""
    hinge = Joint("j", JointType.CONTINUOUS, "base", "arm", axis=(0.0, 0.0, 1.0), limits=Limits(velocity=1.0))
    arm = Link("arm", None, (), (Geometry(one),))  # type: ignore[arg-type]
    scene = Scene(build_model(Robot("r", (Link("base"), arm), (hinge,))))
    scene.add("thing", two, T)  # type: ignore[arg-type]
    return scene


@pytest.fixture
def cup(tmp_path: Path) -> Mesh:
    """A cup: closed as a mesh, hollow as a shape, so that its hull fills what is empty."""
    outer = trimesh.creation.box(extents=(0.2, 0.2, 0.2))
    inner = trimesh.creation.box(extents=(0.16, 0.16, 0.2))
    inner.apply_translation((0, 0, 0.02))
    path = tmp_path / "cup.stl"
    hollow = _cup(outer.bounds, inner.bounds)
    hollow.export(path)
    return Mesh("cup.stl", str(path))


def _cup(outer: Array, inner: Array) -> trimesh.Trimesh:
    """Walls and floor as one closed surface."""
    (x0, y0, z0), (x1, y1, z1) = outer
    (u0, v0, w0), (u1, v1, _) = inner
    vertices = [
        (x0, y0, z0), (x1, y0, z0), (x1, y1, z0), (x0, y1, z0), (x0, y0, z1), (x1, y0, z1), (x1, y1, z1), (x0, y1, z1),
        (u0, v0, w0), (u1, v0, w0), (u1, v1, w0), (u0, v1, w0), (u0, v0, z1), (u1, v0, z1), (u1, v1, z1), (u0, v1, z1),
    ]  # fmt: skip
    quads = [(3, 2, 1, 0), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7), (8, 9, 10, 11)]
    quads += [(12, 13, 9, 8), (13, 14, 10, 9), (14, 15, 11, 10), (15, 12, 8, 11)]
    quads += [(4, 5, 13, 12), (5, 6, 14, 13), (6, 7, 15, 14), (7, 4, 12, 15)]
    faces = [face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))]
    return trimesh.Trimesh(vertices, faces, process=False)


def test_a_ball_inside_a_cup_is_free_and_in_its_wall_is_not(cup: Mesh) -> None:
    assert mesh_triangles(cup).closed and not hull_shape(cup).exact
    scene = _pair(Sphere(0.05), cup, at(0, 0, 0))
    assert scene.free(np.zeros(1))
    scene.move("thing", at(0.06, 0, 0))
    assert not scene.free(np.zeros(1))
    (contact,) = scene.contacts(np.zeros(1))
    assert {contact.first, contact.second} == {"arm", "thing"}


def test_what_is_wholly_inside_a_closed_mesh_collides(tmp_path: Path) -> None:
    path = tmp_path / "solid.stl"
    star = trimesh.util.concatenate([trimesh.creation.box(extents=(0.6, 0.6, 0.6))])
    star.export(path)
    dented = Mesh("solid.stl", str(path))
    scene = _pair(Sphere(0.05), dented, at(0, 0, 0))
    assert not scene.free(np.zeros(1))


def test_a_hull_never_misses_what_the_mesh_finds(cup: Mesh) -> None:
    import coal

    rng = np.random.default_rng(3)
    hull, mesh = hull_shape(cup).shape, mesh_triangles(cup).shape
    ball = coal.Sphere(0.04)
    hits = 0
    for _ in range(500):
        place = coal.Transform3s(np.eye(3), rng.uniform(-0.2, 0.2, 3))
        results = []
        for shape in (mesh, hull):
            result = coal.CollisionResult()
            coal.collide(shape, coal.Transform3s(), ball, place, coal.CollisionRequest(), result)
            results.append(result.isCollision())
        hits += results[0]
        assert results[1] or not results[0]
    assert hits > 50


def test_an_obstacle_is_added_moved_attached_carried_and_left() -> None:
    model = load_model("cobot6")
    scene = Scene(model)
    home = np.array([0.0, 1.832596, -2.181662, -1.919862, -1.570796, 0.0])
    assert scene.free(home)
    tool = frame_pose(model, home, "tool0")
    scene.add("box", Box((0.06, 0.06, 0.06)), tool @ at(0, 0, 0.06))
    assert scene.obstacles == ("box",)
    assert scene.free(home) and scene.contacts(home) == ()  # 3 cm before the hand
    scene.move("box", tool)
    assert not scene.free(home)
    assert [{each.first, each.second} for each in scene.contacts(home)] == [{"link_6", "box"}]
    scene.move("box", tool @ at(0, 0, 0.06))
    scene.attach("box", "tool0", home)
    turned = home.copy()
    turned[0] = 1.0
    before = scene._world(scene._obstacle("box")[0], home)
    after = scene._world(scene._obstacle("box")[0], turned)
    assert np.abs(np.linalg.inv(frame_pose(model, home, "tool0")) @ before
                  - np.linalg.inv(frame_pose(model, turned, "tool0")) @ after).max() < 1e-12  # fmt: skip
    assert scene.free(turned)  # what is held does not collide with the hand that holds it
    scene.detach("box", turned)
    assert np.abs(scene._world(scene._obstacle("box")[0], home) - after).max() < 1e-12
    scene.remove("box")
    assert len(scene.obstacles) == 0 and scene.free(home)


def test_what_is_carried_collides_with_the_rest() -> None:
    model = load_model("cobot6")
    scene = Scene(model)
    home = np.array([0.0, 1.832596, -2.181662, -1.919862, -1.570796, 0.0])
    scene.add("long", Cylinder(0.01, 3.0), frame_pose(model, home, "tool0"))
    scene.attach("long", "tool0", home)
    stretched = np.array([0.0, 0.6, -2.4, -1.0, -1.570796, 0.0])
    names = {name for q in (home, stretched) for c in scene.contacts(q) for name in (c.first, c.second)}
    assert "long" in names


def test_mistakes_with_obstacles_are_said() -> None:
    scene = Scene(load_model("cobot6"))
    scene.add("wall", Box((1.0, 0.1, 1.0)), at(0, 2, 0))
    with pytest.raises(BadConfiguration, match="is taken"):
        scene.add("wall", Sphere(0.1), at(0, 0, 0))
    with pytest.raises(BadConfiguration, match="no rigid transform"):
        scene.move("wall", np.diag([2.0, 1.0, 1.0, 1.0]))
    with pytest.raises(UnknownObstacle, match="there are: wall"):
        scene.remove("door")
    with pytest.raises(UnknownFrame, match="nearest first"):
        scene.attach("wall", "tol0", np.zeros(6))
    with pytest.raises(BadConfiguration, match="inflation"):
        scene.free(np.zeros(6), inflation=float("nan"))
    with pytest.raises(BadConfiguration, match="joint_2 = nan"):
        scene.free(np.array([0, np.nan, 0, 0, 0, 0]))


def test_a_sheet_a_wire_and_a_point_get_a_millimetre_of_thickness(tmp_path: Path) -> None:
    shapes: dict[str, list[tuple[float, float, float]]] = {
        "sheet": [(-1, -1, 0), (1, -1, 0), (-1, 1, 0), (1, 1, 0)],
        "wire": [(-1, 0, 0), (1, 0, 0), (0, 0, 0), (0.5, 0, 0)],
        "point": [(0, 0, 0)] * 4,
    }
    for name, corners in shapes.items():
        path = tmp_path / f"{name}.obj"
        path.write_text("".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "f 1 2 3\nf 2 4 3\n")
        scene = _pair(Sphere(0.1), Mesh(path.name, str(path)), at(0, 0, 0.05))
        assert scene.nearest(np.zeros(1)) is not None
        assert scene.nearest(np.zeros(1)).distance < 0  # type: ignore[union-attr]
        scene.move("thing", at(0, 0, 0.2))
        assert scene.free(np.zeros(1))


def test_a_mesh_that_cannot_be_read_is_refused_or_said(tmp_path: Path) -> None:
    scene = Scene(load_model("cobot6"))
    with pytest.raises(CollisionError, match="was not found"):
        scene.add("none", Mesh("none.stl", None), at(3, 3, 3))
    broken = tmp_path / "broken.stl"
    broken.write_bytes(b"solid nothing")
    with pytest.raises(CollisionError, match="export it again"):
        scene.add("broken", Mesh("broken.stl", str(broken)), at(3, 3, 3))
    arm = Link("arm", None, (), (Geometry(Mesh("broken.stl", str(broken))),))
    hinge = Joint("j", JointType.CONTINUOUS, "base", "arm", axis=(0.0, 0.0, 1.0), limits=Limits(velocity=1.0))
    said = Scene(build_model(Robot("r", (Link("base"), arm), (hinge,))))
    assert said.without_shape == ["arm"] and "not seen" in said.assumptions[0]


def test_pairs_that_matter_are_found_kept_and_found_again(tmp_path: Path) -> None:
    model = load_model("inmoov")
    said: list[str] = []
    search = PairSearch(samples=300)
    every = Scene(model)
    scene = Scene(model, search=search, progress=said.append)
    assert said and "finding pairs" in said[0]
    assert 0 < len(scene.pairs) < len(every.pairs) / 3
    assert set(scene.pairs) <= set(every.pairs)
    said.clear()
    again = Scene(model, search=search, progress=said.append)
    assert again.pairs == scene.pairs and not said  # from the cache
    for file in (tmp_path / "cache" / "pairs").iterdir():
        file.write_bytes(b"damaged")
    assert Scene(model, search=search).pairs == scene.pairs


def test_another_seed_and_another_model_have_their_own_pairs(tmp_path: Path) -> None:
    Scene(load_model("cobot6"), search=PairSearch(samples=50))
    Scene(load_model("cobot6"), search=PairSearch(samples=50, seed=1))
    Scene(load_model("industrial6"), search=PairSearch(samples=50))
    assert len(list((tmp_path / "cache" / "pairs").iterdir())) == 3


def test_pairs_that_are_ignored_are_not_checked() -> None:
    model = load_model("cobot6")
    scene = Scene(model)
    q = next(q for q in configurations(model, 200) if not scene.free(q))
    ignored = tuple((contact.first, contact.second) for contact in scene.contacts(q))
    assert Scene(model, ignored=ignored).free(q)


def test_neighbours_and_what_is_fixed_together_are_no_pair() -> None:
    scene = Scene(load_model("cobot6"))
    assert ("pedestal", "base") not in scene.pairs and ("link_1", "link_2") not in scene.pairs
    assert ("pedestal", "link_2") in scene.pairs


def test_the_bundled_robots_stand_free_at_home() -> None:
    from armillary.description import open_cell

    for name in ("cobot6", "industrial6", "mobile6", "inmoov"):
        cell = open_cell(name).cell
        model = load_model(name)
        groups = {group.name: group.joints for group in cell.groups}
        q = model.zero()
        for state in cell.states:
            if state.name.startswith("home"):
                for joint, value in zip(groups[state.group], state.q, strict=True):
                    q[model.column(joint)] = value
        assert Scene(model).contacts(q) == (), name


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if name in ("ur5", "panda", "tiago", "kinova", "baxter")])
def test_hulls_of_real_robots_never_miss_what_their_meshes_find(name: str) -> None:
    import pinocchio as pin

    model = model_of(name)
    scene = Scene(model)
    geometry, data, _ = scene._triangles()
    found = 0
    for q in configurations(model, 40, seed=9):
        full = model.full(q)
        pin.updateGeometryPlacements(model.pin, model.data, geometry, data, full)
        pin.computeCollisions(geometry, data, False)
        scene._place(q, 1e-6)  # beyond a micrometre
        pin.computeCollisions(scene._geometry, scene._data, False)
        touching = set(scene._touching())
        meshes = {k for k, result in enumerate(data.collisionResults) if result.isCollision()}
        assert meshes <= touching
        found += len(meshes)
    assert found > 0


def test_a_pair_that_sampling_dropped_is_checked_where_the_cell_insists() -> None:
    model = load_model("inmoov")
    search = PairSearch(samples=100)
    dropped = next(pair for pair in Scene(model).pairs if pair not in Scene(model, search=search).pairs)
    assert dropped in Scene(model, search=search, checked=(dropped,)).pairs


def test_an_open_mesh_is_said_to_have_no_inside(tmp_path: Path) -> None:
    box = trimesh.creation.box(extents=(0.2, 0.2, 0.2))
    open_box = trimesh.Trimesh(box.vertices, box.faces[:-2], process=False)
    open_box.export(tmp_path / "open.stl")
    arm = Link("arm", None, (), (Geometry(Mesh("open.stl", str(tmp_path / "open.stl"))),))
    hinge = Joint("j", JointType.CONTINUOUS, "base", "arm", axis=(0.0, 0.0, 1.0), limits=Limits(velocity=1.0))
    scene = Scene(build_model(Robot("r", (Link("base"), arm), (hinge,))))
    assert scene.assumptions == ["link 'arm': open.stl is not closed; it has a surface and no inside"]
