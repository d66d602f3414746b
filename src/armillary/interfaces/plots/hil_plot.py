"""Paper 5's figures 7 to 11 with our cobot: joints, tool, torque estimated and measured, and their difference."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.spatial import rpy_from_rotation

if TYPE_CHECKING:
    from armillary.interfaces.chapters.hil_study import HilRun

__all__ = ["draw_hil"]

_BLACK, _RED = "#111111", "#d62728"


def draw_hil(run: "HilRun", folder: Path, *, only_torque: bool = False) -> list[Path]:
    """The figures of a run, into a folder. Returns the files written."""
    import matplotlib

    matplotlib.use("Agg")
    name = run.case.name
    written = []
    if not only_torque:
        written.append(_joints(run, folder / f"5_hil_{name}_7_joints.png"))
        written.append(_tool(run, folder / f"5_hil_{name}_8_9_tool.png"))
    written.append(_torque(run, folder / f"5_hil_{name}_10_torque.png"))
    written.append(_difference(run, folder / f"5_hil_{name}_11_difference.png"))
    return written


def _joints(run: "HilRun", out: Path) -> Path:
    figure, axes = _panels()
    for j, (ax, joint) in enumerate(zip(axes, run.joints, strict=False)):
        ax.plot(run.time, np.rad2deg(run.q[:, j]), color=_BLACK, linewidth=1.4)
        _label(ax, joint, "position [degrees]")
    return _save(figure, out, f"Figure 7: joint positions ({run.case.name} twin)")


def _tool(run: "HilRun", out: Path) -> Path:
    figure, axes = _panels()
    angles = np.unwrap(np.array([rpy_from_rotation(T[:3, :3]) for T in run.T]), axis=0)
    for i, (ax, name) in enumerate(zip(axes[:3], "xyz", strict=True)):
        ax.plot(run.time, 1e3 * run.T[:, i, 3], color=_BLACK, linewidth=1.4)
        _label(ax, name, "position [mm]")
    for i, (ax, name) in enumerate(zip(axes[3:], ("A (about x)", "B (about y)", "C (about z)"), strict=True)):
        ax.plot(run.time, np.rad2deg(angles[:, i]), color=_BLACK, linewidth=1.4)
        _label(ax, name, "angle [degrees]")
    return _save(figure, out, f"Figures 8 and 9: the tool's position and attitude ({run.case.name} twin)")


def _torque(run: "HilRun", out: Path) -> Path:
    figure, axes = _panels()
    for j, (ax, joint) in enumerate(zip(axes, run.joints, strict=False)):
        ax.plot(run.time, run.measured[:, j], color=_BLACK, linewidth=1.4, label="measured in the twin")
        ax.plot(run.time, run.estimated[:, j], color=_RED, linewidth=1.2, linestyle="--", label="estimated (Newton, Euler)")
        _label(ax, joint, "torque [N m]")
    axes[0].legend(loc="best", fontsize=8)
    return _save(figure, out, f"Figure 10: torque measured and estimated ({run.case.name} twin)")


def _difference(run: "HilRun", out: Path) -> Path:
    figure, axes = _panels()
    for j, (ax, joint) in enumerate(zip(axes, run.joints, strict=False)):
        ax.plot(run.time, run.measured[:, j] - run.estimated[:, j], color=_BLACK, linewidth=1.2)
        ax.axhline(0.0, color="#888888", linewidth=0.8)
        _label(ax, f"{joint}: {100 * run.error[j]:.2g} % of its RMS torque", "difference [N m]")
    return _save(figure, out, f"Figure 11: measured less estimated ({run.case.name} twin)")


def _panels() -> tuple[Any, list[Any]]:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 3, figsize=(13, 6.5), constrained_layout=True, sharex=True)
    return figure, list(axes.flat)


def _label(ax: Any, title: str, unit: str) -> None:
    ax.set_title(title.replace("_", " "), fontsize=10)
    ax.set_ylabel(unit, fontsize=9)
    ax.grid(alpha=0.3)


def _save(figure: Any, out: Path, title: str) -> Path:
    import matplotlib.pyplot as plt

    figure.suptitle(title)
    figure.supxlabel("time [s]", fontsize=9)
    try:
        figure.savefig(out, dpi=110)
    finally:
        plt.close(figure)
    return out
