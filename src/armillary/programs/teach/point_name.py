"""Names that points, paths and frames can have: so that programs can name them too."""

import re

from armillary.programs.script.words import RESERVED
from armillary.programs.teach.errors import BadName

__all__ = ["WORDS", "checked_name"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LONGEST = 64
# Words of the robot language, where small and capital letters are the same, and frames that it has by itself.
WORDS = RESERVED | {"B", "BASE", "TCP", "WORLD"}


def checked_name(name: str) -> str:
    """The name itself, where a program can use it.

    Raises:
        BadName: It has other characters, is too long, or is a word of the robot language.
    """
    if not name:
        raise BadName(name, "it is empty")
    if len(name) > _LONGEST:
        raise BadName(name[:_LONGEST] + "...", f"it has {len(name)} characters, and {_LONGEST} is the most")
    if not _NAME.fullmatch(name):
        why = "it begins with a digit" if name[0].isdigit() else "it has characters that names have not"
        raise BadName(name, why)
    if name.upper() in WORDS:
        raise BadName(name, "it is a word of the robot language")
    return name
