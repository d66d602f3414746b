"""The real LinuxCNC moves a cobot whose motors are drives on CAN: what its pins say, and following errors both ways."""

import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from armillary.cell import Cell
from armillary.description.source import find_source
from armillary.interfaces.linuxcnc import LinuxcncMaster, LinuxcncProgramFailed, machine_of
from armillary.motion import limits_of
from tests.drivers.cia402_bench import EmulatedDrives
from tests.interfaces.test_linuxcnc_master import becomes, begins, stands

pytestmark = [
    pytest.mark.alone,
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("linuxcnc") is None, reason="LinuxCNC is not installed: make peers"),
]
_PATIENCE = 0.5
_COUNTS = 500_000.0  # for a radian of each joint
_HOME = np.array([0.0, 1.832596, -2.181662, -1.919862, -1.570796, 0.0])  # cobot6's


@pytest.fixture
def drives() -> Iterator[EmulatedDrives]:
    drives = EmulatedDrives(np.round(_COUNTS * _HOME))
    yield drives
    drives.close()


@pytest.fixture
def master(drives: EmulatedDrives) -> Iterator[LinuxcncMaster]:
    options = {
        "interface": "socketcand", "address": f"127.0.0.1:{drives.port}", "watchdog": 2.0, "following_error": 0.05,
        "counts_per_unit": [_COUNTS] * 6, "rated_torque": [100.0] * 6,
    }  # fmt: skip
    source = str(find_source("cobot6"))
    with Cell.open(source, driver="cia402", options=options, low_power=True, record=False, patience=1.0) as cell:
        machine = machine_of(cell.model, limits_of(cell.model), tool_speed=0.25, patience=_PATIENCE)
        with LinuxcncMaster(cell, machine) as master:
            master.on()
            yield master


def pins(name: str) -> list[float]:
    """What LinuxCNC's pins of the joints say, by its own tool."""
    said = subprocess.run(["halcmd", "-s", "show", "pin", "armillary.*"], capture_output=True, text=True, timeout=20, check=True)
    return [float(value) for value in re.findall(rf"\s(\S+)\s+armillary\.\d+\.{name}\b", said.stdout)]


def test_pins_say_where_the_drives_are_and_a_drive_that_cannot_follow_stops_both_and_is_named(
    master: LinuxcncMaster, drives: EmulatedDrives, write: Callable[..., Path]
) -> None:
    cell = master.cell
    begins(master, write)
    speeds, torques, end = list[float](), list[float](), time.monotonic() + 1.0
    while time.monotonic() < end:
        speeds += pins("velocity")
        torques += pins("torque")
    assert len(speeds) >= 12 and max(map(abs, speeds)) > 0.5, "degrees a second, while it moves"
    assert max(map(abs, torques)) > 0.0, "as the drives measure it"
    drives.fault("stuck 2")
    with pytest.raises(LinuxcncProgramFailed, match="joint_2"):
        master.finish()
    assert becomes(lambda: bool(master.display.state["estop"])), "a fault of ours is LinuxCNC's emergency stop"
    assert "joint_2" in master.robot.trouble and stands(cell)
    drives.fault("well 2")
    assert np.degrees(drives.places()[0] / _COUNTS) == pytest.approx(pins("position"), abs=0.01)
