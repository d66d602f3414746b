"""A motor side that the contract is tried on: an emulator in a process of its own, and the driver that speaks to it."""

import os
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from armillary.description import open_cell
from armillary.drivers import Driver
from armillary.drivers.registry import DriverRequest, make_driver
from armillary.model import Coupling, Model, coupling_from, load_model
from armillary.runtime.prepared import home_of
from tests.drivers.contract.noisy_link import NoisyLink

__all__ = ["MotorSide", "Moved", "moved_by"]

Array = NDArray[np.float64]
_PATIENCE = 20.0  # s that a test waits for what must come


@dataclass(frozen=True, eq=False)
class Moved:
    """What a motor side moves.

    Attributes:
        home, away: Where it stands, and where it can go, shape (n,).
        coupling: How motors move joints, where the cell says so.
    """

    model: Model
    home: Array
    away: Array
    coupling: Coupling | None = None


def moved_by(source: str | Path) -> Moved:
    """The robot of a cell, at its home."""
    cell, model = open_cell(source).cell, load_model(source)
    home = home_of(cell, model)
    return Moved(model, home, home, None if cell.actuation is None else coupling_from(cell.actuation))


class MotorSide(ABC):
    """A motor controller that is not there.

    Attributes:
        name: Of its driver. usual: What it moves where nothing else is said.
        measures: Whether what its driver says of its position is measured, and not what it was told.
        halts: In which its motors stand when a motion is held or stopped on its path: its own ramp, an interval and a busy
            computer's pauses, and less than what it may have in its buffer [s].
        off: How far its motors may be beside the path of a slow motion [rad].
        says: What a fault's words name: when the link is cut, when nothing is answered any more, for garbage, for answers that
            come late, and to a second master.
        folder: Where what belongs to it lies.
    """

    name: str
    usual: Moved
    measures = True
    halts: float
    off: float
    says: ClassVar[dict[str, str]]

    def __init__(self, folder: Path, moved: Moved | None = None) -> None:
        self.folder, self.moved = folder, moved or self.usual
        self.model, self.home, self.away = self.moved.model, self.moved.home, self.moved.away

    @property
    @abstractmethod
    def count(self) -> float:
        """How far its motors may be from where they were sent [rad]."""

    @abstractmethod
    def start(self) -> None:
        """Bring it up, where it was ended: it stands at home."""

    @property
    @abstractmethod
    def process(self) -> subprocess.Popen[str]:
        """The emulator's."""

    @property
    @abstractmethod
    def options(self) -> dict[str, Any]:
        """For the driver, as cell.toml has them."""

    @abstractmethod
    def place(self) -> Array:
        """Where the emulator itself has its motors, as joint positions, shape (n,); whatever any driver says."""

    @property
    @abstractmethod
    def powered(self) -> bool:
        """Whether the emulator has power on any motor."""

    @abstractmethod
    def close(self) -> None: ...

    def kill(self) -> None:
        """As a power cut does."""
        self.process.kill()
        self.process.wait(10.0)
        self.close()

    def pause(self) -> None:
        os.kill(self.process.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        os.kill(self.process.pid, signal.SIGCONT)

    # The link to it: the emulator lives on, whatever becomes of that.

    @property
    def link(self) -> NoisyLink:
        """What lies between the driver and the emulator."""
        pytest.skip(f"the link of {self.name} is not ours: its transport is somebody else's")

    def rest(self) -> Array:
        """Where its motors come to rest, by its own account."""
        end, before = time.monotonic() + _PATIENCE, self.place()
        while True:
            time.sleep(0.25)
            now = self.place()
            if np.abs(now - before).max() < 1e-7:
                return now
            assert time.monotonic() < end, f"the motors of {self.name} do not come to rest"
            before = now

    def driver(self) -> Driver:
        return make_driver(self.name, DriverRequest(self.model, self.home, self.options, coupling=self.moved.coupling))
