"""ROS's JointTrajectory as a motion of ours: through all its points, from where the robot is."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.errors import ArmillaryError
from armillary.interfaces.ros.cell_messages import seconds
from armillary.motion import Trajectory, quintic_through, refine

__all__ = ["BadTrajectory", "WrongJoints", "check_trajectory", "read_trajectory"]

Array = NDArray[np.float64]
_MOST = 20_000  # points
_NEAR = 0.01  # rad or m: so far from where the robot is a trajectory may begin
_STILL = 1e-3  # rad/s or m/s at its end
_SOON = 1e-3  # s: a first point that is no later is the beginning
_AT_LEAST = 0.02  # s for a trajectory of one point that says no time


class BadTrajectory(ArmillaryError):
    """A trajectory that cannot be driven; says which point, which joint and why."""


class WrongJoints(BadTrajectory):
    """It names joints that the robot has not."""


def read_trajectory(message: Mapping[str, Any], joints: tuple[str, ...], start: Array) -> Trajectory:
    """A trajectory through the points of a message, from where the robot stands. Joints that it does not name stay.

    Args:
        joints: All of the robot's. start: Where they are, shape (n,).

    Raises:
        BadTrajectory: Points that do not fit together, do not begin where the robot is, or end in motion.
    """
    columns, times, moved, v, a = _read(message, joints)
    q = np.tile(start, (len(times), 1))
    q[:, columns] = moved
    times, q, v, a = _begun(times, q, v, a, start, joints)
    if v is None:
        return refine(joints, times, q)
    return quintic_through(joints, times, q, v, _from_velocities(times, v) if a is None else a, profile="ROS")


def check_trajectory(message: Mapping[str, Any], joints: tuple[str, ...]) -> None:
    """All of `read_trajectory` that can be known before the robot stands where it is to begin.

    Raises:
        BadTrajectory: Joints, numbers or times are wrong, or it ends in motion.
    """
    _read(message, joints)


def _read(
    message: Mapping[str, Any], joints: tuple[str, ...]
) -> tuple[list[int], Array, Array, Array | None, Array | None]:  # fmt: skip
    """Which joints it moves, its times, where it moves those, and velocities and accelerations of all joints."""
    points = message["points"]
    columns = _columns(message["joint_names"], joints)
    if not points:
        raise BadTrajectory("the trajectory has no points")
    if len(points) > _MOST:
        raise BadTrajectory(f"the trajectory has {len(points)} points; {_MOST} are the most")
    times = np.array([seconds(point["time_from_start"]) for point in points])
    moved = _values(points, "positions", columns)
    v, a = (_derivatives(points, name, columns, len(joints)) for name in ("velocities", "accelerations"))
    _check_times(times)
    if v is not None and np.abs(v[-1]).max() > _STILL:
        j = int(np.abs(v[-1]).argmax())
        raise BadTrajectory(f"the trajectory ends while {joints[j]} moves with {v[-1, j]:.3g}; end it at rest")
    return columns, times, moved, v, a


def _columns(names: Any, joints: tuple[str, ...]) -> list[int]:
    names = list(names)
    for name in names:
        if name not in joints:
            raise WrongJoints(f"there is no joint '{str(name)[:60]}'; there are: {', '.join(joints)}")
    if len(set(names)) != len(names) or not names:
        raise WrongJoints("the trajectory names no joints, or one twice")
    return [joints.index(name) for name in names]


def _values(points: Any, name: str, columns: list[int]) -> Array:
    for k, point in enumerate(points):
        if len(point[name]) != len(columns):
            raise BadTrajectory(f"point {k + 1} has {len(point[name])} {name} for {len(columns)} joints")
        if not np.isfinite(point[name]).all():
            raise BadTrajectory(f"point {k + 1} has {name} that are no numbers: {np.asarray(point[name]).tolist()}")
    return np.array([point[name] for point in points], dtype=float)


def _derivatives(points: Any, name: str, columns: list[int], n: int) -> Array | None:
    """Velocities or accelerations of all joints, where every point has them."""
    if not any(len(point[name]) for point in points):
        return None
    found = np.zeros((len(points), n))
    found[:, columns] = _values(points, name, columns)
    return found


def _check_times(times: Array) -> None:
    for k in range(1, len(times)):
        if times[k] <= times[k - 1]:
            raise BadTrajectory(
                f"point {k + 1} is at {times[k]:g} s, and the one before it at {times[k - 1]:g} s; times must grow"
            )


def _begun(
    times: Array, q: Array, v: Array | None, a: Array | None, start: Array, joints: tuple[str, ...]
) -> tuple[Array, Array, Array | None, Array | None]:
    """With where the robot is as its beginning."""
    still = np.zeros((1, len(joints)))
    if times[0] <= _SOON and len(times) > 1:
        apart = np.abs(q[0] - start)
        if apart.max() > _NEAR:
            j = int(apart.argmax())
            raise BadTrajectory(
                f"the trajectory begins with {joints[j]} at {q[0, j]:.4f}, and it is at {start[j]:.4f}; begin where the robot "
                "is, or leave out the point at 0 s"
            )
        q = np.vstack([start[None], q[1:]])
        v, a = (None if each is None else np.vstack([still, each[1:]]) for each in (v, a))
        return np.concatenate([[0.0], times[1:]]), q, v, a
    times = np.maximum(times, _AT_LEAST) if len(times) == 1 else times
    v, a = (None if each is None else np.vstack([still, each]) for each in (v, a))
    return np.concatenate([[0.0], times]), np.vstack([start[None], q]), v, a


def _from_velocities(times: Array, v: Array) -> Array:
    """Accelerations that fit to velocities: at rest at both ends, and the mean of both sides in between."""
    a = np.zeros_like(v)
    slopes = np.diff(v, axis=0) / np.diff(times)[:, None]
    a[1:-1] = 0.5 * (slopes[1:] + slopes[:-1])
    return a
