"""A coordinate system: motors joined by axis definitions, the program that runs in it, and its time base."""

from collections import deque
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from armillary.emulators.pmac.axis_definition import AXES, AxisDefinition
from armillary.emulators.pmac.motion_program import MotionProgram
from armillary.emulators.pmac.motor import Motor
from armillary.emulators.pmac.path import Piece
from armillary.emulators.pmac.program import Program
from armillary.emulators.pmac.refusal import Code, Refusal
from armillary.emulators.pmac.rotary import RotaryBuffer
from armillary.emulators.pmac.statement import Kind, Statement
from armillary.emulators.pmac.variables import VariableStore

__all__ = ["CoordinateSystem"]

Array = NDArray[np.float64]
_AHEAD = 1  # pieces that are calculated before the one that is played ends
_SERVO = 0.000442  # s: of PMAC's servo cycle, in which Isx94 and Isx95 count
_MOTION = frozenset({Kind.MOVE, Kind.MODE, Kind.SET, Kind.DWELL, Kind.INCREMENTAL, Kind.STOP})
_MOST_LINES = 1000  # lines that are calculated at once while none of them moves
_MOST_ROUNDS = 2  # of a loop without a move, before the calculation is left to the next cycle


class CoordinateSystem:
    """Axes, a program and a time base.

    Attributes:
        definitions: Of the motors in it, by number.
        rotary: Its rotary buffer, where one is defined.
        running, held, stepping: What its program does.
        run_time_error: Its program was stopped by a mistake in it.
        percent: The time base that was asked for [%].
        rate: The time base now, as a share.
        pieces: How many pieces were played to their end since it was made.
    """

    def __init__(
        self, number: int, motors: dict[int, Motor], programs: dict[int, Program], variables: VariableStore,
        act: Callable[[Statement, int], None],
    ) -> None:  # fmt: skip
        self.number, self._motors, self._programs, self._variables, self._act = number, motors, programs, variables, act
        self.definitions: dict[int, AxisDefinition] = {}
        self.rotary: RotaryBuffer | None = None
        self.motion = MotionProgram(number, variables)
        self.running = self.held = self.stepping = self.run_time_error = False
        self.percent, self.rate, self.pieces = 100.0, 1.0, 0
        self._program: int | None = None
        self._at = 0
        self._queue: deque[Piece] = deque()
        self._piece: Piece | None = None
        self._t = 0.0
        self._held_at: Array = np.zeros(0)

    @property
    def members(self) -> list[Motor]:
        return [self._motors[number] for number in sorted(self.definitions)]

    @property
    def moving(self) -> bool:
        """A move or a dwell is being played, or waits to be."""
        return self._piece is not None or bool(self._queue)

    @property
    def busy(self) -> bool:
        """Time must pass in steps."""
        rotary = self.rotary
        waits = self.running and (self._program != 0 or (rotary is not None and len(rotary) > 0))
        return self.moving or waits or self.rate != (0.0 if self.held else self.percent / 100.0)

    @property
    def stopped_on_limit(self) -> bool:
        return any(motor.limit_stopped for motor in self.members)

    def define(self, motor: int, definition: AxisDefinition | None) -> None:
        """Join a motor, or let it go.

        Raises:
            Refusal: A program runs, or its last moves.
        """
        if self.running or self.moving:
            raise Refusal(Code.RUNNING)
        if definition is None:
            self.definitions.pop(motor, None)
        else:
            self.definitions[motor] = definition

    def to_counts(self, axes: dict[str, float]) -> Array:
        """Motor positions of axis positions [counts], in the order of `members`."""
        return np.array([
            definition.offset + sum(scale * axes[axis] for axis, scale in definition.scales.items())
            for _, definition in sorted(self.definitions.items())
        ])  # fmt: skip

    def to_axes(self, counts: Array) -> dict[str, float]:
        """Axis positions of motor positions, by axis; those that no motor follows are left out."""
        definitions = [definition for _, definition in sorted(self.definitions.items())]
        names = [axis for axis in AXES if any(axis in definition.scales for definition in definitions)]
        matrix = np.array([[definition.scales.get(axis, 0.0) for axis in names] for definition in definitions])
        offsets = np.array([definition.offset for definition in definitions])
        solution = np.linalg.lstsq(matrix, counts - offsets, rcond=None)[0]
        return dict(zip(names, map(float, solution)))

    def point_at(self, program: int) -> None:
        """Choose a program; 0 is the rotary buffer.

        Raises:
            Refusal: A program runs.
        """
        if self.running:
            raise Refusal(Code.RUNNING)
        self._program, self._at = program, 0

    def run(self, *, step: bool = False) -> None:
        """Run the program, or go on after a hold.

        Raises:
            Refusal: It cannot run; the code says why.
        """
        members = self.members
        if self.running and not self.held:
            raise Refusal(Code.RUNNING)
        self._check(members)
        if self.held:
            if np.abs(self._commanded() - self._held_at).max() > 1.0 and self.rate == 0.0:
                raise Refusal(Code.OUT_OF_POSITION)
            self.held, self.stepping = False, step
            self.running = True
            return
        if self.moving or not all(motor.still_commanded for motor in members):
            raise Refusal(Code.UNFINISHED)
        if self._program is None or (self.rotary is None if self._program == 0 else self._program not in self._programs):
            raise Refusal(Code.NO_PROGRAM)
        counts = self._commanded()
        for motor in members:
            motor.limit_stopped = False
        self.motion.start(self.to_axes(counts), counts)
        self.running, self.stepping, self.run_time_error = True, step, False

    def _check(self, members: list[Motor]) -> None:
        if not members:
            raise Refusal(Code.NO_MOTORS)
        if not all(motor.activated for motor in members):
            raise Refusal(Code.NOT_ACTIVATED)
        if not all(motor.closed for motor in members):
            raise Refusal(Code.OPEN_LOOP)
        if any(motor.positive_limit and motor.negative_limit for motor in members):
            raise Refusal(Code.BOTH_LIMITS)

    def hold(self) -> None:
        """Slow the time base down to nothing, on the path, by Isx95."""
        if self.running or self.moving:
            self.held = True
            self._held_at = self._commanded()

    def quit(self) -> None:
        """Run out at the end of what is calculated."""
        self.running = False
        self._queue.extend(self.motion.end())

    def abort(self) -> None:
        """Stop at once: what was calculated is lost, what waits in the buffer is not."""
        self.drop()
        for motor in self.members:
            motor.abort()

    def drop(self) -> None:
        """Forget the motion and the program's running; motors are left as they are."""
        self.running = self.held = self.stepping = False
        self._piece = None
        self._queue.clear()
        self.motion.drop()
        self.rate = self.percent / 100.0

    def step(self, dt: float) -> None:
        """Let time pass, and say to the motors where they are to be."""
        before = self.rate
        self._slew(dt)
        if self.held and self.rate == before == 0.0:
            return
        if self.running:
            self._calculate()
        left = dt * 0.5 * (before + self.rate)
        while (piece := self._present()) is not None:
            room = piece.duration - self._t
            if left < room:
                self._t += left
                self._command(piece, self._t)
                break
            left -= room
            self._piece = None
            self.pieces += 1
            if not self._queue:
                self._command(piece, piece.duration)
        if self.held:
            self._held_at = self._commanded()

    def _present(self) -> Piece | None:
        """The piece that is played; where it is a new one, the next is calculated, which may abort everything."""
        if self._piece is None and self._queue:
            self._piece, self._t = self._queue.popleft(), 0.0
            if self.running:
                self._calculate()
        return self._piece

    def _command(self, piece: Piece, t: float) -> None:
        position, velocity = piece.position(t), piece.velocity(t) * self.rate
        ends = not self._queue and t >= piece.duration
        for k, motor in enumerate(self.members):
            motor.desired, motor.desired_velocity = float(position[k]), 0.0 if ends else float(velocity[k])

    def _slew(self, dt: float) -> None:
        target = 0.0 if self.held else self.percent / 100.0
        if self.rate == target:
            return
        base = 5000 + 100 * self.number
        per_cycle = self._variables.i.get(base + (95 if self.held or not self.running else 94), 0.0)
        change = per_cycle / max(self._variables.i.get(10, 1.0), 1.0) / _SERVO * dt
        self.rate += min(max(target - self.rate, -change), change)

    def _calculate(self) -> None:
        speeds = np.array([[motor.setting(22), motor.setting(16)] for motor in self.members]).T * 1e3
        rounds = 0
        for _ in range(_MOST_LINES):
            if len(self._queue) >= _AHEAD or not self.running:
                return
            try:
                statements = self._next()
                rounds += statements == ()
                if statements is None or rounds > _MOST_ROUNDS:
                    if self.motion.open:
                        self._queue.extend(self.motion.end())
                    return
                for statement in statements:
                    self._one(statement, speeds)
            except (ArithmeticError, Refusal, ValueError):
                self.run_time_error = True
                self.abort()
                return
            if self.stepping and self._queue:
                self.quit()

    def _one(self, statement: Statement, speeds: Array) -> None:
        self._variables.system = self.number
        if statement.kind == Kind.STOP:
            self.quit()
        elif statement.kind in _MOTION:
            self._queue.extend(self.motion.take(statement, self.to_counts, speeds))
        else:
            self._act(statement, self.number)

    def _next(self) -> tuple[Statement, ...] | None:
        """What comes next; None where nothing does, for now or for good."""
        if self._program == 0:
            line = None if self.rotary is None else self.rotary.next()
            return None if line is None else line.statements
        program = self._programs.get(self._program or 0)
        if program is None:
            raise Refusal(Code.NO_PROGRAM)
        self._variables.system = self.number
        act = self._act
        self._at, statement = program.run(
            self._at, self._variables, lambda other: act(other, self.number), lambda other: other.kind in _MOTION
        )
        if statement is not None:
            return (statement,)
        if program.ended(self._at):
            self.running = False
            self._queue.extend(self.motion.end())
            self._at = 0
            return None
        return ()

    def _commanded(self) -> Array:
        return np.array([motor.desired for motor in self.members])
