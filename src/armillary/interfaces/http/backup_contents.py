"""What is in a back-up, and what may be: names, sizes and every part of it are checked before anything of it is used."""

import io
import json
import re
import sqlite3
import stat
import struct
import tempfile
import unicodedata
import zipfile
import zlib
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from armillary.errors import ArmillaryError
from armillary.interfaces.http.roles import role_named
from armillary.interfaces.http.users import StoredUser, checked_name
from armillary.programs.teach import Store

__all__ = ["BadBackup", "Contents", "read_contents", "taught_from", "taught_into", "users_as_text"]

_MOST_FILES = 5000
_LARGEST_FILE, _LARGEST_ALL = 64 << 20, 256 << 20  # bytes, unpacked
_LONGEST_NAME, _DEEPEST = 200, 8
_PART = re.compile(r"[\w](?:[\w .()+=@#&,-]*[\w)+])?")  # of a program's name: nothing hidden, nothing that leads elsewhere
_ABOUT, _USERS, _TAUGHT, _PARAMETERS, _CELL, _PROGRAMS = (
    "armillary.json", "users.json", "taught.sqlite", "parameters.var", "cell.toml", "programs/",
)  # fmt: skip
# What zipfile raises for bytes that are no zip file, or for ways of packing that it does not know.
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError, OSError, struct.error)


class BadBackup(ArmillaryError):
    """A back-up that cannot be made, or not be brought back; nothing has changed."""


@dataclass(frozen=True)
class Contents:
    """The parts of a back-up; None for one that it does not have.

    Attributes:
        programs: Each by its name in the folder.
        users: As JSON, with their hashes.
        taught: Points, paths and calibrations: a store, as a file.
        parameters: Of G-code. cell: The cell.toml.
    """

    programs: dict[str, bytes] = field(default_factory=dict)
    users: bytes = b"[]"
    taught: bytes | None = None
    parameters: bytes | None = None
    cell: bytes | None = None

    def files(self) -> dict[str, bytes]:
        """All of them by their names in the zip file."""
        single = {_USERS: self.users, _TAUGHT: self.taught, _PARAMETERS: self.parameters, _CELL: self.cell}
        return {
            **{name: data for name, data in single.items() if data is not None},
            **{_PROGRAMS + name: data for name, data in self.programs.items()},
        }

    @cached_property
    def stored_users(self) -> tuple[StoredUser, ...]:
        """Raises:
        BadBackup: They are none.
        """
        try:
            return tuple(_user(each) for each in json.loads(self.users))
        except (ValueError, TypeError, KeyError, RecursionError, ArmillaryError) as error:
            raise BadBackup(f"its {_USERS} is not sound ({error}); take another back-up") from None


def users_as_text(users: Sequence[StoredUser]) -> bytes:
    said = [{"name": user.name, "role": user.role.name.lower(), "hash": user.hash, "since": user.since} for user in users]
    return json.dumps(said).encode()


def _user(said: dict[str, str]) -> StoredUser:
    role = role_named(str(said["role"]))
    hashed = str(said["hash"])
    if role is None or not hashed.startswith("$argon2") or len(hashed) > 500:
        raise BadBackup(f"{str(said['name'])[:40]!r} has no role or no password that is known here; take another back-up")
    return StoredUser(checked_name(str(said["name"])), role, hashed, str(said["since"])[:40])


def read_contents(data: bytes) -> Contents:
    """The parts of a back-up, each of them sound.

    Raises:
        BadBackup: It is none; says what is wrong with it.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            parts = _parts(file)
    except BadBackup:
        raise
    except _UNREADABLE as error:
        raise BadBackup(f"this is no zip file that can be read ({error}); give a back-up of Armillary") from None
    _look_at_about(parts.pop(_ABOUT, b""))
    found = Contents(
        {name[len(_PROGRAMS) :]: part for name, part in parts.items() if name.startswith(_PROGRAMS)}, parts.get(_USERS, b"[]"),
        parts.get(_TAUGHT), parts.get(_PARAMETERS), parts.get(_CELL),
    )  # fmt: skip
    if found.stored_users and not any(user.role.name == "ADMINISTRATOR" for user in found.stored_users):
        raise BadBackup("none of its users is an administrator; take another back-up")
    for name, part in ((_PARAMETERS, found.parameters), (_CELL, found.cell)):
        if part is not None:
            _as_text(name, part)
    if found.taught is not None:
        _check_taught(found.taught)
    return found


def _parts(file: zipfile.ZipFile) -> dict[str, bytes]:
    entries = [entry for entry in file.infolist() if not entry.is_dir()]
    if len(entries) > _MOST_FILES:
        raise BadBackup(f"it has {len(entries)} files; {_MOST_FILES} are the most")
    # What it says of itself first, so that a bomb is not even begun; then what comes out, for it may lie.
    if sum(entry.file_size for entry in entries) > _LARGEST_ALL:
        raise BadBackup(f"it is more than {_LARGEST_ALL >> 20} MB when unpacked; take another back-up")
    parts: dict[str, bytes] = {}
    known: set[str] = set()
    together = 0
    for entry in entries:
        name = _checked_name(entry)
        key = unicodedata.normalize("NFKC", name).casefold()
        if key in known:
            raise BadBackup(f"it has two files {name!r}; take another back-up")
        known.add(key)
        with file.open(entry) as packed:
            parts[name] = packed.read(_LARGEST_FILE + 1)
        together += len(parts[name])
        if len(parts[name]) > _LARGEST_FILE or together > _LARGEST_ALL:
            raise BadBackup(f"{name!r} is too large when unpacked; take another back-up, without it")
    return parts


def _checked_name(entry: zipfile.ZipInfo) -> str:
    name, mode = entry.filename, entry.external_attr >> 16
    if entry.flag_bits & 1:
        raise BadBackup(f"{name[:60]!r} is encrypted; give the back-up as it was made")
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        raise BadBackup(f"{name[:60]!r} is no plain file (a link, or a device); give the back-up as it was made")
    if name in (_ABOUT, _USERS, _TAUGHT, _PARAMETERS, _CELL):
        return name
    parts = name[len(_PROGRAMS) :].split("/") if name.startswith(_PROGRAMS) else []
    if not parts or len(name) > _LONGEST_NAME or len(parts) > _DEEPEST or not all(_PART.fullmatch(part) for part in parts):
        raise BadBackup(f"{name[:60]!r} is no file of a back-up; leave it out")
    return name


def _look_at_about(data: bytes) -> None:
    try:
        about = json.loads(data)
        version = int(about["format"])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise BadBackup(f"it has no {_ABOUT} that says what it is; give a back-up of Armillary") from None
    if version != 1:
        raise BadBackup(f"it is of format {version}, and this release knows 1; use the release that made it")


def _as_text(name: str, data: bytes) -> None:
    try:
        data.decode()
    except UnicodeDecodeError:
        raise BadBackup(f"its {name} is no text; take another back-up") from None


# The store of what was taught: a database, which must be ours to the letter. One with a trigger of somebody else's would do
# what he likes whenever a point is taught.


def taught_from(path: Path) -> bytes:
    """A store as it is at this moment, as a file; an empty one where there is none yet."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "taught.sqlite"
        if not path.exists():
            with Store(copy).writing():
                pass
        with (
            Store(path if path.exists() else copy).reading() as source,
            closing(sqlite3.connect(Path(folder) / "whole")) as target,
        ):
            source.backup(target)
            target.execute("PRAGMA journal_mode = DELETE")  # all of it in one file
        return (Path(folder) / "whole").read_bytes()


def taught_into(path: Path, data: bytes) -> None:
    """Put a store's contents in the place of what is there, at once; who reads meanwhile sees the one or the other.

    Raises:
        ArmillaryError: It cannot be written; what was there is still there.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "taught.sqlite"
        copy.write_bytes(data)
        with Store(path).writing():
            pass  # one that is not there is made
        try:
            with Store(copy).reading() as source, closing(sqlite3.connect(path, timeout=10.0)) as target:
                source.backup(target)
        except sqlite3.Error as error:
            raise BadBackup(f"{path} cannot be written: {error}; check the disk") from None


def _check_taught(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        given, fresh = Path(folder) / "taught.sqlite", Path(folder) / "fresh.sqlite"
        given.write_bytes(data)
        with Store(fresh).writing():
            pass
        try:
            with Store(given).reading() as ours, Store(fresh).reading() as right:
                same = _schema(ours) == _schema(right)
        except (ArmillaryError, sqlite3.Error) as error:
            raise BadBackup(f"its {_TAUGHT} is not sound: {str(error).replace(str(given), _TAUGHT)}") from None
        if not same:
            raise BadBackup(f"its {_TAUGHT} is not made as ours are; take another back-up")


def _schema(file: sqlite3.Connection) -> set[tuple[str, ...]]:
    rows = file.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master").fetchall()
    return {tuple(str(value) for value in row) for row in rows}
