"""The syntax of a whole program, checked without running it."""

import re
from pathlib import Path

from armillary.programs.gcode.compiler import Block, compile_block
from armillary.programs.gcode.errors import BadGcode, LineFault
from armillary.programs.gcode.flat_lines import read_flat
from armillary.programs.gcode.flow import read_text
from armillary.programs.gcode.program import Control, Program

__all__ = ["check"]

_AT_ONCE = 4096
# A number behind a letter other than G, M, N and O, where nothing else than the letter matters to the syntax.
_FREE_NUMBER = re.compile(r"(?<=[A-FH-LP-Za-fh-lp-z])[ \t]*[+-]?(?:[0-9]{1,15}\.?[0-9]{0,30}|\.[0-9]{1,30})(?![0-9.])")
_PLAIN = re.compile(r"[A-Za-z0-9 \t.\r+-]*").fullmatch


def check(source: Path | str, *, block_delete: bool = False) -> list[BadGcode]:
    """What is wrong with a program before any of it runs: words, codes, expressions, comments and o-words, in the order of lines.

    What depends on values (a radius, a division) is not known before it runs. Behind M2 and M30 only subroutines are looked at.

    Args:
        source: A file, or the text itself.
        block_delete: Whether lines that begin with / are left out.

    Raises:
        BadProgram: The file cannot be read.
    """
    text, file = (source, "") if isinstance(source, str) else (read_text(source), str(source))
    faults: list[BadGcode] = []
    program, good = Program(text, file, faults), set[str]()
    wrong_controls = {fault.line for fault in faults}
    open_words, ended = 0, False
    for first in range(program.first, program.last, _AT_ONCE):
        flat = read_flat(program.lines.between(first, min(first + _AT_ONCE, program.last)))
        for index, (*_, line) in enumerate(flat, first):
            control = program.controls.get(index)
            if control is not None:
                open_words += _opens(control)
            if not line or control is not None or (ended and not program.again[index]) or index + 1 in wrong_controls:
                continue
            if block_delete and line.lstrip().startswith("/"):
                continue
            shape = _FREE_NUMBER.sub("", line) if _PLAIN(line) else line
            if shape in good:
                continue
            try:
                step = compile_block(line)
            except LineFault as fault:
                faults.append(program.error(index, fault))
                continue
            if _ends(step) and open_words == 0 and not program.again[index]:
                ended = True
            elif shape is not line:
                good.add(shape)
    return sorted(faults, key=lambda error: (error.line, error.column))


def _opens(control: Control) -> int:
    """1 for an o-word that something inside depends on, -1 for one that ends it."""
    if control.closes_do or control.keyword.startswith("end"):
        return -1
    return int(control.keyword in ("if", "while", "repeat", "do", "sub"))


def _ends(step: object) -> bool:
    """Whether a program ends with this line."""
    return isinstance(step, Block) and (step.m_codes or {}).get(4, (0, 0))[0] in (2, 30)
