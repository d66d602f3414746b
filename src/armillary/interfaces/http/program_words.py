"""Words that a program's editor can complete: those of its language, as the language itself has them."""

from armillary.programs.gcode.codes import G_GROUPS, M_GROUPS, g_name
from armillary.programs.gcode.operators import BINARY
from armillary.programs.gcode.operators import FUNCTIONS as GCODE_FUNCTIONS
from armillary.programs.gcode.program import O_WORDS as O_WORDS
from armillary.programs.script.words import FUNCTIONS, RESERVED, UNITS

__all__ = ["words_of"]


def words_of(language: str) -> list[str]:
    """All words of "gcode" or "script", in the case in which they are usually written; none of another language."""
    if language == "gcode":
        codes = [g_name(code) for code in sorted(G_GROUPS)] + [f"M{code}" for code in sorted(M_GROUPS)]
        operators = [word.upper() for word in (*GCODE_FUNCTIONS, *BINARY) if word.isalpha()]
        return [*codes, *sorted(operators), *sorted(O_WORDS)]
    if language == "script":
        small = {*UNITS, *FUNCTIONS}
        return [*sorted(RESERVED - {word.upper() for word in small}), *sorted(small)]
    return []
