"""`armillary show`: a robot's joints, ranges, mass and tree; `--plot` draws it."""

import argparse
from math import isfinite, pi
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armillary.interfaces.cli.arguments import add_json, add_source, source_options
from armillary.interfaces.cli.new import folder_name
from armillary.interfaces.cli.terminal import bold, colour, print_json, progress, progress_done, table

if TYPE_CHECKING:
    from armillary.description import Joint, Problem, Reading, Robot

__all__ = ["add_parser", "home_of", "run"]

_EXAMPLES = """\
examples:
  armillary show cobot6
  armillary show my_robot.urdf --plot
  armillary show arm.urdf.xacro --arg prefix:=left_ --json
  armillary show tiago --plot tiago.png --at arm_2_joint=0.5
"""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "show", help="a robot's joints, ranges, mass and tree", description=__doc__, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    add_source(parser)
    parser.add_argument(
        "--plot", nargs="?", const="", default=None, metavar="FILE",
        help="draw the robot (PNG, SVG or PDF; ROBOT.png where no file is named)",
    )  # fmt: skip
    parser.add_argument(
        "--at", action="append", default=[], metavar="JOINT=VALUE", type=_position,
        help="a joint's position in the picture [rad or m] (repeat for more)",
    )  # fmt: skip
    add_json(parser)
    parser.set_defaults(run=run)


def _position(text: str) -> tuple[str, float]:
    joint, separator, value = text.partition("=")
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not separator or not isfinite(number):
        raise argparse.ArgumentTypeError(f"'{text}' is not JOINT=VALUE")
    return joint, number


def run(options: argparse.Namespace) -> int:
    from armillary.description import read_source

    reading = read_source(options.source, **source_options(options))  # type: ignore[arg-type]
    robot = reading.unwrap()
    for name, _ in options.at:
        robot.joint(name)
    picture = _plot(robot, options) if options.plot is not None else None
    if options.json:
        print_json({**summary(robot), "warnings": len(grave_of(reading)), "plot": str(picture) if picture else None})
        return 0
    _print(robot, reading)
    if picture:
        print(f"\npicture: {picture}")
    return 0


def _plot(robot: "Robot", options: argparse.Namespace) -> Path:
    from armillary.interfaces.plots import draw_robot

    positions = dict(options.at)
    out = Path(options.plot or f"{folder_name(robot.name)}.png")
    if out.suffix.lower() not in (".png", ".svg", ".pdf", ".jpg", ".jpeg"):
        out = out.with_name(out.name + ".png")
    positions = {**home_of(options.source, robot), **positions}
    try:
        tips = tuple(tip for tip in robot.tips if "tool" in tip or "palm" in tip)[:2]
        return draw_robot(robot, out, positions=positions, frames=tips, progress=progress)
    finally:
        progress_done()


def home_of(source: str, robot: "Robot") -> dict[str, float]:
    """The home state of the robot's own cell, where it has one: zero is rarely how a robot stands."""
    from armillary.description import DescriptionError, open_cell
    from armillary.description.cell_fit import cell_file

    own = cell_file(source)
    if own is None:
        return {}
    try:
        cell = open_cell(own).cell
    except DescriptionError:
        return {}
    groups = {group.name: group.joints for group in cell.groups}
    known = {joint.name for joint in robot.joints}
    return {
        joint: value
        for state in cell.states
        if state.name.startswith("home")
        for joint, value in zip(groups[state.group], state.q, strict=True)
        if joint in known
    }


def summary(robot: "Robot") -> dict[str, Any]:
    """What `--json` prints of a robot."""
    return {
        "name": robot.name,
        "dof": robot.dof,
        "mass": robot.mass,
        "root": robot.root.name,
        "tips": list(robot.tips),
        "joints": [_joint(joint) for joint in robot.joints],
        "links": [
            {"name": link.name, "mass": link.inertial.mass if link.inertial else 0.0,
             "visuals": len(link.visuals), "collisions": len(link.collisions)}
            for link in robot.links
        ],
        "transmissions": len(robot.transmissions),
        "groups": {group.name: list(group.joints) for group in robot.semantics.groups},
        "states": {
            f"{state.group}/{state.name}": dict(state.positions) for state in robot.semantics.states
        },
        "disabled_collisions": len(robot.semantics.disabled_collisions),
    }  # fmt: skip


def _joint(joint: "Joint") -> dict[str, Any]:
    limits = joint.limits
    lower, upper = joint.range
    return {
        "name": joint.name, "type": joint.type.value, "parent": joint.parent, "child": joint.child,
        "xyz": list(joint.pose.xyz), "rpy": list(joint.pose.rpy), "axis": list(joint.axis),
        "lower": lower, "upper": upper,
        "velocity": limits.velocity if limits else None, "effort": limits.effort if limits else None,
        "mimic": None if joint.mimic is None else
        {"joint": joint.mimic.joint, "multiplier": joint.mimic.multiplier, "offset": joint.mimic.offset},
    }  # fmt: skip


def _print(robot: "Robot", reading: "Reading") -> None:
    fixed = sum(joint.type.dof == 0 for joint in robot.joints)
    mimics = len(robot.movable) - len(robot.independent)
    print(bold(robot.name))
    print(
        f"{robot.dof} degrees of freedom, {len(robot.links)} links, {len(robot.joints)} joints "
        f"({fixed} fixed, {mimics} mimic), {robot.mass:.3f} kg"
    )
    rows = [_row(joint) for joint in robot.movable]
    if rows:
        print()
        print(table(["joint", "type", "range", "", "speed", "effort", "follows"], rows, right=(2, 4, 5)))
    print()
    print(bold("tree"))
    _print_tree(robot)
    if robot.semantics.groups:
        print()
        rows = [[group.name, str(len(group.joints)), group.tip] for group in robot.semantics.groups]
        print(table(["group", "joints", "tip"], rows, right=(1,)))
    grave = grave_of(reading)
    if grave:
        print(colour(f"\n{len(grave)} warnings: armillary check {reading.file}", "yellow"))


def grave_of(reading: "Reading") -> list["Problem"]:
    """Problems that are more than notes."""
    return [problem for problem in reading.problems if problem.kind.severity.rank < 2]


def _row(joint: "Joint") -> list[str]:
    lower, upper = joint.range
    linear = joint.unit == "m"
    if not joint.type.is_single:
        spread = f"{joint.type.dof} directions"
        degrees = ""
    elif not isfinite(lower) or not isfinite(upper):
        spread, degrees = "without end", ""
    else:
        spread = f"{lower:.3f} to {upper:.3f} {joint.unit}"
        degrees = "" if linear else f"{lower * 180 / pi:.0f} to {upper * 180 / pi:.0f}°"
    limits = joint.limits
    speed = f"{limits.velocity:g} {joint.unit}/s" if limits and limits.velocity else "-"
    effort = f"{limits.effort:g} {'N' if linear else 'N m'}" if limits and limits.effort else "-"
    follows = ""
    if joint.mimic is not None:
        follows = f"{joint.mimic.joint} × {joint.mimic.multiplier:g}" + (
            f" + {joint.mimic.offset:g}" if joint.mimic.offset else ""
        )
    return [joint.name, joint.type.value, spread, degrees, speed, effort, follows]


def _print_tree(robot: "Robot") -> None:
    last: list[bool] = []
    for link, depth in robot.walk():
        above = robot.parent_joints.get(link.name)
        del last[max(depth - 1, 0) :]
        if above is None:
            print(f"{link.name}{_mass(robot, link.name)}")
            continue
        siblings = robot.child_joints[above.parent]
        last.append(siblings[-1].name == above.name)
        lead = "".join("   " if end else "│  " for end in last[:-1]) + ("└─ " if last[-1] else "├─ ")
        how = "" if above.type.dof == 0 else colour(f"  {above.name} ({above.type.value})", "blue")
        print(f"{lead}{link.name}{_mass(robot, link.name)}{how}")


def _mass(robot: "Robot", name: str) -> str:
    inertial = robot.link(name).inertial
    return colour(f"  {inertial.mass:g} kg", "dim") if inertial and inertial.mass else ""
