"""Control of the robot: stop for anybody, the lease, modes, override."""

import time

import pytest
from fastapi import FastAPI

from armillary.cell import Cell
from armillary.interfaces.http.desk import NO_NAME
from armillary.interfaces.http.messages import Control, Jog, Press, Release
from armillary.interfaces.http.roles import Role
from armillary.interfaces.http.wire import encode
from armillary.runtime import State
from armillary.runtime.control_lease import NoControl
from tests.interfaces.http.conftest import ASIDE, HOME, Browser


def test_anybody_can_stop_the_robot(app: FastAPI, operator: Browser) -> None:
    desk = app.state.desk
    desk.set_mode("automatic")
    moved = desk.cell.move_joints(ASIDE, speed=0.1, wait=False)
    assert Browser(app).post("/api/stop", json={}).status_code == 200
    deadline = time.monotonic() + 10.0
    while desk.cell.state.state == State.MOVING:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    assert moved.duration > 1.0 and abs(desk.cell.state.q - ASIDE).max() > 0.01
    assert "stops the robot" in desk.audit.newest(1)[0].what


def test_a_stop_latches_until_it_is_released(app: FastAPI, operator: Browser) -> None:
    desk = app.state.desk
    assert Browser(app).post("/api/stop", json={}).status_code == 200
    deadline = time.monotonic() + 10.0
    while desk.cell.state.state != State.STOPPED:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    refused = operator.post("/api/jog/step", json={"kind": "joints", "by": [0.05, 0, 0, 0, 0, 0]})
    assert refused.status_code == 409 and desk.cell.state.q == pytest.approx(HOME, abs=1e-9)
    assert operator.post("/api/power/on", json={}).status_code == 200 and desk.cell.state.state == State.READY
    assert operator.post("/api/jog/step", json={"kind": "joints", "by": [0.05, 0, 0, 0, 0, 0]}).status_code == 200
    while abs(desk.cell.state.q[0] - HOME[0] - 0.05) > 1e-6:
        assert time.monotonic() < deadline + 10.0
        time.sleep(0.01)


def test_one_browser_has_control_and_others_are_told_who(app: FastAPI, operator: Browser) -> None:
    other = Browser(app, "Otto", Role.OPERATOR)
    refused = other.post("/api/reset", json={})
    assert refused.status_code == 403 and "Olga has control" in refused.json()["detail"]
    assert "has been asked" in other.post("/api/control/take", json={}).json()["detail"]
    assert app.state.desk.lease.asked_by == "Otto"
    assert operator.post("/api/control/give", json={}).status_code == 200
    assert other.post("/api/control/take", json={}).status_code == 200


def test_control_is_given_to_who_asks_for_it_and_is_still_there(app: FastAPI, operator: Browser) -> None:
    other, lease = Browser(app, "Otto", Role.OPERATOR), app.state.desk.lease
    with other.websocket_connect("/ws", headers={"origin": "http://127.0.0.1", "host": "127.0.0.1"}):
        other.post("/api/control/take", json={})
        assert operator.post("/api/control/give", json={}).status_code == 200
        assert lease.holder is not None and lease.holder.user == "Otto" and lease.asked_by == ""
        operator.post("/api/control/take", json={})
    assert lease.asked_by == "Olga"
    assert other.post("/api/control/give", json={}).status_code == 200
    assert lease.holder is None, "who asked has no page open"


def shown_control(app: FastAPI) -> Control:
    app.state.desk.see_who_has_control()
    control: Control = app.state.broadcast._status(app.state.desk.cell.station.state).control
    return control


def test_who_has_control_elsewhere_on_this_machine_is_shown_to_all(app: FastAPI, operator: Browser) -> None:
    desk = app.state.desk
    assert shown_control(app).name == "Olga"
    with Cell.connect(desk.folder.name) as program:
        with pytest.raises(NoControl, match="Olga has control"):
            program.take_control("a program")
        assert operator.post("/api/control/give", json={}).status_code == 200
        end = time.monotonic() + 20.0
        while program.station.ask("control")["held"]:  # it is given behind what is asked for
            assert time.monotonic() < end
            time.sleep(0.01)
        assert shown_control(app) == Control("", "", False, "")
        program.take_control("a program")
        assert shown_control(app) == Control("", "a program", False, "")
        refused = operator.post("/api/reset", json={})
        assert refused.status_code == 403 and "a program has control" in refused.json()["detail"]
        program.station.ask("give_control")
        assert shown_control(app).name == ""
        program.override(1.0)  # who moves something without a name
        assert shown_control(app).name == NO_NAME
    end = time.monotonic() + 20.0
    while shown_control(app).name:  # it has gone
        assert time.monotonic() < end
        time.sleep(0.01)


def test_who_has_lost_control_by_force_to_a_program_does_not_have_it_on_the_page(app: FastAPI, operator: Browser) -> None:
    with Cell.connect(app.state.desk.folder.name) as program:
        program.take_control("a program", force=True)
        assert shown_control(app) == Control("", "a program", False, "") and app.state.desk.lease.holder is None
        assert app.state.desk.audit.newest(1)[0].what == "takes control from Olga"
        program.station.ask("give_control")
    assert operator.post("/api/control/take", json={}).status_code == 200
    assert shown_control(app).name == "Olga"


def test_force_is_an_administrators(app: FastAPI, operator: Browser) -> None:
    assert Browser(app, "Otto", Role.OPERATOR).post("/api/control/take", json={"force": True}).status_code == 403
    assert Browser(app, "Ada", Role.ADMINISTRATOR).post("/api/control/take", json={"force": True}).status_code == 200
    assert operator.post("/api/mode", json={"mode": "automatic"}).status_code == 403


def test_a_request_of_another_page_is_refused(app: FastAPI, operator: Browser) -> None:
    foreign = operator.post("/api/mode", json={"mode": "automatic"}, headers={"origin": "http://evil.example"})
    assert foreign.status_code == 403
    bare = Browser(app, "Otto", Role.OPERATOR)
    bare.headers.pop("x-armillary")
    assert bare.post("/api/control/take", json={}).status_code == 403


def test_the_link_shows_state_and_takes_jogs(app: FastAPI, operator: Browser) -> None:
    import asyncio

    async def once() -> None:
        task = asyncio.create_task(app.state.broadcast.run())
        await asyncio.sleep(0.3)
        task.cancel()

    with operator.websocket_connect("/ws", headers={"origin": "http://127.0.0.1", "host": "127.0.0.1"}) as link:
        before = app.state.desk.cell.state.q.copy()
        end = time.monotonic() + 20.0
        while app.state.desk.cell.state.q[0] <= before[0] + 0.01:  # press after press: a busy machine may cut one
            assert time.monotonic() < end
            for _ in range(15):
                link.send_text(encode(Jog("joints", (0.2, 0.0, 0.0, 0.0, 0.0, 0.0), "")))
                time.sleep(0.03)
            link.send_text(encode(Release()))
        asyncio.run(once())
        keys = set[str]()
        while not {"motion", "status"} <= keys:  # behind notices, if there are any
            keys.add(link.receive_json()[0])
    app.state.desk.cell.wait()
    assert app.state.desk.cell.state.state == State.READY


def test_jogging_is_for_manual_mode(app: FastAPI, operator: Browser) -> None:
    assert operator.post("/api/mode", json={"mode": "automatic"}).status_code == 200
    with operator.websocket_connect("/ws") as link:
        link.send_text(encode(Jog("joints", (0.2, 0.0, 0.0, 0.0, 0.0, 0.0), "")))
        said = link.receive_json()
        assert said[0] == "notice" and "manual mode" in said[2]
    assert app.state.desk.cell.state.q == pytest.approx(HOME, abs=1e-9)


def test_a_jog_that_was_cut_begins_again_with_a_new_press_alone(app: FastAPI, operator: Browser) -> None:
    desk, jog = app.state.desk, encode(Jog("joints", (0.2, 0.0, 0.0, 0.0, 0.0, 0.0), ""))
    with operator.websocket_connect("/ws") as link:
        link.send_text(jog)
        time.sleep(0.8)  # the link was late: the robot has stopped
        desk.cell.wait()
        stands = desk.cell.state.q.copy()
        for _ in range(5):  # what comes of the old press
            link.send_text(jog)
        assert link.receive_json()[:2] == ["notice", "cut"]
        assert desk.cell.state.q == pytest.approx(stands, abs=1e-9)
        link.send_text(encode(Release()))
        end = time.monotonic() + 20.0
        while desk.cell.state.q[0] < stands[0] + 0.005:
            assert time.monotonic() < end
            for _ in range(15):
                link.send_text(jog)
                time.sleep(0.02)
            link.send_text(encode(Release()))
    desk.cell.wait()


def test_who_holds_over_a_link_that_is_too_slow_is_told(app: FastAPI, operator: Browser) -> None:
    with operator.websocket_connect("/ws") as link:
        for _ in range(4):
            link.send_text(encode(Press()))
            time.sleep(0.25)
        said = link.receive_json()
        assert said[:2] == ["notice", "slow"] and "too slow for holding" in said[2]
