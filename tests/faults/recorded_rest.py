"""What a recording says of a fault: why, when, and by when the robot stood. Times are of the executor's clock [s]."""

import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from armillary.cell import Cell
from armillary.model import Model
from armillary.motion import limits_of
from armillary.runtime.recording import Recording

__all__ = ["begin_of", "braking_time", "path_stop_time", "recorded_fault", "recorded_past", "recorded_place", "recorded_rest"]

Array = NDArray[np.float64]
_PATIENCE = 20.0  # s until what happened is in the file, on a busy machine
_RESTS = 5e-3  # rad/s or m/s
_SETTLES = 0.1  # s that the servos of the twin are behind


def begin_of(recording: Recording) -> float:
    """When its first tick was."""
    return (recording.start_ns - recording.about.epoch_ns) / 1e9


def braking_time(model: Model, speed: Array) -> float:
    """How long the motor side takes to brake from velocities of the joints, shape (n,)."""
    return float((np.abs(speed) / limits_of(model).acceleration).max()) + _SETTLES


def path_stop_time(model: Model) -> float:
    """How long a stop on the path of a move by joints takes at most: v/a + a/j, from full speed."""
    limits = limits_of(model)
    return float((limits.velocity / limits.acceleration + limits.acceleration / limits.jerk).max()) + _SETTLES


def recorded_fault(cell: Cell, fault: str, since: float) -> tuple[Recording, float]:
    """The newest recording and when the fault was, once it is in there with its reason: one of after `since`."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        recording = _newest(cell)
        for event in reversed(recording.events):
            when = begin_of(recording) + event.time
            if event.kind == "FAULT" and when > since and fault and fault in event.text:
                return recording, when
        said = [event.text for event in recording.events[-3:]]
        assert time.monotonic() < deadline, f"'{fault}' is not recorded; the last: {said}"
        time.sleep(0.2)


def recorded_rest(cell: Cell, fault: str, since: float, by: float) -> Array:
    """Where the robot stands after a fault: the reason must be recorded, and that it stood by then."""
    recorded_fault(cell, fault, since)
    return recorded_place(cell, by)


def recorded_place(cell: Cell, by: float) -> Array:
    """Where the robot stands: from then on it must, as measured and recorded."""
    recording, after = recorded_past(cell, by)
    fastest = float(np.abs(recording.measured_v[after]).max())
    assert fastest < _RESTS, f"a joint still moves at {fastest:.3f} when it should stand"
    return recording.measured_q[-1]


def recorded_past(cell: Cell, moment: float) -> tuple[Recording, NDArray[np.bool_]]:
    """The newest recording, once it goes on behind a moment, and which of its ticks are behind that."""
    deadline = max(moment, time.monotonic()) + _PATIENCE
    while True:
        recording = _newest(cell)
        after = recording.time + begin_of(recording) > moment
        if after.sum() >= 3:
            return recording, after
        assert time.monotonic() < deadline, "nothing more is recorded"
        time.sleep(0.2)


def _newest(cell: Cell) -> Recording:
    return Recording.open(max(Path(cell.station.settings.recordings).glob("*.mcap"), key=lambda path: path.stat().st_mtime))
