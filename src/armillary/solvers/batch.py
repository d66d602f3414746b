"""Inverse kinematics of many poses at once: (N, 4, 4) in, (N, n) out, on all cores."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.model import BadConfiguration, Model, split_rows, valid_batch
from armillary.solvers import kernels
from armillary.solvers.chain import chain_between
from armillary.solvers.errors import BadTarget
from armillary.solvers.target import Hold, rigid_pose

__all__ = ["BatchResult", "rigid_poses", "solve_ik_batch"]

Array = NDArray[np.float64]
ITERATIONS = 20_000  # of one pose at most: about 15 ms


@dataclass(frozen=True, eq=False)
class BatchResult:
    """The answer to `solve_ik_batch`, one row a pose.

    Attributes:
        q: Joint positions of the whole model, shape (N, n): the solution, or what came nearest. Always inside the limits.
        reached: Whether q puts the tip on the pose, shape (N,).
        error: What is left [m], [rad], shape (N, 2).
        iterations: Shape (N,).
    """

    q: Array
    reached: NDArray[np.bool_]
    error: Array
    iterations: NDArray[np.int64]


def solve_ik_batch(
    model: Model, T_base_tool: Array, *, seeds: Array | None = None, tip: str = "", base: str = "", hold: Hold | None = None,
    tolerance: tuple[float, float] = (1e-5, 1e-5),
) -> BatchResult:  # fmt: skip
    """Joint positions that put the tip on each of many poses, by the numeric solver.

    A pose's answer does not depend on its neighbours or on the number of cores.

    Args:
        T_base_tool: Poses, shape (N, 4, 4).
        seeds: Where to start: one configuration (n,) for all, or one for each (N, n). The model's zero where left out.
        tip, base, hold, tolerance: As for `solve_ik`.

    Raises:
        BadTarget: A pose is no rigid transform or not finite; says which.
        BadConfiguration: Seeds of another shape, or not finite.
    """
    chain = chain_between(model, base, tip or model.tip)
    hold = hold or Hold.pose()
    poses = rigid_poses(T_base_tool)
    N = len(poses)
    whole = _seeds(model, seeds, N)
    own = np.ascontiguousarray(np.clip(whole[:, chain.columns], chain.limits[0], chain.limits[1]))
    sizes, counts, reached = np.empty((N, 2)), np.empty((N, 2)), np.zeros(N, dtype=np.bool_)
    mask, near = np.array(hold.weights), np.array(tolerance)

    def work(rows: slice) -> None:
        kernels.search_many(
            *chain.geometry, chain.limits, chain.starts, chain.poses, poses[rows], hold.form, mask, hold.in_tool, near,
            ITERATIONS, own[rows], sizes[rows], counts[rows], reached[rows],
        )  # fmt: skip

    split_rows(N, work, least=64)
    whole[:, chain.columns] = own
    return BatchResult(whole, reached, sizes, counts[:, 0].astype(np.int64))


def rigid_poses(T: Array) -> Array:
    """N poses as the solvers take them, shape (N, 4, 4). Raises BadTarget, saying which is none."""
    try:
        poses = np.array(T, dtype=float, order="C")
    except (TypeError, ValueError):
        raise BadTarget("the poses are not an array of numbers; give N rigid transforms, shape (N, 4, 4)") from None
    if poses.ndim != 3 or poses.shape[1:] != (4, 4):
        raise BadTarget(f"the poses have shape {poses.shape}; give N rigid transforms, shape (N, 4, 4)")
    for number, pose in enumerate(poses):
        if kernels.rigid(pose) > 1e-12:
            poses[number] = rigid_pose(pose, f"pose {number}")
    return poses


def _seeds(model: Model, seeds: Array | None, N: int) -> Array:
    if seeds is None:
        return np.tile(model.zero(), (N, 1))
    given = np.asarray(seeds, dtype=float)
    if given.ndim == 1:
        return np.tile(model.valid(given, "seeds"), (N, 1))
    if len(given) != N:
        raise BadConfiguration(f"there are {len(given)} seeds for {N} poses; give one for all, or one for each")
    return valid_batch(model, given, "seeds").copy()
