"""Triangles to pixels with a depth buffer, in NumPy: right hidden surfaces at any number of triangles.

Each triangle is covered with a grid of points no further apart than a pixel; the nearest point of each pixel
wins. Triangles are handled in batches of like size, so half a million of them take about a second, which
matplotlib's sorted polygons do not manage and do not get right.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Camera", "coverage", "rasterise"]

Array = NDArray[np.float64]
_NOTHING = np.int64(2**62)
_MAX_POINTS = 2_000_000  # points in one batch
_MAX_STEPS = 10_000  # more than the largest size that edges are rounded to


@dataclass(frozen=True)
class Camera:
    """A perspective view of a box: where points of the world fall in the picture."""

    R_camera_world: Array  # (3, 3); x right, y down, z away from the eye
    eye: Array  # (3,) [m, world]
    focal: float  # [px]
    width: int  # [px]
    height: int  # [px]

    @staticmethod
    def looking_at(
        points: Array, *, width: int, height: int, azimuth: float = -0.9, elevation: float = 0.32, margin: float = 0.1
    ) -> "Camera":
        """A camera that shows all points (n, 3) [m, world], from the side and above [rad].

        Args:
            margin: The part of the picture left free at each side.
        """
        away = -np.array([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)])
        right = np.cross(away, [0.0, 0.0, 1.0])
        right /= np.linalg.norm(right)
        R = np.stack([right, np.cross(away, right), away])
        low, high = points.min(axis=0), points.max(axis=0)
        radius = max(float(np.linalg.norm(high - low)) / 2, 1e-6)
        distance = radius * 6.0  # far enough that little is foreshortened
        eye = (low + high) / 2 - away * distance
        seen = (points - eye) @ R.T
        spread = seen[:, :2] / seen[:, 2:]
        # Move the eye sideways until what is seen lies in the middle, then fill the picture.
        middle = (spread.min(axis=0) + spread.max(axis=0)) / 2
        eye = eye + (middle[0] * R[0] + middle[1] * R[1]) * distance
        seen = (points - eye) @ R.T
        reach = np.abs(seen[:, :2] / seen[:, 2:]).max(axis=0)
        focal = (0.5 - margin) / max(reach[0] / width, reach[1] / height, 1e-9)
        return Camera(R, eye, float(focal), width, height)

    def project(self, points: Array) -> Array:
        """Column, row [px] and depth [m] of points of the world, shape (..., 3)."""
        seen = (points - self.eye) @ self.R_camera_world.T
        depth = np.maximum(seen[..., 2:3], 1e-6)
        pixels = seen[..., :2] / depth * self.focal + [self.width / 2, self.height / 2]
        return np.concatenate([pixels, depth], axis=-1)


def rasterise(triangles: Array, camera: Camera) -> tuple[NDArray[np.int64], Array]:
    """Which triangle is seen at each pixel.

    Args:
        triangles: Corners, shape (n, 3, 3) [m, world].

    Returns:
        Triangle numbers, shape (height, width), -1 where there is none; and their depth [m], inf there.
    """
    buffer = np.full(camera.width * camera.height, _NOTHING, dtype=np.int64)
    corners = camera.project(triangles)
    near, far = float(corners[..., 2].min()), float(corners[..., 2].max())
    scale = (2**29 - 1) / max(far - near, 1e-9)
    for numbers, points in _sampled(corners):
        column = np.floor(points[..., 0]).astype(np.int64)
        row = np.floor(points[..., 1]).astype(np.int64)
        inside = (column >= 0) & (column < camera.width) & (row >= 0) & (row < camera.height)
        # Depth above, number below, in one integer: the smallest is the nearest.
        key = (((points[..., 2] - near) * scale).astype(np.int64) << 32) | numbers[:, None]
        np.minimum.at(buffer, (row * camera.width + column)[inside], key[inside])
    seen = buffer != _NOTHING
    number = np.where(seen, buffer & 0xFFFFFFFF, -1)
    depth = np.where(seen, (buffer >> 32) / scale + near, np.inf)
    shape = (camera.height, camera.width)
    return number.reshape(shape), depth.reshape(shape)


def coverage(triangles: Array, camera: Camera) -> NDArray[np.bool_]:
    """Where any of the triangles falls in the picture, shape (height, width)."""
    number, _ = rasterise(triangles, camera)
    covered: NDArray[np.bool_] = number >= 0
    return covered


def _sampled(corners: Array) -> Iterator[tuple[NDArray[np.int64], Array]]:
    """Batches of (numbers of triangles, points on them), points no further apart than a pixel.

    A triangle is walked from the corner opposite its shortest edge towards that edge, and across. Long thin ones, of which
    cylinders are made, then take few points.
    """
    edges = np.linalg.norm(corners[:, [2, 0, 1], :2] - corners[:, [1, 2, 0], :2], axis=2)  # opposite each corner
    apex = edges.argmin(axis=1)
    order = (apex[:, None] + np.arange(3)) % 3
    turned = np.take_along_axis(corners, order[:, :, None], axis=1)
    along, across = _rounded(edges.max(axis=1)), _rounded(edges.min(axis=1))
    kinds = along * _MAX_STEPS + across
    for kind in np.unique(kinds):
        numbers = np.flatnonzero(kinds == kind)
        grid = _grid(int(kind // _MAX_STEPS), int(kind % _MAX_STEPS))
        per_batch = max(1, _MAX_POINTS // len(grid))
        for start in range(0, len(numbers), per_batch):
            chosen = numbers[start : start + per_batch]
            yield chosen, grid @ turned[chosen]


def _rounded(lengths: Array) -> NDArray[np.int64]:
    """Steps of at most a pixel for edges of these lengths, rounded up to one of few sizes: few batches, little waste."""
    known = np.unique(np.ceil(np.sqrt(2.0) ** np.arange(24)).astype(np.int64))
    steps = np.maximum(1, np.ceil(lengths)).astype(np.int64)
    return known[np.minimum(np.searchsorted(known, steps), len(known) - 1)]


def _grid(along: int, across: int) -> Array:
    """Barycentric coordinates of points from the first corner to the opposite edge, and along that edge. Shape (m, 3)."""
    grid = np.meshgrid(np.linspace(0, 1, along + 1), np.linspace(0, 1, across + 1), indexing="ij")
    s, t = (values.ravel() for values in grid)
    return np.stack([1 - s, s * (1 - t), s * t], axis=1)
