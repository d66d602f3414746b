"""Whether a cell fits its robot: every name it uses is there, and no limit is wider than the robot's."""

from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

import numpy as np

from armillary.description.cell import CellDescription
from armillary.description.cell_reader import read_cell
from armillary.description.dh import is_dh
from armillary.description.errors import DescriptionError, InvalidCell
from armillary.description.limits import JointLimits, joint_limits, note_defaults
from armillary.description.problem import Problem
from armillary.description.robot import Joint, JointType, Robot, nearest_first
from armillary.description.settings import read_toml
from armillary.description.source import find_source, read_cell_robot

__all__ = ["DRIVERS", "MAX_CONDITION", "FittedCell", "cell_file", "fit_cell", "open_cell", "own_cell"]

# Motor sides that Armillary knows by name; other packages add theirs as entry points.
DRIVERS = ("physics", "ideal", "pmac", "servo_frame", "canopen", "linuxcnc", "ros")
MAX_CONDITION = 1e6  # of a coupling matrix; real linkages have under 10


@dataclass(frozen=True)
class FittedCell:
    """A cell whose every name is known, with its robot and its joints' whole limits."""

    cell: CellDescription
    robot: Robot
    limits: tuple[JointLimits, ...]
    problems: tuple[Problem, ...] = ()  # what the robot's description had, and which limits are defaults


def own_cell(description: Path) -> Path | None:
    """The cell.toml that lies beside a description and is about it, or None."""
    path = description.parent / "cell.toml"
    if description.suffix == ".toml" or not path.is_file():
        return None
    try:
        file = read_cell(path).robot.file
    except DescriptionError:
        return None
    return path if file.is_file() and file.samefile(description) else None


def cell_file(source: str | Path) -> Path | None:
    """The cell.toml that a source is, or that lies beside it and is about it; None where it has none, as a DH table."""
    path = find_source(source)
    if path.suffix.lower() == ".toml":
        return None if is_dh(read_toml(path)) else path
    return own_cell(path)


def open_cell(source: str | Path) -> FittedCell:
    """The cell of a cell.toml, or of a bundled robot's name.

    Raises:
        InvalidCell: The file cannot be taken, or does not fit the robot.
        InvalidRobot: The robot's description has errors.
    """
    path = find_source(source)
    if path.suffix != ".toml":
        path = own_cell(path) or path.parent / "cell.toml"
    cell = read_cell(path)
    reading = read_cell_robot(cell)
    return fit_cell(cell, reading.unwrap(), reading.problems)


def fit_cell(cell: CellDescription, robot: Robot, problems: tuple[Problem, ...] = ()) -> FittedCell:
    """Check a cell against its robot.

    Raises:
        InvalidCell: A name that the robot does not have, or a limit wider than the robot's.
    """
    limits = joint_limits(robot, cell.limits)
    _Fit(cell, robot, limits).check()
    return FittedCell(cell, robot, limits, (*problems, *note_defaults(limits, cell.file)))


class _Fit:
    def __init__(self, cell: CellDescription, robot: Robot, limits: tuple[JointLimits, ...]) -> None:
        self.cell, self.robot = cell, robot
        self.limits = {limit.joint: limit for limit in limits}
        self.links = [link.name for link in robot.links]
        self.commanded = {joint.name: joint for joint in robot.independent if joint.type.is_single}

    def check(self) -> None:
        self._groups()
        self._states()
        self._frames()
        for override in self.cell.limits:
            joint = self._joint(override.joint, "limits", override.joint)
            self._units(joint, "limits", override.joint)
            self._inside(joint, "lower", override.lower)
            self._inside(joint, "upper", override.upper)
            for name in ("velocity", "effort"):
                self._not_above(joint, name, getattr(override, name))
        self._actuation()
        self._driver()
        for thing in self.cell.world:
            if thing.name in self.links:
                raise self._error(f"the robot has a link '{thing.name}'", "give the object another name", "world", "name")
        for first, second in self.cell.checked_pairs:
            for link in (first, second):
                self._known(link, self.links, "link", "collision", "check")
        for first, second in self.cell.ignored_pairs:
            for link in (first, second):
                self._known(link, [*self.links, *(thing.name for thing in self.cell.world)], "link", "collision", "ignore")

    def _error(self, what: str, remedy: str, *path: str) -> InvalidCell:
        settings = self.cell.settings
        line = None
        if settings is not None:
            for depth in range(len(path), 0, -1):
                table = type(settings)(settings.file, settings.text, {}, path[: depth - 1])
                line = line or table.line(path[depth - 1])
        return InvalidCell(self.cell.file, line, f"{'.'.join(path)}: {what}", remedy)

    def _known(self, name: str, known: list[str], kind: str, *path: str) -> None:
        if name not in known:
            near = ", ".join(nearest_first(name, known)[:5])
            raise self._error(f"{self.robot.name} has no {kind} '{name}'", f"nearest first, it has: {near}", *path)

    def _joint(self, name: str, *path: str) -> Joint:
        if name not in self.commanded and name in {joint.name for joint in self.robot.joints}:
            joint = self.robot.joint(name)
            kind = f"it mimics '{joint.mimic.joint}'" if joint.mimic else f"it is {joint.type.value}"
            raise self._error(f"joint '{name}' cannot be commanded: {kind}", "name a joint that moves by itself", *path)
        self._known(name, list(self.commanded), "joint", *path)
        return self.commanded[name]

    def _groups(self) -> None:
        for group in self.cell.groups:
            for joint in group.joints:
                self._joint(joint, "groups", group.name, "joints")
            for end, link in (("base", group.base), ("tip", group.tip)):
                if link:
                    self._known(link, self.links, "link", "groups", group.name, end)
            if group.base:
                below = {joint.name for joint in self.robot.path_from_root(group.base)}
                for joint in group.joints:
                    if joint in below:
                        what = f"joint '{joint}' lies before the base '{group.base}'"
                        raise self._error(what, "name a base that does not move with the group", "groups", group.name, "base")
            if group.tip:
                above = {joint.name for joint in self.robot.path_from_root(group.tip)}
                above |= {joint for _, joint in dict(self.cell.gcode).get("axes", ())}  # a turntable beside the arm
                for joint in group.joints:
                    if joint not in above:
                        what = f"joint '{joint}' does not move the tip '{group.tip}'"
                        raise self._error(what, "name joints above the tip, or another tip", "groups", group.name, "tip")

    def _states(self) -> None:
        groups = {group.name: group for group in self.cell.groups}
        for state in self.cell.states:
            self._known(state.group, list(groups), "group", "states", state.name, "group")
            joints = groups[state.group].joints
            for name in joints:
                self._units(self.commanded[name], "states", state.name)
            if len(state.q) != len(joints):
                what = f"{len(state.q)} values for the {len(joints)} joints of '{state.group}'"
                raise self._error(what, "write one value a joint", "states", state.name, "q")
            for name, value in zip(joints, state.q, strict=True):
                lower, upper = self.limits[name].lower, self.limits[name].upper
                if not lower - 1e-9 <= value <= upper + 1e-9:
                    what = f"{name} at {value:.4g} is outside {lower:.4g} to {upper:.4g}"
                    raise self._error(what, "choose a value inside", "states", state.name, "q")

    def _frames(self) -> None:
        names = [frame.name for frame in self.cell.frames]
        parents = {frame.name: frame.parent for frame in self.cell.frames}
        for frame in self.cell.frames:
            if frame.name in self.links or frame.name in ("world", "base", "tool"):
                raise self._error("a link or a fixed frame has this name", "choose another", "frames", frame.name)
            self._known(frame.parent, ["world", "base", *names, *self.links], "frame", "frames", frame.name, "parent")
            seen = [frame.name]
            while parents.get(seen[-1]) in parents:
                seen.append(parents[seen[-1]])
                if seen[-1] in seen[:-1]:
                    raise self._error(f"a ring: {' > '.join(seen)}", "let one stand in base", "frames", frame.name)

    def _units(self, joint: Joint, *path: str) -> None:
        """Degrees for a joint that slides, or millimetres for one that turns, are a mistake."""
        table = self.cell.settings.table if self.cell.settings else {}
        for key in path:
            table = table.get(key, {})
        wrong = "_deg" if joint.type is JointType.PRISMATIC else "_mm"
        for key in table:
            if key.endswith(wrong):
                what = f"'{joint.name}' is {joint.type.value} and is not measured in {wrong[1:]}"
                raise self._error(what, "use rad, m, or the other unit", *path, key)

    def _driver(self) -> None:
        name = self.cell.driver.name
        others = [entry.name for entry in entry_points(group="armillary.drivers")]
        if name not in DRIVERS and name not in others:
            near = ", ".join(nearest_first(name, [*DRIVERS, *others])[:4])
            raise self._error(f"there is no driver '{name}'", f"nearest first, there are: {near}", "driver", "name")

    def _inside(self, joint: Joint, name: str, value: float | None) -> None:
        lower, upper = joint.range
        if value is not None and not lower - 1e-9 <= value <= upper + 1e-9:
            what = f"{value:.6g} is outside the robot's own {lower:.6g} to {upper:.6g}"
            raise self._error(what, "a cell narrows limits; to widen them, change the robot's file", "limits", joint.name, name)

    def _not_above(self, joint: Joint, name: str, value: float | None) -> None:
        own = getattr(joint.limits, name, None)
        if value is not None and own is not None and value > own * (1 + 1e-9):
            what = f"{value:.6g} is above the robot's own {own:.6g}"
            raise self._error(what, "a cell narrows limits; to widen them, change the robot's file", "limits", joint.name, name)

    def _actuation(self) -> None:
        actuation = self.cell.actuation
        if actuation is None:
            return
        for joint in actuation.joints:
            self._joint(joint, "actuation", "joints")
        if actuation.joints:
            condition = float(np.linalg.cond(np.array(actuation.coupling)))
            if not condition <= MAX_CONDITION:
                what = f"its condition number is {condition:.3g}: joint positions cannot be told from motor positions"
                raise self._error(what, "mend the rows (one of zeros? two alike?)", "actuation", "coupling")
        movable = [joint.name for joint in self.robot.movable]
        for coupling in actuation.one_way:
            for name in coupling.joints:
                self._known(name, movable, "movable joint", "actuation", "one_way", coupling.actuator, "joints")
