"""Six fixed scenes to plan in: what stands where, and from where to where."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from armillary.description import Box, Cylinder, Sphere, read_robot
from armillary.description.geometry import Shape
from armillary.model import Model, PairSearch, Scene, build_model, load_model
from armillary.solvers import solve_ik
from armillary.spatial import transform, transform_from_xyz_rpy

Array = NDArray[np.float64]
Thing = tuple[str, Shape, Array]


@dataclass(frozen=True, eq=False)
class Task:
    """A robot among obstacles, and two free configurations."""

    name: str
    model: Model
    scene: Scene
    start: Array
    goal: Array


def at(x: float, y: float, z: float) -> Array:
    return transform(np.eye(3), (x, y, z))


@cache
def cobot() -> Model:
    return load_model("cobot6")


@cache
def industrial() -> Model:
    return load_model("industrial6")


@cache
def tiago_arm() -> Model:
    return build_model(read_robot("tiago"), joints=[f"arm_{i}_joint" for i in range(1, 8)], tip="arm_tool_link")


def bars() -> tuple[Model, list[Thing], Array, Array]:
    """Vertical bars round the cobot: from between two of them to between two others."""
    things: list[Thing] = []
    for i in range(6):
        angle = np.pi / 6 + i * np.pi / 3
        things.append((f"bar_{i}", Cylinder(0.025, 1.6), at(0.5 * np.cos(angle), 0.5 * np.sin(angle), 1.2)))
    down = (np.pi, 0.0, 0.0)
    return cobot(), things, transform_from_xyz_rpy((0.62, 0.0, 0.95), down), transform_from_xyz_rpy((-0.31, -0.54, 0.95), down)


def shelf() -> tuple[Model, list[Thing], Array, Array]:
    """Two boards on posts: from over the upper one to under it."""
    things: list[Thing] = [
        ("board_low", Box((0.3, 0.9, 0.02)), at(0.65, 0.0, 0.75)),
        ("board_high", Box((0.3, 0.9, 0.02)), at(0.65, 0.0, 1.15)),
        ("side_left", Box((0.3, 0.02, 0.42)), at(0.65, 0.45, 0.95)),
        ("side_right", Box((0.3, 0.02, 0.42)), at(0.65, -0.45, 0.95)),
    ]
    ahead = (np.pi / 2, 0.0, np.pi / 2)
    return cobot(), things, transform_from_xyz_rpy((0.45, 0.2, 1.35), ahead), transform_from_xyz_rpy((0.55, -0.1, 0.97), ahead)


def box() -> tuple[Model, list[Thing], Array, Array]:
    """An open box on the floor: out of it and into another."""
    things: list[Thing] = []
    for name, x in (("one", 0.55), ("two", -0.55)):
        for side, dx, dy, sx, sy in (
            ("a", 0.2, 0, 0.02, 0.4),
            ("b", -0.2, 0, 0.02, 0.4),
            ("c", 0, 0.2, 0.4, 0.02),
            ("d", 0, -0.2, 0.4, 0.02),
        ):
            things.append((f"{name}_{side}", Box((sx, sy, 0.35)), at(x + dx, 1.05 + dy, 0.45)))
    reach = (-np.pi / 2, 0.0, 0.0)
    return (
        industrial(),
        things,
        transform_from_xyz_rpy((0.55, 1.05, 0.5), reach),
        transform_from_xyz_rpy((-0.55, 1.05, 0.5), reach),
    )


def window() -> tuple[Model, list[Thing], Array, Array]:
    """A wall with an opening of 60 cm: from before it through the opening."""
    things: list[Thing] = [
        ("below", Box((0.02, 1.8, 0.62)), at(0.5, 0.0, 0.31)),
        ("above", Box((0.02, 1.8, 0.47)), at(0.5, 0.0, 1.515)),
        ("left", Box((0.02, 0.6, 0.66)), at(0.5, 0.6, 0.95)),
        ("right", Box((0.02, 0.6, 0.66)), at(0.5, -0.6, 0.95)),
    ]
    ahead = (np.pi / 2, 0.0, np.pi / 2)
    return cobot(), things, transform_from_xyz_rpy((0.2, -0.4, 1.1), ahead), transform_from_xyz_rpy((0.62, 0.0, 0.95), ahead)


def table() -> tuple[Model, list[Thing], Array, Array]:
    """A table with things on it: from one side of them to the other, low."""
    things: list[Thing] = [("table", Box((0.7, 1.2, 0.03)), at(0.75, 0.0, 0.6))]
    for i, (x, y) in enumerate(((0.6, 0.0), (0.7, 0.1), (0.62, -0.15), (0.75, -0.05))):
        things.append((f"bottle_{i}", Cylinder(0.04, 0.3), at(x, y, 0.77)))
    things.append(("ball", Sphere(0.08), at(0.55, 0.12, 0.7)))
    return tiago_arm(), things, np.eye(4), np.eye(4)


def passage() -> tuple[Model, list[Thing], Array, Array]:
    """Two walls with 64 cm between them: the arm is between them, and has to come out lengthwise and go round one."""
    things: list[Thing] = [
        ("wall_1", Box((0.02, 0.9, 1.2)), at(0.33, 1.35, 0.9)),
        ("wall_2", Box((0.02, 0.9, 1.2)), at(-0.33, 1.35, 0.9)),
    ]
    return (
        industrial(),
        things,
        transform_from_xyz_rpy((0.0, 1.35, 1.0), (0, 0, 0)),
        transform_from_xyz_rpy((0.75, 0.75, 1.1), (0, 0, -0.7)),
    )


SCENES: dict[str, Callable[[], tuple[Model, list[Thing], Array, Array]]] = {
    "bars": bars, "shelf": shelf, "box": box, "window": window, "table": table, "passage": passage,
}  # fmt: skip
# TIAGo's arm is given configurations: a pose that all of it must reach over a table is a puzzle of its own.
_TIAGO = (np.array([1.46, 0.82, -1.12, 2.12, 0.42, 0.69, -0.12]), np.array([1.13, 0.81, 0.86, 1.07, -0.51, 0.6, 0.88]))


@cache
def task(name: str) -> Task:
    """A scene with its start and goal."""
    model, things, T_start, T_goal = SCENES[name]()
    scene = Scene(model, search=PairSearch())
    for label, shape, T in things:
        scene.add(label, shape, T)
    if name == "table":
        start, goal = _TIAGO
    else:
        start, goal = _free(scene, model, T_start, name), _free(scene, model, T_goal, name)
    return Task(name, model, scene, start, goal)


def _free(scene: Scene, model: Model, T: Array, name: str) -> Array:
    result = solve_ik(model, T, seed=model.zero(), scene=scene, every=True)
    roomy = [q for q in result.found if scene.free(q, clearance=0.01)]
    if not roomy:
        raise SystemExit(f"scene '{name}': no solution with room around it ({result})")
    return roomy[0]
