"""Where the files are that a description names: packages, and meshes inside them.

A description may name files of its own package, of packages that lie beside it, and of packages that the
user or ROS's environment variables point to. It may not climb out of them.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

__all__ = ["MESH_SUFFIXES", "FoundMesh", "PackageFinder"]

MESH_SUFFIXES = frozenset({".stl", ".obj", ".dae", ".ply", ".glb", ".gltf", ".off"})
_MARKERS = ("package.xml", "manifest.xml", ".git")
_PACKAGE_NAME = re.compile(r"<name>\s*([^<\s]+)\s*</name>")
_MAX_CLIMB = 8  # folders above a file that are looked into for packages


@dataclass(frozen=True, slots=True)
class FoundMesh:
    """Where a mesh is, or which kind of problem (`kinds.py`) keeps it from being used."""

    path: str | None
    problem: str = ""
    what: str = ""


class PackageFinder:
    """Finds what one description file names.

    Args:
        file: The description; relative names start at its folder.
        packages: Folders of packages by name, looked at first.
    """

    def __init__(self, file: Path, packages: Mapping[str, Path] | None = None) -> None:
        self.folder = Path(os.path.abspath(file)).parent
        self._packages: dict[str, Path | None] = {name: Path(os.path.abspath(path)) for name, path in (packages or {}).items()}
        self._meshes: dict[str, FoundMesh] = {}
        self._root: str | None = None

    def package(self, name: str) -> Path | None:
        """The folder of a package, or None where it is nowhere to be found."""
        if name not in self._packages:
            self._packages[name] = self._find_package(name)
        return self._packages[name]

    def mesh(self, filename: str) -> FoundMesh:
        """The file behind a mesh's name: package://, model://, file://, absolute or relative."""
        if filename not in self._meshes:
            self._meshes[filename] = self._find_mesh(filename)
        return self._meshes[filename]

    def _find_package(self, name: str) -> Path | None:
        if not name or len(name) > 200 or name in (".", "..") or "/" in name or "\\" in name or "\0" in name:
            return None
        # Where it is said, then where it lies, then where it is installed: the nearest copy is the one meant.
        for folder in [self.folder, *list(self.folder.parents)[:_MAX_CLIMB]]:
            if folder.name == name or _declared_name(folder) == name:
                return _inner(folder)
            if (folder / name).is_dir():
                return _inner(folder / name)
        # A workspace: repositories side by side, each with its packages.
        for folder in list(self.folder.parents)[:_MAX_CLIMB]:
            for repository in _folders_in(folder):
                if (repository / name).is_dir():
                    return _inner(repository / name)
        for folder in _search_path():
            if (folder / name).is_dir():
                return folder / name
        return None

    def _find_mesh(self, filename: str) -> FoundMesh:
        name = filename.replace("\\", "/")
        scheme, separator, rest = name.partition("://")
        if not separator:
            return self._check(filename, os.path.join(self.folder, name), self._own_root(), name)
        if scheme in ("package", "model"):
            # Some files have package:///NAME/..., or a slash twice behind the name.
            package, _, inside = unquote(rest).lstrip("/").partition("/")
            inside = inside.lstrip("/")
            folder = self.package(package)
            if folder is None:
                return FoundMesh(None, "missing-mesh", f"{filename}: the package '{package}' was not found")
            return self._check(filename, os.path.join(folder, inside), str(folder), inside)
        if scheme == "file":
            path = unquote(rest)
            if not path.startswith("/"):
                return self._check(filename, os.path.join(self.folder, path), self._own_root(), path)
            return self._check(filename, path, "/", path)
        if scheme in ("http", "https"):
            return FoundMesh(None, "missing-mesh", f"{filename}: nothing is fetched from the network")
        return FoundMesh(None, "missing-mesh", f"{filename}: '{scheme}://' is not known")

    def _check(self, filename: str, path: str, root: str, name: str) -> FoundMesh:
        if "\0" in path or len(path) > 4000:
            return FoundMesh(None, "missing-mesh", f"{filename[:80]!r} is no file name")
        path = os.path.normpath(path)
        if os.path.isabs(name):
            root = "/"  # an absolute name says openly where it goes
        if path != root and not path.startswith(root.rstrip("/") + "/"):
            return FoundMesh(None, "path-escape", f"{filename} leads out of {root}")
        suffix = os.path.splitext(path)[1].lower()
        if suffix not in MESH_SUFFIXES:
            return FoundMesh(None, "mesh-format", f"{filename}: '{suffix or 'no suffix'}' is not a mesh format read here")
        if os.path.isfile(path):
            return FoundMesh(path)
        if os.path.exists(path):
            return FoundMesh(None, "missing-mesh", f"{filename} is not a regular file")
        return FoundMesh(None, "missing-mesh", f"{filename} is not there{_other_case(path)}")

    def _own_root(self) -> str:
        """The folder that relative names may not leave."""
        if self._root is None:
            self._root = self._find_own_root()
        return self._root

    def _find_own_root(self) -> str:
        for folder in [self.folder, *list(self.folder.parents)[:_MAX_CLIMB]]:
            if any((folder / marker).exists() for marker in _MARKERS):
                return str(folder)
        # No package: `../meshes` and `../../meshes` are common, a whole file system is not meant.
        above = [folder for folder in list(self.folder.parents)[:2] if len(folder.parts) >= 3]
        return str(above[-1] if above else self.folder)


def _declared_name(folder: Path) -> str | None:
    """The name that a folder's package.xml gives, or None."""
    try:
        with open(folder / "package.xml", encoding="utf-8", errors="replace") as file:
            match = _PACKAGE_NAME.search(file.read(20_000))
    except OSError:
        return None
    return match.group(1) if match else None


def _inner(folder: Path) -> Path:
    """The package inside a repository of the same name, or the folder itself."""
    inner = folder / folder.name
    return inner if inner.is_dir() and not (folder / "package.xml").exists() else folder


def _folders_in(folder: Path) -> list[Path]:
    """The folders inside a folder; none where there are too many for a workspace (a home, /usr)."""
    try:
        with os.scandir(folder) as entries:
            found = [Path(entry.path) for entry in entries if not entry.name.startswith(".") and entry.is_dir()]
    except OSError:
        return []
    return sorted(found) if len(found) <= 200 and len(folder.parts) > 2 else []


def _search_path() -> list[Path]:
    """Folders of packages that ROS's environment and the extra `robots` point to."""
    folders = [Path(p) for p in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if p]
    folders += [Path(p) / "share" for p in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if p]
    from armillary.description.library import extra_robots_folder

    extra = extra_robots_folder()
    return [*folders, extra, extra.parent.parent] if extra else folders


def _other_case(path: str) -> str:
    """A hint where a file of the same name in another case lies there: the disk it came from did not care."""
    folder, name = os.path.split(path)
    try:
        found = [entry for entry in os.listdir(folder) if entry.lower() == name.lower()]
    except OSError:
        return ""
    return f" ('{found[0]}' is: upper and lower case differ)" if found else ""
