"""Users, audit and alarms by requests; and what becomes of both when the disk takes nothing."""

import ast
import time
from pathlib import Path

import pytest
from fastapi import FastAPI

import armillary.runtime
from armillary.interfaces.http.alarms import AlarmBook, remedy_of
from armillary.interfaces.http.audit import Audit
from armillary.interfaces.http.roles import Role
from armillary.interfaces.http.routes import ROUTERS, alarms, users
from tests.interfaces.http.conftest import SESSION, Browser

SECRET = "correct horse"


@pytest.fixture(autouse=True)
def routed(app: FastAPI) -> None:
    for router in (users.router, alarms.router):
        if router not in ROUTERS:
            app.include_router(router, prefix="/api")


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


def fault(kind: str) -> dict[str, object]:
    return {
        "time": 1.0, "event": "FAULT", "state": "FAULTED", "text": "joint_2: too far",
        "fault": {"kind": kind, "joint": "joint_2", "value": 0.1, "limit": 0.02},
    }  # fmt: skip


def test_alarms_are_told_with_joint_value_limit_and_remedy(app: FastAPI) -> None:
    app.state.desk.alarms.heard([fault("following")])
    viewer, operator = Browser(app, "Vera", Role.VIEWER), Browser(app, "Otto", Role.OPERATOR)
    (alarm,) = viewer.get("/api/alarms").json()
    assert (alarm["key"], alarm["joint"], alarm["value"], alarm["limit"]) == ("alarm", "joint_2", 0.1, 0.02)
    assert "brake" in alarm["remedy"] and app.state.desk.alarms.unseen == 1
    assert viewer.post("/api/alarms/seen").status_code == 403 and operator.post("/api/alarms/seen").status_code == 200
    assert app.state.desk.alarms.unseen == 0 and Browser(app).get("/api/alarms").status_code == 401


def test_every_kind_of_fault_has_its_own_remedy() -> None:
    kinds = set[str]()
    for path in Path(armillary.runtime.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = getattr(node.func, "id", getattr(node.func, "attr", "")) if isinstance(node, ast.Call) else ""
            if name in ("Fault", "_fault") and isinstance(node, ast.Call) and isinstance(node.args[0], ast.Constant):
                kinds.add(str(node.args[0].value))
    assert {"following", "driver", "late", "executor"} <= kinds
    assert len({remedy_of(kind) for kind in kinds} - {remedy_of("")}) == len(kinds)


def test_each_fault_is_heard_once_and_kept(tmp_path: Path) -> None:
    book, happened = AlarmBook(tmp_path), [fault("late")]
    assert [alarm.number for alarm in book.heard(happened)] == [1] and book.heard(happened) == []
    happened += [{"time": 1.0, "event": "RESET", "state": "STOPPED", "text": ""}, fault("late"), fault("torque")]
    assert [alarm.cause for alarm in book.heard(happened)] == ["late", "torque"]
    assert book.unseen == 3 and book.flush()
    again = AlarmBook(tmp_path)
    assert [alarm.number for alarm in again.history()] == [3, 2, 1] and again.unseen == 3
    again.acknowledge()
    assert again.flush() and AlarmBook(tmp_path).unseen == 0


def test_a_disk_that_takes_nothing_holds_up_nothing_and_loses_nothing(tmp_path: Path) -> None:
    place = tmp_path / "pendant"
    place.write_text("a file where the folder should be: nothing can be written")
    audit, book = Audit(place), AlarmBook(place)
    audit.note("Ada", "stops the robot")
    book.heard([fault("late")])
    assert [entry.what for entry in audit.newest()] == ["stops the robot"] and book.unseen == 1 and len(book.history()) == 1
    deadline = time.monotonic() + 10.0
    while not audit.trouble:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert "cannot be written" in audit.trouble
    place.unlink()  # there is room again
    assert audit.flush() and book.flush() and audit.trouble == ""
    assert [entry.what for entry in Audit(place).newest()] == ["stops the robot"] and len(AlarmBook(place).history()) == 1


def test_a_damaged_audit_is_put_aside_and_a_new_one_begun(tmp_path: Path) -> None:
    (tmp_path / "audit.db").write_bytes(b"not a database, but long enough to be taken for one" * 20)
    audit = Audit(tmp_path)
    assert "put aside" in audit.trouble and len(list(tmp_path.glob("audit.db.damaged-*"))) == 1
    audit.note("Ada", "logs in")
    assert audit.flush() and [entry.who for entry in Audit(tmp_path).newest()] == ["Ada"]


def test_whatever_is_noted_can_be_read(tmp_path: Path) -> None:
    audit = Audit(tmp_path)
    for text in ("\ud800", "a" * 10_000, "<b>", "\x00", "关节"):
        audit.note(text, text)
    assert audit.flush()
    for entry in Audit(tmp_path).newest():
        assert (entry.who + entry.what).encode() and len(entry.what) <= 500


def test_a_stop_is_done_while_the_audit_cannot_be_written(
    app: FastAPI, operator: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3

    def fails(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("armillary.interfaces.http.kept_list.sqlite3.connect", fails)
    assert Browser(app).post("/api/stop", json={}).status_code == 200
    assert app.state.desk.audit.newest(1)[0].what.startswith("stops the robot")


def test_the_cookie_of_a_removed_user_is_worth_nothing(app: FastAPI, administrator: Browser) -> None:
    add(administrator, "Ada", "administrator")
    add(administrator, "Otto", "operator")
    otto = Browser(app)
    assert otto.post("/api/login", json={"name": "Otto", "password": SECRET}).status_code == 200
    secret = otto.cookies.get(SESSION)
    assert administrator.delete("/api/users", params={"name": "Otto"}).status_code == 200
    assert app.state.sessions.of(secret) is None


def test_who_is_not_let_in_stands_in_the_audit_trail_and_cannot_fill_it(app: FastAPI) -> None:
    stranger = Browser(app)
    for name in ("Mallory", "Eve"):  # within the same second
        assert stranger.post("/api/login", json={"name": name, "password": "guess"}).status_code == 401
    app.state.desk.audit.flush()
    said = [entry.who for entry in app.state.desk.audit.newest(20) if "not let in" in entry.what]
    assert said == ["Mallory"]
