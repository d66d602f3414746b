"""Where the base of a cell is, counted from when this began: its tracks are looked at again and again."""

import asyncio
from typing import Any

import numpy as np

from armillary.cell import Cell
from armillary.interfaces.ros.tracked_base import BasePose, TrackedBase

__all__ = ["DrivenBase"]

_LOOK = 0.02  # s between two looks: what the tracks do meanwhile is taken for an arc


class DrivenBase:
    """Attributes:
    pose: Where it is.
    """

    def __init__(self, cell: Cell, base: TrackedBase) -> None:
        self._cell, self.base, self.pose = cell, base, BasePose()
        self._columns = [cell.model.joints.index(name) for name in (base.left, base.right)]
        self._tracks: Any = None

    async def run(self) -> None:
        """Look, until it is cancelled."""
        while True:
            self.see(self._cell.station.state)
            await asyncio.sleep(_LOOK)

    def see(self, record: Any) -> None:
        """Go on by what the tracks have turned since. Where nobody knows that (drives that say nothing) it stands."""
        tracks = np.array(record["measured_q"])[self._columns]
        if not np.isfinite(tracks).all():
            self._tracks = None
            return
        if self._tracks is not None:
            self.pose = self.base.moved(self.pose, *(float(by) for by in tracks - self._tracks))
        self._tracks = tracks

    def velocity(self, record: Any) -> tuple[float, float]:
        """Forward [m/s] and turning [rad/s]."""
        left, right = (float(v) for v in np.nan_to_num(np.array(record["measured_v"])[self._columns]))
        return self.base.velocity(left, right)
