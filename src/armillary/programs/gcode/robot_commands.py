"""From canonical commands of a machine tool to those of a robot.

The machine's X, Y, Z are those of a frame in the cell, A, B and C the tool's orientation there: R = Rz(C) Ry(B) Rx(A). Straight
moves go straight, and A, B and C go evenly on the way, as on the machine; a feed is the tool's speed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import radians
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.programs import commands as robot
from armillary.programs.commands import Command, SourceLine, Three
from armillary.programs.errors import BadProgram
from armillary.programs.gcode import canon
from armillary.programs.gcode.canon import Canon, MotionControl, Position
from armillary.programs.surroundings import Surroundings
from armillary.spatial import inverse, rpy_from_rotation

__all__ = ["RobotCommands", "RobotSettings", "start_position"]

Array = NDArray[np.float64]
_ZERO: Position = (0.0,) * 9
_SAME = 1e-9  # mm or degrees
_CORNER = 1.0  # m/s^2 by which a corner is rounded where a program gives no tolerance, as a machine's following does
_RAPID_BLEND = 0.01  # m, of rapid moves in continuous mode without a tolerance
_LEAST_BLEND = 2e-4  # m


@dataclass(frozen=True)
class RobotSettings:
    """How a machine tool's program is meant on a robot.

    Attributes:
        frame: In which X, Y, Z, A, B, C are given; "" for what the arm stands on.
        spindle: The output that M3 and M4 set, and M5 clears; None for none. spindle_speed: Likewise the analogue one for S.
        mist, flood: The outputs of M7 and M8; None for none.
        axes: Letters (A, B, C, U, V, W) that are joints of their own, such as a turntable, and not the tool's orientation.
    """

    frame: str = ""
    spindle: int | None = None
    spindle_speed: int | None = None
    mist: int | None = None
    flood: int | None = None
    axes: tuple[tuple[str, str], ...] = ()


def start_position(around: Surroundings, settings: RobotSettings) -> Position:
    """Where a robot's tool is as a machine's position [mm], [degrees]; zero where that is not known."""
    if around.start is None:
        return _ZERO
    T = inverse(_frame(around, settings)) @ around.start
    found = [*(1e3 * T[:3, 3]).tolist(), *np.degrees(rpy_from_rotation(T[:3, :3])).tolist(), 0.0, 0.0, 0.0]
    for letter, joint in settings.axes:
        value = dict(zip(around.joints, around.q, strict=False)).get(joint, 0.0)
        found["XYZABCUVW".index(letter)] = value / _unit(around, joint)
    return tuple(found)


def _unit(around: Surroundings, joint: str) -> float:
    """Of a joint that is an axis [rad or m]: a degree, or a millimetre.

    Raises:
        BadProgram: There is no such joint.
    """
    if around.joints and joint not in around.joints:
        raise BadProgram(f"the joint '{joint}' of the G-code's axes is not there; known: {', '.join(around.joints)}")
    slides = around.joints and around.slides and around.slides[around.joints.index(joint)]
    return 1e-3 if slides else radians(1.0)


def _frame(around: Surroundings, settings: RobotSettings) -> Array:
    if not settings.frame:
        return np.eye(4)
    if settings.frame not in around.frames:
        known = ", ".join(around.frames) or "none"
        raise BadProgram(f"the frame '{settings.frame}' of the G-code is not there; known: {known}")
    return around.frames[settings.frame]


@dataclass
class RobotCommands:
    """Turns canonical commands into those of a robot, one by one. Remembers the modes that canonical commands set.

    Attributes:
        around: The robot's surroundings.
    """

    around: Surroundings = field(default_factory=Surroundings)
    settings: RobotSettings = field(default_factory=RobotSettings)

    def __post_init__(self) -> None:
        T = _frame(self.around, self.settings)
        whole = (*T[:3, 3].tolist(), *rpy_from_rotation(T[:3, :3]))
        self._where: dict[str, Any] = {"frame": whole} if np.abs(T - np.eye(4)).max() > 1e-12 else {}
        self._machine = start_position(self.around, self.settings)
        self._upright = _orientation(self.around, T)
        self._axes = [("XYZABCUVW".index(letter), joint, _unit(self.around, joint)) for letter, joint in self.settings.axes]
        self._g5x, self._g92, self._tool, self._rotation = _ZERO, _ZERO, _ZERO, 0.0
        self._feed, self._speed = 0.0, 0.0
        self._mode, self._tolerance = MotionControl.CONTINUOUS, 0.0
        self._begun = False

    def be_at(self, around: Surroundings) -> None:
        """The robot stands elsewhere now: what comes goes on from there."""
        self.around, self._machine, self._begun = around, start_position(around, self.settings), True

    def of(self, stream: Iterator[Canon]) -> Iterator[Command]:
        """The robot's commands for canonical ones, as they come."""
        for each in stream:
            make = _MAKE.get(type(each))
            if make is not None:
                yield from make(self, each)

    # Positions.

    def _machine_of(self, position: Position) -> Position:
        """A position of the program where the machine has it."""
        x, y, z, *rest = (value + offset for value, offset in zip(position, self._g92, strict=True))
        if self._rotation:
            c, s = np.cos(np.radians(self._rotation)), np.sin(np.radians(self._rotation))
            x, y = c * x - s * y, s * x + c * y
        return tuple(value + origin + tool for value, origin, tool in zip((x, y, z, *rest), self._g5x, self._tool, strict=True))

    # Moves.

    def _straight(self, each: Any) -> Iterator[Command]:
        end, begin = self._machine_of(each.position), self._machine
        if max(abs(a - b) for a, b in zip(end, begin, strict=True)) < _SAME:
            return
        self._machine = end
        rapid = isinstance(each, canon.StraightTraverse)
        first, self._begun = not self._begun, True
        if first and rapid:
            # Where the robot stands has nothing to do with the program: it goes there by its joints.
            yield robot.MovePose(
                xyz=_point(end), rpy=self._angles(end), source=each.source, extra=self._extra(end, begin), **self._where
            )
            return
        turns = self._angles(end) != self._angles(begin)
        far = max(abs(a - b) for a, b in zip(end[:3], begin[:3], strict=True)) > _SAME
        # A feed of degrees a minute, where nothing but angles moves; 0.3 m count as a radian along paths of the tool.
        speed = None if rapid else self._feed / 60e3 if far else 0.3 * float(np.radians(self._feed / 60.0))
        yield robot.MoveLine(
            xyz=_point(end), rpy=self._angles(end), rpy_from=self._angles(begin) if turns else None, speed=speed,
            source=each.source, extra=self._extra(end, begin), **self._corner(speed), **self._where,
        )  # fmt: skip

    def _angles(self, machine: Position) -> Three:
        """The tool's roll, pitch and yaw; a letter that is a joint of its own leaves its angle as it was."""
        values = [radians(machine[3]), radians(machine[4]), radians(machine[5])]
        for index, _, _ in self._axes:
            if 3 <= index < 6:
                values[index - 3] = self._upright[index - 3]
        return values[0], values[1], values[2]

    def _extra(self, machine: Position, before: Position) -> tuple[tuple[str, float], ...]:
        """Where joints of their own go; none where all stay."""
        if all(abs(machine[index] - before[index]) < _SAME for index, _, _ in self._axes):
            return ()
        return tuple((joint, machine[index] * unit) for index, joint, unit in self._axes)

    def _arc(self, each: canon.ArcFeed) -> Iterator[Command]:
        first, second, normal = each.plane.value
        end, begin, before = self._machine_of(each.position), self._machine, self._program_of(self._machine)
        self._machine, self._begun = end, True
        centre = [0.0] * 9
        centre[first], centre[second], centre[normal] = each.centre[0], each.centre[1], before[normal]
        away = [(p[first] - each.centre[0], p[second] - each.centre[1]) for p in (before, each.position)]
        angles = [float(np.arctan2(y, x)) for x, y in away]
        angle = (angles[1] - angles[0]) % (2.0 * np.pi)
        if each.turns > 0:
            angle = (angle if angle > 1e-7 else 2.0 * np.pi) + 2.0 * np.pi * (each.turns - 1)
        else:
            angle = (angle - 2.0 * np.pi if angle < 2.0 * np.pi - 1e-7 else -2.0 * np.pi) + 2.0 * np.pi * (each.turns + 1)
        axis = np.zeros(3)
        axis[normal] = 1.0
        if self._rotation:
            c, s = np.cos(np.radians(self._rotation)), np.sin(np.radians(self._rotation))
            axis[:2] = c * axis[0] - s * axis[1], s * axis[0] + c * axis[1]
        speed = self._feed / 60e3
        turns = self._angles(end) != self._angles(begin)
        yield robot.MoveCircle(
            centre=_point(self._machine_of(tuple(centre))), axis=_three(axis), angle=angle, xyz=_point(end),
            rpy=self._angles(end), rpy_from=self._angles(begin) if turns else None, speed=speed, source=each.source,
            extra=self._extra(end, begin), **self._corner(speed), **self._where,
        )  # fmt: skip

    def _program_of(self, machine: Position) -> Position:
        """The other way round from `_machine_of`."""
        x, y, z, *rest = (value - origin - tool for value, origin, tool in zip(machine, self._g5x, self._tool, strict=True))
        if self._rotation:
            c, s = np.cos(np.radians(self._rotation)), np.sin(np.radians(self._rotation))
            x, y = c * x + s * y, c * y - s * x
        return tuple(value - offset for value, offset in zip((x, y, z, *rest), self._g92, strict=True))

    def _corner(self, speed: float | None) -> dict[str, Any]:
        """How the end of a move is taken."""
        if self._mode != MotionControl.CONTINUOUS:
            return {}
        if self._tolerance > 0.0:
            return {"tolerance": 1e-3 * self._tolerance}
        return {"blend": _RAPID_BLEND if speed is None else max(speed**2 / (2.0 * _CORNER), _LEAST_BLEND)}

    # Modes.

    def _set_feed(self, each: canon.SetFeedRate) -> Iterator[Command]:
        self._feed = each.feed
        yield from ()

    def _set_control(self, each: canon.SetMotionControl) -> Iterator[Command]:
        self._mode, self._tolerance = each.mode, each.tolerance
        yield from ()

    def _set_offset(self, each: Any) -> Iterator[Command]:
        if isinstance(each, canon.SetG5xOffset):
            self._g5x = each.offset
        elif isinstance(each, canon.SetG92Offset):
            self._g92 = each.offset
        else:
            self._tool = each.offset
        yield from ()

    def _set_rotation(self, each: canon.SetXyRotation) -> Iterator[Command]:
        self._rotation = each.angle
        yield from ()

    # Inputs, outputs, and what people do.

    def _output(self, index: int | None, value: bool | float, source: SourceLine) -> Iterator[Command]:
        if index is not None:
            yield robot.SetOutput(index=index, value=value, source=source)

    def _spindle(self, each: Any) -> Iterator[Command]:
        on = isinstance(each, canon.StartSpindle)
        if on and self.settings.spindle is None and self.settings.spindle_speed is None:
            yield robot.Say(
                text=f"{each.source}: the cell names no output for the spindle ([gcode] in cell.toml)", source=each.source
            )
        yield from self._output(self.settings.spindle_speed, self._speed if on else 0.0, each.source)
        yield from self._output(self.settings.spindle, on, each.source)

    def _spindle_speed(self, each: canon.SetSpindleSpeed) -> Iterator[Command]:
        self._speed = each.speed
        yield from self._output(self.settings.spindle_speed, each.speed, each.source)

    def _switch(self, each: canon.Switch) -> Iterator[Command]:
        yield from self._output({"MIST": self.settings.mist, "FLOOD": self.settings.flood}.get(each.what), each.on, each.source)

    def _set(self, each: Any) -> Iterator[Command]:
        value = each.on if isinstance(each, canon.SetDigitalOutput) else each.value
        yield robot.SetOutput(index=each.index, value=value, with_motion=each.with_motion, source=each.source)

    def _wait(self, each: canon.WaitInput) -> Iterator[Command]:
        condition = ("now", "rise", "fall", "high", "low")[each.mode]
        timeout = None if each.mode == 0 else each.timeout
        yield robot.WaitInput(
            index=each.index, analog=each.analog, condition=condition, timeout=timeout, required=False, source=each.source
        )

    def _change(self, each: canon.ChangeTool) -> Iterator[Command]:
        yield robot.Say(text=f"put tool {each.tool} on, then let the program go on", source=each.source)
        yield robot.Pause(source=each.source)


def _point(machine: Position) -> Three:
    return 1e-3 * machine[0], 1e-3 * machine[1], 1e-3 * machine[2]


def _orientation(around: Surroundings, T_base_frame: Array) -> Three:
    """How the tool is turned where the program begins."""
    if around.start is None:
        return 0.0, 0.0, 0.0
    return rpy_from_rotation(T_base_frame[:3, :3].T @ around.start[:3, :3])


def _three(values: Any) -> Three:
    return float(values[0]), float(values[1]), float(values[2])


_MAKE: dict[type[Canon], Callable[[RobotCommands, Any], Iterator[Command]]] = {
    canon.StraightTraverse: RobotCommands._straight,
    canon.StraightFeed: RobotCommands._straight,
    canon.ArcFeed: RobotCommands._arc,
    canon.SetFeedRate: RobotCommands._set_feed,
    canon.SetMotionControl: RobotCommands._set_control,
    canon.SetG5xOffset: RobotCommands._set_offset,
    canon.SetG92Offset: RobotCommands._set_offset,
    canon.UseToolLengthOffset: RobotCommands._set_offset,
    canon.SetXyRotation: RobotCommands._set_rotation,
    canon.StartSpindle: RobotCommands._spindle,
    canon.StopSpindle: RobotCommands._spindle,
    canon.SetSpindleSpeed: RobotCommands._spindle_speed,
    canon.Switch: RobotCommands._switch,
    canon.SetDigitalOutput: RobotCommands._set,
    canon.SetAnalogOutput: RobotCommands._set,
    canon.WaitInput: RobotCommands._wait,
    canon.ChangeTool: RobotCommands._change,
    canon.Dwell: lambda _, each: iter([robot.Dwell(seconds=each.seconds, source=each.source)]),
    canon.Message: lambda _, each: iter([robot.Say(text=each.text, source=each.source)]),
    canon.Print: lambda _, each: iter([robot.Say(text=each.text, source=each.source)]),
    canon.Log: lambda _, each: iter([robot.Say(text=each.text, source=each.source)]),
    canon.ProgramStop: lambda _, each: iter([robot.Pause(optional=each.optional, source=each.source)]),
    canon.ProgramEnd: lambda _, each: iter([robot.End(source=each.source)]),
    canon.Finish: lambda _, each: iter([robot.End(source=each.source)]),
}
