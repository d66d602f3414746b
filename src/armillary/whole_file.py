"""Writing files whole or not at all."""

import os
import tempfile
from pathlib import Path

from armillary.errors import ArmillaryError

__all__ = ["CannotWrite", "write_whole"]


class CannotWrite(ArmillaryError):
    """A file could not be written; what was there before is still there."""

    def __init__(self, path: Path, why: str) -> None:
        self.path, self.why = path, why
        super().__init__(f"{path} could not be written: {why}; nothing was changed, check the disk and the folder")


def write_whole(path: Path, text: str) -> None:
    """Write a text file so that a full disk or a cut of power leaves the old file or the new one, never half of it.

    A file that is there keeps its mode, and a link stays a link.

    Raises:
        CannotWrite: It could not be written.
    """
    temporary = None
    try:
        path = Path(os.path.realpath(path))
        if path.exists() and not path.is_file():
            with open(path, "w", encoding="utf-8") as device:  # a pipe or a device has no old content to keep
                device.write(text)
            return
        mode = path.stat().st_mode & 0o7777 if path.exists() else 0o644 & ~_umask()
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        os.replace(temporary, path)
        temporary = None
        _sync(path.parent)
    except OSError as error:
        raise CannotWrite(path, error.strerror or str(error)) from None
    finally:
        if temporary is not None and os.path.exists(temporary):
            os.unlink(temporary)


def _sync(folder: Path) -> None:
    """The new name itself must outlive a cut as well."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
