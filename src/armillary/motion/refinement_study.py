"""Paper 4's claim measured: how far the tool leaves an arc or a line when waypoints every 500 ms are refined in several ways."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.description import read_robot
from armillary.model import Model, build_model, frame_pose, frame_pose_batch
from armillary.motion.joint_path import JointPath
from armillary.motion.refine import refine
from armillary.motion.resolve import resolve
from armillary.motion.tool_path import ToolPath, arc_about, line
from armillary.motion.trajectory import Trajectory, quintic_through

__all__ = ["METHODS", "RefinementStudy", "arc_robot", "study_arc", "study_line"]

Array = NDArray[np.float64]
METHODS = ("linear", "backward", "central", "spline", "exact", "knots added")
START = np.array([0.1, -0.5, 0.2, -2.0, 0.3, 1.8, 0.4])
RADIUS, LENGTH, WAYPOINT = 0.15, 0.3, 0.5  # m, m, s
_CLOSE = 2e-7  # m: knots are added until the tool is within this


@dataclass(frozen=True, eq=False)
class RefinementStudy:
    """Deviations from a path of the tool, by method.

    Attributes:
        duration: Of the motion [s].
        times: Shape (N,) [s].
        deviation: Distance of the tool from its path, by method, shape (N,) [m].
        motions: Joint positions, by method, shape (N, n).
        waypoints: Times of the waypoints and the joints' positions there, shapes (M,) and (M, n).
        knots: How many waypoints each method has.
    """

    duration: float
    times: Array
    deviation: dict[str, Array]
    motions: dict[str, Array]
    waypoints: tuple[Array, Array]
    knots: dict[str, int]


def arc_robot() -> Model:
    """The Panda of the extra `robots`, seven joints, tip at its hand."""
    return build_model(read_robot("panda"), joints=[f"panda_joint{i}" for i in range(1, 8)], tip="panda_hand_tcp")


def study_arc(model: Model, duration: float, *, start: Array = START) -> RefinementStudy:
    """A quarter arc of radius 0.15 m in the y-z plane, orientation kept, by a quintic law of time."""
    T = frame_pose(model, start, model.tip)
    centre = T[:3, 3] - np.array([0.0, 0.0, RADIUS])

    def off(p: Array) -> Array:
        gap = p - centre
        return np.asarray(np.hypot(np.hypot(gap[:, 1], gap[:, 2]) - RADIUS, gap[:, 0]))

    return _study(model, arc_about(T, centre, (1.0, 0.0, 0.0), -np.pi / 2), off, duration, start)


def study_line(model: Model, duration: float, *, start: Array = START) -> RefinementStudy:
    """A straight line of 0.3 m along y, orientation kept, by a quintic law of time."""
    T = frame_pose(model, start, model.tip)
    end = T.copy()
    end[1, 3] += LENGTH

    def off(p: Array) -> Array:
        gap = p - T[:3, 3]
        return np.asarray(np.hypot(gap[:, 0], gap[:, 2]))

    return _study(model, line(T, end), off, duration, start)


def _study(model: Model, tool: ToolPath, off: Callable[[Array], Array], duration: float, start: Array) -> RefinementStudy:
    path = resolve(model, tool, start, tolerance=1e-9).parts[0]
    times = np.linspace(0.0, duration, max(2000, int(1000 * duration)) + 1)
    waypoints = np.linspace(0.0, duration, round(duration / WAYPOINT) + 1)
    q = states(path, duration, waypoints)
    motions: dict[str, Array] = {"linear": np.column_stack([np.interp(times, waypoints, q[0][:, j]) for j in range(model.n)])}
    knots = {"linear": len(waypoints)}
    refined: dict[str, Trajectory] = {
        estimate: refine(model.joints, waypoints, q[0], estimate=estimate) for estimate in ("backward", "central", "spline")
    }
    refined["exact"] = refine(model.joints, waypoints, q[0], estimate="exact", v=q[1], a=q[2])

    def tool_off(Q: Array) -> Array:
        return off(frame_pose_batch(model, np.ascontiguousarray(Q), model.tip)[:, :3, 3])

    refined["knots added"] = _with_knots(model, path, duration, waypoints, tool_off)
    for name, trajectory in refined.items():
        motions[name] = trajectory.sample(times)[:, 0]
        knots[name] = len(trajectory.durations) + 1
    deviation = {name: tool_off(Q) for name, Q in motions.items()}
    return RefinementStudy(duration, times, deviation, motions, (waypoints, q[0]), knots)


def states(path: JointPath, duration: float, times: Array) -> tuple[Array, Array, Array]:
    """Positions, velocities and accelerations on the path by the law s = L (10 u^3 - 15 u^4 + 6 u^5), u = t / T."""
    u = times / duration
    s = path.length * (10 * u**3 - 15 * u**4 + 6 * u**5)
    ds = path.length * 30 * (u**2 - 2 * u**3 + u**4) / duration
    dds = path.length * 60 * (u - 3 * u**2 + 2 * u**3) / duration**2
    at = path.sample(np.clip(s, 0.0, path.length))
    return at[:, 0], at[:, 1] * ds[:, None], at[:, 1] * dds[:, None] + at[:, 2] * (ds**2)[:, None]


def _with_knots(model: Model, path: JointPath, duration: float, times: Array, off: Callable[[Array], Array]) -> Trajectory:
    """Exact derivatives, with knots added between waypoints where the tool would leave its path."""
    while True:
        q, v, a = states(path, duration, times)
        trajectory = quintic_through(model.joints, times, q, v, a)
        inner = np.concatenate([times[:-1] + share * np.diff(times) for share in (0.25, 0.5, 0.75)])
        rough = off(trajectory.sample(inner)[:, 0]).reshape(3, -1).max(axis=0) > _CLOSE
        if not rough.any() or len(times) > 2000:
            return trajectory
        times = np.sort(np.concatenate([times, 0.5 * (times[:-1] + times[1:])[rough]]))
