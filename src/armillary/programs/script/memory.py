"""What a running script remembers: variables, points, modes and calls."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from armillary.programs.commands import Three
from armillary.programs.script.statements import Units
from armillary.programs.script.words import UNITS
from armillary.programs.surroundings import Inputs, Point

__all__ = ["BASE", "Call", "KnownPoint", "Memory", "Modes", "factors"]

BASE = "B"  # the frame that is what the arm stands on


@dataclass
class Modes:
    """What stays in force until it is changed.

    Attributes:
        tool: The frame that is moved; "" for the cell's tool.
        frame: The frame that poses are given in.
        share: Of what the joints can do.
        speed: Of the tool at most [m/s]; None for as fast as the joints can.
        units: Of all values that have none of their own.
    """

    tool: str = ""
    frame: str = BASE
    share: float = 1.0
    speed: float | None = None
    units: Units = field(default_factory=lambda: Units("mm", "deg", "s"))


@dataclass(frozen=True)
class KnownPoint:
    """A point that was taught or declared.

    Attributes:
        q: Joint positions [rad or m]; None for one that is only a pose.
        xyz, rpy: Of the tool, in what the arm stands on [m], [rad]; None for one that is only joint positions.
        tool: The frame that it is a pose of.
    """

    q: tuple[float, ...] | None = None
    xyz: Three | None = None
    rpy: Three | None = None
    tool: str = ""


@dataclass
class Call:
    """A subroutine that is running, or the program itself.

    Attributes:
        name: Of the subroutine; "" for the program.
        line: Where it was called.
        back: The step to go on with behind it.
        parameters: Its own variables.
        loops: Of each FOR that is running in it: turns done, turns to do, first value and step.
    """

    name: str = ""
    line: int = 0
    back: int = -1
    parameters: dict[str, float] = field(default_factory=dict)
    loops: dict[int, tuple[int, int, float, float]] = field(default_factory=dict)


class Memory:
    """All that changes while a script runs."""

    def __init__(self, taught: Mapping[str, Point], inputs: Inputs) -> None:
        self.variables: dict[str, float] = {}
        self.points = {name: KnownPoint(point.q or None, point.xyz, point.rpy, point.tool) for name, point in taught.items()}
        self.modes = Modes()
        self.inputs = inputs
        self.calls = [Call()]


@lru_cache(maxsize=256)
def factors(modal: Units, stated: Units | None) -> tuple[float, float, float]:
    """What a length, an angle and a time are multiplied by to be in m, rad and s."""
    stated = stated or modal
    return (
        UNITS[stated.length or modal.length], UNITS[stated.angle or modal.angle], UNITS[stated.time or modal.time],
    )  # fmt: skip
