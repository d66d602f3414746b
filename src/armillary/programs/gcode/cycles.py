"""The drilling cycles G73, G81, G82 and G83, expanded into moves as LinuxCNC expands them."""

from collections.abc import Iterator

from armillary.programs.commands import SourceLine
from armillary.programs.gcode import canon
from armillary.programs.gcode.codes import g_name
from armillary.programs.gcode.errors import LineFault
from armillary.programs.gcode.expressions import integer
from armillary.programs.gcode.machine import Machine

__all__ = ["expand_cycle"]

_CLEARANCE = 0.254  # how far above the last peck the next one begins [mm]


def expand_cycle(machine: Machine, code: int, words: dict[str, float], source: SourceLine) -> list[canon.Canon]:
    """The moves of one line of a cycle; words: as written, in the program's units.

    Raises:
        LineFault: A word is missing or cannot be.
    """
    modes = machine.modes
    first, second, normal = modes.plane.value
    letters = "xyz"
    for letter in "abcuvw":
        if letter in words:
            raise LineFault(f"{letter.upper()} cannot be in a canned cycle", f"expected only X, Y and Z with {g_name(code)}")
    sticky = machine.sticky if machine.cycle_start is not None else {}
    if machine.modes.motion != code:
        sticky = {k: v for k, v in sticky.items() if k not in "pq"}
    sticky = sticky | {k: v for k, v in words.items() if k in (letters[normal], "r", "p", "q")}
    _check(code, letters[normal], sticky, modes.feed, modes.inverse_time)
    repeats = integer(words.get("l", 1.0), "L", None)
    if not 1 <= repeats <= 100_000:
        raise LineFault(f"{repeats} repeats of a cycle", "expected L from 1 to 100000")
    start = machine.position[normal] if machine.cycle_start is None else machine.cycle_start
    unit = modes.unit
    top = sticky["r"] * unit + (0.0 if modes.absolute else start)
    bottom = sticky[letters[normal]] * unit + (0.0 if modes.absolute else top)
    if top < bottom:
        raise LineFault(f"R is {top - bottom:g} mm above the bottom of the hole", "expected R above it")
    if sticky.get("q", 1.0) <= 0 and code in (730, 830):
        raise LineFault("Q is not above zero", "expected how deep one peck goes")
    moves = _Moves(machine, source)
    if start < top:
        moves.to(canon.StraightTraverse, normal, top)
    exact = modes.control is canon.MotionControl.EXACT_PATH
    if not exact:
        moves.commands.append(canon.SetMotionControl(source, canon.MotionControl.EXACT_PATH, 0.0))
    clear = max(start, top) if modes.retract_to_start else top
    for _ in range(repeats):
        for axis in (first, second):
            if letters[axis] in words:
                moves.set(axis, words[letters[axis]] * unit + (0.0 if modes.absolute else machine.position[axis]))
        moves.to(canon.StraightTraverse, normal, machine.position[normal])
        if machine.position[normal] != top:
            moves.to(canon.StraightTraverse, normal, top)
        _drill(moves, code, sticky, top, bottom)
        moves.to(canon.StraightTraverse, normal, clear)
    if not exact:
        moves.commands.append(canon.SetMotionControl(source, modes.control, modes.tolerance))
        if modes.control is canon.MotionControl.CONTINUOUS:
            moves.commands.append(canon.SetNaiveCamTolerance(source, modes.cam_tolerance))
    machine.cycle_start, machine.sticky = start, sticky
    return moves.commands


def _check(code: int, normal: str, sticky: dict[str, float], feed: float, inverse_time: bool) -> None:
    if inverse_time:
        raise LineFault("a canned cycle in inverse time", "expected G94 before it")
    if feed == 0.0:
        raise LineFault("a canned cycle with no feed rate", "expected F above zero before it")
    needed = [normal, "r"] + (["p"] if code == 820 else []) + (["q"] if code in (730, 830) else [])
    for letter in needed:
        if letter not in sticky:
            raise LineFault(f"{g_name(code)} has no {letter.upper()}", f"expected the word {letter.upper()}")


class _Moves:
    """The commands of a cycle; the machine's position follows."""

    def __init__(self, machine: Machine, source: SourceLine) -> None:
        self.machine, self.source = machine, source
        self.normal = machine.modes.plane.value[2]
        self.commands: list[canon.Canon] = []

    def set(self, axis: int, value: float) -> None:
        self.machine.position[axis] = value

    def to(self, kind: type[canon.StraightFeed] | type[canon.StraightTraverse], axis: int, value: float) -> None:
        self.machine.position[axis] = value
        self.commands.append(kind(self.source, tuple(self.machine.position)))


def _drill(moves: _Moves, code: int, words: dict[str, float], top: float, bottom: float) -> None:
    if code in (730, 830):
        for depth, last in _pecks(top, bottom, words["q"] * moves.machine.modes.unit):
            moves.to(canon.StraightFeed, moves.normal, depth)
            if not last and code == 830:
                moves.to(canon.StraightTraverse, moves.normal, top)
            if not last:
                moves.to(canon.StraightTraverse, moves.normal, depth + _CLEARANCE)
        return
    moves.to(canon.StraightFeed, moves.normal, bottom)
    if code == 820:
        moves.commands.append(canon.Dwell(moves.source, words["p"]))


def _pecks(top: float, bottom: float, step: float) -> Iterator[tuple[float, bool]]:
    """The depths of the pecks, and whether it is the last.

    Raises:
        LineFault: There would be too many.
    """
    if (top - bottom) / step > 100_000:
        raise LineFault(f"more than 100000 pecks of {step:g} mm", "expected a larger Q")
    depth = top - step
    while depth > bottom:
        yield depth, False
        depth -= step
    yield bottom, True
