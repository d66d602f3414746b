"""Where recordings lie, and a recording without end in files that follow each other: the folder never grows beyond its bound."""

import errno
import fcntl
import os
import re
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from armillary.runtime.errors import RuntimeProblem
from armillary.runtime.recording import repair
from armillary.runtime.recording_writer import RecordingAbout, RecordingWriter

__all__ = ["ContinuousRecording", "NoRecording", "RecordingFolder", "default_folder", "is_being_written"]

_NAME = re.compile(r"^\d{8}-\d{6}-\d{3}_.*\.mcap$")
_RETRY = 5.0  # s until a disk that refused is tried again
_ROOM = 2_000_000  # bytes that must be free by then: what is begun is to hold more than a moment


class NoRecording(RuntimeProblem):
    """There is no recording where one was looked for."""


def default_folder() -> Path:
    """The user's folder for what programs keep: $XDG_STATE_HOME or ~/.local/state."""
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "armillary" / "recordings"


class RecordingFolder:
    """A folder of recordings. Their names begin with the time (UTC) and so sort by it."""

    def __init__(self, path: Path | str | None = None) -> None:
        """Args:
        path: The folder; `default_folder` where left out or empty.
        """
        self.path = Path(path) if path else default_folder()

    def recordings(self) -> list[Path]:
        """All of them, oldest first; none where there is no folder."""
        try:
            return sorted(path for path in self.path.iterdir() if _NAME.match(path.name))
        except OSError:
            return []

    def latest(self, robot: str = "") -> Path:
        """The newest one.

        Args:
            robot: Of this robot only.

        Raises:
            NoRecording: There is none.
        """
        found = [path for path in self.recordings() if not robot or path.stem.partition("_")[2] == _plain(robot)]
        if not found:
            whose = f" of {robot}" if robot else ""
            raise NoRecording(f"{self.path}: there is no recording{whose} yet; run a cell, or give another folder")
        return found[-1]

    def new_name(self, robot: str, wall_ns: int) -> Path:
        """A name that is free and sorts behind all that were given before `wall_ns`."""
        while True:
            moment = datetime.fromtimestamp(wall_ns / 1e9, tz=UTC)
            path = self.path / f"{moment:%Y%m%d-%H%M%S}-{moment.microsecond // 1000:03d}_{_plain(robot)}.mcap"
            if not path.exists():
                return path
            wall_ns += 1_000_000

    def mend(self, most: int = 3) -> list[Path]:
        """Make the newest files whole whose recorders were killed; which those were."""
        mended = []
        for path in self.recordings()[-most:]:
            try:
                if not is_being_written(path) and repair(path):
                    mended.append(path)
            except RuntimeProblem:
                continue  # it is left as it is: it can still be read
        return mended

    def keep_below(self, total: int) -> int:
        """Delete the oldest files until all together have at most `total` bytes; how many that were.

        One that is being written, by whatever process, is not touched.
        """
        sizes = [(path, _size(path)) for path in self.recordings()]
        together, deleted = sum(size for _, size in sizes), 0
        for path, size in sizes:
            if together <= total:
                break
            if _delete(path):
                together, deleted = together - size, deleted + 1
        return deleted


def is_being_written(path: Path) -> bool:
    """Whether a recorder holds a file open; what it writes next would be lost if the file were replaced."""
    if not path.is_file():  # a pipe would be waited for
        return False
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False  # a file system without locks
    return False


def _plain(robot: str) -> str:
    return re.sub(r"[^A-Za-z0-9-]+", "-", robot)[:60] or "robot"


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _delete(path: Path) -> bool:
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # refused where a writer holds it
        path.unlink()
    except OSError:
        return False
    finally:
        os.close(file)
    return True


class ContinuousRecording:
    """A recording in files that follow each other. Nothing here raises because of a disk: it pauses, says so, and tries again.

    Attributes:
        written: Bytes in files so far. lost: Calls of `write` that came to nothing.
        problem: Why it pauses, or ""; it pauses until something is in a file again, not only until one was begun.
        pauses: How often it has paused.
        files: Those that hold something of it, in order, and from when to when [s since its start].
    """

    def __init__(
        self,
        folder: RecordingFolder,
        about: RecordingAbout,
        *,
        file_size: int = 256_000_000,
        total_size: int = 2_000_000_000,
        begin: Callable[[RecordingWriter], None] | None = None,
        say: Callable[[str], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
        wall_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """Args:
        file_size: A file is closed and the next begun at this size [bytes].
        total_size: The folder is kept below [bytes].
        begin: Writes what each file begins with.
        say: Takes what a person should know; printed to stderr where left out.
        wall_ns: For the names of the files alone.
        """
        self.folder, self._about, self._part = folder, about, 0
        self._file_size, self._total_size = min(file_size, total_size), total_size
        self._begin, self._clock, self._wall_ns = begin, clock, wall_ns
        self._say = say or (lambda text: print(f"armillary recorder: {text}", file=sys.stderr, flush=True))
        self._writer: RecordingWriter | None = None
        self._closed_bytes, self._unsaved, self.lost, self.problem = 0, 0, 0, ""
        self._try_again = -1e300
        self.pauses, self.files = 0, list[tuple[Path, float, float]]()

    @property
    def last_file(self) -> Path | None:
        """What is being written now; while it pauses, the file that holds what came before, if one does."""
        if self._writer is not None and not self.problem:
            return self._writer.path
        return self.files[-1][0] if self.files else None

    @property
    def file(self) -> Path | None:
        """What is being written now."""
        return self._writer.path if self._writer else None

    @property
    def written(self) -> int:
        return self._closed_bytes + (self._writer.written if self._writer else 0)

    @property
    def writer(self) -> RecordingWriter | None:
        """The file's writer, opened where there is none; None while it pauses."""
        if self._writer is not None and self._writer.size >= self._file_size:
            self.close()
        if self._writer is None and self._clock() >= self._try_again:
            self._open()
        return self._writer

    def write(self, what: Callable[[RecordingWriter], None]) -> bool:
        """Have something written; False where it was lost."""
        writer = self.writer
        if writer is None:
            self.lost += 1
            return False
        chunks = writer.chunks
        self._unsaved += 1
        try:
            what(writer)
        except OSError as error:
            self._pause(error)
            return False
        if writer.chunks != chunks:
            self._unsaved = 1  # what was given last begins the next chunk
            self._go_on(writer)
        return True

    def flush(self) -> None:
        """Have all that was given in the file."""
        if self._writer is not None:
            try:
                self._writer.flush()
                self._unsaved = 0
                self._go_on(self._writer)
            except OSError as error:
                self._pause(error)

    def close(self) -> None:
        """Finish the file. What comes after begins the next."""
        if self._writer is not None:
            try:
                self._writer.finish()
            except OSError as error:
                self._pause(error)
                return
            self._go_on(self._writer)
            self._note(self._writer)
            self._closed_bytes += self._writer.written
            self._writer, self._unsaved = None, 0

    def _go_on(self, writer: RecordingWriter) -> None:
        """After a pause: only now that something is in the file, and stays there, it records again."""
        if self.problem and writer.span is not None:
            self.problem = ""
            self._say(f"records again, to {writer.path.name}; {self.lost} records were lost")

    def _note(self, writer: RecordingWriter) -> None:
        if (span := writer.span) is not None:
            self.files.append((writer.path, *span))

    def _open(self) -> None:
        try:
            self.folder.path.mkdir(parents=True, exist_ok=True)
            if self.problem and shutil.disk_usage(self.folder.path).free < _ROOM:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            # Room for the file to come as well: the bound holds at every moment.
            self.folder.keep_below(self._total_size - self._file_size)
            path = self.folder.new_name(self._about.robot, self._wall_ns())
            self._writer = RecordingWriter(path, replace(self._about, part=self._part))
            if self._begin is not None:
                self._begin(self._writer)
            self._writer.flush()
        except OSError as error:
            self._pause(error)
            return
        self._part += 1

    def told(self) -> str:
        """Of a recording that has paused: which file holds what of it, in words; "" for one that never did."""
        if not self.pauses:
            return ""
        parts = [f"{path.name}: {begin:.1f} to {end:.1f} s" for path, begin, end in self.files]
        return f"{self.lost} records were lost; recorded are: {', '.join(parts) or 'none'}"

    def _pause(self, error: OSError) -> None:
        self.lost, self._unsaved = self.lost + self._unsaved, 0  # what waited for its chunk is gone with it
        if self._writer is not None:
            self._closed_bytes += self._writer.written
            self._writer.abandon()
            self._note(self._writer)
            if self._writer.span is None:  # nothing but what every file begins with: a full disk is not filled with those
                self._writer.path.unlink(missing_ok=True)
            self._writer = None
        self._try_again = self._clock() + _RETRY
        if not self.problem:
            self.pauses += 1
            self.problem = f"{self.folder.path}: nothing is recorded: {error.strerror or error}"
            before = f"what came before is in {self.files[-1][0].name}; " if self.files else ""
            self._say(f"{self.problem}; {before}tried again each {_RETRY:g} s")
