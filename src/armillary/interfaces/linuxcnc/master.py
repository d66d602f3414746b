"""LinuxCNC as the master of a cell: it is started, moves the robot, and both end together."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from armillary.cell import Cell
from armillary.interfaces.linuxcnc.display_link import DisplayLink, Finished
from armillary.interfaces.linuxcnc.errors import LinuxcncProblem, LinuxcncProgramFailed, LinuxcncSilent
from armillary.interfaces.linuxcnc.failing_line import failing_line
from armillary.interfaces.linuxcnc.machine import Machine
from armillary.interfaces.linuxcnc.process import LinuxcncProcess
from armillary.interfaces.linuxcnc.robot_link import RobotLink

__all__ = ["LinuxcncMaster"]

_STARTS = 60.0  # s
_DAY = 86_400.0  # s: programs may be long
_SETTLES, _THERE = 5.0, 1e-5  # s in which a robot comes to where LinuxCNC has left it, and how near [rad or m]
_MOTORS = 0.2  # s that motors are behind their set-points


class LinuxcncMaster:
    """A real LinuxCNC that moves a cell: `with LinuxcncMaster(cell, machine) as master: master.on(); master.run(file)`.

    Attributes:
        robot: The stream of joint commands, and what comes back. display: What LinuxCNC says.
    """

    def __init__(self, cell: Cell, machine: Machine, *, keep: Path | None = None, history: bool = False) -> None:
        """Start LinuxCNC, and wait until it is there: in emergency stop.

        Args:
            keep: A folder that INI, HAL and log are kept in.
            history: Keep every sample, for `robot.commands`.

        Raises:
            LinuxcncProblem: It does not start; in its own words.
        """
        self.cell, self.machine = cell, machine
        self._program: Path | None = None  # that runs, or ran last; None for a typed line
        self._process = LinuxcncProcess(machine, keep=keep)
        # Whatever is loaded or compiled at its first use is so now: it would hold up the stream's thread, and stop the robot.
        str(cell.state)
        self.robot = RobotLink(cell, machine, self._process.robot_socket, history=history)
        self.display = DisplayLink(self._process.display_socket)
        try:
            self._process.start()
            if not self.display.wait(lambda: self.display.here, _STARTS, self._ended):
                raise LinuxcncProblem(f"LinuxCNC does not come up in {_STARTS:g} s: {self._process.words}")
        except BaseException:
            self.close()
            raise

    @property
    def pid(self) -> int:
        """Of LinuxCNC's script."""
        return self._process.pid

    def on(self) -> None:
        """Leave emergency stop, turn the machine on, home every joint where it is; the robot follows from now on.

        Raises:
            LinuxcncProblem: It is not done; says why.
        """
        try:
            self._ask("on")
        except LinuxcncProblem as error:
            raise LinuxcncProblem(f"{error} ({self.robot.trouble})" if self.robot.trouble else str(error)) from None
        if not self.display.wait(lambda: self.robot.following, 5.0, self._wrong):
            raise LinuxcncProblem("LinuxCNC is on, and the robot does not follow it")

    def run(self, program: Path, *, watch: Callable[["LinuxcncMaster"], None] | None = None) -> None:
        """Have LinuxCNC run a program to its end, and wait until the robot has come after it.

        Args:
            watch: Called again and again while it runs.

        Raises:
            LinuxcncProgramFailed: It has not been run to its end; says the line and why.
        """
        self.start(program)
        self.finish(watch=watch)

    def start(self, program: Path) -> None:
        """Have LinuxCNC begin a program."""
        self._program = program
        self._ask("run", program=str(program.absolute()))

    def line(self, text: str) -> None:
        """Have LinuxCNC do one line of G-code, and wait until it is done."""
        self._program = None
        self._ask("line", text=text)
        self.finish()

    def finish(self, *, watch: Callable[["LinuxcncMaster"], None] | None = None) -> None:
        """Wait for what was begun to end; see `run`."""
        while not self.display.wait(lambda: self.display.finished is not None, 0.1, self._ended):
            if watch is not None:
                watch(self)
        finished = self.display.finished
        assert finished is not None
        # Why a machine is off may be known here alone.
        ours = self.robot.trouble or (self.robot.stopped_for if not self.robot.following else "")
        if finished.problem or ours:
            text = finished.problem if not ours or ours in finished.problem else f"{finished.problem or 'stopped'} ({ours})"
            raise LinuxcncProgramFailed(f"{self._where(finished)}: LinuxCNC: {text}")
        self._settle()

    def estop(self) -> None:
        """LinuxCNC's emergency stop: the robot stops on its path and is powered off."""
        self._ask("estop")

    def off(self) -> None:
        """LinuxCNC's machine off: the robot stops on its path."""
        self._ask("off")

    def close(self) -> None:
        """End LinuxCNC, all of it. The cell goes on, and stands."""
        self.display.close()
        self._process.close()
        self.robot.close()

    def __enter__(self) -> "LinuxcncMaster":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, what: str, **values: Any) -> None:
        try:
            self.display.ask(what, alive=self._ended, **values)
        except LinuxcncSilent as error:
            raise LinuxcncSilent(f"{error}: {self._process.words}") from None

    def _where(self, finished: Finished) -> str:
        """What has failed, and in which line, as far as that is known."""
        if self._program is None:
            return "the line"
        line = finished.line
        if finished.problem and self.robot.following:  # what failed is the program, and not the machine
            line = failing_line(self._program, finished.problem, environment=self._process.environment) or line
        return f"{self._program}, line {line}" if line else str(self._program)

    def _settle(self) -> None:
        """The filter and the motors are behind the last command by a little: until they are not, for so long at most."""
        end = time.monotonic() + _SETTLES
        while time.monotonic() < end and self.robot.following and self.robot.behind > _THERE:
            time.sleep(0.01)
        time.sleep(_MOTORS)

    def _ended(self) -> str:
        if self._process.ended:
            return f"LinuxCNC has ended: {self._process.words}"
        if self.display.gone:
            return f"LinuxCNC's display has ended: {self._process.words}"
        if self.robot.gone:
            return f"our component in LinuxCNC has ended: {self.robot.trouble or self._process.words}"
        return "the cell is gone" if self.cell.station.gone else ""

    def _wrong(self) -> str:
        return self._ended() or self.robot.trouble
