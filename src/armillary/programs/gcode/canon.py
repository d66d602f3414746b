"""Canonical commands: what a G-code program asks of a machine, one at a time, each with its line.

Lengths are mm, angles degrees and feeds mm/min whatever the program's units (G20 or G21), in the program's current
coordinates: the offsets come as commands of their own. Positions are (x, y, z, a, b, c, u, v, w).
"""

from dataclasses import dataclass
from enum import Enum

from armillary.programs.commands import SourceLine

__all__ = [
    "ArcFeed", "Canon", "ChangeTool", "ChangeToolNumber", "CloseLog", "Comment", "Dwell", "Finish", "Log", "Message",
    "MotionControl", "OpenLog", "OrientSpindle", "Plane", "Position", "Print", "ProgramEnd", "ProgramStop", "SelectPlane",
    "SelectTool", "SetAnalogOutput", "SetDigitalOutput", "SetFeedMode", "SetFeedRate", "SetFeedReference", "SetG5xOffset",
    "SetG92Offset", "SetMotionControl", "SetNaiveCamTolerance", "SetSpindleMode", "SetSpindleSpeed", "SetToolTableEntry",
    "SetXyRotation", "ShuttlePallet", "StartChange", "StartSpindle", "StopSpindle", "StraightFeed", "StraightTraverse",
    "Switch", "UseLengthUnits", "UseToolLengthOffset", "WaitInput",
]  # fmt: skip

Position = tuple[float, ...]


class Plane(Enum):
    """The plane of arcs and the indices of its first, second and normal axis."""

    XY = (0, 1, 2)
    XZ = (2, 0, 1)
    YZ = (1, 2, 0)


class MotionControl(Enum):
    """How corners are taken."""

    EXACT_STOP = "CANON_EXACT_STOP"
    EXACT_PATH = "CANON_EXACT_PATH"
    CONTINUOUS = "CANON_CONTINUOUS"


@dataclass(frozen=True, slots=True)
class Canon:
    """One canonical command. source: the line that asked for it."""

    source: SourceLine


@dataclass(frozen=True, slots=True)
class StraightTraverse(Canon):
    """Rapid straight to a position."""

    position: Position


@dataclass(frozen=True, slots=True)
class StraightFeed(Canon):
    """At the feed rate straight to a position."""

    position: Position


@dataclass(frozen=True, slots=True)
class ArcFeed(Canon):
    """An arc or helix to a position. centre: on the plane's first and second axis; turns: > 0 is counterclockwise."""

    position: Position
    centre: tuple[float, float]
    turns: int
    plane: Plane


@dataclass(frozen=True, slots=True)
class Dwell(Canon):
    """Wait [s]."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Comment(Canon):
    """A remark, of the program or of the interpreter."""

    text: str


@dataclass(frozen=True, slots=True)
class Message(Canon):
    """For the operator: (MSG,) and (DEBUG,)."""

    text: str


@dataclass(frozen=True, slots=True)
class Print(Canon):
    """For the standard output: (PRINT,)."""

    text: str


@dataclass(frozen=True, slots=True)
class Log(Canon):
    """For the log: (LOG,)."""

    text: str


@dataclass(frozen=True, slots=True)
class OpenLog(Canon):
    """The file that (LOG,) writes to from here on. append: behind what it holds."""

    name: str
    append: bool


@dataclass(frozen=True, slots=True)
class CloseLog(Canon):
    """No file for (LOG,) any more."""


@dataclass(frozen=True, slots=True)
class SetFeedRate(Canon):
    """The feed of what follows [mm/min]; in inverse time one such command before each move."""

    feed: float


@dataclass(frozen=True, slots=True)
class SetFeedMode(Canon):
    """The meaning of F; per minute and inverse time look alike here, as each move has its rate."""

    mode: int


@dataclass(frozen=True, slots=True)
class SetFeedReference(Canon):
    """Feed is measured along x, y, z."""


@dataclass(frozen=True, slots=True)
class UseLengthUnits(Canon):
    """The program's length units from here on; commands stay in mm. millimetres: of one unit (1 or 25.4)."""

    millimetres: float


@dataclass(frozen=True, slots=True)
class SelectPlane(Canon):
    """The plane of arcs from here on."""

    plane: Plane


@dataclass(frozen=True, slots=True)
class SetG5xOffset(Canon):
    """Origin of coordinate system 1 to 9 (G54 to G59.3), now in use."""

    system: int
    offset: Position


@dataclass(frozen=True, slots=True)
class SetG92Offset(Canon):
    """The offset of G92 and G52, inside the coordinate system."""

    offset: Position


@dataclass(frozen=True, slots=True)
class SetXyRotation(Canon):
    """How far the coordinate system is turned about z [degrees]."""

    angle: float


@dataclass(frozen=True, slots=True)
class UseToolLengthOffset(Canon):
    """From flange to tip, along the machine's axes."""

    offset: Position


@dataclass(frozen=True, slots=True)
class SetToolTableEntry(Canon):
    """A tool's offsets [mm] as the table has them now. slot 0 is the spindle."""

    slot: int
    tool: int
    offset: Position
    machine_unit: float  # mm of one unit of the table


@dataclass(frozen=True, slots=True)
class SetMotionControl(Canon):
    """How corners are taken. tolerance [mm], only with CONTINUOUS."""

    mode: MotionControl
    tolerance: float


@dataclass(frozen=True, slots=True)
class SetNaiveCamTolerance(Canon):
    """How far short segments may be merged [mm]."""

    tolerance: float


@dataclass(frozen=True, slots=True)
class SetSpindleSpeed(Canon):
    """Speed [rev/min], or of the surface in G96."""

    speed: float


@dataclass(frozen=True, slots=True)
class SetSpindleMode(Canon):
    """0: constant speed; otherwise constant surface speed with this limit [rev/min]."""

    limit: float


@dataclass(frozen=True, slots=True)
class StartSpindle(Canon):
    """Turn the spindle."""

    clockwise: bool


@dataclass(frozen=True, slots=True)
class StopSpindle(Canon):
    """Stop the spindle."""


@dataclass(frozen=True, slots=True)
class OrientSpindle(Canon):
    """Turn the spindle to an angle [degrees]."""

    angle: float
    mode: int


@dataclass(frozen=True, slots=True)
class SelectTool(Canon):
    """Get a tool ready."""

    tool: int


@dataclass(frozen=True, slots=True)
class StartChange(Canon):
    """A tool change begins."""


@dataclass(frozen=True, slots=True)
class ChangeTool(Canon):
    """Put the tool into the spindle."""

    tool: int


@dataclass(frozen=True, slots=True)
class ChangeToolNumber(Canon):
    """The tool in the spindle is this one; nothing moves."""

    tool: int


@dataclass(frozen=True, slots=True)
class Switch(Canon):
    """Something that is on or off: MIST, FLOOD, FEED_OVERRIDE, SPEED_OVERRIDE, ADAPTIVE_FEED, FEED_HOLD."""

    what: str
    on: bool


@dataclass(frozen=True, slots=True)
class SetDigitalOutput(Canon):
    """A digital output. with_motion: at the start of the next move, otherwise at once."""

    index: int
    on: bool
    with_motion: bool


@dataclass(frozen=True, slots=True)
class SetAnalogOutput(Canon):
    """An analog output. with_motion: at the start of the next move, otherwise at once."""

    index: int
    value: float
    with_motion: bool


@dataclass(frozen=True, slots=True)
class WaitInput(Canon):
    """Read an input (mode 0), or wait for rise, fall, high or low (1 to 4) so many seconds."""

    index: int
    analog: bool
    mode: int
    timeout: float


@dataclass(frozen=True, slots=True)
class ProgramStop(Canon):
    """Wait for the operator. optional: only where the operator has said so (M1)."""

    optional: bool


@dataclass(frozen=True, slots=True)
class ShuttlePallet(Canon):
    """Exchange the pallets."""


@dataclass(frozen=True, slots=True)
class ProgramEnd(Canon):
    """M2 or M30: the program has ended."""


@dataclass(frozen=True, slots=True)
class Finish(Canon):
    """The second percent sign: the file has ended."""
