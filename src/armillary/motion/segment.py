"""One step of a motion that goes on: along a path of the tool, or to a configuration."""

import itertools
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from armillary.motion.errors import BadMotion
from armillary.motion.tool_path import RADIAN, ToolPath

__all__ = ["Segment", "goes_on", "names_from", "without_corners"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Segment:
    """One step of a motion: along a path of the tool, or to a configuration.

    Attributes:
        to: A path of the tool, or joint positions (n,) to go to straight in joint space.
        blend: How far from its end the next segment may be begun [m, or rad and m together in joint space]; 0 stops there.
        tolerance: How far the path may pass from where this one ends [m], instead of `blend`; only along paths of the tool.
        feed: The tool's speed at most [m/s]; None for as fast as the joints allow.
        share: Of the joints' speeds that is used at most, on the way to a configuration.
        origin: Where it comes from (a program's line).
        names: Where its parts come from, where it stands for several lines: from which s on, and the line.
    """

    to: ToolPath | Array
    blend: float = 0.0
    tolerance: float = 0.0
    feed: float | None = None
    share: float = 1.0
    origin: str = ""
    names: tuple[tuple[float, str], ...] = ()

    @property
    def by_tool(self) -> bool:
        return isinstance(self.to, ToolPath)

    @property
    def rounds(self) -> bool:
        """Whether its end is not stopped at."""
        return self.blend > 0.0 or (self.by_tool and self.tolerance > 0.0)


def without_corners(segment: Segment) -> list[Segment]:
    """A segment whose path has corners and no blend, as several, with a stop between."""
    if not isinstance(segment.to, ToolPath) or segment.rounds or not segment.to.corners:
        return [segment]
    edges = [0, *segment.to.corners, len(segment.to.pieces)]
    path = segment.to
    return [
        replace(segment, to=ToolPath(path.pieces[first:behind], path.origins[first:behind]))
        for first, behind in itertools.pairwise(edges)
    ]


def goes_on(one: Segment, two: Segment) -> bool:
    """Whether a segment can follow another without a stop.

    Raises:
        BadMotion: It begins elsewhere.
    """
    if not (isinstance(one.to, ToolPath) and isinstance(two.to, ToolPath)):
        return one.rounds and one.by_tool == two.by_tool
    end, start = one.to.at([one.to.length]), two.to.at([0.0])
    gap = float(np.linalg.norm(end.T[0, :3, 3] - start.T[0, :3, 3]))
    if gap > 1e-6:
        where = f"{two.origin}: " if two.origin else ""
        raise BadMotion(f"{where}the path begins {gap * 1e3:.4g} mm away from where the one before ends")
    bend = max(float(np.abs(end.dp - start.dp).max()), RADIAN * float(np.abs(end.w - start.w).max()))
    return one.rounds or bend < 1e-6


def names_from(segment: Segment, begin: float) -> tuple[tuple[float, str], ...]:
    """The names of a segment's parts from some way into it on."""
    names = segment.names or ((0.0, segment.origin),)
    here = [name for at, name in names if at <= begin][-1:] or [names[0][1]]
    return ((0.0, here[0]), *((at - begin, name) for at, name in names if at > begin))
