"""Many configurations at once: poses, Jacobians, inverse dynamics. N of them as an (N, n) array, on all cores."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from armillary.model.errors import BadConfiguration
from armillary.model.model import Model
from armillary.model.tree import MovingJoint

__all__ = ["frame_jacobian_batch", "frame_pose_batch", "inverse_dynamics_batch", "split_rows", "valid_batch"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
_SMALL = 512  # rows below which threads cost more than they save


def valid_batch(model: Model, Q: Array, what: str = "Q") -> Array:
    """N configurations as the model takes them, shape (N, n).

    Raises:
        BadConfiguration: Another shape, or a value that is not finite; says which row.
    """
    try:
        Q = np.ascontiguousarray(Q, dtype=float)
    except (TypeError, ValueError):
        raise BadConfiguration(f"{what} is not an array of numbers; give N rows of {model.n}") from None
    if Q.ndim != 2 or Q.shape[1] != model.n:
        raise BadConfiguration(f"{what} has shape {Q.shape}; give N rows of {model.n} values")
    finite = np.isfinite(Q)
    if not finite.all():
        row = int(np.flatnonzero(~finite.all(axis=1))[0])
        bad = model.joints[int(np.flatnonzero(~finite[row])[0])]
        raise BadConfiguration(f"{what} is not finite in row {row} ({bad}); give finite numbers")
    return Q


def frame_pose_batch(model: Model, Q: Array, frame: str) -> Array:
    """T_world_frame of N configurations. Shape (N, 4, 4)."""
    from armillary.model.kernels import chain_poses

    Q = valid_batch(model, Q)
    chain = _chain(model, frame)
    out = np.empty((len(Q), 4, 4))
    split_rows(len(Q), lambda rows: chain_poses(Q[rows], *chain.joints.arrays, chain.R_last, chain.p_last, out[rows]))
    return out


def frame_jacobian_batch(model: Model, Q: Array, frame: str) -> Array:
    """Jacobians of a frame in N configurations, at its origin along world axes (`Reference.MIXED`). Shape (N, 6, n)."""
    from armillary.model.kernels import chain_jacobians

    Q = valid_batch(model, Q)
    chain = _chain(model, frame)
    out = np.zeros((len(Q), 6, model.n))
    split_rows(len(Q), lambda rows: chain_jacobians(Q[rows], *chain.joints.arrays, chain.p_last, out[rows]))
    return out


def inverse_dynamics_batch(model: Model, Q: Array, V: Array, A: Array) -> Array:
    """Torques of N states, shapes (N, n). Shape (N, n) [N m or N]."""
    from armillary.model.kernels import torques

    Q, V, A = valid_batch(model, Q), valid_batch(model, V, "V"), valid_batch(model, A, "A")
    if not len(Q) == len(V) == len(A):
        raise BadConfiguration(f"Q, V and A have {len(Q)}, {len(V)} and {len(A)} rows; give as many of each")
    bodies = _bodies(model)
    gravity = np.array(model.spec.gravity)
    out = np.zeros((len(Q), model.n))

    def work(rows: slice) -> None:
        torques(
            Q[rows], V[rows], A[rows], bodies.parent, *bodies.joints.arrays, bodies.mass, bodies.com, bodies.inertia,
            gravity, out[rows],
        )  # fmt: skip

    split_rows(len(Q), work)
    return out


@dataclass(frozen=True, eq=False)
class _Joints:
    """Joints as flat arrays, in the order that the kernels take them."""

    arrays: tuple[Array, Array, Array, Numbers, Numbers, Array, Array]


@dataclass(frozen=True, eq=False)
class _Chain:
    """The joints on the way to a frame, and the frame behind the last of them."""

    joints: _Joints
    R_last: Array
    p_last: Array


@dataclass(frozen=True, eq=False)
class _Bodies:
    """All joints, who carries whom, and the bodies behind them."""

    joints: _Joints
    parent: Numbers
    mass: Array
    com: Array
    inertia: Array


@lru_cache(maxsize=64)
def _chain(model: Model, frame: str) -> _Chain:
    model.frame_number(frame)
    carrier, T = model.tree.carriers[frame]
    joints = []
    while carrier >= 0:
        joints.append(model.tree.moving[carrier])
        carrier = model.tree.moving[carrier].parent
    return _Chain(_joints(joints[::-1]), np.ascontiguousarray(T[:3, :3]), np.ascontiguousarray(T[:3, 3]))


@lru_cache(maxsize=16)
def _bodies(model: Model) -> _Bodies:
    moving = model.tree.moving
    inertias = [model.pin.inertias[i + 1] for i in range(len(moving))]
    return _Bodies(
        joints=_joints(list(moving)),
        parent=np.array([joint.parent for joint in moving], dtype=np.int64),
        mass=np.array([inertia.mass for inertia in inertias]),
        com=np.array([inertia.lever for inertia in inertias]).reshape(-1, 3),
        inertia=np.array([inertia.inertia for inertia in inertias]).reshape(-1, 3, 3),
    )


def _joints(joints: list[MovingJoint]) -> _Joints:
    T = np.array([joint.T_parent_joint for joint in joints]).reshape(-1, 4, 4)
    return _Joints(
        (
            np.ascontiguousarray(T[:, :3, :3]),
            np.ascontiguousarray(T[:, :3, 3]),
            np.array([joint.axis for joint in joints], dtype=float).reshape(-1, 3),
            np.array([joint.prismatic for joint in joints], dtype=np.int64),
            np.array([joint.driver for joint in joints], dtype=np.int64),
            np.array([joint.multiplier for joint in joints], dtype=float),
            np.array([joint.offset for joint in joints], dtype=float),
        )
    )


def split_rows(count: int, work: Callable[[slice], None], *, least: int = _SMALL) -> None:
    """Do the work on all rows, in as many threads as there are cores; for compiled work that does not hold the GIL.

    Args:
        least: Rows below which threads cost more than they save.
    """
    threads = min(os.cpu_count() or 1, 1 + count // least)
    if threads == 1:
        work(slice(0, count))
        return
    edges = [count * k // threads for k in range(threads + 1)]
    rest = [_pool().submit(work, slice(edges[k], edges[k + 1])) for k in range(1, threads)]
    work(slice(edges[0], edges[1]))
    for future in rest:
        future.result()


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=os.cpu_count() or 1, thread_name_prefix="armillary-batch")


os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not come along into a forked process
