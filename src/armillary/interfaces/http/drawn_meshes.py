"""Meshes for browsers: whatever format a description names, as binary glTF (GLB), converted once when first asked for."""

import hashlib
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.description.errors import UnreadableFile
from armillary.description.geometry import Capsule, Mesh, Vector
from armillary.description.mesh import collada_unit

if TYPE_CHECKING:
    import trimesh

__all__ = ["DrawnMesh", "DrawnMeshes", "Glb"]

Colour = tuple[float, float, float, float]
_PLAIN: Colour = (0.75, 0.76, 0.78, 1.0)  # of what nobody gave a colour
_OWN_LINEAR = (".glb", ".gltf")  # whose colours are as glTF wants them already
_UNSCALED: Vector = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class DrawnMesh:
    """What one GLB shows.

    Attributes:
        shape: A file's triangles, or a capsule, which browsers have no primitive for.
        rgba: The colour of what has none of its own, each 0 to 1 as screens take it (sRGB).
        scale: Applied to the file's vertices.
    """

    shape: Mesh | Capsule
    rgba: Colour | None = None
    scale: Vector = _UNSCALED


@dataclass(frozen=True)
class Glb:
    """A converted mesh; its tag tells whether a browser has it already."""

    data: bytes
    tag: str


class DrawnMeshes:
    """Meshes with numbers, counted from 0. Safe for many threads."""

    def __init__(self) -> None:
        self._numbers: dict[DrawnMesh, int] = {}
        self._made: dict[int, Glb] = {}
        self._by_content: dict[str, Glb] = {}
        self._making = threading.Lock()  # one at a time: a page asks for all at once, and the cores are the robot's

    def __len__(self) -> int:
        return len(self._numbers)

    def number(self, mesh: DrawnMesh) -> int:
        """The number of a mesh; the same for the same one."""
        return self._numbers.setdefault(mesh, len(self._numbers))

    def glb(self, number: int) -> Glb:
        """A mesh as GLB.

        Raises:
            UnreadableFile: Its file is gone, or holds no triangles.
        """
        with self._making:
            if number not in self._made:
                mesh = next(mesh for mesh, own in self._numbers.items() if own == number)
                tag = _tag(mesh)
                if tag not in self._by_content:
                    self._by_content[tag] = Glb(_converted(mesh), tag)
                self._made[number] = self._by_content[tag]
            return self._made[number]


def _tag(mesh: DrawnMesh) -> str:
    """A hash of all that the GLB follows from."""
    kind = repr((mesh.shape if isinstance(mesh.shape, Capsule) else Path(_path(mesh.shape)).suffix, mesh.rgba, mesh.scale))
    found = hashlib.sha256(kind.encode())
    if isinstance(mesh.shape, Mesh):
        try:
            found.update(Path(_path(mesh.shape)).read_bytes())
        except OSError as error:
            raise UnreadableFile(_path(mesh.shape), f"cannot be read: {error.strerror}", "put it back") from None
    return found.hexdigest()[:32]


def _path(mesh: Mesh) -> str:
    if mesh.path is None:
        raise UnreadableFile(mesh.filename, "was not found", "check the mesh's name in the description")
    return mesh.path


def _converted(mesh: DrawnMesh) -> bytes:
    import trimesh

    if isinstance(mesh.shape, Capsule):
        scene = trimesh.Scene(trimesh.creation.capsule(height=mesh.shape.length, radius=mesh.shape.radius, count=[24, 24]))
        # trimesh stands it on its lower half sphere's centre, ours is centred.
        centre = np.eye(4)
        centre[2, 3] = -float(scene.bounds[:, 2].mean())
        scene.apply_transform(centre)
    else:
        scene = _loaded(_path(mesh.shape))
    if mesh.scale != _UNSCALED:
        scene.apply_transform(np.diag([*mesh.scale, 1.0]))
    linear = isinstance(mesh.shape, Mesh) and Path(_path(mesh.shape)).suffix.lower() in _OWN_LINEAR
    for geometry in scene.geometry.values():
        _colour(geometry, mesh.rgba or _PLAIN, linear)
    data: bytes = scene.export(file_type="glb")
    return data


def _loaded(path: str) -> "trimesh.Scene":
    """A mesh file with its parts and their materials, in metres."""
    import trimesh

    try:
        scene = trimesh.load_scene(path, process=False)
    except Exception as error:  # trimesh raises whatever its parsers do
        raise UnreadableFile(path, f"is not a mesh that can be read: {error}", "export it again") from None
    meshes = {name: each for name, each in scene.geometry.items() if isinstance(each, trimesh.Trimesh) and len(each.faces)}
    if not meshes or not all(np.isfinite(each.vertices).all() for each in meshes.values()):
        raise UnreadableFile(path, "holds no triangles, or some that are not finite", "export it again")
    scene.delete_geometry([name for name in scene.geometry if name not in meshes])
    if (unit := collada_unit(path)) != 1.0:
        scene.apply_transform(np.diag([unit, unit, unit, 1.0]))
    return scene


def _colour(mesh: Any, rgba: Colour, linear: bool) -> None:
    """Give a part a colour if it has none, and its colours as glTF wants them."""
    from trimesh.visual import TextureVisuals
    from trimesh.visual.material import PBRMaterial

    if not mesh.visual.defined:
        mesh.merge_vertices()  # STL repeats each corner: a third of the size without
        mesh.visual = TextureVisuals(
            material=PBRMaterial(
                baseColorFactor=_linear(np.array(rgba)), metallicFactor=0.1, roughnessFactor=0.7, doubleSided=True,
                alphaMode="BLEND" if rgba[3] < 1.0 else None,
            )
        )  # fmt: skip
        return
    if mesh.visual.kind != "texture" or linear:
        return
    material = mesh.visual.material
    material = material if isinstance(material, PBRMaterial) else material.to_pbr()
    if material.baseColorFactor is not None:
        material.baseColorFactor = _linear(np.asarray(material.baseColorFactor) / 255.0)
    if material.metallicFactor is None:
        material.metallicFactor = 0.1  # glTF takes what is not said for all metal, which is black without surroundings
    mesh.visual.material = material


def _linear(rgba: Any) -> Any:
    """A colour for screens (sRGB) in the linear numbers of glTF (IEC 61966-2-1); the opacity as it is."""
    colour = np.asarray(rgba, dtype=float)
    low = colour[:3] <= 0.04045
    return np.append(np.where(low, colour[:3] / 12.92, ((colour[:3] + 0.055) / 1.055) ** 2.4), colour[3])
