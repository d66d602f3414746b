"""Buffers for programs: opened, filled, cleared, closed and listed."""

import re

from armillary.emulators.pmac.machine import Machine
from armillary.emulators.pmac.plc import Plc
from armillary.emulators.pmac.port import OpenBuffer, Port
from armillary.emulators.pmac.program import Program
from armillary.emulators.pmac.refusal import Code, Refusal
from armillary.emulators.pmac.statement import Line, Statement

__all__ = ["Buffers"]

_MOST_PLCS = 32
_MOST_PROGRAMS = 32767


class Buffers:
    """What commands about buffers do."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def open(self, port: Port, kind: str, number: str | None) -> None:
        """Let lines go into a buffer.

        Raises:
            Refusal: Another is open, a program runs, or there is no such buffer.
        """
        if port.opened is not None:
            raise Refusal(Code.IN_USE)
        machine = self._machine
        if kind == "ROT":
            if number is not None or not any(system.rotary is not None for system in machine.systems.values()):
                raise Refusal(Code.SYNTAX)
            port.opened = OpenBuffer("ROT")
            return
        if number is None or (kind == "PLC" and int(number) >= _MOST_PLCS) or int(number) > _MOST_PROGRAMS:
            raise Refusal(Code.SYNTAX)
        if kind == "PROG":
            if int(number) == 0:
                raise Refusal(Code.SYNTAX)
            if machine.running:
                raise Refusal(Code.RUNNING)
            machine.programs.setdefault(int(number), Program())
        else:
            machine.plcs.setdefault(int(number), Plc(int(number), Program())).enabled = False
        port.opened = OpenBuffer(kind, int(number))

    def add(self, port: Port, text: str, statements: list[Statement]) -> None:
        """Put a line into the open buffer.

        Raises:
            Refusal: There is no room for it.
        """
        line = Line(text, tuple(statements))
        opened = port.opened
        if opened is not None and opened.kind == "ROT":
            rotary = self._machine.systems[port.system].rotary
            if rotary is None:
                raise Refusal(Code.NO_ROOM)
            rotary.add(line)
        else:
            self._program(port).add(line)

    def clear(self, port: Port) -> None:
        """Empty the open buffer.

        Raises:
            Refusal: None is open.
        """
        if port.opened is None:
            raise Refusal(Code.NOT_OPEN)
        if port.opened.kind == "ROT":
            rotary = self._machine.systems[port.system].rotary
            if rotary is not None:
                rotary.clear()
        else:
            self._program(port).clear()

    def close(self, port: Port) -> None:
        """Let no more lines go into a buffer; a program's branches are looked at.

        Raises:
            Refusal: A branch of the program has no end.
        """
        opened = port.opened
        if opened is None:
            return
        try:
            if opened.kind != "ROT":
                self._program(port).link()
        finally:
            port.opened = None
            if opened.kind == "PLC":
                self._machine.plcs[opened.number].restart()

    def delete_rotary(self, port: Port, everywhere: bool) -> None:
        """Take rotary buffers away.

        Raises:
            Refusal: They are open, or a program runs.
        """
        if port.opened is not None and port.opened.kind == "ROT":
            raise Refusal(Code.IN_USE)
        systems = self._machine.systems
        for system in systems.values() if everywhere else [systems[port.system]]:
            if system.running:
                raise Refusal(Code.RUNNING)
            system.rotary = None

    def gather(self, on: bool) -> None:
        """Make the data-gathering buffer, or take it away."""
        self._machine.gathering = on

    def listing(self, port: Port, found: re.Match[str]) -> list[str]:
        """The lines of a program."""
        kind, number = found.group(1), int(found.group(2) or 0)
        if kind == "PLC" and number in self._machine.plcs:
            lines = self._machine.plcs[number].program.lines
        elif kind == "PROG" and number in self._machine.programs:
            lines = self._machine.programs[number].lines
        else:
            rotary = self._machine.systems[port.system].rotary
            if kind != "ROT" or rotary is None:
                raise Refusal(Code.SYNTAX)
            return rotary.listing()
        return [line.text for line in lines] + (["RETURN"] if kind == "PLC" else [])

    def _program(self, port: Port) -> Program:
        opened = port.opened
        if opened is None:
            raise Refusal(Code.NOT_OPEN)
        if opened.kind == "PLC":
            return self._machine.plcs[opened.number].program
        return self._machine.programs[opened.number]
