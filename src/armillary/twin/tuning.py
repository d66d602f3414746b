"""What a robot needs to be simulated without shaking apart: sub-steps, and limits to what its description claims.

Explicit steps of length h are stable while no rate of decay is above 2/h; the rates are the eigenvalues of M^-1 (D + Kd), with M
the joint-space inertia, D the joints' damping and Kd that of the servo. They are kept below 1/h, where nothing overshoots.
"""

from dataclasses import dataclass
from math import ceil, pi

import numpy as np
from numpy.typing import NDArray

from armillary.description.robot import nearest_first
from armillary.model import Model, mass_matrix, passive_coefficients
from armillary.twin.settings import BadTwin, TwinSettings

__all__ = ["Tuning", "tune"]

Array = NDArray[np.float64]
_SAMPLES = 24  # configurations that are tried
_MOST_STEPS = 16  # in a period: more is too slow for real time
_LEAST_INERTIA = 1e-6  # kg m^2 or kg, as a joint feels it: a motor's rotor behind any gear has more
_GIVES = 0.005  # rad or m: by which friction may move a joint off its set-point
_QUICKEST = 500.0  # rad/s: of a servo that is made stiffer
_ROTOR = 1e-5  # kg m^2 or kg: that is given to those that feel less


@dataclass(frozen=True, eq=False)
class Tuning:
    """How a robot is simulated.

    Attributes:
        steps: Of the physics in a period.
        bandwidth: Of each joint's servo, shape (n,) [rad/s].
        damping, friction, armature: Of all m moving joints, shape (m,).
        coupling: How far each motor goes for each joint, in joint's units, shape (n, n); None where each has its own.
        assumptions: Where that is not what was asked for or described, in words.
    """

    steps: int
    bandwidth: Array
    damping: Array
    friction: Array
    armature: Array
    assumptions: tuple[str, ...]
    coupling: Array | None = None


def tune(model: Model, settings: TwinSettings, start: Array, coupling: Array | None = None) -> Tuning:
    """What the robot needs. coupling: See `Tuning`.

    Raises:
        BadTwin: The settings name a joint that does not move.
    """
    said: list[str] = []
    damping, friction, armature = _described(model, settings)
    samples = [start, *model.random(np.random.default_rng(0), _SAMPLES)]
    masses = [mass_matrix(model, q) * settings.mass_scale for q in samples]
    armature = _grown(model, masses, armature, said)
    S = np.eye(model.n) if model.tree.S is None else model.tree.S
    inertias = [M + S.T @ (armature[:, None] * S) for M in masses]
    # A servo feels what its motor moves: with a coupling the joints' mobility, seen through it.
    A = np.eye(model.n) if coupling is None else coupling
    inverses: list[Array] = [A @ np.linalg.inv(M).astype(float) @ A.T for M in inertias]
    back = np.linalg.inv(A)
    least = np.min([1.0 / np.diag(inverse) for inverse in inverses], axis=0)
    bandwidth = _stiff_enough(model, settings, friction, least)
    fastest = _MOST_STEPS / settings.period
    # A damper that stops its joint in less than a sub-step is not simulated but exploded.
    for row, moving in enumerate(model.tree.moving):
        most = 0.9 * fastest * float(least[moving.driver]) / max(moving.multiplier**2, 1e-12)
        if damping[row] > most:
            said.append(
                f"{moving.name}: damping {damping[row]:.3g} is more than can be simulated with its inertia; {most:.3g} is used"
            )
            damping[row] = most
    while (rate := _fastest_rate(inverses, S @ back, damping, bandwidth)) > fastest:
        if np.abs(damping).max() > 0.0 and _fastest_rate(inverses, S @ back, np.zeros_like(damping), bandwidth) < 0.9 * fastest:
            damping *= 0.8
            said.append("all damping is reduced by a fifth, to be stable")
        else:
            bandwidth *= 0.8
            said.append(f"the servos' bandwidth is reduced to {bandwidth.min() / 2 / pi:.3g} Hz, to be stable")
    steps = max(settings.steps, ceil(rate * settings.period))
    if steps > settings.steps:
        said.append(f"{steps} sub-steps a period instead of {settings.steps}: joints of little inertia are damped much")
    return Tuning(steps, bandwidth, damping, friction, armature, tuple(said), coupling)


def _stiff_enough(model: Model, settings: TwinSettings, friction: Array, least: Array) -> Array:
    """Each servo's bandwidth: as asked for, and so that its joint's friction moves it by no more than a few milliradians.

    A wrist of next to no inertia would be limp otherwise: in a real one the motor's rotor is what a drive feels.
    """
    S = np.eye(model.n) if model.tree.S is None else model.tree.S
    rubs = np.maximum(np.abs(S.T) @ friction, passive_coefficients(model)[1])
    wanted = np.sqrt(rubs / _GIVES / np.maximum(least, _LEAST_INERTIA))
    return np.maximum(2.0 * pi * settings.bandwidth_hz, np.minimum(wanted, _QUICKEST))


def _described(model: Model, settings: TwinSettings) -> tuple[Array, Array, Array]:
    """Damping, friction and armature of the moving joints: the settings', or else the description's."""
    names = [moving.name for moving in model.tree.moving]
    for what in (settings.damping, settings.friction, settings.armature):
        for name in what:
            if name not in names:
                raise BadTwin(
                    f"the twin's settings name a joint '{name}' that does not move; the nearest: {nearest_first(name, names)[0]}"
                )
    found = []
    for name in names:
        dynamics = model.spec.robot.joint(name).dynamics
        damping, friction = (dynamics.damping, dynamics.friction) if dynamics is not None else (0.0, 0.0)
        given = settings.damping.get(name, damping), settings.friction.get(name, friction), settings.armature.get(name, 0.0)
        found.append([max(value, 0.0) for value in given])
    damping_, friction_, armature_ = np.array(found, dtype=float).reshape(-1, 3).T.copy()
    return damping_, friction_, armature_


def _grown(model: Model, masses: list[Array], armature: Array, said: list[str]) -> Array:
    """Armature, with some for the joints that feel next to no inertia."""
    S = np.eye(model.n) if model.tree.S is None else model.tree.S
    some = S.T @ (armature[:, None] * S) + 1e-3 * _LEAST_INERTIA * np.eye(model.n)
    felt = np.min([1.0 / np.diag(np.linalg.inv(M + some)) for M in masses], axis=0)
    grown = armature.copy()
    for row, moving in enumerate(model.tree.moving):
        if moving.name == model.joints[moving.driver] and felt[moving.driver] < _LEAST_INERTIA:
            grown[row] += _ROTOR
            said.append(f"{moving.name}: it feels next to no inertia; {_ROTOR:.0e} is added as its motor's")
    return grown


def _fastest_rate(inverses: list[Array], S: Array, damping: Array, bandwidth: Array) -> float:
    """The fastest decay that the joints would have [1/s]."""
    passive = S.T @ (damping[:, None] * S)
    rates = []
    for inverse in inverses:
        servo = np.diag(2.0 * bandwidth / np.diag(inverse))
        rates.append(float(np.abs(np.linalg.eigvals(inverse @ (passive + servo))).max()))
    return max(rates)
