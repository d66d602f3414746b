"""Emulated drives on their bus, as clients that we did not write meet them: python-can and canopen's own drive profile."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import can
import canopen
import numpy as np
import pytest

from tests.drivers.cia402_bench import EmulatedDrives, other_on

PATIENCE = 20.0


@pytest.fixture(scope="module")
def drives() -> Iterator[EmulatedDrives]:
    drives = EmulatedDrives(np.array([100.0, -200.0]))
    yield drives
    drives.close()


@pytest.fixture
def network(drives: EmulatedDrives) -> Iterator[Any]:
    network = canopen.Network()
    network.NOTIFIER_CYCLE = 0.05
    network.connect(interface="socketcand", channel="any", host="127.0.0.1", port=drives.port, tcp_tune=True)
    yield network
    network.disconnect()


def node_of(network: Any, number: int) -> Any:
    drive: Any = canopen.BaseNode402
    with as_file(files("armillary.protocols").joinpath("cia402.eds")) as path:
        node = network.add_node(drive(number, str(path)))
    node.sdo.RESPONSE_TIMEOUT = 5.0
    return node


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.01)


def test_its_objects_are_those_of_its_sheet_and_refusals_say_why(network: Any) -> None:
    node = node_of(network, 1)
    assert node.sdo[0x1000].raw & 0xFFFF == 402 and node.sdo[0x1018][4].raw == 1 and node.sdo[0x6064].raw == 100
    with pytest.raises(canopen.SdoAbortedError, match="does not exist"):
        node.sdo.upload(0x5000, 0)
    with pytest.raises(canopen.SdoAbortedError, match="read only"):
        node.sdo.download(0x6064, 0, b"\0\0\0\0")
    with pytest.raises(canopen.SdoAbortedError):
        node.sdo[0x6060].raw = 3  # a mode that it has not


def test_canopens_own_drive_class_brings_it_up_and_down(network: Any, drives: EmulatedDrives) -> None:
    """Its state machine is another's; ours must be the same."""
    node = node_of(network, 2)
    node.nmt.state = "OPERATIONAL"
    node.setup_402_state_machine()
    network.sync.start(0.02)  # status words come with SYNC
    node.sdo[0x6060].raw = 1
    node.state = "READY TO SWITCH ON"
    node.state = "SWITCHED ON"
    node.state = "OPERATION ENABLED"
    assert "operation enabled" in drives.status(2)
    node.state = "QUICK STOP ACTIVE"
    assert "quick stop active" in drives.status(2)
    node.state = "SWITCH ON DISABLED"
    assert "switch on disabled" in drives.status(2)
    drives.fault("emcy 2 2320")
    until(lambda: "fault" in drives.status(2))
    until(lambda: bool(node.emcy.log) and node.emcy.log[-1].code == 0x2320)
    until(lambda: bool(node.state == "FAULT"))
    node.reset_from_fault()  # and up again: canopen's does both
    assert "operation enabled" in drives.status(2)
    node.state = "SWITCH ON DISABLED"
    network.sync.stop()


def test_a_profile_move_by_objects_alone(network: Any, drives: EmulatedDrives) -> None:
    node = node_of(network, 1)
    node.sdo[0x6060].raw = 1
    for word in (0x06, 0x07, 0x0F):
        node.sdo[0x6040].raw = word
        time.sleep(0.05)
    node.sdo[0x607A].raw = 5000
    node.sdo[0x6040].raw = 0x1F
    until(lambda: abs(node.sdo[0x6064].raw - 5000) <= 1 and bool(node.sdo[0x6041].raw & 0x0400))
    node.sdo[0x607A].raw = 100
    node.sdo[0x6040].raw = 0x0F
    node.sdo[0x6040].raw = 0x1F
    until(lambda: abs(node.sdo[0x6064].raw - 100) <= 1)
    node.sdo[0x6040].raw = 0


def test_heartbeats_come_as_ordered_and_all_on_the_bus_hear_each_other(network: Any, drives: EmulatedDrives) -> None:
    node = node_of(network, 1)
    with other_on(drives.port) as other:
        node.sdo[0x1017].raw = 20
        seen: set[int] = set()
        end = time.monotonic() + PATIENCE
        while not {0x701, 0x601, 0x581} <= seen and time.monotonic() < end:
            node.sdo[0x6041].raw  # noqa: B018 the other hears the question and the answer
            message = other.recv(0.05)
            seen |= {message.arbitration_id} if message else set()
        node.sdo[0x1017].raw = 0
    assert {0x701, 0x601, 0x581} <= seen


def test_garbage_frames_are_survived(drives: EmulatedDrives) -> None:
    random = np.random.default_rng(4)
    with other_on(drives.port) as other:
        for _ in range(300):
            identifier = int(random.choice([0x000, 0x080, 0x201, 0x301, 0x601, 0x602, 0x701, int(random.integers(0x800))]))
            other.send(can.Message(arbitration_id=identifier, data=random.bytes(int(random.integers(9))), is_extended_id=False))
    until(lambda: drives.status(1) != "")
    assert drives.process.poll() is None


def test_what_cannot_be_is_refused_in_words(drives: EmulatedDrives) -> None:
    def said(*arguments: str) -> str:
        line = [sys.executable, "-m", "armillary.emulators.cia402", *arguments]
        done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 2 and "Traceback" not in done.stderr
        return done.stderr

    assert "cannot be listened on" in said("--port", str(drives.port))
    assert "1 to 126" in said("--nodes", "200")
    if "vcan0" not in Path("/proc/net/dev").read_text():
        assert "there is no bus vcan0" in said("--interface", "socketcan", "--channel", "vcan0")
