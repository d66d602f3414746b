"""A robot's shapes as coloured triangles, link by link."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.description.errors import DescriptionError
from armillary.description.geometry import Box, Capsule, Cylinder, Geometry, Mesh, Shape, Sphere
from armillary.description.mesh import load_mesh
from armillary.description.robot import Robot

__all__ = ["LinkShape", "link_shapes"]

Array = NDArray[np.float64]
_GREY = (0.72, 0.74, 0.77, 1.0)


@dataclass(frozen=True, eq=False)
class LinkShape:
    """One of a link's shapes. triangles: Shape (n, 3, 3) [m, the link's frame]. colours: Shape (n, 4), 0..1."""

    link: str
    triangles: Array
    colours: Array


def link_shapes(robot: Robot, progress: Callable[[str], None] | None = None, *, around: int = 72) -> Iterator[LinkShape]:
    """What a robot looks like; what it collides with where nothing says how it looks.

    Args:
        progress: Called with a line of text while meshes are read.
        around: Of how many flat sides what is round is made.
    """
    has_looks = any(link.visuals for link in robot.links)
    for number, link in enumerate(robot.links, 1):
        if progress is not None:
            progress(f"reading shapes {number}/{len(robot.links)}")
        for geometry in link.visuals if has_looks else link.collisions:
            local = _triangles(geometry.shape, around)
            if local is None:
                continue
            T = geometry.pose.matrix
            corners = local[0] @ T[:3, :3].T + T[:3, 3]
            yield LinkShape(link.name, corners, _colour(geometry, local[1], len(corners)))


def _colour(geometry: Geometry, own: Array | None, count: int) -> Array:
    material = geometry.material
    if material is not None and material.rgba is not None:
        return np.tile(material.rgba, (count, 1))
    return own if own is not None else np.tile(_GREY, (count, 1))


def _triangles(shape: Shape, around: int) -> tuple[Array, Array | None] | None:
    """Corners of a shape's triangles (n, 3, 3) [m, its frame], and their own colours (n, 4) if it has any."""
    import trimesh.creation

    sides = [2 * around // 3] * 2
    if isinstance(shape, Mesh):
        if shape.path is None:
            return None
        try:
            mesh = load_mesh(shape.path, scale=shape.scale)
        except DescriptionError:
            return None  # `armillary check` names it; a picture of the rest is better than none
        return np.asarray(mesh.triangles), _mesh_colours(mesh)
    if isinstance(shape, Box):
        mesh = trimesh.creation.box(extents=shape.size)
    elif isinstance(shape, Sphere):
        mesh = trimesh.creation.uv_sphere(radius=shape.radius, count=sides)
    elif isinstance(shape, Cylinder):
        mesh = trimesh.creation.cylinder(radius=shape.radius, height=shape.length, sections=around)
    else:
        assert isinstance(shape, Capsule)
        mesh = trimesh.creation.capsule(radius=shape.radius, height=shape.length, count=sides)
        mesh.apply_translation(-mesh.bounds.mean(axis=0))
    return np.asarray(mesh.triangles), None


def _mesh_colours(mesh: object) -> Array | None:
    """Colours of a mesh's faces, 0..1, where its file has any."""
    try:
        colours = np.asarray(mesh.visual.to_color().face_colors) if mesh.visual.kind else None  # type: ignore[attr-defined]
    except (AttributeError, ValueError, ImportError, IndexError):
        return None
    return None if colours is None or colours.ndim != 2 else colours / 255.0
