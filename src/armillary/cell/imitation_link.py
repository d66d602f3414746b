"""The way of set-points into a cell's executor, and of what became of them."""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armillary.cell.cell import Cell
from armillary.drivers.registry import is_hosted
from armillary.runtime.board_kinds import FOLLOWED, MOST_CHANNELS, PERSON, external_kind
from armillary.runtime.channel import Board
from armillary.runtime.hosted_driver import feedback_kind

__all__ = ["ImitationLink", "WayOut"]

Array = NDArray[np.float64]


class WayOut(NamedTuple):
    """When a set-point passed what it passes [s, the machine's clock].

    Attributes:
        since: When that came in which it answers.
        written: On the board. taken: By a tick of the executor. sent: When that tick had sent its command.
    """

    since: float
    written: float
    taken: float
    sent: float


class ImitationLink:
    """Boards of a station that an imitation writes and reads.

    Set-points go to the executor's board itself, and not through the front: they would wait there behind others. That the robot
    follows is asked of the front, which gives control for it, and whoever takes that away stops the robot.

    Attributes:
        hosted: Whether commands go out by a driver in a process of its own; by the executor itself otherwise.
    """

    def __init__(self, cell: Cell, *, clock: Callable[[], float] = time.monotonic) -> None:
        folder, n = cell.station.folder, cell.model.n
        self._clock = clock
        self._external = Board(folder / "external", external_kind(n))
        self._followed, self._hosted = Board(folder / "followed", FOLLOWED), Board(folder / "host_feedback", feedback_kind(n))
        self._person = Board(folder / "person", PERSON)
        self._external.read(self._external.value)
        self.hosted = is_hosted(cell.station.settings.driver)

    def set_point(self, q: Array, v: Array, since: float, *, holds: bool = False) -> None:
        """Where the joints are to be now and how fast, shape (n,) each, answering what came in at a time [s].

        Args:
            holds: Come to rest instead, wherever that is soonest.
        """
        value = self._external.value
        value["q"], value["v"], value["time"], value["since"], value["holds"] = q, v, self._clock(), since, holds
        value["number"] += 1
        self._external.write()

    def show(self, values: Array, at: float) -> None:
        """The person's newest frame, for who wants to see it (ROS); of more channels than there is room for, the first."""
        value, count = self._person.value, min(len(values), MOST_CHANNELS)
        value["values"][0][:count], value["count"], value["time"] = values[:count], count, at
        value["number"] += 1
        self._person.write()

    def way_out(self) -> WayOut:
        """Of the newest set-point that has been taken."""
        followed = self._followed.read()[1]
        return WayOut(*(float(followed[name][0]) for name in WayOut._fields))

    def out(self) -> tuple[float, float]:
        """Of the newest that the driver has sent: when that came in which it answers, and when it had gone out [s]."""
        hosted = self._hosted.read()[1]
        return float(hosted["since"][0]), float(hosted["out"][0])

    def close(self) -> None:
        for board in (self._external, self._followed, self._hosted, self._person):
            board.close()
