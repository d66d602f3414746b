"""Mesh files: a quick guess of their size, and their triangles.

The size comes from a sample of the file's vertices. It only serves to tell millimetres from metres, and it
must not cost the seconds that reading every mesh whole would take.
"""

import os
import re
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armillary.description.errors import UnreadableFile

if TYPE_CHECKING:
    import trimesh

__all__ = ["collada_unit", "load_mesh", "looks_broken", "sampled_extents"]

_SAMPLE_BYTES = 200_000
_SAMPLE_TRIANGLES = 320
_SAMPLE_PLACES = 8  # spread over the file, so that no corner of the shape is missed
_NUMBER = rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_STL_VERTEX = re.compile(rb"vertex\s+(" + _NUMBER + rb")\s+(" + _NUMBER + rb")\s+(" + _NUMBER + rb")")
_OBJ_VERTEX = re.compile(rb"(?m)^v\s+(" + _NUMBER + rb")\s+(" + _NUMBER + rb")\s+(" + _NUMBER + rb")")
_DAE_UNIT = re.compile(rb"<unit[^>]*\bmeter\s*=\s*[\"'](" + _NUMBER + rb")[\"']")
_DAE_POSITIONS = re.compile(rb"<float_array[^>]*>\s*((?:" + _NUMBER + rb"\s+){3,})")

Array = NDArray[np.float64]


def sampled_extents(path: str) -> Array | None:
    """Edge lengths of the box around a sample of a mesh's vertices, shape (3,) [m as the file means it].

    Returns:
        None where the format has no quick way or the file holds no vertices.
    """
    suffix = os.path.splitext(path)[1].lower()
    try:
        if suffix == ".stl":
            vertices = _stl_vertices(path)
        elif suffix == ".obj":
            vertices = _matched(_OBJ_VERTEX, _head(path))
        elif suffix == ".dae":
            vertices = _dae_vertices(path)
        else:
            return None
    except (OSError, ValueError):
        return None
    if vertices is None or len(vertices) == 0 or not np.isfinite(vertices).all():
        return None
    extents: Array = vertices.max(axis=0) - vertices.min(axis=0)
    return extents


def looks_broken(path: str) -> bool:
    """Whether a mesh file surely holds no vertices: it was looked at whole, and there were none."""
    if os.path.splitext(path)[1].lower() not in (".stl", ".obj", ".dae") or sampled_extents(path) is not None:
        return False
    try:
        return os.path.getsize(path) <= _SAMPLE_BYTES
    except OSError:
        return True


def load_mesh(path: str, *, scale: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> "trimesh.Trimesh":
    """The triangles of a mesh file as one mesh, scaled, in metres.

    Raises:
        UnreadableFile: The file holds no triangles that can be read.
    """
    import trimesh

    try:
        mesh = trimesh.load(path, force="mesh", process=False)
    except Exception as error:  # trimesh raises whatever its parsers do
        raise UnreadableFile(path, f"is not a mesh that can be read: {error}", "export it again") from None
    if not isinstance(mesh, trimesh.Trimesh) or len(mesh.faces) == 0:
        raise UnreadableFile(path, "holds no triangles", "export it again")
    if not np.isfinite(mesh.vertices).all():
        raise UnreadableFile(path, "holds vertices that are not finite", "export it again")
    unit = collada_unit(path)
    mesh.apply_scale([unit * factor for factor in scale])
    return mesh


def collada_unit(path: str) -> float:
    """Metres in the unit that a Collada file says it is drawn in, which its reader leaves to us; 1 for other files."""
    if os.path.splitext(path)[1].lower() != ".dae":
        return 1.0
    unit = _DAE_UNIT.search(_head(path))
    return float(unit.group(1)) if unit else 1.0


def _head(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.read(_SAMPLE_BYTES) or b""


def _stl_vertices(path: str) -> Array | None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        size = os.fstat(descriptor).st_size
        head = os.pread(descriptor, 84, 0)
        count = int.from_bytes(head[80:84], "little") if len(head) == 84 else 0
        # Some binary files begin with "solid" too: the length tells.
        if count and size >= 84 + 50 * count:
            per_place = min(count, _SAMPLE_TRIANGLES // _SAMPLE_PLACES)
            starts = {(count - per_place) * place // (_SAMPLE_PLACES - 1) for place in range(_SAMPLE_PLACES)}
            data = b"".join(os.pread(descriptor, 50 * per_place, 84 + 50 * start) for start in starts)
            # A triangle has 50 bytes: normal, three corners, and two more.
            rows = np.frombuffer(data, dtype=np.uint8).reshape(-1, 50)[:, 12:48]
            return np.ascontiguousarray(rows).view("<f4").reshape(-1, 3).astype(float)
        return _matched(_STL_VERTEX, os.pread(descriptor, _SAMPLE_BYTES, 0))
    finally:
        os.close(descriptor)


def _dae_vertices(path: str) -> Array | None:
    positions = _DAE_POSITIONS.search(_head(path))
    if positions is None:
        return None
    numbers = np.array(positions.group(1).split()[: 3 * _SAMPLE_TRIANGLES], dtype=float)
    vertices = numbers[: len(numbers) // 3 * 3].reshape(-1, 3)
    return vertices * collada_unit(path)


def _matched(pattern: re.Pattern[bytes], data: bytes) -> Array | None:
    found = pattern.findall(data)
    return np.array(found, dtype=float) if found else None
