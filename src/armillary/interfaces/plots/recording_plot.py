"""A recording drawn: what was commanded and measured over time, with states, events and the program's lines."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.runtime.errors import RuntimeProblem
from armillary.runtime.recording import Recording
from armillary.runtime.states import State

__all__ = [
    "NothingToPlot",
    "Panel",
    "Stretch",
    "colours_of",
    "draw_recording",
    "envelope",
    "is_fault",
    "joint_legend",
    "panels_of",
    "part_of",
    "source_stretches",
    "state_colour",
    "state_stretches",
]

Array = NDArray[np.float64]
_STATE_COLOURS = {
    State.OFF: "#d9d9d9", State.STOPPED: "#efe3d0", State.INITIALISING: "#f7efb2", State.READY: "#e3efe6",
    State.MOVING: "#d6e6f7", State.HOLDING: "#ecdff5", State.FAULTED: "#f9d2d0",
}  # fmt: skip
_COMMANDED = (State.READY, State.MOVING, State.HOLDING, State.FAULTED)  # in others nothing is asked of the joints
_SEEN = ("MOVE", "ARRIVED")  # events that the bands show already
_PIXELS = 1500  # across a panel: as many least and greatest values are drawn
_FEW = 10  # joints that a palette of clearly different colours has


class NothingToPlot(RuntimeProblem):
    """A part of a recording that has nothing in it."""


@dataclass(frozen=True, eq=False)
class Panel:
    """One quantity over time.

    Attributes:
        name, unit: For its axis.
        commanded, measured: What they are called, each with its values (k, n); None where there is no such thing.
        logarithmic: Whether its axis is.
    """

    name: str
    unit: str
    commanded: tuple[str, Array]
    measured: tuple[str, Array] | None = None
    logarithmic: bool = False


@dataclass(frozen=True)
class Stretch:
    """A time [s] in which something stays the same."""

    begin: float
    end: float
    name: str


def part_of(
    recording: Recording, *, joints: Sequence[str] = (), begin: float | None = None, end: float | None = None
) -> Recording:
    """Some joints, or some time [s since its start], of a recording. Times stay as they are.

    Raises:
        NothingToPlot: There is no such joint, or no tick in that time.
    """
    names = recording.about.joints
    for joint in joints:
        if joint not in names:
            raise NothingToPlot(f"there is no joint '{joint}' in the recording; there are: {', '.join(names)}")
    columns = [names.index(joint) for joint in joints] if joints else list(range(len(names)))
    low, high = -np.inf if begin is None else begin, np.inf if end is None else end
    ticks = np.flatnonzero((recording.time >= low) & (recording.time <= high))
    if not len(ticks):
        lasts = f"0 to {recording.time[-1]:.3f} s" if len(recording.time) else "no time at all"
        raise NothingToPlot(f"there is no tick from {low:g} to {high:g} s; the recording has {lasts}")
    one = slice(int(ticks[0]), int(ticks[-1]) + 1)
    wide = ("q", "v", "a", "torque", "measured_q", "measured_v", "measured_a", "measured_torque")
    single = ("late", "work", "round_trip", "rate", "progress", "state", "certified", "contacts", "overruns", "time", "source")
    return replace(
        recording, about=replace(recording.about, joints=tuple(names[i] for i in columns)),
        events=tuple(event for event in recording.events if low <= event.time <= high),
        **{name: getattr(recording, name)[one][:, columns] for name in wide},
        **{name: getattr(recording, name)[one] for name in single},
    )  # fmt: skip


def panels_of(recording: Recording) -> list[Panel]:
    """What is drawn, from top to bottom."""
    asked = np.isin(recording.state, _COMMANDED)[:, None]
    q, v, a, torque = (np.where(asked, values, np.nan) for values in (recording.q, recording.v, recording.a, recording.torque))
    with np.errstate(invalid="ignore"):
        error = q - recording.measured_q
    late = np.where(recording.late > 0.0, recording.late, np.nan)[:, None]  # a tick that was not late has no logarithm
    return [
        Panel("position", "rad, m", ("commanded", q), ("measured", recording.measured_q)),
        Panel("velocity", "rad/s, m/s", ("commanded", v), ("measured", recording.measured_v)),
        Panel("acceleration", "rad/s², m/s²", ("commanded", a), ("measured", recording.measured_a)),
        Panel("torque", "N m, N", ("estimated", torque), ("measured", recording.measured_torque)),
        Panel("following error", "rad, m", ("commanded − measured", error)),
        Panel("lateness of ticks", "s", ("late", late), logarithmic=True),
    ]


def envelope(time: Array, values: Array, bins: int) -> tuple[Array, Array]:
    """A line with as few points as can be seen: the least and the greatest value of each bin of time, at their own times.

    Args:
        time: Shape (k,), ascending.
        values: Shape (k,); what is no number is left out.

    Returns:
        Times and values, all of them where they are few.
    """
    if len(time) <= 2 * bins:
        return time, values
    width = (time[-1] - time[0]) / bins or 1.0
    starts = np.unique(np.searchsorted(time, time[0] + width * np.arange(bins)))
    low, high = np.where(np.isnan(values), np.inf, values), np.where(np.isnan(values), -np.inf, values)
    least, greatest = np.minimum.reduceat(low, starts), np.maximum.reduceat(high, starts)
    which = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(time))))
    at_least, at_greatest = (_first(values == extreme[which], which, starts) for extreme in (least, greatest))
    picked = np.unique(np.concatenate([at_least, at_greatest]))
    return time[picked], values[picked]


def _first(found: NDArray[np.bool_], which: NDArray[np.intp], starts: NDArray[np.intp]) -> NDArray[np.intp]:
    """The first place in each bin where something was found; the bin's begin where nothing was."""
    places = np.flatnonzero(found)
    bins, first = np.unique(which[places], return_index=True)
    answer = starts.copy()
    answer[bins] = places[first]
    return answer


def state_stretches(recording: Recording) -> list[Stretch]:
    """Where it was in which state."""
    names = {int(state): State(state).name if state in list(State) else f"state {state}" for state in np.unique(recording.state)}
    return _stretches(recording.time, [names[state] for state in recording.state.tolist()])


def source_stretches(recording: Recording) -> list[Stretch]:
    """Where a motion came from which line."""
    return [stretch for stretch in _stretches(recording.time, recording.source) if stretch.name]


def _stretches(time: Array, names: Sequence[str]) -> list[Stretch]:
    found, begin = [], 0
    for i in range(1, len(names) + 1):
        if i == len(names) or names[i] != names[begin]:
            found.append(Stretch(float(time[begin]), float(time[min(i, len(names) - 1)]), names[begin]))
            begin = i
    return found


def state_colour(name: str) -> str:
    """The background of a state; white for one that is not known."""
    return _STATE_COLOURS[State[name]] if name in State.__members__ else "#ffffff"


def is_fault(kind: str, state: str) -> bool:
    return kind == "FAULT" or state == "FAULTED"


def colours_of(count: int) -> list[str]:
    """As many colours as there are joints, as different as they can be."""
    import matplotlib
    from matplotlib.colors import to_hex

    if count <= _FEW:
        return [to_hex(shade) for shade in matplotlib.colormaps["tab10"](np.arange(count))]
    shades = matplotlib.colormaps["turbo"](np.linspace(0.03, 0.97, count))
    shades[1::2, :3] *= 0.72  # neighbours differ in brightness too
    return [to_hex(shade) for shade in shades]


def draw_recording(recording: Recording, out: Path, *, title: str = "") -> Path:
    """Draw it to a file; its suffix chooses PNG, SVG or PDF. Returns the file written."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    panels, joints = panels_of(recording), recording.about.joints
    figure = plt.figure(figsize=(16, 17))
    try:
        grid = figure.add_gridspec(
            len(panels) + 1, 1, height_ratios=[0.42, *(1.25 if p.name == "position" else 1.0 for p in panels)],
            left=0.07, right=0.86, top=0.965, bottom=0.035, hspace=0.09,
        )  # fmt: skip
        strip = figure.add_subplot(grid[0])
        axes = [figure.add_subplot(grid[i + 1], sharex=strip) for i in range(len(panels))]
        colours = colours_of(max(len(joints), 1))
        for ax, panel in zip(axes, panels, strict=True):
            _panel(ax, panel, recording.time, colours)
        _strip(strip, recording)
        _bands(axes, recording)
        _events(strip, axes, recording)
        axes[-1].set_xlabel("time since the recording's start [s]")
        strip.set_xlim(*_room(recording.time))
        for ax in (strip, *axes[:-1]):
            ax.tick_params(labelbottom=False)
        joint_legend(figure, joints, colours)
        figure.suptitle(title, fontsize=13, x=0.07, ha="left", y=0.99)
        figure.savefig(out, dpi=110)
    finally:
        plt.close(figure)
    return out


def _room(time: Array) -> tuple[float, float]:
    wide = max(float(time[-1] - time[0]), 1e-3)
    return float(time[0]) - 0.005 * wide, float(time[-1]) + 0.005 * wide


def _panel(ax: Any, panel: Panel, time: Array, colours: list[str]) -> None:
    name, values = panel.commanded
    both = panel.measured is not None and bool(np.isfinite(panel.measured[1]).any())
    for j in range(values.shape[1]):
        colour = "#444444" if panel.logarithmic else colours[j]
        ax.plot(*envelope(time, values[:, j], _PIXELS), color=colour, linewidth=0.8 if panel.logarithmic else 1.2)
        if both and panel.measured is not None:
            measured = envelope(time, panel.measured[1][:, j], _PIXELS)
            ax.plot(*measured, color=colour, linewidth=2.6, alpha=0.33, zorder=1.5)
    words = name if not both or panel.measured is None else f"{name} (thin line), {panel.measured[0]} (broad, pale)"
    if panel.measured is not None and not both:
        words += "; nothing was measured"
    if panel.logarithmic:
        words += _punctuality(ax, values)
    ax.text(0.004, 0.97, words, transform=ax.transAxes, va="top", fontsize=8, color="#333333",
            bbox={"facecolor": "white", "alpha": 0.85, "edgecolor": "none", "pad": 1.5}, zorder=6)  # fmt: skip
    ax.set_ylabel(f"{panel.name}\n[{panel.unit}]", fontsize=9)
    ax.grid(alpha=0.25)
    ax.tick_params(labelsize=8)


def _punctuality(ax: Any, late: Array) -> str:
    """The lines and the words of lateness."""
    known = late[np.isfinite(late)]
    if not len(known):
        return ": no tick was late"
    ax.set_yscale("log")
    p99 = float(np.quantile(np.where(np.isfinite(late), late, 0.0), 0.99))
    if p99 > 0.0:
        ax.axhline(p99, color="#c05000", linewidth=1.0, linestyle="--")
    return f": 99 % below {_time(p99)} (dashed), at most {_time(float(known.max()))}"


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} µs"


def _strip(ax: Any, recording: Recording) -> None:
    """States and program lines by name, above the panels."""
    ax.set_ylim(0, 3)
    ax.set_yticks([2.5, 1.5, 0.5], ["state", "line", "events"], fontsize=8)
    ax.tick_params(length=0)
    wide = float(recording.time[-1] - recording.time[0]) or 1.0
    rows = (
        [(one, 2.0, state_colour(one.name)) for one in state_stretches(recording)],
        [(one, 1.0, ("#cfd8dc", "#b0bec5")[i % 2]) for i, one in enumerate(source_stretches(recording))],
    )
    for row in rows:
        for colour in dict.fromkeys(colour for _, _, colour in row):
            spans = [(one.begin, one.end - one.begin) for one, _, own in row if own == colour]
            ax.broken_barh(spans, (row[0][1] + 0.08, 0.84), color=colour, linewidth=0)
        for stretch, y, _ in row:
            _name(ax, stretch, y, wide)


def _name(ax: Any, stretch: Stretch, y: float, wide: float) -> None:
    """What a stretch is called, where there is room for it."""
    room = int((stretch.end - stretch.begin) / wide * 210)  # letters
    if room >= min(len(stretch.name), 4):
        cut = stretch.name[: room - 1] + "…" if y == 2.0 else "…" + stretch.name[1 - room :]  # a line's number is at its end
        text = stretch.name if len(stretch.name) <= room else cut
        ax.text(0.5 * (stretch.begin + stretch.end), y + 0.5, text, ha="center", va="center", fontsize=7.5, clip_on=True)


def _bands(axes: list[Any], recording: Recording) -> None:
    by_state: dict[str, list[tuple[float, float]]] = {}
    for stretch in state_stretches(recording):
        by_state.setdefault(stretch.name, []).append((stretch.begin, stretch.end - stretch.begin))
    for name, spans in by_state.items():
        colour = state_colour(name)
        for ax in axes:
            ax.broken_barh(spans, (0, 1), transform=ax.get_xaxis_transform(), color=colour, alpha=0.55, linewidth=0, zorder=0)


def _events(strip: Any, axes: list[Any], recording: Recording) -> None:
    """A line for each event, its name where there is room, and faults in red with their text."""
    free = -np.inf
    wide = float(recording.time[-1] - recording.time[0]) or 1.0
    for event in recording.events:
        fault = is_fault(event.kind, event.state)
        colour = "#c00000" if fault else "#5b6770"
        for ax in axes:
            ax.axvline(event.time, color=colour, linewidth=1.6 if fault else 0.6, alpha=1.0 if fault else 0.6, zorder=4)
        strip.plot([event.time], [0.75], marker="v", color=colour, markersize=6 if fault else 4, clip_on=False)
        share = (event.time - float(recording.time[0])) / wide
        if event.kind not in _SEEN and not fault and share > free:
            label = event.kind.lower().replace("_", " ")
            strip.text(event.time, 0.12, label, fontsize=6.5, ha="left", color=colour)
            free = share + 0.005 * len(label) + 0.004
        if fault:
            left = share > 0.6  # the text stays inside
            axes[0].text(event.time, 0.05, f" {event.text or event.kind} ", transform=axes[0].get_xaxis_transform(), color=colour,
                         fontsize=9, fontweight="bold", ha="right" if left else "left", va="bottom", zorder=7, clip_on=False,
                         bbox={"facecolor": "white", "alpha": 0.85, "edgecolor": colour, "pad": 2})  # fmt: skip


def joint_legend(figure: Any, joints: tuple[str, ...], colours: list[str]) -> None:
    """Which joint has which colour, to the right of the panels."""
    from matplotlib.lines import Line2D

    marks = [Line2D([], [], color=colour, linewidth=2.5) for colour, _ in zip(colours, joints, strict=False)]
    names = [joint if len(joint) <= 26 else joint[:11] + "…" + joint[-14:] for joint in joints]
    figure.legend(marks, names, loc="upper left", bbox_to_anchor=(0.865, 0.97), fontsize=8, frameon=False, title="joints")
