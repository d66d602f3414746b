"""PMAC's variables: I (set-up), P (global), Q (a coordinate system's) and M (pointers into memory), with factory values."""

import re
from collections.abc import Callable

from armillary.emulators.pmac.refusal import Code, Refusal

__all__ = ["COORDINATE_SYSTEMS", "MOST_MOTORS", "MemoryCells", "VariableStore", "motor_cell"]

MOST_MOTORS = 32
COORDINATE_SYSTEMS = 16
_MOST = 8191  # the highest number of a variable
_MEMORY_STEP = 0x80  # words of memory a motor (Turbo PMAC)
_COMMANDED, _ACTUAL = 0x88, 0x8B  # of the first motor: suggested definitions of M161 and M162
_GLOBAL = {0: 0.0, 3: 1.0, 5: 0.0, 6: 1.0, 8: 2.0, 9: 2.0, 10: 3713707.0, 14: 1.0, 15: 0.0, 16: 5.0, 17: 10.0, 68: 15.0}
_MOTOR = {
    8: 96.0, 9: 96.0, 11: 32000.0, 12: 16000.0, 15: 0.25, 16: 32.0, 17: 0.5, 19: 0.015625, 21: 50.0, 22: 32.0, 23: 32.0, 24: 1.0,
    28: 160.0, 30: 2000.0, 31: 1280.0, 32: 1280.0,
}  # fmt: skip
_SYSTEM = {87: 0.0, 88: 50.0, 89: 1000.0, 90: 1000.0, 94: 1644.0, 95: 1644.0}
_ADDRESSES = frozenset({2, 3, 4, 5, 10, 24, 25, 81, 82, 83})  # of a motor: reported in hexadecimal (I9=2)
_DEFINITION = re.compile(r"\*|(?:(?:DP|TWD|TWS|TWB|TWR|D|F|L|X|Y):\$?[0-9A-F]+(?:,\d+)*(?:,[USDC])?)")

MemoryCells = Callable[[int], float | None]  # the word at an address, or None for one that means nothing


class VariableStore:
    """All variables of a controller. Q-variables are those of the coordinate system in `system`.

    Attributes:
        system: The coordinate system whose Q-variables are meant, from 1.
        pointers: Definitions of M-variables that are not plain memory, by number.
    """

    def __init__(self, motors: int, memory: MemoryCells) -> None:
        self.system, self._motors, self._memory = 1, motors, memory
        self.i: dict[int, float] = dict(_GLOBAL)
        self._p: dict[int, float] = {}
        self._q: dict[tuple[int, int], float] = {}
        self._m: dict[int, float] = {}
        self.pointers: dict[int, str] = {}
        self._cells: dict[int, int] = {}
        self.reset()

    def reset(self) -> None:
        """Factory values, and the manual's suggested definitions of the motors' positions."""
        self.i.clear()
        self.i.update(_GLOBAL)
        for motor in range(1, MOST_MOTORS + 1):
            self.i[100 * motor] = 1.0 if motor <= self._motors else 0.0
            for offset, value in _MOTOR.items():
                self.i[100 * motor + offset] = value
        for system in range(1, COORDINATE_SYSTEMS + 1):
            for offset, value in _SYSTEM.items():
                self.i[5000 + 100 * system + offset] = value
        for memory in (self._p, self._q, self._m, self.pointers, self._cells):
            memory.clear()
        for motor in range(1, self._motors + 1):
            self.define(100 * motor + 61, f"D:${_COMMANDED + _MEMORY_STEP * (motor - 1):06X}")
            self.define(100 * motor + 62, f"D:${_ACTUAL + _MEMORY_STEP * (motor - 1):06X}")

    def value(self, letter: str, number: int) -> float:
        """Of a variable; those never written are 0.

        Raises:
            Refusal: There is no such variable.
        """
        if not 0 <= number <= _MOST:
            raise Refusal(Code.SYNTAX)
        if letter == "P":
            return self._p.get(number, 0.0)
        if letter == "Q":
            return self._q.get((self.system, number), 0.0)
        if letter == "I":
            return self.i.get(number, 0.0)
        address = self._cells.get(number)
        word = None if address is None else self._memory(address)
        return self._m.get(number, 0.0) if word is None else word

    def set(self, letter: str, number: int, value: float) -> None:
        """Write a variable. The motors' own words of memory are not written through M-variables here.

        Raises:
            Refusal: There is no such variable.
        """
        if not 0 <= number <= _MOST:
            raise Refusal(Code.SYNTAX)
        if letter == "P":
            self._p[number] = value
        elif letter == "Q":
            self._q[self.system, number] = value
        elif letter == "I":
            self.i[number] = value
        else:
            self._m[number] = value

    def define(self, number: int, text: str) -> None:
        """Point an M-variable somewhere: `D:$8B`, `X:$078201,0,24,S`, `*` for nowhere.

        Raises:
            Refusal: It is no definition.
        """
        text = text.strip().upper()
        if not 0 <= number <= _MOST or _DEFINITION.fullmatch(text) is None:
            raise Refusal(Code.SYNTAX)
        self._cells.pop(number, None)
        self.pointers.pop(number, None)
        if text == "*":
            return
        self.pointers[number] = text
        space, _, place = text.partition(":")
        if space == "D":
            digits = place.split(",")[0]
            self._cells[number] = int(digits[1:], 16) if digits[0] == "$" else int(digits)

    def is_address(self, number: int) -> bool:
        """Whether an I-variable is an address or a set of bits, which PMAC reports in hexadecimal."""
        return number in (20, 21, 22, 23) or (100 <= number < 100 * (MOST_MOTORS + 1) and number % 100 in _ADDRESSES)


def motor_cell(address: int) -> tuple[int, bool] | None:
    """The motor whose position an address holds, and whether it is the commanded one; None for another address."""
    motor, place = divmod(address - _COMMANDED, _MEMORY_STEP)
    if not 0 <= motor < MOST_MOTORS or place not in (0, _ACTUAL - _COMMANDED):
        return None
    return motor + 1, place == 0
