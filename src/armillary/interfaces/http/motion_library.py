"""Motions of people as BVH files of one folder: listed, brought in whole, and never outside of it."""

import re
from dataclasses import dataclass
from pathlib import Path

from armillary.errors import ArmillaryError
from armillary.imitation import bvh_text, moving_person, parse_bvh
from armillary.whole_file import write_whole

__all__ = ["LARGEST", "ListedMotion", "MotionLibrary", "MotionProblem"]

LARGEST = 64 << 20  # bytes of a file
_MOST = 200  # files in the folder
_NAME = re.compile(r"[^\W][\w .()+-]{0,95}\.bvh", re.IGNORECASE)
_SAMPLE, _FRAMES, _RATE = "somebody.bvh", 1800, 60.0


class MotionProblem(ArmillaryError):
    """A motion that cannot be read, kept or named so; says why and what to do."""


@dataclass(frozen=True)
class ListedMotion:
    """A file of the folder. size: In bytes."""

    name: str
    size: int


class MotionLibrary:
    """The motions of a cell. One is there from the beginning: a person who is made up."""

    def __init__(self, place: Path) -> None:
        """Args:
        place: Where the cell's things are kept; the folder is `motions` in it.
        """
        self.folder = place / "motions"
        if not self.folder.exists():
            try:
                self.folder.mkdir(parents=True)
            except OSError as error:
                raise MotionProblem(
                    f"{self.folder} cannot be made: {error.strerror}; free some space, or look at rights"
                ) from error
            write_whole(self.folder / _SAMPLE, bvh_text(moving_person(_FRAMES, _RATE)))

    def list(self) -> "list[ListedMotion]":
        """All of them, by name."""
        found = [ListedMotion(path.name, path.stat().st_size) for path in self.folder.glob("*") if _NAME.fullmatch(path.name)]
        return sorted(found, key=lambda each: each.name.lower())

    def path(self, name: str) -> Path:
        """The file of a motion that is there.

        Raises:
            MotionProblem: There is none, or it is no name.
        """
        path = self._place(name)
        if not path.is_file():
            raise MotionProblem(f"there is no motion {name!r}; bring the file in, or choose one of the list")
        return path

    def keep(self, name: str, data: bytes) -> None:
        """Bring a file in, once it is known that it can be read.

        Raises:
            MotionProblem: It is too large, one too many, or no name. ImitationError: It is no BVH file; says where.
            CannotWrite: The disk is full, say.
        """
        path = self._place(name)
        if len(data) > LARGEST:
            raise MotionProblem(f"{name} has {len(data) >> 20} MB, and {LARGEST >> 20} are the most; cut the motion")
        if not path.exists() and len(self.list()) >= _MOST:
            raise MotionProblem(f"there are {_MOST} motions already; delete one first")
        parse_bvh(data, name, partial=True)
        try:
            text = data.decode()
        except UnicodeDecodeError:  # names of bones in another code
            text = data.decode("latin-1")
        write_whole(path, text)

    def delete(self, name: str) -> None:
        """Raises:
        MotionProblem: There is none.
        """
        self.path(name).unlink(missing_ok=True)

    def _place(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise MotionProblem(f"{name[:200]!r} is no motion's name; use letters, digits, blanks, - and _, and end it with .bvh")
        return self.folder / name
