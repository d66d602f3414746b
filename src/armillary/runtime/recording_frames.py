"""The frames of a robot as a recording has them: ROS's tree of transforms."""

import numpy as np
from numpy.typing import NDArray

from armillary.model import Model, frame_poses

__all__ = ["Frames"]

Array = NDArray[np.float64]


class Frames:
    """The frames of a model as ROS has them: each in the link that carries it.

    Attributes:
        moving, fixed: Names of those that move in their parents and of those that do not; parents by name.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        robot = model.spec.robot
        self.parents = {joint.child: joint.parent for joint in robot.joints}
        self.parents |= {name: link for name, link, _ in model.spec.frames}
        carriers = model.tree.carriers
        there = [name for name in model.frames if self.parents.get(name) in model.tree.frames]
        self.moving = [name for name in there if carriers[name][0] != carriers[self.parents[name]][0]]
        self.fixed = [name for name in there if name not in set(self.moving)]

    def poses(self, q: Array, names: list[str]) -> Array:
        """T_parent_frame of frames, shape (k, 4, 4)."""
        T_world = frame_poses(self.model, q)
        children = np.array([T_world[name] for name in names]).reshape(-1, 4, 4)
        parents = np.array([T_world[self.parents[name]] for name in names]).reshape(-1, 4, 4)
        R = parents[:, :3, :3].transpose(0, 2, 1)  # of all at once: 50 times a second, for every link of a humanoid
        T = np.tile(np.eye(4), (len(names), 1, 1))
        T[:, :3, :3] = R @ children[:, :3, :3]
        T[:, :3, 3] = (R @ (children[:, :3, 3] - parents[:, :3, 3])[..., None])[..., 0]
        return T
