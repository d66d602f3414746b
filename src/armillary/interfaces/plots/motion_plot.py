"""A motion drawn: positions, velocities, accelerations and jerks with their limits, and the tool's way in space."""

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray

from armillary.model import Model, frame_pose_batch
from armillary.motion import MotionLimits, Plan

__all__ = ["draw_motion"]

Array = NDArray[np.float64]
_NAMES = ("position", "velocity", "acceleration", "jerk")
_UNITS = ("rad, m", "/s", "/s²", "/s³")


def draw_motion(plan: Plan, model: Model, limits: MotionLimits, path: Path, *, title: str = "") -> Path:
    """Draw a plan to a file; its suffix chooses the format."""
    trajectory = plan.trajectory
    times = np.unique(np.concatenate([np.linspace(0, trajectory.duration, 1500), trajectory.knots]))
    samples = trajectory.sample(times)
    moving = [j for j in range(model.n) if np.ptp(samples[:, 0, j]) > 1e-9] or list(range(model.n))
    colours = plt.get_cmap("tab10").colors
    figure = plt.figure(figsize=(13, 8.5), constrained_layout=True)
    grid = figure.add_gridspec(4, 2, width_ratios=(1.55, 1))
    for order in range(4):
        axes = figure.add_subplot(grid[order, 0])
        for place, j in enumerate(moving):
            colour = colours[place % 10]
            axes.plot(times, samples[:, order, j], color=colour, linewidth=1.3, label=model.joints[j] if order == 0 else None)
            _limit_lines(axes, limits, order, j, samples[:, order, j], colour)
        axes.set_ylabel(f"{_NAMES[order]}\n[{_UNITS[order]}]", fontsize=9)
        axes.grid(alpha=0.25)
        axes.margins(x=0.01)
        if order == 0:
            axes.legend(fontsize=7, ncols=4, loc="upper center", bbox_to_anchor=(0.5, 1.28), frameon=False)
        if order == 3:
            axes.set_xlabel("time [s]")
            if trajectory.continuity < 2:
                axes.text(0.5, 0.85, "no jerk is claimed: acceleration steps", transform=axes.transAxes, ha="center", fontsize=8)
        else:
            axes.tick_params(labelbottom=False)
    _tool(figure.add_subplot(grid[:3, 1], projection="3d"), plan, model, samples)
    words = figure.add_subplot(grid[3, 1])
    words.axis("off")
    holds = bool(plan.certificate)
    lines = [title, f"{trajectory.duration:.3f} s, {len(trajectory.durations)} segments", "proven" if holds else "NOT proven"]
    lines += [f"{name}: {100 * share:.0f} % of its limit" for name, share in plan.certificate.use.items()]
    if plan.certificate.clearance is not None and np.isfinite(plan.certificate.clearance):
        lines.append(f"nearest to anything: {plan.certificate.clearance * 1e3:.1f} mm")
    lines += [str(violation) for violation in plan.certificate.violations[:3]]
    words.text(
        0.0,
        1.0,
        "\n".join(line for line in lines if line),
        va="top",
        fontsize=9,
        color="black" if holds else "firebrick",
        wrap=True,
    )
    figure.savefig(path, dpi=120)
    plt.close(figure)
    return path


def _limit_lines(axes: Any, limits: MotionLimits, order: int, j: int, values: Array, colour: Any) -> None:
    """Dotted lines at a joint's limits, where they are near enough to be seen beside its values."""
    if order == 0:
        ends = [limits.lower[j], limits.upper[j]]
    else:
        ends = [-limits.of_order(order)[j], limits.of_order(order)[j]]
    most = max(float(np.abs(values).max()), 1e-9)
    for end in ends:
        if np.isfinite(end) and abs(end) < 1.6 * most and abs(end) > 0:
            axes.axhline(end, color=colour, linestyle=":", linewidth=0.9, alpha=0.8)


def _tool(axes: Any, plan: Plan, model: Model, samples: Array) -> None:
    p = frame_pose_batch(model, np.ascontiguousarray(samples[:, 0]), model.tip)[:, :3, 3]
    axes.plot(*p.T, color="#1f6f8b", linewidth=1.6, label=model.tip)
    axes.scatter(*p[0], color="seagreen", s=30, label="start")
    axes.scatter(*p[-1], color="firebrick", s=30, label="goal")
    if plan.tool is not None:
        asked = plan.tool.at(np.linspace(0, plan.tool.length, 200)).T[:, :3, 3]
        axes.plot(*asked.T, color="black", linestyle=":", linewidth=1.0, label="asked path")
    middle, half = 0.5 * (p.min(axis=0) + p.max(axis=0)), 0.55 * max(float(np.ptp(p, axis=0).max()), 0.02)
    for name, centre in zip("xyz", middle, strict=True):
        getattr(axes, f"set_{name}lim")(centre - half, centre + half)
        getattr(axes, f"set_{name}label")(f"{name} [m]", fontsize=8)
    axes.tick_params(labelsize=7)
    axes.legend(fontsize=8, loc="upper left")
    axes.set_title("the tool in the world", fontsize=10)
