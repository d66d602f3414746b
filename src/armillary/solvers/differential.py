"""Joint velocities for a velocity of the tool, within limits: jogging."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.model import Model
from armillary.solvers import differential_kernels as kernels
from armillary.solvers.chain import chain_between
from armillary.solvers.errors import BadTarget, SolverError
from armillary.solvers.target import Hold

__all__ = ["Jog", "JogStep"]

Array = NDArray[np.float64]
_FRESH = (kernels.NEAR, 0.0, 0.0, 1.0, 0.0, 0.0)  # memory of a new line
_SHARP = np.pi / 3  # rad between directions beyond which it brakes first
_SAME = 0.02  # rad between directions that are one line still
_AXES = np.eye(3)


@dataclass(frozen=True, eq=False)
class JogStep:
    """What one tick of a jog answers.

    Attributes:
        dq: Joint velocities, shape (n,) [rad/s or m/s], inside velocity, acceleration and braking limits.
        share: Which share of the asked speed they keep, 0 to 1.
        held_by: What slows it, in words; "" at full speed.
    """

    dq: Array
    share: float
    held_by: str


class Jog:
    """A tool that is moved by velocity, one tick after another.

    The tip keeps to the line that it was sent along: where a limit or a singularity is near, it becomes slower and does not
    leave its way. It stops at the edge of its reach, and goes back from there, or on in any direction that is possible.

    Not for several threads: it remembers the last tick.
    """

    def __init__(self, model: Model, *, tip: str = "", base: str = "", hold: Hold | str | None = None, dt: float = 0.001) -> None:
        """Args:
        tip, base: As for `solve_ik`.
        hold: What of the poses on the line counts. Where left out all of it, or what the arm has joints for: the position
            and the tool's z axis for five, the position for fewer.
        dt: Length of a tick [s].
        """
        if not 0.0 < dt <= 0.02:
            raise SolverError(f"ticks of {dt} s; give a length above zero and up to 0.02 s")
        self.model, self.dt = model, dt
        self.chain = chain_between(model, base, tip or model.tip)
        self.hold = (
            Hold.of(hold)
            if hold is not None
            else (Hold.pose() if self.chain.n >= 6 else Hold.axis("z") if self.chain.n == 5 else Hold.position())
        )
        self._mask, self._limits = np.array(self.hold.weights), self.chain.limits.copy()
        columns = self.chain.columns
        self._velocity, self._acceleration = model.velocity[columns].copy(), model.acceleration[columns].copy()
        self._length = self.chain.radian
        self._fair = 0.25 * float(self._velocity.min()) * max(min(self.chain.reach, 2.0), 0.1)
        self._before, self._out = np.zeros(self.chain.n), np.zeros(self.chain.n)
        self._line, self._twist, self._why = np.eye(4), np.zeros(6), np.zeros(2, dtype=np.int64)
        self._asked, self._in_tool = np.zeros(6), False
        self._memory, self._goal = np.array(_FRESH), np.zeros(self.chain.n)

    def reset(self) -> None:
        """Forget the last tick: the robot stands."""
        self._before[:] = 0.0
        self._asked[:] = 0.0

    def step(self, q: Array, twist: Array | Sequence[float], *, in_tool: bool = False) -> JogStep:
        """Joint velocities for the next tick.

        Args:
            q: Where the joints are, shape (n,).
            twist: Asked velocity of the tip: linear [m/s], then angular [rad/s], along the base's axes. Shape (6,).
            in_tool: The twist is along the tool's own axes.

        Raises:
            BadConfiguration: q has another length or is not finite.
            BadTarget: The twist is not six finite numbers.
        """
        own = self.model.valid(q)[self.chain.columns]
        asked = _six(twist)
        stop = False
        if in_tool != self._in_tool or (asked != self._asked).any():
            # Another speed keeps the line; another direction is turned into; against the motion it brakes on its line first, and
            # then begins the new one.
            angle = self._angle(asked, in_tool)
            stop = self._moves() and angle > _SHARP
            if not stop:
                if angle > _SAME:
                    self._line[:] = self.chain.pose(own)
                if angle > _SHARP:
                    self._memory[:] = _FRESH
                self._asked, self._in_tool = asked.copy(), in_tool
        # A joint outside its limits (a sag, a narrower cell) may come in, and the others move: its own place is inside for now.
        self._limits[0], self._limits[1] = np.minimum(self.chain.limits[0], own), np.maximum(self.chain.limits[1], own)
        R = self._line[:3, :3] if self._in_tool else _AXES
        self._twist[:3], self._twist[3:] = R @ self._asked[:3], R @ self._asked[3:]
        share = kernels.tick(
            *self.chain.geometry, self._limits, self._velocity, self._acceleration, self.dt, self._length, self._fair,
            self.hold.form, self._mask, self.hold.in_tool, self._twist, stop, self._line, own, self._before, self._memory,
            self._goal, self._out, self._why,
        )  # fmt: skip
        self._before[:] = self._out
        dq = np.zeros(self.model.n)
        dq[self.chain.columns] = self._out
        return JogStep(dq, float(share), self._held_by(share))

    def _moves(self) -> bool:
        return bool(np.abs(self._before).max() > 1e-6)

    def _angle(self, asked: Array, in_tool: bool) -> float:
        """How far a new direction is off the one that is being followed [rad]; half a turn where there is none."""
        scale = np.array([1.0, 1.0, 1.0, self._length, self._length, self._length])
        old, new = scale * self._asked, scale * asked
        size = float(np.linalg.norm(old) * np.linalg.norm(new))
        if in_tool != self._in_tool or size < 1e-12:
            return float(np.pi)
        return float(np.arccos(np.clip(old @ new / size, -1.0, 1.0)))

    def _held_by(self, share: float) -> str:
        kind, joint = int(self._why[0]), int(self._why[1])
        if kind == kernels.BLOCKED:
            return "nothing further in this direction can be reached"
        if kind == kernels.TURNING:
            return "joints turn first, so that this direction becomes possible"
        if kind == kernels.HELD:
            return "the edge of what can be reached is near"
        if kind == kernels.SLOWED and share < 0.999:
            return f"{self.chain.joints[joint] if joint >= 0 else 'a joint'} can do no more, in speed or acceleration"
        return ""


def _six(twist: Array | Sequence[float]) -> Array:
    try:
        values = np.asarray(twist, dtype=float)
    except (TypeError, ValueError):
        raise BadTarget("the twist is not six numbers; give linear [m/s] and angular [rad/s] velocity") from None
    if values.shape != (6,) or not np.isfinite(values).all():
        raise BadTarget(f"the twist {np.array2string(values, threshold=8)} is not six finite numbers; give m/s, then rad/s")
    return values
