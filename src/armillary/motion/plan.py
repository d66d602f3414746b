"""From where to go to a trajectory with its proof."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from armillary.model import Model, Scene, frame_jacobian_batch, frame_pose
from armillary.motion.certificate import Bounds, Certificate, certify, motor_extrema, tool_speeds
from armillary.motion.errors import BadMotion, NoMotion
from armillary.motion.joint_path import JointPath, joint_line, joint_polyline, joint_spline
from armillary.motion.limits import MotionLimits, limits_of
from armillary.motion.planners import find_free_path
from armillary.motion.profiles import jerk_limited_move, jerk_limited_to, lspb_move, quintic_move
from armillary.motion.resolve import ResolvedPath, resolve
from armillary.motion.timing import time_path
from armillary.motion.tool_path import ToolPath
from armillary.motion.trajectory import State, Trajectory, join
from armillary.plugin import Plugins
from armillary.solvers import Hold, solve_ik
from armillary.spatial import inverse

__all__ = [
    "Plan",
    "Profile",
    "held_in_words",
    "known_profiles",
    "plan_around",
    "plan_joints",
    "plan_spline",
    "plan_to_pose",
    "plan_tool",
    "retarget",
    "tool_pose",
]

Array = NDArray[np.float64]
_TRIES = 8  # to slow a motion down to a speed of the tool
_ROUNDS = 8  # in which a new target's speeds are brought down to what tool and motors may do


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
        profile: "jerk" (least time under jerk limits), "quintic", "lspb" (acceleration steps, declared), "time_optimal"
            (straight in joint space; acceleration steps, declared), or another of `known_profiles()`.
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
    trajectory = _PROFILES.find(profile)(limits, start, goal, duration=duration)
    if profile == "jerk" and duration is None and bounds is not None and bounds.tool_speed is not None:
        trajectory = _at_tool_speed(model, trajectory, limits, bounds)
    return _proven(model, _from(trajectory, origin), limits, bounds, None, begin)


def time_optimal_move(limits: MotionLimits, start: Array, goal: Array, *, duration: float | None = None) -> Trajectory:
    """Straight in joint space, in the least time under velocity and acceleration limits; acceleration steps."""
    return time_path(joint_line(limits.joints, start, goal), limits, duration=duration, profile="time_optimal")


class Profile(Protocol):
    """A law of time from one configuration to another, from rest to rest."""

    def __call__(self, limits: MotionLimits, start: Array, goal: Array, *, duration: float | None = None) -> Trajectory: ...


_PROFILES: Plugins[Profile] = Plugins(
    "armillary.profiles", "profile",
    {"jerk": lambda: jerk_limited_move, "quintic": lambda: quintic_move, "lspb": lambda: lspb_move,
     "time_optimal": lambda: time_optimal_move},
    error=BadMotion,
)  # fmt: skip


def known_profiles() -> list[str]:
    """Names of the profiles that there are, ours first. Others are entry points of installed packages in `armillary.profiles`."""
    return _PROFILES.names


def plan_spline(
    model: Model, points: Sequence[Array] | Array, *, duration: float | None = None, profile: str = "jerk",
    limits: MotionLimits | None = None, bounds: Bounds | None = None, origin: str = "",
) -> Plan:  # fmt: skip
    """Along a smooth curve through configurations, from rest to rest, as fast as limits allow."""
    begin = perf_counter()
    limits = limits or limits_of(model)
    points = np.array([model.valid(point, f"point {i}") for i, point in enumerate(points)])
    path, feed = _with_tool(model, joint_spline(model.joints, points), bounds)
    trajectory = time_path(path, limits, feed=feed, duration=duration, profile=profile)
    return _proven(model, _from(trajectory, origin), limits, bounds, None, begin)


def plan_tool(
    model: Model, start: Array, path: ToolPath, *, tip: str = "", base: str = "", hold: Hold | None = None,
    feed: float | None = None, duration: float | None = None, profile: str = "jerk", limits: MotionLimits | None = None,
    bounds: Bounds | None = None, extra: Mapping[str, float] | None = None,
) -> Plan:  # fmt: skip
    """Along a path of the tool, from where the robot is; slowed just as much as the joints need, the path kept.

    Args:
        start: Where the robot is; its tip must be where the path begins.
        path: In `base`.
        tip, base, hold: As for `solve_ik`; the world and the model's tool where left out. An arm of fewer than six joints holds
            what it can where `hold` is left out, and a note says what that is.
        feed: The tool's speed at most [m/s].
        duration: In all [s].
        profile: The law of time, as for `time_path`.
        extra: Joints that do not carry the tip, and where each goes evenly along the path [rad or m].

    Raises:
        BadMotion: The path does not begin at the tip, or the time is too short.
        NoMotion: The path leaves what can be reached; says where and why.
    """
    begin = perf_counter()
    limits = limits or limits_of(model)
    if bounds is not None and bounds.tool_speed is not None:
        feed = min(feed, bounds.tool_speed) if feed is not None else bounds.tool_speed
    resolved = resolve(model, path, start, tip=tip, base=base, hold=hold)
    parts = _with_extra(model, resolved, extra) if extra else resolved.parts
    timed = [time_path(part, limits, feed=feed, profile=profile) for part in parts]
    trajectory = timed[0] if len(timed) == 1 else join(timed)
    if duration is not None:
        if not np.isfinite(duration) or duration < trajectory.duration * (1.0 - 1e-9):
            raise BadMotion(f"{duration:g} s is too short: it takes {trajectory.duration:.4g} s at least")
        trajectory = trajectory.slowed(duration / trajectory.duration)
    notes = []
    held = resolved.hold
    if held.constraints < 6:
        notes.append(held_in_words(held, resolved.chain.n if hold is None else 0))
    whole = bounds or Bounds()
    if not base and held.constraints == 6:
        whole = replace(whole, tool=path, tip=tip)
    if feed is not None:
        whole = replace(whole, tool_speed=min(feed, whole.tool_speed or np.inf), tip=tip)
    trajectory = _named(trajectory, resolved.tool, timed)
    return _proven(model, trajectory, limits, whole, path, begin, tuple(notes))


def held_in_words(hold: Hold, joints: int = 0) -> str:
    """What of the poses along a path is held and what is not, where that is not all.

    Args:
        joints: Of the arm, where these are the reason; 0 where it was asked for.
    """
    if joints:
        return f"{joints} joints cannot hold a whole pose: only {hold} is held; the rest of the orientation goes as it comes"
    return f"only {hold} is held; the rest of the orientation goes as it comes"


def _with_extra(model: Model, resolved: ResolvedPath, extra: Mapping[str, float]) -> tuple[JointPath, ...]:
    """The joints' paths with further joints going evenly along them.

    Raises:
        BadMotion: One of them carries the tip, or there is no such joint.
    """
    parts, total = [], sum(part.length for part in resolved.parts)
    columns = []
    for joint, goal in extra.items():
        column = model.column(joint)
        if joint in resolved.chain.joints:
            raise BadMotion(f"{joint} carries the tool: it cannot go its own way beside it")
        columns.append((column, float(resolved.parts[0].start[column]), float(goal)))
    done = 0.0
    for part in resolved.parts:
        c = part.coefficients.copy()
        for column, begin, goal in columns:
            slope = (goal - begin) / total
            c[:, column] = 0.0
            c[:, column, 0], c[:, column, 1] = begin + slope * (done + part.knots[:-1]), slope
        parts.append(replace(part, coefficients=c))
        done += part.length
    return tuple(parts)


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
            trajectory = _along(model, way.points, blend, limits, bounds)
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


def _along(model: Model, points: Array, blend: float, limits: MotionLimits, bounds: Bounds) -> Trajectory:
    """Straight in joint space from point to point, so that what was free on the lines stays so, with corners rounded."""
    if blend > 0.0 or len(points) == 2:
        path = joint_polyline(model.joints, points, blend=blend) if len(points) > 2 else joint_line(model.joints, *points)
        path, feed = _with_tool(model, path, bounds)
        return time_path(path, limits, feed=feed)
    return join([_along(model, np.array(pair), 0.0, limits, bounds) for pair in itertools.pairwise(points)])


def _with_tool(model: Model, path: JointPath, bounds: Bounds | None) -> tuple[JointPath, float | None]:
    """A path of the joints, told how far the tool moves along it, and the tool's speed at most; where a cell limits that."""
    if bounds is None or bounds.tool_speed is None:
        return path, None
    s = np.unique(np.concatenate([path.knots, np.linspace(0.0, path.length, 200)]))
    at = path.sample(s)
    J = frame_jacobian_batch(model, np.ascontiguousarray(at[:, 0]), bounds.tip or model.tip)
    way = np.linalg.norm(np.einsum("nij,nj->ni", J[:, :3], at[:, 1]), axis=1)
    return replace(path, speed=np.column_stack([s, np.maximum(way, 1e-9)])), bounds.tool_speed


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
    bounds = bounds or Bounds()
    if not trajectory.start.v.any():
        trajectory, by_motors = _within_motors(trajectory, bounds)
        trajectory, by_speed = _within_tool_speed(model, trajectory, bounds)
        notes = (*notes, *by_motors, *by_speed)
    state = trajectory.start
    if bounds.start is None:
        bounds = replace(bounds, start=State(state.q, state.v, state.a, state.j))
    certificate = certify(trajectory, model, limits=limits, bounds=bounds)
    if bounds.scene is not None and bounds.scene.unseen:
        notes = (*notes, bounds.scene.unseen)
    return Plan(trajectory, certificate, tool, perf_counter() - begin, notes)


def _within_motors(trajectory: Trajectory, bounds: Bounds) -> tuple[Trajectory, tuple[str, ...]]:
    """Slowed as a whole where a motor that several joints share would have to be faster than it can; and a word on it."""
    if bounds.coupling is None or (bounds.motor_velocity is None and bounds.motor_acceleration is None):
        return trajectory, ()
    found = motor_extrema(trajectory, bounds.coupling)
    if found is None:
        return trajectory, ()
    most = np.abs(found[0]).max(axis=(0, 3))  # (m, 4)
    factors = np.ones(len(most))
    if bounds.motor_velocity is not None:
        factors = np.maximum(factors, most[:, 1] / bounds.motor_velocity)
    if bounds.motor_acceleration is not None:
        factors = np.maximum(factors, np.sqrt(most[:, 2] / bounds.motor_acceleration))
    worst = int(factors.argmax())
    return _slowed(trajectory, float(factors[worst]), 1e-12, f"motor {worst + 1} can do no more")


def _at_tool_speed(model: Model, trajectory: Trajectory, limits: MotionLimits, bounds: Bounds) -> Trajectory:
    """A move of the joints that is slow only where the tool would be too fast, where that is quicker than slowing the whole."""
    slowed, _ = _within_tool_speed(model, trajectory, bounds)
    if slowed is trajectory:
        return trajectory
    path, feed = _with_tool(model, joint_line(model.joints, trajectory.start.q, trajectory.end.q), bounds)
    straight = time_path(path, limits, feed=feed)
    return straight if straight.duration < slowed.duration else trajectory


def _within_tool_speed(model: Model, trajectory: Trajectory, bounds: Bounds) -> tuple[Trajectory, tuple[str, ...]]:
    """Slowed as a whole where the tool would be faster than the cell allows."""
    if bounds.tool_speed is None:
        return trajectory, ()
    notes: tuple[str, ...] = ()
    for _ in range(_TRIES):  # sampled: the samples of a slower one lie elsewhere, and may say a little more
        fastest = float(tool_speeds(model, trajectory, bounds.tip or model.tip)[1].max())
        if fastest <= bounds.tool_speed:
            break
        why = f"the tool may move at {bounds.tool_speed:g} m/s at most"
        trajectory, said = _slowed(trajectory, fastest / bounds.tool_speed, 1e-4, why)
        notes = notes or said
    return trajectory, notes


def _slowed(trajectory: Trajectory, factor: float, more: float, why: str) -> tuple[Trajectory, tuple[str, ...]]:
    if factor <= 1.0:
        return trajectory, ()
    return trajectory.slowed(factor * (1.0 + more)), (f"slowed to {100 / factor:.3g} %: {why}",) if factor > 1.001 else ()


def retarget(
    model: Model, state: State, goal: Array, *, limits: MotionLimits | None = None, bounds: Bounds | None = None, origin: str = ""
) -> Plan:
    """From a motion, whatever its speed and acceleration, to another goal, at rest there, in the least time; proven.

    Args:
        state: What the joints do at the moment of change.
        goal: Joint positions, shape (n,).

    Raises:
        BadMotion: No motion from this state keeps the limits.
        NoMotion: The goal is outside the limits.
    """
    begin = perf_counter()
    limits = limits or limits_of(model)
    goal = model.valid(goal, "goal")
    _inside(limits, goal, "the goal")
    bounds, kept = bounds or Bounds(), limits
    for _ in range(_ROUNDS):
        trajectory = jerk_limited_to(kept, state, goal)
        # It begins at the speed that the robot has: it cannot be slowed as a whole, but its joints can be held to less.
        slower = _within_tool_speed(model, _within_motors(trajectory, bounds)[0], bounds)[0]
        if slower is trajectory:
            break
        factor = 1.02 * slower.duration / trajectory.duration
        used = np.maximum(np.abs(trajectory.extrema.values[1]).max(axis=1), 1e-3 * limits.velocity)
        kept = replace(kept, velocity=np.minimum(kept.velocity, used) / factor)
    return _proven(model, _from(trajectory, origin), limits, replace(bounds, start=state), None, begin)
