"""What can be wrong with a program."""

from armillary.errors import ArmillaryError

__all__ = ["BadProgram"]


class BadProgram(ArmillaryError):
    """A program that cannot be run; says file, line and what is wrong."""
