"""PMAC's error codes, in words."""

__all__ = ["ERRORS", "error_words"]

ERRORS = {
    1: "not allowed while a motion program runs; abort it first (A)",
    2: "password needed",
    3: "not a command, or not one for this moment",
    4: "a character that is not ASCII, or was damaged on the way",
    5: "only allowed while a buffer is open",
    6: "no room left in the buffer",
    7: "a buffer is open already; close it first (CLOSE)",
    8: "the MACRO ring did not answer",
    9: "the program's structure is wrong (an IF or WHILE without its end)",
    10: "both limits of a motor are set: is its limit plug connected?",
    11: "the previous move is not finished",
    12: "a motor of the coordinate system is open-loop; close its loop first (J/ or A)",
    13: "a motor of the coordinate system is not activated (Ixx00)",
    14: "there are no motors in the coordinate system; define its axes first",
    15: "the coordinate system points at no program; point it at one first (B0 for the rotary buffer)",
    16: "the program's structure was found to be wrong while it ran",
    17: "a motor is not where it was stopped; bring it back first (J=)",
    18: "a phase reference is needed, or in progress",
    19: "not allowed while moves wait in the cutter-compensation buffer",
}


def error_words(code: int) -> str:
    """What an ERR code means."""
    return f"ERR{code:03d}: {ERRORS.get(code, 'a code that no manual lists')}"
