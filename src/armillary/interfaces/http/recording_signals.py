"""A recording's signals for a screen: as few points as can be seen, and every peak among them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.runtime.recording import Recording
from armillary.runtime.states import State

__all__ = ["UNITS", "buckets_of", "decimated", "signals_of"]

Array = NDArray[np.float64]
_COMMANDED = (State.READY, State.MOVING, State.HOLDING, State.FAULTED)  # in others nothing is asked of the joints
_EVENTS = 500  # that are told at most
# Signals by the names that Motion's fields have. Of each joint, those with "joint"; else one for all.
UNITS = {
    "q": "joint", "v": "joint/s", "a": "joint/s²", "torque": "N m, N", "measured_q": "joint", "measured_v": "joint/s",
    "measured_a": "joint/s²", "measured_torque": "N m, N", "following": "joint", "late": "s", "work": "s", "round_trip": "s",
}  # fmt: skip


def signals_of(
    recording: Recording, *, begin: float | None = None, end: float | None = None, points: int = 1500
) -> dict[str, Any]:
    """What a browser draws of a part of a recording.

    Args:
        begin, end: Since the recording's start [s]; from its start, to its end where left out.
        points: That each line has at most. Where there are more ticks, time is cut in buckets of one length, and of each the
            least and the greatest value are kept, in the order they came in.

    Returns:
        "times", shape (k,) [s]; "joints"; "signals": of each name the lines of all joints, or the one line, as lists of k values,
        None where there is none; "units"; "begin" and "end" of the whole recording [s]; "events"; "whole"; "started" (UTC, ns).
    """
    time = recording.time
    low, high = (0.0 if begin is None else begin), (np.inf if end is None else end)
    part = slice(int(np.searchsorted(time, low, "left")), int(np.searchsorted(time, high, "right")))
    lines = {name: np.atleast_2d(values) for name, values in _lines(recording, part).items()}
    cuts = buckets_of(time[part], points)
    times = _times(time[part], cuts)
    events = [event for event in recording.events if low <= event.time <= high]
    return {
        "times": _rounded(times, 6), "joints": list(recording.about.joints),
        "signals": {name: [_plain(decimated(line, cuts)) for line in values] for name, values in lines.items()},
        "units": UNITS, "begin": float(time[0]) if len(time) else 0.0, "end": float(time[-1]) if len(time) else 0.0,
        "events": [
            {"time": event.time, "kind": event.kind, "state": event.state, "text": event.text, "source": event.source}
            for event in events[-_EVENTS:]
        ],
        "whole": recording.whole, "started_ns": recording.start_ns,
    }  # fmt: skip


def _lines(recording: Recording, part: slice) -> dict[str, Array]:
    """Signals of some ticks, shape (n, k) or (k,)."""
    asked = np.isin(recording.state[part], _COMMANDED)
    found: dict[str, Array] = {}
    for name in ("q", "v", "a", "torque"):
        found[name] = np.where(asked, getattr(recording, name)[part].T, np.nan)
    for name in ("measured_q", "measured_v", "measured_a", "measured_torque"):
        found[name] = getattr(recording, name)[part].T
    found["following"] = found["q"] - found["measured_q"]
    for name in ("late", "work", "round_trip"):
        found[name] = getattr(recording, name)[part]
    return found


def buckets_of(time: Array, points: int) -> NDArray[np.intp] | None:
    """Where buckets begin, and the end behind them, shape (b + 1,): none is empty. None where every tick has a point.

    Args:
        time: Of the ticks, rising, shape (k,) [s].
    """
    if len(time) <= points:
        return None
    edges = np.linspace(time[0], time[-1], max(points // 2, 1) + 1)[1:-1]
    cuts = np.unique(np.concatenate([[0], np.searchsorted(time, edges, "left"), [len(time)]]))
    return np.asarray(cuts, dtype=np.intp)


def decimated(values: Array, cuts: NDArray[np.intp] | None) -> Array:
    """The least and the greatest value of each bucket, in the order they came in, shape (2 b,); NaN for one that has none."""
    if cuts is None:
        return values
    begins = cuts[:-1]
    known = np.isfinite(values)
    low_filled, high_filled = np.where(known, values, np.inf), np.where(known, values, -np.inf)
    low, high = np.minimum.reduceat(low_filled, begins), np.maximum.reduceat(high_filled, begins)
    bucket = np.repeat(np.arange(len(begins)), np.diff(cuts))
    number = np.arange(len(values))
    # Where each was first: that says which of the two comes before the other.
    first_low = np.minimum.reduceat(np.where(low_filled == low[bucket], number, len(values)), begins)
    first_high = np.minimum.reduceat(np.where(high_filled == high[bucket], number, len(values)), begins)
    pairs = np.where((first_low <= first_high)[:, None], np.column_stack([low, high]), np.column_stack([high, low]))
    return np.asarray(np.where(np.isfinite(pairs), pairs, np.nan).ravel())


def _times(time: Array, cuts: NDArray[np.intp] | None) -> Array:
    """Of the points: of a bucket's first tick, and of its middle one."""
    if cuts is None:
        return time
    begins, ends = cuts[:-1], cuts[1:] - 1
    middle = np.where(ends > begins, np.maximum((begins + ends) // 2, begins + 1), begins)
    return np.asarray(np.column_stack([time[begins], time[middle]]).ravel())


def _plain(values: Array) -> list[float | None]:
    """Seven digits: more than a screen shows."""
    return [float(f"{value:.7g}") if value == value and abs(value) != np.inf else None for value in values.tolist()]


def _rounded(values: Array, digits: int) -> list[float]:
    return [round(value, digits) for value in values.tolist()]
