"""What a program can name on a robot: its frames, tools, taught points and inputs."""

from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.description import CellDescription
from armillary.description.robot import JointType
from armillary.model import Model, frame_pose
from armillary.programs import Inputs, NoInputs, Surroundings
from armillary.programs.languages import Language
from armillary.programs.teach import PointStore, TeachError, store_place
from armillary.programs.teach.taught_point import ordered
from armillary.spatial import inverse

__all__ = ["options_for", "surroundings_of"]

Array = NDArray[np.float64]
_STAYS = 1e-9  # how far a frame that is fixed to another may seem to move


def options_for(
    description: CellDescription | None, language: Language, source: str = "", *, keep: bool = True
) -> dict[str, Any]:
    """What a cell says of a language.

    Args:
        source: The robot or cell, for parameters that have outlasted programs before.
        keep: Whether the program's outlast it too; not those of a dry run.
    """
    if language.name != "G-code":
        return {}
    found = dict(description.gcode) if description is not None else {}
    if source:
        found["parameters" if keep else "parameters_from"] = store_place(source).with_suffix(".var")
    return found


def surroundings_of(model: Model, source: str = "", *, start: Array | None = None, inputs: Inputs | None = None) -> Surroundings:
    """What is around a program.

    Args:
        source: The robot or cell, for what has been taught there; none where left out.
        start: Where the joints are when the program begins, shape (n,).
    """
    rng = np.random.default_rng(0)
    qs = [model.random(rng) for _ in range(3)]
    base, tip = model.reference, model.tip
    names = dict.fromkeys([name for name, _, _ in model.spec.frames] + [link.name for link in model.spec.robot.links])
    frames, tools = dict[str, Array](), list[str]()
    for name in names:
        poses = [frame_pose(model, q, name) for q in qs]
        bases = [frame_pose(model, q, base) if base else np.eye(4) for q in qs]
        in_base = [inverse(T) @ pose for T, pose in zip(bases, poses, strict=True)]
        in_tip = [inverse(frame_pose(model, q, tip)) @ pose for q, pose in zip(qs, poses, strict=True)]
        if all(np.abs(pose - in_base[0]).max() < _STAYS for pose in in_base):
            frames[name] = in_base[0]
        elif all(np.abs(pose - in_tip[0]).max() < _STAYS for pose in in_tip):
            tools.append(name)
    slides = tuple(joint.type == JointType.PRISMATIC for joint in (model.spec.robot.joint(name) for name in model.joints))
    here = None
    if start is not None:
        here = inverse(frame_pose(model, start, base) if base else np.eye(4)) @ frame_pose(model, start, tip)
    q = () if start is None else tuple(float(value) for value in start)
    points = {}
    for taught in PointStore.of(source).all() if source else ():
        with suppress(TeachError):  # taught with another group of joints: it cannot be named here
            points[taught.point.name] = ordered(taught, model.joints)
    return Surroundings(model.joints, slides, frames, tuple(tools), points, q, here, inputs or NoInputs())
