"""The difference of two recordings drawn: each quantity of each joint over the motions, and how far the tools are apart."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from armillary.interfaces.plots.recording_plot import colours_of, envelope, joint_legend
from armillary.runtime.recording_comparison import Aligned, Comparison

__all__ = ["draw_comparison"]

_PIXELS = 1500  # across a panel


def draw_comparison(comparison: Comparison, out: Path, *, title: str = "") -> Path:
    """Draw how two recordings differ over the time of the first, motion behind motion; its suffix chooses the format."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    names, colours = list(comparison.differences), colours_of(max(len(comparison.joints), 1))
    rows = len(names) + (comparison.tool is not None)
    figure, axes = plt.subplots(rows, 1, figsize=(15, 2.1 * rows + 1), sharex=True, squeeze=False)
    try:
        begin = 0.0
        for number, motion in enumerate(comparison.motions):
            _motion(axes[:, 0], motion, begin, colours, f" {number + 1}, by {motion.by}")
            begin += float(motion.time[-1]) + 0.02 if len(motion.time) else 0.0
        units = ("rad, m", "rad, m", "rad/s, m/s", "rad/s, m/s", "N m, N", "N m, N", "mm; dashed: measured")
        for ax, name, unit in zip(axes[:, 0], [*names, "tool apart"], units, strict=False):
            ax.set_ylabel(f"{name}\n[{unit}]", fontsize=8)
            ax.grid(alpha=0.25)
            ax.tick_params(labelsize=8)
            ax.margins(x=0.005)
            low, high = ax.get_ylim()
            if high - low < 1e-9:  # rounding, which is not worth a scale of its own
                ax.set_ylim(-1e-6, 1e-6)
        axes[-1, 0].set_xlabel("time of the motions of the first, one behind the other [s]")
        joint_legend(figure, comparison.joints, colours)
        figure.suptitle(title, fontsize=12, x=0.07, ha="left")
        figure.subplots_adjust(left=0.08, right=0.86, top=0.93, bottom=0.06, hspace=0.12)
        figure.savefig(out, dpi=110)
    finally:
        plt.close(figure)
    return out


def _motion(axes: Sequence[Any], motion: Aligned, begin: float, colours: list[str], name: str) -> None:
    """One motion in every panel, from where the one before ended."""
    time = begin + motion.time
    for ax, gaps in zip(axes, motion.gaps.values(), strict=False):
        for j in range(gaps.shape[1]):
            ax.plot(*envelope(time, gaps[:, j], _PIXELS), color=colours[j], linewidth=1.0)
    if motion.tool is not None:
        for distance, style in zip(motion.tool, ("-", "--"), strict=True):
            axes[-1].plot(*envelope(time, distance * 1e3, _PIXELS), color="#333333", linewidth=1.0, linestyle=style)
    for ax in axes:
        ax.axvline(begin, color="#888888", linewidth=0.7, linestyle=":")
    axes[0].text(begin, 0.03, name, transform=axes[0].get_xaxis_transform(), fontsize=8, clip_on=True)
