"""The modes that G codes set: feed, units, plane, tool offset, coordinate system, corners, distances, retraction."""

from collections.abc import Callable

from armillary.programs.commands import SourceLine
from armillary.programs.gcode import canon
from armillary.programs.gcode.codes import AXES
from armillary.programs.gcode.errors import LineFault
from armillary.programs.gcode.expressions import integer
from armillary.programs.gcode.machine import Machine, Modes, offset_index
from armillary.programs.gcode.moves import offsets, spindle_tool, use_tool_offset

__all__ = ["g_steps", "restore"]

Words = dict[str, float]
Commands = list[canon.Canon]
_PLANES = {170: canon.Plane.XY, 180: canon.Plane.XZ, 190: canon.Plane.YZ}
_CONTROLS = {610: canon.MotionControl.EXACT_PATH, 611: canon.MotionControl.EXACT_STOP, 640: canon.MotionControl.CONTINUOUS}
_SYSTEMS = {540: 1, 550: 2, 560: 3, 570: 4, 580: 5, 590: 6, 591: 7, 592: 8, 593: 9}


def g_steps(machine: Machine, g: dict[int, tuple[int, int]], words: Words, source: SourceLine, *, before: bool) -> Commands:
    """The modes of a line, in order: those before the M codes (feed, speed, tool), or those after."""
    commands: Commands = []
    if before:
        if 14 in g:
            commands += _spindle_mode(machine, g[14][0], words, source)
        if 5 in g:
            commands += _feed_mode(machine, g[5][0], words, source)
        return commands + _feed(machine, words, source)
    if g.get(0, (0, 0))[0] == 40:
        if words.get("p", -1.0) < 0:
            raise LineFault("G4 without a time", "expected P of zero or more seconds", g[0][1])
        commands.append(canon.Dwell(source, words["p"]))
    for group, step in _AFTER:
        if group in g:
            commands += step(machine, g[group][0], words, source)
    return commands


def _spindle_mode(machine: Machine, code: int, words: Words, source: SourceLine) -> Commands:
    if code == 960 and "s" not in words:
        raise LineFault("G96 without a surface speed", "expected S")
    machine.modes.surface_limit = words.get("d", 1e30) if code == 960 else 0.0
    return [canon.SetSpindleMode(source, machine.modes.surface_limit)]


def _feed_mode(machine: Machine, code: int, _words: Words, source: SourceLine) -> Commands:
    machine.modes.inverse_time = code == 930
    if code == 930:
        return [canon.Comment(source, "interpreter: feed mode set to inverse time"), canon.SetFeedMode(source, 0)]
    machine.modes.feed = 0.0
    said = canon.Comment(source, "interpreter: feed mode set to units per minute")
    return [said, canon.SetFeedMode(source, 0), canon.SetFeedRate(source, 0.0)]


def _feed(machine: Machine, words: Words, source: SourceLine) -> Commands:
    commands: Commands = []
    modes = machine.modes
    if "f" in words:
        if words["f"] < 0:
            raise LineFault("F below zero", "expected a feed rate", letter="f")
        if not modes.inverse_time:  # in inverse time it is that of the move in the same line
            modes.feed = words["f"]
            commands.append(canon.SetFeedRate(source, modes.feed * modes.unit))
    if "s" in words:
        if words["s"] < 0:
            raise LineFault("S below zero", "expected a speed; M4 turns the other way", letter="s")
        modes.speed = words["s"]
        commands.append(canon.SetSpindleSpeed(source, modes.speed))
    if "t" in words:
        tool = integer(words["t"], "T", None, letter="t")
        if tool:
            spindle_tool(machine, tool, letter="t")
        machine.selected = tool
        commands.append(canon.SelectTool(source, tool))
    return commands


def _plane(machine: Machine, code: int, _words: Words, source: SourceLine) -> Commands:
    machine.modes.plane = _PLANES[code]
    return [canon.SelectPlane(source, machine.modes.plane)]


def _units(machine: Machine, code: int, _words: Words, source: SourceLine) -> Commands:
    machine.modes.unit = 25.4 if code == 200 else 1.0
    return [canon.UseLengthUnits(source, machine.modes.unit)]


def _no_compensation(_machine: Machine, _code: int, _words: Words, source: SourceLine) -> Commands:
    return [canon.Comment(source, "interpreter: cutter radius compensation off")]


def _tool_length(machine: Machine, code: int, words: Words, source: SourceLine) -> Commands:
    given = {i: words[letter] * machine.scale(i) for i, letter in enumerate(AXES) if letter in words}
    if code == 490:
        return [use_tool_offset(machine, [0.0] * 9, source)]
    if code == 431:
        return [use_tool_offset(machine, [given.get(i, v) for i, v in enumerate(machine.tool_offset)], source)]
    if code == 432 and "h" not in words:
        if not given:
            raise LineFault("G43.2 without H and without axis words", "expected one of the two")
        return [use_tool_offset(machine, [v + given.get(i, 0.0) for i, v in enumerate(machine.tool_offset)], source)]
    number = integer(words.get("h", float(machine.tool)), "H", None, letter="h")
    table = spindle_tool(machine, number, letter="h").offset if number else (0.0,) * 9
    offset = [v * machine.settings.unit if offset_index(i) else v for i, v in enumerate(table)]
    if code == 432:
        offset = [v + o for v, o in zip(machine.tool_offset, offset, strict=True)]
    return [use_tool_offset(machine, offset, source)]


def _system(machine: Machine, code: int, _words: Words, source: SourceLine) -> Commands:
    system = _SYSTEMS[code]
    if system == machine.modes.system:
        return [canon.Comment(source, "interpreter: continuing to use same coordinate system")]
    return use_system(machine, system, source)


def use_system(machine: Machine, system: int, source: SourceLine) -> Commands:
    """Another coordinate system; the machine stays where it is."""
    here = machine.to_machine(machine.position)
    machine.modes.system = system
    machine.read_system()
    machine.position = machine.to_program(here)
    return [
        canon.SetG5xOffset(source, system, tuple(machine.origin)),
        canon.SetG92Offset(source, tuple(machine.g92)),
        canon.SetXyRotation(source, machine.angle),
    ]


def _control(machine: Machine, code: int, words: Words, source: SourceLine) -> Commands:
    modes = machine.modes
    modes.control = _CONTROLS[code]
    if code != 640:
        return [canon.SetMotionControl(source, modes.control, 0.0)]
    if min(words.get("p", 0.0), words.get("q", 0.0)) < 0:
        raise LineFault(
            "a tolerance below zero", "expected P and Q of zero or more", letter="p" if words.get("p", 0.0) < 0 else "q"
        )
    modes.tolerance = words.get("p", 0.0) * modes.unit
    modes.cam_tolerance = words["q"] * modes.unit if "q" in words else modes.tolerance
    return [
        canon.SetMotionControl(source, modes.control, modes.tolerance),
        canon.SetNaiveCamTolerance(source, modes.cam_tolerance),
    ]


def _distance(machine: Machine, code: int, _words: Words, source: SourceLine) -> Commands:
    absolute = code == 900
    if machine.modes.absolute == absolute:
        return []
    machine.modes.absolute = absolute
    return [canon.Comment(source, f"interpreter: distance mode changed to {'absolute' if absolute else 'incremental'}")]


def _arc_distance(machine: Machine, code: int, _words: Words, source: SourceLine) -> Commands:
    absolute = code == 901
    if machine.modes.arc_absolute == absolute:
        return []
    machine.modes.arc_absolute = absolute
    return [canon.Comment(source, f"interpreter: IJK distance mode changed to {'absolute' if absolute else 'incremental'}")]


def _retract(machine: Machine, code: int, _words: Words, source: SourceLine) -> Commands:
    machine.modes.retract_to_start = code == 980
    return [canon.Comment(source, f"interpreter: retract mode set to {'old_z' if code == 980 else 'r_plane'}")]


_Step = Callable[[Machine, int, Words, SourceLine], Commands]
_AFTER: tuple[tuple[int, _Step], ...] = (
    (2, _plane), (6, _units), (7, _no_compensation), (8, _tool_length), (12, _system), (13, _control),
    (3, _distance), (4, _arc_distance),
    (10, _retract),
)  # fmt: skip


def restore(machine: Machine, saved: Modes, tool_offset: list[float], g92_on: bool, source: SourceLine) -> Commands:
    """Bring back what differs from a saved state, in LinuxCNC's order; motion itself is not part of it."""
    now, commands = machine.modes, list[canon.Canon]()
    feed_differs, speed_differs = now.feed != saved.feed, now.speed != saved.speed  # before other modes change them
    if now.unit != saved.unit:
        commands += _units(machine, 200 if saved.unit != 1.0 else 210, {}, source)
    if now.surface_limit != saved.surface_limit:
        now.surface_limit = saved.surface_limit
        commands.append(canon.SetSpindleMode(source, now.surface_limit))
    if now.inverse_time != saved.inverse_time:
        commands += _feed_mode(machine, 930 if saved.inverse_time else 940, {}, source)
    if feed_differs:
        commands += _feed(machine, {"f": saved.feed}, source)
    if speed_differs:
        commands += _feed(machine, {"s": saved.speed}, source)
    commands += _restore_switches(now, saved, source)
    if now.plane != saved.plane:
        commands += _plane(machine, next(code for code, plane in _PLANES.items() if plane is saved.plane), {}, source)
    if machine.tool_offset != tool_offset:
        commands.append(use_tool_offset(machine, tool_offset, source))
    if now.system != saved.system:
        commands += _system(machine, next(code for code, system in _SYSTEMS.items() if system == saved.system), {}, source)
    commands += _restore_path(machine, saved, source)
    if bool(machine.parameters.numbers[5210]) != g92_on:
        commands += offsets(machine, 923 if g92_on else 922, {}, source)
    return commands


def _restore_path(machine: Machine, saved: Modes, source: SourceLine) -> Commands:
    now, commands = machine.modes, list[canon.Canon]()
    if (now.control, now.tolerance, now.cam_tolerance) != (saved.control, saved.tolerance, saved.cam_tolerance):
        now.control, now.tolerance, now.cam_tolerance = saved.control, saved.tolerance, saved.cam_tolerance
        commands.append(canon.SetMotionControl(source, now.control, now.tolerance))
        if now.control is canon.MotionControl.CONTINUOUS:
            commands.append(canon.SetNaiveCamTolerance(source, now.cam_tolerance))
    if now.absolute != saved.absolute:
        commands += _distance(machine, 900 if saved.absolute else 910, {}, source)
    if now.arc_absolute != saved.arc_absolute:
        commands += _arc_distance(machine, 901 if saved.arc_absolute else 911, {}, source)
    if now.retract_to_start != saved.retract_to_start:
        commands += _retract(machine, 980 if saved.retract_to_start else 990, {}, source)
    return commands


def _restore_switches(now: Modes, saved: Modes, source: SourceLine) -> Commands:
    commands: Commands = []
    if now.spindle != saved.spindle:
        now.spindle = saved.spindle
        commands.append(canon.StopSpindle(source) if saved.spindle == 5 else canon.StartSpindle(source, saved.spindle == 3))
    dry = (now.mist or now.flood) and not (saved.mist or saved.flood)  # by M9, which says both
    for name in ("mist", "flood", "feed_override", "speed_override", "feed_hold"):  # not adaptive feed, as in LinuxCNC
        if getattr(now, name) != getattr(saved, name) or (dry and name in ("mist", "flood")):
            setattr(now, name, getattr(saved, name))
            commands.append(canon.Switch(source, name.upper(), getattr(saved, name)))
    return commands
