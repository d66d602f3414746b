"""G-code as a language for a robot."""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from armillary.programs.commands import Command, End, Keep, SourceLine
from armillary.programs.errors import BadProgram
from armillary.programs.gcode.canon import Canon, WaitInput
from armillary.programs.gcode.check import check
from armillary.programs.gcode.machine import Machine, MachineSettings, Tool
from armillary.programs.gcode.parameter_file import parameters_text, read_parameters, write_parameters
from armillary.programs.gcode.parameters import G28_HOME, Parameters
from armillary.programs.gcode.robot_commands import RobotCommands, RobotSettings, start_position
from armillary.programs.gcode.run import GcodeRun
from armillary.programs.gcode.steps import Inputs
from armillary.programs.languages import Running, Shown
from armillary.programs.surroundings import Surroundings

__all__ = ["GCODE", "GcodeLanguage", "GcodeOnRobot", "GcodeSession"]

_TOLD = 20  # mistakes that are told at once
_TOOLS = 99
_OFFSETS = slice(G28_HOME, 5400)  # parameters that hold homes, the offset of G92, and the coordinate systems


class GcodeOnRobot:
    """A G-code program while a robot runs it."""

    def __init__(self, run: GcodeRun, robot: RobotCommands, keep: Path | None = None) -> None:
        """Args:
        keep: The file in which parameters outlast the program: offsets, homes, and what the file held before.
        """
        self.gcode, self._robot, self._keep = run, robot, keep
        self._done = 0  # of the run's work, where the robot got its last command
        self._notes, self._noted = deque[tuple[int, str]](), 0
        self._offsets = run.parameters.numbers[_OFFSETS]

    def __iter__(self) -> Iterator[Command]:
        at = SourceLine()
        for command in self._robot.of(self._canonical()):
            self._done, at = self.gcode.work, command.source
            if isinstance(command, End) or self.gcode.parameters.numbers[_OFFSETS] != self._offsets:
                yield from self._note(at)
            yield command
        yield from self._note(at)

    def _canonical(self) -> Iterator[Canon]:
        for command in self.gcode:
            # A loop of nothing but modes, or of moves to where the tool is, has commands, and none for the robot.
            if not self.gcode.begun:
                self._done = self.gcode.work
            elif self.gcode.work - self._done > self.gcode.idle_budget:
                raise self.gcode.endless()
            yield command

    def _note(self, at: SourceLine) -> Iterator[Command]:
        """What is set now, to be kept when the robot has come here: what is read ahead of it may never be reached."""
        if self._keep is not None:
            text, self._offsets = parameters_text(self.gcode.parameters), self.gcode.parameters.numbers[_OFFSETS]
            if not self._notes or self._notes[-1][1] != text:
                self._noted += 1
                self._notes.append((self._noted, text))
                yield Keep(note=self._noted, source=at)

    def keep(self, note: int) -> None:
        text = ""
        while self._notes and self._notes[0][0] <= note:
            text = self._notes.popleft()[1]
        if text and self._keep is not None:
            write_parameters(self._keep, text)

    def shown(self) -> Shown:
        run, modes = self.gcode, self.gcode.modes
        words = {"codes": " ".join((*modes.g_codes, *modes.m_codes)), "F": f"{modes.feed:g}", "S": f"{modes.speed:g}",
                 "T": str(modes.tool)}  # fmt: skip
        calls = tuple(f"{call.subroutine} ({call.source})" for call in run.call_stack)
        return Shown(run.file, run.line, _variables(run.parameters), calls, words)

    def stop(self) -> None:
        self.gcode.stop()


def _variables(parameters: Parameters) -> dict[str, float]:
    """Those that a program has set: named, and numbered up to 5000."""
    named = {f"#<{name}>": value for name, value in (*parameters.shared.items(), *parameters.names.items())}
    return named | {f"#{number}": value for number, value in enumerate(parameters.numbers[:5000]) if value != 0.0}


class GcodeLanguage:
    """RS274/NGC as LinuxCNC reads it."""

    name = "G-code"
    suffixes: tuple[str, ...] = (".ngc", ".nc", ".gcode", ".tap", ".cnc")

    def check(self, source: Path | str, around: Surroundings) -> None:  # noqa: ARG002
        faults = check(source)
        if faults:
            more = f"\nand {len(faults) - _TOLD} more" if len(faults) > _TOLD else ""
            raise BadProgram("\n".join(str(fault) for fault in faults[:_TOLD]) + more)

    def run(self, source: Path | str, around: Surroundings, options: Mapping[str, Any], start_line: int = 0) -> Running:
        settings = _settings(options)
        folder = () if isinstance(source, str) else (source.parent,)
        machine = _machine(settings, around, folder)
        keep = options.get("parameters")
        known = keep or options.get("parameters_from")
        parameters = read_parameters(known) if known is not None else None
        run = GcodeRun(source, parameters=parameters, machine=machine, inputs=_sensed(around), start_line=max(start_line, 1))
        return GcodeOnRobot(run, RobotCommands(around, settings), keep)

    def session(self, options: Mapping[str, Any]) -> "GcodeSession":
        return GcodeSession(_settings(options), options.get("parameters"))


class GcodeSession:
    """Typed lines of G-code: modes, offsets and parameters stay from line to line."""

    def __init__(self, settings: RobotSettings, keep: Path | None = None) -> None:
        self._settings, self._keep = settings, keep
        self._machine: Machine | None = None
        self._robot: RobotCommands | None = None

    def run(self, line: str, around: Surroundings) -> Running:
        if self._machine is None or self._robot is None:
            start = _machine(self._settings, around, ())
            known = read_parameters(self._keep) if self._keep is not None else Parameters()
            self._machine, self._robot = Machine(start, known), RobotCommands(around, self._settings)
        self._machine.position = self._machine.to_program(start_position(around, self._settings))
        self._robot.be_at(around)
        return GcodeOnRobot(GcodeRun(line, machine=self._machine, inputs=_sensed(around)), self._robot, self._keep)

    def forget(self) -> None:
        """As on a machine: what the line had set before it failed stays."""


def _settings(options: Mapping[str, Any]) -> RobotSettings:
    known = {field.name for field in fields(RobotSettings)}
    return RobotSettings(**{name: value for name, value in options.items() if name in known})


def _machine(settings: RobotSettings, around: Surroundings, folder: tuple[Path, ...]) -> MachineSettings:
    """The robot as a machine tool: any tool can be asked for, somebody puts it on."""
    letters = "XYZABC" + "".join(letter for letter, _ in settings.axes if letter not in "ABC")
    tools = {number: Tool(pocket=number) for number in range(1, _TOOLS + 1)}
    return MachineSettings(axes=letters, position=start_position(around, settings), tools=tools, search_path=folder)


def _sensed(around: Surroundings) -> Inputs:
    def sensed(wait: WaitInput) -> float:
        if not around.inputs.came():
            return -1.0
        return around.inputs.analog(wait.index) if wait.analog else float(around.inputs.digital(wait.index))

    return sensed


GCODE = GcodeLanguage()
