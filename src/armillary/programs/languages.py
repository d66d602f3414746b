"""Languages: what reads a program's text and gives commands. Found by a file's ending; other packages can bring their own."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from armillary.plugin import Plugins
from armillary.programs.commands import Command, SourceLine
from armillary.programs.errors import BadProgram, NoProgram
from armillary.programs.surroundings import Surroundings
from armillary.regular_file import read_regular

__all__ = [
    "Keeper",
    "Language",
    "Running",
    "RunningCommands",
    "Session",
    "Shown",
    "language_named",
    "language_of",
    "languages",
    "must_be_text",
    "must_have_lines",
    "read_program",
]

_MOST = 1 << 30  # bytes of a program: more is a mistake
_LONGEST = 100_000  # characters of a line, likewise
_CONTROLS = bytes({*range(32), 127} - {9, 10, 11, 12, 13, 26})  # bytes that text has in no encoding of ASCII's
_STRAY, _STRAY_SHARE = 3, 0.02  # of these that may have got into a text, in number or by their share


@dataclass(frozen=True)
class Shown:
    """What can be seen of a program while it runs.

    Attributes:
        file, line: Where it is being read: ahead of what is moved.
        variables: By name. calls: Subroutines that are running, outermost first, each with the line it was called from.
        modes: What is in force, in words of the language.
    """

    file: str = ""
    line: int = 0
    variables: Mapping[str, float] = field(default_factory=dict)
    calls: tuple[str, ...] = ()
    modes: Mapping[str, str] = field(default_factory=dict)


class Running(Protocol):
    """A program while it is run: commands one at a time, as they are asked for."""

    def __iter__(self) -> Iterator[Command]: ...

    def shown(self) -> Shown:
        """What it does now."""

    def stop(self) -> None:
        """Give no more commands. From any thread."""


@runtime_checkable
class Keeper(Protocol):
    """A running program that sets something for good."""

    def keep(self, note: int) -> None:
        """Keep what a `Keep` of this note stands for: the robot has come to it."""


class RunningCommands:
    """Commands that are there already, run as a program."""

    def __init__(self, commands: Iterable[Command]) -> None:
        self._commands, self._at, self._stopped = commands, SourceLine(), False

    def __iter__(self) -> Iterator[Command]:
        for command in self._commands:
            if self._stopped:
                return
            if not isinstance(command, Command):
                raise BadProgram(f"{command!r} is no command; give those of armillary.programs")
            self._at = command.source
            yield command

    def shown(self) -> Shown:
        return Shown(self._at.file, self._at.line)

    def stop(self) -> None:
        self._stopped = True


class Session(Protocol):
    """Lines that are typed one by one: each means what it would in a program behind the others."""

    def run(self, line: str, around: Surroundings) -> Running:
        """Run a line, from where the robot stands.

        Raises:
            BadProgram: It is no line of the language.
        """

    def forget(self) -> None:
        """The line that was run last failed: as far as the language can, it counts as not typed."""


class Language(Protocol):
    """A language.

    Attributes:
        name: For people. suffixes: Of its files, with the dot.
    """

    name: str
    suffixes: tuple[str, ...]

    def check(self, source: Path | str, around: Surroundings) -> None:
        """Look through a whole program without running it.

        Args:
            source: A file, or the text itself.

        Raises:
            BadProgram: Something is wrong; says line, column and what was expected.
        """

    def run(self, source: Path | str, around: Surroundings, options: Mapping[str, Any], start_line: int = 0) -> Running:
        """Run a program from its beginning, or from a line.

        Args:
            source: A file, or the text itself.
            options: What the cell says of the language, for example `[gcode]` of a cell.toml.

        Raises:
            BadProgram: It cannot be begun.
        """

    def session(self, options: Mapping[str, Any]) -> Session:
        """Lines that are typed one by one."""


def _gcode() -> Language:
    from armillary.programs.gcode.language import GCODE

    return GCODE


def _script() -> Language:
    from armillary.programs.script.language import SCRIPT

    return SCRIPT


def _moves() -> Language:
    from armillary.programs.moves_file import MOVES

    return MOVES


_LANGUAGES: Plugins[Language] = Plugins(
    "armillary.languages", "language", {"gcode": _gcode, "script": _script, "moves": _moves},
    error=NoProgram,
)  # fmt: skip


def languages() -> list[Language]:
    """All that are known."""
    return [_LANGUAGES.find(name) for name in _LANGUAGES.names]


def language_named(name: str) -> Language:
    """A language by its name: "gcode", "script", ...

    Raises:
        BadProgram: There is no such language.
    """
    return _LANGUAGES.find(name)


def language_of(path: Path) -> Language:
    """The language of a file, by its ending.

    Raises:
        BadProgram: It is none that is known; says which are.
    """
    known = languages()
    for language in known:
        if path.suffix.lower() in language.suffixes:
            return language
    if path.suffix.lower() == ".py":
        raise NoProgram(f"{path}: a program in Python is run and not read ahead: armillary run ROBOT --program {path.name}")
    endings = ", ".join(f"{' '.join(language.suffixes)} ({language.name})" for language in known)
    raise NoProgram(f"{path}: what language '{path.suffix}' is is not known; known: {endings}")


def read_program(path: Path) -> str:
    """The text of a program's file.

    Raises:
        BadProgram: It cannot be read, or is no text.
    """
    try:
        if path.stat().st_size > _MOST:
            raise BadProgram(f"{path}: {path.stat().st_size >> 20} MB are too much for a program; part it")
        data = read_regular(path)
    except OSError as error:
        raise NoProgram(f"{path}: it cannot be read: {error.strerror}") from None
    must_be_text(path, data)
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    must_have_lines(path, text)
    return text


def must_be_text(path: Path, data: bytes) -> None:
    """That a program's file is text, in whatever encoding: a stray character is for its language to refuse, at its line.

    Raises:
        NoProgram: It has bytes that no text has.
    """
    controls = len(data) - len(data.translate(None, _CONTROLS))
    if b"\0" in data or (controls > _STRAY and controls > _STRAY_SHARE * len(data)):
        raise NoProgram(f"{path}: it is no text; give a program")


def must_have_lines(path: Path, text: str) -> None:
    """That no line of a program is so long that it can only be a mistake.

    Raises:
        BadProgram: One is; says which.
    """
    at = 0
    while len(text) - at > _LONGEST:
        end = text.rfind("\n", at, at + _LONGEST)
        if end < 0:
            number = text.count("\n", 0, at) + 1
            raise BadProgram(f"{path}:{number}: this line has more than {_LONGEST} characters; part it")
        at = end + 1
