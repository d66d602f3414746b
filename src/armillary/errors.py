"""The one root of every error that Armillary raises on purpose."""

__all__ = ["ArmillaryError"]


class ArmillaryError(Exception):
    """Something a user can act on: the message says what happened, where, and what to do.

    Attributes:
        answer_is_no: The question was understood and the answer is no (an invalid robot, an
            unreachable pose). Otherwise it could not be asked (no such file, bad usage). The command
            line exits with 1 for the first and with 2 for the second.
    """

    answer_is_no = False
