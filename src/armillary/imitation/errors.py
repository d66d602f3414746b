"""What can go wrong with a person's motion, as a user meets it."""

from pathlib import Path

from armillary.errors import ArmillaryError

__all__ = ["ImitationError", "InvalidBvh", "UnknownSkeleton"]


class ImitationError(ArmillaryError):
    """A motion could not be read, understood or followed."""


class InvalidBvh(ImitationError):
    """A BVH file that is none, or a broken one. line: Where, counted from 1; 0 where it is the whole file."""

    answer_is_no = True

    def __init__(self, path: Path | str, line: int, what: str) -> None:
        self.path, self.line = path, line
        super().__init__(f"{path}:{line}: {what}" if line else f"{path}: {what}")


class UnknownSkeleton(ImitationError):
    """No arm was found in a skeleton, neither by names nor by structure."""

    answer_is_no = True

    def __init__(self, names: tuple[str, ...]) -> None:
        shown = ", ".join(names[:40]) + (" ..." if len(names) > 40 else "")
        super().__init__(
            f"no arm is found among the skeleton's bones ({shown}); say which bones are which in a file: left_upper_arm, "
            'left_forearm, left_hand, ..., each = "a bone", and give it with --matching'
        )
