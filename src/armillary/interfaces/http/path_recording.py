"""A path that is being recorded: where the joints are, fifty times a second, until somebody says that it is over."""

import threading
import time
from collections.abc import Callable

from armillary.cell import Cell
from armillary.errors import ArmillaryError
from armillary.programs.teach import PathRecorder, RecordedPath, TeachError, checked_name
from armillary.runtime import Refused

__all__ = ["PathRecording", "PathRecordings"]

_PERIOD = 0.02  # s between samples
_LONGEST = 1800.0  # s; nothing more is taken then


class PathRecording:
    """One of them, from when it is made.

    Attributes:
        name: Under which it will be kept. by: Who records it.
        seconds: From its beginning to the newest sample [s].
    """

    def __init__(self, cell: Cell, name: str, by: str) -> None:
        """Raises:
        BadName: It is no name.
        Refused: Where the robot is is not known.
        """
        self.name, self.by, self.seconds = checked_name(name), by, 0.0
        self._cell, self._recorder, self._done = cell, PathRecorder(cell.model.joints), threading.Event()
        self._recorder.add(0.0, cell.place())
        self._begin = time.monotonic()
        self._thread = threading.Thread(target=self._take, name="path", daemon=True)
        self._thread.start()

    @property
    def samples(self) -> int:
        return len(self._recorder)

    def finish(self) -> RecordedPath:
        """The path; no more is taken. It can be asked for again.

        Raises:
            TeachError: Nothing has moved.
        """
        self.drop()
        return self._recorder.finish()

    def drop(self) -> None:
        """Take no more."""
        self._done.set()
        self._thread.join()

    def _take(self) -> None:
        while not self._done.wait(_PERIOD) and (now := time.monotonic() - self._begin) < _LONGEST:
            try:
                self._recorder.add(now, self._cell.place())
            except Refused:
                return  # it was powered off: what is there is the path
            self.seconds = now


class PathRecordings:
    """The one that is being recorded, if any."""

    def __init__(self, cell: Cell) -> None:
        self._cell, self._lock = cell, threading.Lock()
        self.now: PathRecording | None = None

    def begin(self, name: str, by: str) -> None:
        """Raises:
        Refused: Another one is being recorded.
        """
        with self._lock:
            if self.now is not None:
                raise Refused(f"{self.now.by} records {self.now.name} already; finish it first")
            self.now = PathRecording(self._cell, name, by)

    def end(self, keep: Callable[[str, RecordedPath], None]) -> tuple[str, RecordedPath]:
        """End the one that is being recorded, and have it kept; its name, and the path. Another one can be begun then.

        Args:
            keep: Keeps it under its name.

        Raises:
            Refused: There is none.
            TeachError: Nothing has moved, and it is forgotten; or it cannot be kept, and can be ended again.
        """
        with self._lock:
            recording = self._being_recorded()
            try:
                path = recording.finish()
            except TeachError:  # there is nothing to lose
                self.now = None
                raise
            try:
                keep(recording.name, path)
            except ArmillaryError as error:
                what = f"the recording of {recording.seconds:.0f} s is not lost"
                raise TeachError(f"{error}; {what}: put that right and finish it again, or throw it away") from None
            self.now = None
        return recording.name, path

    def throw_away(self) -> PathRecording:
        """The one that was being recorded; another one can be begun.

        Raises:
            Refused: There is none.
        """
        with self._lock:
            recording = self._being_recorded()
            recording.drop()
            self.now = None
        return recording

    def _being_recorded(self) -> PathRecording:
        if self.now is None:
            raise Refused("nothing is being recorded; begin a recording first")
        return self.now
