"""A pendant answers to its own names alone: one that is led here from elsewhere gets nothing, not even a log-in."""

import socket

import pytest
from fastapi import FastAPI
from starlette.websockets import WebSocketDisconnect

from armillary.interfaces.http.host_names import HostNames
from armillary.interfaces.http.roles import Role
from tests.interfaces.http.conftest import Browser


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.1:8642", "[::1]:8642", "localhost:80", "LOCALHOST", "192.168.1.20", "robot.lan:1"]
)
def test_addresses_and_names_of_the_machine_are_known(host: str) -> None:
    assert host in HostNames(("Robot.lan",))


def test_the_machine_own_name_is_known() -> None:
    own = socket.gethostname()
    assert own in HostNames() and f"{own}:8642" in HostNames() and f"{own}." in HostNames()


@pytest.mark.parametrize(
    "host",
    ["", "evil.example", "evil.example:8642", "127.0.0.1.evil.example", "localhost:80:80", "[::1", "a b", "127.0.0.1@evil"],
)
def test_others_are_not(host: str) -> None:
    assert host not in HostNames(("robot.lan",))


def test_a_page_of_another_name_that_leads_here_is_refused(app: FastAPI) -> None:
    for client in (Browser(app), Browser(app, role=Role.ADMINISTRATOR)):
        for answer in (
            client.get("/api/session", headers={"host": "evil.example"}),
            client.post("/api/login", headers={"host": "evil.example"}, json={}),
        ):
            assert answer.status_code == 421 and "evil.example" in answer.json()["detail"]
        with (
            pytest.raises(WebSocketDisconnect),
            client.websocket_connect("/ws", headers={"host": "evil.example", "origin": "http://evil.example"}),
        ):
            pass
