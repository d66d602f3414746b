"""`armillary ik`: joint positions that put the tool on a pose, or what stands in the way."""

import argparse
from typing import TYPE_CHECKING, Any

from armillary.interfaces.cli.arguments import add_json
from armillary.interfaces.cli.configuration import (
    BadNumbers,
    add_base,
    add_configuration,
    add_frame,
    base_of,
    configuration_of,
    frame_of,
    in_units,
    model_of,
    numbers_of,
)
from armillary.interfaces.cli.terminal import bold, colour, print_json, progress, progress_done, table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from armillary.model import Model
    from armillary.solvers import Hold, IkResult

__all__ = ["add_parser", "run"]

_MOST = 24  # solutions shown to a person

_EXAMPLES = """\
examples:
  armillary ik cobot6 --pose "0.1 -0.45 -0.28 0.17 1.31 -1.31"
  armillary ik cobot6 --pose "100 -450 -280 10 75 -75" --mm --deg --all
  armillary ik industrial6 --pose "0 1174.4 1176 0 0 0" --mm --deg --choose central
  armillary ik inmoov --group right_arm --pose "0.49 -0.40 0.01 1.67 0.29 1.33" --hold axis=z
  armillary ik ur5 --pose "0.4 0.2 0.3" --json              three numbers hold the position only

The pose is x y z [m] and roll pitch yaw [rad], R = Rz Ry Rx, of --frame in --base. --q is where the robot is: the search
starts there and takes the nearest solution. JSON is in m and rad whatever the options.
Exit status 1: the pose cannot be reached, and why is said.
"""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "ik", help="joint positions for a pose of the tool", description=__doc__, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    add_configuration(parser)
    parser.add_argument("--pose", metavar='"X Y Z R P Y"', required=True, help="where the frame is to be [m, rad]")
    parser.add_argument("--mm", action="store_true", help="lengths of --pose in mm, and shown so")
    add_frame(parser)
    add_base(parser)
    parser.add_argument("--all", action="store_true", help="every solution that is known, with branch, room and full turns")
    parser.add_argument("--hold", metavar="WHAT", help="what counts: pose, position, axis=z, or some of x,y,z,rx,ry,rz")
    parser.add_argument(
        "--method", metavar="NAME", default="auto", help="closed_form, numeric, swarm, or another that is installed"
    )
    parser.add_argument("--choose", metavar="RULE", default="nearest", help="nearest (to --q), central, or manipulability")
    parser.add_argument("--branch", metavar="NAME", help='only this branch: "front, up, plain", or same (as --q)')
    parser.add_argument("--free", action="store_true", help="only solutions in which the robot does not hit itself")
    parser.add_argument("--budget", metavar="SECONDS", type=float, default=0.05, help="time at most (0.05)")
    parser.add_argument("--tolerance", metavar='"M RAD"', default="1e-5 1e-5", help="what counts as reached (1e-5 1e-5)")
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from armillary.model import Scene, frame_pose
    from armillary.solvers import needs_compiling, solve_ik, warm_up
    from armillary.spatial import inverse

    model = model_of(options)
    seed = configuration_of(options, model)
    frame, base = frame_of(options, model), base_of(options, model)
    T, hold = _pose(options)
    tolerance = numbers_of(options.tolerance, "--tolerance")
    if len(tolerance) != 2:
        raise BadNumbers(f"--tolerance has {len(tolerance)} numbers; give metres and radians")
    if not 0.0 < options.budget <= 3600.0:
        raise BadNumbers(f"--budget {options.budget} is no time; give seconds above zero")
    if needs_compiling():
        warm_up(progress)
        progress_done()
    here = frame_pose(model, seed, frame)
    here = inverse(frame_pose(model, seed, base)) @ here if base else here
    solve_ik(model, here, seed=seed, tip=frame, base=base, hold=hold, method=options.method)  # loaded: not part of the time
    result = solve_ik(
        model, T, seed=seed, tip=frame, base=base, hold=hold, method=options.method, choose=options.choose,
        branch=options.branch, scene=Scene(model) if options.free else None, tolerance=(tolerance[0], tolerance[1]),
        budget=options.budget, every=options.all,
    )  # fmt: skip
    if options.json:
        print_json(_as_json(result, model, frame, base))
    else:
        _print(result, model, frame, base or "the world", options)
    return 0 if result.reached else 1


def _print_joints(result: "IkResult", model: "Model", shown: "NDArray[np.float64]") -> None:
    """The joints that move the frame, by name where there are others too."""
    columns = result.chain.columns.tolist() if result.chain is not None else list(range(model.n))
    what = "q" if result.reached else "q there"
    if len(columns) == model.n and model.n <= 8:
        print(f"  {what:<11} " + " ".join(f"{value:10.5f}" for value in shown))
        return
    print(f"  {what}, of the joints that move it")
    for column in sorted(columns):
        print(f"    {model.joints[column]:<28} {shown[column]:10.5f}")


def _pose(options: argparse.Namespace) -> "tuple[NDArray[np.float64], Hold]":
    """The pose asked for, and what of it counts."""
    import numpy as np

    from armillary.solvers import Hold
    from armillary.spatial import transform_from_xyz_rpy

    numbers = numbers_of(options.pose, "--pose")
    if len(numbers) not in (3, 6):
        raise BadNumbers(
            f"--pose has {len(numbers)} numbers; give x y z roll pitch yaw, or x y z alone to hold the position only"
        )
    xyz = np.array(numbers[:3]) * (1e-3 if options.mm else 1.0)
    rpy = np.array(numbers[3:] or [0.0, 0.0, 0.0]) * (np.pi / 180 if options.deg else 1.0)
    hold = Hold.read(options.hold) if options.hold else (Hold.pose() if len(numbers) == 6 else Hold.position())
    return transform_from_xyz_rpy(xyz, rpy), hold


def _as_json(result: "IkResult", model: "Model", frame: str, base: str) -> dict[str, Any]:
    from armillary.spatial import rpy_from_rotation

    hindrance, nearest = result.hindrance, result.nearest
    return {
        "robot": model.spec.robot.name, "frame": frame, "base": base or "world", "joints": list(model.joints),
        "reached": result.reached, "q": result.q.tolist(),
        "error": {"m": result.error[0], "rad": result.error[1]},
        "method": result.method, "seconds": result.seconds, "iterations": result.iterations, "restarts": result.restarts,
        "complete": result.complete,
        "solutions": [
            {
                "q": solution.q.tolist(),
                "branch": vars(solution.branch) if solution.branch else None,
                "room_to_limit": solution.margin, "tightest_joint": solution.tightest,
                "turns": [list(values) for values in solution.turns],
            }
            for solution in result.solutions
        ],
        "hindrance": None if hindrance is None else {
            "kind": hindrance.kind, "text": hindrance.text, "amount": hindrance.amount, "joints": list(hindrance.joints),
        },
        "nearest": None if nearest is None else {
            "xyz": nearest[:3, 3].tolist(), "rpy": list(rpy_from_rotation(nearest[:3, :3])), "T": nearest.tolist(),
        },
        "notes": list(result.notes),
    }  # fmt: skip


def _print(result: "IkResult", model: "Model", frame: str, base: str, options: argparse.Namespace) -> None:
    import numpy as np

    from armillary.spatial import rpy_from_rotation

    metres, radians = result.error
    effort = f", {result.iterations} iterations" if result.iterations else ""
    if result.reached:
        how = f"by {result.method} in {result.seconds * 1e3:.2f} ms{effort}"
        print(f"{bold(frame)} in {bold(base)}: {colour('reached', 'green')} {how}")
    else:
        print(f"{bold(frame)} in {bold(base)}: {colour('not reached', 'red')}, {result.hindrance}")
    for note in result.notes:
        print(colour(f"  {note}", "yellow"))
    print(f"  left over   {metres * 1e3:.6f} mm, {np.rad2deg(radians):.6f} degrees")
    if result.nearest is not None:
        xyz = result.nearest[:3, 3] * (1e3 if options.mm else 1.0)
        rpy = np.array(rpy_from_rotation(result.nearest[:3, :3])) * (180 / np.pi if options.deg else 1.0)
        print("  nearest pose that can be reached")
        print("    xyz       " + " ".join(f"{value:12.6g}" for value in xyz) + (" mm" if options.mm else " m"))
        print("    rpy       " + " ".join(f"{value:12.6g}" for value in rpy) + (" degrees" if options.deg else " rad"))
    shown = in_units(result.q, model, options.deg)
    if not (options.all and result.reached):
        _print_joints(result, model, shown)
        if len(result.found) > 1:
            print(f"  one of {len(result.found)} solutions; --all shows them")
        return
    rows = []
    columns = sorted(result.chain.columns.tolist()) if result.chain is not None else list(range(model.n))
    for number, solution in enumerate(result.solutions[:_MOST]):
        values = in_units(solution.q, model, options.deg)
        rows.append([
            str(number + 1), *(f"{values[column]:.4f}" for column in columns), str(solution.branch or "-"),
            f"{solution.margin:.3g} ({solution.tightest})", str(solution.count),
        ])  # fmt: skip
    head = ["", *(model.joints[column] for column in columns), "branch", "room to limit [rad or m]", "turns"]
    print()
    print(table(head, rows, right=tuple(range(1, len(columns) + 1))))
    if len(result.solutions) > _MOST:
        print(f"and {len(result.solutions) - _MOST} more; --json has them")
    known = "all there are" if result.complete else "those that were found"
    print(f"\n{known}, full turns aside; the first is chosen ({options.choose})")
