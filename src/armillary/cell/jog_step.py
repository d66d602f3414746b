"""Where a jog by one step leads the tool."""

import numpy as np
from numpy.typing import NDArray

from armillary.spatial import axis_angle_rotation

__all__ = ["stepped"]

Array = NDArray[np.float64]


def stepped(T_base_tool: Array, by: Array, *, in_tool: bool) -> Array:
    """A pose moved by three lengths [m] and turned by three angles times an axis [rad].

    Args:
        in_tool: Along the tool's own axes; along those of the base otherwise, the tool turning about its own tip.
    """
    angle = float(np.linalg.norm(by[3:]))
    R = axis_angle_rotation(by[3:] / angle, angle) if angle > 0.0 else np.eye(3)
    T = np.array(T_base_tool)
    if in_tool:
        T[:3, 3] += T[:3, :3] @ by[:3]
        T[:3, :3] = T[:3, :3] @ R
    else:
        T[:3, 3] += by[:3]
        T[:3, :3] = R @ T[:3, :3]
    return T
