"""Following another cell, by requests."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from fastapi import FastAPI
from starlette.testclient import WebSocketTestSession

from armillary.cell import Cell
from armillary.interfaces.http.following_desk import manual_share
from armillary.interfaces.http.messages import Press
from armillary.interfaces.http.roles import Role
from armillary.interfaces.http.wire import encode
from armillary.model import frame_jacobian
from tests.interfaces.http.conftest import HOME, Browser


def test_in_manual_mode_no_joints_move_the_tool_faster_than_a_quarter_of_a_metre_a_second(app: FastAPI) -> None:
    model = app.state.desk.cell.model
    share, rng = manual_share(model, 0.25), np.random.default_rng(7)
    assert 0.0 < share < 1.0
    for _ in range(500):
        v = share * model.velocity * rng.choice([-1.0, 1.0], model.n)
        assert np.linalg.norm((frame_jacobian(model, model.random(rng), model.tip) @ v)[:3]) <= 0.25


def test_following_needs_a_leader_and_control(app: FastAPI, operator: Browser) -> None:
    refused = operator.post("/api/follow", json={"leader": "no such cell"})
    assert refused.status_code == 409 and "runs on this machine" in refused.json()["detail"]
    assert "leader first" in operator.post("/api/follow/clutch", json={"engaged": True}).json()["detail"]
    assert operator.post("/api/follow/clutch", json={"engaged": False}).json()["engaged"] is False
    own = app.state.desk.folder.name
    assert own not in [each["name"] for each in operator.get("/api/follow/leaders").json()["leaders"]]
    assert Browser(app, "Otto", Role.OPERATOR).post("/api/follow", json={"leader": own}).status_code == 403


@contextmanager
def held(link: WebSocketTestSession) -> Iterator[None]:
    """Somebody holds to run, as the page does."""
    released = threading.Event()

    def press() -> None:
        while not released.wait(0.02):
            link.send_text(encode(Press()))

    thread = threading.Thread(target=press)
    thread.start()
    yield
    released.set()
    thread.join()


def until(happens: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 40.0
    while not happens():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.alone
@pytest.mark.slow
def test_a_robot_follows_another_while_somebody_holds_it(app: FastAPI, operator: Browser) -> None:
    desk = app.state.desk

    def following() -> dict[str, Any]:
        said: dict[str, Any] = operator.get("/api/follow/leaders").json()["following"]
        return said

    def close_the_clutch() -> bool:
        # On a busy machine it opens by itself, as it should: who holds closes it again.
        return operator.post("/api/follow/clutch", json={"engaged": True}).status_code == 200

    with Cell.open("cobot6", driver="ideal", low_power=True, record=False, patience=5.0, start=HOME) as master:
        name = master.station.folder.name
        assert name in [each["name"] for each in operator.get("/api/follow/leaders").json()["leaders"]]
        assert operator.post("/api/follow", json={"leader": name, "scale": 0.5}).status_code == 200
        try:
            with operator.websocket_connect("/ws") as link:
                idle = operator.post("/api/follow/clutch", json={"engaged": True})
                assert idle.status_code == 409 and "nobody holds" in idle.json()["detail"]
                # It goes on for long: the other goes with it, and stands while it still moves.
                master.move_joints(HOME + np.array([1.5, 0.0, 0.0, 0.0, 0.0, 0.0]), speed=0.01, wait=False)
                with held(link):
                    until(lambda: (close_the_clutch() or True) and desk.cell.state.q[0] > HOME[0] + 0.02)
                until(lambda: not following()["engaged"])
            desk.cell.wait()
            stands, led = desk.cell.state.q.copy(), master.state.q.copy()
            until(lambda: not np.array_equal(master.state.q, led))
            assert np.array_equal(desk.cell.state.q, stands) and following()["lost"]
            assert operator.post("/api/follow/end", json={}).json()["leader"] == ""
        finally:
            app.state.following.end()
            master.stop()
