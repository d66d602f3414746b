"""Reading files that are files: a pipe would be waited for, a device has no end."""

import errno
import os
import stat
from pathlib import Path

__all__ = ["must_be_regular", "read_regular"]


def read_regular(path: Path) -> bytes:
    """All bytes of a regular file.

    Raises:
        OSError: It cannot be read, or is no regular file: a folder, a pipe, a device.
    """
    # Without waiting: a pipe that nobody writes to would not even be opened.
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        must_be_regular(descriptor, path)
        with open(descriptor, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(descriptor)


def must_be_regular(descriptor: int, path: Path) -> None:
    """Raises:
    OSError: An open file is a folder, a pipe, a device.
    """
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is not a regular file (a pipe or a device)", str(path))
