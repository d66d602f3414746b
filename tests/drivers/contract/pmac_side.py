"""A PMAC as a motor side that the contract is tried on."""

import subprocess
from typing import Any, ClassVar

import numpy as np

from tests.drivers import pmac_bench
from tests.drivers.contract.motor_side import Array, MotorSide, Moved
from tests.drivers.contract.noisy_link import NoisyLink, TcpLink

__all__ = ["Pmac"]


class Pmac(MotorSide):
    name = "pmac"
    usual = Moved(pmac_bench.MODEL, pmac_bench.HOME, pmac_bench.AWAY, pmac_bench.COUPLING)
    halts, off = 0.7, 1e-3  # a ramp of 0.2 s; its buffer holds 1.6 s

    says: ClassVar[dict[str, str]] = {
        "cut": r"is lost: (it has closed the connection|Connection reset|Broken pipe)|no PMAC at",
        "silence": r"no answer to",
        "garbage": r"no number|no answer|report",
        "late": r"no answer to",
        "second": r"another master",
    }

    @property
    def count(self) -> float:
        assert self.moved.coupling is not None
        return float(1.0 / np.abs(self.moved.coupling.matrix).max(axis=1).min())

    def start(self) -> None:
        assert self.moved.coupling is not None
        self._emulator = pmac_bench.EmulatorProcess(self.moved.coupling.to_motors(self.home))
        self._link = TcpLink(self._emulator.port)

    @property
    def link(self) -> NoisyLink:
        return self._link

    @property
    def process(self) -> subprocess.Popen[str]:
        return self._emulator.process

    @property
    def options(self) -> dict[str, Any]:
        return {"address": f"127.0.0.1:{self._link.port}", "answers": 2.0, "watchdog": 2.0}

    def place(self) -> Array:
        assert self.moved.coupling is not None
        return self.moved.coupling.to_joints(self._emulator.places()[0])

    @property
    def powered(self) -> bool:
        return self._emulator.places()[1]

    def close(self) -> None:
        self._link.close()
        self._emulator.close()
