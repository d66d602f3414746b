"""Workspace limits, by requests: written into the cell.toml, with a password."""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi import FastAPI

from armillary.description import open_cell
from armillary.interfaces.http.roles import Role
from tests.interfaces.http.conftest import SESSION, Browser

LIMITS = {
    "box_min": [-1.0, -1.0, 0.05], "box_max": [1.0, 1.0, 1.5], "tool_speed": 0.2,
    "planes": [{"point": [0.0, 0.0, 0.02], "normal": [0.0, 0.0, 2.0]}, {"point": [0.5, 0.0, 0.0], "normal": [-1.0, 0.0, 0.0]}],
}  # fmt: skip


def test_workspace_limits_are_written_and_all_else_stays(app: FastAPI, own_cell: Path) -> None:
    browser, before = Browser(app, "Ada", Role.ADMINISTRATOR), tomllib.loads(own_cell.read_text())
    said = browser.put("/api/workspace", json=LIMITS)
    assert said.status_code == 200 and said.json()["restart"] and "started again" in said.json()["notes"][0]
    now = tomllib.loads(own_cell.read_text())
    space = open_cell(own_cell).cell.workspace
    assert space.box_min == (-1.0, -1.0, 0.05) and space.tool_speed == 0.2 and len(space.planes) == 2
    assert space.planes[0].normal == (0.0, 0.0, 1.0)
    assert {key: value for key, value in now.items() if key != "workspace"} == {
        key: value for key, value in before.items() if key != "workspace"
    }
    shown = browser.get("/api/workspace").json()
    assert shown["restart"] and shown["kept"]["tool_speed"] == 0.2 and shown["running"]["box_min"] is None
    text = own_cell.read_text()
    assert browser.put("/api/workspace", json={**LIMITS, "tool_speed": 0.3}).status_code == 200
    assert own_cell.read_text() == text.replace("tool_speed = 0.2", "tool_speed = 0.3")
    assert browser.put("/api/workspace", json={}).status_code == 200
    assert open_cell(own_cell).cell.workspace == replace(space, box_min=None, box_max=None, planes=(), tool_speed=None)


def test_a_tool_outside_the_new_limits_is_said(app: FastAPI, own_cell: Path) -> None:
    order = {"box_min": [5.0, 5.0, 5.0], "box_max": [6.0, 6.0, 6.0]}
    said = Browser(app, "Ada", Role.ADMINISTRATOR).put("/api/workspace", json=order).json()
    assert any("outside" in note for note in said["notes"])


@pytest.mark.parametrize(
    "order",
    [
        {"box_min": [0.0, 0.0, 0.0]},
        {"box_min": [1.0, 0.0, 0.0], "box_max": [0.0, 1.0, 1.0]},
        {"planes": [{"point": [0.0, 0.0, 0.0], "normal": [0.0, 0.0, 0.0]}]},
    ],
)
def test_limits_that_are_none_are_refused_and_nothing_is_written(app: FastAPI, own_cell: Path, order: dict[str, object]) -> None:
    before = own_cell.read_text()
    assert Browser(app, "Ada", Role.ADMINISTRATOR).put("/api/workspace", json=order).status_code == 409
    assert own_cell.read_text() == before and len(list(own_cell.parent.iterdir())) == 2


def test_limits_are_changed_with_the_administrators_password(app: FastAPI, own_cell: Path) -> None:
    app.state.users.add("Ada", Role.ADMINISTRATOR, "correct horse")
    browser = Browser(app, "Ada", Role.ADMINISTRATOR)
    for password in (None, "wrong horse"):
        assert browser.put("/api/workspace", json={**LIMITS, "password": password}).status_code == 401
    assert browser.put("/api/workspace", json={**LIMITS, "password": "correct horse"}).status_code == 200
    assert Browser(app, "Petra", Role.PROGRAMMER).put("/api/workspace", json=LIMITS).status_code == 403


def test_once_anybody_has_a_password_nobody_changes_them_without_one(app: FastAPI, own_cell: Path) -> None:
    """Who came by the link of this machine is an administrator without a password."""
    local = Browser(app)
    local.cookies.set(SESSION, app.state.sessions.enter(app.state.sessions.one_time_link(), "root"))
    before = own_cell.read_text()
    assert local.put("/api/workspace", json=LIMITS).status_code == 200, "nobody has one yet"
    own_cell.write_text(before)
    app.state.users.add("Ada", Role.ADMINISTRATOR, "correct horse")
    for password in (None, "", "correct horse"):
        refused = local.put("/api/workspace", json={**LIMITS, "password": password})
        assert refused.status_code == 401 and "log in by name" in refused.json()["detail"]
    assert own_cell.read_text() == before
