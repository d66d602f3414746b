"""The drilling and boring cycles G73, G81 to G83 and G85 to G89, expanded into moves as LinuxCNC expands them."""

from collections.abc import Iterator

from armillary.programs.commands import SourceLine
from armillary.programs.gcode import canon
from armillary.programs.gcode.codes import AXES, g_name
from armillary.programs.gcode.errors import LineFault
from armillary.programs.gcode.expressions import integer
from armillary.programs.gcode.machine import Machine
from armillary.programs.gcode.polar import POLAR, without_polar

__all__ = ["expand_cycle"]

_MOST_PECKS = 100_000  # of one line
_NEEDED = {730: "q", 820: "p", 830: "q", 860: "p", 870: "ijk", 880: "p", 890: "p"}
_CLEARANCE = 0.254  # how far above the last peck the next one begins [mm]


def expand_cycle(machine: Machine, code: int, words: dict[str, float], source: SourceLine) -> list[canon.Canon]:
    """The moves of one line of a cycle; words: as written, in the program's units.

    Raises:
        LineFault: A word is missing or cannot be.
    """
    modes, normal = machine.modes, machine.modes.plane.value[2]
    sticky = _sticky_words(machine, code, words)
    repeats = integer(words.get("l", 1.0), "L", None, letter="l")
    start = machine.position[normal] if machine.cycle_start is None else machine.cycle_start
    top = sticky["r"] * modes.unit + (0.0 if modes.absolute else start)
    bottom = sticky["depth"] * modes.unit + (0.0 if modes.absolute else top)
    _check_depth(code, sticky, top, bottom, repeats, modes.unit)
    moves = _Moves(machine, source)
    if start < top:
        moves.to(canon.StraightTraverse, normal, top)
    exact = modes.control is canon.MotionControl.EXACT_PATH
    if not exact:
        moves.commands.append(canon.SetMotionControl(source, canon.MotionControl.EXACT_PATH, 0.0))
    clear = max(start, top) if modes.retract_to_start else top
    for _ in range(repeats):
        _go_above(moves, words, top)
        _drill(moves, code, sticky, top, bottom, clear)
    if not exact:
        moves.commands.append(canon.SetMotionControl(source, modes.control, modes.tolerance))
        moves.commands.append(canon.SetNaiveCamTolerance(source, modes.cam_tolerance))
    machine.cycle_start, machine.sticky = start, sticky
    return moves.commands


def _sticky_words(machine: Machine, code: int, words: dict[str, float]) -> dict[str, float]:
    """The words that hold from line to line as long as the cycle is the same; the end of the hole is "depth"."""
    for letter in "abcuvw":
        if letter in words:
            advice = f"expected only X, Y and Z with {g_name(code)}"
            raise LineFault(f"{letter.upper()} cannot be in a canned cycle", advice, letter=letter)
    normal = AXES[machine.modes.plane.value[2]]
    sticky = machine.sticky if machine.modes.motion == code else {}
    sticky = sticky | {letter: value for letter, value in words.items() if letter in "rpqijk"}
    if normal in words:
        sticky["depth"] = words[normal]  # holds for another plane too, as in LinuxCNC
    _check(code, normal, sticky, machine.modes.feed, machine.modes.inverse_time)
    return sticky


def _check_depth(code: int, sticky: dict[str, float], top: float, bottom: float, repeats: int, unit: float) -> None:
    if not 1 <= repeats <= 100_000:
        raise LineFault(f"{repeats} repeats of a cycle", "expected L from 1 to 100000", letter="l")
    if top < bottom:
        raise LineFault(f"R is {bottom - top:g} mm below the bottom of the hole", "expected R above it", letter="r")
    if code in (730, 830):
        if sticky["q"] <= 0:
            raise LineFault("Q is not above zero", "expected how deep one peck goes", letter="q")
        if repeats * (top - bottom) > _MOST_PECKS * sticky["q"] * unit:
            raise LineFault(f"more than {_MOST_PECKS} pecks", "expected a larger Q, or a smaller L", letter="q")


def _go_above(moves: "_Moves", words: dict[str, float], top: float) -> None:
    """To above the next hole, not lower than its top, and down to that."""
    machine, modes = moves.machine, moves.machine.modes
    polar = any(letter in words for letter in POLAR)
    place = without_polar(machine, words, in_machine=False) if polar else words
    for axis in modes.plane.value[:2]:
        if AXES[axis] in place:
            moves.set(axis, place[AXES[axis]] * modes.unit + (0.0 if modes.absolute else machine.position[axis]))
    moves.to(canon.StraightTraverse, moves.normal, max(machine.position[moves.normal], top))
    if machine.position[moves.normal] != top:
        moves.to(canon.StraightTraverse, moves.normal, top)


def _check(code: int, normal: str, sticky: dict[str, float], feed: float, inverse_time: bool) -> None:
    if inverse_time:
        raise LineFault("a canned cycle in inverse time", "expected G94 before it")
    if feed == 0.0:
        raise LineFault("a canned cycle with no feed rate", "expected F above zero before it")
    for letter in (normal, "r", *_NEEDED.get(code, "")):
        if ("depth" if letter == normal else letter) not in sticky:
            raise LineFault(f"{g_name(code)} has no {letter.upper()}", f"expected the word {letter.upper()}")


class _Moves:
    """The commands of a cycle; the machine's position follows."""

    def __init__(self, machine: Machine, source: SourceLine) -> None:
        self.machine, self.source = machine, source
        self.normal = machine.modes.plane.value[2]
        self.commands: list[canon.Canon] = []

    def set(self, axis: int, value: float) -> None:
        position = self.machine.position
        self.machine.position = (*position[:axis], value, *position[axis + 1 :])

    def stop_spindle(self, *, orient: bool = False) -> canon.StartSpindle:
        """Stop the spindle, turned to its mark if asked; returns what starts it again.

        Raises:
            LineFault: It does not turn.
        """
        spindle = self.machine.modes.spindle
        if spindle not in (3, 4):
            raise LineFault("a boring cycle with the spindle still", "expected M3 or M4 before it")
        self.commands.append(canon.StopSpindle(self.source))
        if orient:
            self.commands.append(canon.OrientSpindle(self.source, 0.0, 2 if spindle == 3 else 3))
        return canon.StartSpindle(self.source, spindle == 3)

    def to(self, kind: type[canon.StraightFeed] | type[canon.StraightTraverse], axis: int, value: float) -> None:
        position = self.machine.position
        self.machine.position = (*position[:axis], value, *position[axis + 1 :])
        self.commands.append(kind(self.source, self.machine.position))


def _drill(moves: _Moves, code: int, words: dict[str, float], top: float, bottom: float, clear: float) -> None:
    """What is done in one hole, from its top on; it ends at the clear height."""
    down, up = canon.StraightFeed, canon.StraightFeed if code == 890 else canon.StraightTraverse
    if code in (730, 830):
        for depth, last in _pecks(top, bottom, words["q"] * moves.machine.modes.unit):
            moves.to(down, moves.normal, depth)
            if not last and code == 830:
                moves.to(up, moves.normal, top)
            if not last:
                moves.to(up, moves.normal, depth + _CLEARANCE)
    elif code == 870:
        _bore_back(moves, words, bottom, clear)
        return
    else:
        moves.to(down, moves.normal, bottom)
    if code == 850:
        moves.to(down, moves.normal, top)
    if code in (820, 860, 880, 890):
        moves.commands.append(canon.Dwell(moves.source, words["p"]))
    if code in (860, 880):
        spindle = moves.stop_spindle()
        if code == 860:
            moves.to(up, moves.normal, clear)
        else:
            moves.commands.append(canon.ProgramStop(moves.source, False))  # the operator takes the tool out by hand
            moves.set(moves.normal, clear)
        moves.commands.append(spindle)
    else:
        moves.to(up, moves.normal, clear)


def _bore_back(moves: _Moves, words: dict[str, float], bottom: float, clear: float) -> None:
    """G87: through the hole beside its axis with the spindle still, then up from below. I, J: how far beside; K: how high."""
    first, second, normal = moves.machine.modes.plane.value
    unit, here = moves.machine.modes.unit, moves.machine.position
    height = words["k"] * unit + (0.0 if moves.machine.modes.absolute else bottom)
    axis = here[first], here[second]
    beside = axis[0] + words["ijk"[first]] * unit, axis[1] + words["ijk"[second]] * unit
    rapid, feed = canon.StraightTraverse, canon.StraightFeed

    def across(place: tuple[float, float]) -> None:
        moves.set(first, place[0])
        moves.to(rapid, second, place[1])

    across(beside)
    start = moves.stop_spindle(orient=True)
    moves.to(rapid, normal, bottom)
    across(axis)
    moves.commands.append(start)
    moves.to(feed, normal, height)
    moves.to(feed, normal, bottom)
    moves.stop_spindle(orient=True)
    across(beside)
    moves.to(rapid, normal, clear)
    across(axis)
    moves.commands.append(start)


def _pecks(top: float, bottom: float, step: float) -> Iterator[tuple[float, bool]]:
    """The depths of the pecks, and whether it is the last."""
    depth = top - step
    while depth > bottom:
        yield depth, False
        depth -= step
    yield bottom, True
