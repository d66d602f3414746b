"""What processes tell each other: shared memory with one writer, without locks.

Two kinds. A `Board` holds the newest value of something: its writer never waits, its readers take whole values or none. A `Pipe`
holds messages in order for one reader: nothing is overwritten, and a full one says so.

A value is never seen half written, by construction: every slot carries its number before and behind the value and a checksum over
all of it, and what does not agree is not taken. That does not lean on the order in which a processor writes to memory. A writer
that dies in the middle leaves a slot that does not agree, and the one before stays readable.
"""

import mmap
import os
import shutil
import struct
import tempfile
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from armillary.runtime.errors import BadChannel

__all__ = ["Board", "Pipe", "memory_folder"]

_MAGIC = b"ARML"
_VERSION = 1
_HEADER = struct.Struct("<4sIII")  # magic, version, size of a value or of the pipe, slots
_COUNTER = 16  # where the writer's counter is: the number of the newest value, or the bytes written to a pipe
_HEAD = 64  # bytes of a header: a cache line of its own
_NUMBER = struct.Struct("<Q")
_SUM = struct.Struct("<I")
_RECORD = struct.Struct("<II")  # length and checksum of a message
_SLOTS = 8
_ROOM = 1 << 25  # bytes that must be free: two stations' worth


def memory_folder() -> Path:
    """Where shared memory lies: /dev/shm where there is one with room in it, which never touches a disk."""
    shared = Path("/dev/shm")
    if shared.is_dir() and os.access(shared, os.W_OK) and shutil.disk_usage(shared).free > _ROOM:
        return shared
    return Path(tempfile.gettempdir())


class _Memory:
    """A file in memory that two processes see."""

    def __init__(self, path: Path, size: int, create: bool) -> None:
        self.path = path
        flags = os.O_RDWR | (os.O_CREAT | os.O_EXCL if create else 0)
        try:
            handle = os.open(path, flags, 0o600)
        except OSError as error:
            what = "made" if create else "opened"
            raise BadChannel(f"{path}: shared memory cannot be {what}: {error.strerror}") from None
        try:
            if create:
                # Space is taken now: a full memory is an error here and not a crash at the first write.
                os.posix_fallocate(handle, 0, size)
            elif os.fstat(handle).st_size < size:
                raise BadChannel(f"{path}: it is {os.fstat(handle).st_size} bytes, not {size}: another version wrote it")
            self.bytes = mmap.mmap(handle, size)
        except OSError as error:
            raise BadChannel(f"{path}: there is no room for {size} bytes of shared memory: {error.strerror}") from None
        finally:
            os.close(handle)
        self._mine = create
        self._counters: dict[int, NDArray[np.uint64]] = {}

    def counter(self, offset: int) -> "NDArray[np.uint64]":
        """Eight bytes that are written and read at once: aligned, as one number, and not byte by byte as `struct` does."""
        if offset not in self._counters:
            self._counters[offset] = np.frombuffer(self.bytes, dtype=np.uint64, count=1, offset=offset)
        return self._counters[offset]

    def close(self) -> None:
        """Let go of it; who made it takes it away."""
        self._counters.clear()
        try:
            self.bytes.close()
        except BufferError:  # somebody still looks at it: it goes with the last of them
            pass
        if self._mine:
            self.path.unlink(missing_ok=True)


def _check(memory: _Memory, size: int) -> tuple[int, int]:
    magic, version, is_size, slots = _HEADER.unpack_from(memory.bytes, 0)
    if magic != _MAGIC or version != _VERSION:
        raise BadChannel(f"{memory.path}: this is no channel of this version")
    if size and is_size != size:
        raise BadChannel(f"{memory.path}: values of {is_size} bytes, not {size}: another version wrote it")
    return is_size, slots


class Board:
    """The newest value of one kind: written by one process, read by any."""

    def __init__(self, path: Path, kind: np.dtype[np.void], *, create: bool = False) -> None:
        """Args:
        kind: A structured dtype: what a value consists of.
        create: Whether this is the one that makes and takes it away.
        """
        self.kind, self._slot = kind, _NUMBER.size + kind.itemsize + _NUMBER.size + _SUM.size
        self._memory = _Memory(path, _HEAD + _SLOTS * self._slot, create)
        if create:
            _HEADER.pack_into(self._memory.bytes, 0, _MAGIC, _VERSION, kind.itemsize, _SLOTS)
        else:
            _check(self._memory, kind.itemsize)
        self._newest = self._memory.counter(_COUNTER)
        self._number = int(self._newest[0])
        self._scratch = bytearray(self._slot)
        self._value = np.frombuffer(self._scratch, dtype=kind, count=1, offset=_NUMBER.size)

    @property
    def path(self) -> Path:
        return self._memory.path

    @property
    def value(self) -> NDArray[np.void]:
        """What the next `write` writes: one record, to be filled in place."""
        return self._value

    def write(self) -> int:
        """Publish `value`; its number."""
        number = self._number + 1
        scratch = self._scratch
        _NUMBER.pack_into(scratch, 0, number)
        end = self._slot - _SUM.size
        _NUMBER.pack_into(scratch, end - _NUMBER.size, number)
        _SUM.pack_into(scratch, end, zlib.crc32(memoryview(scratch)[:end]))
        begin = _HEAD + (number % _SLOTS) * self._slot
        self._memory.bytes[begin : begin + self._slot] = scratch
        self._newest[0] = number
        self._number = number
        return number

    def read(self, out: NDArray[np.void] | None = None) -> tuple[int, NDArray[np.void]]:
        """Number and value of the newest, whole; number 0 where none was written yet.

        Args:
            out: Takes the value, shape (1,); made anew where left out.
        """
        into = np.zeros(1, dtype=self.kind) if out is None else out
        for _ in range(1000):
            newest = int(self._newest[0])
            # The newest, and those before it where it is being written, or was left half written by a writer that died.
            for number in range(newest, max(newest - _SLOTS + 2, 0), -1):
                begin = _HEAD + (number % _SLOTS) * self._slot
                raw = self._memory.bytes[begin : begin + self._slot]
                end = self._slot - _SUM.size
                if (
                    _NUMBER.unpack_from(raw, 0)[0] == number
                    and _NUMBER.unpack_from(raw, end - _NUMBER.size)[0] == number
                    and _SUM.unpack_from(raw, end)[0] == zlib.crc32(memoryview(raw)[:end])
                ):
                    into[:] = np.frombuffer(raw, dtype=self.kind, count=1, offset=_NUMBER.size)
                    return number, into
            if newest == 0:
                return 0, into
        raise BadChannel(f"{self.path}: no whole value in it; what writes it is broken")

    def close(self) -> None:
        del self._newest
        self._memory.close()


class Pipe:
    """Messages from one process to one other, in order. Nothing is lost: a full pipe refuses."""

    def __init__(self, path: Path, size: int = 1 << 20, *, create: bool = False) -> None:
        """Args:
        size: Bytes that may be on their way.
        """
        if create:
            self._memory = _Memory(path, 2 * _HEAD + size, True)
            _HEADER.pack_into(self._memory.bytes, 0, _MAGIC, _VERSION, size, 0)
        else:
            header = _Memory(path, 2 * _HEAD, False)
            size, _ = _check(header, 0)
            header.close()
            self._memory = _Memory(path, 2 * _HEAD + size, False)
        self.size = size
        # Bytes written and read since the beginning: each counter is written by one side only.
        self._written, self._taken = self._memory.counter(_COUNTER), self._memory.counter(_HEAD)

    @property
    def path(self) -> Path:
        return self._memory.path

    def send(self, message: bytes) -> bool:
        """Put a message in; False where there is no room for it now.

        Raises:
            BadChannel: It is larger than the pipe.
        """
        need = _RECORD.size + len(message)
        if need > self.size:
            raise BadChannel(f"{self.path}: a message of {len(message)} bytes does not fit into a pipe of {self.size}")
        written = int(self._written[0])
        if need > self.size - (written - int(self._taken[0])):
            return False
        self._put(written, _RECORD.pack(len(message), zlib.crc32(message)) + message)
        self._written[0] = written + need  # only now it is there
        return True

    def receive(self) -> bytes | None:
        """The next message, or None where there is none.

        Raises:
            BadChannel: It is not what was sent; nothing behind it can be trusted.
        """
        taken, written = int(self._taken[0]), int(self._written[0])
        if taken == written:
            return None
        for _ in range(1000):  # the counter may be seen a moment before the bytes, on processors that reorder writes
            length, total = _RECORD.unpack(self._get(taken, _RECORD.size))
            if _RECORD.size + length <= written - taken:
                message = self._get(taken + _RECORD.size, length)
                if zlib.crc32(message) == total:
                    self._taken[0] = taken + _RECORD.size + length
                    return message
        raise BadChannel(f"{self.path}: a message does not agree with its checksum; its writer is broken")

    @property
    def waiting(self) -> bool:
        """Whether there is something to receive."""
        return int(self._taken[0]) != int(self._written[0])

    def clear(self) -> int:
        """Throw away what has not been read; how many bytes that was. For the reader."""
        written = int(self._written[0])
        left = written - int(self._taken[0])
        self._taken[0] = written
        return left

    def _put(self, at: int, data: bytes) -> None:
        place = at % self.size
        first = min(len(data), self.size - place)
        base = 2 * _HEAD
        self._memory.bytes[base + place : base + place + first] = data[:first]
        if first < len(data):
            self._memory.bytes[base : base + len(data) - first] = data[first:]

    def _get(self, at: int, count: int) -> bytes:
        place = at % self.size
        first = min(count, self.size - place)
        base = 2 * _HEAD
        return self._memory.bytes[base + place : base + place + first] + self._memory.bytes[base : base + count - first]

    def close(self) -> None:
        del self._written, self._taken
        self._memory.close()
