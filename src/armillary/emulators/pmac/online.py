"""On-line commands: what is done at once when a line comes. What is not one goes into the open buffer."""

import math
import re
from collections.abc import Callable

from armillary.emulators.pmac.axis_definition import read_axis_definition
from armillary.emulators.pmac.buffers import Buffers
from armillary.emulators.pmac.control import do_control
from armillary.emulators.pmac.coordinate_system import CoordinateSystem
from armillary.emulators.pmac.expression import Scanner, expression
from armillary.emulators.pmac.machine import Machine
from armillary.emulators.pmac.motor import MOST_COUNTS, Motor
from armillary.emulators.pmac.port import Port
from armillary.emulators.pmac.refusal import Code, Refusal
from armillary.emulators.pmac.report import global_text, motor_text, number_text, servo_speed, system_text
from armillary.emulators.pmac.statement import Statement, read_statement
from armillary.protocols.pmac import LONGEST_COMMAND

__all__ = ["MODEL", "VERSION", "OnlineCommands"]

VERSION = "1.947"
MODEL = 603382  # of a Geo Brick (3U Turbo PMAC2)
_COMMENTS = re.compile(r"^\s*!.*|;.*")  # the tools that send files take them away; a real unit never sees them
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)"
Found = re.Match[str]


class OnlineCommands:
    """Takes lines and answers them.

    Attributes:
        machine: What they are for.
        port: What is addressed; all connections of the Ethernet interface are one port.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine, self.port = machine, Port()
        self._buffers = Buffers(machine)
        self._scanner = Scanner("")
        self._lines: list[str] = []
        machine.command = self._from_program
        self._table = self._commands()

    def answer(self, text: str) -> tuple[list[str], Code | None]:
        """Do a line, and say what it answers: lines, and the code of what was refused."""
        lines: list[str] = []
        self._lines = lines
        try:
            if not text.isascii():
                raise Refusal(Code.CHARACTER)
            if len(text) > LONGEST_COMMAND:
                raise Refusal(Code.SYNTAX)
            self._line(_COMMENTS.sub("", self._controls(text)))
        except Refusal as refusal:
            return lines, refusal.code
        except (ArithmeticError, RecursionError, ValueError):  # numbers beyond what can be computed, brackets without end
            return lines, Code.SYNTAX
        return lines, None

    def control(self, character: int) -> list[str]:
        """Do a control character, and say what it reports."""
        return do_control(self.machine, character)

    def _controls(self, text: str) -> str:
        """The line without its control characters, which were done."""
        for character in text:
            if ord(character) < 32 and character not in "\t\r\n":
                self._lines += self.control(ord(character))
        return "".join(character if ord(character) >= 32 else " " for character in text)

    def _line(self, text: str) -> None:
        scanner = self._scanner = Scanner(text)
        waiting: list[Statement] = []
        begin = 0
        while not scanner.ended:
            if self.port.opened is not None:
                here = scanner.at
                statement = read_statement(scanner)
                if statement is not None:
                    begin = begin if waiting else here
                    waiting.append(statement)
                    continue
            if waiting:
                self._buffers.add(self.port, scanner.text[begin : scanner.at].strip(), waiting)
                waiting = []
            self._one(scanner)
        if waiting:
            self._buffers.add(self.port, scanner.text[begin:].strip(), waiting)

    def _one(self, scanner: Scanner) -> None:
        self.machine.variables.system = self.port.system
        for pattern, act in self._table:
            found = scanner.match(pattern)
            if found is not None:
                act(found)
                return
        if self.port.opened is None and read_statement(scanner) is not None:
            raise Refusal(Code.NOT_OPEN)
        raise Refusal(Code.SYNTAX)

    def _from_program(self, text: str, system: int) -> None:
        """What CMD"..." does: its addresses are its own, and nobody hears its answer."""
        port, lines, scanner = self.port, self._lines, self._scanner
        self.port, self._lines = Port(system=system), []
        try:
            self._line(self._controls(text))
        finally:
            self.port, self._lines, self._scanner = port, lines, scanner

    def _commands(self) -> list[tuple[re.Pattern[str], Callable[[Found], None]]]:
        """Patterns in the order in which they are tried."""
        say, buffers, machine = self._say, self._buffers, self.machine
        table: list[tuple[str, Callable[[Found], None]]] = [
            (r"#(\d+)->\s*(0(?![\d.])|[-+]?\s*[\d.]*\s*[A-CU-Z](?:\s*[-+]\s*[\d.]*\s*[A-CU-Z]?)*)?", self._define_axis),
            (r"#(\d+)?", self._address_motor),
            (r"&(\d+)?", self._address_system),
            (r"\?\?\?", lambda _: say(global_text())),
            (r"\?\?", lambda _: say(system_text(machine, self._system))),
            (r"\?", lambda _: say(motor_text(machine, self._motor))),
            (r"CLOSE(\s+ALL)?", lambda _: buffers.close(self.port)),
            (r"CLEAR|CLR", lambda _: buffers.clear(self.port)),
            (r"OPEN\s*(ROT|PROG|PLC)(?:ARY|RAM)?\s*(\d+)?", lambda found: buffers.open(self.port, *found.groups())),
            (r"DEF(?:INE)?\s*ROT(?:ARY)?\s*(\d+)", lambda found: machine.define_rotary(self.port.system, int(found.group(1)))),
            (r"DEF(?:INE)?\s*GAT(?:HER)?\s*(\d+)?", lambda _: buffers.gather(True)),
            (r"DEL(?:ETE)?\s*GAT(?:HER)?", lambda _: buffers.gather(False)),
            (r"DEL(?:ETE)?\s*ROT(?:ARY)?(\s+ALL)?", lambda found: buffers.delete_rotary(self.port, bool(found.group(1)))),
            (r"ENDG(?:AT(?:HER)?)?|END\s+GAT(?:HER)?", lambda _: None),
            (r"LIST\s*(ROT|PROG|PLC)\s*(\d+)?", lambda found: self._extend(buffers.listing(self.port, found))),
            (r"(ENABLE|ENA|DISABLE|DIS)\s*PLC\s*(\d+)(?:\.\.(\d+))?", self._enable_plcs),
            (r"UNDEF(?:INE)?(\s+ALL)?", self._undefine),
            (r"VERSION|VER", lambda _: say(VERSION)),
            (r"CID", lambda _: say(str(MODEL))),
            (r"TYPE", lambda _: say("TURBO2, X4")),
            (r"VID", lambda _: say("1")),
            (r"DATE", lambda _: say("03/14/2012")),
            (r"SIZE", lambda _: say("200000")),
            (r"SAVE", lambda _: None),
            (r"\$\$\$(\*\*\*)?", lambda _: self._reset()),
            (r"PR(?![A-Z0-9])", lambda _: say(str(len(self._system.rotary or ())))),
            (r"PMATCH", lambda _: None),  # axes are matched to the motors at each R (I14=1)
            (r"M(\d+)(?:\.\.(\d+))?->\s*(\*|[A-Z]+:\$?[0-9A-F]+(?:,[\dUSDC]+)*)?", self._define_pointer),
            (r"([IPQM])(\d+)(?:\.\.(\d+))?\s*=(?!=)", self._assign),
            (r"([IPQM])(\d+)(?:\.\.(\d+))?", self._report),
            *self._motion(),
        ]  # fmt: skip
        return [(re.compile(pattern), act) for pattern, act in table]

    def _motion(self) -> list[tuple[str, Callable[[Found], None]]]:
        say = self._say
        return [
            (r"J/", lambda _: self._jogged().jog_stop()),
            (r"J\+", lambda _: self._jogged().jog_to(math.inf)),
            (r"J-", lambda _: self._jogged().jog_to(-math.inf)),
            (rf"J=\s*({_NUMBER})", lambda found: self._jog_to(float(found.group(1)))),
            (rf"J:\s*({_NUMBER})", lambda found: self._jog_by(float(found.group(1)), commanded=True)),
            (rf"J\^\s*({_NUMBER})", lambda found: self._jog_by(float(found.group(1)), commanded=False)),
            (r"HMZ|HOMEZ", lambda _: self._jogged().home_here()),
            (r"HOME|HM", lambda _: self._home()),
            (r"K(?![A-Z0-9])", lambda _: self._idle().kill()),
            (r"B(\d+)(?:\.\d*)?", lambda found: self._system.point_at(int(found.group(1)))),
            (r"R(?![A-Z0-9])", lambda _: self._run()),
            (r"S(?![A-Z0-9])", lambda _: self._run(step=True)),
            (r"H(?![A-Z0-9])|\\", lambda _: self._system.hold()),
            (r"Q(?![A-Z0-9(])", lambda _: self._system.quit()),
            (r"A(?![A-Z0-9(.+-])", lambda _: self._system.abort()),
            (r"%\s*(\d+\.?\d*)?", self._time_base),
            (r"P(?![0-9(])", lambda _: say(number_text(round(self._motor.position, 1)))),
            (r"V(?![0-9(])", lambda _: say(servo_speed(self._motor))),
            (r"F(?![0-9(.])", lambda _: say(number_text(round(self._motor.following_error, 1)))),
        ]

    @property
    def _motor(self) -> Motor:
        motor = self.machine.motors.get(self.port.motor)
        if motor is None:
            raise Refusal(Code.SYNTAX)
        return motor

    @property
    def _system(self) -> CoordinateSystem:
        return self.machine.systems[self.port.system]

    def _say(self, text: str) -> None:
        self._lines.append(text)

    def _extend(self, lines: list[str]) -> None:
        self._lines += lines

    def _idle(self) -> Motor:
        """The addressed motor, where no program moves it."""
        system = self.machine.system_of(self.port.motor)
        if system is not None and (system.running or system.moving) and not (system.held and system.rate == 0.0):
            raise Refusal(Code.RUNNING)
        return self._motor

    def _jogged(self) -> Motor:
        motor = self._idle()
        if not motor.activated:
            raise Refusal(Code.NOT_ACTIVATED)
        return motor

    def _jog_by(self, distance: float, *, commanded: bool) -> None:
        motor = self._jogged()
        self._jog_to((motor.desired if commanded and motor.closed else motor.position) + distance)

    def _jog_to(self, target: float) -> None:
        if not abs(target) <= MOST_COUNTS:
            raise Refusal(Code.SYNTAX)
        self._jogged().jog_to(target)

    def _home(self) -> None:
        motor = self._jogged()
        motor.jog_to(0.0)  # its switch is where the encoder is zero
        motor.homed, motor.homing = False, True

    def _run(self, *, step: bool = False) -> None:
        opened = self.port.opened
        if opened is not None and opened.kind == "PROG":
            raise Refusal(Code.NO_PROGRAM)
        self._system.run(step=step)

    def _time_base(self, found: Found) -> None:
        if found.group(1) is None:
            self._say(number_text(round(100.0 * self._system.rate, 3)))
            return
        percent = float(found.group(1))
        if percent > 225.0:
            raise Refusal(Code.SYNTAX)
        self._system.percent = percent

    def _define_axis(self, found: Found) -> None:
        number, text = int(found.group(1)), found.group(2)
        owner, system = self.machine.system_of(number), self._system
        if number not in self.machine.motors:
            raise Refusal(Code.SYNTAX)
        if text is None:
            self._say(owner.definitions[number].text if owner is system else "0")
            return
        if owner is not None and owner is not system:
            raise Refusal(Code.SYNTAX)
        system.define(number, None if text == "0" else read_axis_definition(text))

    def _undefine(self, found: Found) -> None:
        for system in self.machine.systems.values() if found.group(1) else [self._system]:
            for number in list(system.definitions):
                system.define(number, None)

    def _address_motor(self, found: Found) -> None:
        if found.group(1) is None:
            self._say(str(self.port.motor))
        elif int(found.group(1)) not in range(1, 33):
            raise Refusal(Code.SYNTAX)
        else:
            self.port.motor = int(found.group(1))

    def _address_system(self, found: Found) -> None:
        if found.group(1) is None:
            self._say(str(self.port.system))
        elif int(found.group(1)) not in self.machine.systems:
            raise Refusal(Code.SYNTAX)
        else:
            self.port.system = self.machine.variables.system = int(found.group(1))

    def _define_pointer(self, found: Found) -> None:
        first, text = int(found.group(1)), found.group(3)
        variables = self.machine.variables
        for number in range(first, int(found.group(2) or first) + 1):
            if text is None:
                self._say(variables.pointers.get(number, "*"))
            else:
                variables.define(number, text)

    def _assign(self, found: Found) -> None:
        letter, first, last = found.group(1), int(found.group(2)), int(found.group(3) or found.group(2))
        value = expression(self._scanner)(self.machine.variables)
        for number in range(first, last + 1):
            self.machine.variables.set(letter, number, value)

    def _report(self, found: Found) -> None:
        letter, first, last = found.group(1), int(found.group(2)), int(found.group(3) or found.group(2))
        variables = self.machine.variables
        for number in range(first, last + 1):
            value = variables.value(letter, number)
            hexadecimal = letter == "I" and variables.is_address(number) and variables.value("I", 9) >= 2.0
            self._say(f"${int(value):X}" if hexadecimal else number_text(value))

    def _enable_plcs(self, found: Found) -> None:
        first = int(found.group(2))
        for number in range(first, int(found.group(3) or first) + 1):
            self.machine.enable_plc(number, found.group(1).startswith("E"))

    def _reset(self) -> None:
        self.machine.reset()
        self.port = Port()
