"""How far a PMAC's spline leaves the trajectory it is made for, at the tool: `python -m armillary.drivers.pmac_deviation`."""

import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from armillary.drivers.pmac_points import PointStream
from armillary.model import Model, frame_pose_batch, load_model
from armillary.motion import Trajectory, plan_joints, plan_spline
from armillary.protocols.pmac_spline import spline_positions
from armillary.solvers import solve_ik

__all__ = ["main", "paper_2_moves", "points_of", "tool_deviation"]

Array = NDArray[np.float64]
_FINE = 25  # times in a segment at which both are compared
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
    points = points_of(trajectory, segment, lead=lead)
    times = np.linspace(0.0, segment * (len(points) + 1), _FINE * (len(points) + 1) + 1)
    played = spline_positions(points, segment, times)
    wanted = trajectory.sample(np.clip(times - lead * segment, 0.0, trajectory.duration))[:, 0]
    apart = frame_pose_batch(model, played, model.tip)[:, :3, 3] - frame_pose_batch(model, wanted, model.tip)[:, :3, 3]
    return float(np.linalg.norm(apart, axis=1).max())


def paper_2_moves(model: Model, profile: str, duration: float) -> dict[str, Trajectory]:
    """Paper 2's two moves, on its industrial robot.

    Args:
        profile: Of the planner's; "s-curve" for its jerk-limited one of the least time, slowed down as a whole. The planner's own
            "jerk" keeps full jerk for any duration: ramps that are shorter than a segment, and a slow way between them.
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
    print("| profile | move | 20 s | 2 s |\n|---|---|---|---|")
    for profile in ("s-curve", "jerk", "quintic", "lspb"):
        rows = [paper_2_moves(model, profile, duration) for duration in (20.0, 2.0)]
        for move in rows[0]:
            cells = (f"{1e3 * tool_deviation(model, row[move]):.5f}" for row in rows)
            print(f"| {profile} | {move} | {' | '.join(cells)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
