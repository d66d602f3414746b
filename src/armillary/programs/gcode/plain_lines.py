"""Lines of nothing but letters and plain numbers: what their letters and codes mean is worked out once for all lines alike."""

import re
from dataclasses import replace

from armillary.programs.gcode.codes import AXES
from armillary.programs.gcode.compiler import Arc, Assign, Block, Move, Word, compile_block
from armillary.programs.gcode.errors import LineFault

__all__ = ["PlainLines", "true_column"]

_WORD = re.compile(r"([A-Za-z])[ \t]*+([+-]?+(?:[0-9]{1,15}+\.?+[0-9]{0,30}+|\.[0-9]{1,30}+))[ \t\r]*+(?![0-9.])")
_LINE = re.compile(rf"[ \t]*+(?:{_WORD.pattern})++").fullmatch
_CODES = frozenset("gGmM")
_MOST = 10_000  # shapes to remember; a program has a few dozen


class PlainLines:
    """Reads plain lines. In what it gives, the column of a word is its place among the words, until `true_column` is asked."""

    def __init__(self) -> None:
        self._shapes: dict[str, Arc | Block | Move | None] = {}

    def read(self, line: str) -> Arc | Block | Move | None:
        """The line, or None where it is not plain or not right, which only a full reading can say."""
        if not _LINE(line):
            return None
        words = _WORD.findall(line)
        shape = "".join([letter + number if letter in _CODES else letter for letter, number in words])
        if shape not in self._shapes and len(self._shapes) < _MOST:
            self._shapes[shape] = _shape(line)
        known = self._shapes.get(shape)
        if known is None:
            return None
        if isinstance(known, Arc):
            numbers = {name: float(number) for letter, number in words if (name := letter.lower()) in known.words}
            return Arc(known.motion, {}, numbers, None)
        block = known.block if isinstance(known, Move) else known
        values = {
            name: Word(float(number), place)
            for place, (letter, number) in enumerate(words)
            if (name := letter.lower()) in block.words
        }
        filled = replace(block, words=values)
        if isinstance(known, Move):
            return Move(
                known.motion, tuple((AXES.index(name), word.value) for name, word in values.items() if name in AXES), filled
            )
        return filled


def _shape(line: str) -> Arc | Block | Move | None:
    """What is known of every line with these letters and codes."""
    try:
        step = compile_block(line)
    except LineFault:
        return None
    if isinstance(step, Assign | Arc):
        return step if isinstance(step, Arc) else None
    block = step.block if isinstance(step, Move) else step
    places = {found.start(): place for place, found in enumerate(_WORD.finditer(line))}
    plain = replace(
        block,
        plain=True,
        g=[Word(word.value, places[word.column]) for word in block.g],
        m=[Word(word.value, places[word.column]) for word in block.m],
        codes={group: (code, places[column]) for group, (code, column) in (block.codes or {}).items()},
        m_codes={group: (code, places[column]) for group, (code, column) in (block.m_codes or {}).items()},
    )
    return Move(step.motion, step.axes, plain) if isinstance(step, Move) else plain


def true_column(line: str, place: int | None) -> int | None:
    """The column of a word of a plain line, from its place among the words."""
    starts = [found.start() for found in _WORD.finditer(line)]
    return starts[place] if place is not None and place < len(starts) else None
