"""Paper 1 drawn: how far limbs point beside the person's, and the arc of the hand of both (its figure 11)."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from armillary.interfaces.chapters.imitation_study import MotionStudy

__all__ = ["draw_imitation"]

_COLOURS = {"upper_arm": "#c0392b", "forearm": "#1f6f8b", "head": "#2e8b57"}
_LEAST = 1e-2  # degrees: as far as the axis goes


def draw_imitation(studies: "Sequence[MotionStudy]", out: Path) -> Path:
    """Of each robot: the share of frames below an angle, and the way of the hand in the motion where it goes furthest."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    robots = list(dict.fromkeys(each.robot for each in studies))
    figure, axes = plt.subplots(len(robots), 3, figsize=(14, 4.4 * len(robots)), constrained_layout=True, squeeze=False)
    for row, robot in zip(axes, robots, strict=True):
        of_robot = [each for each in studies if each.robot == robot]
        for part, colour in _COLOURS.items():
            for reachable, style in ((True, "-"), (False, ":")):
                off = np.concatenate([np.degrees(each.of_part(part, reachable=reachable)) for each in of_robot])
                if len(off):
                    label = f"{part.replace('_', ' ')}{'' if reachable else ', all frames'}"
                    row[0].plot(np.sort(np.maximum(off, _LEAST)), np.linspace(0, 100, len(off)), style, color=colour, label=label)
        row[0].axvline(1.0, color="#999999", linewidth=0.8)
        row[0].set(xscale="log", xlabel="off the person's direction [degrees]", ylabel=f"{robot}: frames [%]", ylim=(0, 101))
        row[0].legend(frameon=False, fontsize=8, loc="upper left")
        widest = max(of_robot, key=lambda each: float(np.ptp(each.hand[0], axis=0).sum()))
        for panel, (across, up, names) in zip(row[1:], ((0, 2, "forward, up"), (1, 2, "left, up")), strict=True):
            for who, style, colour, wide in ((0, "-", "#999999", 3.0), (1, "-", "#c0392b", 1.0)):
                panel.plot(
                    widest.hand[who, :, across], widest.hand[who, :, up], style, color=colour, linewidth=wide,
                    label=("person", "robot")[who],
                )  # fmt: skip
            panel.set(xlabel=f"{names.split(', ')[0]} [arm lengths]", ylabel="up [arm lengths]", aspect="equal")
            panel.legend(frameon=False, fontsize=8)
        row[1].set_title(f"the hand in {Path(widest.name).name[:40]}", fontsize=9)
        for ax in row:
            ax.grid(alpha=0.25)
    figure.suptitle("A person's motion on a humanoid: direction errors, and the arc of the hand (paper 1, figure 11)")
    figure.savefig(out, dpi=110)
    plt.close(figure)
    return out
