"""How two recordings of one robot differ, motion by motion."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.model import Model, frame_pose_batch
from armillary.runtime.errors import RuntimeProblem
from armillary.runtime.recorded_motions import Span, motion_spans
from armillary.runtime.recording import Recording

__all__ = ["QUANTITIES", "Aligned", "Comparison", "Difference", "NotComparable", "Punctuality", "compare_recordings"]

Array = NDArray[np.float64]
QUANTITIES = {
    "position": "q", "measured position": "measured_q", "velocity": "v", "measured velocity": "measured_v",
    "torque": "torque", "measured torque": "measured_torque",
}  # fmt: skip


class NotComparable(RuntimeProblem):
    """Two recordings that have nothing to be compared."""


@dataclass(frozen=True, eq=False)
class Difference:
    """Of one quantity, for each joint: shape (n,). NaN where it was not measured.

    Attributes:
        worst: The largest difference, without sign. rms: Root of the mean square.
    """

    worst: Array
    rms: Array


@dataclass(frozen=True)
class Punctuality:
    """How late ticks were [s]."""

    median: float
    p99: float
    most: float


@dataclass(frozen=True, eq=False)
class Aligned:
    """One motion of both.

    Attributes:
        first, second: Where it is in each.
        by: "tick", one by one from the start; "time", since the start of motion; "path", at the same place of the way.
        durations: How long it took in each [s].
        time: Since the start of motion in the first, shape (k,) [s].
        gaps: Of each quantity the second's less the first's, shape (k, n).
        tool: How far the tools are apart as commanded and as measured, shape (2, k) [m]; None without a model.
        lengths: How long its way is in each [rad and m together].
    """

    first: Span
    second: Span
    by: str
    durations: tuple[float, float]
    time: Array
    gaps: dict[str, Array]
    tool: Array | None
    lengths: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Comparison:
    """What came of it.

    Attributes:
        joints: Their names.
        motions: Those of both, in order.
        counts: How many motions each has.
        differences: Of each of `QUANTITIES`, over all motions.
        tool: How far the tools are apart at worst, commanded and measured [m]; None without a model.
        lateness: Of each.
        notes: What one should know.
    """

    joints: tuple[str, ...]
    motions: tuple[Aligned, ...]
    counts: tuple[int, int]
    differences: dict[str, Difference]
    tool: tuple[float, float] | None
    lateness: tuple[Punctuality, Punctuality]
    notes: tuple[str, ...]

    def failures(self, tolerance: float, tool_tolerance: float) -> list[str]:
        """What is beyond the tolerances [rad or m], [m], in words; none where they agree."""
        found = []
        if self.counts[0] != self.counts[1]:
            found.append(f"the first has {self.counts[0]} motions, the second {self.counts[1]}")
        for number, motion in enumerate(self.motions):
            if abs(motion.lengths[0] - motion.lengths[1]) > tolerance:
                ways = f"{motion.lengths[0]:.4g} in the first, {motion.lengths[1]:.4g} in the second"
                found.append(f"motion {number + 1} goes another way: its joints move by {ways}")
        for name in ("position", "measured position"):
            worst = self.differences[name].worst
            for joint, value in zip(self.joints, worst, strict=True):
                if value > tolerance:
                    found.append(f"{joint}: {name} differs by {value:.3g}, allowed are {tolerance:g}")
        for name, distance in zip(("commanded", "measured"), self.tool or (), strict=False):
            if distance > tool_tolerance:
                found.append(f"the tool as {name} is {distance * 1e3:.3g} mm apart, allowed are {tool_tolerance * 1e3:g} mm")
        return found


def compare_recordings(
    first: Recording, second: Recording, *, model: Model | None = None, spans: tuple[Sequence[Span], Sequence[Span]] | None = None
) -> Comparison:
    """Compare two recordings, each motion of one with the same of the other.

    Args:
        model: The robot, for its tool; left out, the tool is left out.
        spans: The motions of each that belong together; those that were ordered, one after the other, where left out.

    Raises:
        NotComparable: They are of different joints, or one has no motion.
    """
    if first.about.joints != second.about.joints:
        raise NotComparable(
            f"the first moves {', '.join(first.about.joints)}, the second {', '.join(second.about.joints)}; "
            "give two recordings of the same robot"
        )
    ours, theirs = spans or (motion_spans(first), motion_spans(second))
    for number, found in (("first", ours), ("second", theirs)):
        if not found:
            raise NotComparable(f"there is no motion in the {number}; give one of a robot that was moved")
    motions = tuple(_aligned(first, second, one, two, model) for one, two in zip(ours, theirs, strict=False))
    notes = [f"the robot's description differs: {first.about.digest[:8]} and {second.about.digest[:8]}"] * (
        first.about.digest != second.about.digest
    )
    for name, recording in (("first", first), ("second", second)):
        faults = [event for event in recording.events if event.kind == "FAULT"]
        notes += [f"the {name} came to a fault at {fault.time:.3f} s: {fault.text}" for fault in faults]
    tool = None
    if model is not None:
        apart = np.concatenate([motion.tool for motion in motions if motion.tool is not None], axis=1)
        tool = (_worst(apart[0]), _worst(apart[1]))
    return Comparison(
        first.about.joints, motions, (len(ours), len(theirs)), {name: _difference(motions, name) for name in QUANTITIES}, tool,
        (_punctuality(first), _punctuality(second)), tuple(notes),
    )  # fmt: skip


def _worst(values: Array) -> float:
    known = values[np.isfinite(values)]
    return float(known.max()) if len(known) else float("nan")


def _difference(motions: Sequence[Aligned], name: str) -> Difference:
    gaps = np.abs(np.concatenate([motion.gaps[name] for motion in motions]))
    known = np.isfinite(gaps)
    count = known.sum(axis=0)
    worst = np.where(count > 0, np.where(known, gaps, 0.0).max(axis=0), np.nan)
    square = np.where(known, gaps**2, 0.0).sum(axis=0) / np.maximum(count, 1)
    return Difference(worst, np.where(count > 0, np.sqrt(square), np.nan))


def _punctuality(recording: Recording) -> Punctuality:
    late = recording.late[np.isfinite(recording.late)]
    if not len(late):
        return Punctuality(float("nan"), float("nan"), float("nan"))
    median, p99 = np.quantile(late, (0.5, 0.99))
    return Punctuality(float(median), float(p99), float(late.max()))


def _aligned(first: Recording, second: Recording, one: Span, two: Span, model: Model | None) -> Aligned:
    times = tuple(recording.time[span.ticks] - recording.time[span.first] for recording, span in ((first, one), (second, two)))
    ways = tuple(_way(recording.q[span.ticks]) for recording, span in ((first, one), (second, two)))
    durations = (float(times[0][-1]), float(times[1][-1]))
    period = max(first.about.period, second.about.period)
    keep: slice | NDArray[np.intp] = slice(None)
    # A late tick moves no further for being late: as many ticks are the same ticks, whatever the clock says.
    if len(times[0]) == len(times[1]):
        by, where, base = "tick", np.arange(len(times[0]), dtype=float), np.arange(len(times[1]), dtype=float)
    elif abs(durations[0] - durations[1]) <= 1.5 * period:
        by, where, base = "time", times[0], times[1]
    else:
        by, where, base = "path", ways[0], ways[1]
        keep = np.flatnonzero(where <= base[-1] + 1e-9)  # what only one of them drove is told by the lengths
    gaps, both = {}, {}
    for name, field in QUANTITIES.items():
        ours = getattr(first, field)[one.ticks][keep]
        theirs = _at(where[keep], base, getattr(second, field)[two.ticks])
        both[name], gaps[name] = (ours, theirs), theirs - ours
    tool = None
    if model is not None:
        tool = np.array([_apart(model, *both[name]) for name in ("position", "measured position")])
    return Aligned(one, two, by, durations, times[0][keep], gaps, tool, (float(ways[0][-1]), float(ways[1][-1])))


def _way(q: Array) -> Array:
    """How far the joints have gone up to each tick, along their way, shape (k,)."""
    steps = np.linalg.norm(np.diff(q, axis=0), axis=1)
    return np.concatenate([[0.0], np.cumsum(np.where(np.isfinite(steps), steps, 0.0))])


def _at(where: Array, base: Array, values: Array) -> Array:
    """Values (k, n), known along an ascending base, at other places of it."""
    growing = np.concatenate([np.diff(base) > 0.0, [True]])  # of several at one place the last: what stood is over
    return np.column_stack([np.interp(where, base[growing], column[growing]) for column in values.T])


def _apart(model: Model, ours: Array, theirs: Array) -> Array:
    """How far apart the tool is in two rows of configurations, shape (k,) [m]; NaN where one is unknown."""
    known = np.isfinite(ours).all(axis=1) & np.isfinite(theirs).all(axis=1)
    apart = np.full(len(ours), np.nan)
    if known.any():
        points = [frame_pose_batch(model, np.ascontiguousarray(q[known]), model.tip)[:, :3, 3] for q in (ours, theirs)]
        apart[known] = np.linalg.norm(points[0] - points[1], axis=1)
    return apart
