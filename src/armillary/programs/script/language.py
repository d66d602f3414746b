"""Robot commands as a language."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from armillary.programs.commands import Command
from armillary.programs.languages import Running, Shown, read_program
from armillary.programs.script.run import ScriptRun, check
from armillary.programs.script.script import Script, parse
from armillary.programs.surroundings import Surroundings

__all__ = ["SCRIPT", "RunningScript", "ScriptLanguage", "ScriptSession"]


class RunningScript:
    """A program of robot commands while it runs."""

    def __init__(self, run: ScriptRun) -> None:
        self.run, self._stopped = run, False

    def __iter__(self) -> Iterator[Command]:
        for command in self.run:
            if self._stopped:
                return
            yield command

    def shown(self) -> Shown:
        run, modes = self.run, self.run.modes
        speed = "as fast as can be" if modes.speed is None else f"{1e3 * modes.speed:g} mm/s"
        words = {"tool": modes.tool or "TCP", "frame": modes.frame, "joints": f"{100 * modes.share:g} %", "speed": speed,
                 "units": str(modes.units)}  # fmt: skip
        calls = tuple(f"{name} (line {line})" for name, line in run.call_stack)
        return Shown(run.script.file, run.line, run.variables, calls, words)

    def stop(self) -> None:
        self._stopped = True


class ScriptLanguage:
    """Paper 2's robot commands."""

    name = "robot commands"
    suffixes: tuple[str, ...] = (".arm",)

    def check(self, source: Path | str, around: Surroundings) -> None:
        check(_parsed(source), around)

    def run(self, source: Path | str, around: Surroundings, options: Mapping[str, Any], start_line: int = 0) -> Running:  # noqa: ARG002
        return RunningScript(ScriptRun(_parsed(source), around, start_line=start_line))

    def session(self, options: Mapping[str, Any]) -> "ScriptSession":  # noqa: ARG002
        return ScriptSession()


class ScriptSession:
    """Typed robot commands: those before are gone through again for what they set, and nothing of them moves."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def run(self, line: str, around: Surroundings) -> Running:
        run = ScriptRun(parse("\n".join([*self._lines, line])), around, start_line=len(self._lines) + 1)
        self._lines.append(line)
        return RunningScript(run)

    def forget(self) -> None:
        """Of a line that failed only its number stays, so that those behind are counted as they were typed."""
        self._lines[-1] = ""


def _parsed(source: Path | str) -> Script:
    return parse(source) if isinstance(source, str) else parse(read_program(source), str(source))


SCRIPT = ScriptLanguage()
