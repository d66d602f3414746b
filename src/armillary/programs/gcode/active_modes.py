"""The modes in force, as an operator reads them: G codes, M codes, feed, speed and tool."""

from dataclasses import dataclass

from armillary.programs.gcode.canon import MotionControl, Plane
from armillary.programs.gcode.codes import g_name
from armillary.programs.gcode.machine import Machine

__all__ = ["ActiveModes", "active_modes"]

_PLANES = {Plane.XY: "G17", Plane.XZ: "G18", Plane.YZ: "G19"}
_SYSTEMS = ("G54", "G55", "G56", "G57", "G58", "G59", "G59.1", "G59.2", "G59.3")
_CONTROLS = {MotionControl.EXACT_PATH: "G61", MotionControl.EXACT_STOP: "G61.1", MotionControl.CONTINUOUS: "G64"}


@dataclass(frozen=True)
class ActiveModes:
    """What is in force.

    Attributes:
        g_codes, m_codes: One of each modal group.
        feed: F in the program's units per minute, or 1/min in inverse time.
        speed: S [rev/min], or of the surface in G96.
        tool, selected_tool: In the spindle, and made ready by T; 0 and -1 for none.
    """

    g_codes: tuple[str, ...]
    m_codes: tuple[str, ...]
    feed: float
    speed: float
    tool: int
    selected_tool: int


def active_modes(machine: Machine) -> ActiveModes:
    """The modes of a machine as they are now."""
    modes = machine.modes
    g_codes = (
        g_name(modes.motion), _PLANES[modes.plane], "G90" if modes.absolute else "G91",
        "G90.1" if modes.arc_absolute else "G91.1",
        "G93" if modes.inverse_time else "G94", "G21" if modes.unit == 1.0 else "G20", "G40",
        "G43" if any(machine.tool_offset) else "G49", "G98" if modes.retract_to_start else "G99", _SYSTEMS[modes.system - 1],
        _CONTROLS[modes.control], "G96" if modes.surface_limit else "G97",
    )  # fmt: skip
    overrides = [code for code, on in (("M50", modes.feed_override), ("M51", modes.speed_override)) if on]
    coolant = [code for code, on in (("M7", modes.mist), ("M8", modes.flood)) if on] or ["M9"]
    adaptive = [code for code, on in (("M52", modes.adaptive_feed), ("M53", modes.feed_hold)) if on]
    m_codes = (f"M{modes.spindle}", *coolant, *(["M48"] if len(overrides) == 2 else overrides or ["M49"]), *adaptive)
    return ActiveModes(g_codes, m_codes, modes.feed, modes.speed, machine.tool, machine.selected)
