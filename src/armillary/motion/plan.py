"""From where to go to a trajectory with its proof."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from armillary.model import Model, Scene, frame_pose
from armillary.motion.certificate import Bounds, Certificate, certify
from armillary.motion.errors import BadMotion, NoMotion
from armillary.motion.joint_path import joint_line, joint_polyline, joint_spline
from armillary.motion.limits import MotionLimits, limits_of
from armillary.motion.planners import find_free_path
from armillary.motion.profiles import jerk_limited_move, lspb_move, quintic_move
from armillary.motion.resolve import resolve
from armillary.motion.timing import time_path
from armillary.motion.tool_path import ToolPath
from armillary.motion.trajectory import State, Trajectory, join
from armillary.solvers import Hold, solve_ik
from armillary.spatial import inverse

__all__ = ["PROFILES", "Plan", "plan_around", "plan_joints", "plan_spline", "plan_to_pose", "plan_tool", "tool_pose"]

Array = NDArray[np.float64]
PROFILES = ("jerk", "quintic", "lspb", "time_optimal")


@dataclass(frozen=True, eq=False)
class Plan:
    """A trajectory and what is proven of it.

    Attributes:
        trajectory: To be moved.
        certificate: Whether it keeps its limits; only one that holds may be moved.
        tool: The path that the tool follows, in the world, for moves along a path of the tool.
        seconds: How long planning and proof took.
        notes: What the user should know.
    """

    trajectory: Trajectory
    certificate: Certificate
    tool: ToolPath | None = None
    seconds: float = 0.0
    notes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.certificate)

    def __str__(self) -> str:
        return f"{self.trajectory.duration:.4g} s, {self.certificate}"


def plan_joints(
    model: Model, start: Array, goal: Array, *, profile: str = "jerk", duration: float | None = None,
    limits: MotionLimits | None = None, bounds: Bounds | None = None, origin: str = "",
) -> Plan:  # fmt: skip
    """From one configuration to another, from rest to rest.

    Args:
        profile: "jerk" (least time under jerk limits), "quintic", "lspb" (acceleration steps, declared) or "time_optimal"
            (straight in joint space; acceleration steps, declared).
        duration: In all [s]; the least where left out.
        bounds: What else it is held to.
        origin: Where the command comes from, for error messages.

    Raises:
        BadMotion: Nothing to move, a time that is too short, numbers that are none.
        NoMotion: Start or goal outside the limits.
    """
    begin = perf_counter()
    limits = limits or limits_of(model)
    start, goal = model.valid(start, "start"), model.valid(goal, "goal")
    _inside(limits, start, "the start")
    _inside(limits, goal, "the goal")
    if profile == "time_optimal":
        trajectory = time_path(joint_line(model.joints, start, goal), limits, duration=duration, smooth=False)
    elif profile in _MOVES:
        trajectory = _MOVES[profile](limits, start, goal, duration=duration)
    else:
        raise BadMotion(f"there is no profile '{profile}'; there are: {', '.join(PROFILES)}")
    return _proven(model, _from(trajectory, origin), limits, bounds, None, begin)


_MOVES = {"jerk": jerk_limited_move, "quintic": quintic_move, "lspb": lspb_move}


def plan_spline(
    model: Model, points: Sequence[Array] | Array, *, duration: float | None = None, smooth: bool = True,
    limits: MotionLimits | None = None, bounds: Bounds | None = None, origin: str = "",
) -> Plan:  # fmt: skip
    """Along a smooth curve through configurations, from rest to rest, as fast as limits allow."""
    begin = perf_counter()
    limits = limits or limits_of(model)
    points = np.array([model.valid(point, f"point {i}") for i, point in enumerate(points)])
    trajectory = time_path(joint_spline(model.joints, points), limits, duration=duration, smooth=smooth)
    return _proven(model, _from(trajectory, origin), limits, bounds, None, begin)


def plan_tool(
    model: Model, start: Array, path: ToolPath, *, tip: str = "", base: str = "", hold: Hold | None = None,
    feed: float | None = None, duration: float | None = None, smooth: bool = True, limits: MotionLimits | None = None,
    bounds: Bounds | None = None,
) -> Plan:  # fmt: skip
    """Along a path of the tool, from where the robot is; slowed just as much as the joints need, the path kept.

    Args:
        start: Where the robot is; its tip must be where the path begins.
        path: In `base`.
        tip, base, hold: As for `solve_ik`; the world and the model's tool where left out.
        feed: The tool's speed at most [m/s].
        duration: In all [s].
        smooth: Keep the jerk limits too.

    Raises:
        BadMotion: The path does not begin at the tip, or the time is too short.
        NoMotion: The path leaves what can be reached; says where and why.
    """
    begin = perf_counter()
    limits = limits or limits_of(model)
    resolved = resolve(model, path, start, tip=tip, base=base, hold=hold)
    timed = [time_path(part, limits, feed=feed, smooth=smooth) for part in resolved.parts]
    trajectory = timed[0] if len(timed) == 1 else join(timed)
    if duration is not None:
        if not np.isfinite(duration) or duration < trajectory.duration * (1.0 - 1e-9):
            raise BadMotion(f"{duration:g} s is too short: it takes {trajectory.duration:.4g} s at least")
        trajectory = trajectory.slowed(duration / trajectory.duration)
    notes = []
    if hold is not None and hold.constraints < 6:
        notes.append(f"only {hold} is held; the rest of the orientation goes as it comes")
    whole = bounds or Bounds()
    if not base and (hold is None or hold.constraints == 6):
        whole = replace(whole, tool=path, tip=tip)
    if feed is not None and whole.tool_speed is None:
        whole = replace(whole, tool_speed=feed, tip=tip)
    trajectory = _named(trajectory, resolved.tool, timed)
    return _proven(model, trajectory, limits, whole, path, begin, tuple(notes))


def _named(trajectory: Trajectory, path: ToolPath, parts: list[Trajectory]) -> Trajectory:
    """The origins of the tool path's pieces, spread over the segments between the corners."""
    if not path.origins:
        return trajectory
    corners = (0, *path.corners)
    names = []
    for number, part in enumerate(parts):
        names += [path.origins[corners[number]]] * len(part.durations)
    return replace(trajectory, origins=tuple(names))


def plan_around(
    model: Model, start: Array, goals: Sequence[Array] | Array, scene: Scene, *, planner: str = "RRTConnect", budget: float = 5.0,
    seed: int = 0, clearance: float = 0.01, limits: MotionLimits | None = None, bounds: Bounds | None = None, origin: str = "",
) -> Plan:  # fmt: skip
    """From one configuration to another, or to the best of several, around what stands in the way; timed and proven.

    Args:
        goals: One configuration, or several that will all do, best first.
        clearance: Distance from obstacles to be kept on the way [m]; less at start and goal where they are nearer.
        budget: Seconds at most for the search.
        seed: The same gives the same way.

    Raises:
        NoMotion: Start or goal collides, or no way was found; says what was tried.
    """
    begin = perf_counter()
    limits = limits or limits_of(model)
    choices = [np.asarray(goals)] if np.ndim(goals) == 1 else [np.asarray(goal) for goal in goals]
    bounds = replace(bounds or Bounds(), scene=scene)
    room = _room(scene, (np.asarray(start), choices[0]), clearance)
    refused = ""
    for attempt in range(4):
        kept = room * 0.5**attempt
        way = find_free_path(scene, start, choices, planner=planner, budget=budget, seed=seed + 7919 * attempt, clearance=kept)
        for blend in (0.3, 0.1, 0.03, 0.0):
            trajectory = _along(model, way.points, blend, limits)
            plan = _proven(model, _from(trajectory, origin), limits, bounds, None, begin)
            if plan:
                return plan
            refused = str(plan.certificate)
    raise NoMotion(f"a way was found that cannot be proven: {refused}; give more room, or another seed")


def _room(scene: Scene, ends: tuple[Array, ...], most: float) -> float:
    """The clearance that both ends have, at most so much [m]: more than that cannot be kept on the way."""
    for share in (1.0, 0.5, 0.25, 0.1, 0.05):
        if all(scene.free(q, clearance=share * most) for q in ends):
            return 0.9 * share * most
    return 0.0


def _along(model: Model, points: Array, blend: float, limits: MotionLimits) -> Trajectory:
    if len(points) == 2:
        return jerk_limited_straight(model, points[0], points[1], limits)
    if blend > 0.0:
        return time_path(joint_polyline(model.joints, points, blend=blend), limits)
    return join([jerk_limited_straight(model, a, b, limits) for a, b in itertools.pairwise(points)])


def jerk_limited_straight(model: Model, start: Array, goal: Array, limits: MotionLimits) -> Trajectory:
    """Straight in joint space, so that what was free on the line stays so."""
    return time_path(joint_line(model.joints, start, goal), limits)


def plan_to_pose(
    model: Model, start: Array, T_base_tool: Array, *, tip: str = "", base: str = "", hold: Hold | None = None,
    scene: Scene | None = None, profile: str = "jerk", duration: float | None = None, limits: MotionLimits | None = None,
    bounds: Bounds | None = None, seed: int = 0, budget: float = 5.0, origin: str = "",
) -> Plan:  # fmt: skip
    """To a pose of the tool, by joints; around obstacles where a scene is given, trying every solution as a goal.

    Raises:
        NoMotion: The pose cannot be reached, or no way leads to it; says why.
    """
    result = solve_ik(model, T_base_tool, seed=start, tip=tip, base=base, hold=hold, every=scene is not None)
    if not result.reached:
        raise NoMotion(f"the pose cannot be reached: {result.hindrance}")
    if scene is None:
        return plan_joints(
            model, start, result.q, profile=profile, duration=duration, limits=limits, bounds=bounds, origin=origin
        )
    goals = list(result.found)
    return plan_around(model, start, goals, scene, seed=seed, budget=budget, limits=limits, bounds=bounds, origin=origin)


def tool_pose(model: Model, q: Array, *, tip: str = "", base: str = "") -> Array:
    """T_base_tip where the robot is: where a path of the tool begins."""
    T = frame_pose(model, q, tip or model.tip)
    return inverse(frame_pose(model, q, base)) @ T if base else T


def _inside(limits: MotionLimits, q: Array, what: str) -> None:
    for joint, value, low, high in zip(limits.joints, q, limits.lower, limits.upper, strict=True):
        if not low - 1e-9 <= value <= high + 1e-9:
            raise NoMotion(f"{what} is outside its limits: {joint} at {value:.4g}, which may be {low:.4g} to {high:.4g}")


def _from(trajectory: Trajectory, origin: str) -> Trajectory:
    return replace(trajectory, origins=(origin,) * len(trajectory.durations)) if origin else trajectory


def _proven(
    model: Model, trajectory: Trajectory, limits: MotionLimits, bounds: Bounds | None, tool: ToolPath | None, begin: float,
    notes: tuple[str, ...] = (),
) -> Plan:  # fmt: skip
    state = trajectory.start
    bounds = bounds or Bounds()
    if bounds.start is None:
        bounds = replace(bounds, start=State(state.q, state.v, state.a, state.j))
    certificate = certify(trajectory, model, limits=limits, bounds=bounds)
    return Plan(trajectory, certificate, tool, perf_counter() - begin, notes)
