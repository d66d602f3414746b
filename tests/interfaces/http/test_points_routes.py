"""Taught points and recorded paths over HTTP."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi import FastAPI
from numpy.typing import NDArray

from armillary.interfaces.http.roles import Role
from armillary.interfaces.http.routes import ROUTERS, points, programs
from armillary.programs.teach import BadStore, PathStore, RecordedPath, plan_playback
from armillary.runtime import State
from tests.interfaces.http.conftest import ASIDE, HOME, Browser

Array = NDArray[np.float64]


@pytest.fixture(autouse=True)
def _routes(app: FastAPI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for module in (points, programs):
        if module.router not in ROUTERS:
            app.include_router(module.router, prefix="/api")
    yield
    app.state.desk.cell.stop()


def go(app: FastAPI, q: Array) -> None:
    app.state.desk.cell.move_joints(q)


def taught(browser: Browser, name: str) -> Any:
    answer = browser.post("/api/points", json={"name": name})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_point_is_taught_where_the_robot_is(app: FastAPI, programmer: Browser) -> None:
    point = taught(programmer, "pick")
    assert programmer.get("/api/points").json() == [point]
    state = app.state.desk.cell.state
    assert (
        point["q"] == pytest.approx(HOME)
        and point["xyz"] == pytest.approx(state.xyz)
        and point["rpy"] == pytest.approx(state.rpy)
    )
    assert point["by"] == "Petra" and point["fits"]
    for name in ("pick", "PICK", "MOVEJ", "1st", "a b"):
        assert programmer.post("/api/points", json={"name": name}).status_code == 409


def test_a_point_is_touched_up_renamed_and_deleted_and_its_history_stays(app: FastAPI, programmer: Browser) -> None:
    taught(programmer, "pick")
    go(app, ASIDE)
    assert programmer.post("/api/points/touch-up", json={"name": "pick"}).json()["q"] == pytest.approx(ASIDE)
    assert programmer.post("/api/points/rename", json={"name": "pick", "to": "place"}).status_code == 200
    assert [each["name"] for each in programmer.get("/api/points").json()] == ["place"]
    assert programmer.delete("/api/points", params={"name": "place"}).status_code == 200
    assert programmer.get("/api/points").json() == []
    history = programmer.get("/api/points/history", params={"name": "place"}).json()
    assert [each["what"] for each in history] == ["taught", "touched up", "renamed", "deleted"]
    assert history[1]["before"]["q"] == pytest.approx(HOME) and history[0]["before"] is None
    for answer in (
        programmer.get("/api/points/history", params={"name": "none"}),
        programmer.post("/api/points/touch-up", json={"name": "none"}),
        programmer.delete("/api/points", params={"name": "none"}),
    ):
        assert answer.status_code == 409 and "no point 'none'" in answer.json()["detail"]


def test_points_are_a_programmers_to_change(app: FastAPI, operator: Browser) -> None:
    for answer in (
        operator.post("/api/points", json={"name": "a"}),
        operator.post("/api/points/touch-up", json={"name": "a"}),
        operator.post("/api/points/rename", json={"name": "a", "to": "b"}),
        operator.delete("/api/points", params={"name": "a"}),
        operator.post("/api/paths/record", json={"name": "a"}),
        operator.post("/api/paths/finish", json={}),
        operator.delete("/api/paths", params={"name": "a"}),
    ):
        assert answer.status_code == 403
    assert Browser(app, "Vera", Role.VIEWER).get("/api/points").status_code == 200
    assert Browser(app, "Vera", Role.VIEWER).post("/api/paths/play", json={"name": "a"}).status_code == 403
    assert Browser(app, "Otto", Role.OPERATOR).post("/api/paths/play", json={"name": "a"}).status_code == 403


@pytest.mark.parametrize("language", ["gcode", "script"])
def test_points_become_a_program_that_leads_through_them(app: FastAPI, programmer: Browser, language: str) -> None:
    taught(programmer, "first")
    go(app, ASIDE)
    aside = taught(programmer, "second")
    order = {"names": ["first", "line:second"], "language": language}
    text = programmer.post("/api/points/convert", json=order).json()["text"]
    name = {"gcode": "taught.ngc", "script": "taught.arm"}[language]
    found = programmer.post("/api/programs/preview", json={"name": name, "text": text}).json()
    assert found["problem"] is None and found["whole"]
    np.testing.assert_allclose(found["points"][-1], aside["xyz"], atol=1e-4)
    missing = programmer.post("/api/points/convert", json={**order, "names": ["secnd"]})
    assert missing.status_code == 409 and "second" in missing.json()["detail"]


def test_taught_points_are_among_the_words(programmer: Browser) -> None:
    taught(programmer, "pick")
    assert programmer.get("/api/programs/words", params={"language": "script"}).json()["points"] == ["pick"]


def test_a_path_is_recorded_and_played(app: FastAPI, programmer: Browser) -> None:
    desk = app.state.desk
    assert programmer.post("/api/paths/record", json={"name": "sweep"}).status_code == 200
    (now,) = programmer.get("/api/paths").json()
    assert now["name"] == "sweep" and now["recording"]
    second = programmer.post("/api/paths/record", json={"name": "other"})
    assert second.status_code == 409 and "Petra records sweep" in second.json()["detail"]
    go(app, ASIDE)
    kept = programmer.post("/api/paths/finish", json={}).json()
    assert programmer.get("/api/paths").json() == [kept] and kept["samples"] > 5 and not kept["recording"]
    assert programmer.post("/api/paths/finish", json={}).status_code == 409
    taken = programmer.post("/api/paths/record", json={"name": "sweep"})
    assert taken.status_code == 409 and "already" in taken.json()["detail"]
    assert programmer.post("/api/mode", json={"mode": "automatic"}).status_code == 200
    played = programmer.post("/api/paths/play", json={"name": "sweep", "pace": "fast"})
    assert played.status_code == 200, played.text
    assert played.json()["motion"] > 0 and played.json()["duration"] > 0.0
    reached = _watch(app)
    assert np.abs(np.array(reached) - HOME).max(axis=1).min() < 0.005  # it went to where the path begins
    assert desk.cell.state.q == pytest.approx(ASIDE, abs=5e-3)
    assert programmer.delete("/api/paths", params={"name": "sweep"}).status_code == 200
    assert programmer.get("/api/paths").json() == []


def test_a_path_along_which_nothing_moved_is_not_kept(app: FastAPI, programmer: Browser) -> None:
    assert programmer.post("/api/paths/record", json={"name": "still"}).status_code == 200
    nothing = programmer.post("/api/paths/finish", json={})
    assert nothing.status_code == 409 and "nothing has moved" in nothing.json()["detail"]
    assert programmer.post("/api/paths/record", json={"name": "still"}).status_code == 200
    assert programmer.post("/api/paths/finish", json={"keep": False}).json() is None
    assert programmer.get("/api/paths").json() == []
    assert app.state.desk.audit.newest(1)[0].what.startswith("throws path still away")
    assert programmer.post("/api/paths/record", json={"name": "a b"}).status_code == 409
    assert programmer.get("/api/paths").json() == []


@pytest.mark.parametrize("why", ["the name is taken", "the disk is full"])
def test_a_recording_that_cannot_be_kept_is_not_lost(
    app: FastAPI, programmer: Browser, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    assert programmer.post("/api/paths/record", json={"name": "sweep"}).status_code == 200
    go(app, ASIDE)
    if why == "the name is taken":  # by somebody at the command line, meanwhile
        short = RecordedPath(app.state.desk.cell.model.joints, np.array([0.0, 1.0]), np.array([HOME, ASIDE]))
        PathStore.of("cobot6").keep("sweep", short)
        refused = programmer.post("/api/paths/finish", json={})
        assert programmer.delete("/api/paths", params={"name": "sweep"}).status_code == 200
    else:
        with monkeypatch.context() as full:
            full.setattr(PathStore, "keep", _full)
            refused = programmer.post("/api/paths/finish", json={})
    assert refused.status_code == 409 and "not lost" in refused.json()["detail"]
    (still,) = programmer.get("/api/paths").json()
    assert still["name"] == "sweep" and still["recording"]
    (same,) = programmer.get("/api/paths").json()
    assert same == still  # it takes no more, and says so
    assert programmer.post("/api/paths/record", json={"name": "other"}).status_code == 409
    kept = programmer.post("/api/paths/finish", json={})
    assert kept.status_code == 200 and kept.json()["samples"] > 5
    assert np.abs(PathStore.of("cobot6").get("sweep").q[-1] - ASIDE).max() < 1e-4
    assert programmer.get("/api/paths").json() == [kept.json()]


def _full(store: PathStore, name: str, path: RecordedPath, *, by: str = "") -> None:
    raise BadStore(store.store.path, "it cannot be written: database or disk is full", "check the disk and the permissions")


def test_a_path_is_not_played_after_a_stop_that_came_while_it_was_planned(
    app: FastAPI, programmer: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = app.state.desk
    times = np.linspace(0.0, 1.0, 41)
    shares = 0.5 - 0.5 * np.cos(np.pi * times)
    PathStore.of("cobot6").keep("sweep", RecordedPath(desk.cell.model.joints, times, ASIDE + shares[:, None] * (HOME - ASIDE)))
    assert programmer.post("/api/mode", json={"mode": "automatic"}).status_code == 200

    def stopped_meanwhile(*arguments: Any, **options: Any) -> Any:
        before = int(desk.cell.station.state["stops"])
        assert Browser(app).post("/api/stop", json={}).status_code == 200
        end = time.monotonic() + 10.0
        while int(desk.cell.station.state["stops"]) == before and time.monotonic() < end:
            time.sleep(0.005)
        return plan_playback(*arguments, **options)

    monkeypatch.setattr(points, "plan_playback", stopped_meanwhile)
    refused = programmer.post("/api/paths/play", json={"name": "sweep"})
    assert refused.status_code == 409 and "it was stopped since; nothing is moved" in refused.json()["detail"]
    assert desk.cell.state.q == pytest.approx(HOME, abs=1e-9)


def test_in_manual_mode_a_path_is_played_only_while_it_is_held(app: FastAPI, programmer: Browser) -> None:
    desk, goal = app.state.desk, HOME + 0.2 * (ASIDE - HOME)
    times = np.linspace(0.0, 1.0, 41)
    shares = 0.5 - 0.5 * np.cos(np.pi * times)
    PathStore.of("cobot6").keep("sweep", RecordedPath(desk.cell.model.joints, times, HOME + shares[:, None] * (goal - HOME)))
    go(app, ASIDE)
    unheld = programmer.post("/api/paths/play", json={"name": "sweep"})
    assert unheld.status_code == 200 or "hold to run" in unheld.json()["detail"]  # as it is found out before it is handed over
    _watch(app)
    assert np.abs(desk.cell.state.q - HOME).max() > 0.1  # nobody held it: it has stopped on its way to where the path begins
    for _ in range(20):  # on a machine with other work a finger may seem to let go
        if _played_held(app, programmer) and np.abs(desk.cell.state.q - goal).max() < 5e-3:
            break
    assert desk.cell.state.q == pytest.approx(goal, abs=5e-3)


def _played_held(app: FastAPI, programmer: Browser) -> bool:
    let_go = threading.Event()
    holds = threading.Thread(target=_hold, args=(app, let_go))
    holds.start()
    try:
        answer = programmer.post("/api/paths/play", json={"name": "sweep"})
        _watch(app)
    finally:
        let_go.set()
        holds.join()
    return answer.status_code == 200


def _hold(app: FastAPI, let_go: threading.Event) -> None:
    """What a finger on the button does."""
    while not let_go.wait(0.03):
        app.state.desk.press(app.state.desk.lease.holder)


def _watch(app: FastAPI) -> list[Array]:
    """Where the joints are until the robot stands."""
    cell, seen, end = app.state.desk.cell, [], time.monotonic() + 30.0
    while time.monotonic() < end:
        seen.append(cell.state.q)
        if cell.state.state == State.READY and not int(cell.station.state["queued"]) and len(seen) > 5:
            break
        time.sleep(0.02)
    assert cell.state.state == State.READY
    return seen
