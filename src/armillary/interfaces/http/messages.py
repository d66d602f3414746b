"""What a pendant and a browser say to each other on the WebSocket. SI units; joints in the model's order."""

from dataclasses import dataclass

from armillary.interfaces.http.wire import Message, Record

__all__ = [
    "FROM_BROWSER", "TO_BROWSER", "Alarm", "Control", "Focus", "InputsOutputs", "Jog", "Motion", "Nearest", "Notice",
    "Pair", "PersonFrame", "PersonPlaces", "Ping", "Pong", "Press", "ProgramState", "Release", "Status", "StopNow", "Variable",
    "Variables",
]  # fmt: skip

Numbers = tuple[float, ...]
Measured = tuple[float | None, ...]  # null where the motor side does not say


# To the browser: state, of which only the newest matters.


@dataclass(frozen=True)
class Motion(Message, key="motion"):
    """Where everything is, sixty times a second."""

    time: float  # s, the executor's clock
    q: Numbers  # commanded [rad or m]
    v: Numbers
    a: Numbers
    torque: Numbers  # that the model says it needs [N m or N]
    measured_q: Measured
    measured_torque: Measured
    xyz: Numbers  # of the tool as commanded, in what the arm stands on [m]
    rpy: Numbers  # [rad]
    actual_xyz: Numbers  # of the tool where its joints are measured to be; a joint that is not measured is where it is commanded
    actual_rpy: Numbers
    speed: float  # of the tool [m/s]
    late: float  # of the newest tick [s]
    work: float  # that it took [s]
    round_trip: float | None  # to the motor side and back [s]
    progress: float  # of the present motion, 0 to 1


@dataclass(frozen=True)
class Control(Record):
    """Who moves the robot."""

    session: str  # of the browser that has it; "" for none
    name: str  # the person, or the program that has it; "" for nobody
    link: bool  # whether that browser is connected
    asked_by: str  # who asks for it now, or ""


@dataclass(frozen=True)
class Status(Message, key="status"):
    """What the cell is in; told when it changes."""

    state: str  # OFF, STOPPED, INITIALISING, READY, MOVING, HOLDING, FAULTED
    mode: str  # manual or automatic
    moves: bool
    certified: bool
    rate: float  # feed override, 1 for as programmed
    fault: str
    driver: str
    simulated: bool  # the motor side is no real one
    control: Control
    tool: str
    frame: str  # in which Motion's xyz are
    held_by: str  # what slows or stops the present jog, or ""
    contacts: int
    recording: str  # file, or ""
    recorded: int  # bytes
    trouble: str  # of the recorder, or ""
    viewers: int
    alarms: int  # that nobody has acknowledged
    lost: int  # records that the recorder did not get in the last minute
    late_ticks: bool  # one of the last minute was more than 10 ms late


@dataclass(frozen=True)
class ProgramState(Message, key="program"):
    """The program that runs, or ran last."""

    state: str  # ready, running, paused, waiting, ended, stopped, failed; "" for none yet
    name: str
    file: str  # that is being moved in: a program, or one that it calls
    line: int  # that is being moved, 0 for none
    read_line: int  # that is being read, ahead of it
    moves: int
    seconds: float  # since it was started
    step: bool
    error: str
    said: tuple[str, ...]  # newest last


@dataclass(frozen=True)
class Variable(Record):
    name: str
    value: float


@dataclass(frozen=True)
class Variables(Message, key="variables"):
    """What the program has set, its calls and its modes."""

    variables: tuple[Variable, ...]
    calls: tuple[str, ...]
    modes: tuple[str, ...]


@dataclass(frozen=True)
class InputsOutputs(Message, key="io"):
    inputs: tuple[bool, ...]
    outputs: tuple[bool, ...]
    analog_inputs: Measured
    analog_outputs: Numbers
    forced: tuple[int, ...]  # numbers of the inputs that somebody holds at a value
    forced_analog: tuple[int, ...]


@dataclass(frozen=True)
class Pair(Record):
    """Two parts: links, or what stands around."""

    a: str
    b: str


@dataclass(frozen=True)
class Nearest(Message, key="nearest"):
    """The two parts that are nearest to each other where the robot is measured to be, and where; in the world."""

    a: str
    b: str
    distance: float  # below zero where they touch
    at_a: Numbers
    at_b: Numbers
    touching: tuple[Pair, ...]  # all that collide there


@dataclass(frozen=True)
class PersonPlaces(Message, key="person"):
    """Where the bones of who is imitated are, upright: x ahead, z up."""

    places: Numbers  # x, y and z of each bone [m], one bone after the other; none where nobody is imitated


# To the browser: each is told.


@dataclass(frozen=True)
class Alarm(Message, key="alarm", queued=True):
    number: int
    at: str  # UTC
    cause: str
    joint: str
    value: float | None
    limit: float | None
    text: str
    remedy: str


@dataclass(frozen=True)
class Notice(Message, key="notice", queued=True):
    """Something that this browser should know: what it asked for is not done, and why."""

    kind: str  # info, refused, slow (the link is, for holding), or cut (a jog was; it needs a new press)
    text: str


@dataclass(frozen=True)
class Pong(Message, key="pong", queued=True):
    number: int


# From the browser.


@dataclass(frozen=True)
class Ping(Message, key="ping"):
    """Answered at once: how old the link is."""

    number: int


@dataclass(frozen=True)
class Jog(Message, key="jog"):
    """Move while this comes again and again: it holds for a tenth of a second."""

    kind: str  # joints, base, tool, or frame
    speeds: Numbers  # [rad/s or m/s] of each joint; or linear [m/s] and angular [rad/s]
    frame: str  # whose axes, for kind frame


@dataclass(frozen=True)
class Press(Message, key="press"):
    """Somebody still holds what is held to run."""


@dataclass(frozen=True)
class Release(Message, key="release"):
    """Nobody does any more."""


@dataclass(frozen=True)
class StopNow(Message, key="stop"):
    category: int  # 0, 1 or 2


@dataclass(frozen=True)
class Focus(Message, key="focus"):
    """Whether the page is seen: one that is not moves nothing."""

    seen: bool


@dataclass(frozen=True)
class PersonFrame(Message, key="frame"):
    """A frame of a person's motion, where that is chosen as what is imitated."""

    values: Numbers  # of the skeleton's channels: turns in degrees, positions in its unit


TO_BROWSER: tuple[type[Message], ...] = (
    Motion, Status, ProgramState, Variables, InputsOutputs, Nearest, PersonPlaces, Alarm, Notice, Pong,
)  # fmt: skip
FROM_BROWSER: tuple[type[Message], ...] = (Ping, Jog, Press, Release, StopNow, Focus, PersonFrame)
