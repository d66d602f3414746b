"""Paper 5's program by LinuxCNC and by our interpreter: the joints over each move's way, and how far they are apart."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from armillary.interfaces.chapters.hil_linuxcnc import LinuxcncComparison

__all__ = ["draw_linuxcnc"]

_BLACK, _RED = "#111111", "#d62728"


def draw_linuxcnc(found: "LinuxcncComparison", folder: Path) -> list[Path]:
    """Two figures, into a folder: the histories in time, and over the way. Returns the files written."""
    import matplotlib

    matplotlib.use("Agg")
    return [_in_time(found, folder / "5_hil_linuxcnc_time.png"), _on_the_way(found, folder / "5_hil_linuxcnc_way.png")]


def _in_time(found: "LinuxcncComparison", out: Path) -> Path:
    figure, axes = _panels()
    for j, ax in enumerate(axes):
        for history, colour, name, style in (
            (found.linuxcnc, _BLACK, "LinuxCNC", "-"), (found.ours, _RED, "our interpreter", "--"),
        ):  # fmt: skip
            rows = slice(history.reached[0], history.reached[-1] + 1)
            ax.plot(history.time[rows], np.rad2deg(history.q[rows, j]), style, color=colour, linewidth=1.3, label=name)
        _label(ax, found.joints[j], "position [degrees]")
    axes[1].legend(loc="upper left", fontsize=8)
    return _save(figure, out, f"Paper 5's program: commanded joints, LinuxCNC {found.version} and ours", "time [s]")


def _on_the_way(found: "LinuxcncComparison", out: Path) -> Path:
    figure, axes = _panels()
    theirs, ours = found.linuxcnc.ways(), found.ours.ways()
    for j, ax in enumerate(axes):
        for move, (a, b) in enumerate(zip(theirs, ours, strict=True)):
            share = move + np.linspace(0.0, 1.0, len(a))
            ax.plot(share, np.rad2deg(a[:, j] - b[:, j]), color=_BLACK, linewidth=1.2)
        ax.axhline(0.0, color="#888888", linewidth=0.8)
        _label(ax, f"{found.joints[j]}: {np.rad2deg(found.at_poses[j]):.2g} degrees at the poses", "difference [degrees]")
    return _save(figure, out, "LinuxCNC less ours at equal shares of each move's way", "move")


def _panels() -> tuple[Any, list[Any]]:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 3, figsize=(13, 6.5), constrained_layout=True, sharex=True)
    return figure, list(axes.flat)


def _label(ax: Any, title: str, unit: str) -> None:
    ax.set_title(title.replace("_", " "), fontsize=10)
    ax.set_ylabel(unit, fontsize=9)
    ax.grid(alpha=0.3)


def _save(figure: Any, out: Path, title: str, below: str) -> Path:
    import matplotlib.pyplot as plt

    figure.suptitle(title)
    figure.supxlabel(below, fontsize=9)
    try:
        figure.savefig(out, dpi=110)
    finally:
        plt.close(figure)
    return out
