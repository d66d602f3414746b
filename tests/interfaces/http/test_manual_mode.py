"""What may not move the robot: a click where holding is asked for, a mode changed on the way, an order from before a stop."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from fastapi import FastAPI

from armillary.cell import Cell
from armillary.interfaces.http.roles import Role
from armillary.programs import languages
from armillary.runtime import Refused, State
from armillary.runtime.control_lease import NoControl
from tests.interfaces.http.conftest import Browser

LONG = "FOR i = 1 TO 50\n  DMOVE 0 0 40 0 0 0 [20 mm/s]\n  DMOVE 0 0 -40 0 0 0 [20 mm/s]\nEND\n"


@pytest.fixture(autouse=True)
def _ends(app: FastAPI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    yield
    app.state.desk.end_program()
    app.state.desk.cell.stop()


def until(so: Callable[[], bool], seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while not so() and time.monotonic() < end:
        time.sleep(0.005)
    return so()


def saved(app: FastAPI, name: str, text: str) -> str:
    browser = Browser(app, "Petra", Role.PROGRAMMER)
    assert browser.put("/api/programs/file", json={"name": name, "text": text, "version": None}).status_code == 200
    return name


def hold(app: FastAPI, so: Callable[[], bool], seconds: float = 20.0) -> bool:
    """Hold to run until something is so."""
    desk, end = app.state.desk, time.monotonic() + seconds
    while not so() and time.monotonic() < end:
        desk.press(desk.lease.holder)
        desk.look_after_press()
        time.sleep(0.03)
    return so()


def moves(app: FastAPI) -> bool:
    return bool(np.abs(app.state.desk.cell.station.state["v"]).max() > 1e-3)


def test_a_click_on_go_on_moves_nothing_that_nobody_holds(app: FastAPI, operator: Browser) -> None:
    desk = app.state.desk
    assert operator.post("/api/run", json={"name": saved(app, "long.arm", LONG)}).status_code == 200
    assert hold(app, lambda: moves(app))
    desk.release()
    assert until(lambda: desk.cell.state.state == State.HOLDING and not moves(app))
    place = desk.cell.state.q
    for path in ("/api/resume", "/api/run/resume"):
        operator.post(path, json={})
        for _ in range(30):
            desk.look_after_press()
            time.sleep(0.01)
            assert np.abs(desk.cell.state.q - place).max() < 1e-4
    desk.cell.resume()  # whoever asks the station itself: the executor holds it again
    time.sleep(0.3)
    assert np.abs(desk.cell.state.q - place).max() < 1e-4
    assert hold(app, lambda: np.abs(desk.cell.state.q - place).max() > 1e-3), "held again it goes on"


def test_the_mode_is_not_changed_while_a_motion_is_on_hold(app: FastAPI, operator: Browser) -> None:
    desk = app.state.desk
    assert operator.post("/api/mode", json={"mode": "automatic"}).status_code == 200
    goal = (desk.cell.state.q + np.array([0.8, 0, 0, 0, 0, 0])).tolist()
    assert operator.post("/api/move", json={"goal": {"joints": goal}}).status_code == 200
    assert until(lambda: moves(app))
    assert operator.post("/api/hold", json={}).status_code == 200
    assert until(lambda: desk.cell.state.state == State.HOLDING and not moves(app))
    answer = operator.post("/api/mode", json={"mode": "manual"})
    assert answer.status_code == 409 and "on hold" in answer.json()["detail"] and desk.mode == "automatic"


def test_a_stop_while_a_program_is_looked_through_is_not_forgotten(
    app: FastAPI, operator: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = app.state.desk
    assert operator.post("/api/mode", json={"mode": "automatic"}).status_code == 200
    name, looking, go = saved(app, "long.arm", LONG), threading.Event(), threading.Event()
    language = type(languages.language_of(Path("long.arm")))

    def slowly(*_: object) -> None:
        looking.set()
        assert go.wait(20.0)

    monkeypatch.setattr(language, "check", slowly)
    said = list[str]()
    running = threading.Thread(target=lambda: said.append(operator.post("/api/run", json={"name": name}).text))
    running.start()
    assert looking.wait(20.0)
    before = desk.stops
    assert Browser(app).post("/api/stop", json={}).status_code == 200
    assert until(lambda: desk.stops > before)
    go.set()
    running.join(20.0)
    assert "stopped since" in said[0] and not desk.program_runs and not moves(app)


def test_a_stop_is_sent_whatever_was_refused_before(app: FastAPI) -> None:
    station = app.state.desk.cell.station
    with Cell.connect(station.folder.name) as other:
        other.take_control("a program", force=True)
        app.state.desk.cell.press()  # refused: it has no control
        time.sleep(0.2)
        before = app.state.desk.stops
        assert Browser(app).post("/api/stop", json={}).status_code == 200
        assert until(lambda: app.state.desk.stops > before)
        app.state.desk.cell.press()
        time.sleep(0.2)
        with pytest.raises((Refused, NoControl)):
            app.state.desk.cell.press()


def test_control_that_the_station_does_not_give_is_not_shown_as_taken(app: FastAPI) -> None:
    desk = app.state.desk
    browser = Browser(app, "Ada", Role.ADMINISTRATOR)
    with Cell.connect(desk.cell.station.folder.name) as other:
        other.take_control("a program", force=True)
        if desk.lease.holder is not None:
            desk.lease.give_back(desk.lease.holder)
        assert browser.post("/api/control/take", json={}).status_code == 403
        assert desk.lease.holder is None
        before = desk.stops
        assert browser.post("/api/control/take", json={"force": True}).status_code == 200
        assert until(lambda: desk.stops > before), "by force the robot is stopped first"
    assert browser.post("/api/control/give", json={}).status_code == 200


def test_control_goes_back_to_the_station_when_the_program_has_ended(app: FastAPI, operator: Browser) -> None:
    desk = app.state.desk
    assert operator.post("/api/mode", json={"mode": "automatic"}).status_code == 200
    assert operator.post("/api/run", json={"name": saved(app, "wait.arm", "DWELL 1\n")}).status_code == 200
    assert operator.post("/api/control/give", json={}).status_code == 200
    with Cell.connect(desk.cell.station.folder.name) as other:
        with pytest.raises(NoControl):
            other.take_control("a program")
        assert until(lambda: not desk.program_runs)

        def free() -> bool:
            desk.look_after_lease()
            try:
                other.take_control("a program")
            except NoControl:
                return False
            return True

        assert until(free)
