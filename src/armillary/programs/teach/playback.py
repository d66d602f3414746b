"""Playback of a recorded path: smoothed within a tolerance, timed and proven."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.model import Model, frame_pose_batch
from armillary.motion import (
    BadMotion,
    Bounds,
    Certificate,
    MotionLimits,
    Trajectory,
    Violation,
    certify,
    joint_spline,
    limits_of,
    plan_spline,
    refine,
)
from armillary.programs.teach.errors import NoPlayback, TeachError
from armillary.programs.teach.path_points import Numbers, corners_of, fewest_points
from armillary.programs.teach.recorded_path import RecordedPath

__all__ = ["Playback", "plan_playback"]

Array = NDArray[np.float64]
_COARSE = 4.0  # tolerances within which straight lines give the points to begin with
_SAME = 1e-6  # rad or m between samples that are one place
_DENSE = 6  # places of a curve that are looked at between two samples
_APART = (4.0, 1.0, 0.25)  # tolerances between samples at most: the finer the less a curve can swing out between them
_MOST = 20_000  # samples at most that there are then
_ROUNDS = 6  # of slowing
_MOVES = 0.02  # of a joint's speed: what is faster at an end is not at rest there
_MENDED_BY_TIME = {"velocity": 1.0, "tool speed": 1.0, "motor": 1.0, "acceleration": 0.5, "jerk": 1.0 / 3.0, "torque": 1.0}


@dataclass(frozen=True, eq=False)
class Playback:
    """A recorded path as it will be moved.

    Attributes:
        trajectory: From rest to rest, beginning where the path does.
        certificate: That it keeps the limits; it holds.
        points: The configurations that it goes through, shape (m, n).
        deviation: How far a joint is off what was recorded at most [rad or m].
        tool_deviation: How far the tool is off at most [m].
        notes: What one should know: how much slower it is, and why.
    """

    trajectory: Trajectory
    certificate: Certificate
    points: Array
    deviation: float
    tool_deviation: float
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return (
            f"{self.trajectory.duration:.4g} s through {len(self.points)} points, at most {self.deviation:.3g} off in a joint "
            f"and {1e3 * self.tool_deviation:.3g} mm with the tool; {self.certificate}"
        )


def plan_playback(
    model: Model, path: RecordedPath, *, pace: str = "recorded", tolerance: float = 0.002, tool_tolerance: float = 0.001,
    tip: str = "", limits: MotionLimits | None = None, bounds: Bounds | None = None,
) -> Playback:  # fmt: skip
    """A trajectory along a recorded path, smoothed and proven.

    Args:
        pace: "recorded" (each place at the time when it was passed; all of it slower where the limits need that) or "fast" (as
            fast as they allow; pauses are left out).
        tolerance: How far a joint may be off what was recorded [rad or m].
        tool_tolerance: How far the tool may be off [m].
        tip: The frame that is the tool; the model's where left out.
        bounds: What else it is held to.

    Raises:
        NoPlayback: It leaves what is allowed; says when and where.
        TeachError: The path is another robot's, or a tolerance is none.
    """
    if not (0.0 < tolerance < np.inf and 0.0 < tool_tolerance < np.inf):
        raise TeachError(f"tolerances of {tolerance} and {tool_tolerance} are none; give some above zero [rad or m], [m]")
    if pace not in ("recorded", "fast"):
        raise TeachError(f"there is no pace {pace!r}; there are: recorded, fast")
    q = _in_order(model, path)
    if outside := model.outside(q[0]) or model.outside(q[-1]):
        raise NoPlayback(f"the path begins or ends outside the limits: {outside[0]}; record it anew")
    limits, bounds = limits or limits_of(model), bounds or Bounds()
    make = _as_recorded if pace == "recorded" else _fast
    for apart in _APART:
        times, rows = _dense(path.times, q, apart * tolerance)
        measure = _Measure(model, rows, tolerance, tool_tolerance, tip or model.tip)
        playback = make(model, times, measure, limits, bounds)
        if playback.deviation <= tolerance and playback.tool_deviation <= tool_tolerance:
            return playback
    raise NoPlayback(
        f"no smooth curve was found within the tolerance: {playback.deviation:.3g} rad or m and "
        f"{1e3 * playback.tool_deviation:.3g} mm are left; allow more, or record it smoother"
    )


def _in_order(model: Model, path: RecordedPath) -> Array:
    """The path's positions in the model's order."""
    if set(path.joints) != set(model.joints):
        raise TeachError(
            f"the path moves {', '.join(path.joints)}, and {model.spec.robot.name} has {', '.join(model.joints)}; "
            "play it with the robot or group that it was recorded with"
        )
    return path.q[:, [path.joints.index(joint) for joint in model.joints]]


def _dense(times: Array, q: Array, gap: float) -> tuple[Array, Array]:
    """Samples no further from each other than so much: between two that are, the path is the straight line, evenly."""
    counts = np.clip(np.ceil(np.abs(np.diff(q, axis=0)).max(axis=1) / gap), 1, max(_MOST // len(q), 1)).astype(int)
    places = np.concatenate([i + np.arange(count) / count for i, count in enumerate(counts)] + [[len(q) - 1.0]])
    rows = np.arange(len(q))
    return np.interp(places, rows, times), np.column_stack([np.interp(places, rows, column) for column in q.T])


class _Measure:
    """How far a curve is from what was recorded: each joint, and the tool, as a share of what is allowed."""

    def __init__(self, model: Model, q: Array, tolerance: float, tool_tolerance: float, tip: str) -> None:
        self.model, self.q, self.tip = model, q, tip
        self.tolerance, self.tool_tolerance = tolerance, tool_tolerance
        self.tool = self.places(q)

    def places(self, q: Array) -> Array:
        """Where the tool is, in the world. Shape (N, 3) [m]."""
        return frame_pose_batch(self.model, np.ascontiguousarray(q), self.tip)[:, :3, 3]

    def at_same_time(self, q: Array) -> tuple[Array, Array]:
        """Of each sample, for a curve that was asked at the samples' times: joints [rad or m], tool [m]; shape (k,) each."""
        return np.abs(q - self.q).max(axis=1), np.linalg.norm(self.places(q) - self.tool, axis=1)

    @cached_property
    def _lines(self) -> tuple[Any, Any]:
        """The straight lines between the samples as many places: trees of joints and of the tool, to find the nearest in."""
        from scipy.spatial import cKDTree

        shares = np.linspace(0.0, 1.0, _DENSE + 1)[None, :-1, None]
        lines = self.q[:-1, None] + shares * np.diff(self.q, axis=0)[:, None]
        lines = np.concatenate([lines.reshape(-1, self.q.shape[1]), self.q[-1:]])
        return cKDTree(lines), cKDTree(self.places(lines))

    def of_path(self, curve: Array) -> tuple[Array, Array]:
        """Of each sample, both ways, for a curve that is given by many of its places, shape (N, n): joints [rad or m], tool [m].

        How far the sample is from the nearest place of the curve, and how far places of the curve are from the lines by it.
        """
        from scipy.spatial import cKDTree

        found = []
        for of_curve, of_samples, tree, power in (
            (curve, self.q, self._lines[0], np.inf), (self.places(curve), self.tool, self._lines[1], 2.0)
        ):  # fmt: skip
            off = np.array(cKDTree(of_curve).query(of_samples, p=power)[0])
            back, where = tree.query(of_curve, p=power)
            np.maximum.at(off, where // _DENSE, back)
            found.append(off)
        return found[0], found[1]

    def share(self, off: tuple[Array, Array]) -> Array:
        return np.maximum(off[0] / self.tolerance, off[1] / self.tool_tolerance)


def _as_recorded(model: Model, times: Array, measure: _Measure, limits: MotionLimits, bounds: Bounds) -> Playback:
    """Each place at its time: a quintic spline over time."""
    times, notes = _from_rest_to_rest(times, measure.q, limits)

    def curve(points: Numbers) -> Trajectory:
        return refine(model.joints, times[points], measure.q[points], estimate="spline")

    def deviation(points: Numbers) -> Array:
        return measure.share(measure.at_same_time(curve(points).sample(times)[:, 0]))

    points = fewest_points(corners_of(measure.q, _COARSE * measure.tolerance), deviation)
    off = measure.at_same_time(curve(points).sample(times)[:, 0])
    trajectory, certificate, slower = _slowed(model, curve(points), limits, bounds)
    if slower > 1.001:
        notes = (*notes, f"{slower:.3g} times slower than it was recorded: the limits need that")
    return _measured(
        Playback(trajectory, certificate, measure.q[points], float(off[0].max()), float(off[1].max()), notes), measure
    )


def _fast(model: Model, times: Array, measure: _Measure, limits: MotionLimits, bounds: Bounds) -> Playback:  # noqa: ARG001
    """As fast as can be: a spline over the way, without the pauses."""
    rows = _moving(measure.q)
    if len(rows) < 2:
        raise NoPlayback("nothing moves in this path; record it anew")
    moving = _Measure(model, measure.q[rows], measure.tolerance, measure.tool_tolerance, measure.tip)
    many = max(_DENSE * len(rows), 400)

    def places(points: Numbers) -> Array:
        path = joint_spline(model.joints, moving.q[points])
        return path.sample(np.linspace(0.0, path.length, many))[:, 0]

    def deviation(points: Numbers) -> Array:
        try:
            return moving.share(moving.of_path(places(points)))
        except BadMotion:  # two of them are one place: one more between them is needed
            return np.full(len(rows), np.inf)

    points = fewest_points(corners_of(moving.q, _COARSE * measure.tolerance), deviation)
    plan = plan_spline(model, moving.q[points], limits=limits, bounds=bounds)
    return _measured(Playback(plan.trajectory, plan.certificate, moving.q[points], 0.0, 0.0, plan.notes), moving)


def _moving(q: Array) -> Numbers:
    """Rows that are not where the one kept before is; the last place is kept as it is."""
    kept = [0]
    for row in range(1, len(q)):
        if np.abs(q[row] - q[kept[-1]]).max() > _SAME:
            kept.append(row)
    return np.array(kept, dtype=np.int64)


def _slowed(model: Model, trajectory: Trajectory, limits: MotionLimits, bounds: Bounds) -> tuple[Trajectory, Certificate, float]:
    """As a whole as slow as its limits need; its proof, and how much slower that is."""
    whole = 1.0
    for _ in range(_ROUNDS):
        slow = trajectory.slowed(whole) if whole > 1.0 else trajectory
        slow = replace(slow, profile="playback")
        certificate = certify(slow, model, limits=limits, bounds=replace(bounds, start=slow.start))
        factor = max((_factor(violation) for violation in certificate.violations), default=1.0)
        if certificate or factor <= 1.0:
            break
        whole *= factor * (1.0 + 1e-6)
    return slow, certificate, whole


def _factor(violation: Violation) -> float:
    """How much slower it must be to keep a limit; 1 where that is no help."""
    power = _MENDED_BY_TIME.get(violation.kind)
    if power is None or not violation.limit:
        return 1.0
    return float(max(abs(violation.value / violation.limit) ** power, 1.0))


def _from_rest_to_rest(times: Array, q: Array, limits: MotionLimits) -> tuple[Array, tuple[str, ...]]:
    """Times at which a path that was recorded in full motion can be passed from rest to rest; and a word on it.

    Near such an end the clock goes slower: at t the path is where it was at t^2 / (2 T), for as long as T, T / 2 of it.
    """
    notes = []
    for end in ("begins", "ends"):
        v = (q[1] - q[0]) / (times[1] - times[0]) if end == "begins" else (q[-1] - q[-2]) / (times[-1] - times[-2])
        share = float((np.abs(v) / limits.velocity).max())
        if share < _MOVES:
            continue
        T = 3.0 * float((np.abs(v) / limits.acceleration).max()) + 4.0 * float(np.sqrt(np.abs(v) / limits.jerk).max())
        T = min(T, float(times[-1]))
        from_end = times if end == "begins" else times[-1] - times[::-1]
        slow = np.where(from_end < 0.5 * T, np.sqrt(2.0 * T * from_end), from_end + 0.5 * T)
        times = slow if end == "begins" else slow[-1] - slow[::-1]
        notes.append(f"{0.5 * T:.2g} s longer than it was recorded: the recording {end} in full motion, the playback at rest")
    return times, tuple(notes)


def _measured(playback: Playback, measure: _Measure) -> Playback:
    """With what was found between the samples too; only where it is proven.

    Raises:
        NoPlayback: It is not.
    """
    if not playback.certificate:
        raise NoPlayback(f"the path may not be played: {playback.certificate}; record it anew, further from there")
    count = max(_DENSE * len(measure.q), 400)
    moved = playback.trajectory.sample(np.linspace(0.0, playback.trajectory.duration, count))[:, 0]
    joints, tool = (max(float(off.max()), known) for off, known in zip(
        measure.of_path(moved), (playback.deviation, playback.tool_deviation), strict=True))  # fmt: skip
    return replace(playback, deviation=joints, tool_deviation=tool)
