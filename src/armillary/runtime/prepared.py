"""A robot read and worked out once, before the station's processes part ways: each has all of it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from armillary.description import CellDescription, open_cell
from armillary.description.cell_fit import cell_file
from armillary.model import Model, Scene, gravity_torque, load_model
from armillary.motion import Bounds, MotionLimits, bounds_of, limits_of, scene_of
from armillary.motion.certificate import world_hash
from armillary.runtime.errors import RuntimeProblem
from armillary.runtime.station_settings import StationSettings

__all__ = ["Prepared", "description_of", "home_of", "prepare"]

Array = NDArray[np.float64]
_TOUCHES = 5e-4  # m between parts that cannot be moved any more: more than proofs keep
_TRIES = 300  # configurations that are tried where home is none


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
        assumptions: What was assumed, in words.
    """

    settings: StationSettings
    model: Model
    description: CellDescription | None
    limits: MotionLimits
    scene: Scene
    bounds: Bounds
    start: Array
    assumptions: tuple[str, ...] = ()

    @cached_property
    def world(self) -> str:
        """What proofs are bound to."""
        return world_hash(self.model, self.limits, self.scene, self.bounds)


def description_of(source: str) -> CellDescription | None:
    """The cell.toml that a source is, or has beside it."""
    own = cell_file(source)
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
    if settings.start:
        start = model.valid(np.array(settings.start), "start")
        if outside := model.outside(start):
            raise RuntimeProblem(f"the start is outside its limits: {outside[0]}")
    else:
        start = _bearable(model, scene, home_of(description, model))
    scene, said = _without_what_touches(description, model, scene, start)
    unseen = (scene.unseen,) if scene.unseen else ()
    bounds = replace(bounds_of(description, model) if description is not None else Bounds(), scene=scene)
    return Prepared(settings, model, description, limits, scene, bounds, start, (*model.assumptions, *said, *unseen))


def _without_what_touches(
    description: CellDescription | None, model: Model, scene: Scene, start: Array
) -> tuple[Scene, tuple[str, ...]]:
    """The scene without pairs of the robot's own links that overlap where it begins: so its shapes are drawn, and it must move.

    What stands in the cell is never left out.
    """
    links = {link.name for link in model.spec.robot.links}
    touching = scene.contacts(start, inflation=_TOUCHES)
    pairs = tuple((each.first, each.second) for each in touching if each.first in links and each.second in links)
    if not pairs:
        return scene, ()
    said = tuple(
        f"{first} and {second} overlap where it begins: this pair is not checked; a home where they do not "
        "(`armillary new`, states.home) checks it"
        for first, second in pairs
    )
    return scene_of(description, model, ignored=pairs), said


def _bearable(model: Model, scene: Scene, home: Array) -> Array:
    """Where a robot that is not real begins: at home, or where nothing touches and its motors can hold it, if home is not so.

    A description says nothing of where its robot may stand; its zero is often inside itself.
    """

    def free(q: Array) -> bool:
        return bool(scene.free(q, inflation=_TOUCHES))

    def held(q: Array) -> bool:
        return bool((np.abs(gravity_torque(model, q)) <= 0.9 * model.effort).all())

    middle = 0.5 * (np.clip(model.lower, -np.pi, np.pi) + np.clip(model.upper, -np.pi, np.pi))
    rng = np.random.default_rng(0)
    reach = model.random(rng, _TRIES)
    tries = [home, middle, *(home + share * (reach[i] - home) for i, share in enumerate(np.linspace(0.05, 1.0, _TRIES)))]
    tries = [np.clip(q, model.lower, model.upper) for q in tries]
    both = (q for q in tries if free(q) and held(q))
    return next(both, next((q for q in tries if free(q)), home))


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
