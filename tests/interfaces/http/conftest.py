"""A pendant before a running cell with the ideal robot, asked without a network."""

import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from armillary.cell import Cell
from armillary.description import open_cell
from armillary.description.library import find_robot
from armillary.interfaces.http.app import make_app
from armillary.interfaces.http.desk import Desk
from armillary.interfaces.http.roles import Role
from armillary.interfaces.http.sessions import COOKIE, Sessions
from armillary.interfaces.http.users import UserStore
from armillary.runtime import State
from armillary.runtime.prepared import prepare

HOME = np.array([0.4, 1.83, -2.18, -1.92, -1.57, 0.0])
ASIDE = HOME + np.array([0.3, 0.0, 0.0, 0.0, 0.0, 0.2])
HEADERS = {"x-armillary": "1"}

SESSION = f"{COOKIE}_80"  # the cookie of a server at the port that test clients speak to


class Browser(TestClient):
    """A browser of somebody: sends what the page sends."""

    def __init__(self, app: FastAPI, user: str = "", role: Role = Role.NOBODY) -> None:
        super().__init__(app, base_url="http://127.0.0.1", headers=HEADERS, raise_server_exceptions=False)
        if role != Role.NOBODY:
            self.cookies.set(SESSION, app.state.sessions.begin(user or role.name.lower(), role))


@pytest.fixture(scope="session")
def running() -> Iterator[Cell]:
    with Cell.open("cobot6", driver="ideal", low_power=True, record=False, patience=5.0) as opened:
        opened.station.ask("give_control")
        yield opened


@pytest.fixture
def app(running: Cell, tmp_path: Path) -> Iterator[FastAPI]:
    """An application with its own desk; the robot stands at home, ready, and nobody has control."""
    desk = Desk(running.station.folder, prepare(running.station.settings), tmp_path)
    desk.cell.take_control("the test", force=True)
    _settle(desk)
    if desk.cell.state.state in (State.FAULTED, State.OFF, State.STOPPED):
        desk.cell.reset() if desk.cell.state.state == State.FAULTED else desk.cell.power_on()
    desk.set_mode("automatic")
    desk.cell.override(1.0)
    desk.cell.move_joints(HOME)
    desk.set_mode("manual")
    yield make_app(desk, Sessions(), UserStore(tmp_path), names=("testserver",))
    desk.end_program()
    desk.close()


def _settle(desk: Desk) -> None:
    """Wait until the robot stands, behind whatever the test before has asked for: a stop that latches may be on its way."""
    before, deadline = desk.stops, time.monotonic() + 30.0
    desk.cell.stop()
    while desk.stops <= before or desk.cell.state.state in (State.MOVING, State.HOLDING, State.INITIALISING):
        assert time.monotonic() < deadline, "it does not come to rest"
        time.sleep(0.005)


@pytest.fixture
def operator(app: FastAPI) -> Browser:
    """An operator who has control."""
    browser = Browser(app, "Olga", Role.OPERATOR)
    assert browser.post("/api/control/take", json={}).status_code == 200
    return browser


@pytest.fixture
def programmer(app: FastAPI) -> Browser:
    browser = Browser(app, "Petra", Role.PROGRAMMER)
    assert browser.post("/api/control/take", json={}).status_code == 200
    return browser


@pytest.fixture
def administrator(app: FastAPI) -> Browser:
    browser = Browser(app, "Ada", Role.ADMINISTRATOR)
    assert browser.post("/api/control/take", json={}).status_code == 200
    return browser


@pytest.fixture
def own_cell(app: FastAPI, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """As if the cell had been started with a cell.toml of the test's own."""
    folder = tmp_path / "own"
    folder.mkdir()
    for name in ("cobot6.urdf", "cell.toml"):
        shutil.copy(find_robot("cobot6").parent / name, folder / name)
    path, desk = folder / "cell.toml", app.state.desk
    monkeypatch.setattr(desk.cell.station, "settings", replace(desk.cell.station.settings, source=str(path)))
    monkeypatch.setattr(desk, "prepared", replace(desk.prepared, description=open_cell(path).cell))
    return path
