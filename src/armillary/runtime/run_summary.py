"""What became of a run, in figures: from its recording."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.model import SLIDES, Model, frame_pose_batch, inverse_dynamics_batch, sliding_torque
from armillary.runtime.recording import Recording
from armillary.runtime.states import State

__all__ = ["RunSummary", "summarise"]

Array = NDArray[np.float64]
_BATCH = 20_000


@dataclass(frozen=True)
class RunSummary:
    """A run in figures.

    Attributes:
        duration: Recorded [s]. moved: Of that in motion [s].
        following: Worst following error while moving [rad or m], and of which joint.
        tool_deviation: Worst distance between where the tool was commanded and where it was [m].
        torque_residual: RMS of measured torque less the Newton-Euler estimate, as a share of the RMS of the torque, of each joint
            that moves; empty where no torque is measured.
        late_p99, late_most: Of the ticks [s].
        overruns: Ticks that took longer than their period.
        faults: What went wrong, in words.
    """

    duration: float
    moved: float
    following: float
    following_joint: str
    tool_deviation: float
    torque_residual: dict[str, float]
    late_p99: float
    late_most: float
    overruns: int
    faults: tuple[str, ...]

    def values(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


def summarise(recording: Recording, model: Model) -> RunSummary:
    """A recording's figures, with the model that it was made with."""
    moving = np.isin(recording.state, (int(State.MOVING), int(State.HOLDING)))
    q, measured = recording.q[moving], recording.measured_q[moving]
    off = np.abs(q - measured)
    joint = int(off.max(axis=0).argmax()) if len(off) else 0
    time = recording.time
    gaps = np.diff(time, prepend=time[:1]) if len(time) else np.zeros(0)
    late = recording.late[np.isfinite(recording.late)] if len(time) else np.zeros(0)
    return RunSummary(
        duration=float(time[-1] - time[0]) if len(time) else 0.0,
        moved=float(gaps[moving][gaps[moving] < 0.1].sum()) if len(time) else 0.0,
        following=float(np.nan_to_num(off).max()) if len(off) else 0.0,
        following_joint=model.joints[joint],
        tool_deviation=_tool_deviation(model, q, measured),
        torque_residual=_residuals(model, recording, moving),
        late_p99=float(np.quantile(late, 0.99)) if len(late) else 0.0,
        late_most=float(late.max()) if len(late) else 0.0,
        overruns=int(recording.overruns[-1]) if len(recording.overruns) else 0,
        faults=tuple(event.text for event in recording.events if event.kind == "FAULT"),
    )


def _tool_deviation(model: Model, q: Array, measured: Array) -> float:
    worst = 0.0
    sound = np.isfinite(measured).all(axis=1)
    q, measured = np.ascontiguousarray(q[sound]), np.ascontiguousarray(measured[sound])
    for begin in range(0, len(q), _BATCH):
        part = slice(begin, begin + _BATCH)
        one, two = frame_pose_batch(model, q[part], model.tip), frame_pose_batch(model, measured[part], model.tip)
        worst = max(worst, float(np.linalg.norm(one[:, :3, 3] - two[:, :3, 3], axis=1).max()))
    return worst


def _residuals(model: Model, recording: Recording, moving: NDArray[np.bool_]) -> dict[str, float]:
    """Of the estimate from what was measured: positions, velocities, accelerations."""
    parts = [recording.measured_q[moving], recording.measured_v[moving], recording.measured_a[moving]]
    torque = recording.measured_torque[moving]
    sound = np.isfinite(torque).all(axis=1)
    for part in parts:
        sound &= np.isfinite(part).all(axis=1)
    if not sound.any():
        return {}
    estimate = inverse_dynamics_batch(model, *(np.ascontiguousarray(part[sound]) for part in parts))
    estimate = estimate + sliding_torque(model, parts[1][sound])
    # Of a joint that stands nothing can be said: its friction holds with anything up to its full value.
    slides = np.abs(parts[1][sound]).max(axis=0) > 4.0 * SLIDES
    size = np.sqrt((torque[sound] ** 2).mean(axis=0))
    error = np.sqrt(((torque[sound] - estimate) ** 2).mean(axis=0))
    return {joint: float(error[j] / size[j]) for j, joint in enumerate(model.joints) if slides[j] and size[j] > 1e-9}
