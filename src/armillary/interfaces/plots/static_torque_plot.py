"""Paper 5's figure 5 with our cobot: the torque that holds joints 2, 3 and 4 from -80 to 80 degrees."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from armillary.model import gravity_torque, load_model

__all__ = ["StaticTorques", "draw_static_torque", "static_torques"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class StaticTorques:
    """The holding torque of each joint while it alone is turned, the others at zero."""

    degrees: Array  # (k,)
    torques: dict[str, Array]  # by joint, (k,) [N m]


def static_torques(count: int = 161) -> StaticTorques:
    """Holding torques of joints 2, 3 and 4 of cobot6."""
    model = load_model("cobot6")
    degrees = np.linspace(-80.0, 80.0, count)
    torques = {}
    for joint in ("joint_2", "joint_3", "joint_4"):
        column = model.column(joint)
        values = []
        for angle in np.deg2rad(degrees):
            q = np.zeros(model.n)
            q[column] = angle
            values.append(gravity_torque(model, q)[column])
        torques[joint] = np.array(values)
    return StaticTorques(degrees, torques)


def draw_static_torque(curves: StaticTorques, out: Path) -> Path:
    """Three curves, as the paper's figure. Returns the file written."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), constrained_layout=True)
    for ax, (joint, values) in zip(axes, curves.torques.items(), strict=True):
        ax.plot(curves.degrees, values, color="#1f77b4", linewidth=2)
        ax.axhline(0, color="#888888", linewidth=0.8)
        ax.set_title(joint.replace("_", " "))
        ax.set_xlabel("joint angle [degrees]")
        ax.set_xlim(-80, 80)
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("holding torque [N m]")
    figure.suptitle("cobot6, static: one joint turned, the others at zero (paper 5, figure 5)")
    try:
        figure.savefig(out, dpi=120)
    finally:
        plt.close(figure)
    return out
