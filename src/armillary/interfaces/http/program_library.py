"""Programs as plain files of one folder: listed, read, written whole, and never outside of it."""

import hashlib
import os
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from armillary.errors import ArmillaryError
from armillary.programs.languages import language_named
from armillary.whole_file import write_whole

__all__ = ["LARGEST", "LibraryProblem", "ListedProgram", "ProgramLibrary", "ProgramText", "language_key"]

LARGEST = 4 << 20  # bytes of a program
_MOST = 1000  # programs in the folder
_ENDINGS = (".ngc", ".nc", ".gcode", ".tap", ".arm", ".toml")
_KEYS = ("gcode", "script", "moves")
_PART = re.compile(r"[^\W](?:[\w .()+-]{0,98}[\w)+-])?")  # of a name, between slashes: begins with no dot, ends with no blank
_DEEPEST = 6  # folders inside folders


class LibraryProblem(ArmillaryError):
    """A program that cannot be read, written or named so; says why and what to do."""


@dataclass(frozen=True)
class ListedProgram:
    """A program of the folder. language: "gcode", "script" or "moves". size: In bytes. changed: When last, UTC, ISO 8601."""

    name: str
    language: str
    size: int
    changed: str


@dataclass(frozen=True)
class ProgramText:
    """A program as it is stored. version: A hash of its text, by which somebody else's change is noticed."""

    name: str
    text: str
    language: str
    version: str


def language_key(name: str) -> str:
    """The language of a program by its ending: "gcode", "script" or "moves".

    Raises:
        LibraryProblem: It has another ending.
    """
    suffix = Path(name).suffix.lower()
    for key in _KEYS:
        if suffix in _ENDINGS and suffix in language_named(key).suffixes:
            return key
    raise LibraryProblem(f"{name[:200]!r} is no program's name; end it with one of {', '.join(_ENDINGS)}")


class ProgramLibrary:
    """The programs of a cell. Every change is on the disk when it returns."""

    def __init__(self, place: Path, samples: Mapping[str, str] | None = None) -> None:
        """Args:
        place: Where the cell's things are kept; the folder is `programs` in it.
        samples: Texts by name that are put there when there is no such folder yet.
        """
        self.folder, self._lock = place / "programs", threading.Lock()
        if not self.folder.exists():
            with _on_disk(self.folder):
                self.folder.mkdir(parents=True)
            for name, text in (samples or {}).items():
                write_whole(self.folder / name, text)

    # To read.

    def list(self) -> "list[ListedProgram]":
        """All of them, by name."""
        found = []
        for path in self._files():
            try:
                known = path.stat()
            except OSError:
                continue  # it has just been taken away
            name, changed = path.relative_to(self.folder).as_posix(), datetime.fromtimestamp(known.st_mtime, UTC)
            found.append(ListedProgram(name, language_key(name), known.st_size, changed.isoformat(timespec="milliseconds")))
        return sorted(found, key=lambda each: each.name.lower())

    def path(self, name: str) -> Path:
        """The file of a program that is there.

        Raises:
            LibraryProblem: There is none, or it is no name.
        """
        path = self.place(name)
        if not path.is_file():
            raise LibraryProblem(f"there is no program {name!r}; it may have been renamed or deleted: look at the list")
        return path

    def place(self, name: str) -> Path:
        """Where a program of a name is, or would be: inside the folder whatever the name is.

        Raises:
            LibraryProblem: No program can be named so.
        """
        parts = name.split("/")
        if not all(_PART.fullmatch(part) for part in parts) or len(parts) > _DEEPEST or len(name) > 200:
            raise LibraryProblem(
                f"{name[:200]!r} is no program's name; use letters, digits, blanks, - and _, and / for a folder in between"
            )
        language_key(name)
        path = self.folder.joinpath(*parts)
        if not path.resolve().is_relative_to(self.folder.resolve()):  # by a link that somebody has put there
            raise LibraryProblem(f"{name!r} leads out of the folder of programs; copy the file into it instead")
        return path

    def read(self, name: str) -> ProgramText:
        """A program's text.

        Raises:
            LibraryProblem: There is none, it is too large to be edited, or no text.
        """
        path = self.path(name)
        with _on_disk(name):
            if path.stat().st_size > LARGEST:
                raise LibraryProblem(f"{name} has more than {LARGEST >> 20} MB; it can be run, and edited elsewhere")
            data = path.read_bytes()
        try:
            return ProgramText(name, data.decode("utf-8"), language_key(name), _version(data))
        except UnicodeDecodeError:
            raise LibraryProblem(f"{name} is not UTF-8; save it as UTF-8 where it was written") from None

    # To change.

    def write(self, name: str, text: str, version: str | None = None) -> str:
        """Save a program; its new version.

        Args:
            version: What it was when it was read; None for a new program.

        Raises:
            LibraryProblem: Somebody else has saved it meanwhile, it is too large, or there are too many.
        """
        path, data = self.place(name), _bytes(name, text)
        with self._lock:
            before = _version_of(path)
            if before is None and version is not None:
                raise LibraryProblem(f"{name} was deleted or renamed meanwhile; save it under another name")
            if before is not None and version is None:
                raise LibraryProblem(f"there is a program {name!r} already; give another name")
            if before is not None and before not in (version, _version(data)):
                raise LibraryProblem(f"somebody else has saved {name} meanwhile; read it again, or save yours under another name")
            if before is None:
                self._must_have_room()
                with _on_disk(name):
                    path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, text)
        return _version(data)

    def rename(self, name: str, to: str) -> None:
        """Give a program another name.

        Raises:
            LibraryProblem: That name is taken, or of another language.
        """
        with self._lock:
            path, place = self.path(name), self.place(to)
            if place.exists():
                raise LibraryProblem(f"there is a program {to!r} already; give another name")
            if language_key(name) != language_key(to):
                raise LibraryProblem(f"{to!r} would be of another language; keep the ending {path.suffix}")
            with _on_disk(to):
                place.parent.mkdir(parents=True, exist_ok=True)
                path.rename(place)
            self._forget_empty(path.parent)

    def delete(self, name: str) -> None:
        """Take a program away.

        Raises:
            LibraryProblem: There is none.
        """
        with self._lock:
            path = self.path(name)
            with _on_disk(name):
                path.unlink()
            self._forget_empty(path.parent)

    @contextmanager
    def exchanging(self) -> Iterator[None]:
        """While the folder gives way to another one as a whole: who would save, rename or delete waits."""
        with self._lock:
            yield

    def _files(self) -> Iterator[Path]:
        """Files that are programs by their names, each by a name that can be asked for."""
        count = 0
        for folder, folders, files in os.walk(self.folder):
            folders[:] = [each for each in folders if _PART.fullmatch(each)]
            for each in files:
                path = Path(folder, each)
                if _PART.fullmatch(each) and path.suffix.lower() in _ENDINGS and not path.is_symlink():
                    yield path
                    count += 1
                    if count >= _MOST:
                        return

    def _must_have_room(self) -> None:
        if sum(1 for _ in self._files()) >= _MOST:
            raise LibraryProblem(f"there are {_MOST} programs already; delete some first")

    def _forget_empty(self, folder: Path) -> None:
        while folder != self.folder:
            try:
                folder.rmdir()
            except OSError:
                return  # something is in it
            folder = folder.parent


def _bytes(name: str, text: str) -> bytes:
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        raise LibraryProblem(f"{name}: it has characters that are none; remove them") from None
    if len(data) > LARGEST:
        raise LibraryProblem(f"{name} would have {len(data) >> 20} MB; {LARGEST >> 20} MB are the most, part it")
    if b"\0" in data:
        raise LibraryProblem(f"{name}: it is no text; give a program")
    return data


def _version(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _version_of(path: Path) -> str | None:
    """Of what is there now; None where nothing is."""
    if path.is_dir():
        raise LibraryProblem(f"{path.name} is a folder; give another name")
    try:
        return _version(path.read_bytes()) if path.exists() else None
    except OSError as error:
        raise LibraryProblem(f"{path.name} cannot be read: {error.strerror}; check the disk and the permissions") from None


@contextmanager
def _on_disk(what: object) -> Iterator[None]:
    """What the disk says, in our words."""
    try:
        yield
    except OSError as error:
        raise LibraryProblem(f"{what}: {error.strerror or error}; check the disk, the permissions and the name") from None
