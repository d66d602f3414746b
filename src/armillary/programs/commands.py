"""Commands: what every language ends in, each with the line that it came from. SI units throughout."""

from dataclasses import dataclass, field

__all__ = ["Command", "Dwell", "MoveArc", "MoveJoints", "MoveLine", "MovePose", "SourceLine"]

Three = tuple[float, float, float]


@dataclass(frozen=True)
class SourceLine:
    """Where a command comes from."""

    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, kw_only=True)
class Command:
    """Something that a program has done."""

    source: SourceLine = field(default_factory=SourceLine)


@dataclass(frozen=True, kw_only=True)
class MoveJoints(Command):
    """To joint positions [rad or m]. speed: a share of what the joints can do; blend [rad and m together]."""

    goal: tuple[float, ...]
    speed: float = 1.0
    blend: float = 0.0


@dataclass(frozen=True, kw_only=True)
class MovePose(Command):
    """By joints to a pose of the tool [m], [rad] in what the arm stands on."""

    xyz: Three
    rpy: Three
    speed: float = 1.0
    blend: float = 0.0


@dataclass(frozen=True, kw_only=True)
class MoveLine(Command):
    """Straight with the tool to a pose. speed: of the tool at most [m/s]; blend [m]."""

    xyz: Three
    rpy: Three
    speed: float | None = None
    blend: float = 0.0


@dataclass(frozen=True, kw_only=True)
class MoveArc(Command):
    """Along an arc through a point to a pose."""

    via: Three
    xyz: Three
    rpy: Three
    speed: float | None = None
    blend: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Dwell(Command):
    """Wait so many seconds."""

    seconds: float
