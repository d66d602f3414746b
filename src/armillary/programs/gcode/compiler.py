"""Lines to blocks: each is read once, into what it sets, its words and its codes."""

import re
from dataclasses import dataclass, field

from armillary.programs.gcode.codes import AXES, G_GROUPS, M_GROUPS, check_g, check_m, g_name
from armillary.programs.gcode.errors import LineFault
from armillary.programs.gcode.expressions import Reader, Value, integer
from armillary.programs.gcode.lexer import CleanLine, clean

__all__ = ["Block", "Kind", "Move", "Setting", "Word", "compile_block", "flat_move", "resolve"]

_LETTERS = "abcdefghijklmpqrstuvwxyz"
_FREE_NUMBERS = range(1, 5000)  # parameters that are nothing but numbers
_FLAT = re.compile(
    r"\s*(?:[gG]0?([01])(?![\d.\[#])\s*)?"
    + "".join(rf"(?:[{axis.upper()}{axis}]([+-]?(?:\d+\.?\d*|\.\d+))\s*)?" for axis in "xyz")
    + r"$",
    re.ASCII,
).match


class Kind:
    """What there is to do for a block: integers, as they are compared for every line that runs."""

    NOTHING, MOVE, ASSIGN, SET, GENERAL = range(5)


class Move:
    """A line that is nothing but a straight move, which is what most lines are; made small, as there are so many.

    Attributes:
        motion: 0 or 1 for G0 or G1, -1 for whatever is in force.
        axes: Index and value of each axis word.
        constant: Whether all values are numbers.
        block: The line in full, where it was read in full.
    """

    __slots__ = ("axes", "block", "constant", "motion")
    kind = Kind.MOVE

    def __init__(self, motion: int, axes: tuple[tuple[int, Value], ...], constant: bool, block: "Block | None" = None) -> None:
        self.motion, self.axes, self.constant, self.block = motion, axes, constant, block

    def full(self) -> "Block":
        """The line in full, for where a move is more than going there."""
        if self.block is None:
            words = {AXES[index]: Word(value, 0) for index, value in self.axes}
            codes = {1: (self.motion * 10, 0)} if self.motion >= 0 else {}
            self.block = Block(kind=Kind.GENERAL, words=words, codes=codes, m_codes={})
        return self.block


@dataclass(slots=True)
class Word:
    """The value of a letter and where it stands."""

    value: Value
    column: int


@dataclass(slots=True)
class Setting:
    """`#... = value`. target: a name, or a number."""

    target: str | Value
    value: Value
    column: int


@dataclass(slots=True)
class Block:
    """A line, read. number: the parameter that it sets, where that is all it does (ASSIGN)."""

    kind: int = Kind.NOTHING
    number: int = 0
    settings: list[Setting] = field(default_factory=list)
    words: dict[str, Word] = field(default_factory=dict)
    g: list[Word] = field(default_factory=list)
    m: list[Word] = field(default_factory=list)
    codes: dict[int, tuple[int, int]] | None = None  # G codes by group, with columns, where all are constant
    m_codes: dict[int, tuple[int, int]] | None = None
    comments: tuple[str, ...] = ()


def flat_move(text: str) -> Move | None:
    """The move of a line that is nothing but G0 or G1 with x, y, z and plain numbers; None for any other."""
    found = _FLAT(text)
    if found is None or len(text) > 300:  # a shorter line holds no number too large to be finite
        return None
    motion, x, y, z = found.groups()
    if x and y and z:
        axes: tuple[tuple[int, Value], ...] = ((0, float(x)), (1, float(y)), (2, float(z)))
    else:
        axes = tuple((index, float(value)) for index, value in enumerate((x, y, z)) if value)
    return Move(int(motion) if motion else -1, axes, True) if axes else None


def compile_block(text: str) -> Block | Move:
    """The block of a line without an o-word.

    Raises:
        LineFault: What cannot be taken, and where.
    """
    quick = flat_move(text)
    if quick is not None:
        return quick
    return _compile(clean(text))


def _compile(line: CleanLine) -> Block | Move:
    block, reader = Block(comments=line.comments), Reader(line)
    if reader.next == "/":
        reader.at += 1
    if reader.next == "n":
        reader.at += 1
        reader.value()
    while reader.next != "\n":
        if reader.next == "#":
            block.settings.append(_setting(reader))
        else:
            _word(reader, block)
    block.codes = _groups(block.g, G_GROUPS, "g")
    block.m_codes = _groups(block.m, M_GROUPS, "m")
    return _classified(block)


def _setting(reader: Reader) -> Setting:
    column = reader.line.columns[reader.at]
    reader.at += 1
    target: str | Value = reader.name() if reader.next == "<" else reader.value()
    reader.take("=", "where a parameter is set")
    return Setting(target, reader.value(), column)


def _word(reader: Reader, block: Block) -> None:
    letter, column = reader.next, reader.line.columns[reader.at]
    if letter not in _LETTERS or not letter.isascii():
        if letter in "@^":
            raise reader.fault("polar coordinates, which are not supported", "expected X and Y")
        raise reader.fault(f"{letter!r} begins no word", f"expected a letter ({_LETTERS.upper()}), # or (")
    if letter in block.words:
        raise reader.fault(f"a second {letter.upper()} word", "expected each letter once in a line")
    reader.at += 1
    word = Word(reader.value(), column)
    if letter == "g":
        block.g.append(word)
    elif letter == "m":
        block.m.append(word)
    else:
        block.words[letter] = word


def _groups(words: list[Word], groups: dict[int, int], letter: str) -> dict[int, tuple[int, int]] | None:
    if any(callable(word.value) for word in words):
        return None
    return resolve(words, [word.value for word in words if not callable(word.value)], groups, letter)


def resolve(words: list[Word], values: list[float], groups: dict[int, int], letter: str) -> dict[int, tuple[int, int]]:
    """The codes by modal group, from the values of their words.

    Raises:
        LineFault: A code is unknown or refused, or two are of one group.
    """
    found: dict[int, tuple[int, int]] = {}
    for word, value in zip(words, values, strict=True):
        code = integer(value * 10 if letter == "g" else value, f"the {letter.upper()} code", word.column)
        (check_g if letter == "g" else check_m)(code, word.column)
        group = groups[code]
        if letter == "m" and group == 8 and 8 in found and {found[8][0], code} == {7, 8}:
            group = 80  # mist and flood go together
        if letter == "g" and group in found and 800 in (code, found[group][0]) and code != found[group][0]:
            found[group] = max(found[group], (code, word.column), key=lambda entry: entry[0] != 800)
            continue  # G80 beside another motion gives way to it
        if group in found:
            name = g_name if letter == "g" else "M{}".format
            raise LineFault(
                f"{name(found[group][0])} and {name(code)} exclude each other", "expected one of the two", word.column
            )
        found[group] = (code, word.column)
    return found


def _classified(block: Block) -> Block | Move:
    if block.g or block.m or block.words or block.comments:
        block.kind = Kind.GENERAL
    elif block.settings:
        block.kind = Kind.SET
        first = block.settings[0]
        if len(block.settings) == 1 and isinstance(first.target, float) and first.target in _FREE_NUMBERS:
            block.kind, block.number = Kind.ASSIGN, int(first.target)
    plain = not block.m and not block.comments and not block.settings and block.words and all(w in AXES for w in block.words)
    motions = [code for code, _ in (block.codes or {}).values()]
    if plain and block.codes is not None and motions in ([], [0], [10]):
        axes = tuple((AXES.index(letter), word.value) for letter, word in block.words.items())
        constant = not any(callable(value) for _, value in axes)
        return Move(motions[0] // 10 if motions else -1, axes, constant, block)
    return block
