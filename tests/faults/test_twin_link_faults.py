"""The link between executor and twin, cut, delayed and corrupted in the middle of motions, by somebody in between."""

import contextlib
import json
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from armillary.cell import Cell
from armillary.runtime import RuntimeProblem, State
from tests.faults.recorded_rest import braking_time, recorded_fault, recorded_place

pytestmark = [pytest.mark.slow, pytest.mark.alone]
HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
AWAY = HOME + np.array([2.0, -0.2, 0.2, 0.1, 0.2, 0.3])
WATCHDOG = 0.8  # s, of the twin; and the executor's patience
SILENCE, BUSY = 2.0 * WATCHDOG, 0.3  # s after which the executor takes the twin for gone; and what a busy machine adds


class Between:
    """Passes on what both sides say, or does not.

    Attributes:
        delay: By how much everything is late [s].
        corrupt: Flip a bit in what comes next.
    """

    def __init__(self, port: int) -> None:
        self._twin, self.delay, self.corrupt = port, 0.0, False
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._pairs: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        pairs, self._pairs = self._pairs, []
        for one in pairs:
            with contextlib.suppress(OSError):  # one side may have closed it just now
                one.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._listener.close()
        for one in self._pairs:
            one.close()

    def _accept(self) -> None:
        while True:
            try:
                here, _ = self._listener.accept()
            except OSError:
                return
            there = socket.create_connection(("127.0.0.1", self._twin))
            for one in (here, there):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._pairs += [here, there]
            threading.Thread(target=self._pass, args=(here, there), daemon=True).start()

    def _pass(self, here: socket.socket, there: socket.socket) -> None:
        other = {here: there, there: here}
        try:
            while True:
                for one in select.select([here, there], [], [], 1.0)[0]:
                    data = bytearray(one.recv(65536))
                    if not data:
                        raise OSError
                    if self.corrupt:
                        self.corrupt = False
                        data[len(data) // 2] ^= 0x10
                    if self.delay:
                        time.sleep(self.delay)
                    other[one].sendall(data)
        except OSError:
            for one in (here, there):
                one.close()


@pytest.fixture(scope="module")
def between(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Between]:
    folder = tmp_path_factory.mktemp("twin")
    ready, job = folder / "ready", folder / "job.json"
    settings = {"watchdog": WATCHDOG}
    job.write_text(json.dumps({"source": "cobot6", "start": HOME.tolist(), "ready_file": str(ready), "settings": settings}))
    with subprocess.Popen([sys.executable, "-m", "armillary.twin.server", str(job)], stderr=subprocess.DEVNULL) as twin:
        deadline = time.monotonic() + 60.0
        while not ready.exists():
            assert time.monotonic() < deadline and twin.poll() is None
            time.sleep(0.05)
        proxy = Between(json.loads(ready.read_text())["port"])
        yield proxy
        proxy.close()
        twin.terminate()


@pytest.fixture(scope="module")
def running(between: Between, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cell]:
    folder: Path = tmp_path_factory.mktemp("recordings")
    address = {"address": f"127.0.0.1:{between.port}"}
    with Cell.open(
        "cobot6", driver="physics", options=address, low_power=True, recordings=str(folder), patience=WATCHDOG
    ) as cell:
        # Slow: who is in between runs in this very process, and a busy machine makes him late by what would be a following error.
        cell.override(0.3)
        yield cell


def bring_back(cell: Cell) -> None:
    """Reset until it is ready: a link may need some tries."""
    end = time.monotonic() + 20.0
    while int(cell.station.state["state"]) != State.READY:
        try:
            if int(cell.station.state["state"]) == State.FAULTED:
                cell.station.order("reset")
            cell.power_on()
        except RuntimeProblem:
            assert time.monotonic() < end
            time.sleep(0.2)


@pytest.mark.parametrize("fault", ["cut", "corrupt", "delay"])
def test_the_robot_rests_and_comes_back(running: Cell, between: Between, fault: str, seed: int) -> None:
    cell, rng = running, np.random.default_rng(seed)
    assert "twin" not in cell.station.processes, "it is somebody else's"
    between.delay, between.corrupt = 0.0, False
    bring_back(cell)  # whatever the test before left
    goal = max((HOME, AWAY), key=lambda end: float(np.abs(cell.state.q - end).max()))
    cell.move_joints(goal, wait=False)
    time.sleep(rng.uniform(0.3, 1.5))
    assert cell.station.state["state"] == State.MOVING, cell.state.fault
    speed = np.abs(cell.station.state["v"]) + 0.05  # it may have become faster since it was read
    injected = time.monotonic()
    if fault == "cut":
        between.cut()
    elif fault == "corrupt":
        between.corrupt = True
    else:
        between.delay = 3.0
    while cell.state.state != State.FAULTED:
        assert time.monotonic() < injected + 10.0, cell.state
        time.sleep(0.005)
    between.delay = 0.0
    _, when = recorded_fault(cell, cell.state.fault, injected)
    assert when - injected < SILENCE + BUSY
    # Without a link nobody hears from the robot: it must stand when the first is heard of it again, which is behind the bound.
    time.sleep(max(injected + WATCHDOG + braking_time(cell.model, speed) + BUSY - time.monotonic(), 0.0))
    bring_back(cell)
    place, back = cell.state.measured, time.monotonic()
    assert recorded_place(cell, back) == pytest.approx(place, abs=1e-3), "nothing is replayed"
    assert np.abs(place - goal).max() > 0.05
