"""Shapes, materials and places: what a link looks like and what it collides with."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from armillary.spatial import transform_from_xyz_rpy

__all__ = ["Box", "Capsule", "Cylinder", "Geometry", "Material", "Mesh", "Pose", "Shape", "Sphere", "Vector"]

Vector = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Pose:
    """A child frame in its parent, as URDF writes it."""

    xyz: Vector = (0.0, 0.0, 0.0)  # [m]
    rpy: Vector = (0.0, 0.0, 0.0)  # roll, pitch, yaw [rad]: R = Rz(yaw) Ry(pitch) Rx(roll)

    @property
    def matrix(self) -> NDArray[np.float64]:
        """T_parent_child, shape (4, 4)."""
        return transform_from_xyz_rpy(self.xyz, self.rpy)


@dataclass(frozen=True, slots=True)
class Box:
    """A box centred on its frame."""

    size: Vector  # full edge lengths [m]

    @property
    def extents(self) -> Vector:
        return self.size


@dataclass(frozen=True, slots=True)
class Cylinder:
    """A cylinder along its frame's z axis, centred on it."""

    radius: float  # [m]
    length: float  # [m]

    @property
    def extents(self) -> Vector:
        return (2 * self.radius, 2 * self.radius, self.length)


@dataclass(frozen=True, slots=True)
class Capsule:
    """A cylinder with a half sphere on each end, along its frame's z axis, centred on it."""

    radius: float  # [m]
    length: float  # of the cylindrical part [m]

    @property
    def extents(self) -> Vector:
        return (2 * self.radius, 2 * self.radius, self.length + 2 * self.radius)


@dataclass(frozen=True, slots=True)
class Sphere:
    """A sphere centred on its frame."""

    radius: float  # [m]

    @property
    def extents(self) -> Vector:
        return (2 * self.radius, 2 * self.radius, 2 * self.radius)


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """A triangle mesh in a file. Two meshes are equal when they are the same file at the same scale."""

    filename: str  # as the description writes it
    path: str | None  # where it was found, or None
    scale: Vector = (1.0, 1.0, 1.0)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mesh):
            return NotImplemented
        mine, theirs = self.path or self.filename, other.path or other.filename
        return mine == theirs and self.scale == other.scale

    def __hash__(self) -> int:
        return hash((self.path or self.filename, self.scale))


Shape = Box | Capsule | Cylinder | Mesh | Sphere


@dataclass(frozen=True, slots=True)
class Material:
    """A colour, and where given a texture."""

    name: str = ""
    rgba: tuple[float, float, float, float] | None = None  # each 0..1
    texture: str | None = None


@dataclass(frozen=True, slots=True)
class Geometry:
    """A shape at its place in a link's frame: something drawn (visual) or collided with (collision)."""

    shape: Shape
    pose: Pose = field(default_factory=Pose)  # T_link_shape
    name: str = ""
    material: Material | None = None
