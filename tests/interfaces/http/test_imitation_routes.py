"""A person is imitated from the pendant."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from fastapi import FastAPI

from armillary.imitation import bvh_text, moving_person
from armillary.interfaces.http.messages import PersonFrame
from armillary.interfaces.http.roles import Role
from armillary.interfaces.http.wire import encode
from tests.interfaces.http.conftest import HOME, Browser

GIVEN = moving_person(200, 60.0)


def until(happens: Callable[[], object], browser: Browser | None = None) -> None:
    deadline = time.monotonic() + 40.0
    while not happens():
        assert time.monotonic() < deadline, f"it does not come: {_said(browser)}"
        time.sleep(0.02)


def _said(browser: Browser | None) -> str:
    if browser is None:
        return ""
    state = now(browser)
    return ", ".join(
        f"{name} {state[name]}" for name in ("phase", "lost", "said", "held_by", "frames", "refused", "rate", "errors")
    )


def now(browser: Browser) -> dict[str, Any]:
    said: dict[str, Any] = browser.get("/api/imitation").json()["now"]
    return said


def test_what_cannot_be_imitated_is_said_and_nothing_moves(app: FastAPI, programmer: Browser) -> None:
    assert [each["name"] for each in programmer.get("/api/imitation").json()["files"]] == ["somebody.bvh"]
    assert "choose whose" in programmer.post("/api/imitation/clutch", json={"do": "engage"}).json()["detail"]
    refused = programmer.put("/api/imitation/files?name=broken.bvh", content=b"HIERARCHY\nROOT Hips\n{\nOFFSET 0 0\n}\n")
    assert refused.status_code == 409 and "broken.bvh:5" in refused.json()["detail"]
    for name in ("../up.bvh", "a/b.bvh", ".bvh", "x.txt", "x" * 150 + ".bvh"):
        assert programmer.put("/api/imitation/files", params={"name": name}, content=b"").status_code == 409
    assert programmer.post("/api/imitation/source", json={"kind": "file", "name": "none.bvh"}).status_code == 409
    nowhere = programmer.post("/api/imitation/source", json={"kind": "live", "name": "tcp://nobody"})
    assert nowhere.status_code == 409 and "tcp://host:7001" in nowhere.json()["detail"]
    assert now(programmer)["kind"] == ""


def test_a_motion_is_brought_in_matched_and_deleted(app: FastAPI, programmer: Browser) -> None:
    text = bvh_text(GIVEN)
    assert programmer.put("/api/imitation/files?name=walk.bvh", content=text.encode()).json()["size"] == len(text)
    chosen = programmer.post("/api/imitation/source", json={"kind": "file", "name": "walk.bvh", "mirrored": True}).json()
    assert chosen["kind"] == "file" and chosen["mirrored"] and chosen["phase"] == "released"
    rows = {row["part"]: row["bones"] for row in chosen["matched"]}
    assert rows["left_forearm"] == "LeftForeArm" and "RightHandIndex1" in rows["right_index"]
    assert len(chosen["parents"]) == len(chosen["sides"]) == len(GIVEN.skeleton)
    until(lambda: now(programmer)["frames"] > 3 and app.state.desk.person() is not None)
    places = app.state.desk.person()
    assert places.shape == (len(GIVEN.skeleton), 3) and np.ptp(places[:, 2]) > 1.2, "upright"
    assert programmer.post("/api/imitation/end").json()["kind"] == ""
    assert programmer.delete("/api/imitation/files?name=walk.bvh").status_code == 200
    assert app.state.desk.person() is None


@pytest.mark.alone
@pytest.mark.slow
def test_the_robot_imitates_while_somebody_lets_it(app: FastAPI, operator: Browser) -> None:
    desk = app.state.desk
    assert operator.post("/api/mode", json={"mode": "automatic"}).status_code == 200
    order = {"kind": "file", "name": "somebody.bvh", "speed": 0.5}
    assert operator.post("/api/imitation/source", json=order).status_code == 200
    lonely = operator.post("/api/imitation/clutch", json={"do": "engage"})
    assert lonely.status_code == 409 and "no link" in lonely.json()["detail"]
    with operator.websocket_connect("/ws"):
        assert operator.post("/api/imitation/record").status_code == 200
        until(lambda: operator.post("/api/imitation/clutch", json={"do": "engage"}).status_code == 200)
        until(lambda: np.abs(desk.cell.state.q - HOME).max() > 0.05, operator)
        assert not bool(desk.cell.station.state["certified"]), "it is shown as what it is"
        until(lambda: now(operator)["phase"] == "following", operator)
        state = now(operator)
        assert state["errors"] and state["latency"][0]["p50"] >= 0.0 and state["recorded"] > 0
        assert operator.post("/api/imitation/clutch", json={"do": "freeze"}).json()["phase"] == "frozen"
        until(lambda: np.abs(desk.cell.station.state["v"]).max() < 1e-6)
        until(lambda: operator.post("/api/imitation/clutch", json={"do": "engage"}).status_code == 200)
        until(lambda: np.abs(desk.cell.station.state["v"]).max() > 1e-3)
    until(lambda: now(operator)["phase"] == "released")  # who let it has gone
    assert "no link" in now(operator)["lost"]
    desk.cell.wait()
    assert operator.get("/api/imitation/recorded?what=person").text.startswith("HIERARCHY")
    assert "cell" in operator.get("/api/imitation/recorded?what=program").text
    assert operator.post("/api/imitation/end").json()["kind"] == ""


@pytest.mark.alone
@pytest.mark.slow
def test_frames_may_come_by_the_link(app: FastAPI, operator: Browser) -> None:
    desk = app.state.desk
    assert operator.post("/api/mode", json={"mode": "automatic"}).status_code == 200
    skeleton = bvh_text(GIVEN).partition("MOTION")[0] + "MOTION\nFrames: 0\nFrame Time: 0.0166667\n"
    assert operator.post("/api/imitation/source", json={"kind": "given", "name": skeleton}).status_code == 200
    other = Browser(app, "Vera", Role.VIEWER)
    with other.websocket_connect("/ws") as link:
        link.send_text(encode(PersonFrame(tuple(GIVEN.values[0]))))
    with operator.websocket_connect("/ws") as link:
        engaged, k, end = False, 0, time.monotonic() + 40.0
        while np.abs(desk.cell.state.q - HOME).max() < 0.05:
            assert time.monotonic() < end, _said(operator)
            link.send_text(encode(PersonFrame(tuple(GIVEN.values[k % len(GIVEN)]))))
            k += 1
            if not engaged and k > 10:
                engaged = operator.post("/api/imitation/clutch", json={"do": "engage"}).status_code == 200
            time.sleep(1 / 60)
    until(lambda: now(operator)["phase"] == "released")
    operator.post("/api/imitation/end")
