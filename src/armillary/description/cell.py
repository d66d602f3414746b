"""What a cell is made of: one robot with its tool, frames, limits, motor side and world; read from cell.toml."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from armillary.description.geometry import Pose, Shape
from armillary.description.inertia import Moments
from armillary.description.limits import LimitOverride
from armillary.description.settings import Settings

__all__ = [
    "Actuation",
    "CellDescription",
    "DriverChoice",
    "Frame",
    "GroupChoice",
    "OneWayCoupling",
    "Payload",
    "Plane",
    "RobotSource",
    "StateChoice",
    "StationChoice",
    "Tool",
    "Workspace",
    "WorldObject",
]


@dataclass(frozen=True, kw_only=True)
class RobotSource:
    """Where the robot's description is."""

    file: Path = Path()  # a description
    name: str = ""  # or the name of a known robot
    args: tuple[tuple[str, str], ...] = ()  # xacro arguments
    packages: tuple[tuple[str, Path], ...] = ()
    srdf: Path | None = None


@dataclass(frozen=True, kw_only=True)
class GroupChoice:
    """Joints that are moved together, and the link that is led."""

    name: str
    joints: tuple[str, ...]
    base: str = ""  # link; "" is the robot's root
    tip: str = ""  # link; "" for joints without a tool (a hand)


@dataclass(frozen=True, kw_only=True)
class StateChoice:
    """A configuration with a name, for one group."""

    name: str
    group: str
    q: tuple[float, ...]  # [rad or m], in the group's order


@dataclass(frozen=True, kw_only=True)
class Payload:
    """A mass carried at the tool."""

    mass: float = 0.0  # [kg]
    com: tuple[float, float, float] = (0.0, 0.0, 0.0)  # in the frame it is fixed to [m]
    inertia: Moments | None = None  # ixx, ixy, ixz, iyy, iyz, izz about the com [kg m^2]; None: a point


@dataclass(frozen=True, kw_only=True)
class Tool:
    """What is bolted to the tip."""

    name: str = "flange"
    pose: Pose = field(default_factory=Pose)  # T_tip_tool
    mass: Payload = field(default_factory=Payload)  # in the tip's frame


@dataclass(frozen=True, kw_only=True)
class Frame:
    """A user frame."""

    name: str
    parent: str  # "world", "base", a link, or another frame
    pose: Pose  # T_parent_frame


@dataclass(frozen=True, kw_only=True)
class OneWayCoupling:
    """One actuator that moves several joints and cannot be moved by them (tendons, underactuated hands)."""

    actuator: str
    joints: tuple[str, ...]
    ratios: tuple[float, ...]  # joint per actuator unit
    offsets: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Actuation:
    """a = K Ja q + a0: how motor counts follow from joint positions."""

    joints: tuple[str, ...]
    coupling: tuple[tuple[float, ...], ...]  # Ja, (n, n)
    counts_per_unit: tuple[float, ...]  # K's diagonal: counts per rad or m
    zero: tuple[float, ...]  # a0 [counts]
    motor_speed: tuple[float, ...] | None = None  # of each motor at most [counts/s]
    motor_acceleration: tuple[float, ...] | None = None  # [counts/s^2]
    one_way: tuple[OneWayCoupling, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Plane:
    """A half space that the tool may not leave."""

    point: tuple[float, float, float]  # [m, world]
    normal: tuple[float, float, float]  # points to the allowed side


@dataclass(frozen=True, kw_only=True)
class Workspace:
    """Where the tool may be, and how fast it may go."""

    box_min: tuple[float, float, float] | None = None  # [m, world]
    box_max: tuple[float, float, float] | None = None  # [m, world]
    planes: tuple[Plane, ...] = ()
    tool_speed: float | None = None  # [m/s]


@dataclass(frozen=True, kw_only=True)
class DriverChoice:
    """The motor side, by name, and what it is told."""

    name: str = "physics"
    options: tuple[tuple[str, Any], ...] = ()  # checked by the driver, which alone knows them


@dataclass(frozen=True, kw_only=True)
class StationChoice:
    """How the cell is run."""

    rate: float = 1000.0  # ticks a second [Hz]
    goes_on: bool = False  # motion goes on when the front is silent; it stops on the path otherwise
    recordings: Path | None = None  # the folder that runs are recorded into
    outputs_off_on_fault: bool = False  # a fault sets all outputs to zero; they stay as they are otherwise


@dataclass(frozen=True, kw_only=True)
class WorldObject:
    """Something that stands in the cell."""

    name: str
    shape: Shape
    pose: Pose  # T_world_object


@dataclass(frozen=True, kw_only=True)
class CellDescription:
    """What a cell.toml says."""

    file: str
    name: str
    robot: RobotSource
    groups: tuple[GroupChoice, ...] = ()
    states: tuple[StateChoice, ...] = ()
    tool: Tool = field(default_factory=Tool)
    payload: Payload = field(default_factory=Payload)
    base: Pose = field(default_factory=Pose)  # T_world_root
    frames: tuple[Frame, ...] = ()
    limits: tuple[LimitOverride, ...] = ()
    actuation: Actuation | None = None
    workspace: Workspace = field(default_factory=Workspace)
    driver: DriverChoice = field(default_factory=DriverChoice)
    station: StationChoice = field(default_factory=StationChoice)
    twin: tuple[tuple[str, Any], ...] = ()  # checked by the twin, which alone knows it
    gcode: tuple[tuple[str, Any], ...] = ()  # how a machine tool's program is meant on this robot
    world: tuple[WorldObject, ...] = ()
    ignored_pairs: tuple[tuple[str, str], ...] = ()  # need no collision check
    checked_pairs: tuple[tuple[str, str], ...] = ()  # are checked whatever sampling found
    # The table that was read, to point at its lines when something does not fit the robot.
    settings: Settings | None = field(default=None, compare=False, repr=False)
