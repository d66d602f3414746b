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

__all__ = ["collada_unit", "load_mesh", "mesh_damage", "sampled_extents"]

_SAMPLE_BYTES = 200_000
_LARGEST = 1 << 30  # bytes; the largest real meshes of links have 100 MB
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
        None where the format has no quick way, or the file holds no vertices, or nothing but zeros.
    """
    try:
        vertices = _sampled(path)
    except (OSError, ValueError):
        return None
    if vertices is None or len(vertices) == 0 or not np.isfinite(vertices).all():
        return None
    extents: Array = vertices.max(axis=0) - vertices.min(axis=0)
    return None if _only_zeros(path, vertices) else extents


def mesh_damage(path: str) -> str:
    """Why a mesh file surely cannot be used, by what a sample of it tells, in words; "" where nothing speaks against it."""
    try:
        size = os.path.getsize(path)
        if size > _LARGEST:
            return f"has {size >> 20} MB, more than any shape of a link"
        vertices = _sampled(path)
        if vertices is not None and len(vertices):
            if not np.isfinite(vertices).all():
                return "holds vertices that are not finite"
            return "holds nothing but zeros" if _only_zeros(path, vertices) else ""
        suffix = os.path.splitext(path)[1].lower()
        if suffix not in (".stl", ".obj", ".dae"):
            return "" if size else "is empty"
        # An STL begins with its vertices; in other formats they may come late, but no NUL comes before them.
        if suffix == ".stl" or size <= _SAMPLE_BYTES or b"\0" in _head(path):
            return _stl_cut(path, size) or "holds no vertices"
    except (OSError, ValueError) as error:
        return f"cannot be read: {error}"
    return ""


def _only_zeros(path: str, vertices: Array) -> bool:
    """Whether an STL has room for triangles, and nothing was written there: a full disk leaves such files."""
    return path.lower().endswith(".stl") and not vertices.any()


def _stl_cut(path: str, size: int) -> str:
    """That a binary STL ends before its last triangle, in words; "" for any other file."""
    head = _head(path)[:84]
    count = int.from_bytes(head[80:84], "little")
    if not path.lower().endswith(".stl") or len(head) < 84 or count == 0 or head.lstrip().startswith(b"solid"):
        return ""
    return f"is cut off: it says that it has {count} triangles, and has room for {(size - 84) // 50}"


def _sampled(path: str) -> Array | None:
    """A sample of the vertices, shape (k, 3); None where there are none, or the format has no quick way."""
    suffix = os.path.splitext(path)[1].lower()
    if suffix == ".stl":
        return _stl_vertices(path)
    if suffix == ".obj":
        return _matched(_OBJ_VERTEX, _head(path))
    return _dae_vertices(path) if suffix == ".dae" else None


def load_mesh(path: str, *, scale: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> "trimesh.Trimesh":
    """The triangles of a mesh file as one mesh, scaled, in metres.

    Raises:
        UnreadableFile: The file holds no triangles that can be read.
    """
    import trimesh

    if damage := mesh_damage(path):
        raise UnreadableFile(path, damage, "export it again")
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
