"""A robot read and worked out once, before the station's processes part ways: each has all of it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from armillary.description import CellDescription, open_cell
from armillary.description.cell_fit import own_cell
from armillary.description.source import find_source
from armillary.model import Model, Scene, load_model
from armillary.motion import Bounds, MotionLimits, bounds_of, limits_of, scene_of
from armillary.motion.certificate import world_hash
from armillary.runtime.errors import RuntimeProblem
from armillary.runtime.station_settings import StationSettings

__all__ = ["Prepared", "description_of", "home_of", "prepare"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Prepared:
    """A cell, ready to be run.

    Attributes:
        settings: What was asked for.
        model: The robot.
        description: Its cell.toml, where it has one.
        limits: Of its joints.
        scene: The robot among what stands in its cell.
        bounds: What its motions are held to, the scene included.
        start: Where a robot that is not real begins, shape (n,).
    """

    settings: StationSettings
    model: Model
    description: CellDescription | None
    limits: MotionLimits
    scene: Scene
    bounds: Bounds
    start: Array

    @cached_property
    def world(self) -> str:
        """What proofs are bound to."""
        return world_hash(self.model, self.limits, self.scene)


def description_of(source: str) -> CellDescription | None:
    """The cell.toml that a source is, or has beside it."""
    path = find_source(source)
    own = path if path.suffix == ".toml" else own_cell(path)
    return open_cell(own).cell if own is not None else None


def prepare(settings: StationSettings, *, progress: Callable[[str], None] | None = None) -> Prepared:
    """Read a robot and its cell, and find out what can collide.

    Raises:
        ArmillaryError: It cannot be read, or does not fit.
    """
    model = load_model(settings.source, group=settings.group or None)
    if model.n == 0:
        raise RuntimeProblem(f"{settings.source} has no joint that moves; there is nothing to run")
    description = description_of(settings.source)
    limits, scene = limits_of(model), scene_of(description, model, progress=progress)
    bounds = replace(bounds_of(description, model) if description is not None else Bounds(), scene=scene)
    if settings.start:
        start = model.valid(np.array(settings.start), "start")
        if outside := model.outside(start):
            raise RuntimeProblem(f"the start is outside its limits: {outside[0]}")
    else:
        start = home_of(description, model)
    return Prepared(settings, model, description, limits, scene, bounds, start)


def home_of(description: CellDescription | None, model: Model) -> Array:
    """The cell's home, inside the limits; zero where it has none."""
    q = model.zero()
    if description is not None:
        groups = {group.name: group for group in description.groups}
        for state in description.states:
            if state.name == "home":
                for joint, value in zip(groups[state.group].joints, state.q, strict=True):
                    if joint in model.joints:
                        q[model.column(joint)] = value
    return np.clip(q, model.lower, model.upper)
