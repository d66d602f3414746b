"""Recent runs of programs: which, when, by whom, how long, and how each ended."""

import sqlite3
import threading
import time
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from armillary.cell import ProgramRun
from armillary.errors import ArmillaryError

__all__ = ["PastRun", "RunHistory"]

_KEPT = 1000  # runs; the oldest go


@dataclass(frozen=True)
class PastRun:
    """A run.

    Attributes:
        at: When it was started (UTC, ISO 8601). who: By whom.
        seconds: How long it took [s]. moves: How many it made.
        ended: "ended", "stopped", "failed"; "running" while it does, "lost" where the pendant ended before it.
        error: What it failed of, or "".
    """

    name: str
    at: str
    who: str
    seconds: float
    moves: int
    ended: str
    error: str


class RunHistory:
    """The runs of a cell."""

    def __init__(self, place: Path) -> None:
        self._path = place / "runs.db"
        place.mkdir(parents=True, exist_ok=True)
        with closing(self._open()) as connection, connection:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS runs "
                "(id INTEGER PRIMARY KEY, name TEXT, at TEXT, who TEXT, seconds REAL, moves INTEGER, ended TEXT, error TEXT)"
            )
            # Nobody saw the end of what ran when the pendant before this one ended.
            connection.execute("UPDATE runs SET ended = 'lost' WHERE ended = 'running'")

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=10.0)

    def watch(self, name: str, run: ProgramRun, who: str) -> None:
        """Write down a run that has been started, and how it ends when it does."""
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        with closing(self._open()) as connection, connection:
            row = connection.execute(
                "INSERT INTO runs (name, at, who, seconds, moves, ended, error) VALUES (?, ?, ?, 0, 0, 'running', '')",
                (name, at, who),
            )
            number = int(row.lastrowid or 0)
            connection.execute("DELETE FROM runs WHERE id <= ?", (number - _KEPT,))
        threading.Thread(target=self._see_its_end, args=(number, run), name="history", daemon=True).start()

    def _see_its_end(self, number: int, run: ProgramRun) -> None:
        begin = time.monotonic()
        with suppress(ArmillaryError):
            run.wait()
        values = (time.monotonic() - begin, run.moves, run.state.value, str(run.error or "")[:2000], number)
        with closing(self._open()) as connection, connection:
            connection.execute("UPDATE runs SET seconds = ?, moves = ?, ended = ?, error = ? WHERE id = ?", values)

    def newest(self, most: int = 100) -> list[PastRun]:
        """The newest first."""
        query = "SELECT name, at, who, seconds, moves, ended, error FROM runs ORDER BY id DESC LIMIT ?"
        with closing(self._open()) as connection:
            rows = connection.execute(query, (most,)).fetchall()
        return [PastRun(*row) for row in rows]
