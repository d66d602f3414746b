"""cell.toml, typed and strict. docs/cell.md explains every key. `armillary new` writes a first one for any robot."""

from math import pi
from pathlib import Path
from typing import Any

from armillary.description.cell import (
    Actuation,
    CellDescription,
    DriverChoice,
    Frame,
    GroupChoice,
    OneWayCoupling,
    Payload,
    Plane,
    RobotSource,
    StateChoice,
    StationChoice,
    Tool,
    Workspace,
    WorldObject,
)
from armillary.description.geometry import Box, Capsule, Cylinder, Mesh, Pose, Shape, Sphere
from armillary.description.inertia import Moments, breaks_triangle_rule, is_positive_definite
from armillary.description.limits import LimitOverride
from armillary.description.packages import MESH_SUFFIXES
from armillary.description.settings import Settings, read_toml

__all__ = ["read_cell"]

VERSION = 1


def read_cell(path: Path) -> CellDescription:
    """A cell from its file. Names are not yet checked against the robot: see `cell_fit.open_cell`.

    Raises:
        InvalidCell: Something in it cannot be taken; says the line, the key, the nearest known one.
    """
    top = read_toml(path)
    if not top.has("version"):
        raise top.error("version", "it is missing", f"write version = {VERSION} on the first line")
    version = top.take("version")
    if version != VERSION or isinstance(version, bool):
        raise top.error("version", f"{version!r} is not known here", f"this release reads version {VERSION}")
    cell = CellDescription(
        file=str(path),
        name=top.string("name", path.parent.name or "cell"),
        robot=_robot(top, path.parent),
        groups=top.named("groups", _group),
        states=top.named("states", _state),
        tool=_tool(top),
        payload=_payload(top.table_at("payload")),
        base=_pose_at(top, "base"),
        frames=top.named("frames", _frame),
        limits=top.named("limits", _limit),
        actuation=_actuation(top),
        workspace=_workspace(top),
        driver=_driver(top),
        station=_station(top, path.parent),
        twin=_twin(top),
        gcode=_gcode(top),
        world=_world(top, path.parent),
        ignored_pairs=_pairs(top, "ignore"),
        checked_pairs=_pairs(top, "check"),
        settings=top,
    )
    top.finish()
    return cell


def _robot(top: Settings, folder: Path) -> RobotSource:
    table = top.table_at("robot")
    if table is None:
        raise top.error("robot", "it is missing", 'write [robot] with file = "..." or name = "..."')
    table.expect("file", "name", "args", "packages", "srdf")
    file, name = table.string("file"), table.string("name")
    if bool(file) == bool(name):
        raise table.error("file", "exactly one of file and name is needed", 'write file = "my.urdf"')
    srdf = table.string("srdf")
    source = RobotSource(
        file=folder / file,
        name=name,
        args=_string_table(table, "args"),
        packages=tuple((key, folder / value) for key, value in _string_table(table, "packages")),
        srdf=folder / srdf if srdf else None,
    )
    table.finish()
    return source


def _string_table(settings: Settings, key: str) -> tuple[tuple[str, str], ...]:
    table = settings.table_at(key)
    if table is None:
        return ()
    return tuple((name, _plain(table, name)) for name in table.table)


def _plain(table: Settings, key: str) -> str:
    value = table.take(key)
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str | int | float):
        raise table.error(key, f"{value!r} is neither text nor a number", "write a plain value")
    return str(value)


def _group(name: str, table: Settings) -> GroupChoice:
    table.expect("joints", "base", "tip")
    joints = table.strings("joints")
    if not joints:
        raise table.error("joints", "there are none", 'write joints = ["...", "..."]')
    if len(set(joints)) != len(joints):
        raise table.error("joints", "a joint stands twice", "name each once")
    return GroupChoice(name=name, joints=joints, base=table.string("base"), tip=table.string("tip"))


def _state(name: str, table: Settings) -> StateChoice:
    table.expect("group", "q")
    q = table.numbers("q", units=("", "_deg"))
    if q is None:
        raise table.error("q", "it is missing", "write q = [...], one value a joint of the group")
    return StateChoice(name=name, group=table.string("group"), q=q)


def _tool(top: Settings) -> Tool:
    table = top.table_at("tool")
    if table is None:
        return Tool()
    tool = Tool(name=table.string("name", "tool"), pose=_pose(table), mass=_mass(table))
    table.finish()
    return tool


def _payload(table: Settings | None) -> Payload:
    if table is None:
        return Payload()
    payload = _mass(table)
    table.finish()
    return payload


def _mass(table: Settings) -> Payload:
    mass = table.number("mass", 0.0, least=0.0)
    if not mass and table.has("inertia"):
        raise table.error("inertia", "it has no mass", "write mass too")
    com = _three(table.vector("com", 3, (0.0, 0.0, 0.0), units=("", "_mm")))
    six = table.vector("inertia", 6)
    inertia: Moments | None = None
    if six is not None:
        inertia = (six[0], six[1], six[2], six[3], six[4], six[5])
        if not is_positive_definite(inertia) or breaks_triangle_rule(inertia):
            raise table.error("inertia", "no body has these moments", "write ixx, ixy, ixz, iyy, iyz, izz at the com")
    return Payload(mass=mass or 0.0, com=com, inertia=inertia)


def _pose_at(top: Settings, key: str) -> Pose:
    table = top.table_at(key)
    if table is None:
        return Pose()
    pose = _pose(table)
    table.finish()
    return pose


def _pose(table: Settings) -> Pose:
    xyz = table.vector("xyz", 3, (0.0, 0.0, 0.0), units=("", "_mm"))
    rpy = table.vector("rpy", 3, (0.0, 0.0, 0.0), units=("", "_deg"))
    return Pose(_three(xyz), _three(rpy))


def _three(values: tuple[float, ...] | None) -> tuple[float, float, float]:
    assert values is not None
    return (values[0], values[1], values[2])


def _frame(name: str, table: Settings) -> Frame:
    return Frame(name=name, parent=table.string("parent", "base"), pose=_pose(table))


def _limit(joint: str, table: Settings) -> LimitOverride:
    angular = ("", "_deg", "_mm")
    override = LimitOverride(
        joint=joint,
        lower=table.number("lower", units=angular),
        upper=table.number("upper", units=angular),
        velocity=table.number("velocity", units=angular, above=0.0),
        acceleration=table.number("acceleration", units=angular, above=0.0),
        jerk=table.number("jerk", units=angular, above=0.0),
        effort=table.number("effort", above=0.0),
    )
    if override.lower is not None and override.upper is not None and override.lower > override.upper:
        raise table.error("lower", f"{override.lower:g} is above upper {override.upper:g}", "swap them")
    return override


def _actuation(top: Settings) -> Actuation | None:
    table = top.table_at("actuation")
    if table is None:
        return None
    table.expect(
        "joints", "coupling", "counts_per_deg", "counts_per_unit", "zero", "motor_speed", "motor_acceleration", "one_way"
    )
    joints = table.strings("joints")
    if len(set(joints)) != len(joints):
        raise table.error("joints", "a joint stands twice", "name each once")
    n = len(joints)
    identity = tuple(tuple(1.0 if i == j else 0.0 for j in range(n)) for i in range(n))
    coupling = table.matrix("coupling") or identity
    if len(coupling) != n:
        raise table.error("coupling", f"{len(coupling)} rows for {n} joints", "write one row and column a joint")
    # Counts per degree become counts per radian: the one unit that divides where others multiply.
    per_degree = table.numbers("counts_per_deg")
    per_unit = table.numbers("counts_per_unit")
    if per_degree is not None and per_unit is not None:
        raise table.error("counts_per_deg", "'counts_per_unit' says it already", "keep one of the two")
    if per_degree is not None:
        per_unit = tuple(value * 180.0 / pi for value in per_degree)
    counts = per_unit if per_unit is not None else (1.0,) * n
    zero = table.numbers("zero") or (0.0,) * n
    for key, values in (("counts_per_unit", counts), ("zero", zero)):
        if len(values) != n:
            raise table.error(key, f"{len(values)} values for {n} joints", "write one a joint")
    if any(value == 0 for value in counts):
        raise table.error("counts_per_unit", "a motor without counts moves nothing", "write counts per rad or m")
    most = {key: _most(table, key, n) for key in ("motor_speed", "motor_acceleration")}
    one_way = table.named("one_way", _one_way)
    table.finish()
    if not joints and not one_way:
        raise table.error("joints", "there are none", "name the joints that the motors drive")
    return Actuation(joints=joints, coupling=coupling, counts_per_unit=counts, zero=zero, one_way=one_way, **most)


def _most(table: Settings, key: str, n: int) -> tuple[float, ...] | None:
    """A limit of each motor, or None."""
    values = table.numbers(key)
    if values is not None and (len(values) != n or not all(value > 0.0 for value in values)):
        raise table.error(key, f"it is not {n} numbers above zero", "write counts/s (counts/s^2) at most, one a motor")
    return values


def _one_way(actuator: str, table: Settings) -> OneWayCoupling:
    joints = table.strings("joints")
    if not joints:
        raise table.error("joints", "there are none", "name the joints that this actuator moves")
    ratios = table.numbers("ratios") or (1.0,) * len(joints)
    offsets = table.numbers("offsets", units=("", "_deg", "_mm")) or (0.0,) * len(joints)
    for key, values in (("ratios", ratios), ("offsets", offsets)):
        if len(values) != len(joints):
            raise table.error(key, f"{len(values)} values for {len(joints)} joints", "write one a joint")
    return OneWayCoupling(actuator=actuator, joints=joints, ratios=ratios, offsets=offsets)


def _workspace(top: Settings) -> Workspace:
    table = top.table_at("workspace")
    if table is None:
        return Workspace()
    units = ("", "_mm")
    low, high = table.vector("box_min", 3, units=units), table.vector("box_max", 3, units=units)
    if (low is None) != (high is None):
        raise table.error("box_min", "box_min and box_max go together", "write both")
    if low is not None and high is not None and any(a >= b for a, b in zip(low, high, strict=True)):
        raise table.error("box_min", "it is not below box_max", "swap them")
    planes = []
    for plane in table.tables("planes"):
        normal = plane.vector("normal", 3, (0.0, 0.0, 1.0))
        point = plane.vector("point", 3, (0.0, 0.0, 0.0), units=units)
        plane.finish()
        length = sum(value * value for value in normal or ()) ** 0.5
        if not length > 1e-9:
            raise plane.error("normal", "it has length 0", "point it to the allowed side")
        unit = _three(tuple(value / length for value in normal or ()))
        planes.append(Plane(point=_three(point), normal=unit))
    workspace = Workspace(
        box_min=_three(low) if low else None,
        box_max=_three(high) if high else None,
        planes=tuple(planes),
        tool_speed=table.number("tool_speed", units=units, above=0.0),
    )
    table.finish()
    return workspace


def _driver(top: Settings) -> DriverChoice:
    table = top.table_at("driver")
    if table is None:
        return DriverChoice()
    name = table.string("name", "physics")
    options = table.table_at("options")
    table.finish()
    return DriverChoice(name=name, options=tuple(options.table.items()) if options else ())


def _station(top: Settings, folder: Path) -> StationChoice:
    table = top.table_at("station")
    if table is None:
        return StationChoice()
    rate = table.number("rate_hz", 1000.0, above=0.0)
    assert rate is not None
    if not 250.0 <= rate <= 1000.0:
        raise table.error("rate_hz", f"{rate:g} ticks a second are not possible", "write 250 to 1000")
    goes_on = table.choice("when_silent", ("stop", "go_on"), "stop") == "go_on"
    recordings = table.string("recordings")
    off = table.boolean("outputs_off_on_fault")
    table.finish()
    place = folder / recordings if recordings else None
    return StationChoice(rate=rate, goes_on=goes_on, recordings=place, outputs_off_on_fault=off)


def _twin(top: Settings) -> tuple[tuple[str, Any], ...]:
    table = top.table_at("twin")
    return tuple(table.table.items()) if table is not None else ()


def _gcode(top: Settings) -> tuple[tuple[str, Any], ...]:
    """The frame of its coordinates, and which outputs its spindle and coolant are."""
    table = top.table_at("gcode")
    if table is None:
        return ()
    found: list[tuple[str, Any]] = [("frame", table.string("frame"))]
    for name in ("spindle", "spindle_speed", "mist", "flood"):
        value = table.number(f"{name}_output", least=0.0)
        if value is not None and (value != int(value) or value > 63):
            raise table.error(f"{name}_output", f"{value:g} is the number of no output", "write 0 or a whole number above")
        if value is not None:
            found.append((name, int(value)))
    axes = table.table_at("axes")
    if axes is not None:
        axes.expect("A", "B", "C", "U", "V", "W")
        found.append(("axes", tuple((letter, axes.string(letter)) for letter in axes.table)))
        axes.finish()
    table.finish()
    return tuple(found)


def _world(top: Settings, folder: Path) -> tuple[WorldObject, ...]:
    objects: list[WorldObject] = []
    for table in top.tables("world"):
        name = table.string("name", f"object_{len(objects) + 1}")
        if any(thing.name == name for thing in objects):
            raise table.error("name", f"'{name}' stands twice", "give each object its own name")
        objects.append(WorldObject(name=name, shape=_shape(table, folder), pose=_pose(table)))
        table.finish()
    return tuple(objects)


def _shape(table: Settings, folder: Path) -> Shape:
    kind = table.choice("shape", ("box", "sphere", "cylinder", "capsule", "mesh"), "box")
    units = ("", "_mm")
    if kind == "mesh":
        file = table.string("file")
        if not (folder / file).is_file():
            raise table.error("file", f"'{file}' is not there", "name a mesh relative to this file")
        if (folder / file).suffix.lower() not in MESH_SUFFIXES:
            raise table.error("file", f"'{file}' is not a mesh", f"use one of {', '.join(sorted(MESH_SUFFIXES))}")
        scale = _three(table.vector("scale", 3, (1.0, 1.0, 1.0)))
        return Mesh(file, str(folder / file), scale)
    if kind == "box":
        size = table.vector("size", 3, units=units)
        if size is None or min(size) <= 0:
            raise table.error("size", "a box needs three edges above 0", "write size = [x, y, z]")
        return Box(_three(size))
    radius = table.number("radius", units=units, above=0.0)
    if radius is None:
        raise table.error("radius", f"a {kind} needs one", "write radius = ...")
    if kind == "sphere":
        return Sphere(radius)
    length = table.number("length", units=units, above=0.0)
    if length is None:
        raise table.error("length", f"a {kind} needs one", "write length = ...")
    return Cylinder(radius, length) if kind == "cylinder" else Capsule(radius, length)


def _pairs(top: Settings, key: str) -> tuple[tuple[str, str], ...]:
    table = top.table_at("collision")
    if table is None:
        return ()
    table.expect("ignore", "check")
    value = table.take(key)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(name, str) for name in pair) for pair in value
    ):
        raise table.error(key, "it is not a list of pairs of links", f'write {key} = [["a", "b"]]')
    return tuple((pair[0], pair[1]) for pair in value)
