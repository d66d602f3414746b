"""Ways around obstacles: found, short, timed, proven; and what is said where there is none."""

from pathlib import Path

import numpy as np
import pytest

from armillary.description import Box, Cylinder, InvalidCell, UnreadableFile, read_world
from armillary.description.world import boxes_from_points
from armillary.model import PairSearch, Scene, frame_pose, load_model
from armillary.motion import BadMotion, Bounds, NoMotion, certify, find_free_path, known_planners, plan_around, plan_to_pose
from armillary.spatial import transform

HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
OVER = np.array([-1.8, 1.83, -2.18, -1.92, -1.57, 0.0])


@pytest.fixture(scope="module")
def pillar() -> Scene:
    scene = Scene(load_model("cobot6"), search=PairSearch())
    scene.add("pillar", Box((0.15, 0.15, 2.0)), transform(np.eye(3), (0.35, -0.35, 0.9)))
    return scene


def test_around_a_pillar(pillar: Scene) -> None:
    model = pillar.model
    for seed in range(5):
        plan = plan_around(model, HOME, OVER, pillar, seed=seed)
        assert plan, str(plan)
        assert plan.trajectory.start.q == pytest.approx(HOME) and plan.trajectory.end.q == pytest.approx(OVER, abs=1e-9)
        assert plan.certificate.covers(plan.trajectory, model, scene=pillar)
        _, samples = plan.trajectory.every(0.01)
        assert pillar.free_batch(np.ascontiguousarray(samples[:, 0])).all()


def test_the_same_seed_gives_the_same_way(pillar: Scene) -> None:
    one, two = (plan_around(pillar.model, HOME, OVER, pillar, seed=3) for _ in range(2))
    assert one.trajectory.digest == two.trajectory.digest
    assert plan_around(pillar.model, HOME, OVER, pillar, seed=4).trajectory.digest != one.trajectory.digest


def test_nothing_in_the_way_is_a_straight_move() -> None:
    model = load_model("cobot6")
    plan = plan_around(model, HOME, HOME + 0.2, Scene(model))
    assert plan and np.ptp(np.diff(plan.trajectory.every(0.01)[1][:, 0], axis=0), axis=1).max() < 1e-6


@pytest.mark.parametrize("planner", ["RRTstar", "InformedRRTstar"])
def test_other_planners_by_name(planner: str) -> None:
    """A low beam to go over: easy enough for planners that grow one tree."""
    model = load_model("cobot6")
    scene = Scene(model, search=PairSearch())
    low = HOME.copy()
    low[0] = -0.4
    p = frame_pose(model, low, "tool")[:3, 3]
    scene.add("beam", Box((0.3, 0.02, 0.02)), transform(np.eye(3), p))
    goal = HOME.copy()
    goal[0] = -1.2
    plan = plan_around(model, HOME, goal, scene, planner=planner, budget=2.0)
    assert plan, str(plan)
    pillar = scene
    with pytest.raises(BadMotion, match="RRTConnect, RRTstar, InformedRRTstar"):
        plan_around(pillar.model, HOME, OVER, pillar, planner="A*")


def test_a_start_or_goal_that_collides_names_the_pair_and_a_way_out(pillar: Scene) -> None:
    model = pillar.model
    inside = HOME.copy()
    inside[0] = -0.9
    while pillar.free(inside):
        inside[0] += 0.02
    with pytest.raises(NoMotion, match=r"the goal collides: .* mm inside .*nearby is free"):
        plan_around(model, HOME, inside, pillar)
    with pytest.raises(NoMotion, match=r"the start collides: .* pillar"):
        plan_around(model, inside, HOME, pillar)


def test_no_way_says_what_was_tried() -> None:
    """Once round the base to the same pose, with a wall from the base outwards that every way would have to cross."""
    model = load_model("cobot6")
    scene = Scene(model, search=PairSearch())
    scene.add("wall", Box((3.0, 0.02, 4.0)), transform(np.eye(3), (-1.65, 0.0, 2.0)))
    start = HOME.copy()
    start[0] = -4.5
    goal = start.copy()
    goal[0] += 2 * np.pi
    assert scene.free(start) and scene.free(goal)
    with pytest.raises(NoMotion, match=r"no way was found by RRTConnect in .* \(\d+ configurations, \d+ looks"):
        plan_around(model, start, goal, scene, budget=0.4)


def test_to_a_pose_every_solution_is_a_goal(pillar: Scene) -> None:
    model = pillar.model
    T = frame_pose(model, OVER, "tool")
    plan = plan_to_pose(model, HOME, T, scene=pillar)
    assert plan and frame_pose(model, plan.trajectory.end.q, "tool") == pytest.approx(T, abs=1e-6)
    with pytest.raises(NoMotion, match="cannot be reached: beyond reach by"):
        plan_to_pose(model, HOME, transform(np.eye(3), (5, 0, 0)))


class TestWorld:
    def test_every_shape_is_read(self, tmp_path: Path) -> None:
        (tmp_path / "cloud.csv").write_text("0.01,0.01,0.01\n0.06,0.01,0.01\n0.5,0.5,0.5\n")
        (tmp_path / "world.toml").write_text(
            'name = "bench"\n'
            '[[obstacles]]\nname = "table"\nsize_mm = [800, 600, 20]\nxyz = [0.5, 0, 0.4]\n'
            '[[obstacles]]\nshape = "sphere"\nradius = 0.1\n'
            '[[obstacles]]\nshape = "cylinder"\nradius_mm = 50\nlength = 0.3\nrpy_deg = [90, 0, 0]\n'
            '[[obstacles]]\nshape = "capsule"\nradius = 0.05\nlength = 0.3\n'
            '[[obstacles]]\nname = "cloud"\nshape = "points"\nfile = "cloud.csv"\nvoxel = 0.05\n'
        )
        world = read_world(tmp_path / "world.toml")
        assert [obstacle.name for obstacle in world.obstacles] == [
            "table", "obstacle_2", "obstacle_3", "obstacle_4", "cloud_1", "cloud_2",
        ]  # fmt: skip
        assert world.obstacles[0].shape == Box((0.8, 0.6, 0.02))
        assert world.obstacles[4].shape == Box((0.1, 0.05, 0.05)), "neighbours are one box"
        scene = Scene(load_model("cobot6"))
        for obstacle in world.obstacles:
            scene.add(obstacle.name, obstacle.shape, obstacle.pose.matrix)
        assert len(scene.obstacles) == 6

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ('[[obstacles]]\nshape = "cube"\n', "'cube' is not known"),
            ("[[obstacles]]\nsize = [1, 2]\n", "2 numbers where 3 are needed"),
            ('[[obstacles]]\nshape = "sphere"\n', "a sphere needs a radius"),
            ("[[obstacles]]\nsize = [0, 1, 1]\n", "above zero"),
            (
                '[[obstacles]]\nsize = [1,1,1]\nname = "a"\n[[obstacles]]\nsize = [1,1,1]\nname = "a"\n',
                "two obstacles are called 'a'",
            ),
            ('[[obstacles]]\nshape = "points"\npoints = [[1, 2]]\n', "not rows of three"),
            ("[[obstacle]]\nsize = [1,1,1]\n", "the nearest known is 'obstacles'"),
        ],
    )
    def test_bad_worlds_say_the_line(self, tmp_path: Path, text: str, said: str) -> None:
        (tmp_path / "world.toml").write_text(text)
        with pytest.raises(InvalidCell, match=said):
            read_world(tmp_path / "world.toml")

    def test_missing_files(self, tmp_path: Path) -> None:
        with pytest.raises(UnreadableFile):
            read_world(tmp_path / "none.toml")
        (tmp_path / "world.toml").write_text('[[obstacles]]\nshape = "mesh"\nfile = "none.stl"\n')
        with pytest.raises(UnreadableFile, match=r"none.stl does not exist"):
            read_world(tmp_path / "world.toml")

    def test_boxes_hold_every_point(self) -> None:
        points = np.random.default_rng(0).uniform(-0.5, 0.5, (500, 3))
        boxes = boxes_from_points(points, 0.1)
        for point in points:
            assert any((np.abs(point - centre) <= np.array(box.size) / 2 + 1e-12).all() for centre, box in boxes)
        assert boxes_from_points(np.empty((0, 3)), 0.1) == []


def test_what_the_robot_carries_must_not_touch_anything(pillar: Scene) -> None:
    """A rod in the hand that is longer than the room beside the pillar: the way goes further round, or there is none."""
    scene = Scene(load_model("cobot6"), search=PairSearch())
    scene.add("pillar", Box((0.15, 0.15, 2.0)), transform(np.eye(3), (0.35, -0.35, 0.9)))
    rod = frame_pose(scene.model, HOME, "tool") @ transform(np.eye(3), (0.0, 0.0, 0.2))
    scene.add("rod", Cylinder(0.01, 0.25), rod)
    scene.attach("rod", "tool", HOME)
    plan = plan_around(scene.model, HOME, OVER, scene, seed=1)
    assert plan
    for q in plan.trajectory.every(0.01)[1][:, 0]:
        assert scene.free(q)
    bare = plan_around(pillar.model, HOME, OVER, pillar, seed=1, clearance=0.0)
    assert "rod" in str(certify(bare.trajectory, scene.model, bounds=Bounds(scene=scene)))


PLANNER = """
import numpy as np
from armillary.motion import NoMotion

def over_the_top(looks, start, goals, budget, seed):
    lifted = [np.array([q[0], 1.57, -0.2, *q[3:]]) for q in (start, goals[0])]
    points = np.array([start, *lifted, goals[0]])
    if not all(looks.edge(a, b) for a, b in zip(points, points[1:])):
        raise NoMotion("not over the top either")
    return points

def through_the_wall(looks, start, goals, budget, seed):
    return np.array([start, goals[0]])
"""


def test_a_planner_of_another_package_is_found_by_name_and_checked(
    pillar: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "top_planner.py").write_text(PLANNER)
    info = tmp_path / "top_planner-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: top-planner\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[armillary.planners]\ntop = top_planner:over_the_top\nliar = top_planner:through_the_wall\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert known_planners()[:3] == ["RRTConnect", "RRTstar", "InformedRRTstar"] and "top" in known_planners()
    with pytest.raises(NoMotion, match="liar is not free"):
        find_free_path(pillar, HOME, [OVER], planner="liar")
    assert len(find_free_path(pillar, HOME, [OVER], planner="top").points) >= 3
    with pytest.raises(BadMotion, match=r"there is no planner 'none'; there are: RRTConnect, .*top"):
        find_free_path(pillar, HOME, [OVER], planner="none")
