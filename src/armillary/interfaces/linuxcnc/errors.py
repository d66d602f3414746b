"""What can be wrong with LinuxCNC as master."""

from armillary.errors import ArmillaryError

__all__ = ["LinuxcncMissing", "LinuxcncProblem", "LinuxcncProgramFailed", "LinuxcncSilent"]


class LinuxcncProblem(ArmillaryError):
    """LinuxCNC cannot be started, or has ended; says why in its own words, and what to do."""


class LinuxcncMissing(LinuxcncProblem):
    """LinuxCNC is not installed."""


class LinuxcncProgramFailed(LinuxcncProblem):
    """A program that LinuxCNC could not run to its end, or that was broken off by an emergency stop or a fault."""

    answer_is_no = True


class LinuxcncSilent(LinuxcncProblem):
    """LinuxCNC runs, and does not do what it is asked."""
