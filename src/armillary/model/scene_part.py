"""One shape of a scene: a part of a link or of an obstacle."""

from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from armillary.description.geometry import Mesh, Shape
from armillary.model.shapes import mesh_triangles

__all__ = ["Part", "is_inside"]

Array = NDArray[np.float64]
_ORIGIN = np.zeros(3)


@dataclass
class Part:
    """One shape of a scene: of a link or an obstacle."""

    owner: str  # link or obstacle
    shape: Shape
    carrier: int  # moving joint that carries it, -1 for the world
    T_carrier_shape: Array
    exact: bool  # its hull is itself


def is_inside(inner: Part, T_inner: pin.SE3, outer: Part, T_outer: pin.SE3) -> bool:
    """Whether a part lies wholly inside another, which is a closed mesh."""
    if not isinstance(outer.shape, Mesh) or outer.exact:
        return False
    solid = mesh_triangles(outer.shape)
    corner = mesh_triangles(inner.shape).vertices[0] if isinstance(inner.shape, Mesh) else _ORIGIN
    point = T_outer.actInv(T_inner.act(corner))
    # Outside the box around the mesh it is not inside the mesh, and that is quickly seen.
    if not solid.low[0] <= point[0] <= solid.high[0] or not solid.low[1] <= point[1] <= solid.high[1]:
        return False
    return bool(solid.low[2] <= point[2] <= solid.high[2]) and solid.contains(point)
