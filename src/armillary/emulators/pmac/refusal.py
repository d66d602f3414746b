"""What PMAC refuses, by its own codes."""

from enum import IntEnum

from armillary.errors import ArmillaryError
from armillary.protocols.pmac_error import error_words

__all__ = ["Code", "Refusal"]


class Code(IntEnum):
    """PMAC's ERR codes, those that the emulator gives."""

    RUNNING = 1
    SYNTAX = 3
    CHARACTER = 4
    NOT_OPEN = 5
    NO_ROOM = 6
    IN_USE = 7
    STRUCTURE = 9
    BOTH_LIMITS = 10
    UNFINISHED = 11
    OPEN_LOOP = 12
    NOT_ACTIVATED = 13
    NO_MOTORS = 14
    NO_PROGRAM = 15
    BAD_PROGRAM = 16
    OUT_OF_POSITION = 17


class Refusal(ArmillaryError):
    """A command that is refused.

    Attributes:
        code: The ERR code.
    """

    answer_is_no = True

    def __init__(self, code: Code) -> None:
        self.code = code
        super().__init__(error_words(code))
