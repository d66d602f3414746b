"""A base on two tracks or wheels that are joints of the robot: what they are to do for a velocity, and where they have gone.

Odometry is what the tracks say, as if they did not slip. In the model and in the twin the robot's root stays where it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.description import JointType
from armillary.errors import ArmillaryError
from armillary.model import Model, frame_poses

__all__ = ["GROUP", "BasePose", "NoBase", "TrackedBase"]

Array = NDArray[np.float64]
GROUP = "base"  # of the cell: its left and right tracks, in any order
_STRAIGHT = 1e-9  # rad of turn below which an arc is a line


class NoBase(ArmillaryError):
    """A robot without a base that can be driven; says why."""


@dataclass(frozen=True)
class BasePose:
    """Where a base is on the floor [m], and its heading from x to y [rad]."""

    x: float = 0.0
    y: float = 0.0
    heading: float = 0.0


@dataclass(frozen=True)
class TrackedBase:
    """Attributes:
    left, right: Names of the joints. radius: Of a track where it turns [m]. apart: The tracks' middles [m].
    fastest: What the slower of them may do [rad/s].
    """

    left: str
    right: str
    radius: float
    apart: float
    fastest: float

    @classmethod
    def of(cls, model: Model, groups: Sequence[Any]) -> "TrackedBase":
        """The base of a robot whose root is on the floor, with x to the front (REP 105, 120).

        Args:
            groups: Of its cell.

        Raises:
            NoBase: It has none.
        """
        name = model.spec.robot.name
        names = next((group.joints for group in groups if group.name == GROUP), ())
        missing = [joint for joint in names if joint not in model.joints]
        if missing:
            raise NoBase(f"{name} runs without its base: {', '.join(missing)} are not moved here; run the whole cell")
        if len(names) != 2:
            raise NoBase(
                f"{name} has no base that is driven: its cell has no group '{GROUP}' of two tracks; it stands where it is"
            )
        T, root = frame_poses(model, np.zeros(model.n)), model.spec.robot.root.name
        joints = {joint.name: joint for joint in model.spec.robot.joints}
        T_root = np.linalg.inv(T[root])
        places = {each: T_root @ T[joints[each].child] for each in names}
        for each, T_root_joint in places.items():
            axis = T_root_joint[:3, :3] @ np.asarray(joints[each].axis)
            if joints[each].type is not JointType.CONTINUOUS or not np.allclose(axis, (0.0, 1.0, 0.0), atol=1e-6):
                raise NoBase(f"{name} has no base that is driven: {each} of its group '{GROUP}' does not turn about y, on and on")
        right, left = sorted(names, key=lambda each: float(places[each][1, 3]))
        apart, radius = float(places[left][1, 3] - places[right][1, 3]), float(places[left][2, 3])
        if apart <= 0.0 or radius <= 0.0 or abs(radius - float(places[right][2, 3])) > 1e-6:
            raise NoBase(f"{name} has no base that is driven: the tracks of its group '{GROUP}' are not beside each other")
        fastest = float(min(model.velocity[model.joints.index(each)] for each in names))
        return cls(left, right, radius, apart, fastest)

    def speeds(self, forward: float, turn: float) -> Array:
        """Velocities of left and right [rad/s] for one of the base [m/s, rad/s]; what is too fast is slower on the same arc."""
        found = np.array([forward - 0.5 * turn * self.apart, forward + 0.5 * turn * self.apart]) / self.radius
        return found / max(1.0, float(np.abs(found).max()) / self.fastest)

    def velocity(self, left: float, right: float) -> tuple[float, float]:
        """Of the base, forward [m/s] and turning [rad/s], from those of left and right [rad/s]."""
        return 0.5 * self.radius * (right + left), self.radius * (right - left) / self.apart

    def moved(self, pose: BasePose, left: float, right: float) -> BasePose:
        """Where it is after both have turned by so much [rad], evenly: on an arc."""
        way, turn = self.velocity(left, right)
        if abs(turn) < _STRAIGHT:
            x, y = way, 0.0
        else:
            x, y = way * np.sin(turn) / turn, way * (1.0 - np.cos(turn)) / turn
        c, s = np.cos(pose.heading), np.sin(pose.heading)
        heading = (pose.heading + turn + np.pi) % (2.0 * np.pi) - np.pi
        return BasePose(float(pose.x + c * x - s * y), float(pose.y + s * x + c * y), float(heading))
