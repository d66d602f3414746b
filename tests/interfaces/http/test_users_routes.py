"""Users by requests: added, changed, removed; passwords; who is out at once."""

import pytest
from fastapi import FastAPI

from armillary.interfaces.http.roles import Role
from tests.interfaces.http.conftest import SESSION, Browser

SECRET = "correct horse"


def add(browser: Browser, name: str, role: str) -> None:
    answer = browser.post("/api/users", json={"name": name, "role": role, "password": SECRET})
    assert answer.status_code == 200, answer.text


def test_an_administrator_adds_changes_and_removes(app: FastAPI, administrator: Browser) -> None:
    refused = administrator.post("/api/users", json={"name": "Otto", "role": "operator", "password": SECRET})
    assert refused.status_code == 409 and "first user" in refused.json()["detail"]
    add(administrator, "Ada", "administrator")
    add(administrator, "Otto", "operator")
    assert [(each["name"], each["role"]) for each in administrator.get("/api/users").json()] == [
        ("Ada", "administrator"), ("Otto", "operator"),
    ]  # fmt: skip
    assert administrator.patch("/api/users", json={"name": "otto", "role": "viewer"}).status_code == 200
    assert administrator.get("/api/users").json()[1]["role"] == "viewer"
    assert administrator.delete("/api/users", params={"name": "Otto"}).status_code == 200
    assert "no user" in administrator.delete("/api/users", params={"name": "Otto"}).json()["detail"]
    said = [entry["what"] for entry in administrator.get("/api/audit", params={"most": 3}).json()]
    assert said == ["removes the user Otto", "makes Otto viewer", "adds the user Otto as operator"]


@pytest.mark.parametrize("role", [Role.NOBODY, Role.VIEWER, Role.OPERATOR, Role.PROGRAMMER])
def test_users_and_audit_are_an_administrators(app: FastAPI, role: Role) -> None:
    browser = Browser(app, "Eve", role)
    status = 401 if role == Role.NOBODY else 403
    assert browser.get("/api/users").status_code == status and browser.get("/api/audit").status_code == status
    given = {"name": "Eve", "role": "administrator", "password": SECRET}
    assert browser.post("/api/users", json=given).status_code == status
    assert browser.patch("/api/users", json=given).status_code == status
    assert browser.delete("/api/users", params={"name": "Ada"}).status_code == status


def test_who_is_removed_or_changed_is_out_at_once_and_has_no_control(app: FastAPI, operator: Browser) -> None:
    administrator = Browser(app, "Ada", Role.ADMINISTRATOR)
    add(administrator, "Ada", "administrator")
    add(administrator, "Olga", "operator")
    session = app.state.desk.lease.holder
    assert session.user == "Olga"
    assert administrator.patch("/api/users", json={"name": "OLGA", "role": "viewer"}).status_code == 200
    assert operator.get("/api/alarms").status_code == 401 and session.over
    assert app.state.desk.lease.holder is None


def test_ones_own_password_needs_the_one_before_and_logs_out_elsewhere(app: FastAPI) -> None:
    app.state.users.add("Ada", Role.ADMINISTRATOR, SECRET)
    app.state.users.add("Otto", Role.OPERATOR, SECRET)
    here, elsewhere = Browser(app), Browser(app)
    for browser in (here, elsewhere):
        assert browser.post("/api/login", json={"name": "otto", "password": SECRET}).status_code == 200
    for old, status in ((None, 409), ("wrong horse", 401)):
        assert here.post("/api/users/password", json={"name": "Otto", "password": "new horse", "old": old}).status_code == status
    assert here.post("/api/users/password", json={"name": "Ada", "password": "new horse"}).status_code == 403
    assert here.post("/api/users/password", json={"name": "Otto", "password": "new horse", "old": SECRET}).status_code == 200
    assert here.get("/api/alarms").status_code == 200 and elsewhere.get("/api/alarms").status_code == 401
    assert app.state.users.check("Otto", "new horse").name == "Otto"


def test_an_administrator_sets_anothers_password(app: FastAPI, administrator: Browser) -> None:
    add(administrator, "Ada", "administrator")
    add(administrator, "Otto", "operator")
    assert administrator.post("/api/users/password", json={"name": "Otto", "password": "new horse"}).status_code == 200
    assert app.state.users.check("Otto", "new horse").role == Role.OPERATOR


def test_who_came_by_the_link_becomes_who_he_names(app: FastAPI) -> None:
    browser = Browser(app)
    assert browser.post("/api/enter", json={"link": app.state.sessions.one_time_link()}).status_code == 200
    assert browser.post("/api/users/password", json={"name": "Ada", "password": "short"}).status_code == 409
    assert browser.post("/api/users/password", json={"name": "Ada", "password": SECRET}).status_code == 200
    who = browser.get("/api/session").json()
    assert (who["user"], who["role"], who["local"], who["has_password"]) == ("Ada", "administrator", False, True)
    assert app.state.users.check("Ada", SECRET).role == Role.ADMINISTRATOR
    refused = browser.post("/api/users/password", json={"name": "Ada", "password": "new horse"})
    assert refused.status_code == 409 and "present password" in refused.json()["detail"]


def test_the_cookie_of_a_removed_user_is_worth_nothing(app: FastAPI, administrator: Browser) -> None:
    add(administrator, "Ada", "administrator")
    add(administrator, "Otto", "operator")
    otto = Browser(app)
    assert otto.post("/api/login", json={"name": "Otto", "password": SECRET}).status_code == 200
    secret = otto.cookies.get(SESSION)
    assert administrator.delete("/api/users", params={"name": "Otto"}).status_code == 200
    assert app.state.sessions.of(secret) is None
