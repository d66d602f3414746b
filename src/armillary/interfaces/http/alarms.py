"""Alarms: what went wrong, which joint, by how much, and what to do; kept, so that yesterday's can be read today."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from armillary.interfaces.http.kept_list import KeptList
from armillary.interfaces.http.messages import Alarm

__all__ = ["AlarmBook", "remedy_of"]

_KEPT = 5000  # alarms; the oldest go
# By the kind of fault: see runtime/guard.py, and executor_process.py for those of the station itself.
_REMEDIES = {
    "following": "look whether something holds the joint, whether its brake is released and its drive follows; then reset",
    "position": "the motion would leave the joint's range: teach or write it anew; reset, and jog the joint back inside",
    "velocity": "a motion asked for more than the joint's limit in cell.toml: slow it down, or look whether the limit is right; "
    "then reset",
    "torque": "look for what the robot pushes against, and whether payload and tool are those in cell.toml; then reset",
    "driver": "look at the drives: power, cable, emergency stop, their own fault; then reset",
    "station": "the cell's own software was silent and the robot stopped: look at System for what was started again; then reset",
    "late": "other work keeps this computer from being on time: end it, or give the cell a core of its own; then reset",
    "number": "a value was no number: look at the encoder of the joint, and whether its drive answers; then reset",
    "motors": "a motor would turn faster than it may: slow the motion down, or check [actuation] in cell.toml; then reset",
    "executor": "the cell's own software ended and was started again: look at System for why, and where the robot stands; "
    "then reset",
}


def remedy_of(cause: str) -> str:
    """What to do against a kind of fault, in words."""
    return _REMEDIES.get(cause, "remove the cause, then reset")


class AlarmBook:
    """All alarms of a cell. A disk that takes nothing loses none of them while the pendant runs.

    Attributes:
        unseen: How many nobody has acknowledged.
    """

    def __init__(self, place: Path) -> None:
        self._list = KeptList(place / "alarms.db", kept=_KEPT)
        self._heard: Mapping[str, Any] | None = None  # the newest that was looked at

    @property
    def unseen(self) -> int:
        return min(max(self._list.last - self._list.mark, 0), _KEPT)

    @property
    def trouble(self) -> str:
        """Why they are not written at the moment, or ""."""
        return self._list.trouble

    def heard(self, happenings: "Iterable[Mapping[str, Any]]") -> list[Alarm]:
        """The faults among what has happened since it was last looked at, written down; oldest first.

        It is asked sixty times a second: it looks from the end, as far as it has not looked before.
        """
        new = []
        for each in reversed(list(happenings)):
            if each is self._heard:
                break
            new.append(each)
        if new:
            self._heard = new[0]
        return [self._note(each) for each in reversed(new) if each.get("event") == "FAULT"]

    def _note(self, happened: Mapping[str, Any]) -> Alarm:
        fault = dict(happened.get("fault") or {})
        cause = str(fault.get("kind", "")) or "fault"
        value: dict[str, Any] = {
            "at": datetime.now(UTC).isoformat(timespec="milliseconds"), "cause": cause, "joint": str(fault.get("joint", "")),
            "value": fault.get("value"), "limit": fault.get("limit"), "text": str(happened.get("text", "")),
            "remedy": remedy_of(cause),
        }  # fmt: skip
        return Alarm(self._list.add(value), **value)

    def history(self, most: int = 200) -> list[Alarm]:
        """The newest first."""
        return [Alarm(number, **value) for number, value in self._list.newest(most)]

    def acknowledge(self) -> None:
        """Somebody has seen them all."""
        self._list.mark = self._list.last

    def flush(self) -> bool:
        """Wait until all is written; whether it is."""
        return self._list.flush()
