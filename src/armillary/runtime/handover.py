"""What the executor is handed to move: a proven trajectory that ends at rest, alone or as the next piece of a longer motion."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.motion import Certificate, Trajectory
from armillary.motion.certificate import segment_hashes
from armillary.runtime.inputs_outputs import TimedOutput

__all__ = ["Handover"]

Array = NDArray[np.float64]
# By which power of the rate the use of a limit grows, at most.
_ORDERS = {
    "velocity": 1, "acceleration": 2, "jerk": 3, "motor speed": 1, "motor acceleration": 2, "tool speed": 1, "torque": 2,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Handover:
    """A trajectory with its proof.

    A motion that is made while it is driven (a blended program, a jog, a new target) comes as pieces. Each ends with a stop,
    which the next one replaces from a time on, if it comes before the robot is there. If it does not, the stop is driven.

    Attributes:
        trajectory: It ends at rest.
        certificate: The proof of all of it.
        motion: The number of the motion that it belongs to.
        at: From which time of that motion on it is to be driven [s of the motion's own time]; 0 begins a motion.
        until: The time of the motion from which on another piece is to come; 0 where none is. In lock-step time stands still
            there until it has.
        while_pressed: Only as long as somebody holds it to run.
        resumable: Let go, it holds on its path, to go on when it is held again and resumed; otherwise it stops for good.
        outputs: What is set on the way, in the order of time. Those of a piece replace those of the motion from `at` on.
        hashed: Its segments were held against the proof's hashes already, as they came.
    """

    trajectory: Trajectory
    certificate: Certificate
    motion: int = 0
    at: float = 0.0
    until: float = 0.0
    while_pressed: bool = False
    outputs: tuple[TimedOutput, ...] = ()
    resumable: bool = False
    hashed: bool = False

    @property
    def most(self) -> float | None:
        """The highest rate at which its limits are kept, by what the proof says is used of them."""
        use = self.certificate.use
        shares = [use[name] ** (1.0 / order) for name, order in _ORDERS.items() if name in use]
        return 1.0 / max(max(shares), 1e-6) if shares else None

    def begins_elsewhere(self, here: Array, allowed: Array) -> str:
        """Why it cannot be begun at rest at some joint positions, or "".

        Args:
            here: Shape (n,) [rad or m]. allowed: How far from there each joint may be.
        """
        start = self.trajectory.start
        gap = np.abs(start.q - here)
        if (gap <= allowed).all() and np.abs(start.v).max() <= 1e-6:
            return ""
        joint = self.trajectory.joints[int((gap / allowed).argmax())]
        return f"it begins {gap.max():.4g} away from where {joint} is; plan from there"

    def refusal(self, world: str) -> str:
        """Why it cannot be trusted in a world (`world_hash`), or ""."""
        if not self.certificate:
            return f"this motion is not proven: {self.certificate}"
        same = self.hashed or self.certificate.segments == segment_hashes(self.trajectory)
        if self.certificate.bound_to != world or not same:
            return "this motion is not proven: its proof is of another motion, robot, limits, tool or world"
        end = self.trajectory.end
        if np.abs(end.v).max() > 1e-6:
            return "this motion does not end at rest"
        return ""
