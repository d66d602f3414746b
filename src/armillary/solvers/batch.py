"""Inverse kinematics of many poses at once: (N, 4, 4) in, (N, n) out, on all cores."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.model import BadConfiguration, Model, split_rows, valid_batch
from armillary.solvers import kernels
from armillary.solvers.chain import chain_between
from armillary.solvers.question import checked_tolerance
from armillary.solvers.target import Hold, rigid_poses

__all__ = ["BatchResult", "solve_ik_batch"]

Array = NDArray[np.float64]
ITERATIONS = 20_000  # of one pose at most: about 15 ms


@dataclass(frozen=True, eq=False)
class BatchResult:
    """The answer to `solve_ik_batch`, one row a pose.

    Attributes:
        q: Joint positions of the whole model, shape (N, n): the solution, or what came nearest. The joints
            that move the tip are inside their limits, the others as in the seed; full turns are those nearest to the seed.
        reached: Whether q puts the tip on the pose, shape (N,).
        error: What is left [m], [rad], shape (N, 2).
        iterations: Shape (N,).
    """

    q: Array
    reached: NDArray[np.bool_]
    error: Array
    iterations: NDArray[np.int64]


def solve_ik_batch(
    model: Model, T_base_tool: Array, *, seeds: Array | None = None, tip: str = "", base: str = "",
    hold: Hold | str | None = None, tolerance: tuple[float, float] = (1e-5, 1e-5),
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
    hold = Hold.of(hold)
    poses = rigid_poses(T_base_tool)
    N = len(poses)
    whole = _seeds(model, seeds, N)
    own = np.ascontiguousarray(np.clip(whole[:, chain.columns], chain.limits[0], chain.limits[1]))
    sizes, counts, reached = np.empty((N, 2)), np.empty((N, 2)), np.zeros(N, dtype=np.bool_)
    mask, near = np.array(hold.weights), np.array(checked_tolerance(tolerance))

    def work(rows: slice) -> None:
        kernels.search_many(
            *chain.geometry, chain.limits, chain.starts, chain.poses, chain.turning, poses[rows], hold.form, mask, hold.in_tool,
            near, ITERATIONS, own[rows], sizes[rows], counts[rows], reached[rows],
        )  # fmt: skip

    split_rows(N, work, least=64)
    whole[:, chain.columns] = own
    return BatchResult(whole, reached, sizes, counts[:, 0].astype(np.int64))


def _seeds(model: Model, seeds: Array | None, N: int) -> Array:
    if seeds is None:
        return np.tile(model.zero(), (N, 1))
    try:
        given = np.asarray(seeds, dtype=float)
    except (TypeError, ValueError):
        raise BadConfiguration(f"seeds are not an array of numbers; give {model.n} for all, or N rows of them") from None
    if given.ndim < 2:
        return np.tile(model.valid(given, "seeds"), (N, 1))
    if len(given) != N:
        raise BadConfiguration(f"there are {len(given)} seeds for {N} poses; give one for all, or one for each")
    return valid_batch(model, given, "seeds").copy()
