"""Triangles to pixels with a depth buffer, compiled: for pictures that come thirty a second."""

import math

import numpy as np
from numpy.typing import NDArray

from armillary.model.compiled import compiled

__all__ = ["darken_edges", "draw_triangles", "halve"]

Array = NDArray[np.float64]
Pixels = NDArray[np.uint8]


@compiled()
def draw_triangles(
    triangles: Array, colours: Array, parts: NDArray[np.int64], poses: Array, R: Array, eye: Array, focal: float,
    light: Array, fill: Array, picture: Pixels, depth: NDArray[np.float32],
) -> None:  # fmt: skip
    """Draw triangles, the nearest in front.

    Args:
        triangles: Shape (n, 3, 3) [m, in the frame of its part]. colours: Shape (n, 3), 0..255.
        parts: Of each triangle: which of the poses is its frame's, shape (n,). poses: T_world_part, shape (parts, 4, 4).
        R, eye, focal: The camera, as `Camera` has them. light, fill: Where light comes from, unit.
        picture: Shape (height, width, 3). depth: Shape (height, width); what is nearer is drawn over.
    """
    height, width = depth.shape
    world, seen = np.empty((3, 3)), np.empty((3, 3))
    for t in range(len(triangles)):
        T = poses[parts[t]]
        behind = False
        for c in range(3):
            for i in range(3):
                world[c, i] = T[i, 0] * triangles[t, c, 0] + T[i, 1] * triangles[t, c, 1] + T[i, 2] * triangles[t, c, 2] + T[i, 3]
            x, y, z = world[c, 0] - eye[0], world[c, 1] - eye[1], world[c, 2] - eye[2]
            away = R[2, 0] * x + R[2, 1] * y + R[2, 2] * z
            behind = behind or away < 1e-6
            away = max(away, 1e-6)
            seen[c, 0] = (R[0, 0] * x + R[0, 1] * y + R[0, 2] * z) / away * focal + 0.5 * width
            seen[c, 1] = (R[1, 0] * x + R[1, 1] * y + R[1, 2] * z) / away * focal + 0.5 * height
            seen[c, 2] = away
        left = max(math.floor(min(seen[0, 0], seen[1, 0], seen[2, 0])), 0)
        right = min(math.ceil(max(seen[0, 0], seen[1, 0], seen[2, 0])), width - 1)
        top = max(math.floor(min(seen[0, 1], seen[1, 1], seen[2, 1])), 0)
        bottom = min(math.ceil(max(seen[0, 1], seen[1, 1], seen[2, 1])), height - 1)
        area = (seen[1, 0] - seen[0, 0]) * (seen[2, 1] - seen[0, 1]) - (seen[2, 0] - seen[0, 0]) * (seen[1, 1] - seen[0, 1])
        if behind or left > right or top > bottom or abs(area) < 1e-9:
            continue
        shade = -1.0
        for row in range(top, bottom + 1):
            for column in range(left, right + 1):
                px, py = column + 0.5, row + 0.5
                a = ((seen[1, 0] - px) * (seen[2, 1] - py) - (seen[2, 0] - px) * (seen[1, 1] - py)) / area
                b = ((seen[2, 0] - px) * (seen[0, 1] - py) - (seen[0, 0] - px) * (seen[2, 1] - py)) / area
                c = 1.0 - a - b
                if a < -1e-9 or b < -1e-9 or c < -1e-9:
                    continue
                away = a * seen[0, 2] + b * seen[1, 2] + c * seen[2, 2]
                if away >= depth[row, column]:
                    continue
                if shade < 0.0:
                    shade = _brightness(world, eye, light, fill)
                depth[row, column] = away
                for k in range(3):
                    picture[row, column, k] = np.uint8(min(shade * colours[t, k], 255.0))


@compiled()
def _brightness(world: Array, eye: Array, light: Array, fill: Array) -> float:
    """Of a triangle, whichever way it faces."""
    ax, ay, az = world[1, 0] - world[0, 0], world[1, 1] - world[0, 1], world[1, 2] - world[0, 2]
    bx, by, bz = world[2, 0] - world[0, 0], world[2, 1] - world[0, 1], world[2, 2] - world[0, 2]
    nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    if size < 1e-30:
        return 0.45
    if nx * (eye[0] - world[0, 0]) + ny * (eye[1] - world[0, 1]) + nz * (eye[2] - world[0, 2]) < 0.0:
        size = -size
    bright = max((nx * light[0] + ny * light[1] + nz * light[2]) / size, 0.0)
    filled = max((nx * fill[0] + ny * fill[1] + nz * fill[2]) / size, 0.0)
    return 0.45 + 0.5 * bright + 0.16 * filled


@compiled()
def darken_edges(picture: Pixels, depth: NDArray[np.float32], step: float) -> None:
    """A thin darker line where one part stands before another by more than a step [m]."""
    height, width = depth.shape
    for row in range(1, height):
        for column in range(1, width):
            here, above, beside = depth[row, column], depth[row - 1, column], depth[row, column - 1]
            if here < 1e6 and max(abs(here - above), abs(here - beside)) > step:
                for k in range(3):
                    picture[row, column, k] = np.uint8(0.62 * picture[row, column, k])


@compiled()
def halve(picture: Pixels, out: Pixels) -> None:
    """A picture of half the size, each pixel the mean of four."""
    for row in range(out.shape[0]):
        for column in range(out.shape[1]):
            for k in range(3):
                total = 2
                for i in range(2):
                    for j in range(2):
                        total += int(picture[2 * row + i, 2 * column + j, k])
                out[row, column, k] = np.uint8(total // 4)
