"""What cell.toml may say of drives on CAN, and set-points refined to the instant of SYNC."""

import math
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armillary.drivers import Command, DriverError
from armillary.drivers.cia402_options import read_options
from armillary.drivers.cia402_set_point import SetPoint
from armillary.drivers.registry import DriverRequest, known_drivers, make_driver
from armillary.protocols.cia402_pdo import own_eds
from tests.drivers.cia402_bench import HOME, MODEL, driver_at, two_at

JOINTS = ("a", "b")
GOOD: dict[str, Any] = {"counts_per_unit": [1000.0, -1000.0]}


def test_it_is_found_by_name_and_says_what_it_can() -> None:
    able = two_at(1, sync=0.02).capabilities
    assert "cia402" in known_drivers()
    assert able.depth == 0 and able.interval == 0.02 and able.velocity and able.acceleration and able.watchdog == 2.0
    assert able.feedback_rate == pytest.approx(100.0) and not able.measures_torque


def test_what_is_left_out() -> None:
    options = read_options(GOOD, JOINTS)
    assert (options.interface, options.channel, options.bitrate, options.nodes) == ("socketcan", "can0", 1_000_000, (1, 2))
    assert options.sync == 0.01 and options.watchdog == 0.15 and options.master == 127 and not options.velocity_offset
    assert read_options({**GOOD, "sync": 0.05}, JOINTS).watchdog == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"nodes": [1]}, "2 different numbers"),
        ({"nodes": [1, 1]}, "2 different numbers"),
        ({"nodes": [0, 1]}, "from 1 to 126"),
        ({"sync": 0.0005}, "from 0.001 to 0.05"),
        ({"sync": 0.1}, "from 0.001 to 0.05"),
        ({"sync": 0.0015}, "whole milliseconds"),
        ({"sync": "fast"}, "give a number"),
        ({"sync": 0.05, "watchdog": 0.1}, "trips between set-points; write 0.15"),
        ({"bitrate": 125_000, "sync": 0.002}, "do not fit through 125000 bit/s; write sync = 0.006"),
        ({"counts_per_unit": [], "zero": [1, 2]}, "zero goes with counts_per_unit"),
        ({"counts_per_unit": [1.0, 0.0]}, "has a 0"),
        ({"counts_per_unit": [1.0]}, "a list of 2 numbers"),
        ({"interface": "socketcand"}, "address"),
        ({"interface": "socketcand", "address": "nowhere"}, "address"),
        ({"address": "127.0.0.1:1"}, "socketcand"),
        ({"master": 2}, "that no drive has"),
        ({"velocity_offset": 1}, "true or false"),
        ({"eds": "/no/such/file.eds"}, "No such file"),
        ({"interface": 3}, "text in quotes"),
    ],
)
def test_options_that_cannot_be_are_refused_in_words(given: dict[str, Any], says: str) -> None:
    with pytest.raises(DriverError, match=says):
        read_options({**GOOD, **given}, JOINTS)


def test_options_that_are_not_known_and_robots_without_counts_are_refused() -> None:
    with pytest.raises(DriverError, match="'baud' is not known"):
        make_driver("cia402", DriverRequest(MODEL, HOME, {"baud": 1}))
    with pytest.raises(DriverError, match="says nothing of how motors move the joints joint_1, joint_2"):
        two_at(1, counts_per_unit=None)
    with pytest.raises(DriverError, match="leave it out for coupled ones"):
        driver_at(1, rated_torque=[10.0] * 6)


def test_six_drives_do_not_fit_through_a_bus_every_millisecond() -> None:
    with pytest.raises(DriverError, match=r"6 drives every 1 ms are 1675 bits .* write sync = 0.002"):
        driver_at(1, sync=0.001)
    assert driver_at(1, sync=0.002).capabilities.interval == 0.002


def test_a_data_sheet_that_maps_too_little_or_is_none_is_refused(tmp_path: Path) -> None:
    sheet = tmp_path / "drive.eds"
    sheet.write_text("[FileInfo]\n[6064]\nDataType=0x4\n")
    with pytest.raises(DriverError, match=r"eds: .*no receive PDO carries object 6040h"):
        read_options({**GOOD, "eds": str(sheet)}, JOINTS)
    sheet.write_text("no sheet")
    with pytest.raises(DriverError, match="is it an EDS file"):
        read_options({**GOOD, "eds": str(sheet)}, JOINTS)
    assert read_options(GOOD, JOINTS).eds.pdos("receive") == own_eds().pdos("receive")


def test_without_canopen_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = two_at(1)
    monkeypatch.setitem(sys.modules, "canopen", None)
    with pytest.raises(DriverError, match=r"pip install 'armillary\[canopen\]'"):
        driver.open()


def test_where_nobody_listens_it_says_so_at_once() -> None:
    with pytest.raises(DriverError, match=r"nobody listens at 127.0.0.1:1 .*armillary emulate cia402"):
        two_at(1).open()


@given(st.floats(-3, 3), st.floats(-2, 2), st.floats(-20, 20), st.floats(0, 0.009))
def test_a_set_point_is_the_parabola_of_its_command(q: float, v: float, a: float, dt: float) -> None:
    command = Command.of(1)
    command.q[:], command.v[:], command.a[:], command.time = q, v, a, 100.0
    at, speed = SetPoint.of(command, 100.001).at(100.0 + dt)
    still = v == 0.0  # a robot that stands is not set in motion by an acceleration alone
    assert at[0] == pytest.approx(q if still else q + v * dt + 0.5 * a * dt * dt, abs=1e-9)
    assert speed[0] == pytest.approx(0.0 if still else v + a * dt, abs=1e-9)


def test_a_motion_is_met_at_every_instant_within_what_jerk_makes_of_it() -> None:
    """Commands every millisecond, three old when they are used: far below a count of a million for a radian."""
    w, command = 3.0, Command.of(1)
    for k in range(1000):
        t = 0.001 * k
        command.q[:], command.v[:], command.a[:] = math.sin(w * t), w * math.cos(w * t), -w * w * math.sin(w * t)
        command.time = t
        q, _ = SetPoint.of(command, t + 0.003).at(t + 0.003)
        assert abs(q[0] - math.sin(w * (t + 0.003))) < w**3 * 0.003**3 / 6 * 1.01


def test_an_old_command_is_not_continued_for_ever_and_a_time_of_another_clock_is_none() -> None:
    command = Command.of(1)
    command.v[:], command.time = 1.0, 50.0
    assert SetPoint.of(command, 50.0).at(60.0)[0][0] == pytest.approx(0.01)
    command.time = 0.0
    assert SetPoint.of(command, 50.0).at(50.0)[0][0] == 0.0
