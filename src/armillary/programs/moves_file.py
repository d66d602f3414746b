"""A list of moves as TOML: the plainest program there is.

[[move]]
line = true                       # straight; by joints where left out
xyz_mm = [300, -400, 200]
rpy_deg = [180, 0, 0]
speed = 0.25                      # m/s for a line or an arc, a share for the joints

[[move]]
joints_deg = [0, 90, -90, 0, 0, 0]

[[move]]
dwell = 0.5
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from armillary.description.errors import InvalidCell
from armillary.description.settings import Settings, read_toml
from armillary.programs.commands import Command, Dwell, MoveArc, MoveJoints, MoveLine, MovePose, SourceLine, Three
from armillary.programs.errors import BadProgram
from armillary.programs.languages import Running, RunningCommands, Session
from armillary.programs.surroundings import Surroundings

__all__ = ["MOVES", "MovesLanguage", "read_moves"]


def read_moves(path: Path) -> list[Command]:
    """The commands of a file of moves.

    Raises:
        BadProgram: Something in it cannot be taken; says the line and the key.
    """
    try:
        top = read_toml(path)
        commands = [_command(table, path) for table in top.tables("move")]
        top.finish()
    except InvalidCell as error:
        raise BadProgram(str(error)) from None
    if not commands:
        raise BadProgram(f"{path}: there is no [[move]] in it; write one")
    return commands


def _command(table: Settings, path: Path) -> Command:
    source = SourceLine(path.name, table.line(next(iter(table.table), "")) or 0)
    command = _of(table, source)
    table.finish()
    return command


def _of(table: Settings, source: SourceLine) -> Command:
    if table.has("dwell"):
        seconds = table.number("dwell", least=0.0)
        assert seconds is not None
        if seconds > 86_400.0:
            raise table.error("dwell", f"{seconds:g} s is longer than a day", "write less")
        return Dwell(seconds=seconds, source=source)
    blend = table.number("blend", 0.0, units=("", "_mm"), least=0.0) or 0.0
    speed = table.number("speed", above=0.0)
    joints = table.numbers("joints", units=("", "_deg"))
    if joints is not None:
        return MoveJoints(goal=joints, speed=_share(table, speed), blend=blend, source=source)
    xyz, rpy = table.vector("xyz", 3, units=("", "_mm")), table.vector("rpy", 3, units=("", "_deg"))
    if xyz is None or rpy is None:
        raise table.error("xyz", "it says nowhere to go", "write joints, or xyz and rpy, or dwell")
    via, straight = table.vector("via", 3, units=("", "_mm")), _flag(table, "line")
    if via is not None:
        return MoveArc(via=_three(via), xyz=_three(xyz), rpy=_three(rpy), speed=speed, blend=blend, source=source)
    if straight:
        return MoveLine(xyz=_three(xyz), rpy=_three(rpy), speed=speed, blend=blend, source=source)
    return MovePose(xyz=_three(xyz), rpy=_three(rpy), speed=_share(table, speed), blend=blend, source=source)


def _flag(table: Settings, key: str) -> bool:
    value = table.take(key)
    if value is not None and not isinstance(value, bool):
        raise table.error(key, f"{value!r} is neither true nor false", f"write {key} = true")
    return bool(value)


def _share(table: Settings, speed: float | None) -> float:
    if speed is not None and speed > 1.0:
        raise table.error("speed", f"{speed:g} is more than the joints can do", "write a share of up to 1, or line = true")
    return 1.0 if speed is None else speed


def _three(values: tuple[float, ...]) -> Three:
    return (values[0], values[1], values[2])


class MovesLanguage:
    """A list of moves as TOML."""

    name = "list of moves"
    suffixes: tuple[str, ...] = (".toml",)

    def check(self, source: Path | str, around: Surroundings) -> None:  # noqa: ARG002
        _moves_of(source)

    def run(self, source: Path | str, around: Surroundings, options: Mapping[str, Any], start_line: int = 0) -> Running:  # noqa: ARG002
        return RunningCommands([command for command in _moves_of(source) if command.source.line >= start_line])

    def session(self, options: Mapping[str, Any]) -> Session:  # noqa: ARG002
        raise BadProgram("moves cannot be typed one by one; type robot commands or G-code")


def _moves_of(source: Path | str) -> list[Command]:
    if isinstance(source, str):
        raise BadProgram("a list of moves is read from a file; give its path")
    return read_moves(source)


MOVES = MovesLanguage()
