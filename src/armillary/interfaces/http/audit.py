"""Who did what, and when. To note it never waits and never fails: what cannot be written yet is kept, and written later."""

import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from armillary.interfaces.http.kept_list import KeptList

__all__ = ["Audit", "Entry"]

_KEPT = 100_000  # entries; the oldest go
_LONGEST = 500  # characters of one
_STRANGERS = 10.0  # s between two of the same kind of people who are not known
_SETTLED = 1.0  # s after which what is set again and again counts as set


@dataclass(frozen=True, eq=False)
class _Setting:
    """What was set and may be set again in a moment."""

    who: str
    of: str
    what: str
    timer: threading.Timer


@dataclass(frozen=True)
class Entry:
    at: str  # UTC
    who: str
    what: str


class Audit:
    """The audit trail of a cell."""

    def __init__(self, place: Path) -> None:
        self._list = KeptList(place / "audit.db", kept=_KEPT)
        self._strangers: dict[str, float] = {}  # when each kind of thing was noted of one
        self._settling = threading.Lock()
        self._last: _Setting | None = None

    @property
    def trouble(self) -> str:
        """Why it is not written at the moment, or ""."""
        return self._list.trouble

    def note(self, who: str, what: str) -> None:
        """Written within a moment, by a thread of its own.

        Args:
            who: "" for somebody who is not logged in: once in a while, so that nobody can push out what others did.
        """
        if not who:
            self.note_of_stranger("somebody who is not logged in", what)
            return
        self.settle()
        self._add(who, what)

    def note_last(self, who: str, what: str, of: str) -> None:
        """What is set again and again, as by a slider: the last of what comes within a second is noted.

        Args:
            of: What is set. Another thing, or another person's, does not take its place.
        """
        with self._settling:
            last = self._last
            if last is not None and (last.who, last.of) == (who, of):
                last.timer.cancel()
            else:
                self._write()
            timer = threading.Timer(_SETTLED, self.settle)
            timer.daemon = True
            self._last = _Setting(who, of, what, timer)
            timer.start()

    def settle(self) -> None:
        """Note what was set last, without waiting for more."""
        with self._settling:
            self._write()

    def _write(self) -> None:
        last, self._last = self._last, None
        if last is not None:
            last.timer.cancel()
            self._add(last.who, last.what)

    def _add(self, who: str, what: str) -> None:
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._list.add({"at": at, "who": _plain(who) or "nobody", "what": _plain(what)})

    def note_of_stranger(self, who: str, what: str) -> None:
        """Of somebody who is not known: once in a while, so that nobody can push out what others did."""
        now = time.monotonic()
        if now - self._strangers.get(what, -_STRANGERS) >= _STRANGERS:
            self._strangers[what] = now
            self.settle()
            self._add(who, what)

    def newest(self, most: int = 200) -> list[Entry]:
        """The newest first."""
        self.settle()
        return [Entry(value["at"], value["who"], value["what"]) for _, value in self._list.newest(most)]

    def flush(self) -> bool:
        """Wait until all is written; whether it is."""
        self.settle()
        return self._list.flush()


def _plain(text: str) -> str:
    """Text that any file and any answer takes: names come from people, and from whoever sends what he likes."""
    return text[:_LONGEST].encode(errors="replace").decode()
