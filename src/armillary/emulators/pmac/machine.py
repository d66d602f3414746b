"""The controller without its wires: motors, coordinate systems, programs and variables, and time that passes.

Nothing here reads a clock: `advance` says what time it is. So a minute of motion can be tested in a second.
"""

import re
from collections.abc import Callable, Sequence

from armillary.emulators.pmac.coordinate_system import CoordinateSystem
from armillary.emulators.pmac.motor import Event, Motor, MotorLimits
from armillary.emulators.pmac.plc import Plc
from armillary.emulators.pmac.program import Program
from armillary.emulators.pmac.refusal import Code, Refusal
from armillary.emulators.pmac.rotary import RotaryBuffer
from armillary.emulators.pmac.statement import Kind, Statement
from armillary.emulators.pmac.variables import COORDINATE_SYSTEMS, VariableStore, motor_cell

__all__ = ["STEP", "Machine"]

STEP = 0.001  # s: of the servo loops here; a real unit's are of 0.442 ms
_PLC_STEPS = 5  # steps from one scan of the PLC programs to the next
_MEMORY = 200_000  # words for rotary buffers
_SERVO = 0.000442  # s: a servo cycle, in which the user timers Isx11 and Isx12 count
_TIMERS = tuple(5000 + 100 * system + offset for system in range(1, COORDINATE_SYSTEMS + 1) for offset in (11, 12))
_LEAST = -8388608.0  # at which a timer stops


class Machine:
    """A PMAC.

    Attributes:
        motors: By number, from 1.
        systems: Coordinate systems by number, from 1.
        now: Its time [s].
        gathering: A data-gathering buffer is defined.
    """

    def __init__(
        self, motors: int = 8, *, limits: MotorLimits | None = None, positions: Sequence[float] = (), now: float = 0.0
    ) -> None:
        """Args:
        motors: How many are connected.
        positions: Where they stand [counts]; 0 for those not given.
        """
        self.variables = VariableStore(motors, self._memory)
        i = self.variables.i
        limits = limits or MotorLimits()
        starts = [*positions, *[0.0] * motors][:motors]
        self.motors = {k: Motor(k, i, limits, starts[k - 1]) for k in range(1, motors + 1)}
        self.now, self.gathering = now, False
        self.command: Callable[[str, int], None] = lambda _text, _system: None  # what CMD"..." in a program does
        self._steps, self._cycles = 0, 0.0
        self._clear()

    def _clear(self) -> None:
        self.programs: dict[int, Program] = {}
        self.plcs: dict[int, Plc] = {}
        self.systems = {
            number: CoordinateSystem(number, self.motors, self.programs, self.variables, self._act)
            for number in range(1, COORDINATE_SYSTEMS + 1)
        }

    def reset(self) -> None:
        """As after power-up with factory values (`$$$***`): power off, everything forgotten but where the motors are."""
        for motor in self.motors.values():
            motor.kill()
            motor.homed = motor.fatal = motor.amplifier_fault = motor.limit_stopped = False
        self.variables.reset()
        self.gathering = False
        self._clear()

    @property
    def running(self) -> bool:
        return any(system.running for system in self.systems.values())

    def system_of(self, motor: int) -> CoordinateSystem | None:
        """The coordinate system that a motor is in."""
        return next((system for system in self.systems.values() if motor in system.definitions), None)

    def advance(self, now: float) -> None:
        """Let time pass until `now` [s]."""
        systems = [system for system in self.systems.values() if system.definitions]
        while now - self.now >= STEP:
            if all(motor.rests for motor in self.motors.values()) and not any(system.busy for system in systems):
                self._count_down(now - self.now)
                self.now = now
                break
            self.now += STEP
            self._count_down(STEP)
            self._step(systems)
        if self.plcs:
            self.scan_plcs()

    def scan_plcs(self) -> None:
        """Compute the PLC programs once, so that what they give is of now."""
        switch = self.variables.i.get(5, 0.0)
        for _, plc in sorted(self.plcs.items()):
            if plc.may_run(switch):
                self.variables.system = 1
                plc.scan(self.variables, lambda statement: self._act(statement, 1))

    def define_rotary(self, number: int, size: int) -> None:
        """Make a rotary buffer of `size` words for a coordinate system.

        Raises:
            Refusal: A gathering buffer, a rotary buffer of its own or of a lower coordinate system is in the way (they are made
                from the highest to the lowest), or there is not so much memory.
        """
        lower = any(self.systems[k].rotary is not None for k in range(1, number))
        if self.gathering or lower or self.systems[number].rotary is not None or size < 1:
            raise Refusal(Code.SYNTAX)
        if size + sum(system.rotary.size for system in self.systems.values() if system.rotary is not None) > _MEMORY:
            raise Refusal(Code.NO_ROOM)
        self.systems[number].rotary = RotaryBuffer(size)

    def kill_all(self) -> None:
        """Power off all motors, and stop all programs."""
        for system in self.systems.values():
            system.drop()
        for motor in self.motors.values():
            motor.kill()

    def abort_all(self) -> None:
        """Stop all programs, decelerate, and close the loops that were open."""
        for system in self.systems.values():
            system.drop()
        for motor in self.motors.values():
            motor.abort()

    def _step(self, systems: list[CoordinateSystem]) -> None:
        for system in systems:
            if system.busy:
                system.step(STEP)
        for motor in self.motors.values():
            if not motor.rests:
                self._answer(motor, motor.step(STEP))
        self._steps += 1
        if self._steps % _PLC_STEPS == 0 and self.plcs:
            self.scan_plcs()

    def _count_down(self, passed: float) -> None:
        """Let the coordinate systems' user timers go down by one a servo cycle, and on below zero."""
        self._cycles += passed / _SERVO
        whole, i = float(int(self._cycles)), self.variables.i
        self._cycles -= whole
        for timer in _TIMERS:
            if timer in i:
                i[timer] = max(i[timer] - whole, _LEAST)

    def _answer(self, motor: Motor, event: Event) -> None:
        """What the controller does when something happens to a motor: the factory's Ixx24."""
        if event in (Event.FOLLOWING, Event.AMPLIFIER):
            self.kill_all()
        elif event == Event.LIMIT:
            system = self.system_of(motor.number)
            if system is not None and system.moving:
                system.abort()
            else:
                motor.abort()

    def _memory(self, address: int) -> float | None:
        cell = motor_cell(address)
        motor = None if cell is None else self.motors.get(cell[0])
        return None if cell is None or motor is None else motor.register(cell[1])

    def _act(self, statement: Statement, system: int) -> None:
        """What programs do beside motion."""
        variables = self.variables
        variables.system = system
        if statement.kind == Kind.ASSIGN:
            assert statement.value is not None and statement.number is not None
            variables.set(statement.name, statement.number(variables), statement.value(variables))
        elif statement.kind == Kind.ENABLE:
            assert statement.number is not None
            self.enable_plc(statement.number(variables), statement.on)
        elif statement.kind == Kind.COMMAND:
            try:
                self.command(re.sub(r"\s+", " ", statement.name), system)
            except Refusal:
                pass  # nobody listens
            variables.system = system

    def enable_plc(self, number: int, on: bool) -> None:
        plc = self.plcs.get(number)
        if plc is not None:
            if on and not plc.enabled:
                plc.restart()
            plc.enabled = on
