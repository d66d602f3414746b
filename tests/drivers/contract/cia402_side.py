"""Drives on CAN as a motor side that the contract is tried on."""

import subprocess
from typing import Any, ClassVar

import numpy as np

from tests.drivers import cia402_bench, pmac_bench
from tests.drivers.contract.motor_side import Array, MotorSide, Moved
from tests.drivers.contract.noisy_link import NoisyLink, TcpLink

__all__ = ["Cia402"]


class Cia402(MotorSide):
    name = "cia402"
    usual = Moved(cia402_bench.MODEL, cia402_bench.HOME, cia402_bench.AWAY, pmac_bench.COUPLING)
    halts, off = 0.7, 2e-3

    says: ClassVar[dict[str, str]] = {
        "cut": r"CAN bus .* (is lost|cannot be opened)|no socketcand server|node \d+ does not answer",
        "silence": r"away from its command|is not heard|no command|lost",
        "garbage": r"the CAN bus .* is lost: Failed to receive",
        "late": r"is not heard|leaps by|away from its command",
        "second": r"another master",
    }

    @property
    def count(self) -> float:
        assert self.moved.coupling is not None
        return float(1.0 / np.abs(self.moved.coupling.matrix).max(axis=1).min())

    def start(self) -> None:
        assert self.moved.coupling is not None
        self._drives = cia402_bench.EmulatedDrives(np.round(self.moved.coupling.to_motors(self.home)))
        self._link = TcpLink(self._drives.port)

    @property
    def link(self) -> NoisyLink:
        return self._link

    @property
    def process(self) -> subprocess.Popen[str]:
        return self._drives.process

    @property
    def options(self) -> dict[str, Any]:
        return {"interface": "socketcand", "address": f"127.0.0.1:{self._link.port}", "watchdog": 1.0}

    def place(self) -> Array:
        assert self.moved.coupling is not None
        return self.moved.coupling.to_joints(self._drives.places()[0])

    @property
    def powered(self) -> bool:
        return self._drives.places()[1]

    def close(self) -> None:
        self._link.close()
        self._drives.close()
