"""A path that is being recorded: where the joints are, fifty times a second, until somebody says that it is over."""

import threading
import time

from armillary.cell import Cell
from armillary.programs.teach import PathRecorder, RecordedPath, checked_name
from armillary.runtime import Refused

__all__ = ["PathRecording", "PathRecordings"]

_PERIOD = 0.02  # s between samples
_LONGEST = 1800.0  # s; nothing more is taken then


class PathRecording:
    """One of them, from when it is made.

    Attributes:
        name: Under which it will be kept. by: Who records it.
    """

    def __init__(self, cell: Cell, name: str, by: str) -> None:
        """Raises:
        BadName: It is no name.
        Refused: Where the robot is is not known.
        """
        self.name, self.by = checked_name(name), by
        self._cell, self._recorder, self._done = cell, PathRecorder(cell.model.joints), threading.Event()
        self._recorder.add(0.0, cell.where())
        self._begin = time.monotonic()
        self._thread = threading.Thread(target=self._take, name="path", daemon=True)
        self._thread.start()

    @property
    def samples(self) -> int:
        return len(self._recorder)

    @property
    def seconds(self) -> float:
        """Since it was begun."""
        return min(time.monotonic() - self._begin, _LONGEST)

    def finish(self) -> RecordedPath:
        """The path.

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
        while not self._done.wait(_PERIOD) and time.monotonic() - self._begin < _LONGEST:
            try:
                self._recorder.add(time.monotonic() - self._begin, self._cell.where())
            except Refused:
                return  # it was powered off: what is there is the path


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

    def end(self) -> PathRecording:
        """The one that was being recorded; another one can be begun.

        Raises:
            Refused: There is none.
        """
        with self._lock:
            if self.now is None:
                raise Refused("nothing is being recorded; begin a recording first")
            ended, self.now = self.now, None
        return ended
