"""Moves and offsets: G0 to G3, the cycles, and the codes of modal group 0. Lengths in mm."""

import math
from dataclasses import replace

from armillary.programs.commands import SourceLine
from armillary.programs.gcode import canon
from armillary.programs.gcode.arcs import Pair, arc_length, centre_from_offsets, centre_from_radius
from armillary.programs.gcode.codes import AXES, CYCLES, LARGEST
from armillary.programs.gcode.cycles import expand_cycle
from armillary.programs.gcode.errors import LineFault
from armillary.programs.gcode.expressions import integer
from armillary.programs.gcode.machine import Machine, Tool, offset_index, turned
from armillary.programs.gcode.parameters import G28_HOME, G30_HOME, G92_OFFSET, system_parameter

__all__ = ["arc", "move", "offsets", "spindle_tool", "use_tool_offset"]

Words = dict[str, float]
_INDEX = {letter: index for index, letter in enumerate(AXES)}


def target(machine: Machine, words: Words, *, in_machine: bool = False) -> canon.Position:
    """Where axis words lead, in the program's coordinates."""
    unit = machine.modes.unit
    given = {i: words[letter] * (1.0 if 3 <= i <= 5 else unit) for letter, i in _INDEX.items() if letter in words}
    if in_machine:
        if not machine.modes.absolute:
            raise LineFault("G53 in incremental mode", "expected G90 before it")
        point = machine.to_machine(machine.position)
        for index, value in given.items():
            point[index] = value
        return machine.to_program(point)
    point = list(machine.position)
    for index, value in given.items():
        point[index] = value if machine.modes.absolute else point[index] + value
        if not abs(point[index]) < LARGEST:
            raise LineFault(f"a position of {point[index]:g}", f"expected less than {LARGEST:g}", letter=AXES[index])
    return tuple(point)


def move(machine: Machine, code: int, words: Words, source: SourceLine, *, in_machine: bool) -> list[canon.Canon]:
    """The commands of a motion code."""
    modes = machine.modes
    if code == 800:
        if any(letter in words for letter in AXES):
            raise LineFault("axis words with no motion in force", "expected G0, G1, G2 or G3")
        modes.motion, machine.cycle_start = 800, None
        return [canon.Comment(source, "interpreter: motion mode set to none")]
    if code in CYCLES:
        commands = expand_cycle(machine, code, words, source)
        modes.motion = code
        return commands
    if code != 0 and modes.feed == 0.0 and not modes.inverse_time:
        raise LineFault("a move with no feed rate", "expected F above zero in this line or before")
    if code != 0 and modes.inverse_time and "f" not in words:
        raise LineFault("no F in inverse time", "expected F in each line that moves")
    if code in (20, 30):
        commands = arc(machine, code == 20, words, source)
    else:
        end = target(machine, words, in_machine=in_machine)
        commands = []
        if code == 10 and modes.inverse_time:
            commands.append(_inverse_rate(machine, _length(machine.position, end), words["f"], source))
        machine.position = end
        commands.append((canon.StraightFeed if code else canon.StraightTraverse)(source, end))
    modes.motion, machine.cycle_start = code, None
    return commands


def _inverse_rate(machine: Machine, length: float, times: float, source: SourceLine) -> canon.Canon:
    """The rate of one move in inverse time, which is then the feed in force. times: how often a minute would hold it."""
    rate = max(0.1, length * times)
    machine.modes.feed = rate / machine.modes.unit
    return canon.SetFeedRate(source, rate)


def _length(start: canon.Position, end: canon.Position) -> float:
    for group in (slice(0, 3), slice(6, 9), slice(3, 6)):
        length = math.dist(start[group], end[group])
        if length:
            return length
    return 0.0


def arc(machine: Machine, clockwise: bool, words: Words, source: SourceLine) -> list[canon.Canon]:
    """The commands of an arc from where the machine is; nothing has changed where it cannot be.

    Raises:
        LineFault: The words give no arc.
    """
    modes, first, second, normal = machine.modes, *machine.modes.plane.value
    end, start = target(machine, words), machine.position
    ends = (start[first], start[second]), (end[first], end[second])
    centre = _centre(machine, clockwise, words, *ends)
    turns = integer(words["p"], "P", None, letter="p") if "p" in words else 1
    if turns < 1:
        raise LineFault(f"an arc of {turns} turns", "expected P of 1 or more", letter="p")
    turns = -turns if clockwise else turns
    commands: list[canon.Canon] = []
    if modes.inverse_time:
        length = arc_length(*ends, centre, turns, end[normal] - start[normal])
        commands.append(_inverse_rate(machine, length, words["f"], source))
    machine.position = end
    return [*commands, canon.ArcFeed(source, end, centre, turns, modes.plane)]


def _centre(machine: Machine, clockwise: bool, words: Words, start: Pair, end: Pair) -> Pair:
    """The centre of an arc in its plane, from its words."""
    modes, first, second, normal = machine.modes, *machine.modes.plane.value
    letters, inches = ("ijk"[first], "ijk"[second]), modes.unit != 1.0
    both = f"{letters[0].upper()} and {letters[1].upper()}"
    if "ijk"[normal] in words:
        raise LineFault(f"{'IJK'[normal]} is not in the plane of the arc", f"expected {both}", letter="ijk"[normal])
    given = [letter for letter in letters if letter in words]
    if "r" in words:
        if given:
            raise LineFault("an arc with both R and a centre", "expected one of the two", letter="r")
        if AXES[first] not in words and AXES[second] not in words:
            raise LineFault("an arc with R and no end in its plane", f"expected {'XYZ'[first]} or {'XYZ'[second]}")
        if words["r"] == 0:
            raise LineFault("an arc with R0", "expected a radius", letter="r")
        return centre_from_radius(start, end, words["r"] * modes.unit, clockwise=clockwise, inches=inches, column=None)
    if not given:
        raise LineFault("an arc without R and without a centre", f"expected {both}, or R")
    if modes.arc_absolute and len(given) < 2:
        raise LineFault("an absolute centre with one coordinate", f"expected {both}", letter=given[0])
    base = (0.0, 0.0) if modes.arc_absolute else start
    x, y = (base[i] + words.get(letters[i], 0.0) * modes.unit for i in (0, 1))
    if not abs(x) + abs(y) < LARGEST:
        raise LineFault("a centre that is too far away", f"expected less than {LARGEST:g}", letter=given[0])
    return centre_from_offsets(start, end, (x, y), inches=inches, column=None)


def use_tool_offset(machine: Machine, offset: list[float], source: SourceLine) -> canon.Canon:
    """Another tool length offset; the machine stays where it is."""
    here = machine.to_machine(machine.position)
    machine.tool_offset = offset
    machine.position = machine.to_program(here)
    return canon.UseToolLengthOffset(source, tuple(offset))


def offsets(machine: Machine, code: int, words: Words, source: SourceLine) -> list[canon.Canon]:
    """The commands of G10, G28, G30, G52 and G92 with their kin."""
    if code == 100:
        return _g10(machine, words, source)
    if code in (281, 301):
        machine.store(G28_HOME if code == 281 else G30_HOME, machine.to_machine(machine.position))
        return []
    if code in (280, 300):
        return _home(machine, G28_HOME if code == 280 else G30_HOME, words, source)
    return [_g92(machine, code, words, source)]


def _home(machine: Machine, first: int, words: Words, source: SourceLine) -> list[canon.Canon]:
    through = target(machine, words)
    machine.position = through
    named = [i for i, letter in enumerate(AXES) if letter in words] or list(range(9))
    point, home = machine.to_machine(through), machine.load(first)
    for index in named:
        point[index] = home[index]
    machine.position = machine.to_program(point)
    return [canon.StraightTraverse(source, through), canon.StraightTraverse(source, machine.position)]


def _g92(machine: Machine, code: int, words: Words, source: SourceLine) -> canon.Canon:
    numbers, here = machine.parameters.numbers, machine.to_machine(machine.position)
    given = {i: words[letter] * machine.scale(i) for i, letter in enumerate(AXES) if letter in words}
    if code in (520, 920) and not given:
        raise LineFault("an offset without axis words", "expected at least one of X, Y, Z and the other axes")
    if code == 920:
        machine.g92 = [o + machine.position[i] - given[i] if i in given else o for i, o in enumerate(machine.g92)]
    elif code == 520:
        machine.g92 = [given.get(i, o) for i, o in enumerate(machine.g92)]
    elif code == 923:
        machine.g92 = machine.load(G92_OFFSET)
    else:
        machine.g92 = [0.0] * 9
    numbers[5210] = 0.0 if code in (921, 922) else 1.0
    if code != 922:
        machine.store(G92_OFFSET, machine.g92)
    machine.position = machine.to_program(here)
    return canon.SetG92Offset(source, tuple(machine.g92))


def _g10(machine: Machine, words: Words, source: SourceLine) -> list[canon.Canon]:
    way = integer(words.get("l", -1.0), "L", None, letter="l")
    if way not in (1, 2, 10, 11, 20):
        raise LineFault("G10 without a known L", "expected L1, L2, L10, L11 or L20")
    index = integer(words.get("p", -1.0), "P", None, letter="p")
    if way not in (2, 20):
        return _g10_tool(machine, way, index, words, source)
    if not 0 <= index <= 9:
        raise LineFault(f"there is no coordinate system {index}", "expected P from 0 to 9", letter="p")
    if way == 20 and "r" in words:
        raise LineFault("G10 L20 with R", "expected R only with L2", letter="r")
    system = index or machine.modes.system
    first, here = system_parameter(system), machine.to_machine(machine.position)
    origin, angle = machine.load(first), words.get("r", machine.parameters.numbers[first + 9])
    given = {i: words[letter] * machine.scale(i) for i, letter in enumerate(AXES) if letter in words}
    if way == 2:
        for i, value in given.items():
            origin[i] = value  # absolute, also in G91
    else:
        origin = _origin_for(machine, here, origin, angle, given)
    machine.store(first, origin)
    machine.parameters.numbers[first + 9] = angle
    if system != machine.modes.system:
        return [canon.Comment(source, "interpreter: setting coordinate system origin")]
    machine.origin, machine.angle = origin, angle
    machine.position = machine.to_program(here)
    return [canon.SetG5xOffset(source, system, tuple(origin)), canon.SetXyRotation(source, angle)]


def _origin_for(machine: Machine, here: list[float], origin: list[float], angle: float, given: dict[int, float]) -> list[float]:
    """The origin that makes the given axes read so, here; the others keep reading what they read in that system."""
    inner = [h - o - t for h, o, t in zip(here, origin, machine.tool_offset, strict=True)]
    inner[:2] = turned(inner[0], inner[1], -angle)
    for i, value in given.items():
        inner[i] = value + machine.g92[i]
    inner[:2] = turned(inner[0], inner[1], angle)
    return [h - v - t for h, v, t in zip(here, inner, machine.tool_offset, strict=True)]


def _g10_tool(machine: Machine, way: int, number: int, words: Words, source: SourceLine) -> list[canon.Canon]:
    if not any(letter in words for letter in AXES + "rijq"):
        raise LineFault(f"G10 L{way} without anything to set", "expected axis words or R")
    if "q" in words:
        integer(words["q"], "Q", None, letter="q")
    tool = machine.tools.get(number)
    if tool is None:
        raise LineFault(f"there is no tool {number}", f"expected P of one in the table: {sorted(machine.tools)}", letter="p")
    unit = machine.settings.unit
    offset = [v * unit if offset_index(i) else v for i, v in enumerate(tool.offset)]
    given = {i: words[letter] * machine.scale(i) for i, letter in enumerate(AXES) if letter in words}
    if way == 1:
        offset = [given.get(i, v) for i, v in enumerate(offset)]
    else:
        offset = _tool_offset_for(machine, way, offset, given)
    table = tuple(v / unit if offset_index(i) else v for i, v in enumerate(offset))
    radius = words.get("r")
    diameter = tool.diameter if radius is None else 2 * radius * machine.modes.unit / unit
    machine.tools[number] = replace(tool, offset=table, diameter=diameter)
    slots = [tool.pocket] + ([0] if machine.tool == number else [])
    return [canon.SetToolTableEntry(source, slot, number, tuple(offset), unit) for slot in slots]


def _tool_offset_for(machine: Machine, way: int, offset: list[float], given: dict[int, float]) -> list[float]:
    """The tool offset that makes the given axes read so, here, in the system in force (L10) or in G59.3 without G92 (L11)."""
    here = machine.to_machine(machine.position)
    first = system_parameter(9)
    origin, angle = (machine.origin, machine.angle) if way == 10 else (machine.load(first), machine.parameters.numbers[first + 9])
    g92 = machine.g92 if way == 10 else [0.0] * 9
    inner = [h - o - t for h, o, t in zip(here, origin, offset, strict=True)]
    inner[:2] = turned(inner[0], inner[1], -angle)
    for i, value in given.items():
        inner[i] = value + g92[i]
    inner[:2] = turned(inner[0], inner[1], angle)
    return [h - o - v for h, o, v in zip(here, origin, inner, strict=True)]


def spindle_tool(machine: Machine, number: int, *, letter: str = "") -> Tool:
    """A tool of the table by number.

    Raises:
        LineFault: There is none.
    """
    if number not in machine.tools:
        raise LineFault(f"there is no tool {number} in the table", f"expected one of {sorted(machine.tools)}", letter=letter)
    return machine.tools[number]
