"""Results of calibrations, kept in the store of their cell: each with its date, its reason and those before it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.programs.calibration.errors import BadCalibration
from armillary.programs.teach.errors import NoSuchName
from armillary.programs.teach.point_name import checked_name
from armillary.programs.teach.store import Store, now, user

__all__ = ["CalibrationRecord", "CalibrationStore", "newest_offsets"]

Array = NDArray[np.float64]
_KINDS = ("tool", "frame", "zero")


@dataclass(frozen=True)
class CalibrationRecord:
    """One result that held from a moment on.

    Attributes:
        number: Ascending; the newest of its kind and name holds.
        kind: "tool", "frame" or "zero".
        name: The frame's; "" for the tool and the zeros.
        value: What was found: {"xyz": ..., "rpy": ...} [m], [rad]; {"joints": ..., "offsets": ...} [rad or m] for zeros.
        reason: Why it was done.
        at, by: When (UTC, ISO 8601) and by whom.
    """

    number: int
    kind: str
    name: str
    value: dict[str, Any]
    reason: str
    at: str
    by: str


class CalibrationStore:
    """The calibrations of one cell. Nothing is ever overwritten: a new one is put on top."""

    def __init__(self, store: Store | Path) -> None:
        self.store = store if isinstance(store, Store) else Store(store)

    @classmethod
    def of(cls, source: str | Path) -> "CalibrationStore":
        return cls(Store.of(source))

    def keep(self, kind: str, value: dict[str, Any], *, name: str = "", reason: str = "", by: str = "") -> CalibrationRecord:
        """Put a result on top; it is on the disk when this returns.

        Raises:
            BadCalibration: A kind that there is not, or a value that is not finite.
        """
        if kind not in _KINDS:
            raise BadCalibration(f"there is no calibration {kind!r}; there are: {', '.join(_KINDS)}")
        if kind == "frame":
            checked_name(name)
        try:
            text = json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            raise BadCalibration(f"a calibration of the {kind} has a value that is no finite number; measure again") from None
        at, by = now(), by or user()
        with self.store.writing() as connection:
            order = "INSERT INTO calibrations (kind, name, value, reason, at, by) VALUES (?, ?, ?, ?, ?, ?)"
            number = connection.execute(order, (kind, name, text, reason, at, by)).lastrowid
        return CalibrationRecord(int(number or 0), kind, name, json.loads(text), reason, at, by)

    def history(self, kind: str = "", name: str = "") -> list[CalibrationRecord]:
        """All of a kind and name, or all there are; oldest first."""
        with self.store.reading() as connection:
            query = "SELECT id, kind, name, value, reason, at, by FROM calibrations"
            if kind:
                rows = connection.execute(f"{query} WHERE kind = ? AND name = ? ORDER BY id", (kind, name)).fetchall()
            else:
                rows = connection.execute(f"{query} ORDER BY id").fetchall()
        return [CalibrationRecord(row[0], row[1], row[2], json.loads(row[3]), *row[4:]) for row in rows]

    def newest(self, kind: str, name: str = "") -> CalibrationRecord | None:
        """The one that holds; None where there is none."""
        found = self.history(kind, name)
        return found[-1] if found else None

    def roll_back(self, kind: str, name: str = "", *, to: int | None = None, by: str = "") -> CalibrationRecord:
        """Put an earlier result on top again: the one before, or the one with a number.

        Raises:
            BadCalibration: There is none before.
            NoSuchName: There is none of this number, or name.
        """
        found = self.history(kind, name)
        if not found:
            raise NoSuchName(name or kind, [each.name or each.kind for each in self.history()], "calibration of")
        if to is None and len(found) < 2:
            raise BadCalibration(f"there is only one calibration of the {kind} {name}: nothing to go back to".replace("  ", " "))
        chosen = {each.number: each for each in found}.get(found[-2].number if to is None else to)
        if chosen is None:
            raise NoSuchName(str(to), [str(each.number) for each in found], "calibration with the number")
        return self.keep(kind, chosen.value, name=chosen.name, reason=f"back to number {chosen.number}", by=by)


def newest_offsets(store: CalibrationStore, joints: Sequence[str]) -> Array:
    """What must be added to the joints' readings by the newest calibration of zeros, shape (n,) [rad or m]; 0 without one."""
    record = store.newest("zero")
    if record is None:
        return np.zeros(len(joints))
    known = dict(zip(record.value["joints"], record.value["offsets"], strict=True))
    return np.array([float(known.get(joint, 0.0)) for joint in joints])
