"""What can go wrong while a cell runs."""

from armillary.errors import ArmillaryError

__all__ = ["BadChannel", "Refused", "RuntimeProblem"]


class RuntimeProblem(ArmillaryError):
    """A cell that cannot run, or cannot go on."""


class BadChannel(RuntimeProblem):
    """Shared memory that is not there, or is not what was expected."""


class Refused(RuntimeProblem):
    """An order that cannot be followed now; nothing has changed."""
