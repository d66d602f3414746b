"""What the PMAC driver's tests share: the emulator as a process and as a thread, a driver for it, and a rig around both."""

import select
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.description import open_cell
from armillary.drivers.pmac import PmacDriver
from armillary.drivers.registry import DriverRequest, make_driver
from armillary.emulators.pmac import Machine, Server
from armillary.model import Coupling, coupling_from, load_model
from tests.drivers import rig
from tests.drivers.rig import Rig

__all__ = [
    "AWAY",
    "COUPLING",
    "HOME",
    "MODEL",
    "EmulatorProcess",
    "PmacRig",
    "coupling_of",
    "driver_at",
    "emulator_thread",
    "rig_at",
    "told",
]

Array = NDArray[np.float64]
MODEL = load_model("industrial6")
HOME = np.array([0.0, -0.349066, 0.174533, 0.0, -1.396263, 0.0])
AWAY = HOME + np.array([0.5, 0.2, -0.3, 0.4, 0.3, 0.6])
_PATIENCE = 20.0  # s that a test waits for what must come


def coupling_of(robot: str) -> Coupling:
    actuation = open_cell(robot).cell.actuation
    assert actuation is not None
    return coupling_from(actuation)


COUPLING = coupling_of("industrial6")


class EmulatorProcess:
    """The emulator in a process of its own, with faults by request."""

    def __init__(self, positions: Array | None = None, motors: int = 6) -> None:
        counts = COUPLING.to_motors(HOME) if positions is None else positions
        command = [sys.executable, "-m", "armillary.emulators.pmac", "--port", "0", "--motors", str(motors), "--faults"]
        self.process = subprocess.Popen(
            [*command, "--positions", *(f"{count:.6f}" for count in counts)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        assert select.select([self.process.stdout], [], [], _PATIENCE)[0], "the emulator does not start"
        self.port = int(self.process.stdout.readline())
        self._asking = threading.Lock()

    def fault(self, what: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()

    def places(self) -> tuple[Array, bool]:
        """Where the motors are [counts], by the emulator's own account, and whether any has power."""
        with self._asking:
            self.fault("status")
            assert self.process.stdout is not None
            assert select.select([self.process.stdout], [], [], _PATIENCE)[0], "the emulator says nothing"
            places, _, powered = self.process.stdout.readline().removeprefix("positions ").partition(" powered")
        return np.array([float(word) for word in places.split()]), bool(powered.strip())

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(_PATIENCE)
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()


@contextmanager
def emulator_thread(machine: Machine | None = None) -> Iterator[Server]:
    """The emulator in a thread, whose machine can be looked at."""
    server = Server(machine or Machine(6, positions=[*COUPLING.to_motors(HOME)]), port=0)
    ended = threading.Event()

    def serve() -> None:
        while not ended.is_set():
            server.serve()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield server
    finally:
        ended.set()
        thread.join(_PATIENCE)
        server.close()


def driver_at(port: int, **options: Any) -> PmacDriver:
    given = {"address": f"127.0.0.1:{port}", "answers": 2.0, "watchdog": 2.0, **options}
    driver = make_driver("pmac", DriverRequest(MODEL, HOME, given, coupling=COUPLING))
    assert isinstance(driver, PmacDriver)
    return driver


PmacRig = Rig[PmacDriver]
told = partial(rig.told, n=6)


def rig_at(folder: Path, port: int, **options: Any) -> PmacRig:
    return Rig(folder, MODEL, driver_at(port, **options))
