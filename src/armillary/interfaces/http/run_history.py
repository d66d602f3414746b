"""Recent runs of programs: which, when, by whom, how long, and how each ended."""

import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from armillary.cell import ProgramRun, RunState
from armillary.errors import ArmillaryError
from armillary.interfaces.http.kept_list import KeptList

__all__ = ["PastRun", "RunHistory"]

_KEPT = 1000  # runs; the oldest go
_LONGEST = 2000  # characters of an error
_BESIDE = 4  # entries that are read beside those asked for: ends of runs whose beginning is older than they are


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
    """The runs of a cell: an entry when one begins, and another with its number when it ends.

    To write one down never waits and never fails: a disk that takes nothing holds up no program.
    """

    def __init__(self, place: Path) -> None:
        self._list = KeptList(place / "run_history.db", kept=2 * _KEPT)
        self._before = self._list.last  # of the pendants before this one

    @property
    def trouble(self) -> str:
        """Why they are not written at the moment, or ""."""
        return self._list.trouble

    def watch(self, name: str, run: ProgramRun, who: str) -> None:
        """Write down a run that has been started, and how it ends when it does."""
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        number = self._list.add({"name": _plain(name), "at": at, "who": _plain(who)})
        threading.Thread(target=self._see_its_end, args=(number, run), name="history", daemon=True).start()

    def _see_its_end(self, number: int, run: ProgramRun) -> None:
        begin = time.monotonic()
        with suppress(ArmillaryError):
            run.wait()
        seconds, error = time.monotonic() - begin, _plain(str(run.error or "") if run.state == RunState.FAILED else "")
        self._list.add({"of": number, "seconds": seconds, "moves": run.moves, "ended": run.state.value, "error": error})

    def newest(self, most: int = 100) -> list[PastRun]:
        """The newest first."""
        entries = self._list.newest(2 * most + _BESIDE)
        ends = {int(value["of"]): value for _, value in entries if "of" in value}
        return [self._run(number, value, ends.get(number)) for number, value in entries if "of" not in value][:most]

    def _run(self, number: int, begun: Mapping[str, Any], end: Mapping[str, Any] | None) -> PastRun:
        if end is None:
            # Nobody saw the end of what ran when the pendant before this one ended.
            end = {"seconds": 0.0, "moves": 0, "ended": "running" if number > self._before else "lost", "error": ""}
        return PastRun(
            begun["name"], begun["at"], begun["who"], end["seconds"], end["moves"], ended=end["ended"], error=end["error"]
        )

    def flush(self) -> bool:
        """Wait until all is written; whether it is."""
        return self._list.flush()


def _plain(text: str) -> str:
    """Text that any answer takes: what a program says of itself may be bytes that are no letters."""
    return text[:_LONGEST].encode(errors="replace").decode()
