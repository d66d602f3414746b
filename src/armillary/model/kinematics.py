"""Where frames are, how they move, and how near a configuration is to losing a direction."""

from enum import Enum

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from armillary.model.model import Model

__all__ = [
    "Reference",
    "frame_jacobian",
    "frame_jacobian_rate",
    "frame_pose",
    "frame_poses",
    "frame_twist",
    "manipulability",
    "singular_values",
]

Array = NDArray[np.float64]
_INF = float("inf")
_forward, _place = pin.forwardKinematics, pin.updateFramePlacement  # looked up once: a call takes a microsecond


class Reference(Enum):
    """In which frame a twist (linear, then angular) is expressed, and of which point its linear part is."""

    WORLD = pin.ReferenceFrame.WORLD  # world axes, the point at the world's origin
    LOCAL = pin.ReferenceFrame.LOCAL  # the frame's own axes and origin
    MIXED = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED  # the frame's origin, world axes


def frame_pose(model: Model, q: Array, frame: str, *, out: Array | None = None) -> Array:
    """T_world_frame.

    Args:
        q: Joint positions, shape (n,) [rad or m], in `model.joints` order; outside the limits is allowed.
        out: Takes the result, shape (4, 4).

    Raises:
        UnknownFrame: The model has no such frame; the message lists those it has.
        BadConfiguration: q has another length or is not finite.
    """
    tree = model.tree
    try:
        full = q if tree.S is None else tree.S @ q + tree.c
        robot, data = model.pin, model.data
        _forward(robot, data, full)
        T: Array = _place(robot, data, tree.frames[frame]).homogeneous
        if full.dot(full) < _INF:  # NaN or infinite as soon as one value is
            if out is None:
                return T
            out[...] = T
            return out
    except Exception:  # Pinocchio and NumPy refuse in their own words what is refused in ours below
        pass
    model.frame_number(frame)
    return frame_pose(model, model.valid(q).copy(), frame, out=out)


def frame_poses(model: Model, q: Array) -> dict[str, Array]:
    """T_world_frame of every frame, by name."""
    data = model.data
    pin.framesForwardKinematics(model.pin, data, model.full(model.valid(q)))
    return {name: data.oMf[number].homogeneous for name, number in model.tree.frames.items()}


def frame_jacobian(model: Model, q: Array, frame: str, *, reference: Reference = Reference.MIXED) -> Array:
    """Jacobian of a frame's twist with respect to the commanded joints' velocities.

    Returns:
        Shape (6, n): linear, then angular, expressed as `reference` says.
    """
    full = model.full(model.valid(q))
    J: Array = pin.computeFrameJacobian(model.pin, model.data, full, model.frame_number(frame), reference.value)
    return J if model.tree.S is None else J @ model.tree.S


def frame_jacobian_rate(model: Model, q: Array, v: Array, frame: str, *, reference: Reference = Reference.MIXED) -> Array:
    """Time derivative of `frame_jacobian` along the motion v. Shape (6, n)."""
    tree, data = model.tree, model.data
    q, v = model.valid(q), model.valid(v, "v")
    full_v = v if tree.S is None else tree.S @ v
    pin.computeJointJacobiansTimeVariation(model.pin, data, model.full(q), full_v)
    pin.updateFramePlacement(model.pin, data, model.frame_number(frame))
    dJ: Array = pin.getFrameJacobianTimeVariation(model.pin, data, model.frame_number(frame), reference.value)
    return dJ if tree.S is None else dJ @ tree.S


def frame_twist(model: Model, q: Array, v: Array, frame: str, *, reference: Reference = Reference.MIXED) -> Array:
    """Twist of a frame: linear [m/s], then angular [rad/s]. Shape (6,)."""
    tree, data = model.tree, model.data
    q, v = model.valid(q), model.valid(v, "v")
    pin.forwardKinematics(model.pin, data, model.full(q), v if tree.S is None else tree.S @ v)
    number = model.frame_number(frame)
    pin.updateFramePlacement(model.pin, data, number)
    twist: Array = pin.getFrameVelocity(model.pin, data, number, reference.value).vector
    return twist.copy()


def singular_values(model: Model, q: Array, frame: str, *, length: float = 1.0) -> Array:
    """Singular values of the frame's Jacobian, largest first.

    The smallest is the distance to singularity: the largest speed that some direction can surely be given per unit of joint
    speed. It is near 0 where a direction is lost.

    Args:
        length: What one radian of turning is worth in metres, since the two do not compare by themselves [m].
    """
    J = frame_jacobian(model, q, frame, reference=Reference.LOCAL)
    J[3:] *= length
    return np.asarray(np.linalg.svd(J, compute_uv=False), dtype=float)


def manipulability(model: Model, q: Array, frame: str) -> float:
    """Yoshikawa's measure: the product of the Jacobian's singular values; 0 at a singularity.

    Of arms with fewer than six joints it is the volume in the directions that they have.
    """
    return float(np.prod(singular_values(model, q, frame)))
