"""A taught sequence: points one after the other, and how the robot goes from each to the next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from armillary.programs.commands import Move, MoveArc, MoveJoints, MoveLine, SourceLine
from armillary.programs.surroundings import Point
from armillary.programs.teach.errors import NoSuchName, TeachError

__all__ = ["TaughtMove", "read_sequence", "sequence_commands"]

_KINDS = {"joints": 1, "line": 1, "arc": 2}


@dataclass(frozen=True)
class TaughtMove:
    """How a point is reached.

    Attributes:
        point: Where it ends.
        kind: "joints", "line" (straight with the tool) or "arc" (through `via`).
        via: A point on the way, for an arc.
        speed: A share of what the joints can do; for a line or an arc the tool's speed at most [m/s], None as fast as allowed.
        blend: How far before its end the next move may begin [m; rad and m together by joints].
    """

    point: Point
    kind: str = "joints"
    via: Point | None = None
    speed: float | None = None
    blend: float = 0.0

    def __post_init__(self) -> None:
        name = self.point.name
        if self.kind not in _KINDS:
            raise TeachError(f"there is no move {self.kind!r} to point {name!r}; there are: {', '.join(_KINDS)}")
        if (self.via is not None) != (self.kind == "arc"):
            raise TeachError(f"the move to point {name!r}: an arc, and nothing else, has a point on the way; name it as via")
        most = 1.0 if self.kind == "joints" else float("inf")
        if self.speed is not None and not (0.0 < self.speed <= most and self.speed < float("inf")):
            what = "a share above 0 and up to 1" if self.kind == "joints" else "m/s above zero"
            raise TeachError(f"a speed of {self.speed} to point {name!r} is none; give {what}")
        if not 0.0 <= self.blend < float("inf"):
            raise TeachError(f"a blend of {self.blend} at point {name!r} is none; give zero or more")


def read_sequence(words: Sequence[str], points: Mapping[str, Point]) -> list[TaughtMove]:
    """A sequence in words: `home line:pick arc:over:place`; a name alone is reached by joints. All points, where there are none.

    Raises:
        NoSuchName: A point that was not taught; proposes the nearest.
        TeachError: Something else is wrong, or there is nothing.
    """
    moves = []
    for word in words or tuple(points):
        kind, *names = word.split(":") if ":" in word else ("joints", word)
        if kind not in _KINDS or len(names) != _KINDS[kind]:
            raise TeachError(f"{word!r} is no move; write POINT, line:POINT or arc:VIA:POINT")
        for name in names:
            if name not in points:
                raise NoSuchName(name, list(points), "point")
        moves.append(TaughtMove(points[names[-1]], kind, points[names[0]] if kind == "arc" else None))
    if not moves:
        raise TeachError("there is no point yet; teach one")
    return moves


def sequence_commands(moves: Sequence[TaughtMove], *, file: str = "") -> list[Move]:
    """The commands of a sequence; each comes from its place in it."""
    commands: list[Move] = []
    for number, move in enumerate(moves, 1):
        source, point = SourceLine(file, number), move.point
        if move.kind == "joints":
            commands.append(MoveJoints(goal=point.q, speed=move.speed or 1.0, blend=move.blend, source=source))
        elif move.via is not None:
            commands.append(MoveArc(via=move.via.xyz, xyz=point.xyz, rpy=point.rpy, speed=move.speed, blend=move.blend,
                                    tip=point.tool, source=source))  # fmt: skip
        else:
            commands.append(MoveLine(xyz=point.xyz, rpy=point.rpy, speed=move.speed, blend=move.blend, tip=point.tool,
                                     source=source))  # fmt: skip
    return commands
