"""Points that were taught, kept in the store of their cell with all that they were before."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from armillary.programs.surroundings import Point
from armillary.programs.teach.errors import NoSuchName
from armillary.programs.teach.point_name import checked_name
from armillary.programs.teach.store import Store, now, unique, user
from armillary.programs.teach.taught_point import (
    PointChange,
    TaughtPoint,
    checked_point,
    ordered,
    parsed,
    points_from,
    points_text,
    taught_from,
    value_text,
)

__all__ = ["PointStore"]


class PointStore:
    """The points of one cell. Each call that changes something has it on the disk when it returns."""

    def __init__(self, store: Store | Path) -> None:
        self.store = store if isinstance(store, Store) else Store(store)

    @classmethod
    def of(cls, source: str | Path) -> "PointStore":
        """The points of a cell or robot, by file or name."""
        return cls(Store.of(source))

    # To read.

    def all(self) -> list[TaughtPoint]:
        """Every point, in the order in which they were taught."""
        with self.store.reading() as connection:
            rows = connection.execute("SELECT name, value, at, by FROM points ORDER BY id").fetchall()
        return [self._of(row) for row in rows]

    def get(self, name: str) -> TaughtPoint:
        """One of them.

        Raises:
            NoSuchName: There is none of this name; proposes the nearest.
        """
        with self.store.reading() as connection:
            return self._of(_row(connection, name)[1:])

    def points(self, joints: Sequence[str] = ()) -> dict[str, Point]:
        """All of them by name, as `Surroundings` takes them.

        Args:
            joints: The order that each q is wanted in; as it was taught where left out.

        Raises:
            TeachError: A point lacks one of these joints: it was taught with another robot or group.
        """
        return {taught.point.name: ordered(taught, joints) for taught in self.all()}

    def history(self, name: str = "") -> list[PointChange]:
        """What was done, oldest first: to the point that has this name now, or had it, or to all."""
        query = "SELECT what, name, before, at, by FROM point_changes"
        with self.store.reading() as connection:
            if not name:
                rows = connection.execute(f"{query} ORDER BY id").fetchall()
            else:
                mine = "SELECT point FROM point_changes WHERE name = ? COLLATE NOCASE"
                rows = connection.execute(f"{query} WHERE point IN ({mine}) ORDER BY id", (name,)).fetchall()
        return [PointChange(what, name, self._before(before), at, by) for what, name, before, at, by in rows]

    # To change.

    def teach(self, point: Point, *, joints: Sequence[str] = (), by: str = "", what: str = "taught") -> TaughtPoint:
        """Keep a new point.

        Raises:
            NameTaken: There is one of this name; small and capital letters are the same.
            BadName: No name, or a word of the robot language.
        """
        taught = checked_point(TaughtPoint(point, tuple(joints), now(), by or user()))
        with self.store.writing() as connection, unique(point.name, "point"):
            _insert(connection, taught, what)
        return taught

    def touch_up(self, name: str, point: Point, *, joints: Sequence[str] = (), by: str = "") -> TaughtPoint:
        """Give a point another place; its name stays, and what it was is kept in its history."""
        with self.store.writing() as connection:
            number, *row = _row(connection, name)
            taught = checked_point(TaughtPoint(replace(point, name=row[0]), tuple(joints), now(), by or user()))
            values = (value_text(taught), taught.at, taught.by, number)
            connection.execute("UPDATE points SET value = ?, at = ?, by = ? WHERE id = ?", values)
            _note(connection, number, "touched up", row[0], self._of(row), taught.at, taught.by)
        return taught

    def rename(self, name: str, new: str, *, by: str = "") -> None:
        """Give a point another name."""
        checked_name(new)
        with self.store.writing() as connection, unique(new, "point"):
            number, *row = _row(connection, name)
            connection.execute("UPDATE points SET name = ? WHERE id = ?", (new, number))
            _note(connection, number, "renamed", new, self._of(row), now(), by or user())

    def delete(self, name: str, *, by: str = "") -> None:
        """Take a point away; its history stays."""
        with self.store.writing() as connection:
            number, *row = _row(connection, name)
            connection.execute("DELETE FROM points WHERE id = ?", (number,))
            _note(connection, number, "deleted", row[0], self._of(row), now(), by or user())

    # To take elsewhere.

    def export(self) -> str:
        """All points as JSON, in SI units."""
        return points_text(self.all())

    def take_in(self, text: str, *, by: str = "", keep: bool = False) -> list[str]:
        """Points that were exported: all of them, or none where one cannot be taken. Which were taken.

        Args:
            keep: Leave out those whose names are taken; otherwise such a name is an error.

        Raises:
            TeachError: The text is not what `export` wrote, and where.
            NameTaken: As for `teach`.
        """
        points = [checked_point(each) for each in points_from(text)]
        taken: list[str] = []
        with self.store.writing() as connection:
            known = {str(row[0]).upper() for row in connection.execute("SELECT name FROM points")}
            for each in points:
                name = each.point.name
                if keep and name.upper() in known:
                    continue
                with unique(name, "point"):
                    _insert(connection, replace(each, at=now(), by=by or user()), "imported")
                taken.append(name)
        return taken

    def _of(self, row: Sequence[Any]) -> TaughtPoint:
        name, value, at, by = row
        return taught_from(str(name), parsed(value), str(at), str(by), str(self.store.path))

    def _before(self, text: str | None) -> TaughtPoint | None:
        if text is None:
            return None
        value = parsed(text)
        return taught_from(
            str(value.get("name", "")), value, str(value.get("at", "")), str(value.get("by", "")), str(self.store.path)
        )


def _insert(connection: sqlite3.Connection, taught: TaughtPoint, what: str) -> None:
    values = (taught.point.name, value_text(taught), taught.at, taught.by)
    # Numbers are never used again: the history of a deleted point stays its own.
    number = connection.execute(
        "SELECT 1 + MAX(COALESCE((SELECT MAX(id) FROM points), 0), COALESCE((SELECT MAX(point) FROM point_changes), 0))"
    ).fetchone()[0]
    connection.execute("INSERT INTO points (id, name, value, at, by) VALUES (?, ?, ?, ?, ?)", (number, *values))
    _note(connection, number, what, taught.point.name, None, taught.at, taught.by)


def _row(connection: sqlite3.Connection, name: str) -> tuple[Any, ...]:
    row = connection.execute("SELECT id, name, value, at, by FROM points WHERE name = ? COLLATE BINARY", (name,)).fetchone()
    if row is None:
        known = [each[0] for each in connection.execute("SELECT name FROM points ORDER BY id")]
        raise NoSuchName(name, known, "point")
    return tuple(row)


def _note(
    connection: sqlite3.Connection, number: int, what: str, name: str, before: TaughtPoint | None, at: str, by: str
) -> None:
    text = None
    if before is not None:
        text = json.dumps({**json.loads(value_text(before)), "name": before.point.name, "at": before.at, "by": before.by})
    values = (number, what, name, text, at, by)
    connection.execute("INSERT INTO point_changes (point, what, name, before, at, by) VALUES (?, ?, ?, ?, ?, ?)", values)
