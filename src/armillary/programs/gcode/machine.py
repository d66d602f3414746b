"""The modal state of a program: position, offsets, tool and modes. Lengths in mm, angles in degrees."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from armillary.programs.gcode.canon import MotionControl, Plane, Position
from armillary.programs.gcode.codes import LARGEST
from armillary.programs.gcode.errors import LineFault
from armillary.programs.gcode.parameters import G92_OFFSET, Parameters, system_parameter

__all__ = ["Machine", "MachineSettings", "Modes", "Tool", "offset_index"]

_LINEAR = (0, 1, 2, 6, 7, 8)
_ZERO = (0.0,) * 9


def offset_index(index: int) -> bool:
    """Whether an axis is a length (and not an angle)."""
    return index in _LINEAR


@dataclass(frozen=True)
class Tool:
    """A tool of the table. offset (9,) and diameter in the machine's units."""

    pocket: int
    offset: tuple[float, ...] = _ZERO
    diameter: float = 0.0


@dataclass(frozen=True, kw_only=True)
class MachineSettings:
    """What a program must know of its machine.

    Attributes:
        axes: The letters that programs may use.
        position: Where it starts (9,), in mm and degrees, in machine coordinates.
        tools: By number.
        tool: The number of the one in the spindle; 0 for none.
        unit: One unit of the tool table and of the parameters that hold offsets [mm]: 1 or 25.4.
        block_delete: Whether lines that begin with / are left out.
        plain_subroutines: Whether there are subroutines of M98 and M99 (LinuxCNC's DISABLE_FANUC_STYLE_SUB = 0).
        search_path: Where subroutines in files of their own are looked for.
    """

    axes: str = "XYZABC"
    position: tuple[float, ...] = _ZERO
    tools: Mapping[int, Tool] = field(default_factory=dict)
    tool: int = 0
    unit: float = 1.0
    block_delete: bool = False
    plain_subroutines: bool = True
    search_path: tuple[Path, ...] = ()


@dataclass
class Modes:
    """What stays in force from line to line, and what M70 saves and M72 brings back."""

    unit: float = 1.0  # mm of one length unit of the program
    motion: int = 800
    plane: Plane = Plane.XY
    absolute: bool = True
    arc_absolute: bool = False
    inverse_time: bool = False
    retract_to_start: bool = False  # G98; LinuxCNC starts with G99
    feed: float = 0.0  # in the program's units
    speed: float = 0.0
    surface_limit: float = 0.0
    spindle: int = 5  # the M code
    mist: bool = False
    flood: bool = False
    feed_override: bool = True
    speed_override: bool = True
    adaptive_feed: bool = False
    feed_hold: bool = True
    control: MotionControl = MotionControl.CONTINUOUS
    tolerance: float = 0.0
    cam_tolerance: float = 0.0
    system: int = 1


class Machine:
    """The state of one run."""

    def __init__(self, settings: MachineSettings, parameters: Parameters) -> None:
        self.settings, self.parameters, self.modes = settings, parameters, Modes()
        self.tools = dict(settings.tools)
        self.tool, self.selected, self.line = settings.tool, 0, 0
        self.result, self.result_given, self.call_level = 0.0, False, 0
        self.tool_offset = [0.0] * 9
        self.g92 = self.load(G92_OFFSET) if parameters.numbers[5210] else [0.0] * 9
        self.modes.system = int(parameters.numbers[5220]) if 1 <= parameters.numbers[5220] <= 9 else 1
        self.read_system()
        self.cycle_start: float | None = None
        self.sticky: dict[str, float] = {}
        self.position: Position = self.to_program(settings.position)
        self.stamp = 0  # another one whenever modes may have changed
        self.program_end = False
        self._answer()

    def load(self, first: int) -> list[float]:
        """Nine parameters from one on, as mm and degrees.

        Raises:
            LineFault: One of them cannot be an offset.
        """
        scale, numbers = self.settings.unit, self.parameters.numbers
        for number in range(first, first + 10):
            if not abs(numbers[number]) < LARGEST:
                raise LineFault(f"the offset in #{number} is {numbers[number]:g}", f"expected less than {LARGEST:g}")
        return [numbers[first + i] * (scale if offset_index(i) else 1.0) for i in range(9)]

    def store(self, first: int, values: list[float]) -> None:
        """The reverse of load."""
        scale = self.settings.unit
        self.parameters.numbers[first : first + 9] = [v / scale if offset_index(i) else v for i, v in enumerate(values)]

    def read_system(self) -> None:
        """Take origin and rotation of the coordinate system in force from its parameters."""
        first = system_parameter(self.modes.system)
        self.origin, self.angle = self.load(first), self.parameters.numbers[first + 9]
        self.parameters.numbers[5220] = float(self.modes.system)

    def to_machine(self, position: Sequence[float]) -> list[float]:
        """Machine coordinates of a position in the program's."""
        inner = [value + offset for value, offset in zip(position, self.g92, strict=True)]
        inner[:2] = turned(inner[0], inner[1], self.angle)
        return [v + o + t for v, o, t in zip(inner, self.origin, self.tool_offset, strict=True)]

    def to_program(self, position: Sequence[float]) -> Position:
        """The reverse of to_machine."""
        inner = [v - o - t for v, o, t in zip(position, self.origin, self.tool_offset, strict=True)]
        inner[:2] = turned(inner[0], inner[1], -self.angle)
        return tuple(value - offset for value, offset in zip(inner, self.g92, strict=True))

    def scale(self, index: int) -> float:
        """What a word of an axis counts [mm or degrees]."""
        return self.modes.unit if offset_index(index) else 1.0

    def _answer(self) -> None:
        live, answers = self.parameters.live, self.parameters.answers
        for i, letter in enumerate("xyzabcuvw"):
            live[5420 + i] = answers[f"_{letter}"] = partial(self._coordinate, i)
            answers[f"_abs_{letter}"] = partial(self._machine_coordinate, i)
            live[5401 + i] = partial(self._tool_table_offset, i)
        live[5400] = answers["_current_tool"] = lambda: float(self.tool)
        live[5410] = lambda: self._spindle_tool().diameter
        answers["_current_pocket"] = lambda: float(self._spindle_tool().pocket)
        answers["_selected_tool"] = lambda: float(self.selected)
        answers["_selected_pocket"] = lambda: float(self.tools[self.selected].pocket if self.selected in self.tools else -1)
        answers["_line"] = lambda: float(self.line)
        answers["_value"] = lambda: self.result
        answers["_value_returned"] = lambda: float(self.result_given)
        answers["_call_level"] = lambda: float(self.call_level)
        self._answer_modes()

    def _answer_modes(self) -> None:
        modes, answers = self.modes, self.parameters.answers
        fixed = {"_vmajor": 2.9, "_vminor": 0.0, "_ccomp": 400.0, "_units_per_rev": 0.0, "_lathe_diameter_mode": 0.0,
                 "_lathe_radius_mode": 0.0, "_remap_level": 0.0, "_task": 0.0}  # fmt: skip
        for name, value in fixed.items():
            answers[name] = partial(float, value)
        planes = {Plane.XY: 170.0, Plane.XZ: 180.0, Plane.YZ: 190.0}
        systems = (540.0, 550.0, 560.0, 570.0, 580.0, 590.0, 591.0, 592.0, 593.0)
        answers.update(
            _motion_mode=lambda: float(modes.motion),
            _plane=lambda: planes[modes.plane],
            _metric=lambda: float(modes.unit == 1.0),
            _imperial=lambda: float(modes.unit != 1.0),
            _absolute=lambda: float(modes.absolute),
            _incremental=lambda: float(not modes.absolute),
            _inverse_time=lambda: float(modes.inverse_time),
            _units_per_minute=lambda: float(not modes.inverse_time),
            _coord_system=lambda: systems[modes.system - 1],
            _tool_offset=lambda: float(any(self.tool_offset)),
            _retract_r_plane=lambda: float(not modes.retract_to_start),
            _retract_old_z=lambda: float(modes.retract_to_start),
            _spindle_rpm_mode=lambda: float(modes.surface_limit == 0.0),
            _spindle_css_mode=lambda: float(modes.surface_limit != 0.0),
            _ijk_absolute_mode=lambda: float(modes.arc_absolute),
            _spindle_on=lambda: float(modes.spindle != 5),
            _spindle_cw=lambda: float(modes.spindle == 3),
            _mist=lambda: float(modes.mist),
            _flood=lambda: float(modes.flood),
            _speed_override=lambda: float(modes.speed_override),
            _feed_override=lambda: float(modes.feed_override),
            _adaptive_feed=lambda: float(modes.adaptive_feed),
            _feed_hold=lambda: float(modes.feed_hold),
            _feed=lambda: modes.feed,
            _rpm=lambda: modes.speed,
        )

    def _coordinate(self, index: int) -> float:
        return self.position[index] / self.scale(index)

    def _machine_coordinate(self, index: int) -> float:
        return self.to_machine(self.position)[index] / self.scale(index)

    def _tool_table_offset(self, index: int) -> float:
        return self._spindle_tool().offset[index]

    def _spindle_tool(self) -> Tool:
        return self.tools.get(self.tool, Tool(0))


def turned(x: float, y: float, degrees: float) -> list[float]:
    """A point turned about z."""
    if degrees == 0.0:
        return [x, y]
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return [x * cosine - y * sine, x * sine + y * cosine]
