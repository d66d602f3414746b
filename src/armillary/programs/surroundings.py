"""What a program can name besides its own words: joints, frames, tools, taught points and inputs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from armillary.programs.commands import Three

__all__ = ["Inputs", "NoInputs", "Point", "Surroundings"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Point:
    """A place that was taught.

    Attributes:
        q: Joint positions [rad or m], in the robot's order.
        xyz, rpy: Of the tool, in what the arm stands on [m], [rad].
        tool: The frame that was taught; "" for the cell's tool.
        frame: The frame that it was taught in, for people; its pose is given in what the arm stands on all the same.
    """

    name: str
    q: tuple[float, ...]
    xyz: Three
    rpy: Three
    tool: str = ""
    frame: str = ""


class Inputs(Protocol):
    """What the motor side senses. Asked only while the robot stands where the program is."""

    def digital(self, index: int) -> bool: ...

    def analog(self, index: int) -> float: ...

    def came(self) -> bool:
        """Whether what was waited for last came in time."""


class NoInputs:
    """Nothing is connected: all low, and whatever is waited for has come. For dry runs."""

    def digital(self, index: int) -> bool:  # noqa: ARG002
        return False

    def analog(self, index: int) -> float:  # noqa: ARG002
        return 0.0

    def came(self) -> bool:
        return True


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What is around a program.

    Attributes:
        joints: Their names, in the order of every q; empty where no robot is known.
        slides: Which of them move along and not about their axis: their values are lengths.
        frames: Where frames that stay are, in what the arm stands on: T_base_frame, (4, 4) each.
        tools: Frames that are fixed to the end of the arm, by name.
        points: Taught ones by name.
        q: Where the joints are when the program begins [rad or m]; empty where that is not known.
        start: Where the tool is when the program begins, in what the arm stands on (4, 4); None where that is not known.
        inputs: What the motor side senses.
    """

    joints: tuple[str, ...] = ()
    slides: tuple[bool, ...] = ()
    frames: Mapping[str, Array] = field(default_factory=dict)
    tools: tuple[str, ...] = ()
    points: Mapping[str, Point] = field(default_factory=dict)
    q: tuple[float, ...] = ()
    start: Array | None = None
    inputs: Inputs = field(default_factory=NoInputs)
