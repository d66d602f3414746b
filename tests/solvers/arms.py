"""The arms that solvers are tried on, and how a solution is judged: by forward kinematics that the solvers do not share."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from armillary.description import read_robot
from armillary.description.library import extra_robots_folder
from armillary.model import Model, build_model, frame_pose, load_model
from armillary.solvers import Chain, chain_between
from armillary.spatial import inverse, rotation_vector

Array = NDArray[np.float64]
BUNDLED = ["cobot6", "industrial6", "mobile6"]
EXTRA = ["ur3", "ur5", "ur10", "panda", "tiago", "xarm7", "kinova"] if extra_robots_folder() else []
ARMS = [*BUNDLED, *(pytest.param(name, marks=pytest.mark.slow) for name in EXTRA)]
SIX = [*BUNDLED, *(pytest.param(name, marks=pytest.mark.slow) for name in EXTRA if name.startswith("ur"))]


@cache
def arm(name: str) -> Model:
    """An arm alone: the joints on the way to its tip."""
    if name in BUNDLED:
        return load_model(name, group="arm")
    return arm_of(name)


@cache
def arm_of(source: str | Path) -> Model:
    robot = read_robot(source)
    tip = {"ur3": "tool0", "ur5": "tool0", "ur10": "tool0", "tiago": "arm_tool_link"}.get(str(source)) or build_model(robot).tip
    joints = [joint.name for joint in robot.path_from_root(tip) if joint.type.is_single and joint.mimic is None]
    if str(source) == "tiago":
        joints = [joint for joint in joints if joint.startswith("arm_")]
    return build_model(robot, joints=joints, tip=tip)


def chain_of(model: Model) -> Chain:
    return chain_between(model, "", model.tip)


def error_at(model: Model, q: Array, T: Array, *, tip: str = "", base: str = "") -> tuple[float, float]:
    """What is left to a pose [m], [rad], by Pinocchio."""
    there = frame_pose(model, q, tip or model.tip)
    if base:
        there = inverse(frame_pose(model, q, base)) @ there
    turn = rotation_vector(T[:3, :3] @ there[:3, :3].T)
    return float(np.linalg.norm(T[:3, 3] - there[:3, 3])), float(np.linalg.norm(turn))


def same(chain: Chain, q: Array, other: Array, tolerance: float = 1e-6) -> bool:
    """Whether two configurations of the chain differ by full turns alone."""
    gap = q - other
    gap = np.where(chain.turning, gap - 2 * np.pi * np.rint(gap / (2 * np.pi)), gap)
    return bool(np.abs(gap).max() < tolerance)


def narrowed(model: Model, joint: str, lower: float, upper: float) -> Model:
    """The same model with one joint's range made smaller."""
    limits = tuple(replace(limit, lower=lower, upper=upper) if limit.joint == joint else limit for limit in model.spec.limits)
    return Model(replace(model.spec, limits=limits))
