"""`armillary plan`: a motion from one place to another, timed and proven, with a plot."""

import argparse
import re
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armillary.interfaces.cli.arguments import add_json, add_source, picture_file
from armillary.interfaces.cli.configuration import (
    BadNumbers,
    cell_of,
    home_configuration,
    model_of,
    numbers_of,
    values_of,
)
from armillary.interfaces.cli.terminal import bold, colour, print_json, progress, progress_done

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from armillary.model import Model
    from armillary.motion import Plan

__all__ = ["add_parser", "run"]

_EXAMPLES = """\
examples:
  armillary plan cobot6 --to zero --plot move.png
  armillary plan cobot6 --pose "0.3 -0.4 0.2 3.14 0 0" --line --feed 0.25 --plot line.png
  armillary plan cobot6 --pose "300 -400 200 180 0 0" --mm --deg --arc "400 -100 250"
  armillary plan cobot6 --to "-1.8 1.83 -2.18 -1.92 -1.57 0" --avoid world.toml --seed 3
  armillary plan industrial6 --to "0.5 0.2 0.1 0 0.3 0" --profile lspb --duration 20 --json

--from and --to are joint values or the name of a state of the cell; --pose is of the tool, in the link that the arm stands on.
Exit status 1: it cannot be moved, and why is said.
"""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "plan", help="a motion, timed and proven", description=__doc__, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    add_source(parser)
    parser.add_argument("--group", metavar="NAME", help="only the joints of this group of the cell")
    parser.add_argument("--from", dest="begin", metavar='"Q1 Q2 ..."', help="where it starts; home where left out")
    parser.add_argument("--to", dest="goal", metavar='"Q1 Q2 ..."', help="where it goes: joint values, or a state's name")
    parser.add_argument("--pose", metavar='"X Y Z R P Y"', help="where the tool goes instead")
    parser.add_argument("--line", action="store_true", help="straight with the tool")
    parser.add_argument("--arc", metavar='"X Y Z"', help="along an arc with the tool, through this point")
    parser.add_argument("--profile", default="jerk", metavar="NAME", help="jerk (default), quintic, lspb or time_optimal")
    parser.add_argument("--duration", type=float, metavar="SECONDS", help="in all; the least where left out")
    parser.add_argument("--feed", type=float, metavar="M/S", help="the tool's speed at most, for --line and --arc")
    parser.add_argument("--speed", type=float, default=1.0, metavar="SHARE", help="share of the joints' speeds (1)")
    parser.add_argument("--avoid", type=Path, metavar="WORLD", help="a world.toml to plan around")
    parser.add_argument("--no-collision", action="store_true", help="leave collisions out of the proof, which then says so")
    parser.add_argument("--planner", default="RRTConnect", metavar="NAME", help="RRTConnect, RRTstar or InformedRRTstar")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of what is random in --avoid (0)")
    parser.add_argument("--mm", action="store_true", help="lengths of --pose and --arc in mm")
    parser.add_argument("--deg", action="store_true", help="angles in degrees")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw it: positions to jerks with limits, the tool's way")
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from armillary.motion import limits_of

    if options.plot is not None:
        picture_file(options.plot)
    if options.feed is not None and not 0.0 < options.feed < inf:
        raise BadNumbers(f"a feed of {options.feed:g} m/s is none; give a speed above zero")
    model = model_of(options)
    limits = limits_of(model)
    if options.speed != 1.0:
        limits = limits.scaled(velocity=options.speed)
    try:
        plan = _planned(options, model)
    finally:
        progress_done()
    picture = None
    if options.plot is not None:
        from armillary.interfaces.plots.motion_plot import draw_motion

        picture = draw_motion(plan, model, limits, options.plot, title=f"{model.spec.robot.name}: {plan.trajectory.profile}")
    if options.json:
        print_json(_as_json(plan, model, picture))
    else:
        _print(plan, model, picture)
    return 0 if plan else 1


def _planned(options: argparse.Namespace, model: "Model") -> "Plan":
    import numpy as np

    from armillary.motion import (
        Bounds,
        arc_through,
        bounds_of,
        limits_of,
        line,
        plan_around,
        plan_joints,
        plan_to_pose,
        plan_tool,
        tool_pose,
    )

    if (options.goal is None) == (options.pose is None):
        raise BadNumbers("give where to go: --to (joint values or a state) or --pose (of the tool), one of the two")
    limits = limits_of(model).scaled(velocity=options.speed) if options.speed != 1.0 else limits_of(model)
    begin = _configuration(options, options.begin, model, "--from")
    scene = _scene(options, model)
    base = model.reference
    along = options.line or options.arc is not None
    if options.pose is not None:
        T = _pose(options)
        goal = None
    else:
        goal = _configuration(options, options.goal, model, "--to")
        T = tool_pose(model, goal, base=base)
    cell = cell_of(options.source)
    bounds = replace(bounds_of(cell, model) if cell is not None else Bounds(), scene=scene)
    if along:
        start = tool_pose(model, begin, base=base)
        if options.arc is not None:
            via = np.array(numbers_of(options.arc, "--arc")) * (1e-3 if options.mm else 1.0)
            if via.shape != (3,):
                raise BadNumbers(f"--arc has {len(via)} numbers; give x y z of a point on the arc")
            path = arc_through(start, via, T)
        else:
            path = line(start, T)
        return plan_tool(
            model,
            begin,
            _in_world(path, model, begin, base),
            feed=options.feed,
            duration=options.duration,
            limits=limits,
            bounds=bounds,
        )
    more: Any = {"limits": limits, "bounds": bounds}
    if options.avoid is not None:
        progress("planning around what stands in the way")
        if goal is not None:
            return plan_around(model, begin, goal, scene, planner=options.planner, seed=options.seed, **more)
        return plan_to_pose(model, begin, T, base=base, scene=scene, seed=options.seed, **more)
    if goal is not None:
        return plan_joints(model, begin, goal, profile=options.profile, duration=options.duration, **more)
    return plan_to_pose(model, begin, T, base=base, profile=options.profile, duration=options.duration, **more)


def _in_world(path: Any, model: "Model", q: "NDArray[np.float64]", base: str) -> Any:
    """A path that is given in the arm's base, in the world: so that its deviation is checked there."""
    if not base:
        return path
    from armillary.model import frame_pose
    from armillary.motion.tool_path import moved

    return moved(path, frame_pose(model, q, base))


def _configuration(options: argparse.Namespace, text: str | None, model: "Model", what: str) -> "NDArray[np.float64]":
    if text is None:
        return home_configuration(options.source, model)
    try:
        numbers_of(text, what)
    except BadNumbers:
        if re.search(r"\d|nan|inf", text) is None:  # no number in it: a name
            return _state(options, text.strip(), model, what)
    return values_of(text, model, options.deg, what)


def _state(options: argparse.Namespace, name: str, model: "Model", what: str) -> "NDArray[np.float64]":
    cell = cell_of(options.source)
    states = cell.states if cell is not None else ()
    groups = {group.name: group for group in cell.groups} if cell is not None else {}
    for state in states:
        if state.name == name:
            q = model.zero()
            for joint, value in zip(groups[state.group].joints, state.q, strict=True):
                if joint in model.joints:
                    q[model.column(joint)] = value
            return q
    known = ", ".join(state.name for state in states) or "none"
    raise BadNumbers(f"{what}: there is no state '{name}' in the cell; there are: {known}. Or give {model.n} joint values")


def _pose(options: argparse.Namespace) -> "NDArray[np.float64]":
    import numpy as np

    from armillary.spatial import transform_from_xyz_rpy

    numbers = numbers_of(options.pose, "--pose")
    if len(numbers) != 6:
        raise BadNumbers(f"--pose has {len(numbers)} numbers; give x y z roll pitch yaw")
    xyz = np.array(numbers[:3]) * (1e-3 if options.mm else 1.0)
    rpy = np.array(numbers[3:]) * (np.pi / 180 if options.deg else 1.0)
    return transform_from_xyz_rpy(xyz, rpy)


def _scene(options: argparse.Namespace, model: "Model") -> Any:
    """The robot, its cell's world and the one to avoid; None where collisions are left out."""
    from armillary.description import read_world
    from armillary.motion import scene_of

    if options.no_collision:
        if options.avoid is not None:
            raise BadNumbers("--avoid and --no-collision contradict each other: give one of the two")
        return None
    world = read_world(options.avoid) if options.avoid is not None else None
    scene = scene_of(cell_of(options.source), model, progress=progress)
    for obstacle in world.obstacles if world is not None else ():
        scene.add(obstacle.name, obstacle.shape, obstacle.pose.matrix)
    return scene


def _as_json(plan: "Plan", model: "Model", picture: Path | None) -> dict[str, Any]:
    trajectory, certificate = plan.trajectory, plan.certificate
    return {
        "robot": model.spec.robot.name, "joints": list(trajectory.joints), "proven": bool(plan), "profile": trajectory.profile,
        "duration": trajectory.duration, "continuity": trajectory.continuity, "segments": len(trajectory.durations),
        "start": trajectory.start.q.tolist(), "goal": trajectory.end.q.tolist(),
        "durations": trajectory.durations.tolist(), "coefficients": trajectory.coefficients.tolist(),
        "checked": list(certificate.checked), "use": dict(certificate.use), "clearance": certificate.clearance,
        "violations": [
            {"kind": v.kind, "where": v.where, "time": v.time, "value": v.value, "limit": v.limit, "text": str(v)}
            for v in certificate.violations
        ],
        "digest": trajectory.digest, "bound_to": certificate.bound_to, "seconds": plan.seconds, "notes": list(plan.notes),
        "plot": None if picture is None else str(picture),
    }  # fmt: skip


def _print(plan: "Plan", model: "Model", picture: Path | None) -> None:
    trajectory, certificate = plan.trajectory, plan.certificate
    verdict = colour("proven", "green") if plan else colour("not proven", "red")
    how = f"{trajectory.profile}, {len(trajectory.durations)} segments, planned in {plan.seconds * 1e3:.0f} ms"
    print(f"{bold(model.spec.robot.name)}: {bold(f'{trajectory.duration:.3f} s')} {verdict} ({how})")
    for violation in certificate.violations:
        print(colour(f"  {violation}", "red"))
    for name, share in certificate.use.items():
        print(f"  {name:<18} {100 * share:5.1f} % of its limit at most")
    if certificate.clearance is not None:
        print(f"  nearest            {certificate.clearance * 1e3:.1f} mm between any two parts")
    print(f"  checked            {', '.join(certificate.checked)}")
    for note in (*plan.notes, *trajectory.notes):
        print(colour(f"  {note}", "yellow"))
    if picture is not None:
        print(f"  plot               {picture}")
