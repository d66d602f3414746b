"""A cell with a rosbridge, for clients that others wrote."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from armillary.cell import Cell
from armillary.runtime import State


@dataclass(frozen=True)
class Bridge:
    """A running cell and where its rosbridge is."""

    cell: Cell
    port: int
    token: str

    @property
    def address(self) -> str:
        return f"ws://127.0.0.1:{self.port}"


@pytest.fixture(scope="module")
def running_bridge() -> Iterator[Bridge]:
    with Cell.open(
        "cobot6", driver="ideal", low_power=True, record=False, patience=1.0, rosbridge={"host": "127.0.0.1", "port": 0}
    ) as cell:
        said = cell.station.rosbridge
        yield Bridge(cell, int(said["port"]), str(said["token"]))


@pytest.fixture
def bridge(running_bridge: Bridge) -> Bridge:
    """At home and ready, with nobody in control."""
    cell = running_bridge.cell
    cell.take_control("the test", force=True)
    cell.station.wait(State.READY, State.HOLDING, State.FAULTED, State.OFF, State.STOPPED, timeout=10.0)
    if cell.state.state == State.FAULTED:
        cell.reset()
    if cell.state.state in (State.OFF, State.STOPPED):
        cell.power_on()
    home = np.array([0.0, 1.83, -2.18, -1.92, -1.57, 0.0])
    if np.abs(cell.state.q - home).max() > 1e-9:
        cell.move_joints(home)
    cell.station.ask("give_control")
    return running_bridge
