"""What can be wrong with a motion that is asked for."""

from armillary.errors import ArmillaryError

__all__ = ["BadMotion", "MotionError", "NoMotion"]


class MotionError(ArmillaryError):
    """A motion cannot be made."""


class BadMotion(MotionError):
    """A motion that cannot be asked for: points that coincide, a time of zero, NaN."""


class NoMotion(MotionError):
    """A motion that was understood and that there is not: a pose out of reach, a wall in the way."""

    answer_is_no = True
