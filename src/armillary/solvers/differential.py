"""Joint velocities for a velocity of the tool, within limits: jogging."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.model import Model
from armillary.solvers import differential_kernels as kernels
from armillary.solvers import line_kernels as lines
from armillary.solvers.chain import chain_between
from armillary.solvers.errors import BadTarget, SolverError
from armillary.solvers.target import Hold

__all__ = ["Jog", "JogStep"]

Array = NDArray[np.float64]
_SHARP = np.pi / 3  # rad between directions beyond which it brakes first
_SAME = 0.02  # rad between directions that are one line still
_LONGEST_WALK = 100  # knots of a self-motion


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

    def __init__(
        self, model: Model, *, tip: str = "", base: str = "", hold: Hold | str | None = None, dt: float = 0.001, push: float = 1.0
    ) -> None:
        """Args:
        tip, base: As for `solve_ik`.
        hold: What of the poses on the line counts. Where left out all of it, or what the arm has joints for: the position
            and the tool's z axis for five, the position for fewer.
        dt: Length of a tick [s].
        push: Which share of the joints' accelerations is used.
        """
        if not 0.0 < push <= 1.0:
            raise SolverError(f"a push of {push} is none; give a share above 0 and up to 1")
        if not 0.0 < dt <= 0.02:
            raise SolverError(f"ticks of {dt} s; give a length above zero and up to 0.02 s")
        self.model, self.dt = model, dt
        self.chain = chain_between(model, base, tip or model.tip)
        self.hold = Hold.of(hold) if hold is not None else self.chain.holds
        self._mask, self._limits = np.array(self.hold.weights), self.chain.limits.copy()
        columns = self.chain.columns
        self._velocity, self._acceleration = model.velocity[columns].copy(), push * model.acceleration[columns]
        self._length = self.chain.radian
        self._worth = np.where(self.chain.turning, 1.0, 1.0 / self._length)
        n = self.chain.n
        self._before, self._out, self._why = np.zeros(n), np.zeros(n), np.zeros(2, dtype=np.int64)
        self._line, self._direction, self._in_tool = np.eye(4), np.zeros(6), False
        self._knots, self._slopes = np.zeros((lines.KNOTS, n + 2)), np.zeros((lines.KNOTS, n + 1))
        self._walk, self._state = np.zeros((_LONGEST_WALK, n)), np.array(lines.FRESH)

    def reset(self) -> None:
        """Forget the last tick: the robot stands."""
        self._before[:] = 0.0
        self._direction[:] = 0.0
        self._state[:] = lines.FRESH

    def remember(self) -> tuple[Array, ...]:
        """All that it remembers of the ticks before, to come back to with `recall`."""
        flags = np.array([float(self._in_tool)])
        return tuple(
            array.copy()
            for array in (self._before, self._line, self._direction, self._knots, self._slopes, self._walk, self._state, flags)
        )

    def recall(self, memory: tuple[Array, ...]) -> None:
        """Go back to what was remembered: what was tried since then did not happen."""
        kept = (self._before, self._line, self._direction, self._knots, self._slopes, self._walk, self._state)
        for array, values in zip(kept, memory[:-1], strict=True):
            array[:] = values
        self._in_tool = bool(memory[-1][0])

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
        speed = math.sqrt(asked[:3] @ asked[:3]) + self._length * math.sqrt(asked[3:] @ asked[3:])
        order = self._order(asked, speed, in_tool)
        # A joint outside its limits (a sag, a narrower cell) may come in, and the others move: its own place is inside for now.
        self._limits[0], self._limits[1] = np.minimum(self.chain.limits[0], own), np.maximum(self.chain.limits[1], own)
        share = kernels.tick(
            *self.chain.geometry, self._limits, self._velocity, self._acceleration, self.dt, self._length, self._worth,
            self.hold.form, self._mask, self.hold.in_tool, self._direction, speed, self._in_tool, order, self._line, own,
            self._before, self._knots, self._slopes, self._walk, self._state, self._out, self._why,
        )  # fmt: skip
        self._before[:] = self._out
        dq = np.zeros(self.model.n)
        dq[self.chain.columns] = self._out
        return JogStep(dq, float(share), self._held_by(share) if order != kernels.STOP else "")

    def _order(self, asked: Array, speed: float, in_tool: bool) -> int:
        """What is to be done in this tick.

        Another speed keeps the line, another direction is turned into. Against the motion it brakes on its line first, and then
        begins the new one.
        """
        if speed < 1e-9:
            return kernels.STOP
        angle = self._angle(asked, in_tool)
        if angle <= _SAME and self._state[lines.COUNT] > 0.0:
            return kernels.FOLLOW
        if self._moves():
            if angle > _SHARP or self._state[lines.COUNT] == 0.0:
                return kernels.STOP
            if self._state[lines.HORIZON] > 0.0 and self._state[lines.ENDED] == 0.0:
                return kernels.FOLLOW  # the last turn is not seen through yet
        order = kernels.TURN if self._moves() else kernels.BEGIN
        self._direction[:], self._in_tool = asked / speed, in_tool
        return order

    def _moves(self) -> bool:
        return bool(np.abs(self._before).max() > 1e-6)

    def _angle(self, asked: Array, in_tool: bool) -> float:
        """How far a new direction is off the line [rad]; half a turn where there is none."""
        if in_tool != self._in_tool:
            return math.pi
        scale = self._length**2
        u, v = self._direction, asked
        mixed = float(u[:3] @ v[:3] + scale * (u[3:] @ v[3:]))
        size = math.sqrt((u[:3] @ u[:3] + scale * (u[3:] @ u[3:])) * (v[:3] @ v[:3] + scale * (v[3:] @ v[3:])))
        return math.acos(min(max(mixed / size, -1.0), 1.0)) if size > 1e-15 else math.pi

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
