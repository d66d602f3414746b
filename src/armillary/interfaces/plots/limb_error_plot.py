"""How far a robot was off the person whom it imitated, limb by limb, over time."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["draw_limb_errors"]

Array = NDArray[np.float64]


def draw_limb_errors(errors: Mapping[str, Array], period: float, out: Path, *, title: str) -> Path:
    """One line a part: angles, and places below where there are some.

    Args:
        errors: Of each part, shape (frames,): angles [rad], and of parts that end in "_place" distances [m].
        period: Between two frames [s].
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    angles = {part: np.degrees(off) for part, off in errors.items() if not part.endswith("_place")}
    places = {part: 1e3 * off for part, off in errors.items() if part.endswith("_place")}
    panels = [(shown, unit) for shown, unit in ((angles, "off by [degrees]"), (places, "off by [mm]")) if shown]
    figure, axes = plt.subplots(
        max(len(panels), 1), 1, figsize=(12, 4.6 * max(len(panels), 1)), constrained_layout=True, squeeze=False
    )
    for ax, (shown, unit) in zip(axes[:, 0], panels, strict=False):
        for part, off in shown.items():
            ax.plot(period * np.arange(len(off)), off, linewidth=1.0, label=f"{part.replace('_', ' ')} ({np.median(off):.2f})")
        ax.set_xlabel("time [s]")
        ax.set_ylabel(unit)
        ax.set_ylim(bottom=0.0)
        ax.grid(alpha=0.25)
        ax.legend(loc="upper right", fontsize=8, frameon=False, title="median in brackets", title_fontsize=8)
    figure.suptitle(title)
    figure.savefig(out, dpi=120)
    plt.close(figure)
    return out
