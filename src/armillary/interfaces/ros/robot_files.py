"""A robot's description as ROS's clients fetch it: its URDF, and the files of its meshes by the names in there."""

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from armillary.description import Robot, write_urdf
from armillary.description.geometry import Mesh
from armillary.errors import ArmillaryError

__all__ = ["NoSuchFile", "RobotFiles"]

_LARGEST = 64 << 20  # bytes of a mesh


class NoSuchFile(ArmillaryError):
    """A file that is none of the robot's."""


class RobotFiles:
    """The robot's own files, and no others.

    Attributes:
        urdf: Its description; meshes are named package://..., as ROS# and RViz on another machine fetch them.
        urdf_here: The same with meshes by their places on this machine.
    """

    def __init__(self, robot: Robot) -> None:
        self._paths: dict[str, Path] = {}
        names, places = dict[str, str](), dict[str, str]()
        for mesh in _meshes(robot):
            if mesh.path is None:
                continue
            path = Path(mesh.path)
            name = mesh.filename if mesh.filename.startswith("package://") else self._named(robot.name, path)
            self._paths[name] = path
            names[mesh.filename], places[mesh.filename] = name, path.resolve().as_uri()
        text = write_urdf(robot)
        self.urdf, self.urdf_here = _renamed(text, names), _renamed(text, places)

    def read(self, name: str) -> bytes:
        """A mesh by its name in `urdf`.

        Raises:
            NoSuchFile: The robot has none of that name, or it cannot be read.
        """
        path = self._paths.get(name)
        if path is None:
            raise NoSuchFile(f"{name[:200]!r} is no file of this robot; it has {len(self._paths)}, named in robot_description")
        try:
            if path.stat().st_size > _LARGEST:
                raise NoSuchFile(f"{name} is larger than {_LARGEST >> 20} MB")
            return path.read_bytes()
        except OSError as error:
            raise NoSuchFile(f"{name} cannot be read: {error.strerror}") from None

    def _named(self, robot: str, path: Path) -> str:
        """A name of a package for a file that has none; another one where two files are called alike."""
        name = f"package://{robot}/meshes/{path.name}"
        there = self._paths.get(name)
        return name if there in (None, path) else f"package://{robot}/meshes/{path.parent.name}_{len(self._paths)}/{path.name}"


def _meshes(robot: Robot) -> Iterator[Mesh]:
    for link in robot.links:
        for shown in (*link.visuals, *link.collisions):
            if isinstance(shown.shape, Mesh):
                yield shown.shape


def _renamed(text: str, names: dict[str, str]) -> str:
    root = ElementTree.fromstring(text)
    for mesh in root.iter("mesh"):
        mesh.set("filename", names.get(mesh.get("filename", ""), mesh.get("filename", "")))
    return ElementTree.tostring(root, encoding="unicode")
