"""Writing files whole or not at all."""

import os
import tempfile
from pathlib import Path

from armillary.errors import ArmillaryError

__all__ = ["CannotWrite", "write_whole"]


class CannotWrite(ArmillaryError):
    """A file could not be written; what was there before is still there."""

    def __init__(self, path: Path, why: str) -> None:
        self.path = path
        super().__init__(f"{path} could not be written: {why}; nothing was changed, check the disk and the folder")


def write_whole(path: Path, text: str) -> None:
    """Write a text file so that a full disk or a cut leaves the old file, never half a new one.

    Raises:
        CannotWrite: It could not be written.
    """
    temporary = None
    try:
        path = Path(os.path.realpath(path))  # a link stays a link: what it points to is written
        if path.exists() and not path.is_file():
            with open(path, "w", encoding="utf-8") as device:  # a pipe or a device has no old content to keep
                device.write(text)
            return
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644 & ~_umask())
        os.replace(temporary, path)
    except OSError as error:
        if temporary is not None and os.path.exists(temporary):
            os.unlink(temporary)
        raise CannotWrite(path, error.strerror or str(error)) from None


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
