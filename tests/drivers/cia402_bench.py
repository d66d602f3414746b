"""What the tests of drives on CAN share: the emulator as a process, a driver for it, and a rig around both."""

import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import can
import numpy as np
from numpy.typing import NDArray

from armillary.description import read_robot
from armillary.drivers.cia402 import Cia402Driver
from armillary.drivers.registry import DriverRequest, make_driver
from armillary.model import Coupling, Model, build_model, load_model
from tests.drivers import rig
from tests.drivers.pmac_bench import AWAY, COUPLING, HOME, MODEL
from tests.drivers.rig import Rig

__all__ = [
    "AWAY", "COUNTS", "HOME", "MODEL", "PLACES", "SMALL", "SMALL_HOME", "EmulatedDrives", "driver_at", "other_on",
    "rig_at", "told", "two_at",
]  # fmt: skip

Array = NDArray[np.float64]
SMALL = build_model(read_robot("cobot6"), joints=[*load_model("cobot6").joints[:2]])
SMALL_HOME = np.array([0.3, -0.4])
PLACES = np.array([1.0, -1.0]) * 100_000.0 * SMALL_HOME  # of its motors there [counts]
COUNTS = 100_000.0  # for a radian of SMALL's joints
_BORNE = {"interface": "socketcand", "watchdog": 2.0}
_PATIENCE = 30.0  # s that a test waits for what must come


class EmulatedDrives:
    """Drives in a process of their own, with faults by request."""

    def __init__(self, positions: Array, *arguments: str) -> None:
        line = [sys.executable, "-m", "armillary.emulators.cia402", "--port", "0", "--nodes", str(len(positions)), "--faults"]
        self.process = subprocess.Popen(
            [*line, *arguments, "--positions", *(f"{count:.3f}" for count in positions)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self._asking = threading.Lock()
        first = self._line()
        self.port = int(first) if first.isdigit() else 0  # a channel's name on a bus of the kernel's

    def fault(self, what: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()

    def status(self, node: int) -> str:
        """`1 operation enabled: position 12.000 demand 12.000 syncs 7`."""
        self.fault(f"status {node}")
        return self._line()

    def until(self, node: int, holds: Callable[[str], bool]) -> str:
        end = time.monotonic() + _PATIENCE
        while not holds(said := self.status(node)):
            assert time.monotonic() < end, f"it did not come to that: {said}"
            time.sleep(0.01)
        return said

    def places(self) -> tuple[Array, bool]:
        """Where the motors are [counts], by the emulator's own account, and whether any has power."""
        with self._asking:
            self.fault("status")
            places, _, powered = self._line().removeprefix("positions ").partition(" powered")
        return np.array([float(word) for word in places.split()]), bool(powered.strip())

    def position(self, node: int) -> float:
        return float(self.status(node).split("position ")[1].split()[0])

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(_PATIENCE)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()

    def _line(self) -> str:
        assert self.process.stdout is not None
        assert select.select([self.process.stdout], [], [], _PATIENCE)[0], "the emulated drives say nothing"
        return self.process.stdout.readline().strip()


@contextmanager
def other_on(port: int) -> Iterator[can.BusABC]:
    """Somebody else on the bus."""
    bus = can.Bus(interface="socketcand", channel="can0", host="127.0.0.1", port=port, tcp_tune=True)
    try:
        yield bus
    finally:
        bus.shutdown()


def driver_at(port: int, **options: Any) -> Cia402Driver:
    """For industrial6, whose actuation model is in its cell."""
    return _made(MODEL, HOME, {"address": f"127.0.0.1:{port}", **options}, COUPLING)


def two_at(port: int, **options: Any) -> Cia402Driver:
    """For a small robot with two joints."""
    given = {"counts_per_unit": [COUNTS, -COUNTS], "address": f"127.0.0.1:{port}", **options}
    return _made(SMALL, SMALL_HOME, given)


def _made(model: Model, start: Array, given: dict[str, Any], coupling: Coupling | None = None) -> Cia402Driver:
    # On a machine that others use too pauses are no fault.
    options = {name: value for name, value in given.items() if value is not None}
    made = make_driver("cia402", DriverRequest(model, start, {**_BORNE, **options}, coupling=coupling))
    assert isinstance(made, Cia402Driver)
    return made


told = partial(rig.told, n=2)  # of SMALL


def rig_at(folder: Path, port: int, **options: Any) -> Rig[Cia402Driver]:
    return Rig(folder, MODEL, driver_at(port, **options))
