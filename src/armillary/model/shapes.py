"""Shapes as coal holds them: primitives exactly, meshes as their convex hull, and as triangles to confirm."""

from dataclasses import dataclass
from functools import lru_cache

import coal
import numpy as np
from numpy.typing import NDArray

from armillary.description.errors import DescriptionError
from armillary.description.geometry import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from armillary.description.mesh import load_mesh, mesh_damage
from armillary.model.cache import content_hash, load_arrays, store_arrays
from armillary.model.errors import CollisionError

__all__ = ["Hull", "Triangles", "hull_shape", "mesh_digest", "mesh_triangles", "primitive_shape"]

Array = NDArray[np.float64]
_SHEET = 1e-3  # m; the thickness given to what has none
_CONVEX = 1e-6  # m; a mesh whose hull has no room between is convex and needs no second look


def primitive_shape(shape: Shape) -> coal.CollisionGeometry | None:
    """coal's shape of a primitive, or None for a mesh."""
    if isinstance(shape, Box):
        return coal.Box(*shape.size)
    if isinstance(shape, Sphere):
        return coal.Sphere(shape.radius)
    if isinstance(shape, Cylinder):
        return coal.Cylinder(shape.radius, shape.length)
    if isinstance(shape, Capsule):
        return coal.Capsule(shape.radius, shape.length)
    return None


@dataclass(frozen=True, eq=False)
class Hull:
    """A mesh's convex hull as coal holds it."""

    shape: coal.CollisionGeometry
    exact: bool  # the mesh is its hull, so that nothing need be confirmed
    closed: bool  # the mesh encloses a volume


class Triangles:
    """A mesh's triangles: for coal, and to tell whether a point is inside."""

    def __init__(self, vertices: Array, faces: NDArray[np.int64], closed: bool) -> None:
        self.vertices, self.faces = vertices, faces
        self.closed = closed  # an open mesh has no inside: only its surface collides
        self.shape = _bvh(vertices, faces)
        self.low, self.high = vertices.min(axis=0), vertices.max(axis=0)

    def contains(self, point: Array) -> bool:
        """Whether a closed mesh has a point inside [m, its frame]: the solid angle around it is a whole sphere's.

        By van Oosterom and Strackee's formula for the solid angle of a triangle.
        """
        if not self.closed:
            return False
        a, b, c = (self.vertices[self.faces[:, i]] - point for i in range(3))
        la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
        volume = np.einsum("ij,ij->i", a, np.cross(b, c))
        below = la * lb * lc + (a * b).sum(1) * lc + (b * c).sum(1) * la + (c * a).sum(1) * lb
        return bool(abs(2 * np.arctan2(volume, below).sum()) > 2 * np.pi)


@lru_cache(maxsize=512)
def mesh_digest(path: str) -> str:
    """Hash of a mesh file's content.

    Raises:
        CollisionError: It cannot be read, or is no mesh.
    """
    if damage := mesh_damage(path):
        raise CollisionError(f"{path} {damage}; export it again")
    try:
        with open(path, "rb") as file:
            return content_hash(file.read())
    except OSError as error:
        raise CollisionError(f"{path} cannot be read: {error.strerror}; check the mesh") from None


@lru_cache(maxsize=512)
def mesh_triangles(mesh: Mesh) -> Triangles:
    """The triangles of a mesh file, read when first needed.

    Raises:
        CollisionError: The file holds no triangles that can be read.
    """
    if mesh.path is None:
        raise CollisionError(f"{mesh.filename} was not found; run armillary check on the robot")
    try:
        loaded = load_mesh(mesh.path, scale=mesh.scale)
    except DescriptionError as error:
        raise CollisionError(str(error)) from None
    loaded.merge_vertices()
    vertices = np.asarray(loaded.vertices, dtype=float)
    return Triangles(vertices, np.asarray(loaded.faces, dtype=np.int64), bool(loaded.is_watertight))


@lru_cache(maxsize=512)
def hull_shape(mesh: Mesh) -> Hull:
    """The convex hull of a mesh.

    Kept on disk by the mesh's content, since hulls of large meshes take seconds.
    """
    if mesh.path is None:
        raise CollisionError(f"{mesh.filename} was not found; run armillary check on the robot")
    key = content_hash(mesh_digest(mesh.path), repr(mesh.scale), "hull 2")
    kept = load_arrays("hulls", key)
    if kept is None:
        triangles = mesh_triangles(mesh)
        points, faces = _hull(triangles, mesh.filename)
        convex = triangles.closed and _room(triangles, points, faces) < _CONVEX
        kept = {"points": points, "faces": faces, "convex": np.array(convex), "closed": np.array(triangles.closed)}
        store_arrays("hulls", key, kept)
    points, faces = kept["points"].astype(float), kept["faces"].astype(np.int64)
    shape = coal.Convex(_vectors(points), _triangle_list(faces))
    return Hull(shape, exact=bool(kept["convex"]), closed=bool(kept["closed"]))


def _hull(triangles: Triangles, name: str) -> tuple[Array, NDArray[np.int64]]:
    points = _thickened(triangles.vertices)
    # coal takes hulls of the points alone; the faces only have to be there.
    shape = _bvh(points, np.array([[0, 1, 2]]))
    shape.buildConvexHull(True, "Qt")
    convex = shape.convex
    if convex is None or convex.num_points < 4:
        raise CollisionError(f"{name} has no hull; give the link a box or cylinder for collision")
    faces = np.array([[convex.polygons(i)[k] for k in range(3)] for i in range(convex.num_polygons)])
    return np.array(convex.points()), faces.astype(np.int64)


def _thickened(vertices: Array) -> Array:
    """The vertices, with a millimetre of thickness in every direction in which they have none.

    A sheet or a wire has no hull of its own (and coal does not survive being asked for one).
    """
    centred = vertices - vertices.mean(axis=0)
    _, _, axes = np.linalg.svd(centred.T @ centred)
    points = vertices
    for axis in axes:
        width = np.ptp(centred @ axis)
        if width < max(1e-6, 1e-7 * float(np.ptp(centred, axis=0).max())):
            points = np.concatenate([points - axis * _SHEET / 2, points + axis * _SHEET / 2])
    return points


def _room(triangles: Triangles, points: Array, faces: NDArray[np.int64]) -> float:
    """How deep the mesh's surface lies inside its hull at most [m]."""
    a, b, c = (points[faces[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    outward = np.sign(((a - points.mean(axis=0)) * normals).sum(axis=1))
    normals *= np.where(outward == 0, 1.0, outward)[:, None]
    centres = triangles.vertices[triangles.faces].mean(axis=1)
    if len(centres) * len(normals) > 5_000_000:
        return np.inf  # not worth the time: it will be confirmed by its triangles
    depth = ((a * normals).sum(axis=1) - centres @ normals.T).min(axis=1)
    return float(depth.max())


def _bvh(vertices: Array, faces: NDArray[np.int64]) -> coal.BVHModelOBBRSS:
    shape = coal.BVHModelOBBRSS()
    shape.beginModel(len(faces), len(vertices))
    shape.addSubModel(_vectors(vertices), _triangle_list(faces))
    shape.endModel()
    return shape


def _vectors(points: Array) -> coal.StdVec_Vec3s:
    vectors = coal.StdVec_Vec3s()
    vectors.extend(list(points))
    return vectors


def _triangle_list(faces: NDArray[np.int64]) -> coal.StdVec_Triangle:
    triangles = coal.StdVec_Triangle()
    triangles.extend([coal.Triangle(a, b, c) for a, b, c in faces.tolist()])
    return triangles
