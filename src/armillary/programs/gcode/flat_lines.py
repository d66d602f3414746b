"""Lines that are nothing but a straight move with plain numbers: most lines of most files, so they are read many at a time."""

import re

__all__ = ["FlatLine", "read_flat"]

# Each piece is taken whole or not at all (++, ?+), so that a line that is not flat fails at once. At most so many digits: such a
# number is always finite.
_NUMBER = r"([+-]?+(?:[0-9]{1,15}+\.?+[0-9]{0,30}+|\.[0-9]{1,30}+))[ \t]*+"
_FLAT = re.compile(
    r"^[ \t]*+(?:[nN][ \t]*+[0-9]{1,9}+[ \t]*+)?+(?:[gG]0?+([01])(?![0-9.])[ \t]*+)?+"
    + "".join(rf"(?:[{letter.upper()}{letter}][ \t]*+{_NUMBER})?+" for letter in "xyzabcf")
    + r"\r?+$|^(.*)$",
    re.MULTILINE,
)

FlatLine = tuple[str, str, str, str, str, str, str, str, str]


def read_flat(text: str) -> list[FlatLine]:
    """Each line of a text as (G, X, Y, Z, A, B, C, F, other): the numbers of a flat move, "" for none, or the whole line."""
    return _FLAT.findall(text)
