"""Paper 4's claim measured: how far the tool leaves an arc when waypoints every 500 ms are refined in several ways."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.description import read_robot
from armillary.model import Model, build_model, frame_pose_batch
from armillary.motion.joint_path import JointPath
from armillary.motion.refine import refine
from armillary.motion.resolve import resolve
from armillary.motion.tool_path import arc_about
from armillary.motion.trajectory import Trajectory, quintic_through

__all__ = ["METHODS", "ArcStudy", "arc_robot", "study_arc"]

Array = NDArray[np.float64]
METHODS = ("linear", "backward", "central", "spline", "exact", "knots added")
START = np.array([0.1, -0.5, 0.2, -2.0, 0.3, 1.8, 0.4])
RADIUS, WAYPOINT = 0.15, 0.5  # m, s
_CLOSE = 2e-7  # m: knots are added until the tool is within this


@dataclass(frozen=True, eq=False)
class ArcStudy:
    """Deviations from the arc, by method.

    Attributes:
        duration: Of the motion [s].
        times: Shape (N,) [s].
        deviation: Distance of the tool from the arc, by method, shape (N,) [m].
        knots: How many waypoints each method has.
    """

    duration: float
    times: Array
    deviation: dict[str, Array]
    knots: dict[str, int]


def arc_robot() -> Model:
    """The Panda of the extra `robots`, seven joints, tip at its hand."""
    return build_model(read_robot("panda"), joints=[f"panda_joint{i}" for i in range(1, 8)], tip="panda_hand_tcp")


def study_arc(model: Model, duration: float, *, start: Array = START) -> ArcStudy:
    """A quarter arc of radius 0.15 m in the y-z plane, orientation kept, by a quintic law of time."""
    from armillary.model import frame_pose

    T = frame_pose(model, start, model.tip)
    centre = T[:3, 3] - np.array([0.0, 0.0, RADIUS])
    path = resolve(model, arc_about(T, centre, (1.0, 0.0, 0.0), -np.pi / 2), start, tolerance=1e-9).parts[0]
    times = np.linspace(0.0, duration, max(2000, int(1000 * duration)) + 1)
    waypoints = np.linspace(0.0, duration, round(duration / WAYPOINT) + 1)
    q = states(path, duration, waypoints)
    motions: dict[str, Array] = {"linear": np.column_stack([np.interp(times, waypoints, q[0][:, j]) for j in range(model.n)])}
    knots = {"linear": len(waypoints)}
    refined: dict[str, Trajectory] = {
        estimate: refine(model.joints, waypoints, q[0], estimate=estimate) for estimate in ("backward", "central", "spline")
    }
    refined["exact"] = refine(model.joints, waypoints, q[0], estimate="exact", v=q[1], a=q[2])
    refined["knots added"] = _with_knots(model, path, duration, waypoints, centre)
    for name, trajectory in refined.items():
        motions[name] = trajectory.sample(times)[:, 0]
        knots[name] = len(trajectory.durations) + 1
    deviation = {name: off_the_arc(model, Q, centre) for name, Q in motions.items()}
    return ArcStudy(duration, times, deviation, knots)


def states(path: JointPath, duration: float, times: Array) -> tuple[Array, Array, Array]:
    """Positions, velocities and accelerations on the path by the law s = L (10 u^3 - 15 u^4 + 6 u^5), u = t / T."""
    u = times / duration
    s = path.length * (10 * u**3 - 15 * u**4 + 6 * u**5)
    ds = path.length * 30 * (u**2 - 2 * u**3 + u**4) / duration
    dds = path.length * 60 * (u - 3 * u**2 + 2 * u**3) / duration**2
    at = path.sample(np.clip(s, 0.0, path.length))
    return at[:, 0], at[:, 1] * ds[:, None], at[:, 1] * dds[:, None] + at[:, 2] * (ds**2)[:, None]


def _with_knots(model: Model, path: JointPath, duration: float, times: Array, centre: Array) -> Trajectory:
    """Exact derivatives, with knots added between waypoints where the tool would leave the arc."""
    while True:
        q, v, a = states(path, duration, times)
        trajectory = quintic_through(model.joints, times, q, v, a)
        inner = np.concatenate([times[:-1] + share * np.diff(times) for share in (0.25, 0.5, 0.75)])
        off = off_the_arc(model, trajectory.sample(inner)[:, 0], centre).reshape(3, -1).max(axis=0)
        rough = off > _CLOSE
        if not rough.any() or len(times) > 2000:
            return trajectory
        times = np.sort(np.concatenate([times, 0.5 * (times[:-1] + times[1:])[rough]]))


def off_the_arc(model: Model, Q: Array, centre: Array) -> Array:
    """Distance of the tool from the arc at configurations (N, n) [m]. Shape (N,)."""
    gap = frame_pose_batch(model, np.ascontiguousarray(Q), model.tip)[:, :3, 3] - centre
    return np.asarray(np.hypot(np.hypot(gap[:, 1], gap[:, 2]) - RADIUS, gap[:, 0]))
