"""People who may log in by name: their roles, and their passwords as argon2 leaves them."""

import re
import sqlite3
import threading
import time
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from armillary.errors import ArmillaryError
from armillary.interfaces.http.roles import Role

__all__ = ["BadLogin", "BadUser", "CannotKeepUsers", "StoredUser", "TooManyTries", "User", "UserStore", "checked_name"]

_SHORTEST, _LONGEST = 8, 256  # characters of a password
_TRIES, _WITHIN = 5, 60.0  # failed log-ins of a name, or of all, in so many seconds, after which it must wait
_ALL_TRIES, _AT_ONCE = 50, 6
# A tenth of a second and 46 MB, in one thread and one at a time: log-ins must not take the robot's cores or memory.
_COST = (2, 47_104, 1)  # rounds, KiB, threads
_NAME = re.compile(r"[^\W_][\w .@-]{0,39}")
_TABLE = """
CREATE TABLE IF NOT EXISTS users (
    key TEXT PRIMARY KEY, name TEXT NOT NULL, role INTEGER NOT NULL, hash TEXT NOT NULL, since TEXT NOT NULL
)
"""


class BadUser(ArmillaryError):
    """A user that cannot be: no name, no role, a password that is too short."""


class BadLogin(ArmillaryError):
    """Name and password do not go together."""


class TooManyTries(BadLogin):
    """Log-in has failed too often."""


class CannotKeepUsers(ArmillaryError):
    """The file of the users cannot be read, or not be written."""


@dataclass(frozen=True)
class User:
    name: str
    role: Role
    since: str  # UTC


@dataclass(frozen=True)
class StoredUser:
    """A user as a back-up has him: with what argon2 made of his password."""

    name: str
    role: Role
    hash: str
    since: str  # UTC


class UserStore:
    """The users of a cell, in a file that only its owner can read. Safe for many threads and processes.

    Names are the same whatever their letters' size. There is always an administrator among them, once there is anybody.
    """

    def __init__(self, place: Path) -> None:
        """Raises:
        CannotKeepUsers: The file cannot be made or read: without it nobody is known.
        """
        from argon2 import PasswordHasher

        self._path, self._lock, self._hashing = place / "users.db", threading.Lock(), threading.Lock()
        self._hasher = PasswordHasher(time_cost=_COST[0], memory_cost=_COST[1], parallelism=_COST[2])
        self._failed: dict[str, list[float]] = {}
        self._nobody, self._waiting = "", 0
        try:
            place.mkdir(parents=True, exist_ok=True)
            if not self._path.exists():
                self._path.touch(mode=0o600)
            new = self._path.stat().st_size == 0
        except OSError as error:
            raise CannotKeepUsers(f"{self._path} cannot be made: {error.strerror}; check the folder") from None
        if new:
            with self._writing():
                pass  # makes the table
        self.all()

    def any(self) -> bool:
        """Whether anybody can log in by name."""
        return bool(self.all())

    def has(self, name: str) -> bool:
        return self.named(name) is not None

    def named(self, name: str) -> User | None:
        """Who has this name, whatever its letters' size; None for nobody."""
        return next((user for user in self.all() if _key(user.name) == _key(name)), None)

    def all(self) -> list[User]:
        """By name."""
        return [User(user.name, user.role, user.since) for user in self.stored()]

    def stored(self) -> list[StoredUser]:
        """All of them with their hashes, by name; for a back-up."""
        with self._reading() as file:
            rows = file.execute("SELECT name, role, hash, since FROM users ORDER BY key").fetchall()
        return [StoredUser(str(name), Role(int(role)), str(hashed), str(since)) for name, role, hashed, since in rows]

    def add(self, name: str, role: Role, password: str) -> None:
        """A new one.

        Raises:
            BadUser: No name, no role or no password, there is one of that name, or the first is no administrator.
        """
        name, hashed = checked_name(name), self._hash(password)
        with self._writing() as file:
            if role != Role.ADMINISTRATOR and not file.execute("SELECT 1 FROM users").fetchone():
                raise BadUser("the first user must be an administrator: somebody has to add the others")
            try:
                _insert(file, StoredUser(name, _checked_role(role), hashed, _now()))
            except sqlite3.IntegrityError:
                raise BadUser(f"there is a user {name!r} already; give another name") from None

    def set_password(self, name: str, password: str) -> None:
        """Raises:
        BadUser: There is no such user, or the password is too short.
        """
        hashed = self._hash(password)
        with self._writing() as file:
            self._found(file.execute("UPDATE users SET hash = ? WHERE key = ?", (hashed, _key(name))), name)

    def set_role(self, name: str, role: Role) -> None:
        """Raises:
        BadUser: There is no such user, or he is the last administrator.
        """
        with self._writing() as file:
            self._found(file.execute("UPDATE users SET role = ? WHERE key = ?", (int(_checked_role(role)), _key(name))), name)
            _keep_an_administrator(file, name)

    def remove(self, name: str) -> None:
        """Raises:
        BadUser: There is no such user, or he is the last administrator.
        """
        with self._writing() as file:
            self._found(file.execute("DELETE FROM users WHERE key = ?", (_key(name),)), name)
            _keep_an_administrator(file, name)

    def replace(self, users: Sequence[StoredUser]) -> None:
        """Others instead of these, from a back-up: all of them or none.

        Raises:
            BadUser: One of them is none, or none of them is an administrator.
        """
        for user in users:
            checked_name(user.name)
            _checked_role(user.role)
            if not user.hash.startswith("$argon2"):
                raise BadUser(f"{user.name} has no password that is known here; leave him out")
        with self._writing() as file:
            file.execute("DELETE FROM users")
            try:
                for user in users:
                    _insert(file, user)
            except sqlite3.IntegrityError:
                raise BadUser("two users have the same name; rename one") from None
            if users and not any(user.role == Role.ADMINISTRATOR for user in users):
                raise BadUser("none of these users is an administrator; make one of them administrator")

    def check(self, name: str, password: str) -> User:
        """Who has this name and this password.

        Raises:
            BadLogin: Nobody. TooManyTries: it has failed too often lately.
        """
        key = _key(name)
        self._must_wait(key)
        with self._one_of_few(), self._hashing:
            self._must_wait(key)  # again: many at once are not more tries than one after the other
            with self._reading() as file:
                row = file.execute("SELECT name, role, hash, since FROM users WHERE key = ?", (key,)).fetchone()
            # Without such a user another hash is compared: how long it takes tells nobody which names there are.
            sound = self._verified(str(row[2]) if row is not None else self._nobodys(), password)
            if row is None or not sound:
                with self._lock:
                    self._failed.setdefault(key, []).append(time.monotonic())
                raise BadLogin("this name and this password do not go together; try again, or ask an administrator")
            with self._lock:
                self._failed.pop(key, None)
        return User(str(row[0]), Role(int(row[1])), str(row[3]))

    @contextmanager
    def _one_of_few(self) -> Iterator[None]:
        """Of those who wait to be let in: they must not take all the threads that others' requests need."""
        with self._lock:
            if self._waiting >= _AT_ONCE:
                raise TooManyTries("many log in at once; try again in a moment")
            self._waiting += 1
        try:
            yield
        finally:
            with self._lock:
                self._waiting -= 1

    def _nobodys(self) -> str:
        self._nobody = self._nobody or str(self._hasher.hash("nobody has this password"))
        return self._nobody

    def _verified(self, hashed: str, password: str) -> bool:
        from argon2.exceptions import Argon2Error, InvalidHashError

        try:
            return bool(self._hasher.verify(hashed, _letters(password)))
        except (Argon2Error, InvalidHashError):
            return False

    def _must_wait(self, key: str) -> None:
        now = time.monotonic()
        with self._lock:
            self._failed = {
                name: kept for name, times in self._failed.items() if (kept := [at for at in times if now - at < _WITHIN])
            }
            mine, all_of_them = self._failed.get(key, []), [at for times in self._failed.values() for at in times]
        for times, most in ((mine, _TRIES), (all_of_them, _ALL_TRIES)):
            if len(times) >= most:
                raise TooManyTries(f"log-in has failed {len(times)} times; wait {_WITHIN - (now - min(times)):.0f} s")

    def _hash(self, password: str) -> str:
        if len(password) < _SHORTEST:
            raise BadUser(f"a password of {len(password)} characters is too short; give {_SHORTEST} or more")
        if len(password) > _LONGEST:
            raise BadUser(f"a password of {len(password)} characters is too long; give {_LONGEST} at most")
        with self._hashing:
            return str(self._hasher.hash(_letters(password)))

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with _in_words(self._path), closing(sqlite3.connect(self._path, timeout=10.0)) as file:
            yield file

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A change as a whole: what is looked at in it stays as it is until its end."""
        with _in_words(self._path), closing(sqlite3.connect(self._path, timeout=10.0, isolation_level=None)) as file:
            file.execute("BEGIN IMMEDIATE")
            try:
                file.execute(_TABLE)
                yield file
                file.execute("COMMIT")
            except BaseException:
                if file.in_transaction:
                    file.execute("ROLLBACK")
                raise

    @staticmethod
    def _found(changed: sqlite3.Cursor, name: str) -> None:
        if not changed.rowcount:
            raise BadUser(f"there is no user {name[:40]!r}; look at who there is, and how the name is written")


def checked_name(name: str) -> str:
    """A name as it is kept.

    Raises:
        BadUser: It is none.
    """
    name = unicodedata.normalize("NFC", name).strip()
    if not _NAME.fullmatch(name):
        raise BadUser(f"{name[:40]!r} is no name; give up to 40 letters, digits, spaces, dots and dashes")
    return name


def _checked_role(role: Role) -> Role:
    if not Role.VIEWER <= role <= Role.ADMINISTRATOR:
        raise BadUser("this is no role; there are: viewer, operator, programmer, administrator")
    return role


def _keep_an_administrator(file: sqlite3.Connection, name: str) -> None:
    """After a change: undone where it leaves people without anybody who could add others, or raise them."""
    left = file.execute("SELECT 1 FROM users WHERE role = ?", (int(Role.ADMINISTRATOR),)).fetchone()
    if left is None:
        raise BadUser(f"{name[:40]} is the last administrator; make another one first")


def _insert(file: sqlite3.Connection, user: StoredUser) -> None:
    row = (_key(user.name), user.name, int(user.role), user.hash, user.since)
    file.execute("INSERT INTO users (key, name, role, hash, since) VALUES (?, ?, ?, ?, ?)", row)


def _key(name: str) -> str:
    """By which a name is known: two that look the same are."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).encode(errors="replace").decode().strip()


def _letters(password: str) -> bytes:
    """As keyboards of all systems give it."""
    return unicodedata.normalize("NFC", password).encode(errors="surrogatepass")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.IntegrityError:
        raise
    except sqlite3.OperationalError as error:
        raise CannotKeepUsers(f"{path}: {error}; check the disk and the permissions") from None
    except sqlite3.DatabaseError as error:
        raise CannotKeepUsers(f"{path} is damaged ({error}); bring it back from a back-up, or remove it") from None
