"""Commands: what every language ends in, each with the line that it came from. SI units throughout.

Poses are of the tool, in what the arm stands on or in a frame there; rpy turns as R = Rz(yaw) Ry(pitch) Rx(roll).
"""

from dataclasses import dataclass, field

__all__ = [
    "Command", "Dwell", "End", "Keep", "Move", "MoveArc", "MoveCircle", "MoveJoints", "MoveLine", "MovePose", "MoveSpline",
    "Pause", "Say", "SetOutput", "SourceLine", "Stop", "WaitInput",
]  # fmt: skip

Three = tuple[float, float, float]


@dataclass(frozen=True)
class SourceLine:
    """Where a command comes from."""

    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, kw_only=True)
class Command:
    """Something that a program has done."""

    source: SourceLine = field(default_factory=SourceLine)


@dataclass(frozen=True, kw_only=True)
class Move(Command):
    """A motion.

    Attributes:
        blend: How far before its end the next move may begin [m; rad and m together in joint space]; 0 stops there.
        tolerance: How far the path may pass from where it ends, instead of `blend` [m]; only along paths of the tool.
        duration: How long it lasts [s], from rest to rest; as short as can be where None.
        profile: Its law of time: "jerk", "quintic", "lspb", "time_optimal"; "" for the usual. Given, it goes from rest to rest.
        tip: The frame that is moved, fixed to the end of the arm; "" for the cell's tool.
        frame: Where the frame is that its poses are given in: x, y, z, roll, pitch, yaw in what the arm stands on; empty for that
            itself.
        extra: Joints that do not carry the tool (a turntable), and where they go evenly on the way [rad or m]; it then goes from
            rest to rest.
        outputs: Outputs that are set as it begins, without a stop: index, and a bool for a digital one or a number for an
            analogue one.
    """

    blend: float = 0.0
    tolerance: float = 0.0
    duration: float | None = None
    profile: str = ""
    tip: str = ""
    frame: tuple[float, ...] = ()
    extra: tuple[tuple[str, float], ...] = ()
    outputs: tuple[tuple[int, bool | float], ...] = ()

    @property
    def rounds(self) -> bool:
        """Whether its end need not be stopped at."""
        return (self.blend > 0.0 or self.tolerance > 0.0) and not self.extra


@dataclass(frozen=True, kw_only=True)
class MoveJoints(Move):
    """To joint positions [rad or m], or by so much. speed: a share of what the joints can do."""

    goal: tuple[float, ...]
    relative: bool = False
    speed: float = 1.0


@dataclass(frozen=True, kw_only=True)
class MovePose(Move):
    """By joints to a pose of the tool [m], [rad]."""

    xyz: Three
    rpy: Three
    speed: float = 1.0


@dataclass(frozen=True, kw_only=True)
class MoveLine(Move):
    """Straight with the tool to a pose.

    Attributes:
        speed: Of the tool at most [m/s].
        relative: "" for a pose; "base" or "tool" for one by which to go, along the axes of what the arm stands on or its own.
        rpy_from: The angles it begins with, where each of the three is to go evenly from there to its end, also through whole
            turns; None turns about one axis, the shortest way.
    """

    xyz: Three
    rpy: Three
    speed: float | None = None
    relative: str = ""
    rpy_from: Three | None = None


@dataclass(frozen=True, kw_only=True)
class MoveArc(Move):
    """Along an arc through a point to a pose."""

    via: Three
    xyz: Three
    rpy: Three
    speed: float | None = None


@dataclass(frozen=True, kw_only=True)
class MoveCircle(Move):
    """Along an arc or helix, of any number of turns, about an axis.

    Attributes:
        centre, axis: A point of the axis, and its direction [m].
        angle: How far round, by the right hand [rad]; below zero the other way.
        xyz: Where it ends: as far round as the angle says, and as far along the axis as it is from the start.
        rpy, rpy_from: As for a line.
    """

    centre: Three
    axis: Three
    angle: float
    xyz: Three
    rpy: Three
    speed: float | None = None
    rpy_from: Three | None = None


@dataclass(frozen=True, kw_only=True)
class MoveSpline(Move):
    """Smoothly through points, from where it is: joint positions, or poses as (x, y, z, roll, pitch, yaw).

    speed: of the tool at most [m/s] through poses, a share of what the joints can do through joint positions.
    """

    through: tuple[tuple[float, ...], ...]
    by_tool: bool = False
    speed: float | None = None


@dataclass(frozen=True, kw_only=True)
class Dwell(Command):
    """Stand for so many seconds."""

    seconds: float


@dataclass(frozen=True, kw_only=True)
class SetOutput(Command):
    """Set an output: a digital one for a bool, an analogue one for a number.

    with_motion: As the next move begins, without a stop; never where none follows.
    """

    index: int
    value: bool | float
    with_motion: bool = False


@dataclass(frozen=True, kw_only=True)
class WaitInput(Command):
    """Wait for an input.

    Attributes:
        condition: "high", "low", "rise", "fall" of a digital one; "above", "below" a value of an analogue one; "now" only reads.
        timeout: [s]; None waits for ever.
        required: Whether it is an error when it does not come in time. Otherwise the program goes on, and can tell.
    """

    index: int
    condition: str = "high"
    value: float = 0.0
    analog: bool = False
    timeout: float | None = None
    required: bool = True


@dataclass(frozen=True, kw_only=True)
class Say(Command):
    """A text for the operator."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Keep(Command):
    """From here on what the program has set outlasts it: offsets, parameters. note: Which of the run's notes is meant."""

    note: int


@dataclass(frozen=True, kw_only=True)
class Pause(Command):
    """Wait until somebody lets it go on. optional: only where the operator has asked for such pauses."""

    optional: bool = False


@dataclass(frozen=True, kw_only=True)
class Stop(Command):
    """Stop the motion on its path; what comes behind is not run."""


@dataclass(frozen=True, kw_only=True)
class End(Command):
    """The program has ended."""
