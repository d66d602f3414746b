"""How far a PMAC's spline leaves the trajectory it is made for, at the tool: `python -m armillary.drivers.pmac_deviation`."""

import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from armillary.drivers.pmac_points import PointStream
from armillary.model import Model, frame_pose_batch, load_model
from armillary.motion import Trajectory, plan_joints, plan_spline
from armillary.protocols.pmac_spline import spline_positions
from armillary.solvers import solve_ik

__all__ = ["main", "paper_2_moves", "path_deviation", "points_of", "tool_deviation"]

Array = NDArray[np.float64]
_FINE = 25  # times in a segment at which both are compared
_PATH = 40_001  # points that a path is taken for: under 0.1 mm apart, so that 0.02 mm of distance are right to a few per cent
_HOME = np.radians([0.0, -20.0, 10.0, 0.0, -80.0, 0.0])  # industrial6's
_BETWEEN = np.radians([30.0, 15.0, 30.0, -15.0, 20.0, 15.0])  # the point of paper 2's P0002 that is not zero


def points_of(trajectory: Trajectory, segment: float, *, lead: int = 1) -> Array:
    """The start and the points that a driver sends for a trajectory, set-point by set-point, shape (k, n) [rad or m]."""
    count = int(np.ceil(trajectory.duration / segment - 1e-9))
    samples = trajectory.sample([segment * k for k in range(count + 1)])[:, 0]
    stream, points = PointStream(samples[0], lead=lead), [samples[0]]
    for sample in samples[1:]:
        points += stream.push(sample)
    return np.stack([*points, *stream.finish()])


def tool_deviation(model: Model, trajectory: Trajectory, segment: float = 0.05, *, lead: int = 1) -> float:
    """The most that the tool on the PMAC's curve is away from where the trajectory has it at the same time [m].

    Args:
        segment: Of the spline [s].
        lead: Segments of rest at each end of the curve.
    """
    times, played = _played(model, trajectory, segment, lead)
    wanted = _tool(model, trajectory.sample(np.clip(times - lead * segment, 0.0, trajectory.duration))[:, 0])
    return float(np.linalg.norm(played - wanted, axis=1).max())


def path_deviation(model: Model, trajectory: Trajectory, segment: float = 0.05, *, lead: int = 1) -> float:
    """The most that the tool on the PMAC's curve is away from the trajectory's path [m]; being early or late does not count."""
    _, played = _played(model, trajectory, segment, lead)
    path = _tool(model, trajectory.sample(np.linspace(0.0, trajectory.duration, _PATH))[:, 0])
    return float(cKDTree(path).query(played)[0].max())


def _played(model: Model, trajectory: Trajectory, segment: float, lead: int) -> tuple[Array, Array]:
    """Times, and where the tool is on the PMAC's curve then."""
    points = points_of(trajectory, segment, lead=lead)
    times = np.linspace(0.0, segment * (len(points) + 1), _FINE * (len(points) + 1) + 1)
    return times, _tool(model, spline_positions(points, segment, times))


def _tool(model: Model, q: Array) -> Array:
    return frame_pose_batch(model, q, model.tip)[:, :3, 3]


def paper_2_moves(model: Model, profile: str, duration: float) -> dict[str, Trajectory]:
    """Paper 2's two moves, on its industrial robot.

    Args:
        profile: Of the planner's; "s-curve" for its jerk-limited one of the least time, only slowed down as a whole. The
            planner's own "jerk" takes less jerk where there is time.
        duration: Of each [s].
    """
    T = np.eye(4)
    T[:3, 3] = 0.0, 1.1744, 1.176
    pose, zero = solve_ik(model, T, seed=_HOME).q, np.zeros(6)
    slowed = profile == "s-curve"
    law, lasting = ("jerk", None) if slowed else (profile, duration)
    moves = {
        "P0001, from home": plan_joints(model, _HOME, pose, profile=law, duration=lasting).trajectory,
        "P0002, spline": plan_spline(model, [zero, _BETWEEN, zero], profile=law, duration=lasting).trajectory,
    }
    return {name: move.slowed(duration / move.duration) if slowed else move for name, move in moves.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table of docs/pmac.md."""
    if arguments if arguments is not None else sys.argv[1:]:
        print("pmac_deviation takes no arguments", file=sys.stderr)
        return 2
    model = load_model("industrial6")
    print("| profile | move | 20 s | 2 s | 2 s, from the path |\n|---|---|---|---|---|")
    for profile in ("s-curve", "jerk", "quintic", "lspb"):
        rows = [paper_2_moves(model, profile, duration) for duration in (20.0, 2.0)]
        for move in rows[0]:
            off = [tool_deviation(model, row[move]) for row in rows] + [path_deviation(model, rows[1][move])]
            print(f"| {profile} | {move} | {' | '.join(f'{1e3 * each:.5f}' for each in off)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
