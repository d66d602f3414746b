"""A file in which things that were taught are kept: SQLite, so that a power cut loses nothing that was acknowledged."""

import getpass
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from armillary.programs.teach.errors import BadStore, NameTaken, TeachError
from armillary.programs.teach.store_place import store_place

__all__ = ["Store", "now", "unique", "user"]

_OURS = 0x41524D53  # "ARMS", the application_id of our files
_PATIENCE = 10.0  # s that a writer waits for another
# Each step makes the next version of the schema out of the one before; a new file goes through all of them.
_STEPS = (
    """
    CREATE TABLE points (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE, value TEXT NOT NULL, at TEXT NOT NULL, by TEXT NOT NULL
    );
    CREATE TABLE point_changes (
        id INTEGER PRIMARY KEY, point INTEGER NOT NULL, what TEXT NOT NULL, name TEXT NOT NULL, before TEXT, at TEXT NOT NULL,
        by TEXT NOT NULL
    );
    CREATE TABLE paths (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE, joints TEXT NOT NULL, times BLOB NOT NULL,
        q BLOB NOT NULL, at TEXT NOT NULL, by TEXT NOT NULL
    );
    CREATE TABLE calibrations (
        id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL COLLATE NOCASE, value TEXT NOT NULL, reason TEXT NOT NULL,
        at TEXT NOT NULL, by TEXT NOT NULL
    );
    CREATE INDEX point_changes_of ON point_changes (point);
    CREATE INDEX calibrations_of ON calibrations (kind, name);
    """,
)


def now() -> str:
    """The present moment (UTC), as stores have it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def user() -> str:
    """Who is working, by the name that he logged in with."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container without names
        return "nobody"


class Store:
    """One file, opened anew for whatever is done with it: several threads and processes may use it at once.

    A file is made with the first thing that is written; until then it is empty to read.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._sound = False

    @classmethod
    def of(cls, source: str | Path) -> "Store":
        """The store of a cell or robot, by file or name."""
        return cls(store_place(source))

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """What is in it, to be asked.

        Raises:
            BadStore: It is damaged, or is none of ours.
        """
        if self.path.exists():
            with self._opened() as connection:
                yield connection
            return
        with _in_letters(), closing(sqlite3.connect(":memory:")) as empty:
            empty.executescript("".join(_STEPS))
            yield empty

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A change as a whole: what was done in it is on the disk when it ends, or nothing of it where an error came.

        Raises:
            BadStore: As for `reading`, or it cannot be written.
        """
        if not self.path.exists():
            self._make()
        with self._opened() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            with _in_letters(), closing(self._connect()) as connection:
                yield connection
        except sqlite3.IntegrityError:
            raise
        except sqlite3.DatabaseError as error:
            raise self._problem(error) from None

    def _connect(self) -> sqlite3.Connection:
        self._look_at_head()
        # As an address: it must be there, sqlite is not to make an empty one.
        connection = sqlite3.connect(f"{self.path.resolve().as_uri()}?mode=rw", uri=True, timeout=_PATIENCE, isolation_level=None)
        try:
            connection.execute("PRAGMA synchronous = FULL")
            self._check(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _look_at_head(self) -> None:
        """Before sqlite does: it takes an empty file, or half a head, for a new one."""
        try:
            with self.path.open("rb") as file:
                head = file.read(100)
        except OSError as error:
            raise BadStore(self.path, f"it cannot be read: {error.strerror}", "check the disk and the permissions") from None
        if len(head) < 100 or not head.startswith(b"SQLite format 3\x00"):
            raise BadStore(self.path, "it is damaged, or no store of taught points", _REMEDY)

    def _check(self, connection: sqlite3.Connection) -> None:
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if int(connection.execute("PRAGMA application_id").fetchone()[0]) != _OURS:
            raise BadStore(self.path, "it is a database of another program", "move it away, or give another cell")
        if version > len(_STEPS):
            what = f"it has version {version}, and this release knows {len(_STEPS)}"
            raise BadStore(self.path, what, "use the newer release that wrote it")
        if not self._sound:
            said = connection.execute("PRAGMA quick_check").fetchone()[0]
            if said != "ok":
                raise BadStore(self.path, f"it is damaged ({' '.join(str(said).split())[:120]})", _REMEDY)
            self._sound = True
        for step in range(version, len(_STEPS)):
            connection.executescript(f"BEGIN IMMEDIATE; {_STEPS[step]} PRAGMA user_version = {step + 1}; COMMIT;")

    def _problem(self, error: sqlite3.DatabaseError) -> BadStore:
        text = str(error)
        if "locked" in text or "busy" in text:
            return BadStore(self.path, f"another process has been writing it for {_PATIENCE:g} s", "try again")
        if "malformed" not in text and any(word in text for word in ("readonly", "unable to open", "disk", "full")):
            return BadStore(self.path, f"it cannot be written: {text}", "check the disk and the permissions")
        return BadStore(self.path, f"it is damaged ({text})", _REMEDY)

    def _make(self) -> None:
        """A new file, whole from the beginning: made beside its place and put there, unless another process was first."""
        temporary = ""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
            os.close(descriptor)
            with closing(sqlite3.connect(temporary, isolation_level=None)) as connection:
                connection.execute(f"PRAGMA application_id = {_OURS}")
                connection.executescript(f"BEGIN; {''.join(_STEPS)} PRAGMA user_version = {len(_STEPS)}; COMMIT;")
                connection.execute("PRAGMA journal_mode = WAL")  # kept in the file; where the disk cannot, a journal is as safe
            os.chmod(temporary, 0o644)
            _put(Path(temporary), self.path)
        except sqlite3.Error as error:  # a full disk, mostly
            raise BadStore(self.path, f"it cannot be made: {error}", "check the disk and the permissions") from None
        except OSError as error:
            raise BadStore(self.path, f"it cannot be made: {error.strerror}", "check the disk and the permissions") from None
        finally:
            for left in (temporary, f"{temporary}-wal", f"{temporary}-shm"):
                if temporary and os.path.exists(left):
                    os.unlink(left)


_REMEDY = "move the file away and bring back a copy, or import points that were exported"


def _put(made: Path, place: Path) -> None:
    """Give a finished file its place for good; one that is there already stays."""
    with made.open("rb") as file:
        os.fsync(file.fileno())
    try:
        os.link(made, place)
    except FileExistsError:
        return
    except OSError:  # a disk without links
        if not place.exists():
            os.rename(made, place)
    for each in (place.parent, place.parent.parent):  # the folder may be new as well
        folder = os.open(each, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@contextmanager
def _in_letters() -> Iterator[None]:
    """Names and reasons from a terminal may be bytes that are no text."""
    try:
        yield
    except UnicodeEncodeError:
        raise TeachError("a name or a reason has bytes that are no letters; write it in UTF-8") from None


@contextmanager
def unique(name: str, what: str) -> Iterator[None]:
    """Names that are taken, in our words."""
    try:
        yield
    except sqlite3.IntegrityError:
        raise NameTaken(name, what) from None
