"""A robot's workspace from the side and from above, coloured by manipulability."""

from pathlib import Path

import numpy as np

from armillary.model.workspace import Workspace

__all__ = ["draw_workspace"]


def draw_workspace(workspace: Workspace, title: str, out: Path) -> Path:
    """Two views of the points that a frame reached. Returns the file written."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (side, above) = plt.subplots(1, 2, figsize=(12, 5.6), constrained_layout=True)
    points = workspace.points - [workspace.centre[0], workspace.centre[1], 0.0]
    radius = np.hypot(points[:, 0], points[:, 1])
    measure = workspace.manipulability
    top = max(float(np.quantile(measure, 0.99)), 1e-12)
    order = np.argsort(measure)
    for axes, x, y, names in (
        (side, radius, points[:, 2], ("distance from the first joint's axis [m]", "height [m]")),
        (above, points[:, 0], points[:, 1], ("x [m]", "y [m]")),
    ):
        dots = axes.scatter(x[order], y[order], c=measure[order], s=2.5, cmap="viridis", vmin=0, vmax=top, linewidths=0)
        axes.set_aspect("equal")
        axes.set_xlabel(names[0])
        axes.set_ylabel(names[1])
        axes.grid(alpha=0.25)
    side.axhline(0, color="#555555", linewidth=0.8)
    figure.colorbar(dots, ax=above, label="manipulability")
    least, greatest = workspace.reach
    figure.suptitle(f"{title}: reach {least:.2f} to {greatest:.2f} m, {len(points)} configurations")
    try:
        figure.savefig(out, dpi=120)
    finally:
        plt.close(figure)
    return out
