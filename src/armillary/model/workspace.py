"""Where a frame can be, and how well it can move there, by trying many configurations."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.model.batch import frame_jacobian_batch, frame_pose_batch
from armillary.model.model import Model

__all__ = ["Workspace", "sample_workspace"]

Array = NDArray[np.float64]
_BATCH = 20_000


@dataclass(frozen=True, eq=False)
class Workspace:
    """Points that a frame reached, and its manipulability at each."""

    points: Array  # (N, 3) [m, world]
    manipulability: Array  # (N,)
    centre: Array  # (3,) where the first joint on the way stands [m, world]

    @property
    def low(self) -> Array:
        return self.points.min(axis=0)

    @property
    def high(self) -> Array:
        return self.points.max(axis=0)

    @property
    def reach(self) -> tuple[float, float]:
        """Least and greatest distance from the first joint [m]."""
        distance = np.linalg.norm(self.points - self.centre, axis=1)
        return float(distance.min()), float(distance.max())

    @property
    def manipulability_quantiles(self) -> tuple[float, float, float, float]:
        """5 %, median, 95 % and best."""
        low, middle, high, best = np.quantile(self.manipulability, [0.05, 0.5, 0.95, 1.0])
        return float(low), float(middle), float(high), float(best)


def sample_workspace(model: Model, frame: str, *, samples: int = 20_000, seed: int = 0) -> Workspace:
    """Try configurations drawn evenly inside the limits. The same seed gives the same points."""
    rng = np.random.default_rng(seed)
    points, measures = [], []
    for start in range(0, samples, _BATCH):
        Q = model.random(rng, min(_BATCH, samples - start))
        points.append(frame_pose_batch(model, Q, frame)[:, :3, 3])
        J = frame_jacobian_batch(model, Q, frame)
        used = np.abs(J).max(axis=(0, 1)) > 0  # joints that move the frame at all
        J = J[:, :, used]
        short = J.shape[2] < 6
        gram = np.swapaxes(J, 1, 2) @ J if short else J @ np.swapaxes(J, 1, 2)
        measures.append(np.sqrt(np.maximum(np.linalg.det(gram), 0.0)))
    return Workspace(np.concatenate(points), np.concatenate(measures), _first_joint(model, frame))


def _first_joint(model: Model, frame: str) -> Array:
    carrier = model.tree.carriers[frame][0]
    if carrier < 0:
        return model.tree.carriers[frame][1][:3, 3].copy()
    while model.tree.moving[carrier].parent >= 0:
        carrier = model.tree.moving[carrier].parent
    return model.tree.moving[carrier].T_parent_joint[:3, 3].copy()
