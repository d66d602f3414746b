"""A list that outlasts the pendant: its newest entries, in a file, written by a thread of its own.

Who adds to it never waits and never fails: a stop is noted like anything else, and a full, slow or read-only disk must not hold
it up. What cannot be written yet is kept in memory, shown, and tried again with what comes next.
"""

import json
import sqlite3
import threading
import time
from collections import deque
from contextlib import closing
from pathlib import Path
from typing import Any

__all__ = ["KeptList"]

_IDLE = 1.0  # s without anything to write, after which the thread ends; the next entry starts another
_PATIENCE = 2.0  # s that it waits for another process that has the file
_AGAIN = 1.0  # s until a disk that refused is tried again
_WAITING = 2000  # entries that wait in memory for a disk; the oldest go


class KeptList:
    """Entries with numbers that rise, the newest of them kept. Safe for many threads.

    Attributes:
        trouble: Why entries are not written at the moment, or "".
    """

    def __init__(self, path: Path, *, kept: int) -> None:
        """Args:
        path: The file. One that is damaged is put aside, and a new one begun.
        kept: How many entries; the oldest go.
        """
        self.path, self._kept, self.trouble = path, kept, ""
        self._waiting: deque[tuple[int, str]] = deque(maxlen=_WAITING)
        self._arrived = threading.Condition()
        self._thread: threading.Thread | None = None
        self._try_at, self._last, self._mark, self._marked = 0.0, 0, 0, 0
        try:
            self._read()
        except (OSError, sqlite3.OperationalError) as error:
            self.trouble = f"{path}: {error}"
            # What is in it is not known: numbers that none of it has, so that nothing is written over.
            self._last = self._mark = self._marked = time.time_ns() // 1_000_000
        except sqlite3.DatabaseError as error:
            self._put_aside(error)

    def _read(self) -> None:
        if not self.path.exists():
            return
        with closing(self._open()) as file:
            self._last = int(file.execute("SELECT coalesce(max(number), 0) FROM entries").fetchone()[0])
            self._mark = self._marked = int(file.execute("SELECT coalesce(max(number), 0) FROM mark").fetchone()[0])

    def _put_aside(self, error: sqlite3.DatabaseError) -> None:
        aside = self.path.with_name(f"{self.path.name}.damaged-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}")
        try:
            self.path.rename(aside)
            self.trouble = f"{self.path} was damaged ({error}); it was put aside as {aside.name}, and a new one begun"
        except OSError as why:
            self.trouble = f"{self.path} is damaged ({error}) and cannot be put aside: {why.strerror}"

    def _open(self) -> sqlite3.Connection:
        """The file for reading; one that cannot be written can still be read (and so it is in no WAL)."""
        return sqlite3.connect(f"{self.path.resolve().as_uri()}?mode=ro", uri=True, timeout=_PATIENCE)

    @property
    def last(self) -> int:
        """The number of the newest entry; 0 for none."""
        return self._last

    @property
    def mark(self) -> int:
        """A number that is kept with the list: up to where somebody has read it."""
        return self._mark

    @mark.setter
    def mark(self, number: int) -> None:
        with self._arrived:
            self._mark = number
            self._wake()

    def add(self, value: dict[str, Any]) -> int:
        """Add an entry; its number."""
        text = json.dumps(value)  # in ASCII: a file takes any text so
        with self._arrived:
            self._last += 1
            self._waiting.append((self._last, text))
            self._wake()
            return self._last

    def newest(self, most: int) -> list[tuple[int, dict[str, Any]]]:
        """The newest entries with their numbers, the newest first; those that wait to be written too."""
        with self._arrived:
            found = dict(self._waiting)
        try:
            if self.path.exists():
                with closing(self._open()) as file:
                    rows = file.execute("SELECT number, value FROM entries ORDER BY number DESC LIMIT ?", (most,)).fetchall()
                found = {**{int(number): str(value) for number, value in rows}, **found}
        except (OSError, sqlite3.Error) as error:
            self.trouble = f"{self.path}: {error}"
        with self._arrived:
            found = {**found, **dict(self._waiting)}
        return [(number, json.loads(found[number])) for number in sorted(found, reverse=True)[:most]]

    def flush(self, timeout: float = 2.0) -> bool:
        """Wait until everything is written; whether it is. For the end, and for tests."""
        deadline = time.monotonic() + timeout
        with self._arrived:
            self._try_at = 0.0
            self._wake()
            while self._waiting or self._mark != self._marked:
                if not self._arrived.wait(max(deadline - time.monotonic(), 0.0)) or time.monotonic() > deadline:
                    return not self._waiting and self._mark == self._marked
        return True

    # The thread that writes.

    def _wake(self) -> None:
        self._arrived.notify_all()
        if self._thread is None:
            self._thread = threading.Thread(target=self._write_all, name=self.path.name, daemon=True)
            self._thread.start()

    def _write_all(self) -> None:
        idle = time.monotonic()
        while True:
            with self._arrived:
                due = self._waiting or self._mark != self._marked
                if not due and time.monotonic() - idle > _IDLE:
                    self._thread = None
                    return
                pause = self._try_at - time.monotonic()
                if not due or pause > 0.0:
                    self._arrived.wait(max(pause, 0.01) if due else _IDLE)
                    continue
                rows, mark = list(self._waiting), self._mark
            self._written(rows, mark)
            idle = time.monotonic()

    def _written(self, rows: list[tuple[int, str]], mark: int) -> None:
        try:
            self._write(rows, mark)
        except (sqlite3.Error, OSError) as error:
            with self._arrived:
                self.trouble = f"{self.path} cannot be written: {error}; check the disk and the permissions"
                self._try_at = time.monotonic() + _AGAIN
            return
        with self._arrived:
            self.trouble, self._marked = "", mark
            while self._waiting and self._waiting[0][0] <= (rows[-1][0] if rows else 0):
                self._waiting.popleft()
            self._arrived.notify_all()

    def _write(self, rows: list[tuple[int, str]], mark: int) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self.path, timeout=_PATIENCE)) as file, file:
            file.execute("CREATE TABLE IF NOT EXISTS entries (number INTEGER PRIMARY KEY, value TEXT NOT NULL)")
            file.execute("CREATE TABLE IF NOT EXISTS mark (one INTEGER PRIMARY KEY CHECK (one = 1), number INTEGER NOT NULL)")
            file.executemany("INSERT OR REPLACE INTO entries (number, value) VALUES (?, ?)", rows)
            oldest = "SELECT number FROM entries ORDER BY number DESC LIMIT 1 OFFSET ?"
            file.execute(f"DELETE FROM entries WHERE number <= ({oldest})", (self._kept,))
            file.execute("INSERT OR REPLACE INTO mark (one, number) VALUES (1, ?)", (mark,))
