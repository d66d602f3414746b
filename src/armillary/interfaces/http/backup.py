"""Back-up and restore: what people have made of a cell in one zip file, and brought back whole or not at all."""

import io
import json
import os
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import armillary
from armillary.errors import ArmillaryError
from armillary.interfaces.http.backup_contents import (
    BadBackup,
    Contents,
    read_contents,
    taught_from,
    taught_into,
    users_as_text,
)
from armillary.interfaces.http.own_cell_file import check_cell, own_cell_file
from armillary.interfaces.http.users import UserStore
from armillary.programs.gcode.parameter_file import read_parameters
from armillary.programs.teach import store_place
from armillary.whole_file import write_whole

__all__ = ["LARGEST", "BadBackup", "Keepsakes", "Restored", "make_backup", "restore_backup"]

LARGEST = 32 << 20  # bytes of the zip file: what one request may have
_KEPT = 10  # back-ups from before a restore that are kept
_PREFIX = "before-restore-"


@dataclass(frozen=True)
class Keepsakes:
    """What is backed up, and where it lies.

    Attributes:
        place: Of the pendant's own. programs: Folder of the programs.
        users: Who may log in.
        taught: File of points, paths and calibrations. parameters: Of G-code.
        cell: The cell.toml, where the robot has one of its own.
    """

    place: Path
    programs: Path
    users: UserStore
    taught: Path
    parameters: Path
    cell: Path | None

    @classmethod
    def of(cls, source: str, place: Path, users: UserStore) -> "Keepsakes":
        """Those of a robot or cell, by file or name."""
        taught = store_place(source)
        return cls(place, place / "programs", users, taught, taught.with_suffix(".var"), own_cell_file(source))


@dataclass(frozen=True)
class Restored:
    """What a restore did.

    Attributes:
        restored: What was brought back, in words.
        kept: The zip file with what was there before.
        restart: Whether the cell must be started again to take it all.
    """

    restored: tuple[str, ...]
    kept: Path
    restart: bool


def make_backup(keepsakes: Keepsakes) -> bytes:
    """All of it as a zip file.

    Raises:
        BadBackup: It would be larger than what can be brought back.
    """
    contents = _contents_of(keepsakes)
    about = {
        "format": 1, "armillary": armillary.__version__, "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "cell": str(keepsakes.cell or ""),
    }  # fmt: skip
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("armillary.json", json.dumps(about))
        for name, part in contents.files().items():
            file.writestr(name, part)
    found = data.getvalue()
    if len(found) > LARGEST:
        raise BadBackup(f"the back-up has {len(found) >> 20} MB and {LARGEST >> 20} can be brought back; move big programs away")
    read_contents(found)  # what is not restorable is no back-up
    return found


def _contents_of(keepsakes: Keepsakes) -> Contents:
    programs: dict[str, bytes] = {}
    for path in sorted(keepsakes.programs.rglob("*")) if keepsakes.programs.is_dir() else []:
        name = path.relative_to(keepsakes.programs).as_posix()
        if path.is_file() and not path.is_symlink() and not any(part.startswith(".") for part in name.split("/")):
            programs[name] = _read(path)
    return Contents(
        programs=programs,
        users=users_as_text(keepsakes.users.stored()),
        taught=taught_from(keepsakes.taught),
        parameters=_read(keepsakes.parameters) if keepsakes.parameters.is_file() else None,
        cell=_read(keepsakes.cell) if keepsakes.cell is not None else None,
    )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadBackup(f"{path} cannot be read: {error.strerror}; check who may read it") from None


def restore_backup(keepsakes: Keepsakes, data: bytes) -> Restored:
    """Bring a back-up back. Everything in it is checked before anything is written; where writing fails, what was done is undone.

    What the back-up does not have (users, where there were none) stays as it is.

    Raises:
        BadBackup: It is none, or something in it is not sound; nothing has changed.
        ArmillaryError: It cannot be written; nothing has changed.
    """
    if len(data) > LARGEST:
        raise BadBackup(f"it has {len(data) >> 20} MB; {LARGEST >> 20} are the most")
    new = read_contents(data)
    _check(keepsakes, new)
    before = _contents_of(keepsakes)
    kept = _keep(keepsakes.place, make_backup(keepsakes))
    done: list[Callable[[], None]] = []
    restored: list[str] = []
    try:
        for name, put in _steps(keepsakes, new, before):
            undo = put()
            done.append(undo)
            restored.append(name)
    except (ArmillaryError, OSError) as error:
        left = _undo(done)
        raise BadBackup(
            f"it cannot be brought back: {error}; "
            + (f"undo this by hand, from {kept}: {left}" if left else "nothing has changed; mend that, and bring it back again")
        ) from None
    for left_over in keepsakes.place.glob(".programs-*"):
        shutil.rmtree(left_over, ignore_errors=True)
    return Restored(tuple(restored), kept, new.cell is not None and keepsakes.cell is not None and new.cell != before.cell)


Undo = Callable[[], None]


def _steps(keepsakes: Keepsakes, new: Contents, old: Contents) -> list[tuple[str, Callable[[], Undo]]]:
    """What is put where; each gives what undoes it."""
    steps: list[tuple[str, Callable[[], Undo]]] = [
        (f"{len(new.programs)} programs", lambda: _put_programs(keepsakes.programs, new.programs))
    ]
    cell, users = keepsakes.cell, new.stored_users
    if new.cell is not None and cell is not None:
        steps.append(("cell.toml", lambda: _put_text(cell, new.cell, old.cell)))
    if new.parameters is not None:
        steps.append(("parameters", lambda: _put_text(keepsakes.parameters, new.parameters, old.parameters)))
    if new.taught is not None:
        steps.append(("points, paths and calibrations", lambda: _put_taught(keepsakes.taught, new.taught, old.taught)))
    if users:

        def put_users() -> Undo:
            keepsakes.users.replace(users)
            return lambda: keepsakes.users.replace(old.stored_users)

        steps.append((f"{len(users)} users", put_users))
    return steps


def _check(keepsakes: Keepsakes, new: Contents) -> None:
    """What can be known to fail is found before anything is written."""
    with tempfile.TemporaryDirectory() as folder:
        if new.parameters is not None:
            path = Path(folder) / "parameters.var"
            path.write_bytes(new.parameters)
            read_parameters(path)
    if new.cell is not None and keepsakes.cell is not None:
        check_cell(keepsakes.cell, new.cell.decode())


def _undo(done: list[Undo]) -> str:
    """Take back what was done, last first; what could not be, in words."""
    left = []
    for undo in reversed(done):
        try:
            undo()
        except (ArmillaryError, OSError) as error:
            left.append(str(error))
    return "; ".join(left)


def _put_text(path: Path, data: bytes | None, before: bytes | None) -> Undo:
    assert data is not None
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, data.decode())
    return lambda: path.unlink(missing_ok=True) if before is None else write_whole(path, before.decode())


def _put_taught(path: Path, data: bytes | None, before: bytes | None) -> Undo:
    assert data is not None and before is not None  # a back-up of now always has it
    taught_into(path, data)
    return lambda: taught_into(path, before)


def _put_programs(folder: Path, programs: dict[str, bytes]) -> Undo:
    """Another folder with these in the place of the one that is there; what has not been made whole is never seen."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".programs-"))
    aside = made.with_name(made.name + "-before")
    try:
        for name, data in programs.items():
            path = made / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        made.chmod(stat.S_IMODE(folder.stat().st_mode) if folder.is_dir() else 0o755)
        if folder.is_dir():
            folder.rename(aside)
        try:
            made.rename(folder)
        except OSError:
            if aside.is_dir():
                aside.rename(folder)
            raise
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise

    def undo() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        if aside.is_dir():
            aside.rename(folder)

    return undo


def _keep(place: Path, data: bytes) -> Path:
    """What was there, beside it; its owner's alone, for it has hashes."""
    path = place / f"{_PREFIX}{datetime.now(UTC):%Y%m%d-%H%M%S-%f}.zip"
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        for old in sorted(place.glob(f"{_PREFIX}*.zip"))[:-_KEPT]:
            old.unlink(missing_ok=True)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise BadBackup(f"what is there cannot be kept: {error.strerror}; nothing has changed, make room on the disk") from None
    return path
