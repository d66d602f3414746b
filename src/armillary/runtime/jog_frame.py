"""Along whose axes a tool is jogged."""

import numpy as np
from numpy.typing import NDArray

from armillary.model import Model, frame_pose

__all__ = ["frame_axes"]

Array = NDArray[np.float64]


def frame_axes(model: Model, q: Array, frame: str) -> Array:
    """The axes of a frame along those of what the arm stands on, as it stands at q, shape (3, 3): R_base_frame.

    Args:
        frame: A link, a frame of the cell, "world", or "base" for the robot's root; "" for what the arm stands on.

    Raises:
        UnknownFrame: There is none of this name; says which there are.
    """
    if not frame:
        return np.eye(3)
    named = model.spec.robot.root.name if frame == "base" and frame not in model.frames else frame
    R_world_base = frame_pose(model, q, model.reference)[:3, :3] if model.reference else np.eye(3)
    R_world_frame = np.eye(3) if named == "world" and named not in model.frames else frame_pose(model, q, named)[:3, :3]
    return np.asarray(R_world_base.T @ R_world_frame)
