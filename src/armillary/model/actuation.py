"""Motors and joints: a = K Ja q + a0, forward and back, for positions, velocities, accelerations, torques and limits.

Paper 2's model of coupled transmissions: a parallel linkage adds joint 2 to motor 3, a wrist differential mixes two motors.
Ja says who moves with whom, K how many counts a radian or metre is, a0 where the encoders' zero lies. Torque follows from
power: what the motors put in is what the joints give out, so tau_joints = (K Ja)^T tau_motors.

A tendon that bends several joints and cannot be turned back by them is another kind: `OneWay`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.description.cell import Actuation as ActuationDescription
from armillary.description.cell import OneWayCoupling
from armillary.description.cell_fit import MAX_CONDITION
from armillary.description.robot import Robot
from armillary.model.errors import BadConfiguration, SingularActuation

__all__ = ["ActuatorLimits", "Coupling", "OneWay", "coupling_from"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ActuatorLimits:
    """Limits of each motor that follow from those of the joints, or the other way round [counts, counts/s, ...]."""

    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array


class Coupling:
    """a = K Ja q + a0 for n joints and n motors, both ways. Immutable.

    Args:
        joints: Names, in the order of q.
        coupling: Ja, shape (n, n).
        counts_per_unit: The diagonal of K: counts per rad or m, its sign the motor's direction. Shape (n,).
        zero: a0 [counts], shape (n,).

    Attributes:
        ratios: Ja.

    Raises:
        SingularActuation: Ja cannot be inverted, or so badly that rounding would drown the result; says its condition number.
        BadConfiguration: Shapes that do not fit, or values that are not finite.
    """

    def __init__(self, joints: tuple[str, ...], coupling: Array, counts_per_unit: Array, zero: Array) -> None:
        n = len(joints)
        Ja, K, a0 = (np.array(value, dtype=float) for value in (coupling, counts_per_unit, zero))
        if Ja.shape != (n, n) or K.shape != (n,) or a0.shape != (n,):
            raise BadConfiguration(
                f"{n} joints need a coupling of {n} x {n}, {n} counts and {n} zeros; given {Ja.shape}, {K.shape}, {a0.shape}"
            )
        if not (np.isfinite(Ja).all() and np.isfinite(K).all() and np.isfinite(a0).all()):
            raise BadConfiguration("the actuation has values that are not finite; give finite numbers")
        condition = float(np.linalg.cond(Ja))
        if not condition <= MAX_CONDITION:
            raise SingularActuation(condition, MAX_CONDITION)
        if (K == 0).any():
            raise BadConfiguration("a motor with 0 counts per unit moves nothing; give its counts per rad or m")
        self.joints = joints
        self.condition = condition
        self.ratios = Ja
        self._forward = K[:, None] * Ja  # K Ja
        self._back = np.linalg.solve(Ja, np.diag(1.0 / K))  # Ja^-1 K^-1: K is exact to invert, so only Ja's condition counts
        self.zero = a0
        for array in (self.ratios, self._forward, self._back, self.zero):
            array.setflags(write=False)

    @property
    def matrix(self) -> Array:
        """K Ja, shape (n, n) [counts per rad or m]."""
        return self._forward

    def to_motors(self, q: Array) -> Array:
        """Motor positions [counts] from joint positions [rad or m]. Shape (..., n)."""
        return np.asarray(q, dtype=float) @ self._forward.T + self.zero

    def to_joints(self, a: Array) -> Array:
        """Joint positions [rad or m] from motor positions [counts]. Shape (..., n)."""
        return (np.asarray(a, dtype=float) - self.zero) @ self._back.T

    def rates_to_motors(self, v: Array) -> Array:
        """Motor velocities or accelerations from the joints'. Shape (..., n)."""
        return np.asarray(v, dtype=float) @ self._forward.T

    def rates_to_joints(self, da: Array) -> Array:
        """Joint velocities or accelerations from the motors'. Shape (..., n)."""
        return np.asarray(da, dtype=float) @ self._back.T

    def torque_to_joints(self, motor: Array) -> Array:
        """Joint torques from motor torques (per count): the same power on both sides. Shape (..., n)."""
        return np.asarray(motor, dtype=float) @ self._forward

    def torque_to_motors(self, joint: Array) -> Array:
        """Motor torques (per count) from joint torques: the same power on both sides. Shape (..., n)."""
        return np.asarray(joint, dtype=float) @ self._back

    def motor_limits(self, lower: Array, upper: Array, velocity: Array, acceleration: Array) -> ActuatorLimits:
        """The box of motor positions and rates that all joints inside their own limits can need.

        A motor that two joints share may have to travel further and faster than either.
        """
        half = (upper - lower) / 2
        size = np.abs(self._forward)
        ends = np.isfinite(half)
        # A joint without ends takes the motors that it moves with it, and no others.
        span = size @ np.where(ends, half, 0.0)
        span[(size[:, ~ends] > 0).any(axis=1)] = np.inf
        centre = self.to_motors(np.where(ends, (np.where(ends, lower, 0.0) + np.where(ends, upper, 0.0)) / 2, 0.0))
        return ActuatorLimits(centre - span, centre + span, size @ velocity, size @ acceleration)

    def outside(self, q: Array, v: Array, limits: ActuatorLimits, tolerance: float = 1e-9) -> list[str]:
        """Which motors would be beyond their own limits at joint positions q and velocities v, in words."""
        a, da = self.to_motors(q), self.rates_to_motors(v)
        said = []
        for i in range(len(self.joints)):
            slack = tolerance * max(1.0, abs(float(limits.upper[i])) if np.isfinite(limits.upper[i]) else 1.0)
            if not limits.lower[i] - slack <= a[i] <= limits.upper[i] + slack:
                said.append(f"motor {i + 1} at {a[i]:.6g} counts is outside {limits.lower[i]:.6g} to {limits.upper[i]:.6g}")
            if not abs(da[i]) <= limits.velocity[i] * (1 + tolerance):
                said.append(f"motor {i + 1} at {da[i]:.6g} counts/s is faster than {limits.velocity[i]:.6g}")
        return said


class OneWay:
    """One actuator that moves several joints: q = ratio * x + offset. There is no way back.

    Joint positions that do not lie on that line have no actuator position; `nearest` gives the best one and how far off it is.
    """

    def __init__(self, description: OneWayCoupling) -> None:
        self.actuator = description.actuator
        self.joints = description.joints
        self._ratios = np.array(description.ratios)
        self._offsets = np.array(description.offsets)
        if not np.abs(self._ratios).max() > 0:
            raise BadConfiguration(f"actuator '{self.actuator}' moves nothing: every ratio is 0; give the tendon's ratios")

    @classmethod
    def of_mimics(cls, robot: Robot, driver: str) -> "OneWay":
        """The tendon that a description writes as <mimic>: one joint and those that follow it (the InMoov's fingers)."""
        robot.joint(driver)
        joints, ratios, offsets = [driver], [1.0], [0.0]
        for joint in robot.movable:
            if joint.mimic is not None and joint.mimic.joint == driver:
                joints.append(joint.name)
                ratios.append(joint.mimic.multiplier)
                offsets.append(joint.mimic.offset)
        return cls(OneWayCoupling(actuator=driver, joints=tuple(joints), ratios=tuple(ratios), offsets=tuple(offsets)))

    def to_joints(self, x: float) -> Array:
        """Joint positions at an actuator position. Shape (k,)."""
        return self._ratios * x + self._offsets

    def nearest(self, q: Array) -> tuple[float, float]:
        """The actuator position whose joint positions come nearest to q, and the largest difference left [rad or m]."""
        x = float(self._ratios @ (np.asarray(q, dtype=float) - self._offsets) / (self._ratios @ self._ratios))
        return x, float(np.abs(self.to_joints(x) - q).max())

    def torque_at_actuator(self, joint: Array) -> float:
        """What the joints' torques ask of the actuator, by equal power."""
        return float(self._ratios @ np.asarray(joint, dtype=float))


def coupling_from(description: ActuationDescription) -> Coupling:
    """The coupling that a cell.toml describes."""
    return Coupling(
        description.joints,
        np.array(description.coupling),
        np.array(description.counts_per_unit),
        np.array(description.zero),
    )
