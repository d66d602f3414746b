"""A path as somebody moved the robot along it: joint positions over time, and where they are kept."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from armillary.programs.teach.errors import NoSuchName, TeachError
from armillary.programs.teach.point_name import checked_name
from armillary.programs.teach.store import Store, now, unique, user

__all__ = ["PathRecorder", "PathStore", "RecordedPath"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RecordedPath:
    """Where the joints were, and when.

    Attributes:
        joints: Their names.
        times: Ascending, from 0, shape (k,) [s].
        q: Positions, shape (k, n) [rad or m].
    """

    joints: tuple[str, ...]
    times: Array
    q: Array

    def __post_init__(self) -> None:
        try:
            times, q = np.array(self.times, dtype=float), np.array(self.q, dtype=float)
        except (TypeError, ValueError):
            raise TeachError("a path is times, and a row of joint positions for each; this is none") from None
        if times.ndim != 1 or q.shape != (len(times), len(self.joints)) or len(times) < 2:
            raise TeachError(
                f"a path of {len(self.joints)} joints needs two rows at least and a time for each; "
                f"given times of shape {times.shape} and positions of shape {q.shape}"
            )
        if not (np.isfinite(times).all() and np.isfinite(q).all()):
            raise TeachError("a path has values that are not finite; record it anew")
        if not (np.diff(times) > 0.0).all():
            late = int(np.argmin(np.diff(times) > 0.0)) + 1
            raise TeachError(f"time does not go on at sample {late} of a path ({times[late]:g} s); record it anew")
        times = times - times[0]
        for name, array in (("times", times), ("q", q)):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @property
    def duration(self) -> float:
        return float(self.times[-1])


class PathRecorder:
    """Takes samples while a robot is moved by hand or jogged, and leaves out what stood before and behind.

    Not for several threads.
    """

    def __init__(self, joints: Sequence[str], *, moves: float = 1e-5) -> None:
        """Args:
        moves: How far a joint must have gone to have moved [rad or m]: more than an encoder trembles.
        """
        self.joints, self._moves = tuple(joints), moves
        self._times: list[float] = []
        self._q: list[Array] = []

    def __len__(self) -> int:
        return len(self._times)

    def add(self, time: float, q: Sequence[float] | Array) -> None:
        """Where the joints are at a time [s]. The same time twice counts once."""
        if self._times and time <= self._times[-1]:
            return
        self._times.append(float(time))
        self._q.append(np.array(q, dtype=float))

    def finish(self) -> RecordedPath:
        """The path.

        Raises:
            TeachError: Nothing has moved.
        """
        q = np.array(self._q)
        gone = np.abs(q - q[0]).max(axis=1) > self._moves if len(q) else np.zeros(0, dtype=bool)
        left = np.abs(q - q[-1]).max(axis=1) > self._moves if len(q) else np.zeros(0, dtype=bool)
        if not gone.any() or not left.any():
            raise TeachError("nothing has moved while it was recorded; move the robot between start and end")
        # One standing sample stays at each end: it begins and ends at rest.
        begin, end = max(int(np.argmax(gone)) - 1, 0), min(len(q) - int(np.argmax(left[::-1])) + 1, len(q))
        return RecordedPath(self.joints, np.array(self._times[begin:end]), q[begin:end])


class PathStore:
    """The recorded paths of one cell."""

    def __init__(self, store: Store | Path) -> None:
        self.store = store if isinstance(store, Store) else Store(store)

    @classmethod
    def of(cls, source: str | Path) -> "PathStore":
        return cls(Store.of(source))

    def names(self) -> list[str]:
        with self.store.reading() as connection:
            return [str(row[0]) for row in connection.execute("SELECT name FROM paths ORDER BY id")]

    def keep(self, name: str, path: RecordedPath, *, by: str = "") -> None:
        """Keep a path under a new name; it is on the disk when this returns.

        Raises:
            NameTaken, BadName: As for points.
        """
        checked_name(name)
        values = (name, json.dumps(path.joints), _bytes(path.times), _bytes(path.q), now(), by or user())
        with self.store.writing() as connection, unique(name, "path"):
            connection.execute("INSERT INTO paths (name, joints, times, q, at, by) VALUES (?, ?, ?, ?, ?, ?)", values)

    def get(self, name: str) -> RecordedPath:
        """One of them.

        Raises:
            NoSuchName: There is none of this name; proposes the nearest.
        """
        with self.store.reading() as connection:
            row = connection.execute("SELECT joints, times, q FROM paths WHERE name = ? COLLATE BINARY", (name,)).fetchone()
        if row is None:
            raise NoSuchName(name, self.names(), "path")
        joints, times = tuple(json.loads(row[0])), np.frombuffer(row[1], dtype="<f8")
        return RecordedPath(joints, times, np.frombuffer(row[2], dtype="<f8").reshape(len(times), -1))

    def rename(self, name: str, new: str) -> None:
        checked_name(new)
        self._change("UPDATE paths SET name = ? WHERE name = ? COLLATE BINARY", (new, name), name, new)

    def delete(self, name: str) -> None:
        self._change("DELETE FROM paths WHERE name = ? COLLATE BINARY", (name,), name, name)

    def _change(self, order: str, values: tuple[str, ...], name: str, new: str) -> None:
        with self.store.writing() as connection, unique(new, "path"):
            if connection.execute(order, values).rowcount != 1:
                raise NoSuchName(name, [str(row[0]) for row in connection.execute("SELECT name FROM paths")], "path")


def _bytes(values: Array) -> bytes:
    return np.ascontiguousarray(values, dtype="<f8").tobytes()
