"""Drives on CAN as a motor side that the contract is tried on."""

import subprocess
from typing import Any

import numpy as np

from tests.drivers import cia402_bench, pmac_bench
from tests.drivers.contract.motor_side import MotorSide
from tests.drivers.contract.noisy_link import NoisyLink

__all__ = ["Cia402"]


class Cia402(MotorSide):
    name, robot, model = "cia402", "industrial6", cia402_bench.MODEL
    home, away, coupling = cia402_bench.HOME, cia402_bench.AWAY, pmac_bench.COUPLING
    count = float(1.0 / np.abs(pmac_bench.COUPLING.matrix).max(axis=1).min())

    def start(self) -> None:
        self._drives = cia402_bench.EmulatedDrives(np.round(pmac_bench.COUPLING.to_motors(self.home)))
        self._link = NoisyLink(self._drives.port)

    def spoil(self, share: float) -> None:
        self._link.spoil = share

    def delay(self, seconds: float) -> None:
        self._link.delay = seconds

    @property
    def process(self) -> subprocess.Popen[str]:
        return self._drives.process

    @property
    def options(self) -> dict[str, Any]:
        return {"interface": "socketcand", "address": f"127.0.0.1:{self._link.port}", "watchdog": 1.0}

    def close(self) -> None:
        self._link.close()
        self._drives.close()
