"""What a cell holds every motion to: its workspace, its motors, its world."""

from collections.abc import Callable

import numpy as np

from armillary.description import CellDescription
from armillary.model import Model, PairSearch, Scene, coupling_from
from armillary.motion.certificate import Bounds

__all__ = ["bounds_of", "scene_of"]


def bounds_of(cell: CellDescription, model: Model) -> Bounds:
    """Workspace and motors of a cell, without its world."""
    space, actuation = cell.workspace, cell.actuation
    driven = actuation is not None and bool(actuation.joints) and set(actuation.joints) <= set(model.joints)
    return Bounds(
        box=np.array([space.box_min, space.box_max]) if space.box_min is not None else None,
        planes=tuple((np.array(plane.point), np.array(plane.normal)) for plane in space.planes),
        tool_speed=space.tool_speed,
        coupling=coupling_from(actuation) if driven and actuation is not None else None,
        motor_velocity=_array(actuation.motor_speed) if driven and actuation is not None else None,
        motor_acceleration=_array(actuation.motor_acceleration) if driven and actuation is not None else None,
    )


def _array(values: tuple[float, ...] | None) -> "np.ndarray[tuple[int], np.dtype[np.float64]] | None":
    return None if values is None else np.array(values)


def scene_of(
    cell: CellDescription | None,
    model: Model,
    *,
    ignored: tuple[tuple[str, str], ...] = (),
    progress: Callable[[str], None] | None = None,
) -> Scene:
    """The robot against itself and against what stands in its cell.

    Args:
        ignored: Pairs that need no check, beside the cell's.
    """
    if cell is None:
        return Scene(model, ignored=ignored, search=PairSearch(), progress=progress)
    ignored = (*cell.ignored_pairs, *ignored)
    scene = Scene(model, ignored=ignored, checked=cell.checked_pairs, search=PairSearch(), progress=progress)
    for thing in cell.world:
        scene.add(thing.name, thing.shape, thing.pose.matrix)
    return scene
