"""What the PMAC driver's tests share: the emulator as a process and as a thread, a driver for it, and a rig around both."""

import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.description import open_cell
from armillary.drivers import Command, Feedback
from armillary.drivers.pmac import PmacDriver
from armillary.drivers.registry import DriverRequest, make_driver
from armillary.emulators.pmac import Machine, Server
from armillary.model import Coupling, coupling_from, load_model
from armillary.motion import Trajectory, plan_joints
from armillary.runtime import Handover, State
from armillary.runtime.buffered_executor import BufferedExecutor
from armillary.runtime.driver_host import DriverHost
from armillary.runtime.guard import Tolerances
from armillary.runtime.hosted_driver import HostedDriver

__all__ = [
    "AWAY",
    "COUPLING",
    "HOME",
    "MODEL",
    "EmulatorProcess",
    "Rig",
    "command",
    "coupling_of",
    "driver_at",
    "emulator_thread",
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

    def fault(self, what: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()

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


def told(driver: PmacDriver, wanted: Callable[[Feedback], bool], most: float = _PATIENCE) -> Feedback:
    """The first feedback of which something holds."""
    feedback, end = Feedback.of(6), time.monotonic() + most
    while True:
        driver.read(feedback)
        if wanted(feedback):
            return feedback
        assert time.monotonic() < end, f"it did not come to that: {feedback}"
        time.sleep(0.002)


class Rig:
    """An executor and a driver's host, taking turns by the clock, with an emulator behind them."""

    def __init__(self, folder: Path, port: int, **options: Any) -> None:
        self.driver = driver_at(port, **options)
        self.host = DriverHost(folder, self.driver, 6)
        # One process for both, on a machine that others use too: pauses, and what is behind because of them, are no fault here.
        borne = Tolerances(following=0.25, driver_silence=5.0, lateness=5.0)
        self.executor = BufferedExecutor(MODEL, HostedDriver(folder, 6), tolerances=borne)
        self.measured: list[Array] = []

    def tick(self, seconds: float) -> None:
        end, looked = time.monotonic() + seconds, 0.0
        while (now := time.monotonic()) < end:
            self.executor.tick(now)
            if now - looked >= 0.002:
                looked = now
                self.host.look()
                self.measured.append(self.executor.feedback.q.copy())
            time.sleep(0.0005)

    def until(self, *states: State, most: float = _PATIENCE) -> None:
        end = time.monotonic() + most
        while self.executor.state not in states:
            assert time.monotonic() < end, f"{states[0].name} was not reached: {self.executor.state.name}, {self.executor.fault}"
            self.tick(0.01)

    def up(self) -> "Rig":
        self.tick(0.05)  # what is compiled at the first tick is compiled now
        self.executor.power_on()
        self.executor.initialise()
        self.until(State.READY, State.FAULTED)
        assert self.executor.fault is None, str(self.executor.fault)
        return self

    def go(self, goal: Array, duration: float | None = None) -> Trajectory:
        plan = plan_joints(MODEL, self.executor._ends_at.copy(), goal, duration=duration)
        self.tick(0.01)
        self.measured.clear()
        self.executor.run(Handover(plan.trajectory, plan.certificate))
        return plan.trajectory

    def off_the_path(self, trajectory: Trajectory) -> float:
        """How far what was measured is from where the trajectory ever is [rad]."""
        path = trajectory.sample(np.linspace(0.0, trajectory.duration, 3000))[:, 0]
        return max(float(np.abs(path - q).max(axis=1).min()) for q in self.measured)


def command(number: int, q: Array, v: Array | None = None) -> Command:
    made = Command.of(6)
    made.number, made.q[:] = number, q
    if v is not None:
        made.v[:] = v
    return made
