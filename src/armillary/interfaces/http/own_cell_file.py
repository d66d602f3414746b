"""The cell.toml that is a user's own: found, changed so that it still can be read, written whole."""

import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import armillary
from armillary.description import CellDescription, open_cell
from armillary.description.cell_fit import own_cell
from armillary.description.dh import is_dh
from armillary.description.kept_cell import kept_cell, new_cell_text, with_kept_cell
from armillary.description.settings import read_toml
from armillary.description.source import find_source
from armillary.errors import ArmillaryError
from armillary.runtime.prepared import description_of
from armillary.whole_file import CannotWrite, write_whole

__all__ = [
    "BadCell", "NoOwnCell", "changing_cell", "check_cell", "could_be_made", "make_own_cell", "needs_own_cell", "own_cell_file",
    "written_cell",
]  # fmt: skip

_changing = threading.Lock()  # one change after the other: none is made of what another has just replaced


class NoOwnCell(ArmillaryError):
    """A robot without a cell.toml that could be changed."""


class BadCell(ArmillaryError):
    """A text that is no cell.toml, or does not fit its robot."""


def own_cell_file(source: str) -> Path | None:
    """The cell.toml of a source, where it is the user's and not one that came with Armillary; None for none."""
    path = find_source(with_kept_cell(source)).resolve()
    cell = path if path.suffix.lower() == ".toml" and not is_dh(read_toml(path)) else own_cell(path)
    installed = Path(armillary.__file__).resolve().parent
    return cell if cell is not None and installed not in cell.parents else None


def could_be_made(source: str) -> Path | None:
    """Where a cell.toml of a robot without one would be made; None where it has one, or another file lies there."""
    path = kept_cell(source)
    return path if path is not None and own_cell_file(source) is None and not path.exists() else None


def make_own_cell(source: str) -> Path:
    """Make a cell.toml of a user's own for a robot that has none; where it lies. The robot is run with it from then on.

    Raises:
        BadCell: None can be made of it. CannotWrite: It cannot be written.
    """
    with _changing:
        path = could_be_made(source)
        if path is None:
            raise BadCell(f"a cell cannot be made of {source} here: it has one, or another lies in its place; use armillary new")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CannotWrite(path, error.strerror or str(error)) from None
        text = new_cell_text(source, path.parent)
        check_cell(path, text)
        write_whole(path, text)
    return path


def written_cell(source: str) -> CellDescription | None:
    """What the cell.toml of a source says now: the user's own, or the one that it came with; None for none.

    Raises:
        ArmillaryError: It cannot be read.
    """
    return description_of(str(own_cell_file(source) or source))


def needs_own_cell(source: str) -> Path:
    """Likewise, where there must be one.

    Raises:
        NoOwnCell: There is none; says how to make one.
    """
    path = own_cell_file(source)
    if path is None:
        raise NoOwnCell(
            f"{source} has no cell.toml of its own to write this into; make one first: on the page of the frames, or by "
            f"armillary new {source} --out my_cell, and start the cell with it (armillary run my_cell/cell.toml)"
        )
    return path


def check_cell(path: Path, text: str) -> CellDescription:
    """What a text would say as a cell.toml, read with its robot, without being put there.

    Raises:
        BadCell: It cannot be taken; says why. CannotWrite: there is no room to look at it.
    """
    # Beside it, for it names files by where it lies.
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=".toml")
    except OSError as error:
        raise CannotWrite(path, error.strerror or str(error)) from None
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        return open_cell(Path(name)).cell
    except ArmillaryError as error:
        raise BadCell(str(error).replace(name, str(path))) from None
    except OSError as error:
        raise CannotWrite(path, error.strerror or str(error)) from None
    finally:
        os.unlink(name)


@contextmanager
def changing_cell(path: Path) -> "Iterator[CellText]":
    """A cell.toml's text, to be changed while nobody else does.

    Raises:
        NoOwnCell: It cannot be read.
    """
    with _changing:
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise NoOwnCell(f"{path} cannot be read: {error}; mend it first") from None
        yield CellText(path, text)


class CellText:
    """A cell.toml as it is.

    Attributes:
        path, text: Where, and what it says.
    """

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text = path, text

    def write(self, text: str) -> CellDescription:
        """Write another text instead, where it is a cell. What it says then.

        Raises:
            ArmillaryError: It is none; what was there is still there.
        """
        cell = check_cell(self.path, text)
        write_whole(self.path, text)
        self.text = text
        return cell
