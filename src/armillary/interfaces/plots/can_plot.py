"""Paper 4's closed loop drawn: what the motors did of an arc, by set-points and by the period of SYNC."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from armillary.interfaces.chapters.can_study import LoggedMotion

__all__ = ["draw_can"]

_COLOURS = {
    "linear": "#b0b0b0", "backward": "#c0392b", "spline": "#2e8b57", "exact": "#1f6f8b", "exact, velocities": "#000000",
}  # fmt: skip
_SLOW = 0.05  # s: the period of the paper, drawn over time


def draw_can(found: "Mapping[tuple[str, float], LoggedMotion]", names: Mapping[str, str], out: Path) -> Path:
    """A joint's speed and the tool's deviation over time at 50 ms, and the worst of each over the period."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(13, 8), constrained_layout=True)
    methods = list(dict.fromkeys(method for method, _ in found))
    periods = sorted({period for _, period in found})
    for method in methods:
        slow, style = found[method, _SLOW], {"color": _COLOURS[method], "linewidth": 1.3}
        speed = np.rad2deg(np.diff(slow.measured[:, 3]) / slow.times[1])
        axes[0, 0].plot(slow.times[1:], speed, label=names[method], **style)
        axes[0, 1].semilogy(slow.times, 1e3 * np.maximum(slow.deviation, 1e-9), **style)
        logged = [found[method, period] for period in periods]
        milliseconds = [1e3 * period for period in periods]
        axes[1, 0].loglog(milliseconds, [1e3 * each.deviation.max() for each in logged], "o-", **style)
        axes[1, 1].loglog(milliseconds, [1e3 * each.following_error for each in logged], "o-", **style)
    labels = (
        (axes[0, 0], "time [s]", "joint 4's motor, SYNC every 50 ms [degrees/s]"),
        (axes[0, 1], "time [s]", "tool off the arc, SYNC every 50 ms [mm]"),
        (axes[1, 0], "period of SYNC [ms]", "tool off the arc, at most [mm]"),
        (axes[1, 1], "period of SYNC [ms]", "following error, at most [mrad]"),
    )
    for ax, across, up in labels:
        ax.set_xlabel(across)
        ax.set_ylabel(up)
        ax.grid(alpha=0.25)
        for axis in (ax.xaxis, ax.yaxis):  # plain numbers, also on logarithmic axes
            axis.set_major_formatter(lambda value, _: f"{value:g}")
            axis.set_minor_formatter(lambda _value, _place: "")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    figure.suptitle("Paper 4's arc through seven CiA 402 drives (quarter of 0.15 m in 5 s, waypoints every 500 ms)")
    figure.savefig(out, dpi=120)
    plt.close(figure)
    return out
