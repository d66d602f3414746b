"""Who did what, and when. To note it never waits and never fails: what cannot be written yet is kept, and written later."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from armillary.interfaces.http.kept_list import KeptList

__all__ = ["Audit", "Entry"]

_KEPT = 100_000  # entries; the oldest go
_LONGEST = 500  # characters of one
_STRANGERS = 1.0  # s between two of people who are not known


@dataclass(frozen=True)
class Entry:
    at: str  # UTC
    who: str
    what: str


class Audit:
    """The audit trail of a cell."""

    def __init__(self, place: Path) -> None:
        self._list = KeptList(place / "audit.db", kept=_KEPT)
        self._stranger = -_STRANGERS  # when one was noted

    @property
    def trouble(self) -> str:
        """Why it is not written at the moment, or ""."""
        return self._list.trouble

    def note(self, who: str, what: str) -> None:
        """Written within a moment, by a thread of its own."""
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._list.add({"at": at, "who": _plain(who) or "nobody", "what": _plain(what)})

    def note_of_stranger(self, who: str, what: str) -> None:
        """Of somebody who is not known: once in a while, so that nobody can push out what others did."""
        now = time.monotonic()
        if now - self._stranger > _STRANGERS:
            self._stranger = now
            self.note(who, what)

    def newest(self, most: int = 200) -> list[Entry]:
        """The newest first."""
        return [Entry(value["at"], value["who"], value["what"]) for _, value in self._list.newest(most)]

    def flush(self) -> bool:
        """Wait until all is written; whether it is."""
        return self._list.flush()


def _plain(text: str) -> str:
    """Text that any file and any answer takes: names come from people, and from whoever sends what he likes."""
    return text[:_LONGEST].encode(errors="replace").decode()
