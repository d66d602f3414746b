"""The motor sides that the contract is tried on: each an emulator in a process of its own, and the driver that speaks to it."""

import os
import random
import signal
import subprocess
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from armillary.drivers import Driver
from armillary.drivers.registry import DriverRequest, make_driver
from armillary.model import Coupling, Model
from tests.drivers import pmac_bench, test_servo_frame_boards
from tests.drivers.contract.noisy_link import NoisyLink
from tests.emulators.servo_boards_process import BoardsProcess

__all__ = ["MOTOR_SIDES", "MotorSide"]

Array = NDArray[np.float64]


class MotorSide(ABC):
    """A motor controller that is not there.

    Attributes:
        name: Of its driver. robot, group: What it moves.
        model, home, away: Likewise; where it stands, and where it can go.
        count: How far it may be from where it was sent [rad].
        measures: Whether what it says of its position is measured, and not what it was told.
        folder: Where what belongs to it lies.
    """

    name: str
    robot: str
    group: str | None = None
    model: Model
    home: Array
    away: Array
    count: float
    measures = True
    coupling: Coupling | None = None

    def __init__(self, folder: Path) -> None:
        self.folder = folder

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

    def spoil(self, share: float) -> None:
        """From now on this share of the bytes that are answered (or sent, where nothing is answered) are others."""
        pytest.skip(f"no bytes of {self.name} are ours: its transport is somebody else's")

    def delay(self, seconds: float) -> None:
        """From now on every answer comes so much later."""
        pytest.skip(f"{self.name} is not asked anything: there are no answers to come late")

    def driver(self) -> Driver:
        return make_driver(self.name, DriverRequest(self.model, self.home, self.options, coupling=self.coupling))


class Pmac(MotorSide):
    name, robot, model = "pmac", "industrial6", pmac_bench.MODEL
    home, away, coupling = pmac_bench.HOME, pmac_bench.AWAY, pmac_bench.COUPLING
    count = float(1.0 / np.abs(pmac_bench.COUPLING.matrix).max(axis=1).min())

    def start(self) -> None:
        self._emulator = pmac_bench.EmulatorProcess()
        self._link = NoisyLink(self._emulator.port)

    def spoil(self, share: float) -> None:
        self._link.spoil = share

    def delay(self, seconds: float) -> None:
        self._link.delay = seconds

    @property
    def process(self) -> subprocess.Popen[str]:
        return self._emulator.process

    @property
    def options(self) -> dict[str, Any]:
        return {"address": f"127.0.0.1:{self._link.port}", "answers": 2.0, "watchdog": 2.0}

    def close(self) -> None:
        self._link.close()
        self._emulator.close()


class ServoFrame(MotorSide):
    name, robot, group, model = "servo_frame", "inmoov", "controlled", test_servo_frame_boards.MODEL
    home, away, count, measures = test_servo_frame_boards.HOME, test_servo_frame_boards.AWAY, float(np.deg2rad(1.0)), False

    def start(self) -> None:
        (self.folder / "boards").mkdir(exist_ok=True)
        self._boards = BoardsProcess(self.folder / "boards")
        self._noise = random.Random(1)

    def spoil(self, share: float) -> None:
        """Bytes of somebody else between the driver's: the wire goes one way."""
        if share > 0.0:
            with open(self._boards.port, "wb", buffering=0) as port:
                port.write(bytes(self._noise.randrange(256) for _ in range(int(400 * share))))

    @property
    def process(self) -> subprocess.Popen[str]:
        return self._boards.process

    @property
    def options(self) -> dict[str, Any]:
        return {"port": str(self._boards.port), "servos": test_servo_frame_boards.SERVOS, "boot": 0.1}

    def close(self) -> None:
        self._boards.close()


MOTOR_SIDES: dict[str, type[MotorSide]] = {kind.name: kind for kind in (Pmac, ServoFrame)}
