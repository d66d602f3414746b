"""Paper 4's figures drawn again: the tool's deviation from an arc, and table 2 in motion."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from armillary.motion import Trajectory
from armillary.motion.refinement_study import METHODS, RefinementStudy

__all__ = ["draw_arc", "draw_line", "draw_table_2"]

Array = NDArray[np.float64]
_COLOURS = {
    "linear": "#b0b0b0", "backward": "#c0392b", "central": "#e08a1e",
    "spline": "#2e8b57", "exact": "#1f6f8b", "knots added": "#000000",
}  # fmt: skip


def draw_arc(studies: Sequence[RefinementStudy], names: Mapping[str, str], out: Path) -> Path:
    """Deviation over time, one panel a duration, logarithmic."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(studies), figsize=(14, 4.6), constrained_layout=True, sharey=True)
    for ax, study in zip(axes, studies, strict=True):
        for method in METHODS:
            ax.semilogy(
                study.times,
                1e3 * np.maximum(study.deviation[method], 1e-11),
                color=_COLOURS[method],
                linewidth=1.3,
                label=names[method],
            )
        ax.axhline(0.1, color="#888888", linestyle=":", linewidth=1.2)
        ax.text(0.02 * study.duration, 0.115, "the paper's 0.1 mm", fontsize=8, color="#555555")
        ax.set_title(f"in {study.duration:g} s")
        ax.set_xlabel("time [s]")
        ax.grid(alpha=0.25)
        ax.set_ylim(1e-7, 30)
    axes[0].set_ylabel("distance from the arc [mm]")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    figure.suptitle("Quarter arc of 0.15 m on the Panda, waypoints every 500 ms (paper 4)")
    figure.savefig(out, dpi=120)
    plt.close(figure)
    return out


def draw_line(study: RefinementStudy, names: Mapping[str, str], out: Path) -> Path:
    """The paper's figures 2 and 3: a joint's angle at constant speed between waypoints, and the tool's way off its line."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(14, 4.6), constrained_layout=True)
    joint, step = 3, study.times[1] - study.times[0]
    for method in ("linear", "backward", "spline"):
        q = np.rad2deg(study.motions[method][:, joint])
        left.plot(study.times, q, color=_COLOURS[method], linewidth=1.3, label=names[method])
        middle.plot(study.times[1:], np.diff(q) / step, color=_COLOURS[method], linewidth=1.3)
    left.plot(study.waypoints[0], np.rad2deg(study.waypoints[1][:, joint]), "k+", markersize=8)
    left.set_ylabel("joint 4 [degrees]")
    middle.set_ylabel("velocity of joint 4 [degrees/s]")
    for method in METHODS:
        off = 1e3 * np.maximum(study.deviation[method], 1e-11)
        right.semilogy(study.times, off, color=_COLOURS[method], linewidth=1.3, label=names[method])
    right.set_ylabel("distance from the line [mm]")
    right.set_ylim(1e-7, 30)
    for ax in (left, middle, right):
        ax.set_xlabel("time [s]")
        ax.grid(alpha=0.25)
    figure.legend(*right.get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    figure.suptitle(f"A straight line of 0.3 m in {study.duration:g} s, waypoints every 500 ms (paper 4, figures 2 and 3)")
    figure.savefig(out, dpi=120)
    plt.close(figure)
    return out


def draw_table_2(moves: Mapping[str, Trajectory], times: Array, waypoints: Array, out: Path) -> Path:
    """Angle, velocity and acceleration of the joints, as the paper's figure 8, by its method and by ours."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(3, len(moves), figsize=(13, 8), constrained_layout=True, sharex=True, sharey="row")
    colours = plt.get_cmap("tab10").colors
    for column, (name, move) in enumerate(moves.items()):
        fine = np.linspace(0, move.duration, 800)
        samples, coarse = move.sample(fine), move.sample(np.arange(0, move.duration + 1e-9, 0.05))
        for row, what in enumerate(("angle [degrees]", "velocity [degrees/s]", "acceleration [degrees/s²]")):
            ax = axes[row, column]
            for j in range(move.n - 1):  # the seventh stands
                ax.plot(fine, np.rad2deg(samples[:, row, j]), color=colours[j], linewidth=1.2, label=move.joints[j])
                ax.plot(np.arange(len(coarse)) * 0.05, np.rad2deg(coarse[:, row, j]), ".", color=colours[j], markersize=3)
            if row == 0:
                ax.plot(times, np.rad2deg(waypoints[:, : move.n - 1]), "k+", markersize=7)
                ax.set_title(
                    {"backward": "paper 4: backward differences", "spline": "ours, from the same waypoints"}.get(name, name)
                )
            if column == 0:
                ax.set_ylabel(what)
            ax.grid(alpha=0.25)
        axes[2, column].set_xlabel("time [s]; dots every 50 ms")
    axes[0, 0].legend(fontsize=7, ncols=2)
    figure.suptitle("Table 2 of paper 4 in motion (its figure 8)")
    figure.savefig(out, dpi=120)
    plt.close(figure)
    return out
