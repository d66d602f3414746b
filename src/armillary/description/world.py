"""What stands around a robot: world.toml.

Kept separate from the robot and its cell, since the same robot works in many places.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from armillary.description.errors import InvalidCell, UnreadableFile
from armillary.description.geometry import Box, Capsule, Cylinder, Mesh, Pose, Shape, Sphere
from armillary.description.settings import Settings, read_toml

__all__ = ["Obstacle", "World", "boxes_from_points", "read_world"]

Array = NDArray[np.float64]
_SHAPES = ("box", "sphere", "cylinder", "capsule", "mesh", "points")
_MOST_BOXES = 5000
_Run = tuple[tuple[int, ...], tuple[int, ...]]  # corner and count of voxels


@dataclass(frozen=True)
class Obstacle:
    """Something that must not be touched."""

    name: str
    shape: Shape
    pose: Pose  # T_world_obstacle


@dataclass(frozen=True)
class World:
    """All that stands around a robot."""

    name: str = ""
    obstacles: tuple[Obstacle, ...] = ()


def read_world(path: str | Path) -> World:
    """The world of a file.

    Raises:
        UnreadableFile: It, or a mesh or point cloud that it names, cannot be had.
        InvalidCell: Something in it cannot be taken; says the line and what to do.
    """
    path = Path(path)
    top = read_toml(path)
    top.expect("version", "name", "obstacles")
    top.number("version")
    name = top.string("name", path.stem)
    obstacles: list[Obstacle] = []
    for number, table in enumerate(top.tables("obstacles")):
        obstacles += _obstacle(table, number, path.parent)
    seen: set[str] = set()
    for obstacle in obstacles:
        if obstacle.name in seen:
            raise InvalidCell(str(path), None, f"two obstacles are called '{obstacle.name}'", "give each a name of its own")
        seen.add(obstacle.name)
    return World(name, tuple(obstacles))


def _obstacle(table: Settings, number: int, folder: Path) -> list[Obstacle]:
    table.expect("name", "shape", "size", "radius", "length", "file", "scale", "voxel", "points", "xyz", "rpy")
    name = table.string("name", f"obstacle_{number + 1}")
    kind = table.choice("shape", _SHAPES, "box")
    xyz = table.vector("xyz", 3, (0.0, 0.0, 0.0), units=("", "_mm")) or (0.0, 0.0, 0.0)
    rpy = table.vector("rpy", 3, (0.0, 0.0, 0.0), units=("", "_deg")) or (0.0, 0.0, 0.0)
    pose = Pose((xyz[0], xyz[1], xyz[2]), (rpy[0], rpy[1], rpy[2]))
    if kind == "box":
        size = table.vector("size", 3, units=("", "_mm"))
        if size is None or min(size) <= 0.0:
            raise table.error("size", "a box needs three edge lengths above zero", "write size = [0.1, 0.2, 0.3]")
        return [Obstacle(name, Box((size[0], size[1], size[2])), pose)]
    if kind == "points":
        boxes = boxes_from_points(_points(table, folder), table.number("voxel", 0.05, units=("", "_mm"), above=0.0) or 0.05)
        T = pose.matrix
        placed = []
        for i, (centre, box) in enumerate(boxes):
            x, y, z = (T[:3, :3] @ centre + T[:3, 3]).tolist()
            placed.append(Obstacle(f"{name}_{i + 1}", box, Pose((x, y, z), pose.rpy)))
        return placed
    if kind == "mesh":
        return [Obstacle(name, _mesh(table, folder), pose)]
    radius = table.number("radius", units=("", "_mm"), above=0.0)
    if radius is None:
        raise table.error("radius", f"a {kind} needs a radius", "write radius = 0.1")
    if kind == "sphere":
        return [Obstacle(name, Sphere(radius), pose)]
    length = table.number("length", units=("", "_mm"), above=0.0)
    if length is None:
        raise table.error("length", f"a {kind} needs a length", "write length = 0.5")
    return [Obstacle(name, Cylinder(radius, length) if kind == "cylinder" else Capsule(radius, length), pose)]


def _mesh(table: Settings, folder: Path) -> Mesh:
    name = table.string("file")
    if not name:
        raise table.error("file", "a mesh needs a file", 'write file = "shelf.stl"')
    path = folder / name
    if not path.is_file():
        raise UnreadableFile(path, "does not exist", "check the obstacle's file")
    scale = table.vector("scale", 3, (1.0, 1.0, 1.0)) or (1.0, 1.0, 1.0)
    return Mesh(name, str(path), (scale[0], scale[1], scale[2]))


def _points(table: Settings, folder: Path) -> Array:
    given = table.take("points")
    if given is not None:
        try:
            points = np.array(given, dtype=float).reshape(-1, 3)
        except (TypeError, ValueError):
            raise table.error("points", "they are not rows of three numbers", "write points = [[0.1, 0.2, 0.3], ...]") from None
    else:
        name = table.string("file")
        if not name:
            raise table.error("file", "points need a file or a list", 'write file = "cloud.csv", or points = [[x, y, z], ...]')
        path = folder / name
        try:
            points = (
                np.load(path, allow_pickle=False) if path.suffix == ".npy" else np.loadtxt(path, delimiter=_comma(path), ndmin=2)
            )
        except OSError:
            raise UnreadableFile(path, "cannot be read", "check the obstacle's file") from None
        except ValueError as error:
            raise UnreadableFile(path, f"is no table of numbers ({error})", "give x y z in metres, one point a line") from None
    if points.ndim != 2 or points.shape[1] < 3 or not np.isfinite(points[:, :3]).all():
        raise table.error("points", "they are not rows of three finite numbers", "give x y z in metres")
    return np.asarray(points[:, :3], dtype=float)


def _comma(path: Path) -> str | None:
    with path.open(encoding="utf-8", errors="replace") as file:
        return "," if "," in file.readline() else None


def boxes_from_points(points: Array, voxel: float) -> list[tuple[Array, Box]]:
    """Boxes that hold every point of a cloud (N, 3): its voxels, joined into longer boxes along x, then y, then z.

    Returns:
        Centre (3,) and box of each.
    """
    if len(points) == 0:
        return []
    cells = {tuple(cell) for cell in np.floor(points / voxel).astype(np.int64).tolist()}
    runs: list[_Run] = [(cell, (1, 1, 1)) for cell in sorted(cells)]
    for axis in range(3):
        runs = _merged(runs, axis)
    if len(runs) > _MOST_BOXES:
        raise ValueError(f"the points fill {len(runs)} boxes of {voxel} m; take a larger voxel")
    out = []
    for corner, count in runs:
        size = np.array(count) * voxel
        out.append((np.array(corner) * voxel + 0.5 * size, Box((float(size[0]), float(size[1]), float(size[2])))))
    return out


def _merged(runs: list[_Run], axis: int) -> list[_Run]:
    """Neighbours along an axis that have the same cross-section, as one."""
    order = sorted(runs, key=lambda run: (*(run[0][i] for i in range(3) if i != axis), run[1], run[0][axis]))
    out: list[_Run] = []
    for corner, count in order:
        if out:
            last, size = out[-1]
            same = all(last[i] == corner[i] and size[i] == count[i] for i in range(3) if i != axis)
            if same and last[axis] + size[axis] == corner[axis]:
                out[-1] = (last, tuple(size[i] + (count[i] if i == axis else 0) for i in range(3)))
                continue
        out.append((corner, count))
    return out
