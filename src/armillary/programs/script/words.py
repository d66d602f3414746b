"""The words of the language: none of them can be the name of a variable, a point, a label or a subroutine."""

__all__ = ["FUNCTIONS", "KEYWORDS", "MOTIONS", "PROFILES", "RESERVED", "STATEMENTS", "UNITS", "motion_word"]

MOTIONS = ("DMOVE", "DMOVEJ", "MOVEC", "MOVEJ", "MOVEJ_RPY", "MOVEJ_SPLINE", "MOVEL", "MOVEL_SPLINE")
PROFILES = {"JERK": "jerk", "LSPB": "lspb", "QUINTIC": "quintic", "TOPT": "time_optimal"}  # suffix: the law of time of a Move
UNITS = {"mm": 0.001, "cm": 0.01, "m": 1.0, "in": 0.0254, "deg": 0.017453292519943295, "rad": 1.0, "s": 1.0, "ms": 0.001,
         "min": 60.0}  # fmt: skip  # each in m, rad or s
FUNCTIONS = {"abs": 1, "acos": 1, "asin": 1, "atan2": 2, "ceil": 1, "cos": 1, "floor": 1, "max": -1, "min": -1, "round": 1,
             "sin": 1, "sqrt": 1, "tan": 1, "ANALOG": 1, "CAME": 0, "INPUT": 1}  # fmt: skip  # how many arguments; -1 one or more
STATEMENTS = frozenset({
    "CALL", "DWELL", "ELSE", "ELSEIF", "END", "FOR", "FRAME", "GOTO", "IF", "JOINTS", "LABEL", "MESSAGE", "OUTPUT", "PAUSE",
    "POINT", "RETURN", "SPEED", "STOP", "SUB", "TOOL", "UNITS", "WAIT", "WHILE",
})  # fmt: skip
_INSIDE = frozenset({
    "ABOVE", "AND", "BELOW", "BLEND", "FALL", "HIGH", "LOW", "NOT", "OFF", "ON", "OPTIONAL", "OR", "RISE", "STEP", "TO",
    "TOLERANCE",
})  # fmt: skip
_MOTION_WORDS = {name: (name, "") for name in MOTIONS} | {
    f"{name}_{suffix}": (name, suffix) for name in MOTIONS for suffix in PROFILES
}
KEYWORDS = STATEMENTS | frozenset(_MOTION_WORDS)  # what a command can begin with
RESERVED = KEYWORDS | _INSIDE | {word.upper() for word in UNITS} | {name.upper() for name in FUNCTIONS}  # in upper case


def motion_word(word: str) -> tuple[str, str] | None:
    """The motion and the suffix of a word in upper case, as ("MOVEJ_RPY", "LSPB"); None where it is no motion."""
    return _MOTION_WORDS.get(word)
