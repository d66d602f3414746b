"""What can go wrong with a person's motion, as a user meets it."""

from pathlib import Path

from armillary.errors import ArmillaryError

__all__ = ["ImitationError", "InvalidBvh"]


class ImitationError(ArmillaryError):
    """A motion could not be read, understood or followed."""


class InvalidBvh(ImitationError):
    """A BVH file that is none, or a broken one. line: Where, counted from 1; 0 where it is the whole file."""

    answer_is_no = True

    def __init__(self, path: Path | str, line: int, what: str) -> None:
        self.path, self.line = path, line
        super().__init__(f"{path}:{line}: {what}" if line else f"{path}: {what}")
