"""Our interpreter beside LinuxCNC's on one program: what both are given, and what is to be said of their answers."""

import re
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from armillary.programs import BadProgram
from armillary.programs.gcode import MachineSettings, format_program, interpret, read_parameters, read_tool_table
from tests.programs.gcode.rs274 import Told, plain, rs274

__all__ = ["Case", "Outcome", "compare", "ours", "theirs"]

_NUMBER = re.compile(r"-?\d+\.\d+")
_NO_END = "File ended with no percent sign or program end"
_MOST = 300_000  # commands of one program


@dataclass(frozen=True)
class Case:
    """A program and what both interpreters are given with it."""

    name: str
    program: Path
    tools: str = ""
    parameters: str = ""
    ini: Path | None = None
    keep_g92: bool = True
    plain_subroutines: bool = True
    tool: int = 0  # in the spindle


@dataclass(frozen=True)
class Outcome:
    """One comparison. verdict: equal, both in error, refused, without an end, or different; detail: where and how."""

    name: str
    verdict: str
    detail: str = ""


def ours(case: Case, folder: Path) -> tuple[list[str], str]:
    """Our calls, and the error that ended them, or ""."""
    (folder / "ours.tbl").write_text(case.tools)
    (folder / "ours.var").write_text(case.parameters)
    lines: list[str] = []
    try:
        machine = MachineSettings(
            unit=25.4, tool=case.tool, tools=read_tool_table(folder / "ours.tbl"), search_path=(case.program.parent,),
            plain_subroutines=case.plain_subroutines,
        )  # fmt: skip
        parameters = read_parameters(folder / "ours.var", keep_g92=case.keep_g92)
        commands = interpret(case.program, machine=machine, parameters=parameters, inputs=lambda _: 0.0)
        for line in islice(format_program(commands), _MOST):
            lines.append(line)
    except BadProgram as error:
        return plain(lines), str(error)
    return plain(lines), ""


def same(one: str, other: str) -> bool:
    """Whether two calls are equal, numbers to one in the last place that is printed."""
    if one == other:
        return True
    if _NUMBER.sub("#", one) != _NUMBER.sub("#", other):
        return False
    pairs = zip(_NUMBER.findall(one), _NUMBER.findall(other), strict=True)
    return all(abs(float(a) - float(b)) < 1.5e-4 for a, b in pairs)


def compare(name: str, calls: list[str], error: str, told: Told) -> Outcome:
    """What is to be said of the two."""
    calls = [call for call in calls if not call.startswith("WAIT(")]  # rs274 prints nothing for M66
    shared = min(len(calls), len(told.calls))
    first = next((i for i in range(shared) if not same(calls[i], told.calls[i])), shared)
    said = f"call {first}: ours {calls[first : first + 1]}, theirs {told.calls[first : first + 1]}"
    if error or told.error:
        said += f"; our error: {error.splitlines()[:1]}, theirs: {told.error[:200]!r}"
    if first < len(calls):
        return Outcome(name, "different", said)
    if "which is not supported" in error:
        return Outcome(name, "refused", re.sub(r".*?: ", "", error.splitlines()[0]))
    if not error and told.error.startswith(_NO_END) and len(calls) == len(told.calls):
        return Outcome(name, "without an end")
    if error and told.error:
        at_once = error.splitlines()[1].strip() == _shown(told.error.split(" / ")[-1]).strip()
        return Outcome(name, "both in error" if at_once else "in error at another line", said)
    if error or told.error or len(calls) != len(told.calls):
        return Outcome(name, "different", said)
    return Outcome(name, "equal")


def _shown(line: str) -> str:
    """A line as our errors show it: a character that cannot be printed as the one that says so."""
    return "".join(char if char.isprintable() else "\ufffd" for char in line)


def theirs(case: Case) -> Told:
    """What rs274 says."""
    return rs274(case.program, tools=case.tools, parameters=case.parameters, ini=case.ini)
