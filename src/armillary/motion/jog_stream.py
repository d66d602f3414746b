"""Jogging as a stream of short proven pieces: each goes on for a moment as asked, and then stops.

What is driven is the first moment of each piece; then the next one has replaced its stop. If there is none, the stop is driven.
So a jog is held to the same proof as any motion: limits exactly, jerk included, and collision.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from armillary.model import Model
from armillary.motion.certificate import Bounds, Certificate, certify
from armillary.motion.errors import BadMotion
from armillary.motion.limits import MotionLimits
from armillary.motion.profiles import jerk_limited_towards
from armillary.motion.trajectory import State, Trajectory, join
from armillary.solvers import Jog

__all__ = ["JogPiece", "JogStream", "JointJog", "ToolJog"]

Array = NDArray[np.float64]
_TICK = 0.004  # s: of a jog by the tool
_PUSH = 0.5  # share of the accelerations that a jog by the tool uses
_RESTS = 1e-9
_ROUNDS = 12
_LONGEST = 5.0  # s of a stop


@dataclass(frozen=True, eq=False)
class JogPiece:
    """The next piece of a jog.

    Attributes:
        trajectory: On for a moment, and then to a stop.
        certificate: Of all of it.
        moment: From when in it the next piece may go on [s].
        held_by: What slows or stops it, in words, or "".
    """

    trajectory: Trajectory
    certificate: Certificate
    moment: float
    held_by: str


class JogStream(ABC):
    """A jog, piece by piece. What has been asked for by `next` has happened; a piece that is not proven has not."""

    def __init__(
        self, model: Model, limits: MotionLimits, q: Array, *, bounds: Bounds | None = None, moment: float = 0.02
    ) -> None:
        """Args:
        q: Where the robot stands.
        moment: How long each piece is driven before the next one [s].
        """
        self.model, self.limits, self.bounds, self.moment = model, limits, bounds or Bounds(), moment
        zero = np.zeros(model.n)
        self.state = State(model.valid(q).copy(), zero, zero, zero)
        self._share = 1.0  # of what is asked for that tool and motors may do

    @property
    def rests(self) -> bool:
        """Whether it stands where the next piece would begin."""
        return bool(np.abs(self.state.v).max() < _RESTS and np.abs(self.state.a).max() < 1e-6)

    def next(self, speeds: Array) -> JogPiece | None:
        """The next piece for what is asked now, or for less where tool or motors may not be so fast; None: nothing to move."""
        speeds = np.asarray(speeds, dtype=float) * self._share
        for _ in range(_ROUNDS):
            piece = self._attempt(speeds)
            if piece is None or piece.certificate or not _is_too_fast(piece.certificate):
                break
            self._share *= 0.8
            speeds = 0.8 * speeds
        if piece is not None and piece.certificate and self._share < 1.0:
            held = piece.held_by or "the tool or a motor may not be faster"
            self._share = min(1.0, 1.05 * self._share)  # perhaps it may further on
            return replace(piece, held_by=held)
        return piece

    @abstractmethod
    def _attempt(self, speeds: Array) -> JogPiece | None:
        """The next piece for velocities, proven or not; None where there is nothing to move."""

    def _proven(self, trajectory: Trajectory, moment: float, held_by: str) -> JogPiece:
        certificate = certify(trajectory, self.model, limits=self.limits, bounds=replace(self.bounds, start=self.state))
        if not certificate:
            held_by = str(certificate)
        return JogPiece(trajectory, certificate, moment, held_by)


class JointJog(JogStream):
    """By velocities of the joints, shape (n,)."""

    def _attempt(self, speeds: Array) -> JogPiece | None:
        try:
            ahead = jerk_limited_towards(self.limits, self.state, np.asarray(speeds, dtype=float))
        except BadMotion:
            return None
        part = ahead.part(0.0, min(self.moment, ahead.duration))
        held = "" if ahead.duration > self.moment else "a joint is at the end of its range"
        try:
            tail = jerk_limited_towards(self.limits, part.end, np.zeros(self.model.n))
        except BadMotion:  # it rests
            tail = None
        trajectory = replace(
            part if tail is None else join([part, tail], tolerance=1e-6), continuity=2, profile="jog", origins=()
        )
        piece = self._proven(trajectory, part.duration, held)
        if piece.certificate:
            self.state = part.end
        return piece


class ToolJog(JogStream):
    """By a twist of the tool: linear [m/s], angular [rad/s], shape (6,), along the axes of `base` or of the tool.

    The joints' velocities come from `Jog`, tick by tick, with half of their acceleration, and are averaged over a window in which
    that acceleration can build up at the jerk that is allowed. An average of velocities that change linearly is a cubic in each
    tick, with constant jerk: exact.
    """

    def __init__(
        self, model: Model, limits: MotionLimits, q: Array, *, bounds: Bounds | None = None, moment: float = 0.02,
        tip: str = "", base: str = "", in_tool: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(model, limits, q, bounds=bounds, moment=moment)
        self.in_tool = in_tool
        self.jog = Jog(model, tip=tip, base=base, dt=_TICK, push=_PUSH)
        window = float((2.0 * _PUSH * limits.acceleration / limits.jerk).max()) * 1.001
        self._ring = np.zeros((max(int(np.ceil(window / _TICK)), 1), model.n))  # accelerations of the last window, oldest first
        self._raw, self._speed = self.state.q.copy(), np.zeros(model.n)
        self._mean = np.array([self.state.q, self.state.v, self.state.a])

    def _attempt(self, speeds: Array) -> JogPiece | None:
        before = self._memory()
        twist = np.asarray(speeds, dtype=float)
        rows, held_by = [], ""
        for _ in range(max(round(self.moment / _TICK), 1)):
            row, held_by = self._tick(twist)
            rows.append(row)
        moment, after = len(rows) * _TICK, self._memory()
        for _ in range(int(_LONGEST / _TICK)):
            if self._still():
                break
            rows.append(self._tick(np.zeros(6))[0])
        c = np.array(rows)
        if not np.abs(c[:, :, 1:]).max() > 1e-9:
            self._recall(before)
            return JogPiece(_standing(self.limits, self.state), _NOTHING, 0.0, held_by) if held_by else None
        trajectory = Trajectory(self.limits.joints, np.full(len(c), _TICK), c, continuity=2, profile="jog")
        piece = self._proven(trajectory, moment, held_by)
        self._recall(after if piece.certificate else before)
        return piece

    def _tick(self, twist: Array) -> tuple[Array, str]:
        """One tick of the jog: its cubics, shape (n, 6), and what holds it."""
        step = self.jog.step(self._raw, twist, in_tool=self.in_tool)
        a = (step.dq - self._speed) / _TICK
        self._raw = self._raw + step.dq * _TICK
        self._speed = step.dq
        jerk = (a - self._ring[0]) / (len(self._ring) * _TICK)
        self._ring = np.vstack([self._ring[1:], a])
        q, v, w = self._mean
        row = np.zeros((self.model.n, 6))
        row[:, 0], row[:, 1], row[:, 2], row[:, 3] = q, v, 0.5 * w, jerk / 6.0
        self._mean = np.array([
            q + _TICK * (v + _TICK * (0.5 * w + _TICK * jerk / 6.0)), v + _TICK * (w + 0.5 * _TICK * jerk), w + _TICK * jerk,
        ])  # fmt: skip
        return row, step.held_by

    def _still(self) -> bool:
        return bool(np.abs(self._speed).max() < _RESTS and np.abs(self._ring).max() < _RESTS)

    def _memory(self) -> tuple[Array, ...]:
        return (self._raw.copy(), self._speed.copy(), self._ring.copy(), self._mean.copy(), *self.jog.remember())

    def _recall(self, memory: tuple[Array, ...]) -> None:
        self._raw, self._speed, self._ring, self._mean = (array.copy() for array in memory[:4])
        self.jog.recall(memory[4:])
        q, v, a = self._mean
        self.state = State(q.copy(), v.copy(), a.copy(), np.zeros(self.model.n))


def _is_too_fast(certificate: Certificate) -> bool:
    return all(violation.kind in ("tool speed", "motor") for violation in certificate.violations)


_NOTHING = Certificate(holds=False, violations=(), checked=(), segments=(), bound_to="")


def _standing(limits: MotionLimits, state: State) -> Trajectory:
    c = np.zeros((1, len(limits.joints), 6))
    c[0, :, 0] = state.q
    return Trajectory(limits.joints, np.array([_TICK]), c)
