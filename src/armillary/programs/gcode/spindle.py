"""What M codes do: tool changes, spindle, coolant, overrides, inputs and outputs, stops and the end."""

from armillary.programs.commands import SourceLine
from armillary.programs.gcode import canon
from armillary.programs.gcode.canon import Plane
from armillary.programs.gcode.errors import LineFault
from armillary.programs.gcode.expressions import integer
from armillary.programs.gcode.machine import Machine
from armillary.programs.gcode.moves import spindle_tool

__all__ = ["end_program", "io_step", "m_steps"]

Words = dict[str, float]
Commands = list[canon.Canon]
_OVERRIDES = {50: "feed_override", 51: "speed_override", 52: "adaptive_feed", 53: "feed_hold"}


def m_steps(machine: Machine, m: dict[int, tuple[int, int]], words: Words, source: SourceLine) -> Commands:
    """Inputs and outputs, tool change and spindle, in this order."""
    commands: Commands = []
    if 5 in m:
        commands.append(_input_output(m[5][0], words, source, m[5][1]))
    if 6 in m:
        commands += _change_tool(machine, m[6][0], words, source, m[6][1])
    if 7 in m:
        code = m[7][0]
        if code == 19:
            return commands + _orient(words, source, m[7][1])
        machine.modes.spindle = code
        commands.append(canon.StopSpindle(source) if code == 5 else canon.StartSpindle(source, code == 3))
    return commands


def _orient(words: Words, source: SourceLine, column: int) -> Commands:
    way = integer(words.get("p", 0.0), "P", column)
    if not 0 <= way <= 2:
        raise LineFault(f"M19 with P{way}", "expected P0 (the shorter way), P1 or P2", letter="p")
    if not 0 <= words.get("r", 0.0) <= 360:
        raise LineFault(f"M19 with an angle of {words['r']:g}", "expected R from 0 to 360 degrees", letter="r")
    return [canon.OrientSpindle(source, words["r"], way)] if "r" in words else []


def io_step(machine: Machine, m: dict[int, tuple[int, int]], source: SourceLine, words: Words) -> Commands:
    """Coolant and overrides."""
    commands: Commands = []
    code = m.get(8, (0, 0))[0]
    for name, on_code in (("mist", 7), ("flood", 8)):
        if code in (on_code, 9):
            setattr(machine.modes, name, code != 9)
            commands.append(canon.Switch(source, name.upper(), code != 9))
    code = m.get(9, (0, 0))[0]
    if code in (48, 49):
        machine.modes.feed_override = machine.modes.speed_override = code == 48
        commands += [canon.Switch(source, name, code == 48) for name in ("FEED_OVERRIDE", "SPEED_OVERRIDE")]
    elif code in _OVERRIDES:
        on = words.get("p", 1.0) != 0.0
        setattr(machine.modes, _OVERRIDES[code], on)
        commands.append(canon.Switch(source, _OVERRIDES[code].upper(), on))
    return commands


def _input_output(code: int, words: Words, source: SourceLine, column: int) -> canon.Canon:
    if code == 66:
        return _wait(words, source, column)
    letter = "e" if code in (67, 68) else "p"
    if letter not in words:
        raise LineFault(f"M{code} without the number of an output", f"expected {letter.upper()}", column)
    index = integer(words[letter], letter.upper(), column)
    if index < 0:
        raise LineFault(f"there is no output {index}", f"expected {letter.upper()} of zero or more", column)
    if code in (67, 68):
        if "q" not in words:  # LinuxCNC would set -1
            raise LineFault(f"M{code} without a value", "expected Q", column)
        return canon.SetAnalogOutput(source, index, words["q"], code == 67)
    return canon.SetDigitalOutput(source, index, code in (62, 64), code in (62, 63))


def _wait(words: Words, source: SourceLine, column: int) -> canon.Canon:
    if ("p" in words) == ("e" in words):
        raise LineFault("M66 asks for one input", "expected P (digital) or E (analog)", column)
    mode, timeout = integer(words.get("l", 0.0), "L", column), words.get("q", 0.0)
    if not 0 <= mode <= 4 or ("e" in words and mode):
        raise LineFault(f"M66 with L{mode}", "expected L0 to L4, and L0 with E", column)
    if mode and timeout <= 0:
        raise LineFault("M66 waits for no time", "expected Q above zero", column)
    index = integer(words["p"] if "p" in words else words["e"], "the input", column)
    if index < 0:
        raise LineFault(f"there is no input {index}", "expected zero or more", column)
    return canon.WaitInput(source, index, "e" in words, mode, timeout)


def _change_tool(machine: Machine, code: int, words: Words, source: SourceLine, column: int) -> Commands:
    if code == 61:
        number = integer(words.get("q", -1.0), "Q", column)
        if number < 0:
            raise LineFault("M61 without a tool", "expected Q", column)
        if number:
            spindle_tool(machine, number)
        machine.tool = number
        return [canon.ChangeToolNumber(source, number)]
    machine.tool, machine.modes.spindle = machine.selected, 5
    return [canon.StartChange(source), canon.StopSpindle(source), canon.ChangeTool(source, machine.tool)]


def end_program(machine: Machine, code: int, source: SourceLine) -> Commands:
    """M0, M1, M60 (stops) and M2, M30, M99 of a main program (the end, with the modes as at power on)."""
    if code in (0, 1):
        return [canon.ProgramStop(source, code == 1)]
    if code == 60:
        return [canon.ShuttlePallet(source), canon.ProgramStop(source, False)]
    modes = machine.modes
    here = machine.to_machine(machine.position)
    modes.system = 1
    machine.read_system()
    machine.position = machine.to_program(here)
    commands: Commands = [canon.SetG5xOffset(source, 1, tuple(machine.origin)), canon.SetXyRotation(source, machine.angle)]
    if modes.plane is not Plane.XY:
        modes.plane = Plane.XY
        commands.append(canon.SelectPlane(source, Plane.XY))
    commands += [canon.SetFeedMode(source, 0), canon.SetFeedRate(source, 0.0)]
    if not modes.feed_override:
        commands.append(canon.Switch(source, "FEED_OVERRIDE", True))
    modes.feed_override = modes.speed_override = True
    commands += [canon.StopSpindle(source), canon.SetSpindleMode(source, 0.0)]
    for name in ("mist", "flood"):
        if getattr(modes, name):
            commands.append(canon.Switch(source, name.upper(), False))
    if code == 30:
        commands.append(canon.ShuttlePallet(source))
    machine.program_end = True
    return [*commands, canon.ProgramEnd(source)]
