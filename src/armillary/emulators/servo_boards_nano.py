"""The slave boards: Arduino Nanos on one RS-485 bus, each with six servos, answering to Modbus RTU.

Six holding registers from 0 on are the servos' goals; the input registers of the same numbers are what the board puts out. Servos
say nothing of where they are, so neither does a board. One that is not written to for a while holds what it puts out.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from armillary.errors import ArmillaryError

__all__ = ["GOAL_STEP", "MOST_GOAL", "SERVOS", "MissingModbus", "NanoBoard", "NanoBus", "Servo", "modbus_part"]

SERVOS = 6  # of a board
# Unconfirmed: the paper says nothing of the registers.
GOAL_STEP = 0.01  # degree: of a register, so that the finer frame loses nothing
MOST_GOAL = 18_000  # 180 degrees
_GAP = 0.05  # s without a byte, after which what has come in part is no message any more; 3.5 characters on a real wire
_READ_HOLDING, _READ_INPUT, _WRITE_ONE, _WRITE_MANY = 3, 4, 6, 16  # function codes
_ILLEGAL_FUNCTION, _ILLEGAL_ADDRESS, _ILLEGAL_VALUE = 1, 2, 3


class MissingModbus(ArmillaryError):
    """The package that speaks Modbus is not installed."""


def modbus_part(module: str) -> Any:
    """A module of pymodbus, imported when it is needed.

    Raises:
        MissingModbus: It is not installed; says what to do.
    """
    try:
        return import_module(f"pymodbus.{module}")
    except ImportError as error:
        raise MissingModbus(f"the servo boards need pymodbus ({error}); run: pip install 'armillary[serial]'") from None


class Servo:
    """A hobby servo and the output that drives it.

    The output goes to its goal at no more than a speed. The horn follows the output, once it is off by more than the dead-band,
    and then all the way.

    Attributes:
        goal, output, angle: What is asked for, what the board puts out, where the horn is [degree].
    """

    def __init__(self, speed: float = 300.0, dead_band: float = 0.5, start: float = 90.0) -> None:
        """Args:
        speed: [degree/s]. dead_band: [degree]. start: Where horn and output are at first [degree].
        """
        self.speed, self.dead_band = speed, dead_band
        self.goal = self.output = self.angle = start
        self._turns = False

    def hold(self) -> None:
        """Stay at what is put out now."""
        self.goal = self.output

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        most = self.speed * seconds
        self.output += min(max(self.goal - self.output, -most), most)
        off = self.output - self.angle
        self._turns = off != 0.0 and (self._turns or abs(off) > self.dead_band)
        if self._turns:
            self.angle += min(max(off, -most), most)


class NanoBoard:
    """One board: registers in front of six servos.

    Attributes:
        writes: How often it was written to.
        held: Whether it holds since nothing was heard.
    """

    def __init__(self, make_servo: Callable[[], Servo] = Servo, *, silence: float = 0.2) -> None:
        """Args:
        silence: Without a write for so long it holds [s].
        """
        self.servos = [make_servo() for _ in range(SERVOS)]
        self.writes, self.held, self._silence = 0, False, silence
        self._heard = self._now = 0.0

    def write(self, first: int, values: list[int], now: float) -> int:
        """Set goals; returns 0, or the Modbus exception code of what is wrong, and then nothing is changed."""
        if not values or first + len(values) > SERVOS:
            return _ILLEGAL_ADDRESS
        if max(values) > MOST_GOAL:
            return _ILLEGAL_VALUE
        self.advance(now)
        for servo, value in zip(self.servos[first:], values):
            servo.goal = value * GOAL_STEP
        self.writes, self.held, self._heard = self.writes + 1, False, now
        return 0

    def advance(self, now: float) -> None:
        """Let the servos turn until a time [s]; on silence they hold from when it is too long, however late this is called."""
        ends = self._heard + self._silence
        if not self.held and now > ends:
            self._turn(ends)
            for servo in self.servos:
                servo.hold()
            self.held = True
        self._turn(now)

    def _turn(self, until: float) -> None:
        if until > self._now:
            for servo in self.servos:
                servo.advance(until - self._now)
            self._now = until


class NanoBus:
    """The boards on their bus: bytes in, bytes out. Addresses begin at 1; 0 is for all of them, and nobody answers.

    Attributes:
        boards: By address.
        deaf: Addresses of boards that are not there, for tests of what then happens.
    """

    def __init__(self, boards: dict[int, NanoBoard], *, deaf: frozenset[int] = frozenset()) -> None:
        pdu = modbus_part("pdu")
        self.boards, self.deaf = boards, deaf
        self._messages = modbus_part("pdu.register_message")
        self._exception = pdu.ExceptionResponse
        self._framer = modbus_part("framer").FramerRTU(pdu.DecodePDU(True))
        self._buffer, self._heard = b"", 0.0

    def feed(self, data: bytes, now: float) -> bytes:
        """What is answered to some bytes."""
        if now - self._heard > _GAP:
            self._buffer = b""
        self._buffer, self._heard = (self._buffer + data)[-512:], now
        try:
            used, request = self._framer.handleFrame(self._buffer, 0, 0)
        except Exception:  # garbage that pymodbus takes for a message and then cannot read
            used, request = len(self._buffer), None
        self._buffer = self._buffer[used:]
        return b"" if request is None else self._answer(request, now)

    def advance(self, now: float) -> None:
        """Let all servos turn until a time [s]."""
        for board in self.boards.values():
            board.advance(now)

    def _answer(self, request: Any, now: float) -> bytes:
        address = request.dev_id
        if address == 0:
            for board in self.boards.values():
                self._done(board, request, now)
            return b""
        if address not in self.boards or address in self.deaf:
            return b""
        answer = self._done(self.boards[address], request, now)
        if isinstance(answer, int):
            answer = self._exception(request.function_code, answer, device_id=address)
        answer.dev_id = address
        return bytes(self._framer.buildFrame(answer))

    def _done(self, board: NanoBoard, request: Any, now: float) -> Any:
        """The answer to a request that has been followed, or an exception code."""
        messages, first, code = self._messages, request.address, request.function_code
        if code in (_WRITE_ONE, _WRITE_MANY):
            values = list(request.registers)
            if wrong := board.write(first, values, now):
                return wrong
            if code == _WRITE_ONE:
                return messages.WriteSingleRegisterResponse(address=first, registers=values)
            return messages.WriteMultipleRegistersResponse(address=first, count=len(values))
        if code in (_READ_HOLDING, _READ_INPUT):
            asked = board.servos[first : first + request.count]
            if len(asked) != request.count:
                return _ILLEGAL_ADDRESS
            board.advance(now)
            if code == _READ_HOLDING:
                return messages.ReadHoldingRegistersResponse(registers=[round(servo.goal / GOAL_STEP) for servo in asked])
            return messages.ReadInputRegistersResponse(registers=[round(servo.output / GOAL_STEP) for servo in asked])
        return _ILLEGAL_FUNCTION
