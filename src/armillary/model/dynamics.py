"""Forces and motion: inverse and forward dynamics, mass matrix, gravity, Coriolis, energy.

Of the rigid bodies alone. Damping and friction of the description come in by `passive_torque`, so that a caller chooses.
Torques of mimics are carried over to the joint they follow, by the transpose of the map that moves them.
"""

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from armillary.model.errors import BadConfiguration
from armillary.model.model import Model

__all__ = [
    "SLIDES",
    "centre_of_mass",
    "coriolis_matrix",
    "forward_dynamics",
    "gravity_torque",
    "inverse_dynamics",
    "kinetic_energy",
    "mass_matrix",
    "passive_coefficients",
    "passive_torque",
    "potential_energy",
    "sliding_torque",
]

Array = NDArray[np.float64]
_INF = float("inf")
SLIDES = 0.005  # rad/s or m/s from which on a joint slides, and friction is all there


def inverse_dynamics(model: Model, q: Array, v: Array, a: Array) -> Array:
    """Torques that give the accelerations a (Newton and Euler, recursively).

    Args:
        q, v, a: Positions [rad or m], velocities and accelerations, shape (n,).

    Returns:
        Shape (n,) [N m or N].
    """
    S = model.tree.S
    tau: Array
    try:
        if S is None:
            tau = pin.rnea(model.pin, model.data, q, v, a)
        else:
            tau = S.T @ pin.rnea(model.pin, model.data, model.full(q), S @ v, S @ a)
        # What is not finite in any argument is not finite in the result, and there it costs one look instead of three.
        if tau.dot(tau) < _INF:
            return tau
    except Exception:  # Pinocchio and NumPy refuse in their own words what is refused in ours below
        pass
    converted = [model.valid(values, what) for values, what in ((q, "q"), (v, "v"), (a, "a"))]
    if all(given is same for given, same in zip((q, v, a), converted, strict=True)):
        raise BadConfiguration("the torques are not finite: q, v or a is beyond all reason; give smaller values")
    return inverse_dynamics(model, *converted)


def forward_dynamics(model: Model, q: Array, v: Array, torque: Array) -> Array:
    """Accelerations that torques give. Shape (n,) [rad/s^2 or m/s^2]."""
    q, v, torque = model.valid(q), model.valid(v, "v"), model.valid(torque, "torque")
    S = model.tree.S
    if S is None:
        a: Array = pin.aba(model.pin, model.data, q, v, torque)
        return a.copy()
    bias = S.T @ pin.rnea(model.pin, model.data, model.full(q), S @ v, np.zeros(model.pin.nv))
    solution: Array = np.linalg.solve(mass_matrix(model, q), torque - bias)
    return solution


def mass_matrix(model: Model, q: Array) -> Array:
    """Joint-space inertia, symmetric and positive definite. Shape (n, n)."""
    M = np.array(pin.crba(model.pin, model.data, model.full(model.valid(q))))
    upper = np.triu(M)  # Pinocchio fills the upper half
    M = upper + np.triu(M, 1).T
    S = model.tree.S
    return M if S is None else S.T @ M @ S


def gravity_torque(model: Model, q: Array) -> Array:
    """Torques that hold the robot still. Shape (n,) [N m or N]."""
    tau = np.array(pin.computeGeneralizedGravity(model.pin, model.data, model.full(model.valid(q))))
    return tau if model.tree.S is None else model.tree.S.T @ tau


def coriolis_matrix(model: Model, q: Array, v: Array) -> Array:
    """C with C(q, v) v the Coriolis and centrifugal torques, and dM/dt - 2 C skew-symmetric. Shape (n, n)."""
    q, v = model.valid(q), model.valid(v, "v")
    S = model.tree.S
    full_v = v if S is None else S @ v
    C = np.array(pin.computeCoriolisMatrix(model.pin, model.data, model.full(q), full_v))
    return C if S is None else S.T @ C @ S


def kinetic_energy(model: Model, q: Array, v: Array) -> float:
    """Energy of motion [J]."""
    q, v = model.valid(q), model.valid(v, "v")
    S = model.tree.S
    return float(pin.computeKineticEnergy(model.pin, model.data, model.full(q), v if S is None else S @ v))


def potential_energy(model: Model, q: Array) -> float:
    """Energy of height, zero at the world's origin, what never moves included [J]."""
    moving = pin.computePotentialEnergy(model.pin, model.data, model.full(model.valid(q)))
    return float(moving - np.dot(model.spec.gravity, model.tree.static_moment))


def centre_of_mass(model: Model, q: Array) -> Array:
    """Centre of mass of everything, what never moves included. Shape (3,) [m, world].

    A robot without mass has none: NaN.
    """
    total = model.mass
    if total <= 0:
        return np.full(3, np.nan)
    pin.centerOfMass(model.pin, model.data, model.full(model.valid(q)))
    moving = total - model.tree.static_mass
    point = model.data.com[0] if moving > 0 else np.zeros(3)
    result: Array = (moving * point + model.tree.static_moment) / total
    return result


def passive_torque(model: Model, v: Array) -> Array:
    """What damping and friction of the description take from the motor at velocity v. Shape (n,) [N m or N].

    Friction is Coulomb's: its full value against any motion, and nothing at rest.
    """
    v = model.valid(v, "v")
    damping, friction = passive_coefficients(model)
    return damping * v + friction * np.sign(v)


def sliding_torque(model: Model, v: Array, way: Array | None = None) -> Array:
    """As `passive_torque`, for rows of velocities (k, n), with friction that grows to its full value until a joint slides.

    A friction that turned over at once where the velocity does would chatter: it is all there from `SLIDES` on.

    Args:
        way: Velocities that say which way friction acts, where others are known better near rest than `v`.
    """
    damping, friction = passive_coefficients(model)
    return damping * v + friction * np.tanh((v if way is None else way) / SLIDES)


def passive_coefficients(model: Model) -> tuple[Array, Array]:
    """Damping and friction seen at the commanded joints; a mimic's come with the square and size of its ratio."""
    damping, friction = np.zeros(model.n), np.zeros(model.n)
    for moving in model.tree.moving:
        dynamics = model.spec.robot.joint(moving.name).dynamics
        if dynamics is not None:
            damping[moving.driver] += dynamics.damping * moving.multiplier**2
            friction[moving.driver] += dynamics.friction * abs(moving.multiplier)
    return damping, friction
