"""The robots that laws are tried on: all bundled ones, and a dozen of the extra's where it is installed."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from armillary.description import Robot, read_robot
from armillary.description.inertia import breaks_triangle_rule, is_positive_definite, nearest_sound_moments
from armillary.description.library import BUNDLED, extra_robots_folder
from armillary.model import Model, build_model

EXTRA = [
    "ur3",
    "ur5",
    "ur10",
    "panda",
    "tiago",
    "xarm7",
    "kinova",
    "baxter",
    "talos_reduced",
    "icub",
    "solo12",
    "z1",
    "hyq_no_sensors",
]
NAMES = [*BUNDLED, *(EXTRA if extra_robots_folder() else [])]
# Those of the extra are many and large: left out of `make quick`.
ALL = [pytest.param(name, marks=() if name in BUNDLED else pytest.mark.slow) for name in NAMES]


@cache
def model_of(name: str) -> Model:
    return build_model(read_robot(name))


def configurations(model: Model, count: int, seed: int = 0) -> np.ndarray:
    return model.random(np.random.default_rng(seed), count)


def tip_of(model: Model) -> str:
    """The frame furthest out."""
    return max(model.frames, key=lambda frame: _depth(model, frame))


def _depth(model: Model, frame: str) -> int:
    carrier, depth = model.tree.carriers[frame][0], 0
    while carrier >= 0:
        carrier, depth = model.tree.moving[carrier].parent, depth + 1
    return depth


def with_sound_inertia(robot: Robot) -> Robot:
    """The robot with every impossible inertia replaced by the nearest possible one, as the twin will do."""
    links = []
    for link in robot.links:
        inertial = link.inertial
        if inertial is not None and inertial.mass > 0:
            moments = inertial.moments
            if not is_positive_definite(moments) or breaks_triangle_rule(moments):
                sound = nearest_sound_moments(moments) if any(moments) else (1e-6, 0.0, 0.0, 1e-6, 0.0, 1e-6)
                link = replace(link, inertial=replace(inertial, moments=sound))
        links.append(link)
    return replace(robot, links=tuple(links))
