"""A picture of a robot: its shapes in one configuration, shaded, on the floor."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from armillary.description.robot import Robot
from armillary.interfaces.plots.raster import Camera, coverage, rasterise
from armillary.interfaces.plots.robot_shapes import link_shapes

__all__ = ["draw_robot"]

Array = NDArray[np.float64]
_PAPER = np.array([0.97, 0.97, 0.965])
_LIGHT = np.array([0.35, -0.45, 0.82])
_FILL = np.array([-0.7, -0.3, 0.35])
_AXES = (("x", "#d62728"), ("y", "#2ca02c"), ("z", "#1f77b4"))


def draw_robot(
    robot: Robot, out: Path, *, positions: dict[str, float] | None = None, frames: tuple[str, ...] = (),
    progress: Callable[[str], None] | None = None,
) -> Path:  # fmt: skip
    """Draw a robot into a PNG, SVG or PDF file.

    Args:
        out: The file to write; its suffix is the format.
        positions: Joint positions by name [rad or m]; the others are at zero.
        frames: Links whose frames are drawn beside the root's.
        progress: Called with a line of text while meshes are read.

    Returns:
        The file written.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    poses = robot.poses(positions)
    triangles, colours = _scene(robot, poses, progress)
    if len(triangles) == 0:
        triangles, colours = _skeleton(robot, poses)
    low, high = triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))
    width, height = 1000, 1000
    camera = Camera.looking_at(triangles.reshape(-1, 3), width=2 * width, height=2 * height)
    picture = _shade(triangles, colours, camera, float(low[2]))
    picture = picture.reshape(height, 2, width, 2, 3).mean(axis=(1, 3))  # two by two: smooth edges

    figure = plt.figure(figsize=(8, 8.5), facecolor=tuple(_PAPER))
    axes = figure.add_axes((0.0, 0.0, 1.0, 8 / 8.5))
    axes.imshow(picture, interpolation="lanczos")
    axes.set_axis_off()
    size = 0.09 * float(np.linalg.norm(high - low))
    for name in dict.fromkeys((robot.root.name, *frames)):
        _draw_frame(axes, poses[name], camera, size)
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    figure.text(0.04, 0.955, robot.name, fontsize=20, fontweight="bold", color="#222222", va="center", parse_math=False)
    figure.text(0.96, 0.955, _caption(robot, high - low), fontsize=11, color="#555555", va="center", ha="right")
    try:
        figure.savefig(out, dpi=125, facecolor=figure.get_facecolor())
    finally:
        plt.close(figure)
    return out


def _caption(robot: Robot, size: Array) -> str:
    parts = [f"{robot.dof} DOF", f"{len(robot.links)} links"]
    if robot.mass > 0:
        parts.append(f"{robot.mass:.1f} kg")
    return "  ·  ".join([*parts, " × ".join(f"{value:.2f}" for value in size) + " m"])


def _scene(robot: Robot, poses: dict[str, Array], progress: Callable[[str], None] | None) -> tuple[Array, Array]:
    """All triangles (n, 3, 3) [m, world] and their colours (n, 4)."""
    parts = list(link_shapes(robot, progress))
    if not parts:
        return np.zeros((0, 3, 3)), np.zeros((0, 4))
    corners = [part.triangles @ poses[part.link][:3, :3].T + poses[part.link][:3, 3] for part in parts]
    return np.concatenate(corners), np.concatenate([part.colours for part in parts])


def _skeleton(robot: Robot, poses: dict[str, Array]) -> tuple[Array, Array]:
    """Rods from joint to joint, for a robot without shapes."""
    import trimesh.creation

    points = {name: T[:3, 3] for name, T in poses.items()}
    spread = max(float(np.ptp(np.array(list(points.values())), axis=0).max()), 0.1)
    parts = [np.asarray(trimesh.creation.icosphere(radius=spread / 50).triangles) + p for p in points.values()]
    for joint in robot.joints:
        start, end = points[joint.parent], points[joint.child]
        if np.linalg.norm(end - start) > 1e-6:
            rod = trimesh.creation.cylinder(radius=spread / 90, segment=[start, end], sections=32)
            parts.append(np.asarray(rod.triangles))
    triangles = np.concatenate(parts)
    return triangles, np.tile((0.35, 0.42, 0.5, 1.0), (len(triangles), 1))


def _shade(triangles: Array, colours: Array, camera: Camera, floor: float) -> Array:
    """The picture, (height, width, 3), 0..1."""
    number, depth = rasterise(triangles, camera)
    picture = np.tile(_PAPER, (camera.height, camera.width, 1))
    picture *= 1.0 - 0.30 * _shadow(triangles, camera, floor)[..., None]

    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    toward = camera.eye - triangles.mean(axis=1)
    normals *= np.where((normals * toward).sum(axis=1) < 0, -1.0, 1.0)[:, None]  # meshes face either way
    light = _LIGHT / np.linalg.norm(_LIGHT)
    fill = _FILL / np.linalg.norm(_FILL)
    brightness = 0.45 + 0.50 * np.maximum(normals @ light, 0) + 0.16 * np.maximum(normals @ fill, 0)
    shaded = np.clip(colours[:, :3] * brightness[:, None], 0, 1)
    seen = number >= 0
    picture[seen] = shaded[number[seen]]
    return _with_edges(picture, depth)


def _shadow(triangles: Array, camera: Camera, floor: float) -> Array:
    """How much of the light each point of the floor misses, blurred, (height, width), 0..1."""
    flat = triangles.copy()
    slope = _LIGHT[:2] / _LIGHT[2] * 0.6
    flat[..., :2] -= (flat[..., 2:] - floor) * slope
    flat[..., 2] = floor
    mask = coverage(flat, camera).astype(float)
    reach = camera.width // 120
    for axis in (0, 1):
        total = np.cumsum(np.pad(mask, [(reach + 1, reach) if a == axis else (0, 0) for a in (0, 1)]), axis=axis)
        size = mask.shape[axis]
        upper = np.take(total, np.arange(2 * reach + 1, size + 2 * reach + 1), axis=axis)
        mask = (upper - np.take(total, np.arange(size), axis=axis)) / (2 * reach + 1)
    return mask


def _with_edges(picture: Array, depth: Array) -> Array:
    """A thin darker line where one part stands in front of another."""
    far = np.where(np.isfinite(depth), depth, depth[np.isfinite(depth)].max() * 1.5 if np.isfinite(depth).any() else 1)
    step = np.zeros_like(far)
    step[:, 1:] = np.maximum(step[:, 1:], np.abs(np.diff(far, axis=1)))
    step[1:, :] = np.maximum(step[1:, :], np.abs(np.diff(far, axis=0)))
    edge = (step > 0.012 * float(np.median(far)) / 3) & np.isfinite(depth)
    picture[edge] *= 0.62
    return picture


def _draw_frame(axes: object, T: Array, camera: Camera, size: float) -> None:
    """A frame's three axes over the picture."""
    origin = camera.project(T[:3, 3])[:2] / 2
    for column, (label, colour) in enumerate(_AXES):
        end = camera.project(T[:3, 3] + T[:3, column] * size)[:2] / 2
        axes.plot([origin[0], end[0]], [origin[1], end[1]], color=colour, linewidth=2.2, solid_capstyle="round")  # type: ignore[attr-defined]
        axes.text(*(end + (end - origin) * 0.08), label, color=colour, fontsize=8, ha="center", va="center")  # type: ignore[attr-defined]
