"""Lines to blocks: each is read once, into what it sets, its words and its codes."""

from dataclasses import dataclass, field

from armillary.programs.gcode.canon import Position, StraightFeed, StraightTraverse
from armillary.programs.gcode.codes import AXES, G_GROUPS, M_GROUPS, check_g, check_m, g_name
from armillary.programs.gcode.errors import LineFault
from armillary.programs.gcode.expressions import Reader, Value, integer
from armillary.programs.gcode.lexer import CleanLine, clean

__all__ = ["Arc", "Assign", "Block", "Move", "Setting", "Word", "compile_block", "resolve"]

_LETTERS = "abcdefghijklmpqrstuvwxyz@^$"
_OF_ARCS = frozenset("ijkrp")
_FREE_NUMBERS = range(1, 5000)  # parameters that are nothing but numbers


class Move:
    """A line that is nothing but a straight move, which is what most lines are.

    Attributes:
        motion: 0 or 10 for G0 or G1, -1 for whatever is in force.
        axes: Index and value of each axis word.
        indices: Of the axis words.
        feed: F, where the line has it.
        block: The line in full.
        constant: Whether all values are numbers, and no F is among them.
        start, stamp, moved, command: The last time that it ran: from where, in which modes, as which motion, and what came of it.
            As commands never change, the same move from the same place is the same command.
    """

    __slots__ = ("axes", "block", "command", "constant", "feed", "indices", "motion", "moved", "stamp", "start")

    def __init__(self, motion: int, axes: tuple[tuple[int, Value], ...], block: "Block") -> None:
        self.motion, self.axes, self.block = motion, axes, block
        self.feed = block.words["f"].value if "f" in block.words else None
        self.indices = frozenset(index for index, _ in axes)
        self.constant = self.feed is None and not any(callable(value) for _, value in axes)
        self.start: Position | None = None
        self.command: StraightFeed | StraightTraverse | None = None
        self.stamp = self.moved = -1


class Assign:
    """A line that does nothing but set a numbered parameter that is free for any use."""

    __slots__ = ("number", "value")

    def __init__(self, number: int, value: Value) -> None:
        self.number = number
        self.value = value if callable(value) else lambda _: value


class Arc:
    """A line that is nothing but an arc.

    Attributes:
        motion: 20 or 30 for G2 or G3, -1 for whatever is in force.
        words: By letter.
        constant: The same, where all are numbers.
        block: The line in full, where it was read in full.
    """

    __slots__ = ("block", "constant", "motion", "words")

    def __init__(self, motion: int, words: dict[str, Value], constant: dict[str, float] | None, block: "Block | None") -> None:
        self.motion, self.words, self.constant, self.block = motion, words, constant, block


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
    """A line, read."""

    settings: list[Setting] = field(default_factory=list)
    words: dict[str, Word] = field(default_factory=dict)
    g: list[Word] = field(default_factory=list)
    m: list[Word] = field(default_factory=list)
    codes: dict[int, tuple[int, int]] | None = None  # G codes by group, with columns, where all are constant
    m_codes: dict[int, tuple[int, int]] | None = None
    comments: tuple[str, ...] = ()
    plain: bool = False  # read by its shape: columns are places among the words


def compile_block(text: str) -> Arc | Assign | Block | Move:
    """The block of a line without an o-word.

    Raises:
        LineFault: What cannot be taken, and where.
    """
    return _compile(clean(text))


def _compile(line: CleanLine) -> Arc | Assign | Block | Move:
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
        raise reader.fault(f"{letter!r} begins no word", f"expected one of {_LETTERS.upper()}, # or (")
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
        if letter == "g" and group in found and 800 in (code, found[group][0]) and code != found[group][0]:
            found[group] = max(found[group], (code, word.column), key=lambda entry: entry[0] != 800)
            continue  # G80 beside another motion gives way to it
        if group in found:
            name = g_name if letter == "g" else "M{}".format
            raise LineFault(
                f"{name(found[group][0])} and {name(code)} exclude each other", "expected one of the two", word.column
            )
        found[group] = (code, word.column)
    if letter == "m" and 7 in found and 10 in found:  # LinuxCNC has M70 to M73 in the group of the spindle
        raise LineFault(f"M{found[7][0]} and M{found[10][0]} exclude each other", "expected one of the two", found[10][1])
    return found


def _classified(block: Block) -> Arc | Assign | Block | Move:
    if block.m or block.comments:
        return block
    if len(block.settings) == 1 and not block.g and not block.words:
        target = block.settings[0].target
        if isinstance(target, float) and target in _FREE_NUMBERS:
            return Assign(int(target), block.settings[0].value)
    motions = [code for code, _ in (block.codes or {}).values()]
    axes = tuple((AXES.index(letter), word.value) for letter, word in block.words.items() if letter in AXES)
    axes_only = bool(axes) and all(letter in AXES or letter == "f" for letter in block.words)
    if axes_only and not block.settings and block.codes is not None and motions in ([], [0], [10]):
        return Move(motions[0] if motions else -1, axes, block)
    arc = block.words.keys() & _OF_ARCS and all(letter in AXES or letter == "f" or letter in _OF_ARCS for letter in block.words)
    if arc and not block.settings and block.codes is not None and motions in ([], [20], [30]):
        words = {letter: word.value for letter, word in block.words.items()}
        numbers = {letter: value for letter, value in words.items() if not callable(value)}
        return Arc(motions[0] if motions else -1, words, numbers if len(numbers) == len(words) else None, block)
    return block
