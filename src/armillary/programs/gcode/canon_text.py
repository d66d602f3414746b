"""Canonical commands as text, in the form in which `rs274 -g` prints them."""

from collections.abc import Iterable, Iterator

from armillary.programs.gcode import canon as c

__all__ = ["format_canon", "format_program"]

_CLOCKWISE = {True: "START_SPINDLE_CLOCKWISE(0)", False: "START_SPINDLE_COUNTERCLOCKWISE(0)"}


def format_program(commands: Iterable[c.Canon]) -> Iterator[str]:
    """Each command as text, lengths in the units that the program uses at that point."""
    unit = 1.0
    for command in commands:
        if isinstance(command, c.UseLengthUnits):
            unit = command.millimetres
        yield format_canon(command, unit=unit)


def format_canon(command: c.Canon, *, unit: float = 1.0) -> str:
    """One command as text. unit: what lengths are printed in [mm]."""
    text = _motion(command, unit) or _state(command, unit) or _other(command)
    assert text is not None, command
    return text


def _axes(position: c.Position, unit: float, between: str = ", ") -> str:
    linear = [_four(value / unit) for value in position[:3]]
    return between.join([*linear, *(_four(value) for value in position[3:6])])


def _four(value: float) -> str:
    text = f"{value:.4f}"
    return "0.0000" if text == "-0.0000" else text


def _motion(command: c.Canon, unit: float) -> str | None:
    match command:
        case c.StraightFeed(_, position):
            return f"STRAIGHT_FEED({_axes(position, unit)})"
        case c.StraightTraverse(_, position):
            return f"STRAIGHT_TRAVERSE({_axes(position, unit)})"
        case c.ArcFeed(_, position, centre, turns, plane):
            first, second, normal = plane.value
            ends = [_four(value / unit) for value in (position[first], position[second], *centre)]
            rest = [_four(position[normal] / unit), *(_four(value) for value in position[3:6])]
            return f"ARC_FEED({', '.join([*ends, str(turns), *rest])})"
        case c.Dwell(_, seconds):
            return f"DWELL({seconds:.4f})"
        case c.SetFeedRate(_, feed):
            return f"SET_FEED_RATE({feed / unit:.4f})"
    return None


def _state(command: c.Canon, unit: float) -> str | None:
    match command:
        case c.SetG5xOffset(_, system, offset):
            return f"SET_G5X_OFFSET({system}, {_axes(offset, unit)})"
        case c.SetG92Offset(_, offset):
            return f"SET_G92_OFFSET({_axes(offset, unit)})"
        case c.SetXyRotation(_, angle):
            return f"SET_XY_ROTATION({_four(angle)})"
        case c.UseToolLengthOffset(_, o):
            xyz, abc, uvw = (" ".join(_four(v / s) for v in o[i : i + 3]) for i, s in ((0, unit), (3, 1.0), (6, unit)))
            return f"USE_TOOL_LENGTH_OFFSET({xyz}, {abc}, {uvw})"
        case c.SetToolTableEntry(_, slot, tool, o, scale):
            values = [v / scale if i < 3 or i > 5 else v for i, v in enumerate(o)]
            return f"SET_TOOL_TABLE_ENTRY({slot}, {tool}, {' '.join(map(_four, values))}, 0.0000, 0.0000, 0)"
        case c.UseLengthUnits(_, millimetres):
            return f"USE_LENGTH_UNITS(CANON_UNITS_{'MM' if millimetres == 1.0 else 'INCHES'})"
        case c.SelectPlane(_, plane):
            return f"SELECT_PLANE(CANON_PLANE_{plane.name})"
        case c.SetMotionControl(_, mode, tolerance):
            more = f", {tolerance / unit:.6f}" if mode is c.MotionControl.CONTINUOUS else ""
            return f"SET_MOTION_CONTROL_MODE({mode.value}{more})"
        case c.SetNaiveCamTolerance(_, tolerance):
            return f"SET_NAIVECAM_TOLERANCE({tolerance / unit:.4f})"
        case c.SetFeedMode(_, mode):
            return f"SET_FEED_MODE(0, {mode})"
        case c.SetFeedReference():
            return "SET_FEED_REFERENCE(CANON_XYZ)"
    return None


def _other(command: c.Canon) -> str | None:
    match command:
        case c.Comment(_, text):
            return f'COMMENT("{text}")'
        case c.Message(_, text):
            return f'MESSAGE("{text}")'
        case c.Log(_, text):
            return f'LOG("{text}")'
        case c.OpenLog(_, name, append):
            return f'LOG{"APPEND" if append else "OPEN"}("{name}")'
        case c.Print(_, text):
            return text
        case c.Switch(_, what, on):
            if what in ("MIST", "FLOOD"):
                return f"{what}_{'ON' if on else 'OFF'}()"
            return f"{'ENABLE' if on else 'DISABLE'}_{what}({'0' if what == 'SPEED_OVERRIDE' else ''})"
        case c.SetDigitalOutput(_, index, on, with_motion):
            return f"{'SET' if on else 'CLEAR'}_{'MOTION' if with_motion else 'AUX'}_OUTPUT_BIT({index})"
        case c.SetAnalogOutput(_, index, value, with_motion):
            return f"SET_{'MOTION' if with_motion else 'AUX'}_OUTPUT_VALUE({index},{value:.6f})"
        case c.WaitInput(_, index, analog, mode, timeout):
            return f"WAIT({index}, {int(analog)}, {mode}, {timeout:.4f})"
        case c.ProgramStop(_, optional):
            return f"{'OPTIONAL_' if optional else ''}PROGRAM_STOP()"
    return _tool_and_spindle(command)


def _tool_and_spindle(command: c.Canon) -> str | None:
    match command:
        case c.SetSpindleSpeed(_, speed):
            return f"SET_SPINDLE_SPEED(0, {speed:.4f})"
        case c.SetSpindleMode(_, limit):
            return f"SET_SPINDLE_MODE(0 {limit:.4f})"
        case c.StartSpindle(_, clockwise):
            return _CLOCKWISE[clockwise]
        case c.OrientSpindle(_, angle, mode):
            return f"ORIENT_SPINDLE(0, {angle:.4f}, {mode})"
        case c.SelectTool(_, tool):
            return f"SELECT_TOOL({tool})"
        case c.ChangeTool(_, tool):
            return f"CHANGE_TOOL({tool})"
        case c.ChangeToolNumber(_, tool):
            return f"CHANGE_TOOL_NUMBER({tool})"
    return _PLAIN.get(type(command))


_PLAIN: dict[type[c.Canon], str] = {
    c.StopSpindle: "STOP_SPINDLE_TURNING(0)",
    c.CloseLog: "LOGCLOSE()",
    c.StartChange: "START_CHANGE()",
    c.ShuttlePallet: "PALLET_SHUTTLE()",
    c.ProgramEnd: "PROGRAM_END()",
    c.Finish: "FINISH()",
}
