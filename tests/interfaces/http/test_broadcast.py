"""State on its way to browsers: measured and commanded, newest only to a slow one, sixty times a second to a fast one."""

import asyncio
import json

import numpy as np
import pytest
from fastapi import FastAPI

from armillary.interfaces.http.broadcast import Broadcast, Viewer, motion_of, nearest_of
from armillary.interfaces.http.messages import Notice
from armillary.interfaces.http.nearest_parts import NearestParts
from armillary.interfaces.http.roles import Role
from armillary.interfaces.http.sessions import Session
from armillary.motion import tool_pose
from tests.interfaces.http.conftest import ASIDE, HOME, Browser
from tests.model.robots import configurations

LINK = {"origin": "http://127.0.0.1", "host": "127.0.0.1"}


def viewer_of(broadcast: Broadcast) -> Viewer:
    made = Viewer(Session("", "Vera", Role.VIEWER))
    broadcast.viewers.add(made)
    return made


def test_the_tool_is_told_as_commanded_and_as_measured(app: FastAPI) -> None:
    desk = app.state.desk
    model, record = desk.cell.model, desk.cell.station.state.copy()
    record["q"], record["measured_q"] = HOME, ASIDE
    told = motion_of(record, model)
    assert told.xyz == pytest.approx(tool_pose(model, HOME, base=model.reference)[:3, 3])
    assert told.actual_xyz == pytest.approx(tool_pose(model, ASIDE, base=model.reference)[:3, 3])
    record["measured_q"] = np.where(np.arange(model.n) == 0, ASIDE, np.nan)  # one joint alone is measured
    seen = np.where(np.arange(model.n) == 0, ASIDE, HOME)
    assert motion_of(record, model).actual_xyz == pytest.approx(tool_pose(model, seen, base=model.reference)[:3, 3])


def test_near_parts_are_looked_for_where_the_robot_is_measured_to_be_and_all_that_touch_are_told(app: FastAPI) -> None:
    desk = app.state.desk
    record = desk.cell.station.state.copy()
    scene = desk.prepared.scene
    folded = next(q for q in configurations(desk.cell.model, 200, seed=1) if not scene.free(q))
    record["q"], record["measured_q"] = HOME, folded
    told, right = nearest_of(desk, record), NearestParts(desk.cell.model, scene).look(folded)
    assert told is not None and right.nearest is not None and right.touching
    assert (told.a, told.b) == (right.nearest.first, right.nearest.second)
    assert tuple((pair.a, pair.b) for pair in told.touching) == right.touching
    record["measured_q"] = np.nan
    told = nearest_of(desk, record)
    assert told is not None and told.touching == (), "nothing measures it: it is where it is commanded"
    record["q"] = np.nan
    assert nearest_of(desk, record) is None


def test_a_slow_browser_is_told_the_newest_state_and_every_notice(app: FastAPI) -> None:
    broadcast: Broadcast = app.state.broadcast
    slow, record = viewer_of(broadcast), app.state.desk.cell.station.state.copy()
    for turn in range(500):  # nobody takes anything out meanwhile
        record["time"] = turn
        slow.motion_at = 0.0
        broadcast._tell_motion(motion_of(record, app.state.desk.cell.model))
        if turn % 100 == 0:
            slow.tell(Notice("info", f"{turn}"))
    told = [json.loads(text) for text in asyncio.run(slow.next())]
    assert [each[2] for each in told if each[0] == "notice"] == ["0", "100", "200", "300", "400"]
    assert [each[1] for each in told if each[0] == "motion"] == [499.0], "of the state only the newest"


def test_a_browser_is_told_sixty_times_a_second(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    broadcast: Broadcast = app.state.broadcast
    viewer, told = viewer_of(broadcast), 0
    message = motion_of(app.state.desk.cell.station.state, app.state.desk.cell.model)
    for turn in range(60):  # the rounds of a second
        monkeypatch.setattr("armillary.interfaces.http.broadcast.time.monotonic", lambda now=1000.0 + turn / 60.0: now)
        broadcast._tell_motion(message)
        told += viewer.newest.pop("motion", None) is not None
    assert 59 <= told <= 61


def test_what_somebody_has_changed_is_told_in_the_next_round_and_not_when_it_is_looked_at_again(
    app: FastAPI, operator: Browser
) -> None:
    broadcast: Broadcast = app.state.broadcast
    viewer = viewer_of(broadcast)

    def told(turn: int) -> str | None:
        broadcast._tell(turn)
        status = viewer.newest.pop("status", None)
        return None if status is None else str(json.loads(status)[2])

    assert told(0) == "manual" and told(1) is None
    assert operator.post("/api/mode", json={"mode": "automatic"}).status_code == 200
    assert told(2) == "automatic" and told(3) is None
    assert operator.get("/api/session").status_code == 200
    app.state.desk.mode = "manual"
    assert told(4) is None, "who only looks changes nothing"
    broadcast._state = -1  # the cell is in another state
    assert told(5) == "manual"


def test_control_is_free_some_seconds_after_its_holders_link_is_gone(
    app: FastAPI, operator: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, lease = Browser(app, "Otto", Role.OPERATOR), app.state.desk.lease
    with operator.websocket_connect("/ws", headers=LINK):
        assert lease.links == 1
        assert other.post("/api/control/take", json={}).status_code == 403
    assert lease.links == 0 and lease.holder is not None
    assert other.post("/api/control/take", json={}).status_code == 403, "a link that comes back at once has lost nothing"
    gone = lease.since
    monkeypatch.setattr("armillary.interfaces.http.pendant_lease.time.monotonic", lambda: gone + 5.1)
    assert other.post("/api/control/take", json={}).status_code == 200
    assert lease.holder.user == "Otto"


def test_what_lies_beyond_the_tick_is_timed(app: FastAPI, operator: Browser) -> None:
    times = app.state.broadcast.times
    for _ in range(100):
        times["round_trip"].add(0.002)
    times["round_trip"].add(float("nan"))  # a motor side that measures none
    beyond = {each["name"]: each for each in operator.get("/api/statistics").json()["beyond"]}
    assert beyond["round_trip"]["count"] == 100 and beyond["round_trip"]["p50"] == pytest.approx(0.002)
    assert beyond["server"]["count"] == 0
