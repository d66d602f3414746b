"""Motion through emulated drives on CAN, in real time: there and back, stops, stops on the path, faults on the way."""

import time
from collections.abc import Iterator
from configparser import RawConfigParser
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from armillary.protocols.cia402_pdo import read_eds
from armillary.runtime import State
from tests.drivers.cia402_bench import AWAY, COUNTS, HOME, PLACES, SMALL_HOME, EmulatedDrives, rig_at, told, two_at
from tests.drivers.pmac_bench import COUPLING
from tests.drivers.rig import command

pytestmark = [pytest.mark.alone, pytest.mark.slow]


@pytest.fixture
def drives() -> Iterator[EmulatedDrives]:
    drives = EmulatedDrives(np.round(COUPLING.to_motors(HOME)))
    yield drives
    drives.close()


@pytest.mark.parametrize("options", [{"sync": 0.01}, {"sync": 0.05}, {"sync": 0.02, "velocity_offset": True}], ids=str)
def test_there_and_back_within_a_count(folder: Path, drives: EmulatedDrives, options: dict[str, float]) -> None:
    rig = rig_at(folder, drives.port, **options).up()
    for goal in (AWAY, HOME):
        trajectory = rig.go(goal, duration=3.0)
        rig.until(State.READY, State.FAULTED)
        rig.tick(0.5)
        assert rig.executor.fault is None, str(rig.executor.fault)
        assert np.abs(COUPLING.to_motors(rig.executor.feedback.q) - COUPLING.to_motors(goal)).max() <= 1.0
        assert rig.off_the_path(trajectory) < 0.05  # pauses of a shared machine are in it
    rig.executor.power_off()
    rig.tick(0.2)
    drives.until(1, lambda said: "switch on disabled" in said)
    rig.driver.close()


def test_a_data_sheet_with_one_pdo_each_way_maps_the_drives_anew(folder: Path, drives: EmulatedDrives, tmp_path: Path) -> None:
    """Control word and target in the first receive PDO, state and place in the first transmit PDO, as small drives have it."""
    text = files("armillary.protocols").joinpath("cia402.eds").read_text()
    sheet = RawConfigParser()
    sheet.optionxform = str  # type: ignore[assignment, method-assign]
    sheet.read_string(text)
    for section, count, entries in (
        ("1600", 2, ("0x60400010", "0x607A0020")), ("1601", 0, ()), ("1A00", 2, ("0x60410010", "0x60640020")), ("1A01", 0, ()),
    ):  # fmt: skip
        sheet[f"{section}sub0"]["DefaultValue"] = str(count)
        for k in range(1, 5):
            sheet[f"{section}sub{k}"]["DefaultValue"] = entries[k - 1] if k <= len(entries) else "0"
    path = tmp_path / "small.eds"
    with path.open("w") as file:
        sheet.write(file)
    assert [pdo.indices for pdo in read_eds(path.read_text()).pdos("receive")] == [(0x6040, 0x607A)]
    rig = rig_at(folder, drives.port, eds=str(path), sync=0.01).up()
    rig.go(AWAY, duration=2.0)
    rig.until(State.READY, State.FAULTED)
    rig.tick(0.5)
    assert rig.executor.fault is None, str(rig.executor.fault)
    assert np.abs(COUPLING.to_motors(rig.executor.feedback.q) - COUPLING.to_motors(AWAY)).max() <= 1.0
    rig.driver.close()


@pytest.mark.parametrize("how", ["stop", "hold"])
def test_it_stops_on_the_path_and_stays(folder: Path, drives: EmulatedDrives, how: str) -> None:
    rig = rig_at(folder, drives.port).up()
    trajectory = rig.go(AWAY, duration=3.0)
    rig.tick(1.2)
    (rig.executor.stop if how == "stop" else rig.executor.hold)()
    rig.until(State.READY, State.HOLDING, State.FAULTED)
    for _ in range(100):
        rig.tick(0.05)
        if not rig.executor.command.v.any():
            break
    rig.tick(0.4)
    assert rig.executor.fault is None, str(rig.executor.fault)
    assert np.abs(COUPLING.to_motors(rig.executor.feedback.q) - COUPLING.to_motors(rig.executor.command.q)).max() <= 1.5
    assert np.abs(rig.executor.command.q - AWAY).max() > 0.05 and rig.off_the_path(trajectory) < 0.05
    rig.driver.close()


@pytest.mark.parametrize(
    ("what", "says"),
    [
        ("dead 4", "node 4"),
        ("emcy 2 3220", "too little voltage"),
        ("stuck 1", "following error (code 8611h)"),
        ("bus_off", "off the bus"),
    ],
)
def test_what_fails_on_the_way_stops_all_and_a_reset_goes_on(folder: Path, drives: EmulatedDrives, what: str, says: str) -> None:
    rig = rig_at(folder, drives.port).up()
    rig.go(AWAY, duration=3.0)
    rig.tick(1.0)
    drives.fault(what)
    rig.until(State.FAULTED)
    assert says in str(rig.executor.fault)
    for node in (1, 6):
        drives.until(node, lambda said: "operation enabled" not in said)
    rig.tick(0.3)
    left = [drives.position(node) for node in (1, 5, 6)]
    for node in range(1, 7):
        drives.fault(f"well {node}")
    rig.executor.reset()
    rig.executor.power_off()
    rig.up()
    assert [drives.position(node) for node in (1, 5, 6)] == pytest.approx(left, abs=1.0), "it stays where it was left"
    rig.go(HOME)
    rig.until(State.READY, State.FAULTED)
    rig.tick(0.4)
    assert (
        rig.executor.fault is None and np.abs(COUPLING.to_motors(rig.executor.feedback.q) - COUPLING.to_motors(HOME)).max() <= 1.0
    )
    rig.driver.close()


def test_by_the_drives_own_profiles() -> None:
    drives = EmulatedDrives(PLACES)
    driver = two_at(drives.port)
    try:
        driver.open()
        driver.enable()
        told(driver, lambda feedback: feedback.enabled)
        for goal in (SMALL_HOME + 0.2, SMALL_HOME):
            driver.move_by_profile(goal, duration=0.5)
            said = told(driver, lambda feedback, goal=goal: bool(np.abs(feedback.q - goal).max() <= 1.0 / COUNTS))  # type: ignore[misc]
            assert said.enabled and said.fault == ""
    finally:
        driver.close()
        drives.close()


@pytest.mark.parametrize("sync", [0.001, 0.002])
def test_the_shortest_periods_of_sync(sync: float) -> None:
    """Two drives fit into a millisecond of the bus."""
    drives = EmulatedDrives(PLACES)
    driver = two_at(drives.port, sync=sync)
    try:
        driver.open()
        driver.enable()
        told(driver, lambda feedback: feedback.enabled)
        before, begin, k = _syncs(drives), time.monotonic(), 0
        while (now := time.monotonic() - begin) < 2.0:
            k += 1
            share = 0.5 - 0.5 * np.cos(np.pi * now / 2.0)
            driver.write(command(k, SMALL_HOME + 0.1 * share, np.full(2, 0.05 * np.pi * np.sin(np.pi * now / 2.0) * 0.5)))
            assert not told(driver, lambda _: True).fault
            time.sleep(sync)
        driver.write(command(k + 1, SMALL_HOME + 0.1, np.zeros(2)))
        told(driver, lambda feedback: bool(np.abs(feedback.q - SMALL_HOME - 0.1).max() <= 1.0 / COUNTS))
        came = (_syncs(drives) - before) * sync / (time.monotonic() - begin)
        assert 0.3 < came < 1.05, "most of them come, and never more, however busy the machine is"
    finally:
        driver.close()
        drives.close()


def _syncs(drives: EmulatedDrives) -> int:
    return int(drives.status(1).rpartition("syncs ")[2])
